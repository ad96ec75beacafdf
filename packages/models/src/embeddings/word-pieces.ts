// Cuts a text into word pieces as BERT's uncased models do: lower case, no accents, words and marks apart, each word
// the longest pieces of the vocabulary from its beginning on. ASCII has a fast path, and words are cached.

/** The piece that stands for a word the vocabulary cannot spell. */
const UNKNOWN = '[UNK]';
/** A word longer than this counts as unknown. */
const LONGEST_WORD = 100;
/** Most words in the cache; a book has about 20,000. */
const MOST_REMEMBERED = 100_000;
/** Prefix of pieces that continue a word. */
const CONTINUES = '##';

/**
 * Matches marks that are words of their own: all of ASCII that is neither letter nor digit, and Unicode's punctuation.
 */
const MARK = /[\p{P}$+<=>^`|~]/u;
/** Matches ideographs, which are words of their own as well. */
const IDEOGRAPH =
  /[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{2a6df}\u{2a700}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/u;
const BLANK = /\s/u;
/**
 * Matches characters that are dropped: controls, joiners and what is no character. Tabs and line ends count as blanks.
 */
const NOTHING = /[\p{Cc}\p{Cf}\p{Cs}\ufffd]/u;

const LETTER = 1;
const CAPITAL = 2;
const SPACE = 3;
const SIGN = 4;
/** The kind of each ASCII unit; 0 for controls. */
const ASCII_KINDS = Uint8Array.from({ length: 128 }, (_, unit) => {
  const character = String.fromCharCode(unit);
  if (BLANK.test(character)) return unit === 0x0b || unit === 0x0c ? 0 : SPACE;
  if (/[a-z0-9]/.test(character)) return LETTER;
  if (/[A-Z]/.test(character)) return CAPITAL;
  return unit > 0x20 && unit < 0x7f ? SIGN : 0;
});

/** Cuts texts into the pieces of one vocabulary. */
export class WordPieces {
  readonly #indexes: ReadonlyMap<string, number>;
  readonly #unknown: readonly number[];
  readonly #words = new Map<string, readonly number[]>();

  /** @param pieces the vocabulary; the position of a piece is its index */
  constructor(pieces: readonly string[]) {
    // Filled one by one: a map made from pairs or by entries() makes an array for each piece, and the first call twice
    // as slow.
    const indexes = new Map<string, number>();
    let index = 0;
    for (const piece of pieces) indexes.set(piece, index++);
    this.#indexes = indexes;
    this.#unknown = [this.#indexes.get(UNKNOWN) ?? 0];
  }

  /** Indexes of the pieces of a text, in order. */
  of(text: string): number[] {
    const found: number[] = [];
    for (let at = 0, end = text.length; at < end;) {
      const kind = ASCII_KINDS[text.charCodeAt(at)];
      const from = at++;
      if (kind === undefined) {
        // Read again from the beginning of the word: an accent may follow letters of ASCII.
        at = wordEnd(text, at);
        this.#addUnicode(text.slice(from, at), found);
      } else if (kind === SIGN) this.#add(text.charAt(from), found);
      else if (kind === LETTER || kind === CAPITAL) {
        let capital = kind === CAPITAL;
        let next: number | undefined;
        while ((next = ASCII_KINDS[text.charCodeAt(at)]) === LETTER || next === CAPITAL) {
          if (next === CAPITAL) capital = true;
          at++;
        }
        // NaN, behind the end, has no kind either.
        if (at < end && (next === undefined || next === 0)) {
          at = wordEnd(text, at);
          this.#addUnicode(text.slice(from, at), found);
        } else {
          const word = text.slice(from, at);
          this.#add(capital ? word.toLowerCase() : word, found);
        }
      } else if (kind === 0) {
        at = wordEnd(text, at);
        this.#addUnicode(text.slice(from, at), found);
      }
    }
    return found;
  }

  #addUnicode(raw: string, found: number[]): void {
    let word = '';
    const close = (): void => {
      if (word !== '') this.#add(word, found);
      word = '';
    };
    for (const character of raw
      .toLowerCase()
      .normalize('NFD')
      .replaceAll(/\p{Mn}/gu, '')) {
      if (MARK.test(character) || IDEOGRAPH.test(character)) {
        close();
        this.#add(character, found);
      } else if (BLANK.test(character) && !/[\v\f]/.test(character)) close();
      else if (!NOTHING.test(character)) word += character;
    }
    close();
  }

  #add(word: string, found: number[]): void {
    let pieces = this.#words.get(word);
    if (pieces === undefined) {
      pieces = this.#spell(word);
      if (this.#words.size >= MOST_REMEMBERED) this.#words.clear();
      this.#words.set(word, pieces);
    }
    for (const piece of pieces) found.push(piece);
  }

  #spell(word: string): readonly number[] {
    if (word.length > LONGEST_WORD && Array.from(word).length > LONGEST_WORD) return this.#unknown;
    const pieces: number[] = [];
    for (let at = 0; at < word.length;) {
      let end = word.length;
      let piece: number | undefined;
      while (end > at) {
        const part = word.slice(at, end);
        piece = this.#indexes.get(at === 0 ? part : CONTINUES + part);
        if (piece !== undefined) break;
        end--;
      }
      if (piece === undefined) return this.#unknown;
      pieces.push(piece);
      at = end;
    }
    return pieces;
  }
}

/** The end of the units that belong together: the next blank or mark of ASCII. */
function wordEnd(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at++) {
    const kind = ASCII_KINDS[text.charCodeAt(at)];
    if (kind === SPACE || kind === SIGN) break;
  }
  return at;
}
