// Detects the encoding of bytes without a byte order mark: UTF-16 by its form, the others by their letters. Only bytes
// that are not UTF-8 load the detector.
import { CENTRAL_EUROPE, latinScore, WESTERN_EUROPE } from './latin.ts';
import { encodingOf, LAST_RESORT, lenient, markedEncoding } from './decoder.ts';

/** Enough for correct detection on every text of the 54-file set; detection is linear in the sample. */
const SAMPLE_BYTES = 64 * 1024;
/** The sample begins this far before the first byte outside ASCII, so that it contains the words around the byte. */
const SAMPLE_CONTEXT = 256;

/** Names of the detector for encodings that `TextDecoder` names differently. */
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

/**
 * The most likely encoding of the bytes, as `TextDecoder` names it; `undefined` when they are no text.
 *
 * @param isUtf8 true if the bytes are valid UTF-8
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

/** Encodings that the detector hardly distinguishes from the others. */
const OLDER_LATIN = ['macintosh', 'ibm850', 'ibm437', 'ibm852'] as const;
const CENTRAL = /^(?:ibm852|windows-125[047]|iso-8859-(?:2|3|4|9|10|13|16))$/;

/** An older encoding must score this much better, and this much for each byte outside ASCII. */
const OLDER_ADVANTAGE = 3;
const OLDER_ADVANTAGE_PER_BYTE = 0.5;
/**
 * Least score for each byte of letters in the right encoding: letters of another script, or of a table of signs, score
 * less.
 */
const WELL_PER_BYTE = 1;
/** Weight of the detector's score for each byte, between encodings in which the letters score equally. */
const DETECTOR_PER_BYTE = 2;

/**
 * The encoding of a text in Latin letters: the detector's, unless its letters and signs stand in impossible positions
 * and an older encoding scores well. `undefined` without any significant letter or sign.
 */
function latinOf(sample: Uint8Array, likely: string | undefined, guesses: Confidences): string | undefined {
  const bytes = sample.reduce((sum, byte) => sum + (byte >> 7), 0);
  const most = Math.max(...guesses.values(), MIN_CONFIDENCE);
  const score = (label: string): number =>
    latinScore(lenient(sample, label)?.text ?? '', CENTRAL.test(label) ? CENTRAL_EUROPE : WESTERN_EUROPE);
  const advantage = OLDER_ADVANTAGE + OLDER_ADVANTAGE_PER_BYTE * bytes;
  // Quotation marks of Windows are letters of the Macintosh, and more files have the former.
  const detected = likely === 'macintosh' && score(LAST_RESORT) >= score(likely) ? LAST_RESORT : likely;
  const present = score(detected ?? LAST_RESORT) + advantage;
  let best = { label: detected, score: -Infinity };
  for (const label of OLDER_LATIN) {
    const found = score(label);
    const older = { label, score: found + (DETECTOR_PER_BYTE * bytes * (guesses.get(label) ?? 0)) / most };
    if (label !== detected && found > Math.max(WELL_PER_BYTE * bytes, present) && older.score > best.score)
      best = older;
  }
  return best.label;
}

/** With few decisive bytes the detector's numbers lie close together: then the more common encoding wins. */
const WEIGHTS: readonly (readonly [encodings: RegExp, weight: number])[] = [
  [/^windows-1252$/, 1.1],
  [/^(?:macintosh|windows-1258|iso-8859-(?:3|4|10|13|14|16))$/, 0.8],
  [/^(?:x-mac-cyrillic|ibm866)$/, 0.5],
];
/** The detector gives a short word in the right encoding 0.006; lower values mean nothing. */
const MIN_CONFIDENCE = 0.002;

/** The detector's confidence in each encoding that can be decoded. */
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

/** The best of the detector's guesses that gives words; `undefined` when none does. */
function mostLikely(guesses: Confidences, sample: Uint8Array): string | undefined {
  return [...guesses]
    .flatMap(([label, confidence]) => {
      // The detector uses zero bytes alone; the UTF-16 check runs before it, the code pages later.
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
 * True if most words of another alphabet also have ASCII letters, as French read as Cyrillic has (`cafй`). No language
 * writes so. Han and kana are exempt: they stand beside Latin words without a blank.
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
 * Characters that other encodings do not produce when read as UTF-16: ASCII, which would be a NUL, ideographic stops
 * and commas, and kana. As bytes these begin or end in 30 or FF, which Shift_JIS does not use.
 */
const UTF16_SIGN = /[\t\n\r -~\u3001\u3002\u3041-\u30FF\uFF01\uFF0C\uFF1F]/;
/** ASCII read as UTF-16 is Han for every pair of letters, so that text with a NUL here and there stays far below. */
const MIN_ALPHABETIC = 0.8;
/** Chinese read in the wrong byte order, and GBK or Shift_JIS read as UTF-16, stay below. */
const MIN_EAST_ASIAN = 0.97;
/** Shorter texts are as well read as UTF-8 with NULs between the letters: the text is the same. */
const MIN_UNITS = 4;
/** Fewer different letters than this make no word of four. */
const MIN_LETTERS = 3;

/**
 * True if bytes without a mark are UTF-16 in this order: read so they are text in an alphabet, or in East Asian script,
 * perhaps with ASCII in between. The latter counts only if they are no UTF-8: a NUL after each third letter looks the
 * same.
 */
function isUtf16(sample: Uint8Array, label: string, isUtf8: boolean): boolean {
  const text = lenient(sample, label)?.text ?? '';
  if (text.length < MIN_UNITS) return false;
  if (count(text, ALPHABETIC) >= MIN_ALPHABETIC * text.length) return sample.includes(0) || isOneScript(text);
  return !isUtf8 && UTF16_SIGN.test(text) && count(text, EAST_ASIAN) >= MIN_EAST_ASIAN * text.length;
}

/**
 * True if text without one blank, digit or line end stays in one block of 256 and uses several of its letters, as a
 * word does. Binary bytes of small value, read as UTF-16, repeat one letter or jump between scripts.
 */
function isOneScript(text: string): boolean {
  const blocks = new Map<number, number>();
  for (const character of text) {
    const block = (character.codePointAt(0) ?? 0) >> 8;
    blocks.set(block, (blocks.get(block) ?? 0) + character.length);
  }
  return Math.max(...blocks.values()) >= MIN_ALPHABETIC * text.length && new Set(text).size >= MIN_LETTERS;
}

/** Number of matches in a text. */
export function count(text: string, characters: RegExp): number {
  return text.match(characters)?.length ?? 0;
}

/** 64 KiB that begin shortly before the first byte outside ASCII: a long English preface must not decide. */
function sampleOf(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= SAMPLE_BYTES) return bytes;
  let first = 0;
  while (first < bytes.length && (bytes[first] ?? 0) < 0x80) first++;
  const start = first === bytes.length ? 0 : Math.max(0, first - SAMPLE_CONTEXT);
  // An even start keeps the halves of UTF-16 units together.
  return bytes.subarray(start - (start % 2), start + SAMPLE_BYTES);
}
