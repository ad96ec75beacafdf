/**
 * Grainline's models: exact token counters, embedders and language models. This entry exports all of `/tokens`,
 * `/embeddings` and `/language`.
 */
export * from './tokens/counter.ts';
export * from './embeddings/index.ts';
export * from './language/index.ts';
