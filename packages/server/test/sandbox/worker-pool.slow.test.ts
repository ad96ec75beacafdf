// The pipeline as the server runs it: real children from sources, real documents.
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { fileURLToPath } from 'node:url';
import { FORMATS, type FormatId } from '@grainline/core/formats';
import { afterAll, describe, expect, it } from 'vitest';
import {
  createWorkerPool,
  type PipelineResult,
  type WorkerTask,
  type WorkerPool,
} from '../../src/sandbox/index.ts';
import { runPipeline } from '../../src/sandbox/run-pipeline.ts';
import { childrenOf, isAlive } from '@grainline/testing/processes';
import { bytesTask, FROM_SOURCES, MISBEHAVING, pdfOf, SETTINGS, textTask } from './tasks.ts';

const none = new AbortController().signal;
const measure = (task: WorkerTask) => workerPool.measure(task, { signal: none });
const PROSE = 'The tide turns twice a day. Pilots wait for it, and so do ships. '.repeat(40);
const LONG = PROSE.repeat(100);

const workerPool: WorkerPool = createWorkerPool(SETTINGS, FROM_SOURCES);
afterAll(() => workerPool.close());

interface Members {
  readonly source: { readonly sha256: string; readonly characters: number; readonly gaps: readonly string[] };
  readonly chunks: readonly {
    readonly id: string;
    readonly text: string;
    readonly metadata: Record<string, unknown>;
  }[];
}
const membersOf = ({ members }: PipelineResult): Members => JSON.parse(`{${members}}`) as Members;
const run = (task: WorkerTask): Promise<PipelineResult> => workerPool.run(task, { signal: none });
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('a measure', () => {
  it('is taken in a child process, and is that of the chunks', async () => {
    const text = textTask(PROSE, { filename: 'tides.txt' });
    const { estimated_pages: pages, size_bytes: sizeBytes } = (await run(text)).metadata;
    const measured = await measure(text);
    expect(measured).toMatchObject({
      kind: 'txt',
      filename: 'tides.txt',
      pages,
      sizeBytes,
      characters: PROSE.length,
    });
    expect(measured.tokens).toBeGreaterThan(PROSE.length / 8);
    await expect(measure(bytesTask(utf8('%PDF-1.7 broken')))).rejects.toMatchObject({ code: 'corrupted' });
  });
});

describe('a worker pool', () => {
  it('makes chunks of text, as members ready to be spliced into an answer', async () => {
    const finished = await run(textTask(PROSE, { filename: 'tides.txt' }));
    const { chunks } = membersOf(finished);
    expect(finished.metadata).toEqual({
      filename: 'tides.txt',
      content_type: 'text/plain',
      size_bytes: PROSE.length,
      estimated_pages: 2,
      reader: 'txt-1',
    });
    expect(finished.totalChunks).toBe(chunks.length);
    expect(finished.warnings).toEqual([]);
    expect(chunks[0]).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      metadata: { chunk_index: 0, start_offset: 0 },
    });
    for (const { text, metadata } of chunks) {
      expect(text).toBe(PROSE.slice(Number(metadata['start_offset']), Number(metadata['end_offset'])));
      expect(text).toHaveLength(Number(metadata['char_count']));
    }
  });

  it('says what the chunks are of: its hash, its length, and the blanks between them', async () => {
    const text = `Größe 🙂.\n\n${PROSE}\n`;
    for (const task of [textTask(text), bytesTask(utf8(`\uFEFF${text.replaceAll('\n', '\r\n')}`))]) {
      const { chunks, source } = membersOf(await run({ ...task, size: 200, overlap: 40 }));
      const own = chunks.map(({ text, metadata }, index) => {
        return (source.gaps[index] ?? '?') + text.slice(Number(metadata['overlap_chars'] ?? 0));
      });
      expect(own.join('') + (source.gaps.at(-1) ?? '?')).toBe(text);
      expect(source).toMatchObject({
        sha256: createHash('sha256').update(text).digest('hex'),
        characters: text.length,
      });
    }
  });

  it('counts the bytes of text in UTF-8', async () => {
    expect((await run(textTask('Größe 🙂'))).metadata.size_bytes).toBe(12);
  });

  it('gives the same for the same, here and in a child process', async () => {
    // One character above the inline limit.
    const large = 'x'.repeat(128 * 1024 + 1);
    for (const task of [
      textTask(large),
      bytesTask(utf8(large)),
      bytesTask(pdfOf(3), { filename: 'a.pdf' }),
    ]) {
      expect(await run(task)).toEqual(await runPipeline(task));
    }
  });

  it('works on small text here and on everything else in a child process', async () => {
    const elsewhere = createWorkerPool({ ...SETTINGS, workers: 1 }, MISBEHAVING);
    const isElsewhere = async (task: WorkerTask): Promise<boolean> =>
      (await elsewhere.run(task, { signal: none })).members.includes('"word"');
    try {
      expect(await isElsewhere(textTask('x'.repeat(128 * 1024)))).toBe(false);
      expect(await isElsewhere(textTask('x'.repeat(128 * 1024 + 1)))).toBe(true);
      expect(await isElsewhere(textTask('x'.repeat(2560), {}, { size: 10 }))).toBe(false);
      expect(await isElsewhere(textTask('x'.repeat(2561), {}, { size: 10 }))).toBe(true);
      expect(await isElsewhere(textTask('x'.repeat(2561), {}, { size: 100, overlap: 90 }))).toBe(true);
      expect(await isElsewhere(textTask('x'.repeat(2560), {}, { size: 1000, overlap: 990 }))).toBe(true);
      expect(await isElsewhere(bytesTask(utf8('x'.repeat(128 * 1024))))).toBe(false);
      expect(await isElsewhere(bytesTask(utf8('x'.repeat(128 * 1024 + 1))))).toBe(true);
      expect(await isElsewhere(bytesTask(utf8('# Heading'), { filename: 'a.md' }))).toBe(false);
      expect(await isElsewhere(bytesTask(utf8('<html><body>x'), { filename: 'a.html' }))).toBe(true);
      expect(await isElsewhere(bytesTask(pdfOf(1), { filename: 'a.pdf' }))).toBe(true);
      expect(await isElsewhere(bytesTask(Uint8Array.of(0x63, 0x61, 0x66, 0xe9)))).toBe(true);
      expect(await isElsewhere(bytesTask(utf8('a\0b')))).toBe(true);
    } finally {
      await elsewhere.close();
    }
  });

  it('reads a PDF with its pages', async () => {
    const finished = await run(
      bytesTask(pdfOf(12), { filename: 'tides.pdf', contentType: 'application/pdf' }),
    );
    expect(finished.metadata).toMatchObject({
      filename: 'tides.pdf',
      content_type: 'application/pdf',
      estimated_pages: 12,
    });
    const { chunks } = membersOf(finished);
    expect(chunks[0]?.metadata['page_start']).toBe(1);
    expect(chunks.at(-1)?.metadata['page_end']).toBe(12);
    expect(chunks.map(({ text }) => text).join(' ')).toContain(
      'Page 7, line 33: the tide turns twice a day.',
    );
  });

  it('reads every kind that is accepted, and names a file that has no name by its kind', async () => {
    const html = await run(
      bytesTask(utf8('<!doctype html><title>T</title><body><p>The tide turns.</p>'), {
        filename: undefined,
        contentType: 'text/html',
      }),
    );
    expect(html.metadata).toMatchObject({ filename: 'document.html', content_type: 'text/html' });
    expect((await run(bytesTask(utf8('# Tides\n\nText'), { filename: 'a.md' }))).metadata.content_type).toBe(
      'text/markdown',
    );
    expect((await run(bytesTask(utf8('text'), { filename: undefined }))).metadata.filename).toBe(
      'document.txt',
    );
  });

  it('takes text for what its sender says it is, whatever it looks like', async () => {
    for (const text of [
      '<!doctype html><html><body>Tides</body></html>',
      '%PDF-1.7 endobj',
      '{\\rtf1 x',
      'PK\x03\x04',
    ]) {
      const finished = await run(textTask(text));
      expect(finished.metadata.content_type).toBe('text/plain');
      expect(membersOf(finished).chunks[0]?.text).toBe(text);
    }
  });

  it('cleans text once: line ends, byte order mark, and NUL with a warning', async () => {
    const finished = await run(textTask('\uFEFFone\r\ntwo\rthr\0ee'));
    expect(membersOf(finished).chunks[0]?.text).toBe('one\ntwo\nthree');
    expect(finished.warnings).toMatchObject([{ code: 'nul_dropped' }]);
  });

  it('uses size, overlap and tier as they are given', async () => {
    const { chunks } = membersOf(
      await run(
        textTask(PROSE, {}, { size: 100, overlap: 40, records: { tierName: 'demo' }, format: 'qdrant' }),
      ),
    );
    const payloads = chunks as unknown as readonly { payload: { text: string; tier: string } }[];
    expect(Math.max(...payloads.map(({ payload }) => payload.text.length))).toBeLessThanOrEqual(100);
    expect(payloads[0]?.payload.tier).toBe('demo');
  });

  it.each(Object.keys(FORMATS) as FormatId[])(
    'makes one entry of chunks a chunk in the format %s',
    async (format) => {
      const finished = await run(textTask(PROSE, {}, { format }));
      expect(membersOf(finished).chunks).toHaveLength(finished.totalChunks);
    },
  );

  it('adds what a format adds', async () => {
    const finished = await run(textTask(PROSE, {}, { format: 'chroma' }));
    expect(JSON.parse(`{${finished.members}}`)).toMatchObject({
      columns: { ids: membersOf(finished).chunks.map(({ id }) => id) },
    });
  });
});

describe('the id of a document', () => {
  const documentIdOf = async (records: WorkerTask['records'], bytes = utf8(PROSE)): Promise<unknown> => {
    const finished = await run(bytesTask(bytes, {}, { format: 'qdrant', records }));
    return (JSON.parse(`{${finished.members}}`) as { chunks: [{ payload: { document_id: string } }] })
      .chunks[0].payload.document_id;
  };
  const hash = createHash('sha256').update(PROSE).digest('hex');
  const sourceUrl = 'https://example.com/a.txt';

  it("is the client's, else the link, else the hash of the bytes", async () => {
    expect(await documentIdOf({ tierName: 'free', documentId: 'mine', sourceUrl })).toBe('mine');
    expect(await documentIdOf({ tierName: 'free', sourceUrl })).toBe(sourceUrl);
    expect(await documentIdOf({ tierName: 'free' })).toBe(hash);
  });

  it('is the hash of the bytes, and that of the source the hash of the text, where reading changed characters and not their number', async () => {
    for (const [written, text] of [
      ['One\rtwo.', 'One\ntwo.'],
      ['One\ftwo.', 'One\ntwo.'],
      ['Größe 🙂', 'Größe 🙂'],
      ['\uFEFFOne.', 'One.'],
    ] as const) {
      const hashOf = (of: string): string => createHash('sha256').update(of).digest('hex');
      expect(await documentIdOf({ tierName: 'free' }, utf8(written))).toBe(hashOf(written));
      expect(membersOf(await run(bytesTask(utf8(written)))).source.sha256).toBe(hashOf(text));
    }
  });

  it('is the hash of the bytes when the link is longer than a record can carry', async () => {
    expect(
      await documentIdOf({ tierName: 'free', sourceUrl: `https://example.com/${'x'.repeat(3000)}` }),
    ).toBe(hash);
  });

  it('is the same for text and for a file with that text', async () => {
    const [fromText, fromFile] = await Promise.all([run(textTask(PROSE)), run(bytesTask(utf8(PROSE)))]);
    expect(membersOf(fromText).chunks).toEqual(membersOf(fromFile).chunks);
  });
});

describe('a document that cannot be read', () => {
  it.each([
    ['blank text', textTask(' \n '), 'empty_document'],
    ['text with half a surrogate pair', textTask('a\ud800b'), 'ill_formed_text'],
    ['no bytes', bytesTask(new Uint8Array()), 'empty_document'],
    ['a PDF in pieces', bytesTask(utf8('%PDF-1.7\nendobj nothing'), { filename: 'a.pdf' }), 'corrupted'],
    [
      'an image',
      bytesTask(
        Uint8Array.from([
          0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52,
        ]),
      ),
      'unsupported_type',
    ],
    ['a size that is no size', textTask(PROSE, {}, { size: 0 }), 'invalid_options'],
    ['a size that is no size, in a child process', textTask(LONG, {}, { size: 0 }), 'invalid_options'],
    ['an overlap as large as the size', textTask(LONG, {}, { size: 10, overlap: 10 }), 'invalid_options'],
  ])('%s: its code and message arrive', async (_, task, code) => {
    await expect(run(task)).rejects.toMatchObject({
      name: 'WorkError',
      code,
      message: expect.stringMatching(/\w/) as string,
    });
  });

  it('because its kind is not accepted gets the accepted kinds', async () => {
    const accept = ['txt', 'pdf'] as const;
    for (const task of [
      bytesTask(utf8('<html><body>x'), { filename: 'a.html', accept }),
      bytesTask(utf8('# x'), { filename: 'a.md', accept }),
      bytesTask(pdfOf(1), { accept: ['txt'] }),
      bytesTask(
        Uint8Array.from({ length: 256 }, (_, byte) => byte),
        { accept },
      ),
    ]) {
      await expect(run(task)).rejects.toMatchObject({
        code: 'unsupported_type',
        message: expect.stringMatching(/accepted here are \.txt/) as string,
      });
    }
  });

  it('because its overlap would multiply it is rejected, and one that stays small is not', async () => {
    const line = 'x'.repeat(100_000);
    const finished = await run(textTask(line, {}, { size: 1000, overlap: 990 }));
    expect(finished.totalChunks).toBe(9901);
    await expect(run(textTask(line, {}, { size: 1000, overlap: 999 }))).rejects.toMatchObject({
      code: 'invalid_options',
      issues: [
        {
          option: 'overlap',
          received: '999',
          expected: expect.stringMatching(/99001000.*16777216/) as string,
        },
      ],
    });
    const half = await run(textTask('x'.repeat(9_000_000), {}, { size: 10_000, overlap: 5000 }));
    expect(half.members.length).toBeGreaterThan(16 * 1024 * 1024);
  });

  it('brings the issues of its options, all of them', async () => {
    await expect(run(textTask(LONG, {}, { size: 0, overlap: -1 }))).rejects.toMatchObject({
      issues: [{ option: 'size' }, { option: 'overlap' }],
    });
  });
});

describe('the processes of a worker pool', () => {
  it('start at once, those for documents that wait for remote models too where such are expected', async () => {
    const before = childrenOf(process.pid).length;
    const settings = { ...SETTINGS, workers: 1, aiAtOnce: 2 };
    const expecting = createWorkerPool({ ...settings, startsRemotePool: true }, FROM_SOURCES);
    expect(childrenOf(process.pid).length - before).toBe(3);
    await expecting.close();
    const other = createWorkerPool(settings, FROM_SOURCES);
    expect(childrenOf(process.pid).length - before).toBe(1);
    await other.close();
  });
});

describe('the end of a worker pool', () => {
  it('comes by itself when the server is killed', async () => {
    const program = fileURLToPath(new URL('./server-like.ts', import.meta.url));
    const hook = new URL('./from-sources.mjs', import.meta.url).href;
    const server = spawn(process.execPath, ['--import', hook, program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(server.stdout, 'data');
    const children = childrenOf(server.pid!);
    expect(children).toHaveLength(2);
    server.kill('SIGKILL');
    await once(server, 'exit');
    // No event reports the end of a process that is not a child of this one, so the test polls until its own time
    // limit.
    while (children.some(isAlive)) await wait(10);
  });

  it('is waited for when its processes are slow to die: else Node ends with 13 in the middle of it', async () => {
    const program = fileURLToPath(new URL('./stopped-children.ts', import.meta.url));
    const hook = new URL('./from-sources.mjs', import.meta.url).href;
    const server = spawn(process.execPath, ['--import', hook, program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    server.stdout.on('data', (piece: Buffer) => (output += piece.toString()));
    const [code] = (await once(server, 'exit')) as [number | null];
    expect([code, output]).toEqual([0, 'closed\n']);
  });
});

describe('while fifty PDFs are worked on', () => {
  it('every one is answered, in the right place', async () => {
    const delay = monitorEventLoopDelay({ resolution: 5 });
    const pdfs = [20, 30, 40].map(pdfOf);
    await run(bytesTask(pdfs[0]!, { filename: 'warm.pdf' }));
    delay.enable();
    const startMs = performance.now();
    const finished = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        run(bytesTask(pdfs[index % 3]!, { filename: `${index}.pdf` })),
      ),
    );
    const tookMs = performance.now() - startMs;
    delay.disable();
    expect(finished.map(({ metadata }) => [metadata.filename, metadata.estimated_pages])).toEqual(
      finished.map((_, index) => [`${index}.pdf`, [20, 30, 40][index % 3]]),
    );
    const ms = (nanoseconds: number): string => (nanoseconds / 1e6).toFixed(1);
    console.log(
      `50 PDFs in ${tookMs.toFixed(0)} ms; event loop delay p50 ${ms(delay.percentile(50))}, p99 ${ms(delay.percentile(99))}, worst ${ms(delay.max)} ms (resolution 5)`,
    );
  });
});

describe('a search for a quotation', () => {
  const stored = (chunks: readonly object[]): Uint8Array =>
    gzipSync(JSON.stringify({ success: true, chunks }));
  const chunkOf = (text: string, start = 0): object => ({
    id: String(start),
    text,
    metadata: { start_offset: start, end_offset: start + text.length },
  });
  const cite = (gzip: Uint8Array, quote: string) => workerPool.cite({ gzip, quote }, { signal: none });

  it('runs in a child process, which finds it in a stored answer', async () => {
    const { citation } = await cite(stored([chunkOf(PROSE, 50)]), 'pilots wait for it');
    expect(citation).toMatchObject({
      score: 1,
      passages: [{ text: 'Pilots wait for it', chunk_ids: ['50'] }],
    });
    expect(await cite(stored([chunkOf(PROSE)]), 'nothing of this kind was said')).toEqual({});
  });

  it('of a large result leaves the event loop alone', async () => {
    const words = randomBytes(4_000_000)
      .toString('hex')
      .match(/.{1000}/gu)!;
    const gzip = stored(words.map((text, index) => chunkOf(text, 1000 * index)));
    const quote = words[6000]!.slice(100, 900);
    let turns = 0;
    const counting = setInterval(() => turns++, 1);
    const { citation } = await cite(gzip, quote);
    clearInterval(counting);
    expect(citation?.passages).toMatchObject([{ start_offset: 6_000_100, end_offset: 6_000_900 }]);
    // A search in this process would take one turn.
    expect(turns).toBeGreaterThan(20);
  }, 120_000);

  it('of a stored answer that is none is a defect, and the next search goes on', async () => {
    for (const gzip of [gzipSync('nonsense'), stored([{}]), Buffer.from('no gzip')])
      await expect(cite(gzip, 'its words')).rejects.toThrow('child process failed');
    expect((await cite(stored([chunkOf(PROSE)]), 'pilots wait for it')).citation?.score).toBe(1);
  });
});
