// The addresses that a page links to, by the characters under its link annotations. Links within the file, to other
// files and to scripts are left out; no address is fetched.
import { linkTarget } from '../../../tree/links.ts';
import type { LinkRange } from '../../../tree/glyphs.ts';
import { withBuffer, type Pdfium } from './engine.ts';
import { turnShapes, type Shape } from './rules.ts';

/** The place of a link on its page. */
export interface LinkArea extends Shape {
  readonly href: string;
}

/** Kind of an action (fpdf_doc.h). */
const URI = 3;
/** Most links of a page whose places are read, and most annotations of a page that is searched for them. */
const MAX_LINKS = 2000;
const MAX_ANNOTATIONS = 20_000;
const MAX_QUADS = 100;
/** More bytes than the longest target has. */
const MAX_BYTES = 8192;
/** Two pointers, then a rectangle (4 floats) or a quadrilateral (8 floats). */
const FLOATS = 8;
const SCRATCH_BYTES = FLOATS + 8 * Float32Array.BYTES_PER_ELEMENT;

/** The links of a page to addresses; `known` has those of the file, so that each is kept once. */
export function readLinks(
  pdfium: Pdfium,
  document: number,
  page: number,
  known: Map<string, string>,
): LinkArea[] {
  const { call } = pdfium;
  const annotations = call.FPDFPage_GetAnnotCount(page);
  if (annotations <= 0 || annotations > MAX_ANNOTATIONS) return [];
  const areas: LinkArea[] = [];
  withBuffer(pdfium, SCRATCH_BYTES, (buffer) => {
    pdfium.view(buffer, SCRATCH_BYTES).fill(0);
    while (areas.length < MAX_LINKS && call.FPDFLink_Enumerate(page, buffer, buffer + 4)) {
      const bytes = pdfium.view(buffer + 4, 4);
      const link = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
      const target = targetOf(pdfium, document, link);
      if (target === '') continue;
      const href = known.get(target) ?? target;
      known.set(target, href);
      for (const shape of shapesOf(pdfium, link, buffer + FLOATS)) areas.push({ ...shape, href });
    }
  });
  return areas;
}

function targetOf(pdfium: Pdfium, document: number, link: number): string {
  const { call } = pdfium;
  const action = call.FPDFLink_GetAction(link);
  if (action === 0 || call.FPDFAction_GetType(action) !== URI) return '';
  const size = call.FPDFAction_GetURIPath(document, action, 0, 0);
  if (size <= 1 || size > MAX_BYTES) return '';
  return withBuffer(pdfium, size, (buffer) => {
    call.FPDFAction_GetURIPath(document, action, buffer, size);
    return linkTarget(new TextDecoder().decode(pdfium.view(buffer, size - 1)));
  });
}

/** The quadrilaterals of a link, one a line; its rectangle when it has none. */
function shapesOf(pdfium: Pdfium, link: number, buffer: number): Shape[] {
  const { call } = pdfium;
  const shapes: Shape[] = [];
  const quads = Math.min(MAX_QUADS, call.FPDFLink_CountQuadPoints(link));
  for (let at = 0; at < quads; at++)
    if (call.FPDFLink_GetQuadPoints(link, at, buffer)) shapes.push(shapeOf(floatsAt(pdfium, buffer, 8)));
  const found = shapes.filter(({ left, right, bottom, top }) => right > left && top > bottom);
  if (found.length > 0 || !call.FPDFLink_GetAnnotRect(link, buffer)) return found;
  return [shapeOf(floatsAt(pdfium, buffer, 4))];
}

function floatsAt(pdfium: Pdfium, buffer: number, count: number): readonly number[] {
  const bytes = pdfium.view(buffer, count * Float32Array.BYTES_PER_ELEMENT).slice();
  return [...new Float32Array(bytes.buffer)];
}

/** The extent of points, x and y in turn. */
function shapeOf(points: readonly number[]): Shape {
  const [xs, ys] = [0, 1].map((axis) => points.filter((_, at) => at % 2 === axis));
  return {
    left: Math.min(...(xs ?? [])),
    right: Math.max(...(xs ?? [])),
    bottom: Math.min(...(ys ?? [])),
    top: Math.max(...(ys ?? [])),
  };
}

/** A word as far as it concerns links. */
interface PlacedWord {
  readonly start: number;
  readonly length: number;
  readonly left: number;
  readonly right: number;
  readonly baseline: number;
  readonly size: number;
}

/** The height above the base line at which a word is touched, in font sizes. */
const MIDDLE = 0.25;
/** Points that a word may stand out of the area of its link. */
const REACH = 1.5;

/**
 * The links of a page by its characters: words on one link, and neighbours on links to one address, are one range.
 *
 * @param centreOf the middle of a character along its line
 */
export function linkRanges(
  words: readonly PlacedWord[],
  areas: readonly LinkArea[],
  quarterTurns: number,
  centreOf: (offset: number) => number,
): LinkRange[] {
  const ranges: LinkRange[] = [];
  const turned = turnShapes(areas, quarterTurns).map((shape, at) => ({
    ...shape,
    href: areas[at]?.href ?? '',
  }));
  let before = -1;
  for (const word of words) {
    const parts = turned.flatMap((area) => partOn(word, area, centreOf)).sort((a, b) => a.start - b.start);
    for (const part of parts) {
      const last = ranges.at(-1);
      if (last !== undefined && part.start < last.end) continue;
      const goesOn = last?.href === part.href && last.end === before && part.start === word.start;
      if (goesOn) ranges[ranges.length - 1] = { ...last, end: part.end };
      else ranges.push(part);
    }
    before = word.start + word.length;
  }
  return ranges;
}

/** The part of a word that stands on the area of a link. */
function partOn(word: PlacedWord, area: LinkArea, centreOf: (offset: number) => number): LinkRange[] {
  const height = word.baseline + MIDDLE * word.size;
  if (height < area.bottom || height > area.top || word.right <= area.left || word.left >= area.right)
    return [];
  const { start, length, left, right } = word;
  const { href } = area;
  const isInside = left >= area.left - REACH && right <= area.right + REACH;
  const centre = (left + right) / 2;
  if (isInside && centre > area.left && centre < area.right) return [{ start, end: start + length, href }];
  const isOn = (offset: number): boolean => {
    const middle = centreOf(offset);
    return middle > area.left && middle < area.right;
  };
  let [from, to] = [start, start + length];
  while (from < to && !isOn(from)) from++;
  while (to > from && !isOn(to - 1)) to--;
  return from < to ? [{ start: from, end: to, href }] : [];
}
