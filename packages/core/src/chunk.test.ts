import { describe, expect, it } from 'vitest';
import { checkChunkOptions, chunk, chunkStream, chunkSync, indexedText } from './chunk.ts';
import { documentFromText } from './blocks/index.ts';
import type { Link } from './document.ts';
import { ChunkError } from './errors.ts';
import { chunkFree } from './free.ts';

const TEXT = 'First paragraph here.\n\nSecond one, a little longer.\n\nThird.';

function issueOf(run: () => unknown): ChunkError {
  try {
    run();
  } catch (error) {
    if (error instanceof ChunkError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('chunkSync', () => {
  it('gives slices of the text with their offsets', () => {
    const chunks = chunkSync(TEXT, { size: 30 });
    expect(chunks.map((piece) => piece.text)).toEqual([
      'First paragraph here.',
      'Second one, a little longer.',
      'Third.',
    ]);
    for (const piece of chunks) expect(TEXT.slice(piece.start, piece.end)).toBe(piece.text);
  });

  it('gives no chunk for blank text', () => {
    expect(chunkSync('')).toEqual([]);
    expect(chunkSync(' \n\n\t ')).toEqual([]);
  });

  it('reports every wrong option at once, each with what was expected and what came', () => {
    const error = issueOf(() =>
      chunkSync(TEXT, { tier: 'best', size: 0, overlap: Number.NaN, kind: 'pdf', chunkSize: 5 } as never),
    );
    expect(error.code).toBe('invalid_options');
    expect(error.issues.map((issue) => issue.option).sort()).toEqual([
      'chunkSize',
      'kind',
      'overlap',
      'size',
      'tier',
    ]);
    expect(error.message).toContain('size must be an integer from 1, but is 0');
    expect(error.message).toContain('tier must be one of free');
  });

  it.each([null, 'free', 7, [1000]])('refuses %j in place of options', async (options) => {
    const calls = [() => chunkSync(TEXT, options as never), () => chunkFree(TEXT, options as never)];
    for (const error of calls.map(issueOf)) {
      expect(error.code).toBe('invalid_options');
      expect(error.issues.map((issue) => issue.option)).toEqual(['options']);
    }
    await expect(chunk(TEXT, options as never)).rejects.toMatchObject({ code: 'invalid_options' });
  });

  it.each([
    [{ size: 0 }, 'size'],
    [{ measure: 'o200k' }, 'measure'],
    [{ measure: { count: () => 1 } }, 'measure'],
    [{ tier: 'standard', boundaries: 'yes' }, 'boundaries'],
    [{ size: -1 }, 'size'],
    [{ size: Number.NaN }, 'size'],
    [{ size: 1.5 }, 'size'],
    [{ size: Infinity }, 'size'],
    [{ size: '10' }, 'size'],
    [{ size: 10, overlap: 10 }, 'overlap'],
    [{ size: 10, overlap: 11 }, 'overlap'],
    [{ overlap: -1 }, 'overlap'],
    [{ overlap: 0.5 }, 'overlap'],
  ])('refuses %j', (options, name) => {
    const error = issueOf(() => chunkSync(TEXT, options as never));
    expect(error.issues.map((issue) => issue.option)).toEqual([name]);
  });

  it.each([undefined, null, 5, {}, ['text'], { text: 'without blocks' }])('refuses %j as input', (input) => {
    expect(issueOf(() => chunkSync(input as never)).issues[0]?.option).toBe('input');
  });

  it('says which options its call and tier take of one that belongs to others', () => {
    const { message } = issueOf(() => chunkSync(TEXT, { tier: 'free', target: 5 } as never));
    expect(message).toBe(
      'Wrong options: target must be left out, because only the tiers standard, structure, professional, semantic, ai, ai-pro take it, but is 5.',
    );
    expect(issueOf(() => chunkSync(TEXT, { tier: 'free', colour: 5 } as never)).message).toBe(
      'Wrong options: colour must be left out, because this call with the tier free takes only size, overlap, measure, separators, tier, kind, language, regions, but is 5.',
    );
  });

  it('raises the default target to a larger minimum', () => {
    const text = 'One two three four five six seven. '.repeat(60);
    const shortest = (options: object): number =>
      Math.min(
        ...chunkSync(text, { tier: 'structure', size: 400, ...options })
          .slice(0, -1)
          .map((piece) => piece.text.length),
      );
    expect(shortest({})).toBeLessThan(300);
    expect(shortest({ min: 350 })).toBeGreaterThanOrEqual(350);
    expect(chunkSync(text, { tier: 'structure', size: 400, min: 350 })).toEqual(
      chunkSync(text, { tier: 'structure', size: 400, min: 350, target: 350 }),
    );
  });

  it('names the place of a lone surrogate instead of altering the text', () => {
    const error = issueOf(() => chunkSync('fine 😀 but \ud83d not'));
    expect(error.code).toBe('ill_formed_text');
    expect(error.offset).toBe(12);
  });

  it('lists the links that overlap a chunk, within bounds', () => {
    const link = (start: number, end: number, href = '/x'): Link => ({ start, end, href });
    const cut = (links: readonly Link[]): unknown =>
      chunkSync(
        { ...documentFromText('one two three four'), links },
        { tier: 'free', size: 11, overlap: 0 },
      ).map(({ start, end, metadata }) => [start, end, metadata.links]);
    const [one, over, four] = [link(0, 3), link(4, 13), link(14, 18)];
    expect(cut([one, over, four])).toEqual([
      [0, 7, [one, over]],
      [8, 18, [over, four]],
    ]);
    expect(cut([link(7, 8)])).toEqual([
      [0, 7, undefined],
      [8, 18, undefined],
    ]);
    const long = link(4, 5, 'a'.repeat(7999));
    expect(cut([one, long, link(5, 6), link(8, 9)])).toEqual([
      [0, 7, [one]],
      [8, 18, [link(8, 9)]],
    ]);
    const many = Array.from({ length: 500 }, (_, index) => link(index, index + 1));
    const text = 'x'.repeat(500);
    const [chunk] = chunkSync({ ...documentFromText(text), links: many }, { size: 500 });
    expect(chunk?.metadata.links).toEqual(many.slice(0, 100));
  });

  it('tells the pages that a chunk touches', () => {
    const document = documentFromText('one two three four', { pages: [0, 4, 8] });
    const chunks = chunkSync(document, { tier: 'free', size: 9 });
    expect(chunks.map((piece) => [piece.text, piece.metadata])).toEqual([
      ['one two', { pageStart: 1, pageEnd: 2 }],
      ['three', { pageStart: 3, pageEnd: 3 }],
      ['four', { pageStart: 3, pageEnd: 3 }],
    ]);
  });
});

describe('a call without a tier', () => {
  const MARKDOWN = '# Tides\n\nHigh water.\n\n| port | height |\n|---|---|\n| Ostend | 4.6 m |\n';

  it('cuts by structure', async () => {
    const expected = chunkSync(MARKDOWN, { tier: 'structure', size: 30 });
    expect(expected).not.toEqual(chunkSync(MARKDOWN, { tier: 'free', size: 30 }));
    expect(chunkSync(MARKDOWN, { size: 30 })).toEqual(expected);
    expect(await chunk(MARKDOWN, { size: 30 })).toEqual(expected);
    expect(await Array.fromAsync(chunkStream(MARKDOWN, { size: 30 }))).toEqual(expected);
  });

  it('takes the options of structure', () => {
    expect(() => checkChunkOptions({ target: 20, min: 5 })).not.toThrow();
    expect(() => checkChunkOptions({ separators: [''] })).toThrow(/separators/);
  });
});

describe('chunk and chunkStream', () => {
  it('give the chunks of chunkSync', async () => {
    const expected = chunkSync(TEXT, { size: 12, overlap: 4 });
    expect(await chunk(TEXT, { size: 12, overlap: 4 })).toEqual(expected);
    expect(await Array.fromAsync(chunkStream(TEXT, { size: 12, overlap: 4 }))).toEqual(expected);
  });

  it('end with the reason of an aborted signal', async () => {
    const reason = new Error('enough');
    await expect(chunk(TEXT, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  it('notice an abort while the chunks are taken', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const taken: string[] = [];
    const work = (async () => {
      for await (const piece of chunkStream('a '.repeat(20_000), { size: 2, signal: controller.signal })) {
        taken.push(piece.text);
        if (taken.length === 1) controller.abort(reason);
      }
    })();
    await expect(work).rejects.toBe(reason);
    expect(taken.length).toBeLessThan(20_000);
  });

  it('report progress that never goes backwards and ends at the total', async () => {
    const seen: number[] = [];
    const chunks = await chunk('word '.repeat(20_000), {
      size: 5,
      onProgress: ({ stage, done, total }) => {
        if (stage === 'chunk') seen.push(done / total);
      },
    });
    expect(chunks.length).toBe(20_000);
    expect(seen.length).toBeGreaterThan(3);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen.at(-1)).toBe(1);
  });
});

describe('indexedText', () => {
  it('puts injected context before the text', () => {
    const [piece] = chunkSync('Rows');
    const part = { kind: 'heading-path', text: 'Report > Sales', start: 0, end: 1 } as const;
    expect(indexedText({ ...piece!, context: [part] })).toBe('Report > Sales\n\nRows');
    expect(indexedText(piece!)).toBe('Rows');
  });
});
