// All that the page knows and can do, put together of its parts. Components show it; nothing here knows of elements.
import { computed } from '@preact/signals';
import { boundariesOf, type Comparison, compareBoundaries } from './compare.ts';
import type { Origin } from './order.ts';
import type { Reading, RecordsWanted } from './protocol.ts';
import { type AskingParts, createAsking } from './state/asking.ts';
import { createCutting } from './state/cutting.ts';
import { createKnown, type WorkTerms } from './state/known.ts';
import { tierChoices } from './tiers.ts';

export type State = ReturnType<typeof createState>;

/** The page's state, empty. */
export function createState(parts: AskingParts) {
  const { ask } = parts;
  const known = createKnown();
  const { source, tier, other, results, overview } = known;
  const cutting = createCutting(known, ask);
  const asking = createAsking(known, parts);

  const tiers = computed(() => tierChoices(overview.value));
  const first = computed(() => results.value.get(tier.value));
  const second = computed(() => (other.value === undefined ? undefined : results.value.get(other.value)));
  const comparison = computed((): Comparison | undefined => {
    const text = source.value?.reading.text;
    if (text === undefined || first.value === undefined || second.value === undefined) return undefined;
    return compareBoundaries(boundariesOf(first.value.cuts, text), boundariesOf(second.value.cuts, text));
  });

  const open = (
    name: string,
    origin: Origin,
    read: (terms: WorkTerms) => Promise<Reading>,
  ): Promise<void> => {
    return known.whileBusy(
      { what: 'reading', name },
      async (terms) => known.setSource({ reading: await read(terms), origin }),
      known.beginDocument(),
    );
  };

  return {
    ...known,
    ...cutting,
    ...asking,
    tiers,
    first,
    second,
    comparison,
    openFile: (file: File): Promise<void> =>
      open(file.name, { kind: 'file', file }, (terms) => ask('read', { file }, terms)),
    /** @param text itself, or what fetches it */
    openText: (text: string | (() => Promise<string>), filename = 'text.txt'): Promise<void> =>
      open(filename, { kind: 'text' }, async (terms) => {
        const whole = typeof text === 'string' ? text : await text();
        return ask('take', { text: whole, filename }, terms);
      }),
    /** Exact o200k tokens of a text. */
    async countTokens(text: string): Promise<number> {
      const [tokens = 0] = await ask('count', { texts: [text] });
      return tokens;
    },
    /** Puts the document away, and with it the memory that it took. */
    putAway(): void {
      ask.end();
      known.setSource(undefined);
    },
    recordsOf: (wanted: RecordsWanted) => ask('records', wanted),
    close(): void {
      cutting.close();
      asking.close();
    },
  };
}
