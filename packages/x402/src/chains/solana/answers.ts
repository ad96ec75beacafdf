// Checks of nodes' answers. Every used field is checked first. A missing or wrong one makes the whole answer invalid,
// because a guess could cost money.

import { getBase64Encoder } from '@solana/kit';
import { isObject, type JsonObject } from '../../gate/json.ts';

/** An answer that does not fit the call. */
export class MalformedAnswer extends Error {
  constructor(path: string, expected: string) {
    super(`${path} is not ${expected}.`);
    this.name = 'MalformedAnswer';
  }
}

const U64_MAX = 2n ** 64n - 1n;
const BASE58 = /^[1-9A-HJ-NP-Za-km-z]*$/;

export function readObject(value: unknown, path: string): JsonObject {
  if (!isObject(value)) throw new MalformedAnswer(path, 'an object');
  return value;
}

export function readArray<T>(
  value: unknown,
  path: string,
  read: (item: unknown, path: string) => T,
): readonly T[] {
  if (!Array.isArray(value)) throw new MalformedAnswer(path, 'an array');
  return value.map((item, index) => read(item, `${path}[${index}]`));
}

export function readText(value: unknown, path: string): string {
  if (typeof value !== 'string') throw new MalformedAnswer(path, 'a text');
  return value;
}

/** A text in base58 of at most `maxLength` characters. */
export function readBase58(value: unknown, path: string, maxLength: number): string {
  const text = readText(value, path);
  if (text.length > maxLength || !BASE58.test(text)) throw new MalformedAnswer(path, 'base58');
  return text;
}

export function readAddress(value: unknown, path: string): string {
  const text = readBase58(value, path, 44);
  if (text.length < 32) throw new MalformedAnswer(path, 'an address');
  return text;
}

/** Data as nodes write it with the encoding base64: the text and the name of the encoding. */
export function readBase64(value: unknown, path: string): Uint8Array<ArrayBuffer> {
  const [text, encoding] = readArray(value, path, readText);
  if (text === undefined || encoding !== 'base64') throw new MalformedAnswer(path, 'base64');
  try {
    return new Uint8Array(getBase64Encoder().encode(text));
  } catch {
    throw new MalformedAnswer(path, 'base64');
  }
}

/** A number that JSON carries exactly: 0 to 2^53 - 1. */
export function readCount(value: unknown, path: string): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0)
    throw new MalformedAnswer(path, 'a whole number');
  return value as number;
}

/** A number below `length`. */
export function readIndex(value: unknown, path: string, length: number): number {
  const index = readCount(value, path);
  if (index >= length) throw new MalformedAnswer(path, `below ${length}`);
  return index;
}

/** An amount of tokens: decimal digits, within 64 bits. */
export function readAmount(value: unknown, path: string): bigint {
  if (typeof value !== 'string' || !/^\d{1,20}$/.test(value)) throw new MalformedAnswer(path, 'an amount');
  const amount = BigInt(value);
  if (amount > U64_MAX) throw new MalformedAnswer(path, 'an amount of 64 bits');
  return amount;
}

/** A member that may be null or absent. */
export function readOptional<T>(
  value: unknown,
  path: string,
  read: (value: unknown, path: string) => T,
): T | null {
  return value === null || value === undefined ? null : read(value, path);
}
