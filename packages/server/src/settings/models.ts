// The settings of embedders and language models, and the conflicts between them.
import { parsePrice, parseUsd, priceOf } from '@grainline/models/language';
import {
  integer,
  matching,
  oneOf,
  parseFetchUrl,
  parseList,
  parseTransformers,
  type Setting,
  settingGroup,
  type SettingValues,
} from './parsers.ts';

const EMBEDDERS = ['builtin', 'off', 'openai'] as const;
const NAME = /^[^\s\p{C},]{1,200}$/u;
/** Cost limit of one document in US dollars, below the price of its tier. */
const MAX_COST_USD: Readonly<Record<string, number>> = { ai: 0.008, 'ai-pro': 0.02 };
/** A larger limit for one document is a typing error. */
const MOST_USD = 100;
const HOUR_MS = 60 * 60 * 1000;

/** In the order of the docs. */
export const MODEL_SETTINGS = settingGroup('models', {
  embeddings: {
    name: 'EMBEDDINGS',
    default: 'builtin',
    meaning:
      'The embedder of the tier semantic and of requested vectors: the built-in table, a model that transformers.js runs in the server, or a service with the API of OpenAI. With off, the tier is unavailable.',
    unit: 'word',
    expected: 'one of builtin, off, openai, or transformers: and the name of a model',
    parse: (text) => EMBEDDERS.find((choice) => choice === text) ?? parseTransformers(text),
  },
  embeddingsBaseUrl: {
    name: 'EMBEDDINGS_BASE_URL',
    defaultText: "OpenAI's",
    meaning: 'With EMBEDDINGS=openai: the address of the service, up to the part before /embeddings.',
    unit: 'URL',
    expected: 'an http or https address without a user; credentials go into EMBEDDINGS_API_KEY',
    isSecret: true,
    parse: parseFetchUrl,
  },
  embeddingsApiKey: {
    name: 'EMBEDDINGS_API_KEY',
    meaning: 'With EMBEDDINGS=openai: its key. Never logged, and never given to a child process.',
    isSecret: true,
    ...matching(/^[\x21-\x7e]+$/, 'text', 'a key of visible ASCII'),
  },
  embeddingsModel: {
    name: 'EMBEDDINGS_MODEL',
    meaning: 'With EMBEDDINGS=openai: the name of the model, which is required.',
    ...matching(/^[^\s\p{C}]+$/u, 'name', 'a name without blanks'),
  },
  embeddingsFolder: {
    name: 'EMBEDDINGS_FOLDER',
    meaning:
      'With EMBEDDINGS=transformers:…: the folder that holds the model under its name. Nothing is downloaded then. Without it the model is downloaded from the hub once and stored in `models` of DATA_DIR.',
    ...matching(/^[^\0]+$/, 'folder', 'a folder'),
  },
  embeddingsDtype: {
    name: 'EMBEDDINGS_DTYPE',
    defaultText: '`q8`',
    meaning:
      'With EMBEDDINGS=transformers:…: precision of the weights, which decides their file: q8 is onnx/model_quantized.onnx, fp32 onnx/model.onnx.',
    ...matching(/^[a-z0-9]{2,10}$/, 'word', 'a precision such as q8, fp16 or fp32'),
  },
  aiModel: {
    name: 'AI_MODEL',
    default: '',
    meaning:
      'The language models of the tiers ai and ai-pro; each later one is a fallback of those before. Without it these tiers are unavailable.',
    unit: 'list of names',
    expected: 'a list of names without blanks',
    parse: (text) => parseList(text, (name) => (NAME.test(name) ? name : undefined)),
  },
  aiProvider: {
    name: 'AI_PROVIDER',
    default: 'openai',
    meaning:
      'The API of the service of AI_MODEL: that of OpenAI, which Ollama, vLLM, llama.cpp, OpenRouter and others share, or that of Anthropic.',
    ...oneOf(['openai', 'anthropic']),
  },
  aiBaseUrl: {
    name: 'AI_BASE_URL',
    defaultText: "the provider's own",
    meaning:
      'The address of that service with its version: `http://localhost:11434/v1`. `GET /` names its host.',
    unit: 'URL',
    expected: 'an http or https address without a user; credentials go into AI_API_KEY',
    isSecret: true,
    parse: parseFetchUrl,
  },
  aiApiKey: {
    name: 'AI_API_KEY',
    meaning: 'The key of that service. Never logged, and never given to a child process.',
    isSecret: true,
    ...matching(/^[\x21-\x7e]+$/, 'text', 'a key of visible ASCII'),
  },
  aiPrice: {
    name: 'AI_PRICE',
    defaultText: "the list price of the makers' own models",
    meaning:
      'The price of AI_MODEL in US dollars per million tokens: input, output and, where they differ, cached input and cache writes (by default 1.25 of input with anthropic, its price of a five-minute cache). 0,0 for a model of your own. Required for a model without a known price.',
    unit: 'US dollars',
    expected: 'two to four numbers from 0 with commas, such as 0.15,0.6,0.075',
    parse: parsePrice,
  },
  aiMaxCostUsd: {
    name: 'AI_MAX_COST_USD',
    default: Object.entries(MAX_COST_USD)
      .map(([tier, usd]) => `${tier}=${usd}`)
      .join(','),
    meaning:
      'Cost limit of the model for one document, in US dollars: for each tier, or one number for all. It also decides the longest text of a tier.',
    unit: 'US dollars',
    expected: `a number over 0 and up to ${MOST_USD}, or a list such as ai=0.008,ai-pro=0.02`,
    parse: parseCosts,
  },
  aiTimeoutMs: {
    name: 'AI_TIMEOUT_MS',
    default: '60000',
    meaning: 'Time for all requests of the tier ai to the model for one document.',
    ...integer('ms', 1, HOUR_MS),
  },
  aiAtOnce: {
    name: 'AI_AT_ONCE',
    default: '4',
    meaning:
      'Documents that wait for a language model, or for an embedder that is not built in, at one time, each with a child process and up to four requests. As many more wait in a queue.',
    ...integer('documents', 1, 256),
  },
  ocr: {
    name: 'OCR',
    default: 'off',
    meaning:
      'Reads scanned pages and pictures (PNG, JPEG, TIFF, WebP) with Tesseract, some 3 s of a processor a page, in the price of the tier. Requires the package @grainline/ocr. UPLOAD_KINDS and WORKER_RSS_MB then have wider defaults.',
    ...oneOf(['off', 'tesseract']),
  },
  ocrLanguages: {
    name: 'OCR_LANGUAGES',
    default: 'eng',
    meaning:
      'With OCR=tesseract: the languages of the text, the most frequent first. Each but eng is a package @tesseract.js-data/NAME to install.',
    ...matching(/^[A-Za-z_]+(?:\+[A-Za-z_]+)*$/, 'names', 'names of languages such as eng or deu+fra'),
  },
  ocrMaxPages: {
    name: 'OCR_MAX_PAGES',
    default: '10',
    meaning:
      'With OCR=tesseract: most scanned pages of one document. One with more gets 413 before a page is read, and its payment is reusable. Each page that OCR reads adds a fifth of WORK_TIMEOUT_MS to the time of its document.',
    ...integer('pages', 1, 10_000),
  },
  ocrJobPages: {
    name: 'OCR_JOB_PAGES',
    default: '200',
    meaning: 'The same for tiers that run as jobs.',
    ...integer('pages', 1, 10_000),
  },
});

type ModelSettings = SettingValues<typeof MODEL_SETTINGS>;

type IsSet = (setting: Setting<unknown>) => boolean;

/**
 * Conflicts between settings of models. A setting that is wrong by itself is undefined here.
 *
 * @param isSet tells if a setting has any value, right or wrong
 */
export function findModelIssues(settings: Partial<ModelSettings>, isSet: IsSet): string[] {
  return [...findEmbedderIssues(settings, isSet), ...findLanguageModelIssues(settings, isSet)];
}

/** Settings by the value of EMBEDDINGS that uses them. An unused setting is an error, because it has no effect. */
const EMBEDDER_SETTINGS = {
  openai: ['embeddingsBaseUrl', 'embeddingsApiKey', 'embeddingsModel'],
  'transformers:…': ['embeddingsFolder', 'embeddingsDtype'],
} as const;

function findEmbedderIssues(settings: Partial<ModelSettings>, isSet: IsSet): string[] {
  const { embeddings } = settings;
  if (embeddings === undefined) return [];
  const chosen = embeddings.startsWith('transformers:') ? 'transformers:…' : embeddings;
  const isMissing = chosen === 'openai' && !isSet(MODEL_SETTINGS.embeddingsModel);
  const issues = isMissing ? ['EMBEDDINGS_MODEL must be set with EMBEDDINGS=openai.'] : [];
  for (const [goesWith, keys] of Object.entries(EMBEDDER_SETTINGS)) {
    const unused = goesWith === chosen ? [] : keys.filter((key) => settings[key] !== undefined);
    issues.push(...unused.map((key) => `${MODEL_SETTINGS[key].name} goes with EMBEDDINGS=${goesWith}.`));
  }
  return issues;
}

function findLanguageModelIssues(settings: Partial<ModelSettings>, isSet: IsSet): string[] {
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

/** One number for all tiers, or a list of tiers with a number each; unnamed tiers keep their default. */
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
