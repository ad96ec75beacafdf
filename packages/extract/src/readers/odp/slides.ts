// The pages of an OpenDocument presentation → slides: each drawing is a shape with its place, and its class names its
// role.
import { attributesOf } from '../../package/xml.ts';
import { type Deck, HEADING_DEPTH, type SlideShape, type ShapeRole } from '../../slides/deck.ts';
import type { SlideBox } from '../../slides/order.ts';
import { TreeBuilder } from '../../tree/builder.ts';
import type { TreeNode } from '../../tree/node.ts';
import { OpenWalk, type OpenSource } from '../open-document/walk.ts';

/** Roles by the classes of placeholders; all others are the content of a page. */
const ROLES: ReadonlyMap<string, ShapeRole> = new Map<string, ShapeRole>([
  ['title', 'title'],
  ['subtitle', 'subtitle'],
  ['page-number', 'page-number'],
  ['date-time', 'footer'],
  ['footer', 'footer'],
  ['header', 'header'],
]);

/** Reads the body of a presentation and adds its pages to a deck. */
export class PageWalk extends OpenWalk {
  readonly #deck: Deck;
  readonly #wanted: ReadonlySet<number> | undefined;
  #page = 0;
  /** The shapes of the open groups, the page's own first; none outside pages and in shapes. */
  #groups: SlideShape[][] = [];
  #notes: TreeNode[] = [];
  #isInNotes = false;
  #isInShape = false;

  /** @param wanted numbers of the pages to read, from 1; `undefined` for all */
  constructor(source: OpenSource, deck: Deck, wanted: ReadonlySet<number> | undefined) {
    super(source, new TreeBuilder(source.targets));
    this.#deck = deck;
    this.#wanted = wanted;
  }

  protected override enter(name: string, written: string): void {
    if (name === 'draw:page') this.#openPage();
    else if (name === 'presentation:notes') this.#openNotes();
    else if (name === 'draw:g' && !this.#isInShape) this.#openGroup();
    else super.enter(name, written);
  }

  #openPage(): void {
    const page = ++this.#page;
    if (this.#wanted?.has(page) === false) {
      this.skip();
      return;
    }
    const shapes: SlideShape[] = [];
    this.#groups = [shapes];
    this.#notes = [];
    this.atEnd(() => {
      const isDivider = shapes.some(({ role }) => role === 'subtitle');
      this.#deck.add(page, { shapes: isDivider ? shapes.map(asDivider) : shapes, notes: this.#notes });
      this.#groups = [];
    });
  }

  #openNotes(): void {
    this.#isInNotes = true;
    this.atEnd(() => (this.#isInNotes = false));
  }

  /** A group has no place of its own: it is where its shapes are. */
  #openGroup(): void {
    const shapes: SlideShape[] = [];
    this.#groups.push(shapes);
    this.atEnd(() => {
      this.#groups.pop();
      if (shapes.length > 0)
        this.#groups.at(-1)?.push({ role: 'other', box: boxAround(shapes), nodes: [], group: shapes });
    });
  }

  protected override openShape(name: string, written: string): void {
    if (this.#isInShape) {
      super.openShape(name, written);
      return;
    }
    const attributes = attributesOf(written);
    const placeholder = attributes.get('class') ?? '';
    const isTitle = placeholder === 'title' && !this.#isInNotes;
    const builder = new TreeBuilder(this.source.targets);
    if (isTitle) builder.openHeading(HEADING_DEPTH.slide);
    this.#isInShape = true;
    this.readShape(builder, () => {
      this.#isInShape = false;
      if (isTitle) builder.closeHeading();
      this.#add(placeholder, boxOf(attributes), builder.finish());
    });
  }

  #add(placeholder: string, box: SlideBox | undefined, nodes: readonly TreeNode[]): void {
    if (nodes.length === 0) return;
    if (this.#isInNotes) {
      if (placeholder === 'notes' || placeholder === '') this.#notes.push(...nodes);
      return;
    }
    const role = placeholder === '' ? 'other' : (ROLES.get(placeholder) ?? 'body');
    this.#groups.at(-1)?.push({ role, box, nodes });
  }
}

/** The heading of a page with a subtitle names the presentation or a part of it. */
function asDivider(shape: SlideShape): SlideShape {
  const nodes = shape.nodes.map((node) =>
    node.kind === 'heading' ? { ...node, depth: HEADING_DEPTH.divider } : node,
  );
  return shape.role === 'title' ? { ...shape, nodes } : shape;
}

function boxAround(shapes: readonly SlideShape[]): SlideBox | undefined {
  let around: SlideBox | undefined;
  for (const { box } of shapes) {
    if (box === undefined) continue;
    if (around === undefined) {
      around = box;
      continue;
    }
    const left = Math.min(around.left, box.left);
    const top = Math.min(around.top, box.top);
    const right = Math.max(around.left + around.width, box.left + box.width);
    const bottom = Math.max(around.top + around.height, box.top + box.height);
    around = { left, top, width: right - left, height: bottom - top };
  }
  return around;
}

/** The place of a drawing: its corner and size, its two ends, or its corner in a transformation; in points. */
function boxOf(attributes: ReadonlyMap<string, string>): SlideBox | undefined {
  const length = (name: string): number => pointsOf(attributes.get(name) ?? '');
  const [x1, y1, x2, y2] = [length('x1'), length('y1'), length('x2'), length('y2')];
  if (attributes.has('x1') && attributes.has('x2'))
    return {
      left: Math.min(x1, x2),
      top: Math.min(y1, y2),
      width: Math.abs(x2 - x1),
      height: Math.abs(y2 - y1),
    };
  const [, tx = '', ty = ''] =
    /translate\s*\(\s*(\S+)\s+([^\s)]+)/.exec(attributes.get('transform') ?? '') ?? [];
  const left = attributes.has('x') ? length('x') : pointsOf(tx);
  const top = attributes.has('y') ? length('y') : pointsOf(ty);
  return Number.isNaN(left) || Number.isNaN(top)
    ? undefined
    : { left, top, width: length('width') || 0, height: length('height') || 0 };
}

const POINTS: ReadonlyMap<string, number> = new Map([
  ['cm', 72 / 2.54],
  ['mm', 72 / 25.4],
  ['in', 72],
  ['pt', 1],
  ['pc', 12],
  ['px', 0.75],
]);

/** A length with its unit; NaN for any other text. */
function pointsOf(length: string): number {
  const [, number = '', unit = ''] = /^(-?[\d.]+)([a-z]{2})/.exec(length) ?? [];
  return number === '' ? NaN : Number(number) * (POINTS.get(unit) ?? NaN);
}
