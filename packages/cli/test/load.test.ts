// `grainline load` and `grainline search`: documents into a database and out of it, and every way to use them wrongly.
import { readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';

import { openStore } from '@grainline/stores';
import { writePdf } from '@grainline/testing/pdf-writer';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Ended, folder, grainlineWith, put, useFolder } from './command.ts';
import { type FakeIo, fakeIo } from './fake-io.ts';
import { absoluteAddress } from '../src/commands/store.ts';
import { openVectorFile } from '../src/local/vector-file.ts';

useFolder();

/** A database of each test: the name of its folder. */
const url = (): string => `memory:${folder}`;
const inFolder = (changes: Partial<FakeIo> = {}): FakeIo =>
  fakeIo(folder, {
    environment: { XDG_STATE_HOME: join(folder, '.state'), XDG_CACHE_HOME: join(folder, '.cache') },
    ...changes,
  });
const run = (argv: readonly string[], changes: Partial<FakeIo> = {}): Promise<Ended> =>
  grainlineWith(argv, inFolder(changes));
const load = (...argv: string[]): Promise<Ended> => run(['load', ...argv, '--to', url()]);
const search = (...argv: string[]): Promise<Ended> => run(['search', '--from', url(), ...argv]);

/** Writes a file whose last change is long ago, as that of most files. */
function putOld(name: string, content: string | Uint8Array, seconds = 1e9): void {
  put(name, content);
  utimesSync(join(folder, name), seconds, seconds);
}

function putHarbour(): void {
  putOld(
    'docs/tides.md',
    '# Tides\n\n## High water\n\nHigh water at the harbour follows the moon by six hours.\n',
  );
  putOld('docs/bread.md', '# Bread\n\nKnead the dough for ten minutes and let it rest overnight.\n');
  putOld(
    'docs/ship.pdf',
    writePdf({
      pages: [{ lines: ['The pilot boards the ship.'] }, { lines: ['Anchors are dropped at the quay.'] }],
    }),
  );
}

describe('grainline load', () => {
  it('loads a folder, which search answers questions from, and reads nothing twice', async () => {
    putHarbour();
    const first = await load('docs');
    expect([first.code, first.stdout]).toEqual([0, '']);
    expect(first.stderr).toMatch(
      /^docs: 3 documents: 3 added, 0 changed, 0 unchanged, 0 failed; \d chunks added/m,
    );
    const found = await search('when is high water at the harbour?');
    expect(found.code).toBe(0);
    expect(found.stdout).toMatch(/^\d\S* {2}docs\/tides\.md, characters \d+–\d+\n {6}Tides > High water\n/);
    const pages = (await search('anchors at the quay', '--json', '--top', '1')).records();
    expect(pages).toMatchObject([{ metadata: { document_id: 'docs/ship.pdf', page_end: 2 } }]);
    const again = await load('docs');
    expect(again.stderr).toContain('0 added, 0 changed, 3 unchanged, 0 failed; 0 chunks added');
  });

  it('follows edits, new files, and with --prune vanished ones', async () => {
    putHarbour();
    for (const at of [1, 2, 3, 4]) putOld(`docs/more/${at}.txt`, `Lantern number ${at}.`);
    await load('docs');
    putOld('docs/bread.md', '# Bread\n\nBuns need less time.\n', 1e9 + 60);
    rmSync(join(folder, 'docs/more/1.txt'));
    const edited = await load('docs');
    expect(edited.code).toBe(0);
    expect(edited.stderr).toMatch(/0 added, 1 changed, 5 unchanged, 0 failed; 1 chunk added.*1 removed/);
    expect(edited.stderr).toContain('docs: 1 document is no longer in the source; --prune removes it');
    expect((await search('buns', '--by', 'keywords', '--top', '1')).stdout).toContain('docs/bread.md');
    expect((await load('docs', '--prune')).stderr).toContain('6 unchanged, 1 removed');
    expect((await search('lantern number 1', '--json')).stdout).not.toContain('docs/more/1.txt');
    rmSync(join(folder, 'docs/more'), { recursive: true });
    const many = await load('docs', '--prune');
    expect([many.code, many.stderr]).toEqual([1, expect.stringContaining('--prune=all removes them')]);
    expect((await load('docs', '--prune=all')).stderr).toContain('3 unchanged, 3 removed');
  });

  it('removes nothing when the folder is gone', async () => {
    putHarbour();
    await load('docs');
    rmSync(join(folder, 'docs'), { recursive: true });
    const { code, stderr } = await load('docs', '--prune=all');
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('docs: There is no such file or folder. (not_found)'),
    ]);
    expect((await search('high water')).stdout).toContain('docs/tides.md');
  });

  it('prints a plan with --dry-run, and does nothing', async () => {
    putHarbour();
    const { code, stdout } = await load('docs', '--dry-run', '--price', '1000');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^docs\n {2}documents {2}3 new, 0 changed, 0 unchanged, 0 failed, 0 removed, 0 gone\n/,
    );
    expect(stdout).toMatch(/ {2}to embed {3}\d texts, \d+ tokens, 0\.0\d+ USD\n/);
    expect((await search('x')).code).toBe(8);
    await load('docs');
    expect((await load('docs', '--dry-run')).stdout).toContain('0 new, 0 changed, 3 unchanged');
  });

  it('lists files that cannot be read, loads the others, and exits with 1', async () => {
    putHarbour();
    putOld('docs/broken.pdf', '%PDF-1.7 and no more');
    const { code, stderr } = await load('docs', 'gone.md');
    expect(code).toBe(1);
    expect(stderr).toContain('grainline: docs/broken.pdf: The document is damaged and cannot be read');
    expect(stderr).toContain('docs: 4 documents: 3 added');
    expect(stderr).toContain('gone.md: There is no such file or folder.');
  });

  it('takes an empty file for a document without chunks', async () => {
    putHarbour();
    await load('docs');
    putOld('docs/bread.md', '', 1e9 + 60);
    const { code, stderr } = await load('docs');
    expect(code).toBe(0);
    expect(stderr).toContain('docs/bread.md: warning: The document holds no text. (empty_document)');
    expect((await search('dough', '--by', 'keywords')).code).toBe(1);
  });

  it('reads documents again when options change, unless told to keep them', async () => {
    putHarbour();
    await load('docs');
    const kept = await load('docs', '--size', '200', '--keep-version');
    expect(kept.stderr).toContain('0 changed, 3 unchanged');
    const { stderr } = await load('docs', '--size', '200');
    expect(stderr).toContain(
      'docs: 3 documents of another version of reader, cutter or options are read again',
    );
    expect(stderr).toContain('3 changed, 0 unchanged');
  });

  it('keeps the blend and the embedder of a database', async () => {
    putHarbour();
    await load('docs', '--blend', '0');
    expect((await load('docs')).code).toBe(0);
    for (const options of [[], ['--dry-run']]) {
      const other = await load('docs', '--blend', '0.4', ...options);
      expect([other.code, other.stderr]).toEqual([6, expect.stringContaining('(other_blend)')]);
    }
    const store = await openStore(`memory:${folder}-foreign`);
    const embedding = { model: 'theirs', dimensions: 3, distance: 'cosine' } as const;
    await store.prepare({ embedding, versions: {} });
    const foreign = await run(['load', 'docs', '--to', `memory:${folder}-foreign`]);
    expect([foreign.code, foreign.stderr]).toEqual([
      6,
      expect.stringMatching(/holds vectors of theirs.* with --embedder.*\(other_embedder\)/),
    ]);
    const question = await run(['search', 'When?', '--from', `memory:${folder}-foreign`]);
    expect([question.code, question.stderr]).toEqual([6, expect.stringContaining('(other_embedder)')]);
    expect((await store.inspect())?.chunks).toBe(0);
  });

  it('is refused while another load has the source', async () => {
    putHarbour();
    await load('docs');
    const store = await openStore(url());
    const lock = await store.lock('docs');
    const { code, stderr } = await load('docs');
    expect([code, stderr]).toEqual([7, expect.stringContaining('(locked)')]);
    await lock.release();
    expect((await load('docs')).code).toBe(0);
  });

  it('takes over the lock of a load that was killed on this machine', async () => {
    putHarbour();
    const io = inFolder({ signal: AbortSignal.abort() });
    const { code, stderr } = await grainlineWith(['load', 'docs', '--to', url()], io);
    expect([code, stderr]).toEqual([130, expect.stringContaining('the next load goes on')]);
    const { takeOwner } = await import('../src/local/load-owner.ts');
    const owner = await takeOwner(io.environment, 'here', 'a');
    const second = await takeOwner(io.environment, 'here', 'a');
    expect(second.name).not.toBe(owner.name);
    const [file = ''] = readdirSync(join(folder, '.state/grainline/loads'));
    // No process has this number: Linux has at most 2 ** 22.
    writeFileSync(join(folder, '.state/grainline/loads', file), `${2 ** 22 + 1} ${owner.name}\n`);
    const third = await takeOwner(io.environment, 'here', 'a');
    expect(third.name).toBe(owner.name);
    await third.release();
    expect(readdirSync(join(folder, '.state/grainline/loads'))).toEqual([]);
  });

  it('leaves the lock of a load on another machine with the same home folder', async () => {
    const { takeOwner } = await import('../src/local/load-owner.ts');
    const { environment } = inFolder();
    const there = await takeOwner(environment, 'there', 'a');
    const [file = ''] = readdirSync(join(folder, '.state/grainline/loads'));
    // A number of a process there, which none has here.
    writeFileSync(join(folder, '.state/grainline/loads', file), `${2 ** 22 + 1} ${there.name}\n`);
    const here = await takeOwner(environment, 'here', 'a');
    expect(here.name).not.toBe(there.name);
    await here.release();
    expect(readdirSync(join(folder, '.state/grainline/loads'))).toEqual([file]);
  });

  it('opens a folder of a database from the working folder, whatever signs it has', () => {
    const from = (url: string): string => absoluteAddress(url, '/home/50% of what?');
    expect(from('lancedb:./v?collection=tides')).toBe(
      'lancedb:/home/50%25%20of%20what%3F/v?collection=tides',
    );
    // Without a folder it is refused, and nothing is written into the working folder.
    for (const url of ['lancedb:', 'lancedb:?collection=tides', 'lancedb:/v', 'memory:v'])
      expect(from(url)).toBe(url);
  });

  it('masks credentials in every output', async () => {
    putHarbour();
    const secret = 'hunter2hunter2';
    put('credentials', `EXAMPLE_API_KEY=${secret}-2\n`);
    put(`docs/${secret}-2.txt`, ' ');
    const answer = await run([
      'load',
      'docs',
      '--to',
      `postgres://me:${secret}@127.0.0.1:1/x?colour=red`,
      '--credentials',
      'credentials',
    ]);
    expect(answer.code).not.toBe(0);
    const listed = await run(['load', 'docs', '--to', url(), '--credentials', 'credentials']);
    expect(listed.stderr).toContain('docs/***.txt');
    for (const { stdout, stderr } of [answer, listed]) expect(stdout + stderr).not.toContain(secret);
    const missing = await run(['load', 'docs', '--to', url(), '--credentials', 'none']);
    expect([missing.code, missing.stderr]).toEqual([
      2,
      expect.stringContaining('The credentials none cannot be read'),
    ]);
  });

  it.each([
    [['docs'], 2, /Name the database with --to/],
    [['--to', 'memory:x'], 2, /Name the documents/],
    [['-', '--to', 'memory:x'], 2, /Standard input has no name/],
    [
      ['docs', '--to', 'gopher://x'],
      2,
      /^grainline: gopher:\/\/x is the URL of no store; it must .{60,180} \(invalid_url\)\n$/,
    ],
    [
      ['docs', '--to', 'postgres://postgres@h/d?collection=t'],
      2,
      /URL postgres:\/\/\*\*\*@h.* collection must be/,
    ],
    [['docs', '--to', 'memory:x', '--tier', 'ai'], 2, /load takes the tiers without a language model/],
    [['docs', '--to', 'memory:x', '--prune=some'], 2, /Write --prune or --prune=all/],
    [['docs', '--to', 'memory:x', '--blend', '2'], 2, /--blend must be a number from 0 to 1/],
    [['docs', '--to', 'memory:x', '--price', '1'], 2, /--price goes with --dry-run/],
    [['docs', '--to', 'memory:x', '--size', '0'], 2, /--size must be/],
    [['docs', '--to', 'memory:x', '--format', 'raw'], 2, /There is no option --format/],
    [['s3://bucket/x', '--to', 'memory:x'], 1, /needs AWS_ACCESS_KEY_ID.*\(bucket_unusable\)/],
  ])('refuses %j', async (argv, expected, message) => {
    put('docs/a.md');
    const { code, stderr } = await run(['load', ...argv]);
    expect(stderr).toMatch(message);
    expect(code).toBe(expected);
  });

  it('loads again after a change, with --watch', async () => {
    putOld('docs/a.md', 'One tide.');
    const controller = new AbortController();
    const seen = Promise.withResolvers<undefined>();
    const io = inFolder({ signal: controller.signal });
    const store = await openStore(url());
    const ended = grainlineWith(['load', 'docs', '--to', url(), '--watch'], io);
    await until(async () => (await store.list('docs/a.md')).length === 1);
    putOld('docs/b.md', 'Two tides.');
    await until(async () => (await store.list('docs/b.md')).length === 1);
    await until(() => Promise.resolve(io.stderr.text().includes('docs: 2 documents')));
    controller.abort();
    seen.resolve(undefined);
    const { code, stderr } = await ended;
    expect([code, stderr]).toEqual([130, expect.not.stringContaining('Interrupted')]);
  });
});

/** Resolves once something is so. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve));
}

describe('grainline load with an embedding service', () => {
  let service: Server;
  let environment: Record<string, string>;
  const requested: string[] = [];
  beforeEach(async () => {
    requested.length = 0;
    service = createServer((request, response) => {
      void text(request).then((body) => {
        const { input } = JSON.parse(body) as { input: string[] };
        requested.push(...input.filter((one) => one !== 'proof'));
        const data = input.map((one, index) => ({ index, embedding: [one.length, 1, one.length % 7] }));
        response.end(
          JSON.stringify({ data, model: 'letters', usage: { prompt_tokens: 1, total_tokens: 1 } }),
        );
      });
    }).listen(0, '127.0.0.1');
    await once(service, 'listening');
    const { port } = service.address() as AddressInfo;
    environment = {
      XDG_STATE_HOME: join(folder, '.state'),
      XDG_CACHE_HOME: join(folder, '.cache'),
      EMBEDDINGS_BASE_URL: `http://127.0.0.1:${port}/v1`,
    };
  });
  afterEach(() => service.close());
  const loadInto = async (to: string, ...more: string[]): Promise<Ended> => {
    requested.length = 0;
    return run(['load', 'docs', '--to', to, '--embedder', 'openai:letters', '--size', '200', ...more], {
      environment,
    });
  };
  const parts = Array.from(
    { length: 30 },
    (_, at) => `Part ${at} of the pilot's book has ${'many '.repeat(at)}words.`,
  );

  it('embeds new texts alone, over runs and databases', async () => {
    putOld('docs/a.md', parts.join('\n\n'));
    const first = await loadInto(url());
    expect([first.code, first.stderr]).toEqual([0, expect.stringContaining('1 added')]);
    expect(requested.length).toBeGreaterThan(15);
    putOld('docs/a.md', parts.with(20, 'Something else stands here now.').join('\n\n'), 2e9);
    expect((await loadInto(url())).stderr).toContain('1 changed');
    expect(requested).toEqual([expect.stringContaining('Something else')]);
    expect((await loadInto(`memory:${folder}-second`)).stderr).toContain('1 added');
    expect(requested).toEqual([]);
    expect((await loadInto(`memory:${folder}-third`, '--cache', 'elsewhere')).stderr).toContain('1 added');
    const { length } = requested;
    expect(length).toBeGreaterThan(15);
    expect(readdirSync(join(folder, 'elsewhere'))).toContain('vectors-1.db');
    // Another service may give other vectors under the same name.
    environment = { ...environment, EMBEDDINGS_BASE_URL: `${environment['EMBEDDINGS_BASE_URL'] ?? ''}/` };
    await loadInto(`memory:${folder}-fourth`);
    expect(requested).toHaveLength(length);
  });

  it('keeps no vectors with --cache none, and loads when the folder cannot be used', async () => {
    putOld('docs/a.md', parts.join('\n\n'));
    await loadInto(url(), '--cache', 'none');
    const { length } = requested;
    put('file', 'in the way');
    const { code, stderr } = await loadInto(`memory:${folder}-second`, '--cache', 'file');
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/vectors of earlier runs in .*file cannot be used/),
    ]);
    expect(requested).toHaveLength(length);
  });
});

describe('the file of vectors', () => {
  const options = { embedder: ['a'], maxBytes: 2 ** 30, now: () => 0 };
  const vectorOf = (at: number): number[] =>
    Array.from({ length: 64 }, (_, index) => Math.fround(Math.sin(at + index)));

  it('is shared by processes, and tells models and embedders apart', async () => {
    const place = join(folder, 'vectors');
    const [one, other] = [await openVectorFile(place, options), await openVectorFile(place, options)];
    one.set('m', 'text', vectorOf(1));
    expect(Array.from(other.get('m', 'text') ?? [])).toEqual(vectorOf(1));
    expect([other.get('n', 'text'), other.get('m', 'Text')]).toEqual([undefined, undefined]);
    const third = await openVectorFile(place, { ...options, embedder: ['b'] });
    expect(third.get('m', 'text')).toBeUndefined();
    for (const file of [one, other, third]) file.close();
    expect(one.get('m', 'text')).toBeUndefined();
  });

  it('stays below its bound, and drops what was not used for the longest time', async () => {
    const place = join(folder, 'vectors');
    const maxBytes = 5 * 2 ** 16;
    const openOn = (day: number) =>
      openVectorFile(place, { ...options, maxBytes, now: () => day * 86_400_000 });
    const names = (kind: string, count: number) => Array.from({ length: count }, (_, at) => `${kind} ${at}`);
    const first = await openOn(1);
    for (const [at, name] of names('old', 600).entries()) first.set('m', name, vectorOf(at));
    first.close();
    const second = await openOn(2);
    expect(second.get('m', 'old 0')).toBeDefined();
    for (const [at, name] of names('new', 550).entries()) second.set('m', name, vectorOf(at));
    const kept = (name: string): boolean => second.get('m', name) !== undefined;
    expect(['old 0', ...names('new', 550)].every(kept)).toBe(true);
    expect(names('old', 600).filter(kept).length).toBeLessThan(300);
    second.close();
    expect(statSync(join(place, 'vectors-1.db')).size).toBeLessThan(2 * maxBytes);
  });
});

describe('grainline search', () => {
  it('shows the part of a long chunk that has the words of the question', async () => {
    const filler = 'The keeper writes the weather into the book of the light. '.repeat(14);
    putOld('docs/light.md', `${filler}Grumblewort grows on the rock.`);
    await load('docs', '--tier', 'free');
    const { stdout } = await search('where does the grumblewort grow', '--by', 'keywords', '--top', '1');
    expect(stdout).toMatch(/\n {2}….*Grumblewort grows on the rock\.\n/);
    expect((await search('weather keeper', '--by', 'keywords')).stdout).toMatch(/\n {2}The keeper .*…\n/);
  });

  it('searches by vectors, by keywords, or by both', async () => {
    putHarbour();
    await load('docs');
    const ranksOf = async (by: string) => {
      const [first] = (await search('pilot', '--by', by, '--json')).records();
      return [first?.['vector_rank'] !== undefined, first?.['keyword_rank'] !== undefined];
    };
    expect(await ranksOf('keywords')).toEqual([false, true]);
    expect(await ranksOf('vectors')).toEqual([true, false]);
    expect(await ranksOf('both')).toEqual([true, true]);
    const none = await search('zebra', '--by', 'keywords');
    expect([none.code, none.stdout, none.stderr]).toEqual([1, '', 'grainline: Nothing was found.\n']);
  });

  it.each([
    [['a', 'b', '--from', 'memory:x'], 2, /Give one question, in quotes/],
    [['a'], 2, /Name the database with --from/],
    [['a', '--from', 'memory:x', '--top', '0'], 2, /--top must be an integer from 1 to 1000/],
    [['a', '--from', 'memory:x', '--by', 'luck'], 2, /--by must be one of both, vectors, keywords/],
    [['a', '--from', 'memory:nothing'], 8, /Nothing has been loaded into memory:nothing.*\(not_prepared\)/],
  ])('refuses %j', async (argv, expected, message) => {
    const { code, stderr } = await run(['search', ...argv]);
    expect([code, stderr]).toEqual([expected, expect.stringMatching(message)]);
  });

  it('prints help, like load', async () => {
    expect((await run(['search', '--help'])).stdout).toContain('Usage: grainline search');
    const { stdout } = await run(['load', '-h']);
    expect(stdout).toContain('--prune');
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});

describe('sources of the web', () => {
  let site: Server;
  let host: string;
  const answers = new Map<string, (response: ServerResponse, headers: Record<string, unknown>) => void>();
  const requests: string[] = [];
  beforeEach(async () => {
    answers.clear();
    requests.length = 0;
    site = createServer((request, response) => {
      requests.push(request.url ?? '');
      const reply = answers.get(request.url ?? '') ?? answers.get('*');
      if (reply === undefined) response.writeHead(404).end('Gone.');
      else reply(response, request.headers);
    }).listen(0, '127.0.0.1');
    await once(site, 'listening');
    host = `127.0.0.1:${(site.address() as AddressInfo).port}`;
  });
  afterEach(() => site.close());
  const fetching = (operand: string, ...more: string[]): Promise<Ended> =>
    run(['load', operand, '--to', url(), ...more], {
      environment: {
        FETCH_ALLOW: host,
        AWS_ENDPOINT_URL: `http://${host}`,
        AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
        AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
      },
    });
  const page = (text: string) => (response: ServerResponse) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>${text}</p>`);

  it('are the pages of a sitemap, and those of the sitemaps of an index, packed or not', async () => {
    const pages = (...rows: string[]) =>
      `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${rows.join('')}</urlset>`;
    const row = (path: string, more = '') => `<url><loc>http://${host}${path}</loc>${more}</url>`;
    answers.set('/sitemap.xml', (response) =>
      response.end(
        `<sitemapindex><sitemap><loc>http://${host}/one.xml</loc></sitemap><sitemap><loc>http://${host}/two.xml.gz</loc></sitemap></sitemapindex>`,
      ),
    );
    answers.set('/one.xml', (response) =>
      response.end(pages(row('/a?x=1&amp;y=2'), row('/b', '<lastmod>2026-01-02T10:00:00Z</lastmod>'))),
    );
    answers.set('/two.xml.gz', (response) => response.end(gzipSync(pages(row('/c'), row('/gone')))));
    answers.set('/a?x=1&y=2', page('One tide.'));
    answers.set('/b', page('Two tides.'));
    answers.set('/c', page('Three tides.'));
    const first = await fetching(`http://${host}/sitemap.xml`);
    expect([first.code, first.stderr]).toEqual([1, expect.stringMatching(/gone: .*status 404/)]);
    expect(first.stderr).toContain('4 documents: 3 added');
    const store = await openStore(url());
    expect(await store.list(`http://${host}/a?x=1&y=2`)).toHaveLength(1);
    requests.length = 0;
    const again = await fetching(`http://${host}/sitemap.xml`);
    expect(again.stderr).toContain('0 changed, 3 unchanged');
    // Its time has not changed.
    expect(requests).not.toContain('/b');
    answers.set('/two.xml.gz', (response) => response.writeHead(500).end());
    expect((await fetching(`http://${host}/sitemap.xml`, '--prune=all')).stderr).not.toContain('removed;');
    expect(await store.list(`http://${host}/c`)).toHaveLength(1);
  });

  it('are the objects of a bucket, page by page, with signed requests', async () => {
    const listing = (keys: readonly string[], next?: string) =>
      `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>b-1</Name><IsTruncated>${String(next !== undefined)}</IsTruncated>${next === undefined ? '' : `<NextContinuationToken>${next}</NextContinuationToken>`}${keys
        .map(
          (key) =>
            `<Contents><Key>${encodeURIComponent(key)}</Key><ETag>&quot;e-${key.length}&quot;</ETag><Size>9</Size></Contents>`,
        )
        .join('')}</ListBucketResult>`;
    const query = 'list-type=2&encoding-type=url&prefix=docs%2F';
    answers.set(`/b-1/?${query}`, (response, { authorization }) => {
      expect(authorization).toMatch(
        /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/us-east-1\/s3\/aws4_request/,
      );
      response.end(listing(['docs/', 'docs/a b+c.md', 'docs/x.png'], 'to/ken=='));
    });
    answers.set(`/b-1/?${query}&continuation-token=to%2Fken%3D%3D`, (response) =>
      response.end(listing(['docs/é.txt'])),
    );
    answers.set('/b-1/docs/a%20b%2Bc.md', (response, headers) => {
      expect(headers['if-match']).toBe('"e-13"');
      response.end('One tide.');
    });
    answers.set('/b-1/docs/%C3%A9.txt', (response) => response.end('Two tide.'));
    const { code, stderr } = await fetching('s3://b-1/docs/');
    expect([code, stderr]).toEqual([0, expect.stringContaining('2 documents: 2 added')]);
    const store = await openStore(url());
    expect(await store.list('s3://b-1/docs/a b+c.md')).toHaveLength(1);
    requests.length = 0;
    expect((await fetching('s3://b-1/docs/')).stderr).toContain('2 unchanged');
    expect(requests).toHaveLength(2);
  });

  it('that answer with an error end the load of a bucket with one sentence', async () => {
    answers.set('*', (response) =>
      response
        .writeHead(403, { 'content-type': 'application/xml' })
        .end('<Error><Code>AccessDenied</Code></Error>'),
    );
    const denied = await fetching('s3://b-1/docs/');
    expect([denied.code, denied.stderr]).toEqual([
      1,
      expect.stringContaining('the bucket b-1 answers 403 AccessDenied. (not_readable)'),
    ]);
    answers.set('*', (response) => response.writeHead(301, { 'x-amz-bucket-region': 'eu-west-1' }).end());
    expect((await fetching('s3://b-1/docs/')).stderr).toContain('set AWS_REGION=eu-west-1');
  });
});
