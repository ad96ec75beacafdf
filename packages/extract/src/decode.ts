// Bytes → well-formed text, once: the encoding is found, line ends become LF, NUL and the byte order mark go.
// Every kind that is text underneath (TXT, Markdown, HTML) starts here. From here on nobody edits the text.
import type { Warning } from '@grainline/core';

/** A text and what was learnt while decoding it. */
export interface DecodedText {
  /** Well-formed; line ends are LF; no NUL, no byte order mark. */
  readonly text: string;
  /** WHATWG name of the encoding that the bytes were read in. */
  readonly encoding: string;
  readonly warnings: readonly Warning[];
}

interface Reading {
  readonly text: string;
  readonly encoding: string;
}

/** Enough for detection to be right on every text of the 54-file set; detection is linear in it. */
const SAMPLE_BYTES = 64 * 1024;
/** How far before the first byte outside ASCII the sample begins, so that it shows words around it. */
const SAMPLE_LEAD = 256;

/** What the detector calls an encoding where `TextDecoder` has another name for it. */
const LABELS: ReadonlyMap<string, string> = new Map([
  ['ascii', 'utf-8'],
  ['utf-8-sig', 'utf-8'],
  ['utf-16-le', 'utf-16le'],
  ['utf-16-be', 'utf-16be'],
  ['cp932', 'shift_jis'],
  ['shift_jis_2004', 'shift_jis'],
  ['cp949', 'euc-kr'],
  ['johab', 'euc-kr'],
  ['euc_jis_2004', 'euc-jp'],
  ['iso2022_jp_2', 'iso-2022-jp'],
  ['big5hkscs', 'big5'],
  ['cp866', 'ibm866'],
  ['cp874', 'windows-874'],
  ['macroman', 'macintosh'],
  ['maccyrillic', 'x-mac-cyrillic'],
]);

/** What undecidable bytes are read as: every byte has a character in it, so nothing is lost. */
const LAST_RESORT = 'windows-1252';

/**
 * Decodes a text. In this order: byte order mark, strict UTF-8, the charset that the transport declares, detection
 * on 64 KiB around the first byte outside ASCII. A declared charset that the bytes contradict is passed over.
 * Never fails: bytes without meaning become U+FFFD and the warning `characters_replaced`.
 *
 * @param charset name in any case, as in `text/plain; charset=koi8-r`; unknown names are passed over
 */
export async function decodeText(bytes: Uint8Array, charset?: string): Promise<DecodedText> {
  const reading =
    readMarked(bytes) ?? readPlainUtf8(bytes) ?? readDeclared(bytes, charset) ?? (await readDetected(bytes));
  const warnings: Warning[] = [];
  if (reading.text.includes('\uFFFD')) {
    warnings.push({
      code: 'characters_replaced',
      message: `Some bytes mean nothing in ${reading.encoding}; they stand as U+FFFD.`,
    });
  }
  return { text: normalise(reading.text, warnings), encoding: reading.encoding, warnings };
}

function readMarked(bytes: Uint8Array): Reading | undefined {
  const marked = markedEncoding(bytes);
  return marked === undefined ? undefined : lenient(bytes, marked);
}

/** The encoding that a byte order mark names. */
function markedEncoding(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined;
}

/** UTF-8 without NUL (which UTF-16 without a mark is full of) and without ESC (which ISO-2022 shifts with). */
function readPlainUtf8(bytes: Uint8Array): Reading | undefined {
  return bytes.includes(0) || bytes.includes(0x1b) ? undefined : strict(bytes, 'utf-8');
}

function readDeclared(bytes: Uint8Array, charset: string | undefined): Reading | undefined {
  return charset === undefined ? undefined : strict(bytes, charset);
}

/** Loads the detector only here: valid UTF-8, nearly every file, never needs it. */
async function readDetected(bytes: Uint8Array): Promise<Reading> {
  const label = await detectEncoding(bytes);
  const found = label === undefined ? undefined : lenient(bytes, label);
  return (
    found ?? strict(bytes, 'utf-8') ?? lenient(bytes, LAST_RESORT) ?? { text: '', encoding: LAST_RESORT }
  );
}

/** The encoding that the bytes most look like, as `TextDecoder` names it; `undefined` when they are no text. */
export async function detectEncoding(bytes: Uint8Array): Promise<string | undefined> {
  const marked = markedEncoding(bytes);
  if (marked !== undefined) return marked;
  const sample = sampleOf(bytes);
  const order = ['utf-16le', 'utf-16be'].find((label) => isEastAsian(sample, label));
  if (order !== undefined) return order;
  const { detect } = await import('jschardet');
  const { encoding } = detect(sample);
  if (encoding === null) return undefined;
  const found = encoding.toLowerCase();
  const label = LABELS.get(found) ?? found;
  return label.startsWith('utf-16') && !hasByteOrder(sample, label) ? undefined : label;
}

/** In the wrong half of a unit a zero means U+3000, U+4E00 and their like: rare beside blanks, digits and line ends. */
const MAX_ZEROS_IN_WRONG_HALF = 0.25;

/** True when the zero bytes stand where this byte order has them; in binary files they stand anywhere. */
function hasByteOrder(sample: Uint8Array, label: string): boolean {
  let inFirst = 0;
  let inSecond = 0;
  for (let at = sample.indexOf(0); at !== -1; at = sample.indexOf(0, at + 1)) {
    if (at % 2 === 0) inFirst++;
    else inSecond++;
  }
  const [inHigh, inLow] = label === 'utf-16be' ? [inFirst, inSecond] : [inSecond, inFirst];
  return inLow <= MAX_ZEROS_IN_WRONG_HALF * inHigh;
}

/** Han, kana, Hangul, their punctuation and full-width forms. */
const EAST_ASIAN = /[\u2010-\u2026\u3000-\u30FF\u4E00-\u9FFF\uAC00-\uD7A3\uFF00-\uFF65]/g;
/** Ideographic stops and commas, and kana. As bytes they begin or end in 30 or FF, which Shift_JIS has no use for. */
const EAST_ASIAN_SIGN = /[\u3001\u3002\u3041-\u30FF\uFF01\uFF0C\uFF1F]/;
/** Chinese read in the wrong byte order, and GBK or Shift_JIS read as UTF-16, stay below. */
const MIN_EAST_ASIAN = 0.97;

/**
 * Chinese or Japanese in UTF-16 with hardly a blank, digit or line end. The detector goes by the zero bytes of those
 * and takes such text for Latin.
 */
function isEastAsian(sample: Uint8Array, label: string): boolean {
  const text = strict(sample, label)?.text ?? '';
  return EAST_ASIAN_SIGN.test(text) && (text.match(EAST_ASIAN)?.length ?? 0) >= MIN_EAST_ASIAN * text.length;
}

/** 64 KiB that begin shortly before the first byte outside ASCII: a long English preface must not decide. */
function sampleOf(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= SAMPLE_BYTES) return bytes;
  let first = 0;
  while (first < bytes.length && (bytes[first] ?? 0) < 0x80) first++;
  const start = first === bytes.length ? 0 : Math.max(0, first - SAMPLE_LEAD);
  // An even start keeps the halves of UTF-16 units together.
  return bytes.subarray(start - (start % 2), start + SAMPLE_BYTES);
}

function strict(bytes: Uint8Array, label: string): Reading | undefined {
  return decode(bytes, label, true);
}

function lenient(bytes: Uint8Array, label: string): Reading | undefined {
  return decode(bytes, label, false);
}

/** `undefined` when the runtime does not know the encoding, or (`fatal`) when the bytes are not valid in it. */
function decode(bytes: Uint8Array, label: string, fatal: boolean): Reading | undefined {
  try {
    const decoder = new TextDecoder(label, { fatal });
    return { text: decoder.decode(bytes), encoding: decoder.encoding };
  } catch {
    return undefined;
  }
}

/** Each look is a native search, so a text that needs nothing costs four of them and no copy. */
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
