// The registry of databases. Error messages and the table of the docs are derived from it.
import type { Adapter } from '../connection.ts';
import { chroma } from './chroma/index.ts';
import { elasticsearch, opensearch } from './elasticsearch/index.ts';
import { lancedb } from './lancedb/index.ts';
import { memory } from './memory/index.ts';
import { pgvector } from './pgvector/index.ts';
import { pinecone } from './pinecone/index.ts';
import { qdrant } from './qdrant/index.ts';
import { weaviate } from './weaviate/index.ts';

/** Every database; the order is that of messages and docs. */
export const DATABASES: readonly Adapter[] = [
  pgvector,
  qdrant,
  weaviate,
  chroma,
  lancedb,
  elasticsearch,
  opensearch,
  pinecone,
  memory,
];
