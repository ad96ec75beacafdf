/** Embedders for the tier `semantic`: one built in, and adapters for others. `@grainline/models/embeddings`. */
export { cachedEmbedder, EmbeddingCache } from './cache.ts';
export { ModelError, type ModelErrorCode } from '../errors.ts';
export { openAiEmbedder, type OpenAiOptions } from './openai.ts';
export { staticEmbedder } from './static.ts';
export { transformersEmbedder, type TransformersOptions } from './transformers.ts';
