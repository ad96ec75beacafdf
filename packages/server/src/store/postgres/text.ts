// Texts as PostgreSQL takes them. Its type `text` has no NUL and its indexes no long keys, and neither may matter to
// whoever calls the store: keys and ids are any strings there.
import { createHash } from 'node:crypto';

/** The text with NUL as `\0`, and so a backslash as two. What has neither, as all real keys, stays as it is. */
export function encodeText(text: string): string {
  return /[\0\\]/.test(text) ? text.replace(/[\0\\]/g, (unit) => (unit === '\0' ? '\\0' : '\\\\')) : text;
}

/** The text that {@link encodeText} was given. */
export function decodeText(text: string): string {
  return text.includes('\\') ? text.replace(/\\(.)/gs, (_, unit) => (unit === '0' ? '\0' : '\\')) : text;
}

/** Longest key in UTF-16 units, of at most three bytes each: an entry of an index takes 2,704 bytes. */
const LONGEST_KEY = 512;

/** What stands for the text as a key: itself, or a hash of it when an index could not hold it. */
export function keyText(text: string): string {
  if (text.length <= LONGEST_KEY) return text;
  return `sha256 ${createHash('sha256').update(text).digest('hex')}`;
}
