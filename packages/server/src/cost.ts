// How long a text a tier can take for what its language model may cost. An estimate from the length alone, which is known
// before there is a price to pay; what a document really costs is limited where the model is asked.
import { type Price, priceOf } from '@grainline/models/language';

/** What a tier asks about ordinary prose; found by counting what it plans for real documents. */
interface Asking {
  /** UTF-16 units that one question shows for the first time. */
  readonly units: number;
  /** Tokens of each question and of its answer at its longest, … */
  readonly question: Tokens;
  /** … and further ones for each UTF-16 unit. */
  readonly unit: Tokens;
}

interface Tokens {
  readonly input: number;
  readonly output: number;
}

/** By tier. */
const ASKING: Readonly<Record<string, Asking>> = {
  ai: { units: 7000, question: { input: 350, output: 520 }, unit: { input: 0.33, output: 0.037 } },
};

/** The rest is for questions that have to be asked again. */
const PLANNED_SHARE = 0.8;

/** UTF-16 units of ordinary prose that a tier can ask about for so much; Infinity where the model costs nothing. */
export function affordableCharacters(tier: string, price: Price, maxCostUsd: number): number {
  const asking = ASKING[tier] ?? ASKING['ai'];
  const usdOf = ({ input, output }: Tokens): number => (input * price.input + output * price.output) / 1e6;
  if (asking === undefined || (price.input === 0 && price.output === 0)) return Infinity;
  const [perQuestion, perUnit] = [usdOf(asking.question), usdOf(asking.unit)];
  const full = perQuestion + asking.units * perUnit;
  const budget = maxCostUsd * PLANNED_SHARE;
  const questions = Math.floor(budget / full);
  const rest = Math.max(0, (budget - questions * full - perQuestion) / perUnit);
  return Math.floor((questions * asking.units + rest) / 100) * 100;
}

/** The price of the dearest model of a list, part by part: any of them may have to answer. */
export function dearest(models: readonly string[], price: Price | undefined): Price {
  const prices = models.map((model) => price ?? priceOf(model)).filter((known) => known !== undefined);
  return {
    input: Math.max(0, ...prices.map(({ input }) => input)),
    output: Math.max(0, ...prices.map(({ output }) => output)),
  };
}
