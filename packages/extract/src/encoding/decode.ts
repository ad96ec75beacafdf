// Bytes → well-formed text, once: detects the encoding, turns line ends into LF, and removes NUL and the byte order
// mark. Every kind with text underneath (TXT, Markdown, HTML) starts here. No later stage edits the text.
import type { Warning } from '@grainline/core';
import { encodingOf, LAST_RESORT, lenient, markedEncoding, strict, type Reading } from './decoder.ts';
import { count, detectEncoding } from './detect.ts';

/** A text with the facts found while decoding. */
export interface DecodedText {
  /** Well-formed; line ends are LF; no NUL, no byte order mark. */
  readonly text: string;
  /** WHATWG name of the encoding that the bytes were read in. */
  readonly encoding: string;
  readonly warnings: readonly Warning[];
}

/**
 * A text in another encoding has hardly a character that is valid UTF-8; UTF-8 with few errors has at least this many
 * valid characters for each invalid one.
 */
const VALID_PER_SLIP = 4;

/**
 * Decodes a text. In this order: byte order mark, UTF-8 without errors or with few, the charsets that are declared,
 * detection on 64 KiB around the first byte outside ASCII. UTF-16 without a mark and ISO-2022 can be valid UTF-8 by
 * chance, so they come before it when the bytes look like them. A declared charset that is unknown, or that the bytes
 * contradict, is ignored; so a declaration of UTF-8 has no effect. Bytes without meaning become U+FFFD and the warning
 * `characters_replaced`. A guessed encoding adds the warning `encoding_guessed`. Rejects with `too_large` when the text
 * is longer than a string can be.
 *
 * @param declared labels in any case, as in `text/plain; charset=koi8-r`, in order of preference
 */
export async function decodeText(
  bytes: Uint8Array,
  ...declared: readonly (string | undefined)[]
): Promise<DecodedText> {
  const utf8 = strict(bytes, 'utf-8');
  const labels = declared.filter((label) => label !== undefined);
  const reading =
    readMarked(bytes) ??
    readConfirmed(bytes, utf8, labels) ??
    (await readDetected(bytes, utf8 !== undefined));
  const warnings: Warning[] = [];
  if (reading.isGuess === true) warnings.push(guessWarning(reading.encoding, labels[0]));
  if (reading.text.includes('\uFFFD')) {
    warnings.push({
      code: 'characters_replaced',
      message: `Some bytes mean nothing in ${reading.encoding}; they stand as U+FFFD.`,
    });
  }
  return { text: normalise(reading.text, warnings), encoding: reading.encoding, warnings };
}

function guessWarning(encoding: string, declared: string | undefined): Warning {
  const message = `${guessReason(declared?.slice(0, 40))}: it was read as ${encoding}, by a guess. If that is wrong, convert it to UTF-8 or declare its charset (text/plain; charset=…).`;
  return { code: 'encoding_guessed', message };
}

function guessReason(declared: string | undefined): string {
  if (declared === undefined) return 'Nothing says in which encoding the text is, and it is not UTF-8';
  const encoding = encodingOf(declared);
  if (encoding === undefined)
    return `The declared charset "${declared}" is not known, and the text is not UTF-8`;
  return encoding === 'utf-8'
    ? 'The text is declared to be UTF-8, and is not'
    : `The text is neither UTF-8 nor ${declared}, as is declared`;
}

function readMarked(bytes: Uint8Array): Reading | undefined {
  const marked = markedEncoding(bytes);
  return marked === undefined ? undefined : lenient(bytes, marked);
}

/** Encodings whose bytes may be valid UTF-8 although they are not ASCII. */
const LIKE_UTF8 = /^(?:utf-16|iso-2022)/;

/** UTF-8 or a declared encoding, whichever the bytes confirm; `undefined` when the bytes need detection. */
function readConfirmed(
  bytes: Uint8Array,
  utf8: Reading | undefined,
  labels: readonly string[],
): Reading | undefined {
  if (utf8 === undefined) {
    const slips = withSlips(bytes);
    if (slips !== undefined) return slips;
  } else if (!mayBeOther(utf8)) return utf8;
  for (const label of labels) {
    if (utf8 !== undefined && !LIKE_UTF8.test(encodingOf(label) ?? '')) continue;
    const reading = strict(bytes, label);
    if (reading !== undefined) return reading;
  }
  return undefined;
}

/**
 * UTF-8 with a few wrong bytes: cut off inside a character, or with a line from elsewhere. Any other encoding would
 * spoil all other characters.
 */
function withSlips(bytes: Uint8Array): Reading | undefined {
  const reading = lenient(bytes, 'utf-8');
  if (reading === undefined) return undefined;
  const slips = count(reading.text, /\uFFFD/g);
  return count(reading.text, BEYOND_ASCII) >= VALID_PER_SLIP * slips ? reading : undefined;
}

const BEYOND_ASCII = /[\x80-\uFFFC]/g;

/** Control characters that text does not have: halves of UTF-16 units, or ISO-2022's escapes. */
// eslint-disable-next-line no-control-regex
const UNUSUAL = /[\0-\x08\x0e-\x1f]/;

/** Length of the text searched for control characters: UTF-16 has them from its first word on. */
const SEARCHED_UNITS = 4096;

/** True if valid UTF-8 may be another encoding. */
function mayBeOther({ text }: Reading): boolean {
  return text.includes('\0') || text.includes('\x1b') || UNUSUAL.test(text.slice(0, SEARCHED_UNITS));
}

/** The detector is loaded only here: valid UTF-8, nearly every file, never needs it. */
async function readDetected(bytes: Uint8Array, isUtf8: boolean): Promise<Reading> {
  const label = (await detectEncoding(bytes, isUtf8)) ?? (isUtf8 ? 'utf-8' : LAST_RESORT);
  const reading = lenient(bytes, label) ?? lenient(bytes, LAST_RESORT) ?? { text: '', encoding: LAST_RESORT };
  // The form of the bytes proves UTF-8 and UTF-16, escapes prove ISO-2022; in all other encodings every byte is valid.
  return reading.encoding.startsWith('utf-') || LIKE_UTF8.test(reading.encoding)
    ? reading
    : { ...reading, isGuess: true };
}

/** Each test is a native search, so a clean text costs four searches and no copy. */
function normalise(decoded: string, warnings: Warning[]): string {
  let text = decoded;
  if (text.includes('\r')) text = text.replace(/\r\n?/g, '\n');
  if (text.includes('\uFEFF')) text = text.replaceAll('\uFEFF', '');
  if (!text.includes('\0')) return text;
  const clean = text.replaceAll('\0', '');
  warnings.push({
    code: 'nul_dropped',
    message: `${text.length - clean.length} NUL characters were left out.`,
  });
  return clean;
}
