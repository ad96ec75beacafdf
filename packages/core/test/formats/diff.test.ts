// The plan from one version of a document to the next, against a store that is a Map, and after edits of long texts.
import { type Chunk, chunkSync, indexedText, type SyncTierId } from '@grainline/core';
import {
  blendVectors,
  diff,
  FORMATS,
  type FormatId,
  formatChunks,
  identify,
  type StoredRecord,
} from '@grainline/core/formats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { random } from '../../bench/corpora.ts';
import { anyDocument } from '@grainline/testing/documents';
import { hostileChunks, vectorOf, vectorsFor } from './samples.ts';
import { chunksBy, SYNCHRONOUS_TIERS, TIER_IDS } from '@grainline/testing/tiers';

const FORMAT_IDS = Object.keys(FORMATS) as FormatId[];
const about = { documentId: 'handbook.pdf', filename: 'handbook.pdf' };
const recordsOf = (chunks: readonly Chunk[], format: FormatId): StoredRecord[] =>
  formatChunks(chunks, format, about).records;
const idOf = ({ id, _id }: StoredRecord): string => id ?? _id ?? '';
const storeOf = (records: readonly StoredRecord[]): Map<string, StoredRecord> =>
  new Map(records.map((record) => [idOf(record), record]));

describe.each(FORMAT_IDS)('diff of records in the format %s', (format) => {
  it('turns a store of one version into a store of the other', async () => {
    const sizes = fc.integer({ min: 5, max: 200 });
    await fc.assert(
      fc.asyncProperty(
        anyDocument,
        anyDocument,
        fc.constantFrom(...TIER_IDS),
        sizes,
        async (a, b, tier, size) => {
          const cut = async (text: string) => recordsOf(await chunksBy(tier, text, { size }), format);
          const [previous, next] = [await cut(a + b), await cut(b + a)];
          const store = storeOf(previous);
          const plan = diff([...store.values()], next);
          for (const record of plan.keep) expect(store.get(idOf(record))).toEqual(record);
          for (const record of plan.insert) expect(store.has(idOf(record))).toBe(false);
          for (const record of plan.update) expect(store.get(idOf(record))).not.toEqual(record);
          for (const id of plan.delete) expect(store.delete(id)).toBe(true);
          for (const record of [...plan.insert, ...plan.update]) store.set(idOf(record), record);
          expect(store).toEqual(storeOf(next));
        },
      ),
      cases(40),
    );
  });

  it('keeps everything when nothing has changed, whatever the order of keys and with vectors on either side', () => {
    const chunks = hostileChunks();
    const records = recordsOf(chunks, format);
    const reversed = (value: unknown): unknown =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(
            Object.entries(value)
              .reverse()
              .map(([key, member]) => [key, reversed(member)]),
          )
        : value;
    const withVectors = formatChunks(chunks, format, {
      ...about,
      vectors: vectorsFor(chunks.length),
    }).records;
    const same = diff(records.map(reversed) as StoredRecord[], records);
    expect(same).toEqual({ insert: [], reembed: [], update: [], keep: records, delete: [] });
    expect(diff(withVectors, withVectors).keep).toEqual(withVectors);
  });

  it('updates what has its context from another place', () => {
    const filler = 'Nothing else is of note here, and the text goes on for some time. '.repeat(12);
    const textWith = (more: string): string =>
      `RAG is used here. ${filler}\n\n${filler}${more}\n\nRetrieval-Augmented Generation (RAG) is told of late. ${filler}`;
    const [previous, next] = ['', 'More.'].map((more) =>
      recordsOf(chunkSync(textWith(more), { tier: 'professional', size: 500 }), format),
    );
    const store = storeOf(previous!);
    const plan = diff(previous!, next!);
    expect(plan.keep.length).toBeGreaterThan(0);
    for (const record of plan.keep) expect(store.get(idOf(record))).toEqual(record);
  });

  it('updates what has lost or gained a member', () => {
    const pages = { text: 'One. Two.', blocks: [], pages: [0, 5], mediaType: 'text/plain', warnings: [] };
    const paged = recordsOf(chunkSync(pages, { size: 4 }), format);
    const plain = recordsOf(chunkSync(pages.text, { size: 4 }), format);
    expect(diff(paged, plain).update).toEqual(plain);
    expect(diff(plain, paged).update).toEqual(paged);
  });
});

describe('diff', () => {
  it('takes ids alone for what is stored, and then knows nothing to keep', () => {
    const records = formatChunks(chunkSync('One. Two. Six.', { size: 4 }), 'raw', about).records;
    const ids = records.map(({ id }) => ({ id }));
    expect(diff([...ids.slice(1), { id: 'gone' }], records)).toEqual({
      insert: records.slice(0, 1),
      reembed: [],
      update: records.slice(1),
      keep: [],
      delete: ['gone'],
    });
  });

  it('compares lists of words, which are no vectors', () => {
    const record = { id: 'one', keywords: ['tide', 'bar'] };
    expect(diff([record], [{ ...record, keywords: ['tide', 'quay'] }]).update).toHaveLength(1);
    expect(diff([record], [{ ...record, keywords: ['tide', 'bar'] }]).keep).toHaveLength(1);
  });

  it('inserts everything into nothing, and deletes everything for nothing', () => {
    const records = recordsOf(hostileChunks(), 'raw');
    expect(diff([], records)).toEqual({ insert: records, reembed: [], update: [], keep: [], delete: [] });
    expect(diff(records, [])).toEqual({
      insert: [],
      reembed: [],
      update: [],
      keep: [],
      delete: records.map(idOf),
    });
  });

  it('knows a repeated paragraph as the same content, wherever it stands', () => {
    const line = 'The same line.';
    const before = recordsOf(chunkSync(`${line}\n\n${line}`, { size: 15 }), 'raw');
    const after = recordsOf(chunkSync(`${line}\n\nNew.\n\n${line}\n\n${line}`, { size: 15 }), 'raw');
    const plan = diff(before, after);
    expect(plan.insert.map((record) => (record as { text?: string }).text)).toEqual(['New.', line]);
    expect([plan.keep.length, plan.update.length, plan.delete.length]).toEqual([1, 1, 0]);
  });

  it('refuses what has no id, by its place', () => {
    const refused = (previous: unknown, next: unknown) => () => diff(previous as never, next as never);
    expect(refused([{ id: 'a' }, {}], [null])).toThrow(
      'previous[1] must be a record with an id, but is an object; next[0] must be a record with an id, but is null',
    );
    expect(refused('x', [{ id: 7 }])).toThrow('previous must be an array of records');
  });
});

describe('diff with blend', () => {
  const BLEND = 0.4;
  const embedded = (chunks: readonly Chunk[], blend: number, model = 'words') => ({
    ...about,
    vectors: blendVectors(
      chunks.map((piece) => vectorOf(indexedText(piece))),
      blend,
    ),
    embedding: { model, dimensions: 8, blend },
  });

  it.each(FORMAT_IDS)('brings a store to what a fresh one holds, vectors included: %s', (format) => {
    const sizes = fc.integer({ min: 5, max: 120 });
    const same = fc.property(anyDocument, anyDocument, sizes, fc.boolean(), (a, b, size, isReversed) => {
      const cut = (text: string): Chunk[] => chunkSync(text, { tier: 'standard', size });
      const versions = [cut(`${a}\n\n${b}\n\n${a}`), cut(`${b}\n\n${a}`)] as const;
      const [previous, next] = versions.map(
        (chunks) => formatChunks(chunks, format, embedded(chunks, BLEND)).records as StoredRecord[],
      );
      const store = storeOf(previous!);
      // A store lists its records in an order of its own; those with their place are sorted by it.
      const listed = isReversed ? [...store.values()].reverse() : [...store.values()];
      const fresh = storeOf(next!);
      const plan = diff(listed, recordsOf(versions[1], format), { blend: BLEND });
      for (const id of plan.delete) store.delete(id);
      for (const record of [...plan.insert, ...plan.reembed])
        store.set(idOf(record), fresh.get(idOf(record))!);
      const vectorIn = (record: object): unknown =>
        ['embedding', 'values', 'vector'].flatMap((key) => (key in record ? [record[key as never]] : []))[0];
      for (const record of [...plan.keep, ...plan.update])
        expect(vectorIn(store.get(idOf(record))!)).toEqual(vectorIn(fresh.get(idOf(record))!));
      for (const record of plan.keep) expect(store.get(idOf(record))).toEqual(fresh.get(idOf(record)));
      expect(new Set(store.keys())).toEqual(new Set(fresh.keys()));
    });
    fc.assert(same, cases(40));
  });

  it('names the neighbours of what is inserted, deleted or moved, and no others', () => {
    const records = (words: string) => Array.from(words, (id) => ({ id }));
    const reembedded = (before: string, after: string) =>
      diff(records(before), records(after), { blend: BLEND })
        .reembed.map(({ id }) => id)
        .join('');
    expect(reembedded('abcdef', 'abcxdef')).toBe('cd');
    expect(reembedded('abcdef', 'abdef')).toBe('bd');
    expect(reembedded('abcdef', 'abxdef')).toBe('bd');
    expect(reembedded('abcdef', 'acdebf')).toBe('acebf');
    expect(reembedded('abcdef', 'abcdef')).toBe('');
    expect(diff(records('abcdef'), records('abcxdef')).reembed).toEqual([]);
  });

  it('names what was embedded by another model, in other dimensions or with another weight', () => {
    const chunks = hostileChunks().slice(0, 5);
    const recordsBy = (blend: number, model?: string) =>
      formatChunks(chunks, 'qdrant', embedded(chunks, blend, model)).records;
    const stored = recordsBy(BLEND);
    expect(stored[0]?.payload).toMatchObject({
      embedding_model: 'words',
      embedding_dimensions: 8,
      embedding_blend: BLEND,
    });
    expect(diff(stored, recordsBy(BLEND), { blend: BLEND }).keep).toHaveLength(5);
    expect(diff(stored, recordsBy(BLEND, 'other'), { blend: BLEND }).reembed).toHaveLength(5);
    expect(diff(stored, recordsBy(0)).reembed).toHaveLength(5);
    expect(diff(stored, recordsOf(chunks, 'qdrant'), { blend: BLEND }).keep).toHaveLength(5);
  });

  it('takes the weight from the stored records, else from the new ones', () => {
    const chunks = hostileChunks().slice(0, 6);
    const stored = formatChunks(chunks, 'chroma', embedded(chunks, BLEND)).records;
    const next = stored.toSpliced(2, 1);
    const named = diff(stored, next, { blend: BLEND }).reembed;
    expect(named).toHaveLength(2);
    expect(diff(stored, next).reembed).toEqual(named);
    const ids = stored.map(({ id }) => ({ id }));
    expect(diff(ids, next).reembed).toEqual(named);
    expect(diff(ids, recordsOf(chunks.toSpliced(2, 1), 'chroma')).reembed).toEqual([]);
    expect(diff(stored, next, { blend: 0 }).reembed).toEqual([]);
  });

  it('refuses a weight outside 0 to 1 and other options', () => {
    expect(() => diff([], [], { blend: 7 })).toThrow('blend must be a number from 0 to 1, but is 7');
    expect(() => diff([], [], { blended: 1 } as object)).toThrow('blended');
  });
});

/** Prose of equal words for equal seeds: sentences of 4 to 25 words, some with a comma. */
function prose(length: number, paragraphs: string): string {
  const next = random(7);
  const words =
    'tide harbour pilot board ship beyond bar water moon spring neap ebb flood channel the of and'.split(' ');
  let text = '';
  while (text.length < length) {
    for (let sentences = 1 + next(9); sentences > 0; sentences--) {
      const sentence = Array.from({ length: 4 + next(22) }, () => words[next(words.length)]).join(' ');
      text += `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}. `;
    }
    text = `${text.trimEnd()}${paragraphs}`;
  }
  return text;
}

/** How many chunks each of 15 edits of one sentence inserts or deletes, whichever is more, in ascending order. */
function touched(text: string, tier: SyncTierId): number[] {
  const chunksOf = (source: string) =>
    identify(chunkSync(source, { tier }), { documentId: about.documentId });
  const previous = chunksOf(text);
  const next = random(99);
  const counts = Array.from({ length: 15 }, (_, index) => {
    const start = text.lastIndexOf('. ', next(text.length)) + 2;
    const end = text.indexOf('. ', start) + 2;
    const after = index % 3 === 0 ? start : end;
    const added = index % 3 === 1 ? '' : 'An edit of one sentence that was not there before. ';
    const plan = diff(previous, chunksOf(text.slice(0, start) + added + text.slice(after)));
    return Math.max(plan.insert.length, plan.delete.length);
  });
  return counts.sort((one, other) => one - other);
}

describe('an edit of one sentence in a long text', () => {
  it.each(SYNCHRONOUS_TIERS)(
    'touches one or two chunks of the tier %s most often, and hardly ever five',
    (tier) => {
      const counts = touched(prose(200_000, '\n\n'), tier);
      expect(counts.at(-1)).toBeLessThanOrEqual(5);
      expect(counts[12]).toBeLessThan(5);
      expect(counts[7]).toBeLessThanOrEqual(2);
    },
  );

  it.each(['standard', 'structure'] as const)(
    'touches a few chunks of the tier %s where no line ever ends, once up to a hundred',
    (tier) => {
      const counts = touched(prose(200_000, ' '), tier);
      expect(counts.at(-1)).toBeLessThanOrEqual(15);
      expect(counts[7]).toBeLessThan(5);
    },
  );
});
