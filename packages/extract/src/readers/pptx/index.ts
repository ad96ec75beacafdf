// PPTX → Document. Bytes → guarded archive → slides in the order of the presentation → shapes in reading order → text
// and blocks, a page for each slide. External images, links and media are never opened; macros are never read.
import type { Document } from '@grainline/core';
import { ExtractError } from '../../errors.ts';
import { addChart } from '../../package/charts.ts';
import { addDiagram } from '../../package/diagram.ts';
import { CORE_PROPERTIES, openOffice, propertyOf, type OfficePackage } from '../../package/office.ts';
import type { Reader, Source } from '../../reader.ts';
import { Deck, type SlideShape, type Slide } from '../../slides/deck.ts';
import type { TreeNode } from '../../tree/node.ts';
import { Layouts } from './layout.ts';
import { SlideWalk } from './slide.ts';

/**
 * Reads presentations (Office Open XML, transitional and strict; presentations, shows and templates, with and without
 * macros).
 */
export const PPTX: Reader = {
  kind: 'pptx',
  version: 1,
  extensions: ['pptx', 'pptm', 'ppsx', 'ppsm', 'potx', 'potm'],
  mediaTypes: ['application/vnd.openxmlformats-officedocument.presentationml.presentation'],
  read: (source) => new Promise((resolve) => resolve(readPptx(source))),
};

const PRESENTATION = { usual: 'ppt/presentation.xml', what: 'presentation' };

function readPptx(source: Source): Document {
  source.signal?.throwIfAborted();
  const parts = openOffice(source.bytes, PRESENTATION, source.spent);
  const slides = slideNames(parts);
  const deck = new Deck(source);
  const reading = new SlideReading(parts, deck);
  for (const page of slides.length === 0 ? [] : deck.chosen(slides.length)) {
    const name = slides[page - 1] ?? '';
    deck.add(page, reading.slide(name));
  }
  const title = propertyOf(parts, CORE_PROPERTIES, 'title');
  return deck.finish({ count: slides.length, title, mediaType: PPTX.mediaTypes[0] });
}

/** The parts of the slides, in order; each part once. */
function slideNames(parts: OfficePackage): string[] {
  const ids: string[] = [];
  const ignore = (): void => undefined;
  let root = '';
  parts.visit(parts.main, {
    open: (name, written) => {
      if (root === '') root = name;
      // The slide has a number of its own in another attribute `id`.
      if (name === 'p:sldId') ids.push(/\s[^\s=:]+:id\s*=\s*["']([^"']*)["']/.exec(written)?.[1] ?? '');
    },
    close: ignore,
    text: ignore,
  });
  if (root !== 'p:presentation') throw new ExtractError('corrupted', { detail: 'it holds no presentation' });
  const relationships = parts.relationshipsOf(parts.main);
  const names = ids.flatMap((id) => {
    const relationship = relationships.get(id);
    return relationship === undefined || relationship.isExternal ? [] : [relationship.target];
  });
  return [...new Set(names)];
}

/** Reads the slides of a presentation. */
class SlideReading {
  readonly #parts: OfficePackage;
  readonly #deck: Deck;
  readonly #layouts: Layouts;

  constructor(parts: OfficePackage, deck: Deck) {
    this.#parts = parts;
    this.#deck = deck;
    this.#layouts = new Layouts(parts);
  }

  /** A slide with its notes; without shapes when its part is damaged. */
  slide(name: string): Slide {
    let [shapes, notes]: [readonly SlideShape[], readonly TreeNode[]] = [[], []];
    const { leftOut } = this.#deck;
    leftOut.attempt(name, () => {
      const read = this.#shapesOf(name);
      shapes = read ?? [];
      return read !== undefined;
    });
    leftOut.attempt(name, () => {
      const page = this.#notesOf(name);
      if (page !== undefined)
        notes = (this.#shapesOf(page) ?? [])
          .filter(({ role }) => role === 'body')
          .flatMap(({ nodes }) => nodes);
      return true;
    });
    return { shapes, notes };
  }

  #shapesOf(name: string): SlideWalk['shapes'] | undefined {
    const walk = new SlideWalk({
      layout: this.#layouts.of(name),
      relationships: this.#parts.relationshipsOf(name),
      targets: this.#deck.targets,
      counts: this.#deck.counts,
      embedded: (kind, part, builder) =>
        this.#deck.leftOut.attempt(part, () =>
          (kind === 'chart' ? addChart : addDiagram)(this.#parts, part, builder),
        ),
    });
    return this.#parts.visit(name, walk) ? walk.shapes : undefined;
  }

  #notesOf(name: string): string | undefined {
    const all = [...this.#parts.relationshipsOf(name).values()];
    return all.find(({ type, isExternal }) => type === 'notesSlide' && !isExternal)?.target;
  }
}
