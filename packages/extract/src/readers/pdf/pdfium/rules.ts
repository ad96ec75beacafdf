// The drawings of a page that structure its text: ruling lines, which are the straight edges, horizontal or vertical,
// of its paths, dots, and the extents of all drawings and pictures.
import { dotOf, type Dot } from './dots.ts';
import { turnPoint } from './turns.ts';
import { withBuffer, type Pdfium } from './engine.ts';
import { Scratch, SCRATCH_BYTES } from './scratch.ts';

/** A horizontal or vertical line, in the coordinates of the lines of text. */
export interface Rule {
  readonly isLevel: boolean;
  /** Its height if horizontal, else its distance from the left; in points. */
  readonly at: number;
  /** Its ends, from the left if horizontal, else from below. */
  readonly from: number;
  readonly to: number;
}

/** The extent of a drawing or a picture, in the coordinates of the lines of text. */
export interface Shape {
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
  readonly top: number;
  readonly isPicture?: boolean;
}

/** The drawings of a page. */
export interface Drawn {
  readonly rules: readonly Rule[];
  readonly dots: readonly Dot[];
  readonly shapes: readonly Shape[];
}

/**
 * Most paths of a page to read: tables have some hundred, and only maps and plots have thousands. Objects have a limit
 * of their own, because some programs write each letter as one.
 */
const MAX_PATHS = 4000;
const MAX_OBJECTS = 50_000;
/** Most edges and dots of one page, and most segments of one path. */
const MAX_RULES = 2000;
const MAX_DOTS = 1000;
const MAX_SHAPES = 4000;
/** Most pictures of one page whose extents are read: they are compared with words and captions. */
const MAX_PICTURES = 1000;
const MAX_SEGMENTS = 400;
/** A path no wider than this is a line, even when it is drawn as a filled rectangle. */
const THIN = 3;
/** Shorter edges are dashes, ticks and the corners of letters. */
const MIN_LENGTH = 8;

/** Kinds of page objects and of path segments (fpdfview.h, fpdf_edit.h). */
const TEXT = 1;
const PATH = 2;
const IMAGE = 3;
const FORM = 5;
const LINE_TO = 0;
const MOVE_TO = 2;

/** Objects that are drawn one after the other: those of a page, or of a form (a piece of page that is drawn as one). */
interface Objects {
  readonly count: number;
  readonly at: (index: number) => number;
}

/** The remaining work for a page. */
interface Budget {
  objects: number;
  paths: number;
  pictures: number;
}

/** Reads the ruling lines and dots of a page, before it is turned. */
export function readDrawn(pdfium: Pdfium, page: number): Drawn {
  const { call } = pdfium;
  const own: Objects = {
    count: call.FPDFPage_CountObjects(page),
    at: (index) => call.FPDFPage_GetObject(page, index),
  };
  return withBuffer(pdfium, SCRATCH_BYTES, (pointer) => {
    const scratch = new Scratch(pdfium, pointer);
    const budget = { objects: MAX_OBJECTS, paths: MAX_PATHS, pictures: MAX_PICTURES };
    const { rules, dots, shapes, forms, hasText } = readObjects(pdfium, own, scratch, budget);
    // Figures are forms on a page of text, with axes that separate nothing. Some programs make one of the whole page.
    if (hasText) return { rules, dots, shapes: [...shapes, ...shapesOf(pdfium, forms, scratch)] };
    return withForms(pdfium, { rules, dots, shapes, forms }, scratch, budget, MAX_FORM_DEPTH);
  });
}

interface Collected {
  readonly rules: Rule[];
  readonly dots: Dot[];
  readonly shapes: Shape[];
  /** Forms among the objects, by their handles. */
  readonly forms: readonly number[];
}

function readObjects(
  pdfium: Pdfium,
  { count, at }: Objects,
  scratch: Scratch,
  budget: Budget,
): Collected & { readonly hasText: boolean } {
  const { call } = pdfium;
  const rules: Rule[] = [];
  const dots: Dot[] = [];
  const shapes: Shape[] = [];
  const forms: number[] = [];
  let hasText = false;
  for (let index = 0; index < count && budget.objects > 0 && budget.paths > 0; index++, budget.objects--) {
    if (rules.length >= MAX_RULES) break;
    const object = at(index);
    const type = call.FPDFPageObj_GetType(object);
    if (type === TEXT) hasText = true;
    else if (type === FORM) forms.push(object);
    else if (type === IMAGE && budget.pictures-- > 0)
      for (const shape of shapesOf(pdfium, [object], scratch)) shapes.push({ ...shape, isPicture: true });
    else if (type === PATH) {
      budget.paths--;
      readPath(pdfium, object, scratch, { rules, dots, shapes });
    }
  }
  return { rules, dots, shapes, forms, hasText };
}

/** Forms in forms are read no deeper than this, and of many only the first. */
const MAX_FORM_DEPTH = 3;
const MAX_FORMS = 100;

/** The extents of pictures and forms. */
function shapesOf(pdfium: Pdfium, objects: readonly number[], { pointer, floats }: Scratch): Shape[] {
  return objects.slice(0, MAX_FORMS).flatMap((object) => {
    if (!pdfium.call.FPDFPageObj_GetBounds(object, pointer, pointer + 4, pointer + 8, pointer + 12))
      return [];
    const [left = 0, bottom = 0, right = 0, top = 0] = floats;
    return [{ left, bottom, right, top }];
  });
}

/** Adds the drawings of forms, placed by their matrices. */
function withForms(
  pdfium: Pdfium,
  { rules, dots, shapes, forms }: Collected,
  scratch: Scratch,
  budget: Budget,
  depth: number,
): Drawn {
  const { call } = pdfium;
  if (depth === 0) return { rules, dots, shapes };
  for (const form of forms.slice(0, MAX_FORMS)) {
    const place = matrixOf(pdfium, form, scratch);
    if (place === undefined) continue;
    const inner: Objects = {
      count: call.FPDFFormObj_CountObjects(form),
      at: (index) => call.FPDFFormObj_GetObject(form, index),
    };
    const drawn = withForms(pdfium, readObjects(pdfium, inner, scratch, budget), scratch, budget, depth - 1);
    for (const rule of drawn.rules) if (rules.length < MAX_RULES) rules.push(...transformRule(rule, place));
    for (const dot of drawn.dots) if (dots.length < MAX_DOTS) dots.push(...transformDot(dot, place));
    for (const shape of drawn.shapes)
      if (shapes.length < MAX_SHAPES) shapes.push(moveShape(shape, (x, y) => transform(x, y, place)));
  }
  return { rules, dots, shapes };
}

/** `[a b c d e f]`, as a PDF writes it: x' = a x + c y + e, y' = b x + d y + f. */
type Matrix = readonly [number, number, number, number, number, number];

function matrixOf(pdfium: Pdfium, object: number, scratch: Scratch): Matrix | undefined {
  if (!pdfium.call.FPDFPageObj_GetMatrix(object, scratch.pointer)) return undefined;
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = scratch.floats;
  return [a, b, c, d, e, f];
}

function transform(x: number, y: number, [a, b, c, d, e, f]: Matrix): [number, number] {
  return [a * x + c * y + e, b * x + d * y + f];
}

function transformRule({ isLevel, at, from, to }: Rule, place: Matrix): Rule[] {
  return isLevel
    ? axisEdge(transform(from, at, place), transform(to, at, place))
    : axisEdge(transform(at, from, place), transform(at, to, place));
}

function transformDot({ x, y, size }: Dot, place: Matrix): Dot[] {
  const [across, up] = transform(x, y, place);
  const half = (size * Math.hypot(place[0], place[1])) / 2;
  const dot = dotOf(across - half, up - half, across + half, up + half);
  return dot === undefined ? [] : [dot];
}

/** A shape with its corners moved. */
function moveShape(
  { left, bottom, right, top, isPicture = false }: Shape,
  move: (x: number, y: number) => readonly [number, number],
): Shape {
  const [[x1, y1], [x2, y2]] = [move(left, bottom), move(right, top)];
  return {
    left: Math.min(x1, x2),
    bottom: Math.min(y1, y2),
    right: Math.max(x1, x2),
    top: Math.max(y1, y2),
    isPicture,
  };
}

/** Shapes as they stand after the page was turned upright. */
export function turnShapes(shapes: readonly Shape[], quarterTurns: number): readonly Shape[] {
  if (quarterTurns === 0) return shapes;
  return shapes.map((shape) => moveShape(shape, (x, y) => turnPoint([x, y], quarterTurns)));
}

/** The rules of a page as they stand after the page was turned upright. */
export function turnRules(rules: readonly Rule[], quarterTurns: number): Rule[] {
  if (quarterTurns === 0) return [...rules];
  return rules.flatMap(({ isLevel, at, from, to }) => {
    const first = turnPoint(isLevel ? [from, at] : [at, from], quarterTurns);
    const last = turnPoint(isLevel ? [to, at] : [at, to], quarterTurns);
    return axisEdge(first, last);
  });
}

/** Adds the drawings of a path. */
function readPath(
  pdfium: Pdfium,
  object: number,
  scratch: Scratch,
  { rules, dots, shapes }: Pick<Collected, 'rules' | 'dots' | 'shapes'>,
): void {
  const { call } = pdfium;
  const { pointer } = scratch;
  if (!call.FPDFPageObj_GetBounds(object, pointer, pointer + 4, pointer + 8, pointer + 12)) return;
  // By index, because destructuring would iterate: maps have thousands of paths.
  const { floats } = scratch;
  const left = floats[0] ?? 0;
  const bottom = floats[1] ?? 0;
  const right = floats[2] ?? 0;
  const top = floats[3] ?? 0;
  const dot = dots.length < MAX_DOTS ? dotOf(left, bottom, right, top) : undefined;
  if (dot !== undefined) dots.push(dot);
  if (shapes.length < MAX_SHAPES) shapes.push({ left, bottom, right, top });
  if (right - left >= MIN_LENGTH || top - bottom >= MIN_LENGTH)
    for (const rule of edgesOf(pdfium, object, scratch, [left, bottom, right, top])) rules.push(rule);
}

/** The edges of a path between some bounds. */
function edgesOf(
  pdfium: Pdfium,
  object: number,
  scratch: Scratch,
  [left, bottom, right, top]: readonly [number, number, number, number],
): Rule[] {
  const { call } = pdfium;
  const { pointer } = scratch;
  const middle: readonly [number, number] = [(left + right) / 2, (bottom + top) / 2];
  if (top - bottom <= THIN) return axisEdge([left, middle[1]], [right, middle[1]]);
  if (right - left <= THIN) return axisEdge([middle[0], bottom], [middle[0], top]);
  if (!call.FPDFPath_GetDrawMode(object, pointer, pointer + 4)) return [];
  const isStroked = pdfium.view(pointer + 4, 4).some((byte) => byte !== 0);
  const segments = call.FPDFPath_CountSegments(object);
  if (!isStroked || segments > MAX_SEGMENTS) return [];
  return strokesOf(pdfium, object, segments, scratch);
}

/** The level and upright strokes of a path, placed by its matrix. */
function strokesOf(pdfium: Pdfium, object: number, segments: number, scratch: Scratch): Rule[] {
  const { call } = pdfium;
  const { pointer } = scratch;
  const place = matrixOf(pdfium, object, scratch);
  if (place === undefined) return [];
  const rules: Rule[] = [];
  let start: [number, number] = [0, 0];
  let at: [number, number] = [0, 0];
  for (let index = 0; index < segments; index++) {
    const segment = call.FPDFPath_GetPathSegment(object, index);
    if (!call.FPDFPathSegment_GetPoint(segment, pointer, pointer + 4)) return rules;
    const { floats } = scratch;
    const point = transform(floats[0] ?? 0, floats[1] ?? 0, place);
    const type = call.FPDFPathSegment_GetType(segment);
    if (type === MOVE_TO) start = point;
    else if (type === LINE_TO) rules.push(...axisEdge(at, point));
    if (call.FPDFPathSegment_GetClose(segment)) rules.push(...axisEdge(point, start));
    at = point;
  }
  return rules;
}

/** A stroke as a rule, if horizontal or vertical; endless and missing numbers are none. */
function axisEdge([x1, y1]: readonly [number, number], [x2, y2]: readonly [number, number]): Rule[] {
  const width = Math.abs(x2 - x1);
  const height = Math.abs(y2 - y1);
  if (!Number.isFinite(width + height + x1 + y1)) return [];
  if (width >= MIN_LENGTH && height <= 1)
    return [{ isLevel: true, at: (y1 + y2) / 2, from: Math.min(x1, x2), to: Math.max(x1, x2) }];
  if (height >= MIN_LENGTH && width <= 1)
    return [{ isLevel: false, at: (x1 + x2) / 2, from: Math.min(y1, y2), to: Math.max(y1, y2) }];
  return [];
}
