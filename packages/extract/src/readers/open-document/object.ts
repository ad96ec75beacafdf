// An object inside an OpenDocument file: a formula, or a chart as its source table.
import type { XmlVisitor } from '../../package/xml.ts';
import { MathVisitor } from './math.ts';
import type { OpenStory } from './story.ts';

/** Cells of a chart's table that are shown. */
const MAX_CELLS = 10_000;

/** Collects an object while it is read. */
export class ObjectVisitor implements XmlVisitor {
  #formula: MathVisitor | undefined;
  #root = '';
  #title = '';
  readonly #rows: { readonly isHeader: boolean; readonly cells: string[] }[] = [];
  readonly #path: string[] = [];
  /** Number of open elements of each name. */
  readonly #inside = new Map<string, number>();
  #cells = 0;

  open(name: string, written: string): void {
    if (this.#root === '') {
      this.#root = name;
      if (name === 'math:math' || name === 'math') this.#formula = new MathVisitor();
    } else this.#formula?.open(name, written);
    this.#path.push(name);
    this.#count(name, 1);
    if (name === 'table:table-row')
      this.#rows.push({ isHeader: this.#isIn('table:table-header-rows'), cells: [] });
    else if (name === 'table:table-cell' && ++this.#cells <= MAX_CELLS) this.#rows.at(-1)?.cells.push('');
  }

  close(name: string): void {
    this.#path.pop();
    this.#count(name, -1);
    if (this.#path.length > 0) this.#formula?.close(name);
  }

  text(text: string): void {
    this.#formula?.text(text);
    if (!this.#isIn('text:p') || this.#isIn('office:annotation')) return;
    const cells = this.#rows.at(-1)?.cells;
    if (this.#isIn('table:table-cell')) {
      if (cells !== undefined && cells.length > 0 && this.#cells <= MAX_CELLS)
        cells[cells.length - 1] = `${cells.at(-1) ?? ''}${text}`;
    } else if (this.#isIn('chart:title')) this.#title += text;
  }

  #count(name: string, by: number): void {
    this.#inside.set(name, (this.#inside.get(name) ?? 0) + by);
  }

  #isIn(name: string): boolean {
    return (this.#inside.get(name) ?? 0) > 0;
  }

  /** Adds it to a story. Returns false for an object of another kind. */
  addTo(story: OpenStory): boolean {
    if (this.#formula !== undefined) {
      story.write(this.#formula.markdown());
      return true;
    }
    if (this.#rows.length === 0) return false;
    const { builder, isInParagraph } = story;
    if (isInParagraph) builder.openAside();
    builder.text(this.#title);
    builder.boundary();
    builder.openTable();
    for (const [index, { isHeader, cells }] of this.#rows.entries()) {
      const header = isHeader || index === 0;
      builder.openRow({ header });
      for (const cell of cells) {
        builder.openCell({ header });
        builder.text(cell === 'NaN' ? '' : cell);
        builder.close();
      }
      builder.close();
    }
    builder.close();
    if (isInParagraph) builder.closeAside();
    return true;
  }
}
