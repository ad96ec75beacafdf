// The slides of a presentation → one tree: a page for each slide, its title as a heading, its shapes in reading order,
// its notes as a quotation. Shared by the readers of presentations.
import type { Document, Furniture, FurnitureKind } from '@grainline/core';
import { ExtractError } from '../errors.ts';
import { LeftOut } from '../package/left-out.ts';
import { choosePages, pagesIn } from '../pages.ts';
import type { Source } from '../reader.ts';
import { TreeBuilder } from '../tree/builder.ts';
import { flatLines } from '../tree/cell.ts';
import { LinkTargets, withoutMarks } from '../tree/links.ts';
import type { TargetCount } from '../tree/links.ts';
import { serialise } from '../tree/serialise.ts';
import type { TreeNode } from '../tree/node.ts';
import { type SlideBox, inReadingOrder } from './order.ts';
import { titleOf } from '../title.ts';

/**
 * The role of a shape. Titles come first, then the placeholders of the layout, then all others; furniture is what the
 * master repeats on each slide.
 */
export type ShapeRole = 'title' | 'subtitle' | 'body' | 'other' | FurnitureKind;

/** A shape of a slide, or a group of them, which stays together. */
export interface SlideShape {
  readonly role: ShapeRole;
  /** `undefined` when it has no position. */
  readonly box: SlideBox | undefined;
  /** Its blocks, without notes of the text. */
  readonly nodes: readonly TreeNode[];
  readonly group?: readonly SlideShape[];
}

/** A slide as it was read. */
export interface Slide {
  readonly shapes: readonly SlideShape[];
  readonly notes: readonly TreeNode[];
}

/** Depth of the headings of slides; those of the presentation's title and of a section are above the others. */
export const HEADING_DEPTH = { divider: 1, slide: 2 } as const;

const FRONT: readonly ShapeRole[] = ['title', 'subtitle', 'body', 'other'];

/** Collects the slides of a presentation. */
export class Deck {
  readonly targets: LinkTargets;
  /** Shared by all slides. */
  readonly counts: TargetCount = { targets: 0 };
  readonly leftOut = new LeftOut();
  readonly #builder: TreeBuilder;
  readonly #source: Source;
  readonly #furniture: Furniture[] = [];
  #page = 0;
  #title = '';

  constructor(source: Source) {
    this.#source = source;
    this.targets = new LinkTargets(source.url);
    this.#builder = new TreeBuilder(this.targets);
  }

  /**
   * The numbers of the slides to read, in order, given the count of all.
   *
   * @throws ExtractError `no_such_pages` as `choosePages` does
   */
  *chosen(count: number): Generator<number> {
    const pages = [...pagesIn(choosePages(this.#source.pages, count))];
    for (const [index, page] of pages.entries()) {
      this.#source.signal?.throwIfAborted();
      yield page;
      this.#source.onPage?.({ done: index + 1, total: pages.length });
    }
  }

  /** Adds a slide with its number, from 1; slides before it that were not read are empty pages. */
  add(page: number, { shapes, notes }: Slide): void {
    const builder = this.#builder;
    for (; this.#page < page; this.#page++) if (this.#page > 0) builder.pageBreak();
    const front = FRONT.flatMap((role) =>
      flattened(inReadingOrder(shapes.filter((shape) => roleOf(shape) === role))),
    );
    for (const { role, nodes } of [...front, ...shapes.filter((shape) => !isFront(roleOf(shape)))])
      if (!isFront(role)) this.#addFurniture(page, role, nodes);
      else for (const node of nodes) this.#add(node);
    if (notes.length === 0) return;
    builder.openQuote();
    for (const node of notes) builder.add(node);
    builder.close();
  }

  /** The document of all slides. */
  finish({ count, title, mediaType }: { count: number; title: string; mediaType: string }): Document {
    const { filename, links: style, pages: wanted } = this.#source;
    if (this.#page === 0) throw new ExtractError('empty_document');
    const tree = this.#builder.finish();
    const { text, blocks, pages, links } = serialise(tree, {
      targets: this.targets,
      links: style,
      isPaged: true,
    });
    const named = (isDefaultTitle(title) ? '' : title) || this.#title;
    const furniture = this.#furniture;
    return {
      text,
      blocks,
      pages,
      mediaType,
      ...(filename === undefined ? undefined : { filename }),
      ...titleOf(named),
      ...(wanted !== undefined && {
        pagesRead: [...pagesIn(choosePages(wanted, count))].length,
      }),
      ...(links.length > 0 && { links }),
      ...(furniture.length > 0 && { furniture }),
      warnings: this.leftOut.warnings,
    };
  }

  /** The first heading is the title of a presentation that names none. */
  #add(node: TreeNode): void {
    if (node.kind === 'heading' && this.#title === '') this.#title = withoutMarks(node.text);
    this.#builder.add(node);
  }

  #addFurniture(page: number, kind: FurnitureKind, nodes: readonly TreeNode[]): void {
    const text = withoutMarks(flatLines(nodes).join('\n')).toWellFormed();
    if (text === '') return;
    if (this.#source.furniture === 'keep') for (const node of nodes) this.#builder.add(node);
    else this.#furniture.push({ page, text, kind });
  }
}

const isFront = (role: ShapeRole): role is 'title' | 'subtitle' | 'body' | 'other' => FRONT.includes(role);

/** A group of shapes belongs to the others whatever is in it. */
const roleOf = ({ role, group }: SlideShape): ShapeRole => (group === undefined ? role : 'other');

/** The shapes of nested groups, each group in reading order. A stack of its own, as groups nest without end. */
function flattened(shapes: readonly SlideShape[]): SlideShape[] {
  const flat: SlideShape[] = [];
  const stack = shapes.toReversed();
  for (let shape = stack.pop(); shape !== undefined; shape = stack.pop()) {
    if (shape.group === undefined) flat.push(shape);
    else for (const inside of inReadingOrder(shape.group).toReversed()) stack.push(inside);
  }
  return flat;
}

/** The title that PowerPoint gives every presentation: `PowerPoint Presentation`, `Présentation PowerPoint`. */
function isDefaultTitle(title: string): boolean {
  return title.length < 40 && /powerpoint/i.test(title);
}
