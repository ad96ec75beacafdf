/** Grainline's models: exact token counters, and embedders. Also importable on their own: `/tokens`, `/embeddings`. */
export { ENCODINGS, type EncodingName, tokenCounter } from './tokens/counter.ts';
export { TokenError, type TokenErrorCode } from './tokens/errors.ts';
export { cachedEmbedder, EmbeddingCache } from './embeddings/cache.ts';
export { EmbedderError, type EmbedderErrorCode } from './embeddings/errors.ts';
export { openAiEmbedder, type OpenAiOptions } from './embeddings/openai.ts';
export { staticEmbedder } from './embeddings/static.ts';
export { transformersEmbedder, type TransformersOptions } from './embeddings/transformers.ts';
