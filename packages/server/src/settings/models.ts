// The settings of models that the service asks: embedders and language models, and what must fit between them.
import { parsePrice, parseUsd, priceOf, type Price } from '@grainline/models/language';
import {
  integer,
  matching,
  oneOf,
  parseHttpUrl,
  parseList,
  parseTransformers,
  type Setting,
} from './readings.ts';

/** What the environment says of models. */
export interface ModelSettings {
  readonly embeddings: 'builtin' | 'off' | 'openai' | `transformers:${string}`;
  readonly embeddingsBaseUrl: string | undefined;
  readonly embeddingsApiKey: string | undefined;
  readonly embeddingsModel: string | undefined;
  readonly embeddingsFolder: string | undefined;
  readonly embeddingsDtype: string | undefined;
  readonly aiProvider: 'openai' | 'anthropic';
  readonly aiBaseUrl: string | undefined;
  readonly aiApiKey: string | undefined;
  /** Names; none when the service has no language model. */
  readonly aiModel: readonly string[];
  readonly aiPrice: Price | undefined;
  /** US dollars, by tier. */
  readonly aiMaxCostUsd: Readonly<Record<string, number>>;
  readonly aiTimeoutMs: number;
  readonly aiAtOnce: number;
}

const EMBEDDERS = ['builtin', 'off', 'openai'] as const;
const NAME = /^[^\s\p{C},]{1,200}$/u;
/** What one document may cost, below what its tier is sold for. */
const MAX_COST_USD: Readonly<Record<string, number>> = { ai: 0.008, 'ai-pro': 0.02 };
/** More than this for one document is a slip of the pen. */
const MOST_USD = 100;
const HOUR_MS = 60 * 60 * 1000;

/** Their part of the table of settings. */
export const MODEL_SETTINGS: { readonly [Key in keyof ModelSettings]: Setting<ModelSettings[Key]> } = {
  embeddings: {
    name: 'EMBEDDINGS',
    group: 'models',
    default: 'builtin',
    meaning:
      'What embeds, for the tier semantic and for vectors that requests ask for: the table that is built in, a model that transformers.js runs in the server, a service as OpenAI has it, or nothing, and the tier is listed as unavailable.',
    unit: 'word',
    expected: 'one of builtin, off, openai, or transformers: and the name of a model',
    parse: (text) => EMBEDDERS.find((choice) => choice === text) ?? parseTransformers(text),
  },
  embeddingsBaseUrl: {
    name: 'EMBEDDINGS_BASE_URL',
    group: 'models',
    default: '',
    defaultText: "OpenAI's",
    meaning: 'With EMBEDDINGS=openai: where the service is, up to what comes before /embeddings.',
    unit: 'URL',
    expected: 'an http or https address',
    isSecret: true,
    parse: parseHttpUrl,
  },
  embeddingsApiKey: {
    name: 'EMBEDDINGS_API_KEY',
    group: 'models',
    default: '',
    meaning: 'With EMBEDDINGS=openai: the key to it. Never logged, and never given to a child process.',
    isSecret: true,
    ...matching(/^[\x21-\x7e]+$/, 'text', 'a key of visible ASCII'),
  },
  embeddingsModel: {
    name: 'EMBEDDINGS_MODEL',
    group: 'models',
    default: '',
    meaning: 'With EMBEDDINGS=openai, which needs it: the name of the model.',
    ...matching(/^[^\s\p{C}]+$/u, 'name', 'a name without blanks'),
  },
  embeddingsFolder: {
    name: 'EMBEDDINGS_FOLDER',
    group: 'models',
    default: '',
    meaning:
      'With EMBEDDINGS=transformers:…: the folder in which that model lies by its name. Nothing is downloaded then; without it the hub is asked once, and what it gives is kept in `models` of DATA_DIR.',
    ...matching(/^[^\0]+$/, 'folder', 'a folder'),
  },
  embeddingsDtype: {
    name: 'EMBEDDINGS_DTYPE',
    group: 'models',
    default: '',
    defaultText: '`q8`',
    meaning:
      'With EMBEDDINGS=transformers:…: precision of the weights, which names their file: q8 is onnx/model_quantized.onnx, fp32 onnx/model.onnx.',
    ...matching(/^[a-z0-9]{2,10}$/, 'word', 'a precision such as q8, fp16 or fp32'),
  },
  aiModel: {
    name: 'AI_MODEL',
    group: 'models',
    default: '',
    meaning:
      'The language model of the tiers ai and ai-pro; of several, the later ones answer when those before cannot. Without it these tiers are listed as unavailable.',
    unit: 'list of names',
    expected: 'a list of names without blanks',
    parse: (text) => parseList(text, (name) => (NAME.test(name) ? name : undefined)),
  },
  aiProvider: {
    name: 'AI_PROVIDER',
    group: 'models',
    default: 'openai',
    meaning:
      'Whose words the service of AI_MODEL speaks: those of OpenAI, as do Ollama, vLLM, llama.cpp, OpenRouter and others, or those of Anthropic.',
    ...oneOf(['openai', 'anthropic']),
  },
  aiBaseUrl: {
    name: 'AI_BASE_URL',
    group: 'models',
    default: '',
    defaultText: "the provider's own",
    meaning: 'Where that service is, with its version: `http://localhost:11434/v1`. `GET /` names its host.',
    unit: 'URL',
    expected: 'an http or https address',
    isSecret: true,
    parse: parseHttpUrl,
  },
  aiApiKey: {
    name: 'AI_API_KEY',
    group: 'models',
    default: '',
    meaning: 'The key to it. Never logged, and never given to a child process.',
    isSecret: true,
    ...matching(/^[\x21-\x7e]+$/, 'text', 'a key of visible ASCII'),
  },
  aiPrice: {
    name: 'AI_PRICE',
    group: 'models',
    default: '',
    defaultText: "the list price of the makers' own models",
    meaning:
      'What AI_MODEL costs, in US dollars per million tokens: input, output and, where they differ, cached input and what is written to a cache (else with anthropic 1.25 of input, the price of the five minutes that it is asked to keep it). 0,0 for a model of your own. A model whose price is not known needs it.',
    unit: 'US dollars',
    expected: 'two to four numbers from 0 with commas, such as 0.15,0.6,0.075',
    parse: parsePrice,
  },
  aiMaxCostUsd: {
    name: 'AI_MAX_COST_USD',
    group: 'models',
    default: Object.entries(MAX_COST_USD)
      .map(([tier, usd]) => `${tier}=${usd}`)
      .join(','),
    meaning:
      'What the model may cost for one document, in US dollars: for each tier, or one number for all. It also decides the longest text that a tier takes.',
    unit: 'US dollars',
    expected: `a number over 0 and up to ${MOST_USD}, or a list such as ai=0.008,ai-pro=0.02`,
    parse: parseCosts,
  },
  aiTimeoutMs: {
    name: 'AI_TIMEOUT_MS',
    group: 'models',
    default: '60000',
    meaning: 'Time for all that the tier ai asks the model about one document.',
    ...integer('ms', 1, HOUR_MS),
  },
  aiAtOnce: {
    name: 'AI_AT_ONCE',
    group: 'models',
    default: '4',
    meaning:
      'Documents that wait for a language model, or for an embedder that is not built in, at the same time, each with a child process and up to four questions; as many more wait their turn.',
    ...integer('documents', 1, 256),
  },
};

type IsSet = (setting: Setting<unknown>) => boolean;

/**
 * Faults that settings of models have with each other. A setting that is wrong by itself is undefined here.
 *
 * @param isSet whether a setting has any value, right or wrong
 */
export function modelFaults(settings: Partial<ModelSettings>, isSet: IsSet): string[] {
  return [...embedderFaults(settings, isSet), ...languageModelFaults(settings, isSet)];
}

/** Settings by whom they go with. A key that is given and not used means that somebody thinks it is. */
const EMBEDDER_SETTINGS = {
  openai: ['embeddingsBaseUrl', 'embeddingsApiKey', 'embeddingsModel'],
  'transformers:…': ['embeddingsFolder', 'embeddingsDtype'],
} as const;

function embedderFaults(settings: Partial<ModelSettings>, isSet: IsSet): string[] {
  const { embeddings } = settings;
  if (embeddings === undefined) return [];
  const chosen = embeddings.startsWith('transformers:') ? 'transformers:…' : embeddings;
  const isMissing = chosen === 'openai' && !isSet(MODEL_SETTINGS.embeddingsModel);
  const faults = isMissing ? ['EMBEDDINGS_MODEL must be set with EMBEDDINGS=openai.'] : [];
  for (const [goesWith, keys] of Object.entries(EMBEDDER_SETTINGS)) {
    const unused = goesWith === chosen ? [] : keys.filter((key) => settings[key] !== undefined);
    faults.push(...unused.map((key) => `${MODEL_SETTINGS[key].name} goes with EMBEDDINGS=${goesWith}.`));
  }
  return faults;
}

function languageModelFaults(settings: Partial<ModelSettings>, isSet: IsSet): string[] {
  const { aiModel = [] } = settings;
  if (!isSet(MODEL_SETTINGS.aiModel))
    return (['aiBaseUrl', 'aiApiKey', 'aiPrice'] as const)
      .filter((key) => settings[key] !== undefined)
      .map((key) => `${MODEL_SETTINGS[key].name} goes with AI_MODEL.`);
  if (isSet(MODEL_SETTINGS.aiPrice)) return [];
  const unknown = aiModel.filter((model) => priceOf(model) === undefined);
  if (unknown.length === 0) return [];
  const names = unknown.map((model) => `the model ${JSON.stringify(model)}`).join(' and of ');
  return [
    `AI_PRICE must be set: no price of ${names} is known, so that AI_MAX_COST_USD could not be kept. For a model of your own it is 0,0.`,
  ];
}

/** One number for all tiers, or some of them by name, the others being as they are. */
function parseCosts(text: string): Readonly<Record<string, number>> | undefined {
  const tiers = Object.keys(MAX_COST_USD);
  const isSound = (cost: number | undefined): cost is number =>
    cost !== undefined && cost > 0 && cost <= MOST_USD;
  const every = parseUsd(text);
  if (isSound(every)) return Object.fromEntries(tiers.map((tier) => [tier, every]));
  const costs = { ...MAX_COST_USD };
  for (const part of text.split(',')) {
    const [, tier = '', number = ''] = /^([\w-]+)=(.+)$/.exec(part.trim()) ?? [];
    const cost = parseUsd(number);
    if (!tiers.includes(tier) || !isSound(cost)) return undefined;
    costs[tier] = cost;
  }
  return costs;
}
