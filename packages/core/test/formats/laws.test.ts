// Laws of every format. The suite reads the registry, so it tests a new format without a change.
import { chunkSync, ChunkError, indexedText, type Chunk } from '@grainline/core';
import {
  batches,
  boundRecordBytes,
  checkRecordOptions,
  FORMATS,
  type FormatId,
  identify,
  formatChunks,
} from '@grainline/core/formats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { FLAT_KEYS } from '../../src/formats/format.ts';
import { storable } from '../../src/formats/identify.ts';
import { HOSTILE_NAMES, hostileChunks, vectorsFor } from './samples.ts';

const IDS = Object.keys(FORMATS) as FormatId[];
const about = { documentId: 'handbook.pdf' };

/** Every string, key or value, anywhere inside. */
function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [key, ...stringsIn(member)]);
}

/** The object of a record that holds its metadata: the one with chunk_index. */
function metadataOf(record: unknown): Record<string, unknown> {
  const places: unknown[] = [record, ...Object.values(record as Record<string, unknown>)];
  const found = places.find((place) => typeof place === 'object' && place !== null && 'chunk_index' in place);
  if (found === undefined) throw new Error('a record without metadata');
  return found;
}

const idOf = (record: unknown): unknown =>
  (record as { id?: unknown; _id?: unknown }).id ?? (record as { _id?: unknown })._id;

/** Hand-made chunks of any text whatever, ill-formed too; the chunker itself would refuse those. */
const anyChunks: fc.Arbitrary<Chunk[]> = fc
  .array(fc.tuple(fc.string({ unit: 'binary', maxLength: 30 }), fc.boolean(), fc.boolean()), {
    maxLength: 12,
  })
  .map((pieces) => {
    let at = 0;
    return pieces.map(([text, paged, withContext]): Chunk => {
      const start = at;
      at += text.length + 1;
      const context = [{ kind: 'heading-path', text: 'A > B', start: 0, end: 5 }] as const;
      return {
        text,
        start,
        end: start + text.length,
        overlap: 0,
        ...(withContext ? { context } : undefined),
        metadata: paged ? { pageStart: 1, pageEnd: 2 } : {},
      };
    });
  });
const anyName = fc.oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.constantFrom(...HOSTILE_NAMES));

describe.each(IDS)('format %s', (format) => {
  it.each([false, true])(
    'gives one record a chunk, in order, for hostile text (vectors: %s)',
    (withVectors) => {
      const chunks = hostileChunks();
      const options = withVectors ? { ...about, vectors: vectorsFor(chunks.length) } : about;
      const { records } = formatChunks(chunks, format, options);
      expect(records.map((record) => metadataOf(record)['chunk_index'])).toEqual(
        chunks.map((_, index) => index),
      );
      for (const [index, record] of records.entries()) {
        const expected = indexedText(chunks[index]!);
        expect(stringsIn(record).some((text) => text === expected || text === `${expected} `)).toBe(true);
      }
    },
  );

  it('knows how many bytes its records have at most, before they are made', () => {
    const names = { ...about, filename: 'a "name".pdf', tier: 'free', metadata: { tenant: 'é'.repeat(30) } };
    const written = (options: Parameters<typeof formatChunks>[2], chunks: readonly Chunk[]): number => {
      const { records, extras } = formatChunks(chunks, format, options);
      // Advice for the upsert does not grow with the records.
      const columns = { ...extras, upsert: undefined };
      return Buffer.byteLength(JSON.stringify(records) + JSON.stringify(columns));
    };
    const samples = [hostileChunks(), chunkSync('High water follows the moon. '.repeat(400), { size: 10 })];
    for (const chunks of samples) {
      const bytes = written(names, chunks);
      const bound = boundRecordBytes(chunks, format, names);
      expect(bound).toBeGreaterThanOrEqual(bytes);
      expect(bound).toBeLessThan(1.1 * bytes);
      // The longest numbers of six digits.
      const vectors = chunks.map(() => Array.from({ length: 8 }, () => -0.00000123456));
      const withVectors = written({ ...names, vectors }, chunks);
      const boundWithVectors = boundRecordBytes(chunks, format, names, 8);
      expect(boundWithVectors).toBeGreaterThanOrEqual(withVectors);
      expect(boundWithVectors).toBeLessThan(1.1 * withVectors);
    }
    fc.assert(
      fc.property(anyChunks, anyName, (chunks, filename) => {
        const options = { ...about, filename };
        expect(boundRecordBytes(chunks, format, options) + 64).toBeGreaterThanOrEqual(
          written(options, chunks),
        );
      }),
      cases(100),
    );
  });

  it('gives the ids of identify, unique', () => {
    const chunks = hostileChunks();
    const ids = formatChunks(chunks, format, about).records.map(idOf);
    expect(ids).toEqual(identify(chunks, about).map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('never lets NUL or a lone surrogate out, whatever the text and the names', () => {
    fc.assert(
      fc.property(anyChunks, anyName, anyName, (chunks, name, other) => {
        const names = {
          filename: name,
          sourceUrl: other,
          tier: name,
          contentType: other,
          language: name,
          reader: other,
        };
        const formatted = formatChunks(chunks, format, { documentId: `d${other}`, ...names });
        for (const text of stringsIn(formatted))
          expect(text.isWellFormed() && !text.includes('\0')).toBe(true);
      }),
      cases(100),
    );
  });

  it('gives flat metadata: known keys, one type each, nothing null, empty or nested', () => {
    const types = new Map<string, string>();
    fc.assert(
      fc.property(anyChunks, anyName, (chunks, filename) => {
        for (const record of formatChunks(chunks, format, { ...about, filename, tier: '' }).records) {
          const metadata = Object.entries(metadataOf(record));
          for (const [key, value] of metadata.filter(([key]) => FLAT_KEYS.includes(key as never))) {
            expect(typeof value).toBe(types.get(key) ?? typeof value);
            types.set(key, typeof value);
            expect(['string', 'number', 'boolean']).toContain(typeof value);
            expect(value).not.toBe('');
          }
          const others = metadata.map(([key]) => key).filter((key) => !FLAT_KEYS.includes(key as never));
          expect(others.filter((key) => !['text', '_id'].includes(key))).toEqual([]);
        }
      }),
      cases(100),
    );
  });

  it('gives every record the caller’s own metadata beside ours, whatever they say, and the same ids', () => {
    const key = fc.stringMatching(/^own_[a-z0-9]{1,12}$/);
    const value = fc.oneof(
      anyName.filter((text) => text !== ''),
      fc.double({ noDefaultInfinity: true, noNaN: true }),
      fc.boolean(),
    );
    fc.assert(
      fc.property(anyChunks, fc.dictionary(key, value), (chunks, metadata) => {
        const plain = formatChunks(chunks, format, about).records;
        const { records } = formatChunks(chunks, format, { ...about, metadata });
        const storedAs = Object.entries(metadata).map(([name, one]): [string, unknown] => [
          name,
          typeof one === 'string' ? storable(one) : one,
        ]);
        for (const [index, record] of records.entries()) {
          expect(idOf(record)).toBe(idOf(plain[index]));
          expect(metadataOf(record)).toEqual({
            ...Object.fromEntries(storedAs),
            ...metadataOf(plain[index]),
          });
        }
      }),
      cases(100),
    );
  });

  it('refuses own metadata that would hide ours, that no database stores, or that are none, all at once', () => {
    const wrong = { chunk_index: 7, '': 'x', tags: ['a'], nothing: null, blank: '', odd: NaN, fine: 1 };
    const refused = (metadata: unknown, options = about): string[] => {
      try {
        checkRecordOptions(format, { ...options, metadata } as never);
        return [];
      } catch (error) {
        return (error as ChunkError).issues.map(({ option, received }) => `${option}: ${received}`);
      }
    };
    expect(refused(wrong)).toEqual([
      'a key of metadata: "chunk_index"',
      'a key of metadata: ""',
      'metadata.tags: an array of 1',
      'metadata.nothing: null',
      'metadata.blank: ""',
      'metadata.odd: NaN',
    ]);
    expect(refused('author=me')).toEqual(['metadata: "author=me"']);
    if (!('textField' in FORMATS[format].names)) return;
    expect(refused({ text: 'x' })).toEqual(['a key of metadata: "text"']);
    expect(refused({ text: 'x', body: 'y' }, { ...about, textField: 'body' } as never)).toEqual([
      'a key of metadata: "body"',
    ]);
  });

  it('gives offsets that lead back to the source, and a char_count that is the length of the text', () => {
    const chunks = hostileChunks();
    const text = chunks.reduce(
      (whole, piece) => whole.slice(0, piece.start).padEnd(piece.start) + piece.text,
      '',
    );
    for (const [index, record] of formatChunks(chunks, format, about).records.entries()) {
      const metadata = metadataOf(record);
      expect(text.slice(metadata['start_offset'] as number, metadata['end_offset'] as number)).toBe(
        chunks[index]!.text,
      );
      expect(metadata['char_count']).toBe(indexedText(chunks[index]!).length);
    }
  });

  it('survives JSON unchanged and is the same on every call', () => {
    const chunks = hostileChunks();
    const options = { ...about, filename: 'a.pdf', vectors: vectorsFor(chunks.length) };
    const formatted = formatChunks(chunks, format, options);
    expect(JSON.parse(JSON.stringify(formatted))).toEqual(formatted);
    expect(JSON.stringify(formatChunks(chunks, format, options))).toBe(JSON.stringify(formatted));
  });

  it('leaves its input alone', () => {
    const chunks = hostileChunks();
    const vectors = vectorsFor(chunks.length);
    const before = JSON.stringify([chunks, vectors]);
    formatChunks(chunks, format, { ...about, vectors });
    expect(JSON.stringify([chunks, vectors])).toBe(before);
  });

  it('makes no records of no chunks', () => {
    expect(formatChunks([], format, about).records).toEqual([]);
    expect([...batches([], format)]).toEqual([]);
  });

  it('takes vectors as embedders give them, in arrays of any kind', () => {
    const chunks = chunkSync('One. Two.');
    const given = formatChunks(chunks, format, { ...about, vectors: [[0.5, 0.25]] });
    // The vectors of an `Embed`, with the type that they have there.
    const kinds: ArrayLike<number>[] = [
      Float32Array.of(0.5, 0.25),
      Float64Array.of(0.5, 0.25),
      { length: 2, 0: 0.5, 1: 0.25 },
    ];
    for (const vector of kinds)
      expect(formatChunks(chunks, format, { ...about, vectors: [vector] })).toEqual(given);
    expect(JSON.stringify(given.records)).toContain('[0.5,0.25]');
  });

  it('refuses vectors that are too few, of different length, empty or not finite, each by name', () => {
    const chunks = chunkSync('One sentence. Another sentence. A third sentence.', { size: 20 });
    const issuesOf = (vectors: unknown): string[] => {
      try {
        formatChunks(chunks, format, { ...about, vectors: vectors as number[][] });
      } catch (error) {
        if (error instanceof ChunkError && error.code === 'invalid_options')
          return error.issues.map(({ option }) => option);
        throw error;
      }
      return [];
    };
    const good = vectorsFor(chunks.length);
    expect(issuesOf(good)).toEqual([]);
    expect(issuesOf(good.slice(1))).toEqual(['vectors']);
    expect(issuesOf('x')).toEqual(['vectors']);
    expect(issuesOf(good.with(1, [1]))).toEqual(['vectors[1]']);
    expect(issuesOf(good.with(0, []))).toEqual(['vectors[0]']);
    expect(issuesOf(good.with(2, good[2]!.with(3, NaN)))).toEqual(['vectors[2]']);
    expect(issuesOf(good.with(2, good[2]!.with(3, 1e39)))).toEqual(['vectors[2]']);
    for (const none of [null, '123', { length: -1 }, BigInt64Array.of(1n), new DataView(new ArrayBuffer(8))])
      expect(issuesOf(good.with(2, none as never))).toEqual(['vectors[2]']);
  });

  it('reports every wrong option at once', () => {
    const wrong = {
      documentId: '',
      filename: 7,
      collection: '9 lives',
      textField: 'chunk_index',
      colour: 'red',
    };
    const call = () => formatChunks([], format, wrong as never);
    const options = ['documentId', 'filename', 'collection', 'textField', 'colour'];
    expect(call).toThrow(
      expect.objectContaining({
        code: 'invalid_options',
        issues: options.map((option) => expect.objectContaining({ option }) as unknown),
      }),
    );
    expect(() => checkRecordOptions(format, wrong as never)).toThrow(ChunkError);
  });

  it('slices any records into batches that are legal, in order, complete and never empty', () => {
    fc.assert(
      fc.property(
        anyChunks,
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 600, max: 2000 }),
        (chunks, maxRecords, maxBytes) => {
          const { records } = formatChunks(chunks, format, about);
          const slices = [...batches(records, format, { maxRecords, maxBytes })];
          expect(slices.flat()).toEqual(records);
          for (const [index, slice] of slices.entries()) {
            expect(slice.length).toBeGreaterThan(0);
            expect(slice.length).toBeLessThanOrEqual(maxRecords);
            expect(Buffer.byteLength(JSON.stringify(slice))).toBeLessThanOrEqual(maxBytes);
            const next = slices[index + 1]?.[0];
            const more = [...slice, next];
            // As long as it can be: one more record would break a limit.
            if (next !== undefined && slice.length < maxRecords) {
              expect(Buffer.byteLength(JSON.stringify(more))).toBeGreaterThan(maxBytes);
            }
          }
        },
      ),
      cases(100),
    );
  });

  it('names the record that no request can hold, after yielding those before it', () => {
    const { records } = formatChunks(
      chunkSync(`${'ab '.repeat(10)}\n\n${'x'.repeat(900)}`, { tier: 'free', size: 900 }),
      format,
      about,
    );
    const slices = batches(records, format, { maxBytes: 1000 });
    expect(slices.next().value).toEqual([records[0]]);
    expect(() => slices.next()).toThrow(expect.objectContaining({ code: 'record_too_large' }));
    expect(() => [...batches(records, format, { maxBytes: 1000 })]).toThrow(
      /^Record 1 \("[0-9a-f-]{36}"\) takes/,
    );
  });

  it('refuses limits that are no counts, at the call', () => {
    for (const limits of [{ maxRecords: 0 }, { maxBytes: NaN }, { maxRecords: 1.5 }, { records: 7 }]) {
      expect(() => batches([], format, limits)).toThrow(expect.objectContaining({ code: 'invalid_options' }));
    }
  });

  it('advises as many records a request as every run of that length stays legal', () => {
    const chunks = hostileChunks(120, 0);
    const { records, extras } = formatChunks(chunks, format, about);
    const limits = FORMATS[format].limits(records[0] as never);
    if (extras.upsert === undefined) {
      expect(records.length).toBeLessThanOrEqual(limits.maxRecords);
      return;
    }
    const { calls, max_records: most } = extras.upsert;
    expect(calls).toBe(Math.ceil(records.length / most));
    for (let at = 0; at < records.length; at += most) {
      const slice = records.slice(at, at + most);
      expect(slice.length).toBeLessThanOrEqual(limits.maxRecords);
      expect(Buffer.byteLength(JSON.stringify(slice))).toBeLessThanOrEqual(limits.maxBytes);
    }
  });
});

describe('all formats together', () => {
  it('give equal ids for equal chunks', () => {
    const chunks = hostileChunks();
    const [first, ...others] = IDS.map((format) => formatChunks(chunks, format, about).records.map(idOf));
    for (const ids of others) expect(ids).toEqual(first);
  });

  it('keep the records of untouched chunks after an edit, but for place and count', () => {
    const paragraph = (index: number): string =>
      `Paragraph ${index}: ${'words and more words '.repeat(15)}${index}.`;
    const before = Array.from({ length: 40 }, (_, index) => paragraph(index));
    const after = before.with(3, 'Rewritten.');
    const idsOf = (paragraphs: string[]): [string, string][] => {
      const chunks = chunkSync(paragraphs.join('\n\n'), { size: 350 });
      return formatChunks(chunks, 'raw', about).records.map(({ id, text }) => [text, id]);
    };
    const old = new Map(idsOf(before));
    const kept = idsOf(after).filter(([text]) => old.has(text));
    expect(kept.length).toBeGreaterThan(35);
    for (const [text, id] of kept) expect(id).toBe(old.get(text));
  });

  it('are the only ones: another name is refused with the list', () => {
    expect(() => formatChunks([], 'milvus' as FormatId, about)).toThrow(
      'one of raw, pinecone, weaviate, chroma, qdrant',
    );
    expect(() => checkRecordOptions('toString', about)).toThrow(ChunkError);
    expect(() => batches([], 'constructor' as FormatId)).toThrow(ChunkError);
    expect(() => formatChunks('text' as never, 'raw', about)).toThrow('chunks must be an array');
    const [piece] = chunkSync('One.');
    for (const wrong of [null, 'text', { ...piece, text: 7 }, { ...piece, start: NaN }, { text: 'One.' }]) {
      expect(() => formatChunks([piece, wrong] as never, 'raw', about)).toThrow('chunks[1] must be a chunk');
      expect(() => identify([piece, wrong] as never, about)).toThrow('chunks[1] must be a chunk');
    }
    expect(() => formatChunks([], 'raw', undefined as never)).toThrow('options must be an object');
  });
});
