// Language models by settings of the environment, as the command line and services read them.
import { ANTHROPIC } from './anthropic.ts';
import { addressIssue } from '../service.ts';
import { ModelError } from '../errors.ts';
import { type Dialect, httpModel, type HttpModelOptions } from './http.ts';
import { OPENAI } from './openai.ts';
import type { PricedModel } from './model.ts';
import { parsePrice, parseUsd } from './prices.ts';

/** Kinds of services by their names in AI_PROVIDER. */
const PROVIDERS: Readonly<Record<string, Dialect>> = { openai: OPENAI, anthropic: ANTHROPIC };

/** The settings with their meanings; messages and help texts are made from them. */
export const AI_SETTINGS = {
  AI_PROVIDER: 'openai (default; any service that speaks its chat completions) or anthropic',
  AI_BASE_URL: "where the service is, with its version; default the provider's own",
  AI_API_KEY: 'its key, if it wants one',
  AI_MODEL: 'the model, or several with commas: the later ones answer when those before cannot',
  AI_MAX_COST_USD: 'what one document may cost, in US dollars; needs a known price',
  AI_PRICE: 'price in US dollars per million tokens: input,output[,cached input[,cache write]]',
} as const;

/** A language model as the environment's settings describe it. */
export interface ModelChoice {
  readonly provider: string;
  readonly dialect: Dialect;
  readonly options: HttpModelOptions;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings AI_…. An empty value counts as none.
 *
 * @returns undefined when no AI_MODEL is named
 * @throws ModelError `invalid_options` with every issue
 */
export function modelChoice(environment: Environment): ModelChoice | undefined {
  const setting = (name: keyof typeof AI_SETTINGS): string | undefined => {
    const value = environment[name]?.trim();
    return value === '' ? undefined : value;
  };
  const names = setting('AI_MODEL');
  if (names === undefined) return undefined;
  const issues: string[] = [];
  const provider = setting('AI_PROVIDER') ?? 'openai';
  const dialect = Object.hasOwn(PROVIDERS, provider) ? PROVIDERS[provider] : undefined;
  if (dialect === undefined)
    issues.push(
      `AI_PROVIDER must be ${Object.keys(PROVIDERS).join(' or ')}, but is ${JSON.stringify(provider)}`,
    );
  const model = names.split(',').map((name) => name.trim());
  if (model.includes(''))
    issues.push(`AI_MODEL must be names with commas between them, but is ${JSON.stringify(names)}`);
  const baseUrl = setting('AI_BASE_URL');
  const issue = baseUrl === undefined ? undefined : addressIssue('AI_BASE_URL', baseUrl, 'AI_API_KEY');
  if (issue !== undefined) issues.push(issue);
  const maxCost = setting('AI_MAX_COST_USD');
  const maxCostUsd = maxCost === undefined ? undefined : parseUsd(maxCost);
  if (maxCost !== undefined && !(maxCostUsd !== undefined && maxCostUsd > 0))
    issues.push(`AI_MAX_COST_USD must be a number over 0, but is ${JSON.stringify(maxCost)}`);
  const listed = setting('AI_PRICE');
  const price = listed === undefined ? undefined : parsePrice(listed);
  if (listed !== undefined && price === undefined)
    issues.push(`AI_PRICE must be two to four numbers from 0 with commas, but is ${JSON.stringify(listed)}`);
  if (dialect === undefined || issues.length > 0)
    throw new ModelError('invalid_options', `Wrong settings: ${issues.join('; ')}.`);
  const options = {
    model,
    baseUrl,
    apiKey: setting('AI_API_KEY'),
    maxCostUsd,
    prices: price === undefined ? undefined : Object.fromEntries(model.map((name) => [name, price])),
  };
  return { provider, dialect, options };
}

/**
 * Creates the language model of a choice.
 *
 * @throws ModelError `invalid_options`
 */
export function chosenModel(
  { dialect, options }: ModelChoice,
  more: Partial<HttpModelOptions> = {},
): PricedModel {
  return httpModel(dialect, { ...options, ...more });
}
