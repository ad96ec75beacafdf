// Bytes in a named encoding → text: the encodings of the runtime's `TextDecoder`, and the code pages of DOS.
import { ExtractError } from '../errors.ts';
import { codePageDecoder, type CodePageDecoder } from './code-pages.ts';

/** Bytes read in an encoding. */
export interface Reading {
  readonly text: string;
  readonly encoding: string;
  /** True when neither the bytes nor the sender confirm this encoding. */
  readonly isGuess?: true;
}

/** The encoding for undecidable bytes: every byte has a character, so nothing is lost. */
export const LAST_RESORT = 'windows-1252';

/** The name of the encoding with a label, by the Encoding standard of the WHATWG; `undefined` when there is none. */
export function encodingOf(label: string): string | undefined {
  return lenient(new Uint8Array(), label)?.encoding;
}

/** The encoding that a byte order mark names. */
export function markedEncoding(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined;
}

/** Reads bytes that are all valid in an encoding; `undefined` otherwise. */
export function strict(bytes: Uint8Array, label: string): Reading | undefined {
  return decode(bytes, label, true);
}

/** Reads bytes in an encoding, invalid ones as U+FFFD; `undefined` for an unknown encoding. */
export function lenient(bytes: Uint8Array, label: string): Reading | undefined {
  return decode(bytes, label, false);
}

function decode(bytes: Uint8Array, label: string, fatal: boolean): Reading | undefined {
  const decoder = decoderOf(label, fatal);
  if (decoder === undefined) return undefined;
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch (cause) {
    if (fatal) return undefined;
    // Bytes without meaning are no error here, so the only remaining error is a result longer than the longest string.
    throw tooLong(cause);
  }
  // In the same case Chromium gives an empty string.
  if (text === '' && bytes.length > FITS_BYTES) throw tooLong();
  return { text, encoding: decoder.encoding };
}

/**
 * This many bytes never exceed the longest string: V8's has 2 ** 29 units, and no encoding makes two units of a byte.
 */
const FITS_BYTES = 2 ** 28;

function tooLong(cause?: unknown): ExtractError {
  return new ExtractError('too_large', {
    detail: 'its text is longer than half a billion characters',
    cause,
  });
}

type Decoder = Pick<InstanceType<typeof TextDecoder>, 'encoding' | 'decode'> | CodePageDecoder;

function decoderOf(label: string, fatal: boolean): Decoder | undefined {
  try {
    return new TextDecoder(label, { fatal });
  } catch {
    return codePageDecoder(label);
  }
}
