import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { checkChunkOptions, chunk, chunkStream, chunkSync, indexedText } from '../src/chunk.ts';
import type { ChunkOptions, Progress } from '../src/chunk-options.ts';
import type { Complete } from '../src/complete.ts';
import { type CohesionGain, type Embed, type Embedder, type Embeddings, toEmbed } from '../src/embed.ts';
import { ChunkError } from '../src/errors.ts';
import { toRecords, vectorsOf } from '../src/formats/index.ts';
import { NASTY } from './counters.ts';
import { wordEmbedder } from '@grainline/testing/embedders';
import { scripted } from '@grainline/testing/language-models';
import { rejectionOf } from '@grainline/testing/rejection';

/** Sentences of one topic: each with three of its words. */
const topic = (words: readonly string[], count: number): string[] =>
  Array.from({ length: count }, (_, at) => {
    const [a, b, c] = [0, 1, 2].map((step) => words[(at + step * (1 + (at % 2))) % words.length]);
    return `It was said of the ${a} that ${b} and also ${c} had been there ${['never', 'once', 'twice', 'often', 'always', 'before', 'since', 'again', 'later', 'first'][at]}.`;
  });
const SEA = topic(['harbour', 'vessel', 'anchor', 'sailor', 'current', 'lighthouse'], 9);
const BREAD = topic(['flour', 'oven', 'dough', 'yeast', 'crust', 'baker'], 8);
const LAW = topic(['court', 'judge', 'verdict', 'appeal', 'lawyer', 'witness'], 10);
const TOPICS = [SEA, BREAD, LAW].map((sentences) => sentences.join(' '));
const TEXT = TOPICS.join(' ');

const semantic = (text: string, more: Partial<ChunkOptions> = {}) =>
  chunk(text, { tier: 'semantic', embed: wordEmbedder, kind: 'text', size: 1800, ...more });

const errorOf = (work: Promise<unknown>): Promise<ChunkError> => rejectionOf(work, ChunkError);

describe('the tier semantic', () => {
  it('cuts a text without structure where its topics change', async () => {
    expect((await semantic(TEXT)).map(({ text }) => text)).toEqual(TOPICS);
  });

  it('cuts where topics change although sentences begin with small letters', async () => {
    const lower = TOPICS.map((text) => text.toLowerCase());
    expect((await semantic(lower.join(' '))).map(({ text }) => text)).toEqual(lower);
  });

  it('says how far the likeness falls at each boundary', async () => {
    const drops = (await semantic(TEXT, { boundaries: true })).map(({ metadata }) => metadata.boundary?.drop);
    expect(drops[0]).toBeUndefined();
    for (const drop of drops.slice(1)) expect(drop).toBeGreaterThan(0.1);
    const [structured] = chunkSync(TEXT, { tier: 'structure', boundaries: true, size: 900 }).slice(1);
    expect(structured?.metadata.boundary).not.toHaveProperty('drop');
  });

  it('says how surely the topic changes at each boundary', async () => {
    const certaintiesOf = async (text: string, more: Partial<ChunkOptions>) =>
      (await semantic(text, { boundaries: true, ...more })).map(
        ({ metadata }) => metadata.boundary?.certainty,
      );
    const [first, ...changes] = await certaintiesOf(TEXT, {});
    expect(first).toBeUndefined();
    for (const certainty of changes) expect(certainty).toBeGreaterThan(0.2);
    // At a third of a topic's length most boundaries stand inside one.
    const small = (await certaintiesOf(TEXT, { size: 400 })).slice(1);
    expect(
      small.filter((certainty) => certainty! < Math.min(...changes.map((it) => it!))).length,
    ).toBeGreaterThan(small.length / 2);
    for (const certainty of small) {
      expect(certainty).toBeGreaterThanOrEqual(0);
      expect(certainty).toBeLessThan(1);
    }
  });

  it('cuts at certain changes of topic alone, and otherwise only what is longer than the maximum', async () => {
    const long = [...SEA, ...SEA.toReversed()].join(' ');
    const text = [long, ...TOPICS.slice(1)].join(' ');
    const certain = { topics: 'certain', size: 4000 } as const;
    expect((await semantic(text, certain)).map((piece) => piece.text)).toEqual([long, ...TOPICS.slice(1)]);
    expect((await semantic(text, { size: 600 })).length).toBeGreaterThan(3);
    const [one, other, ...rest] = await semantic(text, { ...certain, size: long.length - 100 });
    expect(`${one!.text} ${other!.text}`).toBe(long);
    expect(rest.map((piece) => piece.text)).toEqual(TOPICS.slice(1));
  });

  it('finds topics by the words that return, where the embedder knows none of them', async () => {
    const blind: Embed = (texts) =>
      Promise.resolve({
        model: 'blind',
        dimensions: 96,
        vectors: texts.map((text) =>
          Array.from({ length: 96 }, (_, part) => Math.sin(text.length * 12.9898 + part * 78.233)),
        ),
      });
    const starts = (await semantic(TEXT, { embed: blind })).map(({ start }) => start);
    expect(starts).toEqual([0, TEXT.indexOf(BREAD[0]!), TEXT.indexOf(LAW[0]!)]);
  });

  it('begins no certain topic inside a short paragraph', async () => {
    // The topic changes in the middle of a paragraph.
    const paragraphs = [SEA.slice(0, 5), [...SEA.slice(5), ...BREAD.slice(0, 4)], BREAD.slice(4), LAW];
    const text = paragraphs.map((sentences) => sentences.join(' ')).join('\n\n');
    const chunks = await semantic(text, { topics: 'certain', size: 4000 });
    expect(chunks.length).toBeGreaterThan(1);
    for (const { start } of chunks.slice(1)) expect(text.slice(start - 2, start)).toBe('\n\n');
  });

  it('refuses other topics, and those of other tiers', async () => {
    await expect(errorOf(semantic(TEXT, { topics: 'few' as never }))).resolves.toMatchObject({
      issues: [{ option: 'topics', expected: 'any or certain' }],
    });
    expect(() => chunkSync(TEXT, { topics: 'certain' } as never)).toThrow(/only the tier semantic takes it/);
  });

  it('tells how far its boundaries beat those of structure, in the same units', async () => {
    const reports: CohesionGain[] = [];
    const onCohesion = (gain: CohesionGain) => reports.push(gain);
    const chunks = await semantic(TEXT, { boundaries: true, size: 1800, target: 400, onCohesion });
    const [{ semantic: own, structure, gain }] = reports as [CohesionGain];
    expect(reports).toHaveLength(1);
    const drops = chunks.flatMap(({ metadata }) => metadata.boundary?.drop ?? []);
    expect(own).toBeCloseTo(drops.reduce((sum, drop) => sum + drop, 0) / drops.length, 4);
    expect(gain).toBeCloseTo(own - structure, 10);
    expect(gain).toBeGreaterThan(0.05);
  });

  it('gains nothing where structure knows the topics, and tells nothing where there is no boundary', async () => {
    const reports: CohesionGain[] = [];
    const onCohesion = (gain: CohesionGain) => reports.push(gain);
    const marked = TOPICS.map((text, at) => `# Part ${at}\n\n${text}`).join('\n\n');
    await semantic(marked, { kind: 'markdown', onCohesion });
    expect(reports).toMatchObject([{ gain: 0 }]);
    await semantic(TOPICS[0] ?? '', { onCohesion });
    await semantic('One. Two.', { onCohesion });
    expect(reports).toHaveLength(1);
  });

  it('cuts the same whether it tells or not', async () => {
    for (const size of [300, 700, 1800])
      expect(await semantic(TEXT, { size, onCohesion: () => undefined })).toEqual(
        await semantic(TEXT, { size }),
      );
  });

  it('never scores a boundary less than another place for it', async () => {
    const many = Array.from({ length: 12 }, (_, at) => TOPICS[at % 3]).join(' ');
    const chunks = await semantic(many, { boundaries: true, size: 700 });
    const margins = chunks.flatMap(({ metadata }) => metadata.boundary?.runnerUp?.margin ?? []);
    expect(margins.length).toBeGreaterThan(5);
    expect(Math.min(...margins)).toBeGreaterThanOrEqual(-1e-6);
  });

  it('keeps tables and code as structure has them, and embeds neither them nor what is too short', async () => {
    const table = ['| a | b |', '|---|---|', ...Array.from({ length: 6 }, (_, row) => `| ${row} | x |`)].join(
      '\n',
    );
    const code = '```js\ncall(1);\n\ncall(2);\n```';
    const requests: string[] = [];
    const text = `${TOPICS[0]}\n\n${table}\n\n${TOPICS[1]}\n\n${code}\n\n${TOPICS[2]}`;
    const chunks = await semantic(text, {
      kind: 'markdown',
      embed: (texts, run) => {
        requests.push(...texts);
        return wordEmbedder(texts, run);
      },
    });
    expect(chunks.filter(({ text: of }) => of.includes(table))).toHaveLength(1);
    expect(chunks.filter(({ text: of }) => of.includes(code))).toHaveLength(1);
    expect(requests.filter((piece) => /\||call/.test(piece))).toEqual([]);
    await semantic(`${TEXT}\n\nYes.\n\n${TEXT}\n\nNo.`, {
      embed: (texts, run) => {
        requests.push(...texts);
        return wordEmbedder(texts, run);
      },
    });
    expect(requests.filter((piece) => piece.length < 8)).toEqual([]);
  });

  it('is structure where fewer than three pieces can be compared, and then asks no embedder', async () => {
    const embed: Embed = () => Promise.reject(new Error('nobody asks'));
    for (const text of ['', '  \n', 'One.', 'A first sentence. And then another one, which is the last.']) {
      expect(await semantic(text, { embed })).toEqual(
        chunkSync(text, { tier: 'structure', kind: 'text', size: 1800 }),
      );
    }
  });

  it('is about structure where all pieces are alike to the embedder', async () => {
    const embed: Embed = (texts) =>
      Promise.resolve({ model: 'one', dimensions: 2, vectors: texts.map(() => [3, 4]) });
    const paragraphs = TOPICS.join('\n\n');
    const expected = chunkSync(paragraphs, { tier: 'structure', kind: 'text', size: 1200 });
    expect(await semantic(paragraphs, { embed, size: 1200 })).toEqual(expected);
  });

  it('asks once about pieces that differ in their blanks alone', async () => {
    const requests: string[] = [];
    const embed: Embed = (texts, run) => {
      requests.push(...texts);
      return wordEmbedder(texts, run);
    };
    const line = 'Printed for internal use, please do not pass on to others.';
    await semantic([SEA[0], line, SEA[1], line.replaceAll(' ', '  '), SEA[2], line].join('\n\n'), { embed });
    expect(requests.filter((piece) => piece.startsWith('Printed'))).toEqual([line]);
    expect(new Set(requests).size).toBe(requests.length);
  });

  it('makes no topics of counters and times', async () => {
    /** Numbers that differ in the last digit alone are one word. */
    const embed: Embed = (texts, run) => {
      const spelled = (number: string): string =>
        number.slice(0, -1).replaceAll(/\d/g, (digit) => LETTERS[Number(digit)]!);
      return wordEmbedder(
        texts.map((text) => text.replaceAll(/\d+/g, spelled)),
        run,
      );
    };
    const LETTERS = ['ab', 'cd', 'ef', 'gh', 'ij', 'kl', 'mn', 'op', 'qr', 'st'];
    const text = Array.from({ length: 1000 }, (_, at) => `At 10:12:${at + 1000} the server was idle.`).join(
      ' ',
    );
    const structural = chunkSync(text, { tier: 'structure', kind: 'text', size: 1800 });
    expect(await semantic(text, { embed })).toEqual(structural);
  });

  it('cuts alike a hundred times, and whatever the batches', async () => {
    const once = await semantic(TEXT, { boundaries: true });
    for (let run = 0; run < 100; run++) expect(await semantic(TEXT, { boundaries: true })).toEqual(once);
    for (const embedBatch of [1, 7, 64])
      expect(await semantic(TEXT, { boundaries: true, embedBatch })).toEqual(once);
  });

  it('looks at a number of pairs in proportion to the text', async () => {
    let numbers = 0;
    const embed: Embed = (texts) => {
      const vectors = texts.map((text) => Object.assign([text.length, 1], {}));
      numbers += vectors.length;
      return Promise.resolve({ model: 'two', dimensions: 2, vectors });
    };
    const letters = (at: number): string =>
      at.toString(36).replaceAll(/\d/g, (digit) => 'äëïöüÄËÏÖÜ'[Number(digit)]!);
    const lines = Array.from(
      { length: 30_000 },
      (_, at) => `The line ${letters(at)} is one of many lines here.`,
    ).join(' ');
    expect((await semantic(lines, { embed, size: 1000 })).length).toBeGreaterThan(500);
    expect(numbers).toBeLessThanOrEqual(30_000);
  });

  it('parts no sentence where a part takes more tokens than the whole', async () => {
    const measure = NASTY.find(({ name }) => name === 'by first and last unit')!;
    const text = 'Retrieval-augmented end.\nboundary\na and chunk a of';
    const chunks = await chunk(text, {
      tier: 'semantic',
      embed: wordEmbedder,
      size: 24,
      measure,
    });
    expect(chunks.length).toBeGreaterThan(0);
    expect(chunks.filter(({ metadata }) => metadata.oversize)).toEqual([]);
  });

  it('has options that can be checked before there is an embedder', () => {
    checkChunkOptions({ tier: 'semantic', embeddings: true, size: 300 });
    const wrong = { tier: 'semantic', embeddings: 'yes', size: 0 } as unknown as ChunkOptions;
    expect(() => {
      checkChunkOptions(wrong);
    }).toThrow(/size.*embeddings/);
    expect(() => {
      checkChunkOptions({ tier: 'free', embeddings: true });
    }).toThrow(/embeddings/);
  });

  it('refuses chunkSync by name, and a call without an embedder', async () => {
    const options = { tier: 'semantic', embed: wordEmbedder } as ChunkOptions;
    // @ts-expect-error The tier waits for an embedder.
    expect(() => chunkSync(TEXT, options)).toThrow(expect.objectContaining({ code: 'tier_needs_promise' }));
    const { code, issues: issues } = await errorOf(
      // @ts-expect-error The embedder is missing.
      chunk(TEXT, { tier: 'semantic', embedBatch: 0 }),
    );
    expect(code).toBe('invalid_options');
    expect(issues.map(({ option }) => option)).toEqual(['embed', 'embedBatch']);
    expect((await errorOf(chunk(TEXT, { tier: 'structure', embed: wordEmbedder }))).code).toBe(
      'invalid_options',
    );
  });
});

describe('an embedder of another library', () => {
  const plain = async (texts: readonly string[]): Promise<number[][]> =>
    (await wordEmbedder(texts, {})).vectors.map((vector) => Array.from(vector));
  const calls: number[] = [];
  const aiSdkModel = {
    modelId: 'sdk-model',
    maxEmbeddingsPerCall: Promise.resolve(5),
    doEmbed: async ({ values, abortSignal }: { values: string[]; abortSignal?: AbortSignal }) => {
      abortSignal?.throwIfAborted();
      calls.push(values.length);
      return { embeddings: await plain(values) };
    },
  };
  /** LangChain's classes keep the model's name in a field, and use `this`. */
  class Embeddings {
    readonly model = 'langchain-model';
    #vectorsOf = plain;
    embedDocuments(texts: string[]): Promise<number[][]> {
      return this.#vectorsOf(texts);
    }
  }

  it.each<[string, Embedder, string]>([
    ['a function to vectors', plain, 'custom'],
    [
      'a function to typed arrays',
      async (texts) => (await plain(texts)).map((v) => new Float64Array(v)),
      'custom',
    ],
    ['Embeddings of LangChain.js', new Embeddings(), 'langchain-model'],
    ['an embedding model of the AI SDK', aiSdkModel, 'sdk-model'],
  ])('may be %s', async (_, embed, model) => {
    const chunks = await semantic(TEXT, { embed, embeddings: true });
    const expected = await semantic(TEXT, { embeddings: true });
    expect(chunks).toEqual(expected.map((piece) => ({ ...piece, embedding: { ...piece.embedding, model } })));
    expect(Math.max(...calls, 0)).toBeLessThanOrEqual(5);
  });

  it('is adapted, and named, for other uses', async () => {
    const texts = ['High water.', 'Low water.'];
    expect(await toEmbed(plain, 'mine')(texts, {})).toEqual({
      model: 'mine',
      dimensions: 48,
      vectors: await plain(texts),
    });
    expect((await toEmbed(wordEmbedder, 'mine')(texts, {})).model).toBe('words');
    expect(() => toEmbed('openai/text-embedding-3-small' as never)).toThrow(/embed must be an embedder/);
  });

  it.each([
    ['one vector for all', [1, 2, 3], 'an array of 3'],
    ['no vector', [], 'an array of 0'],
  ])('is refused when it answers with %s', async (_, answer, received) => {
    const embed = (() => Promise.resolve(answer)) as unknown as Embed;
    const { code, message } = await errorOf(semantic(TEXT, { embed }));
    expect(code).toBe('wrong_embeddings');
    expect(message).toContain(
      `expected a vector for each text, or { model, dimensions, vectors }, got ${received}`,
    );
  });
});

describe('what an embedder answers', () => {
  const good = async (texts: readonly string[]): Promise<Embeddings> => wordEmbedder(texts, {});
  const wrong: Readonly<Record<string, (answer: Embeddings) => unknown>> = {
    'one vector too few': (answer) => ({ ...answer, vectors: answer.vectors.slice(1) }),
    'one vector too many': (answer) => ({ ...answer, vectors: [...answer.vectors, answer.vectors[0]] }),
    'a vector that is too short': (answer) => ({
      ...answer,
      vectors: answer.vectors.map((vector, at) => (at === 1 ? Array.from(vector).slice(1) : vector)),
    }),
    'a vector with NaN': (answer) => ({
      ...answer,
      vectors: answer.vectors.map((vector) => Array.from(vector, (value, at) => (at === 5 ? NaN : value))),
    }),
    'a vector with Infinity': (answer) => ({
      ...answer,
      vectors: answer.vectors.map((vector) => Array.from(vector, () => Infinity)),
    }),
    'a vector of zeros': (answer) => ({
      ...answer,
      vectors: answer.vectors.map((vector) => Array.from(vector, () => 0)),
    }),
    'a vector of words': (answer) => ({
      ...answer,
      vectors: answer.vectors.map((vector) => Array.from(vector, String)),
    }),
    'another model': (answer) => ({ ...answer, model: 'another' }),
    'other dimensions': ({ vectors, ...answer }) => ({
      ...answer,
      dimensions: 2,
      vectors: vectors.map(() => [1, 2]),
    }),
    'no vectors at all': () => ({}),
    nothing: () => undefined,
    'holes instead of vectors': ({ vectors, ...answer }) => ({ ...answer, vectors: Array(vectors.length) }),
  };

  for (const [what, spoil] of Object.entries(wrong)) {
    it(`ends the call with the number of the batch when it is ${what}`, async () => {
      let batch = 0;
      const embed = (async (texts) => {
        const answer = await good(texts);
        return batch++ === 1 ? spoil(answer) : answer;
      }) as Embed;
      const { code, batch: of, message } = await errorOf(semantic(TEXT, { embed, embedBatch: 7 }));
      expect(code).toBe('wrong_embeddings');
      expect(of).toEqual({ index: 1, of: 4, first: 7, count: 7 });
      expect(message).toContain('batch 2 of 4 (texts 7 to 13)');
    });
  }

  it('ends the call when it is an error, which stays the cause', async () => {
    const cause = new Error('out of memory');
    const failing: Embed = () => Promise.reject(cause);
    const error = await errorOf(semantic(TEXT, { embed: failing }));
    expect(error).toMatchObject({
      code: 'embedding_failed',
      batch: { index: 0, of: 1, first: 0, count: 27 },
    });
    expect(error.cause).toBe(cause);
    const throwing: Embed = () => {
      throw cause;
    };
    expect((await errorOf(semantic(TEXT, { embed: throwing }))).code).toBe('embedding_failed');
  });

  it('is not waited for once the signal is aborted', async () => {
    const stop = new AbortController();
    const work = semantic(TEXT, {
      signal: stop.signal,
      embed: () => {
        stop.abort(new Error('enough'));
        return new Promise(() => undefined);
      },
    });
    await expect(work).rejects.toThrow('enough');
  });

  it('may have any finite lengths', async () => {
    const scale = fc.double({ min: 1e-300, max: 1e300, noNaN: true });
    const once = await semantic(TEXT);
    await fc.assert(
      fc.asyncProperty(scale, async (by) => {
        const embed: Embed = async (texts) => {
          const { vectors, ...rest } = await good(texts);
          return { ...rest, vectors: vectors.map((vector) => Array.from(vector, (value) => value * by)) };
        };
        expect(await semantic(TEXT, { embed })).toEqual(once);
      }),
      cases(20),
    );
  });
});

describe('vectors on request', () => {
  it('are those of what is indexed, of length 1 and six digits, in every chunk', async () => {
    const chunks = await semantic(TEXT, { embeddings: true, blend: 0 });
    const { vectors } = await wordEmbedder(chunks.map(indexedText), {});
    for (const [index, { embedding }] of chunks.entries()) {
      const { vector = [], ...facts } = embedding ?? {};
      expect(facts).toEqual({ model: 'words', dimensions: 48, normalized: true, distance: 'cosine' });
      const raw = Array.from(vectors[index] ?? []);
      const length = Math.hypot(...raw);
      for (const [at, value] of vector.entries()) {
        expect(Math.abs(value - (raw[at] ?? 0) / length)).toBeLessThan(1e-6);
        expect(String(Number(value.toPrecision(6)))).toBe(String(value));
      }
      expect(Math.hypot(...vector)).toBeCloseTo(1, 4);
    }
  });

  it('go into records by vectorsOf, and not by halves', async () => {
    const chunks = await semantic(TEXT, { embeddings: true });
    const { vectors = [], embedding } = vectorsOf(chunks) ?? {};
    expect(embedding).toEqual({
      model: 'words',
      dimensions: 48,
      normalized: true,
      distance: 'cosine',
      blend: 0.4,
    });
    const records = toRecords(chunks, 'pinecone', { documentId: 'd', vectors });
    expect(records.map(({ values }) => values)).toEqual(chunks.map((piece) => piece.embedding?.vector));
    const [first, ...others] = await semantic(TEXT);
    expect(first === undefined ? [] : vectorsOf([...chunks, first, ...others])).toBeUndefined();
    expect(vectorsOf([])).toBeUndefined();
  });

  it('change nothing else, and are absent unless asked for', async () => {
    const plain = await semantic(TEXT);
    const bare = (await semantic(TEXT, { embeddings: true })).map(({ embedding, ...rest }) => {
      expect(embedding).toBeDefined();
      return rest;
    });
    expect(bare).toEqual(plain);
  });

  it.each(['ai', 'ai-pro'] as const)(
    'come with chunks of the tier %s too, of what is indexed of them',
    async (tier) => {
      const options = { tier, size: 300, complete: scripted } as const;
      const plain = await chunk(TEXT, options);
      const stages: string[] = [];
      const onProgress = ({ stage }: Progress): void => void stages.push(stage);
      const vectorOptions = { embeddings: true, embed: wordEmbedder, blend: 0 };
      const chunks = await chunk(TEXT, { ...options, ...vectorOptions, onProgress });
      expect(chunks).toEqual(plain.map((piece) => ({ ...piece, embedding: expect.anything() as unknown })));
      const { vectors } = await wordEmbedder(plain.map(indexedText), {});
      for (const [index, { embedding }] of chunks.entries()) {
        const raw = Array.from(vectors[index] ?? []);
        const cosine = raw.reduce((sum, value, at) => sum + value * (embedding?.vector[at] ?? 0), 0);
        expect(cosine / Math.hypot(...raw)).toBeCloseTo(1, 4);
      }
      expect(stages.lastIndexOf('embed')).toBeGreaterThan(stages.indexOf('cut'));
      // Without an embedder no model is called; without vectors no embedder is needed.
      const requests: unknown[] = [];
      const complete: Complete = (request, run) => (requests.push(request), scripted(request, run));
      await expect(chunk(TEXT, { ...options, complete, embeddings: true })).rejects.toThrow(/embed must be/);
      await expect(chunk(TEXT, { ...options, complete, embeddings: 'yes' as never })).rejects.toThrow(
        /embeddings must be true or false/,
      );
      expect(requests).toEqual([]);
    },
  );

  it('are told of as they come', async () => {
    const seen: Progress[] = [];
    for await (const piece of chunkStream(TEXT, {
      tier: 'semantic',
      embed: wordEmbedder,
      embedBatch: 10,
      embeddings: true,
      onProgress: (progress) => seen.push(progress),
    }))
      expect(piece.embedding?.vector).toHaveLength(48);
    expect(seen.map(({ stage }) => stage)).toContain('embed');
    const pieces = seen
      .filter(({ stage, total }) => stage === 'embed' && total === 27)
      .map(({ done }) => done);
    expect(pieces).toEqual([0, 10, 20, 27]);
    expect(seen.at(-1)).toMatchObject({ stage: 'chunk' });
  });
});
