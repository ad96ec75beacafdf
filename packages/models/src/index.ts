/** Grainline's models: exact token counters, embedders and language models. Also importable on their own: `/tokens`, `/embeddings`, `/language`. */
export { ENCODINGS, type EncodingName, tokenCounter } from './tokens/counter.ts';
export { TokenError, type TokenErrorCode } from './tokens/errors.ts';
export { cachedEmbedder, EmbeddingCache } from './embeddings/cache.ts';
export { EmbedderError, type EmbedderErrorCode } from './embeddings/errors.ts';
export { openAiEmbedder, type OpenAiOptions } from './embeddings/openai.ts';
export { staticEmbedder } from './embeddings/static.ts';
export { transformersEmbedder, type TransformersOptions } from './embeddings/transformers.ts';
export { type AiSdkModel, fromAiSdk } from './language/ai-sdk.ts';
export { anthropicModel } from './language/anthropic.ts';
export { LanguageModelError, type LanguageModelErrorCode } from './language/errors.ts';
export type { HttpModelOptions } from './language/http.ts';
export type { ModelEvent, ModelOptions } from './language/options.ts';
export { openAiModel } from './language/openai.ts';
export { costUsd, type Price, priceOf } from './language/prices.ts';
