// Colours text without a change to it: by ranges in named highlights (CSS Custom Highlight API), or by classes of the
// elements around it. Classes serve browsers without highlights, and hatched text, because a highlight cannot be
// hatched.

/** Neighbouring chunks differ in hue; with five hues no two chunks near each other are alike. */
export const HUES = 5;

/** The colour of a stretch of text: a chunk's hue, repeated text, or the stronger hue of the current chunk. */
export type Ink = `chunk-${number}` | 'overlap' | `current-${number}`;

const hues = Array.from({ length: HUES }, (_, hue) => hue);
/** The inks of the current chunk, one for each hue. */
export const CURRENT_INKS: readonly Ink[] = hues.map((hue) => `current-${hue}` as const);
const INKS: readonly Ink[] = [...hues.map((hue) => `chunk-${hue}` as const), 'overlap', ...CURRENT_INKS];

/** Part of one text node. */
export interface Stretch {
  readonly node: Text;
  readonly from: number;
  readonly to: number;
}

/** Adds and removes inks. */
export interface Colours {
  add(ink: Ink, stretch: Stretch): void;
  /** Colours a whole element: a row of a table, or a piece of code. */
  addBox(ink: Ink, element: HTMLElement): void;
  clear(inks?: readonly Ink[]): void;
}

/**
 * Colours by the Highlight API: it makes no element, so colouring costs next to nothing. Text in a `span` is coloured
 * by classes. Several views share the highlights of a page, and each clears its own ranges.
 */
export function highlightColours(registry: HighlightRegistry): Colours {
  for (const [index, ink] of INKS.entries()) {
    const highlight = registry.get(ink) ?? new Highlight();
    // Later inks lie over earlier ones: repeated text over its chunk, the current chunk over all.
    highlight.priority = index;
    registry.set(ink, highlight);
  }
  const own = new Map<Ink, StaticRange[]>(INKS.map((ink) => [ink, []]));
  const spans = spanColours();
  return {
    add(ink, stretch) {
      const { node, from, to } = stretch;
      if (isInSpan(node)) {
        spans.add(ink, stretch);
        return;
      }
      const range = { startContainer: node, startOffset: from, endContainer: node, endOffset: to };
      const added = new StaticRange(range);
      registry.get(ink)?.add(added);
      own.get(ink)?.push(added);
    },
    addBox: (ink, element) => spans.addBox(ink, element),
    clear(inks = INKS) {
      for (const ink of inks) {
        for (const range of own.get(ink) ?? []) registry.get(ink)?.delete(range);
        own.set(ink, []);
      }
      spans.clear(inks);
    },
  };
}

/** Colours by classes on the `span` around each text node; a node has one ink of each kind. */
export function spanColours(): Colours {
  const inked = new Map<Ink, HTMLElement[]>(INKS.map((ink) => [ink, []]));
  const addBox = (ink: Ink, element: HTMLElement): void => {
    element.classList.add(ink);
    inked.get(ink)?.push(element);
  };
  return {
    add(ink, { node }) {
      const element = node.parentElement;
      if (element !== null && isInSpan(node)) addBox(ink, element);
    },
    addBox,
    clear(inks = INKS) {
      for (const ink of inks) {
        for (const element of inked.get(ink) ?? []) element.classList.remove(ink);
        inked.set(ink, []);
      }
    },
  };
}

function isInSpan(node: Text): boolean {
  return node.parentElement?.localName === 'span';
}

/** True when the browser supports {@link highlightColours}. */
export function hasHighlights(): boolean {
  return typeof CSS !== 'undefined' && 'highlights' in CSS && typeof Highlight === 'function';
}
