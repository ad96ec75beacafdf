// The drawings of a sheet: the text of its shapes, and charts whose values are on no sheet that is read.
import { addChart } from '../../package/charts.ts';
import type { OfficePackage } from '../../package/office.ts';
import { attributeOf, type XmlVisitor } from '../../package/xml.ts';
import type { TreeBuilder } from '../../tree/builder.ts';
import type { Workbook } from './workbook.ts';

/** Charts of a drawing that are looked at. */
const MAX_CHARTS = 1000;

/** Adds the text of a drawing, a paragraph for each of its paragraphs, and then its charts. */
export function addDrawing(
  parts: OfficePackage,
  name: string,
  builder: TreeBuilder,
  workbook: Workbook,
): void {
  const drawing = new DrawingVisitor(builder);
  parts.visit(name, drawing);
  const relationships = parts.relationshipsOf(name);
  for (const id of drawing.charts) {
    const found = relationships.get(id);
    if (found?.isExternal === false && !isOnSheets(parts, found.target, workbook))
      addChart(parts, found.target, builder);
  }
}

/** Passes the text of shapes to the builder while it is read. */
class DrawingVisitor implements XmlVisitor {
  readonly charts: string[] = [];
  readonly #builder: TreeBuilder;
  #isText = false;
  /** Open copies of shapes for older programs. */
  #fallbacks = 0;

  constructor(builder: TreeBuilder) {
    this.#builder = builder;
  }

  open(name: string, written: string): void {
    if (name === 'mc:Fallback') this.#fallbacks++;
    if (this.#fallbacks > 0) return;
    if (name === 'a:t') this.#isText = true;
    else if (name === 'a:br') this.#builder.lineBreak();
    else if (name === 'c:chart' && this.charts.length < MAX_CHARTS)
      this.charts.push(attributeOf(written, 'id'));
  }

  close(name: string): void {
    if (name === 'mc:Fallback') this.#fallbacks--;
    else if (name === 'a:t') this.#isText = false;
    else if (name === 'a:p') this.#builder.boundary();
  }

  text(text: string): void {
    if (this.#isText) this.#builder.text(text);
  }
}

/** True if the values of a chart are on a visible sheet: the reader of the sheets has them already. */
function isOnSheets(parts: OfficePackage, name: string, { sheets }: Workbook): boolean {
  const shown = new Set(sheets.filter(({ isHidden }) => !isHidden).map((sheet) => sheet.name));
  let isReference = false;
  let isShown = false;
  parts.visit(name, {
    open: (element) => (isReference = element === 'c:f'),
    close: () => (isReference = false),
    text: (text) => {
      const sheet = /^\(?'?((?:[^'!]|'')+)'?!/.exec(isReference ? text : '')?.[1]?.replaceAll("''", "'");
      isShown ||= sheet !== undefined && shown.has(sheet);
    },
  });
  return isShown;
}
