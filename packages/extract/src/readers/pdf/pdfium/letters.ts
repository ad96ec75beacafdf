// Letters that PDFium reads otherwise than the page shows them, by the evidence of places and fonts: maps in UTF-8,
// ligatures from right to left, letters printed twice. The text keeps its length.
import { LEFT_OUT } from './accents.ts';
import { withBuffer, type Pdfium } from './engine.ts';

/** The characters of a page, mended. Linear. */
export function mendLetters(pdfium: Pdfium, text: number, characters: string): string {
  const decoded = decodeMisread(characters);
  const mends = [turnLigatures, leaveOutTwins].filter(({ sign }) => sign.test(decoded));
  // Most pages need none.
  if (mends.length === 0) return decoded;
  return withBuffer(pdfium, 4 * Float64Array.BYTES_PER_ELEMENT, (buffer) => {
    const page = new Glyphs(pdfium, text, buffer);
    return mends.reduce((some, { mend }) => mend(page, some), decoded);
  });
}

/** A change of letters, and the sign in a text that it may be needed. */
interface Mend {
  readonly sign: RegExp;
  readonly mend: (page: Glyphs, characters: string) => string;
}

// --- Maps to Unicode in UTF-8

const HANGUL = /[\uAC00-\uD7A3]/g;
/** So many different letters of a page show that its Hangul is none: each has the form by chance one time in eight. */
const LEAST_LETTERS = 5;

/**
 * Letters of maps that were written in UTF-8 in place of UTF-16: the two bytes of a Cyrillic, Greek, Hebrew or Latin
 * letter (C2 to D7, then 80 to BF) are then a syllable of Hangul. All syllables of the page have that form.
 */
function decodeMisread(characters: string): string {
  const syllables = new Set(characters.match(HANGUL));
  if (syllables.size < LEAST_LETTERS) return characters;
  const isPair = (syllable: string): boolean => {
    const unit = syllable.charCodeAt(0);
    return unit >= 0xc280 && (unit & 0xc0) === 0x80;
  };
  if (![...syllables].every(isPair)) return characters;
  return characters.replace(HANGUL, (syllable) => {
    const unit = syllable.charCodeAt(0);
    return String.fromCharCode(((unit >> 2) & 0x7c0) | (unit & 0x3f));
  });
}

// --- Ligatures from right to left

/**
 * Lam with alef is one glyph, and alef with lam never is: one glyph that reads as alef and lam has its letters in the
 * order of the page.
 */
const turnLigatures: Mend = {
  sign: /[\u0622\u0623\u0625\u0627]\u0644/,
  mend: (page, characters) =>
    replaceEach(characters, /[\u0622\u0623\u0625\u0627]\u0644/g, (letters, at) =>
      page.areOne(at, at + 1) ? `${letters[1] ?? ''}${letters[0] ?? ''}` : letters,
    ),
};

// --- Letters printed twice

/** Twins stand closer than this share of the distance from one pair to the next. */
const TWIN = 0.35;

/** Letters that are printed twice to be bold: each stands right beside its twin, and the next pair further away. */
const leaveOutTwins: Mend = {
  sign: /(?:([^\s.…_-])\1){3}/u,
  mend: (page, characters) =>
    replaceEach(characters, /(?:([^\s.…_-])\1){3,}/gu, (letters, at) => {
      const units = letters.length / 2;
      const pairs = Array.from(letters).length / 2;
      const step = units / pairs;
      const placeOf = (index: number): readonly [number, number] => page.origin(at + index * step);
      const isTwin = (pair: number): boolean => {
        const [first, twin] = [placeOf(2 * pair), placeOf(2 * pair + 1)];
        const other = placeOf(2 * (pair + 1 < pairs ? pair + 1 : pair - 1));
        return distance(first, twin) < TWIN * distance(first, other);
      };
      // Most runs end at the first pair.
      for (let pair = 0; pair < pairs; pair++) if (!isTwin(pair)) return letters;
      return letters.replace(/(.)\1/gsu, (_, letter: string) => letter + LEFT_OUT.repeat(letter.length));
    }),
};

function distance(a: readonly [number, number], b: readonly [number, number]): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1]);
}

// --- The page

/** Replaces by offset; each result is as long as the part that it replaces. */
function replaceEach(
  characters: string,
  pattern: RegExp,
  replace: (part: string, at: number) => string,
): string {
  return characters.replace(pattern, (part, ...rest) =>
    replace(part, Number(rest.find((one) => typeof one === 'number'))),
  );
}

/** Facts about single characters of a page, by their offsets. */
class Glyphs {
  readonly #pdfium: Pdfium;
  readonly #text: number;
  readonly #buffer: number;

  constructor(pdfium: Pdfium, text: number, buffer: number) {
    this.#pdfium = pdfium;
    this.#text = text;
    this.#buffer = buffer;
  }

  #index(at: number): number {
    return this.#pdfium.call.FPDFText_GetCharIndexFromTextIndex(this.#text, at);
  }

  /** Left, right, bottom and top. */
  #box(at: number): readonly number[] {
    const { call } = this.#pdfium;
    const buffer = this.#buffer;
    call.FPDFText_GetCharBox(this.#text, this.#index(at), buffer, buffer + 8, buffer + 16, buffer + 24);
    return this.#doubles(4);
  }

  #doubles(count: number): readonly number[] {
    const bytes = this.#pdfium.view(this.#buffer, count * Float64Array.BYTES_PER_ELEMENT);
    return Array.from(new Float64Array(bytes.slice().buffer));
  }

  origin(at: number): readonly [number, number] {
    this.#pdfium.call.FPDFText_GetCharOrigin(this.#text, this.#index(at), this.#buffer, this.#buffer + 8);
    const [x = 0, y = 0] = this.#doubles(2);
    return [x, y];
  }

  /** True if two characters are one glyph. */
  areOne(first: number, second: number): boolean {
    const [a, b] = [this.#box(first), this.#box(second)];
    return a.every((edge, index) => edge === b[index]);
  }
}
