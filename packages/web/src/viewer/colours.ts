// Colours text without a change to it: by ranges in named highlights (CSS Custom Highlight API), or by classes of the
// elements around it. Classes serve browsers without highlights, and hatched text, because a highlight cannot be
// hatched.

/** Neighbouring chunks differ in hue; with five hues no two chunks near each other are alike. */
export const HUES = 5;

/** The colour of a stretch of text: a chunk's hue, repeated text, or the current chunk. */
export type Ink = `chunk-${number}` | 'overlap' | 'current';

const INKS: readonly Ink[] = [
  ...Array.from({ length: HUES }, (_, hue) => `chunk-${hue}` as const),
  'overlap',
  'current',
];

/** Part of one text node. */
export interface Stretch {
  readonly node: Text;
  readonly from: number;
  readonly to: number;
}

/** Adds and removes inks. */
export interface Colours {
  add(ink: Ink, stretch: Stretch): void;
  clear(inks?: readonly Ink[]): void;
}

/**
 * Colours by the Highlight API: it makes no element, so colouring costs next to nothing. Text in a `span` is coloured
 * by classes.
 */
export function highlightColours(registry: HighlightRegistry): Colours {
  const highlights = new Map(INKS.map((ink) => [ink, new Highlight()]));
  for (const [index, [ink, highlight]] of [...highlights].entries()) {
    // Later inks lie over earlier ones: repeated text over its chunk, the current chunk over all.
    highlight.priority = index;
    registry.set(ink, highlight);
  }
  const spans = spanColours();
  return {
    add(ink, stretch) {
      const { node, from, to } = stretch;
      if (isInSpan(node)) {
        spans.add(ink, stretch);
        return;
      }
      const range = { startContainer: node, startOffset: from, endContainer: node, endOffset: to };
      highlights.get(ink)?.add(new StaticRange(range));
    },
    clear(inks = INKS) {
      for (const ink of inks) highlights.get(ink)?.clear();
      spans.clear(inks);
    },
  };
}

/** Colours by classes on the `span` around each text node; a node has one ink of each kind. */
export function spanColours(): Colours {
  const inked = new Map<Ink, HTMLElement[]>(INKS.map((ink) => [ink, []]));
  return {
    add(ink, { node }) {
      const element = node.parentElement;
      if (element === null || !isInSpan(node)) return;
      element.classList.add(ink);
      inked.get(ink)?.push(element);
    },
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
