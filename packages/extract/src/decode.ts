// Bytes → well-formed text, once: the encoding is found, line ends become LF, NUL and the byte order mark go.
// Every kind that is text underneath (TXT, Markdown, HTML) starts here. From here on nobody edits the text.
import type { Warning } from '@grainline/core';
import { codePageDecoder, type CodePageDecoder } from './code-pages.ts';
import { ExtractError } from './errors.ts';
import { CENTRAL_EUROPE, latinScore, WESTERN_EUROPE } from './latin.ts';

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
  /** True when neither the bytes nor who sent them say that it is this encoding. */
  readonly isGuess?: true;
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
 * A text that is not UTF-8 has hardly a character that is valid in it; one that is, but for a slip, has this many for
 * each that is not.
 */
const VALID_PER_SLIP = 4;

/**
 * Decodes a text. In this order: byte order mark, UTF-8 without a fault or with few, the charsets that are declared,
 * detection on 64 KiB around the first byte outside ASCII. UTF-16 without a mark and ISO-2022 can be valid UTF-8 by
 * chance, so they come before it when the bytes look like them. A declared charset that nobody knows, or that the bytes
 * contradict, is passed over; so to declare UTF-8 is to declare nothing. Bytes without meaning become U+FFFD and the
 * warning `characters_replaced`. An encoding that was only guessed is told by the warning `encoding_guessed`. Rejects
 * with `too_large` when the text is longer than a string can be.
 *
 * @param declared labels in any case, as in `text/plain; charset=koi8-r`, in the order in which they are believed
 */
export async function decodeText(
  bytes: Uint8Array,
  ...declared: readonly (string | undefined)[]
): Promise<DecodedText> {
  const utf8 = strict(bytes, 'utf-8');
  const labels = declared.filter((label) => label !== undefined);
  const reading =
    readMarked(bytes) ?? readSure(bytes, utf8, labels) ?? (await readDetected(bytes, utf8 !== undefined));
  const warnings: Warning[] = [];
  if (reading.isGuess === true) warnings.push(guessed(reading.encoding, labels[0]));
  if (reading.text.includes('\uFFFD')) {
    warnings.push({
      code: 'characters_replaced',
      message: `Some bytes mean nothing in ${reading.encoding}; they stand as U+FFFD.`,
    });
  }
  return { text: normalise(reading.text, warnings), encoding: reading.encoding, warnings };
}

/** The name of the encoding with a label, by the Encoding standard of the WHATWG; `undefined` when there is none. */
export function encodingOf(label: string): string | undefined {
  return lenient(new Uint8Array(), label)?.encoding;
}

function guessed(encoding: string, declared: string | undefined): Warning {
  const message = `${whyGuessed(declared?.slice(0, 40))}: it was read as ${encoding}, by a guess. If that is wrong, convert it to UTF-8 or declare its charset (text/plain; charset=…).`;
  return { code: 'encoding_guessed', message };
}

function whyGuessed(declared: string | undefined): string {
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

/** The encoding that a byte order mark names. */
function markedEncoding(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined;
}

/** Encodings whose bytes may be valid UTF-8 although they are not ASCII's characters. */
const LIKE_UTF8 = /^(?:utf-16|iso-2022)/;

/** UTF-8 or what is declared, whichever the bytes bear out; `undefined` when they must be looked at. */
function readSure(
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
 * UTF-8 in which a few bytes are wrong: cut off inside a character, or with a line from elsewhere. Any other encoding
 * would spoil all of its other characters.
 */
function withSlips(bytes: Uint8Array): Reading | undefined {
  const reading = lenient(bytes, 'utf-8');
  if (reading === undefined) return undefined;
  let slips = 0;
  for (let at = reading.text.indexOf('\uFFFD'); at !== -1; at = reading.text.indexOf('\uFFFD', at + 1))
    slips++;
  return count(reading.text, BEYOND_ASCII) >= VALID_PER_SLIP * slips ? reading : undefined;
}

const BEYOND_ASCII = /[\x80-\uFFFC]/g;

/** Controls that writing does not have: halves of UTF-16 units, or ISO-2022's escapes. */
// eslint-disable-next-line no-control-regex
const UNUSUAL = /[\0-\x08\x0e-\x1f]/;

/** How much of a text is searched for them: UTF-16 shows them from its first word on. */
const LOOK_UNITS = 4096;

/** Whether valid UTF-8 may be another encoding. */
function mayBeOther({ text }: Reading): boolean {
  return text.includes('\0') || text.includes('\x1b') || UNUSUAL.test(text.slice(0, LOOK_UNITS));
}

/** Loads the detector only here: valid UTF-8, nearly every file, never needs it. */
async function readDetected(bytes: Uint8Array, isUtf8: boolean): Promise<Reading> {
  const label = (await detectEncoding(bytes, isUtf8)) ?? (isUtf8 ? 'utf-8' : LAST_RESORT);
  const reading = lenient(bytes, label) ?? lenient(bytes, LAST_RESORT) ?? { text: '', encoding: LAST_RESORT };
  // UTF-8 and UTF-16 are told by their form, ISO-2022 by its escapes; of the others all bytes mean something in all.
  return reading.encoding.startsWith('utf-') || LIKE_UTF8.test(reading.encoding)
    ? reading
    : { ...reading, isGuess: true };
}

/**
 * The encoding that the bytes most look like, as `TextDecoder` names it; `undefined` when they are no text.
 *
 * @param isUtf8 whether they are valid UTF-8, which the caller has found out
 */
export async function detectEncoding(bytes: Uint8Array, isUtf8: boolean): Promise<string | undefined> {
  const marked = markedEncoding(bytes);
  if (marked !== undefined) return marked;
  const sample = sampleOf(bytes);
  const order = ['utf-16le', 'utf-16be'].find((label) => isUtf16(sample, label, isUtf8));
  if (order !== undefined) return order;
  // Only ISO-2022 is left, which is ASCII bytes all through.
  if (isUtf8 && !(sample.includes(0x1b) && sample.every((byte) => byte < 0x80))) return 'utf-8';
  const { detectAll } = await import('jschardet');
  const guesses = confidences(detectAll(sample));
  const label = mostLikely(guesses, sample);
  return label === undefined || LATIN.test(label) ? latinOf(sample, label, guesses) : label;
}

/** Encodings of Latin letters. */
const LATIN = /^(?:windows-125[0247]|windows-1258|iso-8859-(?:1|2|3|4|9|10|13|14|15|16)|macintosh)$/;

/** Those that the detector hardly tells from the others. */
const OLDER_LATIN = ['macintosh', 'ibm850', 'ibm437', 'ibm852'] as const;
const CENTRAL = /^(?:ibm852|windows-125[047]|iso-8859-(?:2|3|4|9|10|13|16))$/;

/** By so much an older encoding must be better, and by so much for each byte that it is about. */
const OLDER_LEAD = 3;
const OLDER_LEAD_PER_BYTE = 0.5;
/** What the letters of a text say for each byte at least: those of another script, or of a table of signs, say less. */
const WELL_PER_BYTE = 1;
/** How much the detector's word counts for each byte, between encodings in which the letters stand equally well. */
const DETECTOR_PER_BYTE = 2;

/**
 * What a text in Latin letters is in: what the detector says, unless its letters and signs stand where none can and in
 * an older encoding stand well. `undefined` where it has none that say anything.
 */
function latinOf(sample: Uint8Array, likely: string | undefined, guesses: Confidences): string | undefined {
  const bytes = sample.reduce((sum, byte) => sum + (byte >> 7), 0);
  const most = Math.max(...guesses.values(), MIN_CONFIDENCE);
  const score = (label: string): number =>
    latinScore(lenient(sample, label)?.text ?? '', CENTRAL.test(label) ? CENTRAL_EUROPE : WESTERN_EUROPE);
  const lead = OLDER_LEAD + OLDER_LEAD_PER_BYTE * bytes;
  // Quotation marks of Windows are letters of the Macintosh, and more files have those.
  const detected = likely === 'macintosh' && score(LAST_RESORT) >= score(likely) ? LAST_RESORT : likely;
  const present = score(detected ?? LAST_RESORT) + lead;
  let best = { label: detected, score: -Infinity };
  for (const label of OLDER_LATIN) {
    const found = score(label);
    const older = { label, score: found + (DETECTOR_PER_BYTE * bytes * (guesses.get(label) ?? 0)) / most };
    if (label !== detected && found > Math.max(WELL_PER_BYTE * bytes, present) && older.score > best.score)
      best = older;
  }
  return best.label;
}

/** Where few bytes decide, the detector's numbers lie close together: then it is the encoding that more files have. */
const WEIGHTS: readonly (readonly [encodings: RegExp, weight: number])[] = [
  [/^windows-1252$/, 1.1],
  [/^(?:macintosh|windows-1258|iso-8859-(?:3|4|10|13|14|16))$/, 0.8],
  [/^(?:x-mac-cyrillic|ibm866)$/, 0.5],
];
/** Of a short word in the right encoding the detector says 0.006; below this it says nothing. */
const MIN_CONFIDENCE = 0.002;

/** How sure the detector is of each encoding that can be read. */
type Confidences = ReadonlyMap<string, number>;

function confidences(
  guesses: readonly { readonly encoding: string | null; readonly confidence: number }[],
): Confidences {
  const all = new Map<string, number>();
  for (const { encoding, confidence } of guesses) {
    const found = encoding?.toLowerCase() ?? '';
    const label = encodingOf(LABELS.get(found) ?? found);
    if (label !== undefined) all.set(label, Math.max(confidence, all.get(label) ?? 0));
  }
  return all;
}

/** The best of the detector's guesses that makes words; `undefined` when none does. */
function mostLikely(guesses: Confidences, sample: Uint8Array): string | undefined {
  return [...guesses]
    .flatMap(([label, confidence]) => {
      // The detector goes by zero bytes alone; what UTF-16 looks like is asked before it, code pages later.
      if (label.startsWith('utf-16') || /^ibm(?:437|85)/.test(label) || confidence < MIN_CONFIDENCE)
        return [];
      const weight = WEIGHTS.find(([encodings]) => encodings.test(label))?.[1] ?? 1;
      return [{ label, score: confidence * weight }];
    })
    .sort((one, other) => other.score - one.score)
    .find(({ label }) => !mixesAlphabets(lenient(sample, label)?.text ?? ''))?.label;
}

/** Alphabets that have no letter of ASCII. */
const FOREIGN = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Thai}]/u;

/**
 * Whether most words of another alphabet have ASCII letters too, as French read as Cyrillic has (`cafй`). No language
 * writes so. Han and kana are left out: they stand beside Latin words without a blank.
 */
function mixesAlphabets(text: string): boolean {
  const words = (text.match(/[\p{L}\p{M}]+/gu) ?? []).filter((word) => FOREIGN.test(word));
  return words.filter((word) => /[a-z]/i.test(word)).length > words.length / 2;
}

/** Units of alphabets from Latin to Mongolian, their punctuation and emoji, without controls. */
const ALPHABETIC = /[\t\n\f\r -~\u00A0-\u1FFF\u2010-\u2026\u{1F000}-\u{1FAFF}]/gu;
/** Han, kana, Hangul, their punctuation and full-width forms, and ASCII between them, which has a NUL each. */
const EAST_ASIAN = /[\t\n\r -~\u2010-\u2026\u3000-\u30FF\u4E00-\u9FFF\uAC00-\uD7A3\uFF00-\uFF65]/g;
/**
 * What other encodings do not show when read as UTF-16: ASCII, which would be a NUL, ideographic stops and commas, and
 * kana. As bytes these begin or end in 30 or FF, which Shift_JIS has no use for.
 */
const UTF16_SIGN = /[\t\n\r -~\u3001\u3002\u3041-\u30FF\uFF01\uFF0C\uFF1F]/;
/** ASCII read as UTF-16 is Han for every pair of letters, so that text with a NUL here and there stays far below. */
const MIN_ALPHABETIC = 0.8;
/** Chinese read in the wrong byte order, and GBK or Shift_JIS read as UTF-16, stay below. */
const MIN_EAST_ASIAN = 0.97;
/** Fewer units than this are as well read as UTF-8 with NULs between the letters: the text is the same. */
const MIN_UNITS = 4;
/** Fewer different letters than this make no word of four. */
const MIN_LETTERS = 3;

/**
 * Whether bytes without a mark are UTF-16 in this order: read so they are an alphabet's text, or East Asian, perhaps
 * with ASCII in between. The latter only where they are no UTF-8: a NUL after each third letter looks the same.
 */
function isUtf16(sample: Uint8Array, label: string, isUtf8: boolean): boolean {
  const text = lenient(sample, label)?.text ?? '';
  if (text.length < MIN_UNITS) return false;
  if (count(text, ALPHABETIC) >= MIN_ALPHABETIC * text.length) return sample.includes(0) || isOneScript(text);
  return !isUtf8 && UTF16_SIGN.test(text) && count(text, EAST_ASIAN) >= MIN_EAST_ASIAN * text.length;
}

/**
 * Whether text without one blank, digit or line end stays in one block of 256 and uses some letters of it, as a word
 * does. Binary bytes of small value, read as UTF-16, repeat one letter or jump between scripts.
 */
function isOneScript(text: string): boolean {
  const blocks = new Map<number, number>();
  for (const character of text) {
    const block = (character.codePointAt(0) ?? 0) >> 8;
    blocks.set(block, (blocks.get(block) ?? 0) + character.length);
  }
  return Math.max(...blocks.values()) >= MIN_ALPHABETIC * text.length && new Set(text).size >= MIN_LETTERS;
}

function count(text: string, characters: RegExp): number {
  return text.match(characters)?.length ?? 0;
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
  const decoder = decoderOf(label, fatal);
  if (decoder === undefined) return undefined;
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch (cause) {
    if (fatal) return undefined;
    // Bytes without meaning are no error here, so the runtime has none left but that its longest string is too short.
    throw tooLong(cause);
  }
  // Where Node throws, Chromium gives an empty string.
  if (text === '' && bytes.length > FITS_BYTES) throw tooLong();
  return { text, encoding: decoder.encoding };
}

/**
 * As many bytes make no string that is too long: V8's longest has 2 ** 29 units, and no encoding makes two of a byte.
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
