// How long a text a tier can take for what its language model may cost. An estimate from the length alone, which is
// known before there is a price to pay; what a document really costs is limited where the model is asked.
import { type Price, priceOf } from '@grainline/models/language';

/** Tokens of questions, and of their answers at their longest. */
interface Tokens {
  readonly input: number;
  readonly output: number;
}

/** The questions that a tier asks about ordinary prose of so many UTF-16 units, in chunks of the default size. */
interface Asking {
  /** All questions together. */
  readonly all: (units: number) => Tokens;
  /** The largest one, at a token for each byte: so much must be left of the limit when it is asked. */
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

// All numbers were found by counting what the tiers plan for real documents; a test holds them against that.

/** UTF-16 units that one question about cuts shows for the first time. */
const WINDOW = 7000;
const WINDOW_QUESTION = { input: 350, output: 520 };
const WINDOW_UNIT = { input: 0.33, output: 0.02 };

/** UTF-16 units of the chunks that one question describes. */
const SECTION = 5300;
const SECTION_QUESTION = { input: 650, output: 512 };
const SECTION_UNIT = { input: 0.26, output: 1.13 };
/** All questions that describe chunks begin with as much of the document, or with its outline. */
const [PREFIX, PREFIX_TOKENS_PER_UNIT] = [24_000, 0.25] as const;
/** A longer document is outlined first, from the beginnings of its parts. */
const OUTLINE_UNIT = { input: 0.03, output: 0.05 };

/** Bytes around the text of a question: instructions, schema, numbers of units, marks. */
const BYTES_AROUND = { window: 3000, section: 6500 } as const;
const BYTES_PER_UNIT = 1.1;

const windows = (units: number): Tokens =>
  sum(times(WINDOW_QUESTION, Math.ceil(units / WINDOW)), times(WINDOW_UNIT, units));

const sections = (units: number): Tokens => {
  const prefix = { input: PREFIX_TOKENS_PER_UNIT * Math.min(units, PREFIX), output: 0 };
  return sum(
    times(sum(SECTION_QUESTION, prefix), Math.ceil(units / SECTION)),
    times(SECTION_UNIT, units),
    times(OUTLINE_UNIT, units > PREFIX ? units : 0),
  );
};

/** Questions by tier. */
const ASKING: Readonly<Record<string, Asking>> = {
  ai: {
    all: windows,
    largest: (units) => ({
      input: BYTES_AROUND.window + BYTES_PER_UNIT * Math.min(units, WINDOW),
      output: WINDOW_QUESTION.output + WINDOW_UNIT.output * Math.min(units, WINDOW),
    }),
  },
  'ai-pro': {
    all: (units) => sum(windows(units), sections(units)),
    largest: (units) => ({
      input: BYTES_AROUND.section + BYTES_PER_UNIT * (Math.min(units, PREFIX) + Math.min(units, SECTION)),
      output: SECTION_QUESTION.output + SECTION_UNIT.output * Math.min(units, SECTION),
    }),
  },
};

/** The rest is for questions that have to be asked again. */
const PLANNED_SHARE = 0.9;
/** A step of what is told. */
const STEP = 100;
/** More than any tier takes, in steps. */
const MOST_STEPS = 100_000;

/** UTF-16 units of ordinary prose that a tier can ask about for so much; Infinity where the model costs nothing. */
export function affordableCharacters(tier: string, price: Price, maxCostUsd: number): number {
  const asking = ASKING[tier];
  if (asking === undefined || (price.input === 0 && price.output === 0)) return Infinity;
  const usdOf = ({ input, output }: Tokens): number => (input * price.input + output * price.output) / 1e6;
  const isAffordable = (units: number): boolean => {
    const planned = usdOf(asking.all(units));
    const largest = usdOf(asking.largest(units));
    // The other questions as they are planned, and the largest as it may be at worst.
    const questions = Math.ceil(units / WINDOW);
    const others = (planned * (questions - 1)) / questions;
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

/** The price of the dearest model of a list, part by part: any of them may have to answer. */
export function dearest(models: readonly string[], price: Price | undefined): Price {
  const prices = models.map((model) => price ?? priceOf(model)).filter((known) => known !== undefined);
  return {
    input: Math.max(0, ...prices.map(({ input }) => input)),
    output: Math.max(0, ...prices.map(({ output }) => output)),
  };
}
