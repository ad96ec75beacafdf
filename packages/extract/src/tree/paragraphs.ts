// The numbers of a source's paragraphs on their way to the text: they take the way of the characters of pages, as
// ranges without characters, whose page is the number of a paragraph.
import type { DocumentParagraphs } from '@grainline/core';
import type { GlyphRange, WithGlyphs } from './glyphs.ts';
import type { TextPlaces } from './placement.ts';

const NONE = { characters: '', edges: new Int32Array(), words: [], turns: [], extents: [] };

/** The mark of a node that begins in a paragraph. */
export function paragraphMark(number: number): WithGlyphs {
  return { glyphs: [{ glyphs: { ...NONE, page: number }, start: 0, end: 0 }] };
}

/** Gathers where the paragraphs of a source begin in its text. */
export class ParagraphStarts implements TextPlaces {
  readonly #starts: number[] = [];
  readonly #numbers: number[] = [];

  add(offset: number, _: unknown, [first]: readonly GlyphRange[]): void {
    if (first === undefined) return;
    this.#starts.push(offset);
    this.#numbers.push(first.glyphs.page);
  }

  finish(): DocumentParagraphs {
    return { starts: Uint32Array.from(this.#starts), numbers: Uint32Array.from(this.#numbers) };
  }
}
