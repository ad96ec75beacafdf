// The language model of the environment: one small request, and the features of its service.
import type { Probe } from '@grainline/models/language';
import { describe } from '../../errors.ts';
import type { Io } from '../../io.ts';
import { findChoice } from '../../local/language-model.ts';
import { failed, type CheckResult, found, row } from './rows.ts';

/** Asks the language model, if the environment names one. Rejects with a UsageError for wrong settings. */
export async function checkLanguageModel({
  environment,
  signal,
}: Pick<Io, 'environment' | 'signal'>): Promise<CheckResult> {
  const { ModelError, probeModel } = await import('@grainline/models/language');
  const choice = await findChoice(environment);
  if (choice === undefined)
    return found('language model', 'none named; the tiers ai and ai-pro need one (grainline doctor --help)');
  const { provider, dialect, options } = choice;
  const [model = ''] = [options.model].flat();
  const address = options.baseUrl ?? dialect.baseUrl;
  const head = [row('language model', `${model}, ${provider} at ${address}`)];
  try {
    const probe = await probeModel(dialect, options, signal);
    return { rows: [...head, ...featuresOf(probe, options.maxCostUsd)], isSound: true };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const hint = error.status === undefined ? hintOf(error.code, address) : (HINTS[error.status] ?? '');
    const { rows } = failed('', describe(error), hint);
    return { rows: [...head, ...rows], isSound: false };
  }
}

function featuresOf(probe: Probe, maxCostUsd: number | undefined): string[] {
  const { input, output, cachedInput } = probe.usage;
  const { price } = probe;
  const unknown =
    maxCostUsd === undefined
      ? 'not known; AI_PRICE tells it'
      : 'not known, so that AI_MAX_COST_USD cannot be kept and nothing will be asked; set AI_PRICE';
  const cached = price?.cachedInput === undefined ? '' : `, $${price.cachedInput} from a cache`;
  return [
    row('  answers as', `${probe.model}, in ${Math.round(probe.latencyMs)} ms`),
    row('  structure', STRUCTURED[probe.structuredOutput]),
    row('  temperature', probe.temperature ? 'taken' : 'refused; left out'),
    row('  context', probe.contextTokens === undefined ? 'not told' : `${probe.contextTokens} tokens`),
    row(
      '  usage',
      input + output === 0
        ? 'not counted'
        : `${input} tokens in (${cachedInput} from a cache), ${output} out`,
    ),
    row(
      '  price',
      price === undefined
        ? unknown
        : `$${price.input} in, $${price.output} out${cached}, for a million tokens`,
    ),
  ];
}

const STRUCTURED: Readonly<Record<Probe['structuredOutput'], string>> = {
  enforced: 'enforced by the service',
  ignored: 'taken but not enforced; answers are checked and asked for again',
  refused: 'refused; the shape is asked for in words, answers are checked and asked for again',
};

/** Hints by the status of the answer. */
const HINTS: Readonly<Record<number, string>> = {
  400: 'The service does not take the question; its words above say why.',
  401: 'Is AI_API_KEY right?',
  403: 'Is AI_API_KEY right, and may it use this model?',
  404: 'Is AI_MODEL a model that the service has, and does AI_BASE_URL end with its version, as /v1?',
  429: 'The service asks to wait, or the account has no credit left.',
};

function hintOf(code: string, address: string): string {
  if (code === 'unavailable') return `Is the service running at ${address}? AI_BASE_URL says where it is.`;
  return code === 'wrong_answer' ? 'Is AI_PROVIDER right for this service?' : '';
}
