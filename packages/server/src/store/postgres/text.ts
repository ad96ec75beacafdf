// Encodes texts for PostgreSQL. Its type `text` has no NUL and its indexes no long keys, but the store's keys and ids
// are any strings.
import { hash } from 'node:crypto';

/** Writes NUL as `\0` and a backslash as two. A text without either, like all real keys, stays as it is. */
export function encodeText(text: string): string {
  return /[\0\\]/.test(text) ? text.replace(/[\0\\]/g, (unit) => (unit === '\0' ? '\\0' : '\\\\')) : text;
}

/** Reverses {@link encodeText}. */
export function decodeText(text: string): string {
  return text.includes('\\') ? text.replace(/\\(.)/gs, (_, unit) => (unit === '0' ? '\0' : '\\')) : text;
}

/** Longest key in UTF-16 units, of at most three bytes each: an entry of an index takes 2,704 bytes. */
const LONGEST_KEY = 512;

/** Returns the text, or its hash when an index cannot hold it. */
export function keyText(text: string): string {
  if (text.length <= LONGEST_KEY) return text;
  return `sha256 ${hash('sha256', text)}`;
}
