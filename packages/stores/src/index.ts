/**
 * Vector databases behind the port `VectorStore` of `@grainline/core`: one URL opens any of them. The clients of the
 * databases are optional peers.
 */
export { openStore } from './open.ts';
export type { OpenOptions } from './open.ts';
export { assertSameEmbedding } from './store/spec.ts';
export { storeTable } from './table.ts';
export type { StoreTableRow } from './table.ts';
