// The registry of formats. Help texts, error messages and types are derived from it.
import { chroma } from './chroma.ts';
import type { Format } from './format.ts';
import { pinecone } from './pinecone.ts';
import { qdrant } from './qdrant.ts';
import { raw } from './raw.ts';
import { weaviate } from './weaviate.ts';

/** Every format by its id. */
export const FORMATS = { raw, pinecone, weaviate, chroma, qdrant } as const satisfies Readonly<
  Record<string, Format>
>;

/** Id of a format: `raw`, `pinecone`, … */
export type FormatId = keyof typeof FORMATS;

type Parts<Id extends FormatId> =
  (typeof FORMATS)[Id] extends Format<infer TextOnly, infer WithVector, infer Extras>
    ? { textOnly: TextOnly; withVector: WithVector; extras: Extras }
    : never;

/** A record of a format, made without vectors. */
export type TextRecord<Id extends FormatId> = Parts<Id>['textOnly'];
/** A record of a format, made with vectors. */
export type VectorRecord<Id extends FormatId> = Parts<Id>['withVector'];
/** A record of a format. */
export type StoreRecord<Id extends FormatId> = TextRecord<Id> | VectorRecord<Id>;
/** The data beside the records of a format. */
export type ExtrasOf<Id extends FormatId> = Parts<Id>['extras'];
