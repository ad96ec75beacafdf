// The longest text of a tier within the cost limit of its language model. The estimate uses the length alone, which is
// known before the payment. The model's own limit bounds the real cost.
import { type Price, priceOf } from '@grainline/models/language';

/** Tokens of requests and of their longest answers. */
interface Tokens {
  readonly input: number;
  readonly output: number;
}

/** The requests of a tier for ordinary prose of so many UTF-16 units, in chunks of the default size. */
interface RequestTokens {
  /** All requests together. */
  readonly all: (units: number) => Tokens;
  /** The largest request at one token a byte. The limit must leave room for it. */
  readonly largest: (units: number) => Tokens;
}

const times = ({ input, output }: Tokens, factor: number): Tokens => ({
  input: input * factor,
  output: output * factor,
});
const sum = (...parts: readonly Tokens[]): Tokens => ({
  input: parts.reduce((total, { input }) => total + input, 0),
  output: parts.reduce((total, { output }) => total + output, 0),
});

// The numbers come from the plans of the tiers for real documents. A test compares them with those plans.

/** New UTF-16 units in one request for cuts. */
const WINDOW = 7000;
const WINDOW_REQUEST = { input: 350, output: 520 };
const WINDOW_UNIT = { input: 0.33, output: 0.02 };

/** UTF-16 units of the chunks in one request for enrichment. */
const SECTION = 5300;
const SECTION_REQUEST = { input: 650, output: 512 };
const SECTION_UNIT = { input: 0.26, output: 1.13 };
/** Every request for enrichment begins with this much of the document, or with its outline. */
const [PREFIX, PREFIX_TOKENS_PER_UNIT] = [24_000, 0.25] as const;
/** A longer document first gets an outline from the beginnings of its parts. */
const OUTLINE_UNIT = { input: 0.03, output: 0.05 };

/** Bytes around the text of a request: instructions, schema, numbers of units, marks. */
const BYTES_AROUND = { window: 3000, section: 6500 } as const;
const BYTES_PER_UNIT = 1.1;

const windows = (units: number): Tokens =>
  sum(times(WINDOW_REQUEST, Math.ceil(units / WINDOW)), times(WINDOW_UNIT, units));

const sections = (units: number): Tokens => {
  const prefix = { input: PREFIX_TOKENS_PER_UNIT * Math.min(units, PREFIX), output: 0 };
  return sum(
    times(sum(SECTION_REQUEST, prefix), Math.ceil(units / SECTION)),
    times(SECTION_UNIT, units),
    times(OUTLINE_UNIT, units > PREFIX ? units : 0),
  );
};

/** Requests by tier. */
const REQUESTS: Readonly<Record<string, RequestTokens>> = {
  ai: {
    all: windows,
    largest: (units) => ({
      input: BYTES_AROUND.window + BYTES_PER_UNIT * Math.min(units, WINDOW),
      output: WINDOW_REQUEST.output + WINDOW_UNIT.output * Math.min(units, WINDOW),
    }),
  },
  'ai-pro': {
    all: (units) => sum(windows(units), sections(units)),
    largest: (units) => ({
      input: BYTES_AROUND.section + BYTES_PER_UNIT * (Math.min(units, PREFIX) + Math.min(units, SECTION)),
      output: SECTION_REQUEST.output + SECTION_UNIT.output * Math.min(units, SECTION),
    }),
  },
};

/** The rest of the limit is for repeated requests. */
const PLANNED_SHARE = 0.9;
/** Granularity of the reported length. */
const STEP = 100;
/** Above the limit of every tier, in steps. */
const MOST_STEPS = 100_000;

/** UTF-16 units of ordinary prose that a tier can process for the cost; Infinity for a free model. */
export function affordableCharacters(tier: string, price: Price, maxCostUsd: number): number {
  const requests = REQUESTS[tier];
  if (requests === undefined || (price.input === 0 && price.output === 0)) return Infinity;
  const usdOf = ({ input, output }: Tokens): number => (input * price.input + output * price.output) / 1e6;
  const isAffordable = (units: number): boolean => {
    const planned = usdOf(requests.all(units));
    const largest = usdOf(requests.largest(units));
    // The planned cost of the other requests, and the worst cost of the largest.
    const count = Math.ceil(units / WINDOW);
    const others = (planned * (count - 1)) / count;
    return planned <= maxCostUsd * PLANNED_SHARE && others + largest <= maxCostUsd;
  };
  let [most, over] = [0, MOST_STEPS];
  while (over - most > 1) {
    const middle = Math.floor((most + over) / 2);
    if (isAffordable(middle * STEP)) most = middle;
    else over = middle;
  }
  return most * STEP;
}

/** The highest price among models, for input and output separately, because any of them may have to answer. */
export function highestPrice(models: readonly string[], price: Price | undefined): Price {
  const prices = models.map((model) => price ?? priceOf(model)).filter((known) => known !== undefined);
  return {
    input: Math.max(0, ...prices.map(({ input }) => input)),
    output: Math.max(0, ...prices.map(({ output }) => output)),
  };
}
