// The language model of the tiers `ai` and `ai-pro` from the environment, with the account of a run's requests.
import type { Complete, CompletionPlan, Decisions, EnrichmentReport, Warning } from '@grainline/core';
import type { ModelChoice } from '@grainline/models/language';
import { UsageError } from '../errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A language model with the account of one run. */
export interface MeteredModel {
  readonly complete: Complete;
  /** True in a dry run: no request is sent, and `foreseen` takes the planned ones. */
  readonly isDry: boolean;
  readonly foreseen: (plan: CompletionPlan) => void;
  /** Properties of the model that change the result. */
  readonly recipe: readonly string[];
  /** Adds the usage of one document's decisions; returns a warning for parts without a usable answer. */
  readonly noted: (decisions: Decisions) => readonly Warning[];
  /** Adds the usage of one document's descriptions; returns a warning for missing or incomplete ones. */
  readonly described: (report: EnrichmentReport) => readonly Warning[];
  /** A sentence with the sums of all requests; undefined without any. */
  readonly account: () => string | undefined;
}

/**
 * The language model of the environment. With `dry`, a model that sends nothing and adds up the planned requests.
 *
 * @throws UsageError when it names none, or the settings are wrong
 */
export async function languageModel(environment: Environment, dry: boolean): Promise<MeteredModel> {
  const { chosenModel } = await import('@grainline/models/language');
  const choice = await choiceOf(environment);
  const recipe = [choice.provider, choice.options.baseUrl ?? '', ...[choice.options.model].flat()];
  return dry ? planned(choice, recipe) : metered(choice, chosenModel(choice), recipe);
}

/** The model that the environment names; undefined for none. Rejects with a UsageError for wrong settings. */
export async function findChoice(environment: Environment): Promise<ModelChoice | undefined> {
  const { ModelError, modelChoice } = await import('@grainline/models/language');
  try {
    return modelChoice(environment);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    throw new UsageError([error.message]);
  }
}

async function choiceOf(environment: Environment): Promise<ModelChoice> {
  const choice = await findChoice(environment);
  if (choice !== undefined) return choice;
  const { AI_SETTINGS } = await import('@grainline/models/language');
  const settings = Object.entries(AI_SETTINGS).map(([name, meaning]) => `  ${name}: ${meaning}`);
  const none = 'No language model is named. Set AI_MODEL in the environment; grainline doctor tries it out.';
  throw new UsageError([[none, ...settings].join('\n')]);
}

async function metered(
  choice: ModelChoice,
  complete: Complete,
  recipe: readonly string[],
): Promise<MeteredModel> {
  const { costUsd, priceOf } = await import('@grainline/models/language');
  const sum = { calls: 0, input: 0, cachedInput: 0, output: 0 };
  const [model = ''] = [choice.options.model].flat();
  const price = priceOf(model, choice.options.prices);
  const add = (usage: Decisions['usage']): void => {
    sum.calls += usage.calls;
    sum.input += usage.input;
    sum.cachedInput += usage.cachedInput;
    sum.output += usage.output;
  };
  return {
    complete,
    isDry: false,
    foreseen: () => undefined,
    recipe,
    noted({ usage, windowsFallback, windows }) {
      add(usage);
      if (windowsFallback.length === 0) return [];
      const parts = `${windowsFallback.length} of ${windows.length} parts`;
      const message = `The language model gave no usable answer about ${parts}; these are cut as by structure.`;
      return [{ code: 'windows_fallback', message }];
    },
    described({ usage, chunks: { complete: whole, partial, failed } }) {
      add(usage);
      if (partial + failed === 0) return [];
      const all = whole + partial + failed;
      const message = `Of ${grouped(all)} chunks ${grouped(failed)} have no description and ${grouped(partial)} lack a part of it; enrichment_reasons in the format raw says why.`;
      return [{ code: 'enrichment_incomplete', message }];
    },
    account() {
      if (sum.calls === 0) return undefined;
      const cached = sum.cachedInput === 0 ? '' : ` (${grouped(sum.cachedInput)} from a cache)`;
      const cost = price === undefined ? '' : `, about ${dollars(costUsd(sum, price))}`;
      return `${model}: ${grouped(sum.calls)} answers, ${grouped(sum.input)} tokens in${cached}, ${grouped(sum.output)} out${cost}`;
    },
  };
}

async function planned(choice: ModelChoice, recipe: readonly string[]): Promise<MeteredModel> {
  const { costUsd, priceOf } = await import('@grainline/models/language');
  const sum = { calls: 0, input: 0, cachedInput: 0, output: 0 };
  const [model = ''] = [choice.options.model].flat();
  const price = priceOf(model, choice.options.prices);
  return {
    complete: () => Promise.reject(new TypeError('Nothing is asked in a dry run.')),
    isDry: true,
    foreseen({ calls, inputTokens, outputTokens }) {
      sum.calls += calls;
      sum.input += inputTokens;
      sum.output += outputTokens;
    },
    recipe,
    noted: () => [],
    described: () => [],
    account() {
      const cost = price === undefined ? 'its price is not known' : `at most ${dollars(costUsd(sum, price))}`;
      return `${model} would be asked ${grouped(sum.calls)} questions: about ${grouped(sum.input)} tokens in, at most ${grouped(sum.output)} out; ${cost}. Nothing was asked, and the chunks are counted without its cuts.`;
    },
  };
}

const grouped = (value: number): string => value.toLocaleString('en');
const dollars = (value: number): string => `$${value.toPrecision(3)}`;
