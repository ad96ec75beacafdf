// Ligatures by the names that fonts give them ("f_f_i", "T_h", "uni00660069"): the letters of their parts (Adobe Glyph
// List Specification, section 2). PDFium reads the names of single letters alone.
import { latin1 } from '../../../bytes.ts';
import { MAX_UNPACKED, objectStreamAt, objectsIn, OBJECT_STREAM, unpackStream } from './object-streams.ts';

/** Letters by their codes. */
export type Ligatures = ReadonlyMap<number, string>;

const DIFFERENCES = '/Differences';
const BASE_FONT = '/BaseFont';

/** A code that is one ligature in one subset and another in another. */
const CONTRADICTION = '\uFFFD';

/** A dictionary of a file. */
interface Dictionary {
  readonly number: string;
  readonly text: string;
}

/**
 * The ligatures of the fonts of a file by their names without the marks of subsets. Subsets of one font may have
 * encodings of their own: a code that is a single letter in another is no question, because PDFium reads that letter.
 * Linear in the bytes.
 */
export function ligaturesOf(bytes: Uint8Array): ReadonlyMap<string, Ligatures> {
  const dictionaries = dictionariesOf(bytes);
  const encodings = new Map(
    dictionaries
      .filter(({ text }) => text.includes(DIFFERENCES))
      .map(({ number, text }) => [number, differencesOf(text)]),
  );
  const fonts = new Map<string, Map<number, string>>();
  for (const { number, text } of dictionaries) {
    const [, font] = /\/BaseFont\s*\/(?:[A-Z]{6}\+)?([^\s/[\]<>()]+)/.exec(text) ?? [];
    if (font === undefined) continue;
    const [, encoding = number] = /\/Encoding\s+(\d{1,10})\s/.exec(text) ?? [];
    const ligatures = fonts.get(font) ?? new Map<number, string>();
    for (const [code, letters] of encodings.get(encoding) ?? [])
      ligatures.set(code, [letters, undefined].includes(ligatures.get(code)) ? letters : CONTRADICTION);
    if (ligatures.size > 0) fonts.set(font, ligatures);
  }
  return fonts;
}

/** The dictionaries that may be those of fonts or encodings, in the file and in its object streams. */
function dictionariesOf(bytes: Uint8Array): Dictionary[] {
  const source = latin1(bytes);
  const plain = source.split('endobj').flatMap((text) => {
    if (!isWanted(text)) return [];
    const start = Array.from(text.matchAll(/(\d{1,10})\s+\d{1,5}\s+obj\b/g)).at(-1);
    return start === undefined ? [] : [{ number: start[1] ?? '', text: text.slice(start.index) }];
  });
  let left = MAX_UNPACKED;
  for (let at = source.indexOf(OBJECT_STREAM); at !== -1 && left > 0;) {
    const stream = objectStreamAt(bytes, at);
    const text = stream && unpackStream(stream, left);
    left -= text?.length ?? 0;
    if (stream !== undefined && text !== undefined && isWanted(text)) {
      const objects = objectsIn(text, stream.first);
      let done = 0;
      objects.forEach(({ number, at: from }, index) => {
        // Offsets of damaged files may go back.
        if (from < done) return;
        const own = text.slice(from, objects[index + 1]?.at);
        done = from + own.length;
        if (isWanted(own)) plain.push({ number, text: own });
      });
    }
    at = source.indexOf(OBJECT_STREAM, Math.max(at + 1, stream?.end ?? 0));
  }
  return plain;
}

function isWanted(text: string): boolean {
  return text.includes(DIFFERENCES) || text.includes(BASE_FONT);
}

/** `/Differences[44/comma 128/f_i/f_f_i]`: codes, each with the names from it on. */
function differencesOf(text: string): Ligatures {
  const from = text.indexOf('[', text.indexOf(DIFFERENCES));
  const names = from === -1 ? '' : text.slice(from + 1, text.indexOf(']', from));
  const ligatures = new Map<number, string>();
  let code = 0;
  for (const [token] of names.matchAll(/\d+|\/[^\s/]+/g)) {
    if (!token.startsWith('/')) code = Number(token);
    else if (code < CODES) {
      const letters = lettersOf(token.slice(1));
      if (letters.length > 1) ligatures.set(code, letters);
      code++;
    }
  }
  return ligatures;
}

/** Codes of encodings have one byte. */
const CODES = 256;
/** Most letters of one name. */
const MAX_LETTERS = 8;

/** The letters of a ligature by its name, without the mark of a variant behind a full stop; empty for other names. */
function lettersOf(name: string): string {
  const [stem = ''] = name.split('.');
  const parts = stem.split('_');
  if (parts.length > MAX_LETTERS) return '';
  const letters = parts.map((part) => {
    if (/^\p{L}$/u.test(part)) return part;
    const units = /^uni((?:[0-9A-F]{4})+)$/.exec(part)?.[1]?.match(/.{4}/g) ?? [];
    return String.fromCharCode(...units.slice(0, MAX_LETTERS).map((unit) => Number.parseInt(unit, 16)));
  });
  return letters.every((letter) => /^\p{L}+$/u.test(letter)) ? letters.join('') : '';
}
