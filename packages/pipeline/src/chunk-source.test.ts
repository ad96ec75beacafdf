// The pipeline against its steps: equal chunks, equal errors, and models that come from ports.
import {
  chunk,
  ChunkError,
  chunkSync,
  type CohesionGain,
  type Embed,
  type Progress,
  verify,
} from '@grainline/core';
import { extract, ExtractError } from '@grainline/extract';
import { staticEmbedder } from '@grainline/models/embeddings';
import { ENCODINGS, ModelError, tokenCounter } from '@grainline/models/tokens';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { anyDocument, limits } from '@grainline/testing/documents';
import { wordEmbedder } from '@grainline/testing/embedders';
import { wordOf } from '@grainline/testing/generated-text';
import { scripted } from '@grainline/testing/language-models';
import { rejectionOf } from '@grainline/testing/rejection';
import { SYNCHRONOUS_TIERS } from '@grainline/testing/tiers';
import { writePdf } from '@grainline/testing/pdf-writer';
import {
  chunkDocument,
  chunkSource,
  type ChunkSourceOptions,
  excessRepetition,
  loadCounter,
} from './chunk-source.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const TIDES = Array.from(
  { length: 20 },
  (_, at) => `The tide turned at ${wordOf(at)}. Pilots waited for it.`,
);
const BREAD = Array.from(
  { length: 20 },
  (_, at) => `Knead the dough by ${wordOf(at)}. Let it rest for long.`,
);
const TEXT = `# Tides\n\n${TIDES.join(' ')}\n\n# Bread\n\n${BREAD.join(' ')}`;

describe('chunkSource', () => {
  it.each(SYNCHRONOUS_TIERS)('gives the chunks of core for a text, and of its bytes: %s', async (tier) => {
    const same = fc.asyncProperty(anyDocument, limits, async (text, given) => {
      const options = { tier, ...given };
      const result = await chunkSource({ text }, options);
      expect(result.chunks).toEqual(chunkSync(text, options));
      expect(verify(result.document, result.chunks)).toMatchObject({ covered: true });
      // Bytes lose NUL, and a document of nothing else holds no text.
      if (result.document.text.replaceAll('\0', '').trim() === '') return;
      const named = await chunkSource({ text, filename: 'a.md' }, options);
      const file = await chunkSource({ bytes: utf8(text), filename: 'a.md', kind: 'markdown' }, options);
      expect(named).toEqual(file);
      expect(verify(file.document, file.chunks)).toMatchObject({ covered: true });
    });
    await fc.assert(same, cases(20));
  });

  it('gives the chunks of extract and chunk for a PDF, with pages', async () => {
    const bytes = writePdf({ pages: [{ lines: TIDES.slice(0, 9) }, { lines: BREAD.slice(0, 9) }] });
    const { document, chunks, report } = await chunkSource({ bytes }, { tier: 'structure', size: 200 });
    expect(document).toEqual(await extract(bytes));
    expect(chunks).toEqual(chunkSync(document, { tier: 'structure', size: 200 }));
    expect(chunks.at(-1)?.metadata.pageEnd).toBe(2);
    expect(report).toEqual({});
  });

  it('gives the chunks of a PDF their boxes, and its document its places', async () => {
    const bytes = writePdf({ pages: [{ lines: TIDES.slice(0, 9) }, { lines: BREAD.slice(0, 9) }] });
    const { document, chunks } = await chunkSource({ bytes }, { size: 200, overlap: 40, regions: true });
    expect(document.regions).toBeDefined();
    for (const { metadata, overlap } of chunks) {
      const [page] = metadata.overlapRegions?.[0] ?? metadata.regions?.[0] ?? [];
      expect(page).toBe(metadata.pageStart);
      expect(metadata.overlapRegions !== undefined).toBe(overlap > 0);
    }
    const plain = await chunkSource({ bytes }, { size: 200, overlap: 40 });
    expect(plain.chunks.map(({ start, end }) => [start, end])).toEqual(
      chunks.map(({ start, end }) => [start, end]),
    );
    expect(plain.chunks.every(({ metadata }) => !('regions' in metadata))).toBe(true);
  });

  it('changes neither the source nor the options', async () => {
    const bytes = utf8(TEXT);
    const options = Object.freeze({ tier: 'structure', encoding: 'o200k', size: 64 } as const);
    await chunkSource(Object.freeze({ bytes }), options, Object.freeze({}));
    expect(bytes).toEqual(utf8(TEXT));
  });

  it('names every option that it takes when one is unknown, and takes each of them', async () => {
    const taken: Required<{ [Name in keyof ChunkSourceOptions]: unknown }> = {
      ...{
        tier: 'structure',
        size: 300,
        overlap: 0,
        measure: undefined,
        encoding: 'o200k',
        kind: 'markdown',
      },
      ...{
        language: 'en',
        regions: false,
        target: 200,
        min: 20,
        separators: undefined,
        boundaries: undefined,
      },
      ...{ grammars: undefined, parents: undefined, embed: undefined, embedBatch: undefined },
      ...{ embeddings: undefined, blend: undefined, topics: undefined, complete: undefined },
      ...{ completeAtOnce: undefined, context: undefined, signal: new AbortController().signal },
      ...{
        onProgress: () => undefined,
        onCohesion: undefined,
        onDecisions: undefined,
        onEnriched: undefined,
      },
      ...{
        pages: undefined,
        password: 'x',
        furniture: 'keep',
        lines: 'keep',
        content: 'main',
        links: 'data',
      },
      ...{ pdfium: undefined, ocr: () => Promise.resolve([]), ocrPages: 'all', maxOcrPages: 3 },
      ...{ onPage: () => undefined, onOcrPage: () => undefined },
    };
    const given = taken as ChunkSourceOptions;
    const text = { text: TEXT, filename: 'a.md' };
    await expect(chunkSource(text, given)).resolves.toBeDefined();
    const { message } = await rejectionOf(chunkSource(text, { colour: 5 } as object), ChunkError);
    const [, names = ''] = /takes only (.*), but is 5/.exec(message) ?? [];
    const listed = names.split(', ');
    expect(listed).toEqual([...new Set(listed)]);
    const ofReading = ['pages', 'password', 'furniture', 'lines', 'content', 'links', 'ocr', 'maxOcrPages'];
    expect(listed).toEqual(expect.arrayContaining(['size', 'encoding', 'signal', ...ofReading]));
  });

  it('measures in the tokens of an encoding, unless a counter is given', async () => {
    const measure = await tokenCounter('cl100k');
    const options = { tier: 'standard', size: 40 } as const;
    const { chunks } = await chunkSource({ text: TEXT }, { ...options, encoding: 'cl100k' });
    expect(chunks).toEqual(chunkSync(TEXT, { ...options, measure }));
    expect((await chunkSource({ text: TEXT }, { ...options, encoding: 'o200k', measure })).chunks).toEqual(
      chunks,
    );
  });

  it('embeds with the built-in embedder where the tier needs one and none is given', async () => {
    const gains: CohesionGain[] = [];
    const onCohesion = (gain: CohesionGain): void => void gains.push(gain);
    const options = { tier: 'semantic', size: 300, embeddings: true, onCohesion } as const;
    const { chunks, report } = await chunkSource({ text: TEXT }, options);
    expect(chunks).toEqual(await chunk(TEXT, { ...options, embed: await staticEmbedder() }));
    expect(chunks[0]?.embedding).toBeDefined();
    expect(report).toEqual({ cohesion: gains[0] });
    expect(gains[0]).toEqual(gains[1]);
  });

  it('loads the embedder of the ports only where one is needed, and asks it for so many texts at once', async () => {
    const batches: number[] = [];
    const embed: Embed = (texts, run) => {
      batches.push(texts.length);
      return wordEmbedder(texts, run);
    };
    const loadEmbedder = vi.fn(() => Promise.resolve(embed));
    const ports = { loadEmbedder, embedBatch: 7 };
    for (const tier of SYNCHRONOUS_TIERS) await chunkSource({ text: TEXT }, { tier }, ports);
    await chunkSource({ text: TEXT }, { tier: 'semantic', embed: wordEmbedder }, ports);
    expect(loadEmbedder).not.toHaveBeenCalled();
    const { chunks } = await chunkSource({ text: TEXT }, { tier: 'semantic', size: 300 }, ports);
    expect(chunks).toEqual(await chunk(TEXT, { tier: 'semantic', size: 300, embed: wordEmbedder }));
    expect(loadEmbedder).toHaveBeenCalledOnce();
    expect(Math.max(...batches)).toBe(7);
    batches.length = 0;
    await chunkSource({ text: TEXT }, { tier: 'semantic', size: 300, embedBatch: 5 }, ports);
    expect(Math.max(...batches)).toBe(5);
  });

  it('gives the language model of the ports to the tiers that take one, and reports its work', async () => {
    const ports = { complete: scripted };
    for (const tier of SYNCHRONOUS_TIERS) await chunkSource({ text: TEXT }, { tier }, ports);
    const made = vi.fn();
    const described = vi.fn();
    const options = { tier: 'ai-pro', size: 300 } as const;
    const { chunks, report } = await chunkSource(
      { text: TEXT },
      { ...options, onDecisions: made, onEnriched: described },
      ports,
    );
    expect(chunks).toEqual(await chunk(TEXT, { ...options, complete: scripted }));
    expect(report.decisions?.usage.calls).toBeGreaterThan(0);
    expect(report.enriched?.sections).toBeGreaterThan(0);
    expect(made).toHaveBeenCalledExactlyOnceWith(report.decisions);
    expect(described).toHaveBeenCalledExactlyOnceWith(report.enriched);
    const own = await chunkSource({ text: TEXT }, { ...options, complete: scripted });
    expect(own.chunks).toEqual(chunks);
  });

  it('reports progress', async () => {
    const stages: Progress[] = [];
    const pages: number[] = [];
    const bytes = writePdf({ pages: [{ lines: ['One.'] }] });
    await chunkSource(
      { bytes },
      { onProgress: (progress) => void stages.push(progress), onPage: ({ done }) => void pages.push(done) },
    );
    expect(pages).toEqual([1]);
    expect(stages.at(-1)).toEqual({ stage: 'chunk', done: 1, total: 1 });
  });

  it('rejects wrong options before it reads, all of them at once', async () => {
    const readBytes = vi.fn(() => Promise.reject(new Error('read')));
    const options = { tier: 'semantic', size: 0, colour: 'red' } as { tier: 'semantic'; size: number };
    const wrong = await rejectionOf(chunkSource({ bytes: utf8(' ') }, options, { readBytes }), ChunkError);
    expect(wrong.issues.map(({ option }) => option)).toEqual(['size', 'colour']);
    expect(readBytes).not.toHaveBeenCalled();
    expect((await rejectionOf(chunkSource({ bytes: utf8(' ') }), ExtractError)).code).toBe('empty_document');
  });

  it('rejects as chunk does: tiers, kinds and models that there are not, half a character', async () => {
    for (const options of [
      { tier: 'best' },
      { kind: 'poem' },
      { tier: 'ai' },
      { tier: 'semantic', embed: 5 },
      { tier: 'free', complete: scripted },
      { tier: 'free', embeddings: true },
    ]) {
      const given = options as { tier: 'free' };
      const expected = await rejectionOf(chunk('text', given), ChunkError);
      expect((await rejectionOf(chunkSource({ text: 'text' }, given), ChunkError)).message).toBe(
        expected.message,
      );
    }
    expect((await rejectionOf(chunkSource({ text: 'a\udc00' }), ChunkError)).code).toBe('ill_formed_text');
  });

  it('rejects with the error of a counter or an embedder that cannot be loaded', async () => {
    const unknown = chunkSource({ text: 'text' }, { encoding: 'p50k' as 'o200k' });
    expect((await rejectionOf(unknown, ModelError)).code).toBe('unknown_encoding');
    const error = new Error('no embedder');
    const failed = chunkSource(
      { text: TEXT },
      { tier: 'semantic' },
      { loadEmbedder: () => Promise.reject(error) },
    );
    await expect(failed).rejects.toBe(error);
  });

  it('reports the decisions of a model even where describing the chunks is aborted', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const onDecisions = vi.fn(() => controller.abort(reason));
    const aborted = chunkSource(
      { text: TEXT },
      { tier: 'ai-pro', size: 300, signal: controller.signal, onDecisions },
      { complete: scripted },
    );
    await expect(aborted).rejects.toBe(reason);
    expect(onDecisions).toHaveBeenCalledOnce();
  });

  it("rejects with the signal's reason, before and during the work", async () => {
    const reason = new Error('enough');
    const signal = AbortSignal.abort(reason);
    for (const source of [{ text: TEXT }, { bytes: utf8(TEXT) }])
      await expect(chunkSource(source, { signal })).rejects.toBe(reason);
    const controller = new AbortController();
    const embed: Embed = (texts, run) => {
      controller.abort(reason);
      return wordEmbedder(texts, run);
    };
    const stopped = chunkSource({ text: TEXT }, { tier: 'semantic', embed, signal: controller.signal });
    await expect(stopped).rejects.toBe(reason);
  });
});

describe('chunkDocument', () => {
  it('does for a document what chunkSource does after reading', async () => {
    const [bytes, filename] = [utf8(TEXT), 'a.md'];
    for (const tier of ['free', 'semantic'] as const) {
      const options = { tier, encoding: 'o200k', size: 64 } as const;
      const whole = await chunkSource({ bytes, filename }, options);
      expect(await chunkDocument(await extract(bytes, { filename }), options)).toEqual(whole);
    }
  });
});

describe('loadCounter', () => {
  it('gives the counter of @grainline/models, for every encoding', async () => {
    for (const name of ENCODINGS) expect(await loadCounter(name)).toBe(await tokenCounter(name));
  });
});

describe('excessRepetition', () => {
  const MIB = 1024 * 1024;
  const chunksOf = (count: number, length: number) =>
    Array.from({ length: count }, () => ({ ...chunkSync('x')[0]!, text: 'x'.repeat(length) }));
  const excessOf = (documentLength: number, count: number, length: number) =>
    excessRepetition({
      document: {
        text: 'x'.repeat(documentLength),
        blocks: [],
        pages: [],
        mediaType: 'text/plain',
        warnings: [],
      },
      chunks: chunksOf(count, length),
    });

  it('lets chunks be twice their document, and any up to 16 Mi', () => {
    expect(excessOf(1, 16, MIB)).toBeUndefined();
    expect(excessOf(1, 17, MIB)).toEqual({ characters: 17 * MIB, limit: 16 * MIB });
    expect(excessOf(10 * MIB, 20, MIB)).toBeUndefined();
    expect(excessOf(10 * MIB, 21, MIB)).toEqual({ characters: 21 * MIB, limit: 20 * MIB });
  });

  it('finds nothing at an overlap of half of the size', async () => {
    const text = 'word '.repeat(MIB / 2);
    expect(
      excessRepetition(await chunkSource({ text }, { tier: 'free', size: 1000, overlap: 500 })),
    ).toBeUndefined();
    expect(
      excessRepetition(await chunkSource({ text }, { tier: 'free', size: 1000, overlap: 900 })),
    ).toBeDefined();
  });
});
