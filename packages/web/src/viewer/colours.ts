// Colours text without touching it: ranges in named highlights (CSS Custom Highlight API), or classes of the elements
// around it: everywhere where a browser has no highlights, else where a text is hatched, which no highlight can be.

/** Neighbouring chunks differ in hue; five are enough that no two near each other are alike. */
export const HUES = 5;

/** What a stretch of text is: in the chunk of one hue, repeated by the next one, or in the chunk that is looked at. */
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

/** Puts ink on text and takes it off again. */
export interface Colours {
  add(ink: Ink, stretch: Stretch): void;
  clear(inks?: readonly Ink[]): void;
}

/**
 * By the Highlight API: no element is made, so colouring costs next to nothing. Text in a `span` is coloured by that.
 */
export function highlightColours(registry: HighlightRegistry): Colours {
  const highlights = new Map(INKS.map((ink) => [ink, new Highlight()]));
  for (const [index, [ink, highlight]] of [...highlights].entries()) {
    // Later inks lie over earlier ones: what is repeated over its chunk, what is looked at over all.
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

/**
 * By classes on the elements that hold the text nodes; each node is in one `span` then, and has one ink of each kind.
 */
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

/** Whether the browser has what {@link highlightColours} needs. */
export function hasHighlights(): boolean {
  return typeof CSS !== 'undefined' && 'highlights' in CSS && typeof Highlight === 'function';
}
