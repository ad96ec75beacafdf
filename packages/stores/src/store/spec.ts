// The comparison of a load's spec with that of the store. Each refusal is one sentence that names both sides and the
// way out.
import { type StoreSpec, type VectorStore, VectorStoreError } from '@grainline/core';
import { LAYOUT, type SpecNote } from './manifest.ts';

/** The collection, as messages name it. */
export type StorePlace = Pick<VectorStore, 'url' | 'collection'>;

/** Every refusal has this way out besides its own. */
const OTHER_COLLECTION = 'name another collection with ?collection=NAME';

/** @throws VectorStoreError `other_layout` */
export function assertLayout({ layout }: SpecNote, { collection, url }: StorePlace): void {
  if (layout !== LAYOUT)
    throw new VectorStoreError(
      'other_layout',
      `The collection ${collection} of ${url} has layout ${layout}, and this version of grainline works with layout ${LAYOUT}; use the version that made it, or ${OTHER_COLLECTION}.`,
    );
}

/**
 * Throws unless a load with this spec may write into the store.
 *
 * @throws VectorStoreError `other_layout`, `other_embedder`, `other_dimensions`, `other_blend`, `other_version`
 */
export function assertSameSpec(
  stored: SpecNote,
  { embedding, versions }: StoreSpec,
  { place, acceptVersions }: { readonly place: StorePlace; readonly acceptVersions: boolean },
): void {
  assertLayout(stored, place);
  assertSameEmbedding(stored.embedding, embedding, place);
  const changed = Object.entries(versions).filter(
    ([name, version]) => (stored.versions[name] ?? version) !== version,
  );
  if (changed.length > 0 && !acceptVersions)
    throw new VectorStoreError(
      'other_version',
      `${subjectOf(place)} has chunks of ${changed.map(([name]) => `${name} ${stored.versions[name] ?? ''}`).join(', ')}, and this load makes them by ${changed.map(([name, version]) => `${name} ${version}`).join(', ')}; accept the new versions, keep the old ones, or ${OTHER_COLLECTION}.`,
    );
}

/**
 * Throws unless vectors of an embedding can stand beside the stored ones. `prepare` checks it; before a dry run and
 * a search, which prepare nothing, the caller does.
 *
 * @param stored the store's, as `inspect` gives it
 * @param place the store, for the message
 * @throws VectorStoreError `other_embedder`, `other_dimensions`, `other_blend`
 */
export function assertSameEmbedding(
  stored: StoreSpec['embedding'],
  embedding: StoreSpec['embedding'],
  place: Pick<VectorStore, 'url' | 'collection'>,
): void {
  const { model, dimensions, blend = 0 } = stored;
  const store = subjectOf(place);
  if (model !== embedding.model)
    throw new VectorStoreError(
      'other_embedder',
      `${store} holds vectors of ${model}, and these are of ${embedding.model}; embed with ${model}, or ${OTHER_COLLECTION}.`,
    );
  if (dimensions !== embedding.dimensions)
    throw new VectorStoreError(
      'other_dimensions',
      `${store} holds vectors of ${dimensions} numbers, and these have ${embedding.dimensions}; embed with ${dimensions} dimensions, or ${OTHER_COLLECTION}.`,
    );
  if (blend !== (embedding.blend ?? 0))
    throw new VectorStoreError(
      'other_blend',
      `${store} holds vectors with blend ${blend}, and these have ${embedding.blend ?? 0}; use blend ${blend}, or ${OTHER_COLLECTION}.`,
    );
}

/** The collection as the subject of a sentence. */
function subjectOf({ collection, url }: StorePlace): string {
  return `The collection ${collection} of ${url}`;
}

export function notPrepared({ collection, url }: StorePlace): VectorStoreError {
  return new VectorStoreError(
    'not_prepared',
    `Nothing has been loaded into the collection ${collection} of ${url}; load documents first.`,
  );
}

export function foreignCollection({ collection, url }: StorePlace): VectorStoreError {
  return new VectorStoreError(
    'foreign_collection',
    `The collection ${collection} of ${url} exists, and grainline did not make it; ${OTHER_COLLECTION}.`,
  );
}
