// The font table of an RTF file: names, code pages, and how much text is in fonts of a fixed pitch.
import { codePageOf } from './state.ts';

/** Characters of a name that are kept. */
const MAX_NAME = 4000;
/** Names of fonts of a fixed pitch; the family `\fmodern` holds East Asian fonts, too. */
const FIXED = /courier|consolas|\bmono|menlo|monaco|typewriter|lucida console/i;
/** A larger share of such text is a file in that font, such as a letter or a screenplay. */
const MOST_FIXED = 0.9;

interface Font {
  name: string;
  page: number | undefined;
  isFixed: boolean;
}

export class RtfFonts {
  readonly #fonts = new Map<number, Font>();
  readonly #characters = { fixed: 0, all: 0 };

  /** A control word of the table, in the entry of a font. Returns the number of the entry behind it. */
  word(name: string, value: number | undefined, font: number): number {
    const entry = this.#fonts.get(font);
    if (name === 'f') {
      this.#fonts.set(value ?? 0, { name: '', page: undefined, isFixed: false });
      return value ?? 0;
    }
    if (entry !== undefined && name === 'cpg') entry.page = value;
    else if (entry !== undefined && name === 'fcharset') entry.page = codePageOf(value ?? 0);
    return font;
  }

  /** A piece of the name of a font, which ends with a semicolon. */
  addName(font: number, text: string): void {
    const entry = this.#fonts.get(font);
    if (entry === undefined) return;
    entry.name = `${entry.name}${text}`.slice(0, MAX_NAME).replace(/;.*/s, '');
    entry.isFixed = FIXED.test(entry.name);
  }

  nameOf(font: number): string {
    return this.#fonts.get(font)?.name ?? '';
  }

  /** The code page of a font; undefined for that of the file. */
  pageOf(font: number): number | undefined {
    return this.#fonts.get(font)?.page;
  }

  isFixed(font: number): boolean {
    return this.#fonts.get(font)?.isFixed === true;
  }

  /** Counts characters of text in a font. */
  count(font: number, characters: number): void {
    this.#characters.all += characters;
    if (this.isFixed(font)) this.#characters.fixed += characters;
  }

  /** True when most of the counted text is in fonts of a fixed pitch. */
  get isMostlyFixed(): boolean {
    return this.#characters.fixed > MOST_FIXED * this.#characters.all;
  }
}
