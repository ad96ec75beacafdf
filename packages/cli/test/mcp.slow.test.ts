// `grainline mcp` with the built command, a real pipe and the official client. Another validator than the server's own
// checks every answer against the tool's schema.
import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { Client, type Tool } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chunk, documentFromText } from '@grainline/core';
import { type RawRecord, toRecords } from '@grainline/core/formats';
import { wordOf } from '@grainline/testing/generated-text';
import { writePdf } from '@grainline/testing/pdf-writer';
import { readArguments } from '../src/args/arguments.ts';
import { run } from '../src/run.ts';
import { fakeIo } from './fake-io.ts';
import { startBuiltServer, type RunningServer } from './built-server.ts';

const BIN = join(import.meta.dirname, '../bin/grainline.js');
const PACKAGES = join(import.meta.dirname, '../..');
const BUILT = ['core', 'extract', 'models', 'mcp', 'cli'].every((name) =>
  existsSync(join(PACKAGES, name, 'dist/index.js')),
);
if (!BUILT) console.warn('SKIPPED: tests of the server for agents; run `npm run build` first.');

const PROSE = Array.from(
  { length: 400 },
  (_, index) =>
    `${index % 40 === 0 ? `## Part ${index / 40}\n\n` : ''}Sentence ${index} speaks of harbours and tides.`,
).join(' ');

interface Structured {
  readonly result: string;
  readonly total_chunks: number;
  readonly from: number;
  readonly next?: number;
  readonly notice?: string;
  readonly chunks: readonly RawRecord[];
}
interface Answered<T = Structured & Record<string, unknown>> {
  readonly structured: T;
  readonly text: string;
  readonly links: readonly string[];
}
interface Session {
  readonly client: Client;
  readonly tools: readonly Tool[];
  /** Every answer is checked against the tool's own schema. */
  readonly call: (
    name: string,
    given: object,
    options?: Parameters<Client['callTool']>[1],
  ) => Promise<Answered>;
  /** The message of an error answer. */
  readonly refused: (name: string, given: object) => Promise<string>;
}

let folder: string;
/** Servers by their arguments; the tests share them, because a start takes longer than most tests. */
const sessions = new Map<string, Session>();

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'grainline-mcp-')));
});

afterAll(async () => {
  for (const { client } of sessions.values()) await client.close();
  rmSync(folder, { recursive: true, force: true });
});

const put = (name: string, content: string | Uint8Array = PROSE): void =>
  writeFileSync(join(folder, name), content);

async function open(options = '', cwd = folder): Promise<Session> {
  const known = sessions.get(`${cwd} ${options}`);
  if (known !== undefined) return known;
  const client = new Client({ name: 'test', version: '1' });
  const args = [BIN, 'mcp', ...options.split(' ').filter(Boolean)];
  const env = { PATH: process.env['PATH'] ?? '', XDG_STATE_HOME: join(folder, 'state') };
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd, env, stderr: 'ignore' }),
  );
  const { tools } = await client.listTools();
  const ajv = new Ajv2020({ strict: false });
  (formats as unknown as (ajv: Ajv2020) => void)(ajv);
  const call: Session['call'] = async (name, given, options) => {
    const answer = await client.callTool({ name, arguments: { ...given } }, options);
    const [first, ...others] = answer.content;
    const text = first?.type === 'text' ? first.text : '';
    expect(answer.isError, text).toBeFalsy();
    const schema = tools.find((tool) => tool.name === name)?.outputSchema;
    const isValid = ajv.compile(schema as object)(answer.structuredContent);
    expect(isValid, ajv.errorsText()).toBe(true);
    const links = others.map((part) => (part.type === 'resource_link' ? part.uri : part.type));
    return { structured: answer.structuredContent as Answered['structured'], text, links };
  };
  const refused: Session['refused'] = async (name, given) => {
    const answer = await client.callTool({ name, arguments: { ...given } });
    expect(answer.isError).toBe(true);
    expect(answer.structuredContent).toBeUndefined();
    const [first] = answer.content;
    const text = first?.type === 'text' ? first.text : '';
    expect(text).not.toMatch(/\n\s+at |node_modules|\.ts:\d|\.js:\d/);
    return text;
  };
  const session = { client, tools, call, refused };
  sessions.set(`${cwd} ${options}`, session);
  return session;
}

/** All chunks of a result, page by page. */
async function paged(session: Session, first: Structured, page: object): Promise<RawRecord[]> {
  const chunks = [...first.chunks];
  for (let { next } = first; next !== undefined;) {
    const { structured } = await session.call('read_chunks', { result: first.result, from: next, ...page });
    expect(structured.from).toBe(next);
    chunks.push(...structured.chunks);
    next = structured.next;
  }
  return chunks;
}

/** The output of the command line for a file. */
async function written(line: string): Promise<RawRecord[]> {
  const io = fakeIo(folder);
  expect(await run(line.split(' '), io)).toBe(0);
  return io.stdout
    .text()
    .trimEnd()
    .split('\n')
    .map((text) => {
      const record = JSON.parse(text) as RawRecord & { document_id?: string };
      delete record.document_id;
      return record;
    });
}

describe.skipIf(!BUILT)('the tools here', () => {
  it('are five, none of which reaches outside, and are named and described', async () => {
    const { tools } = await open();
    expect(tools.map(({ name }) => name)).toEqual([
      'chunk_file',
      'chunk_text',
      'read_chunks',
      'cite',
      'describe_tiers',
    ]);
    for (const { title, description, inputSchema, outputSchema, annotations } of tools) {
      expect(title).toBeTruthy();
      expect(description!.length).toBeGreaterThan(60);
      expect(inputSchema['additionalProperties']).toBe(false);
      expect(outputSchema?.['additionalProperties']).toBe(false);
      expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false, openWorldHint: false });
      for (const field of Object.values(inputSchema.properties ?? {}))
        expect((field as { description?: string }).description).toBeTruthy();
    }
    // Every conversation has these tools.
    expect(JSON.stringify(tools).length).toBeLessThan(26_000);
  });

  it.each([
    ['a.md', {}, ''],
    ['a.md', { size: 200, overlap: 40, tier: 'free' }, '--size 200 --overlap 40 --tier free'],
    ['a.md', { size: 300, target: 200, min: 20 }, '--size 300 --target 200 --min 20'],
    ['a.md', { size: 60, unit: 'tokens', tier: 'standard' }, '--size 60 --unit tokens --tier standard'],
    ['a.md', { unit: 'tokens', encoding: 'cl100k' }, '--unit tokens --encoding cl100k'],
    [
      'a.md',
      { tier: 'professional', context: 'in-document', size: 300 },
      '--tier professional --context in-document --size 300',
    ],
    ['a.md', { tier: 'semantic', size: 400 }, '--tier semantic --size 400'],
    ['a.md', { kind: 'text', document_id: 'notes' }, '--kind text --document-id notes'],
    ['b.pdf', { size: 100 }, '--size 100'],
    ['b.pdf', { size: 100, regions: true }, '--size 100 --regions'],
    ['c.txt', { charset: 'koi8-r' }, '--charset koi8-r'],
  ])('chunk_file gives what the command line writes: %s %j', async (name, given, options) => {
    put('a.md');
    put(
      'b.pdf',
      writePdf({ pages: [{ lines: ['Quarterly report'] }, { lines: ['Sales rose in the north.'] }] }),
    );
    put('c.txt', Buffer.from('d0d2c9d7c5d420'.repeat(20), 'hex'));
    const session = await open();
    const { structured, text, links } = await session.call('chunk_file', {
      path: name,
      ...given,
      max_characters: 3000,
    });
    const all = await paged(session, structured, { max_characters: 3000 });
    expect(all).toEqual(await written(`${name} ${options}`.trim()));
    expect(all.length).toBe(structured.total_chunks);
    expect(text).toContain(name);
    expect(links).toEqual([`grainline://results/${structured.result}`]);
    // A repeated call gives the same answer, and the resource has the same chunks.
    const again = await session.call('chunk_file', { path: name, ...given, max_characters: 3000 });
    expect(again).toEqual({ structured, text, links });
    const { contents } = await session.client.readResource({ uri: links[0]! });
    const [content] = contents;
    const lines = (content as { text: string }).text.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as RawRecord)).toEqual(all);
    expect((await session.client.listResources()).resources.map(({ uri }) => uri)).toContain(links[0]);
  });

  it.each([
    ['# Tides\r\n\r\nHigh water.\u2028 \u{1F30A}\r\n', {}],
    [PROSE, { size: 333, overlap: 33, tier: 'free' }],
    [PROSE, { size: 333, kind: 'text', tier: 'standard' }],
    ['def ebb():\n    return 1\n\n\ndef flood():\n    return 2\n', { size: 30, language: 'python' }],
    ['a,b\n1,2\n3,4\n', { size: 6, kind: 'csv' }],
    [' \n ', {}],
  ])('chunk_text gives what the library does, with offsets into the text: %#', async (text, given) => {
    const session = await open();
    const { structured } = await session.call('chunk_text', { text, document_id: 'tides', ...given });
    const all = await paged(session, structured, {});
    const { kind, language, ...options } = { tier: 'structure' as const, ...given } as Record<string, string>;
    const document = documentFromText(text, { kind, language } as object);
    const chunks = await chunk(document, options);
    expect(all).toEqual(toRecords(chunks, 'raw', { documentId: 'tides' }));
    expect(structured.total_chunks).toBe(chunks.length);
    for (const { text: own, metadata } of all)
      expect(own.slice(metadata.content_start ?? 0)).toBe(
        text.slice(metadata.start_offset, metadata.end_offset),
      );
  });

  it('an answer says first what there is, as text too', async () => {
    put('guide.md', '# Guide\n\n## Ebb\n\nLow water.\n\n## Flood\n\nHigh water.\n');
    const { call } = await open();
    const { structured, text } = await call('chunk_file', { path: 'guide.md', size: 30, limit: 1 });
    expect(structured).toMatchObject({
      filename: 'guide.md',
      tier: 'structure',
      content_type: 'text/markdown',
      outline: [
        { depth: 1, title: 'Guide', chunk: 0 },
        { depth: 2, title: 'Ebb', chunk: 0 },
        { depth: 2, title: 'Flood', chunk: 1 },
      ],
      total_chunks: 2,
      from: 0,
      next: 1,
    });
    const { result } = structured;
    expect(text).toBe(
      `guide.md: 2 chunks by the tier structure, 1 page.\nCharacters a chunk: 21 to 27, median 27.\nOutline:\n- Guide (chunk 0)\n` +
        `  - Ebb (chunk 0)\n  - Flood (chunk 1)\nChunks 0 to 0 of 2, numbered from 0:\n\n[0] 0-27, Guide > Ebb\n# Guide\n\n## Ebb\n\nLow water.\n\n\n` +
        `1 more: call read_chunks with result "${result}" and from 1.`,
    );
  });

  it('a long document fills no context: neither its chunks nor its outline', async () => {
    const long = Array.from(
      { length: 1500 },
      (_, index) => `${index % 30 === 0 ? '#' : '##'} Heading ${index}\n\n${'Water rises. '.repeat(130)}`,
    );
    put('book.md', long.join('\n\n'));
    const session = await open();
    const { structured, text } = await session.call('chunk_file', { path: 'book.md' });
    expect(JSON.stringify(structured).length).toBeLessThan(32_000);
    expect(text.length).toBeLessThan(32_000);
    expect(structured.total_chunks).toBeGreaterThan(1400);
    expect(structured['outline']).toHaveLength(40);
    expect(structured['outline_omitted']).toBe(1460);
    const none = await session.call('chunk_file', { path: 'book.md', limit: 0 });
    expect(none.structured).toMatchObject({ chunks: [], next: 0, result: structured.result });
    // The resource is too long for one message; the pages are readable.
    await expect(session.client.readResource({ uri: none.links[0]! })).rejects.toThrow('read_chunks');
    const all = await paged(session, structured, { limit: 500, max_characters: 200_000 });
    expect(all).toEqual(await written('book.md'));
  });

  it('a chunk that does not fit is never shortened: the answer says what it takes', async () => {
    const session = await open();
    const text = 'Water '.repeat(1000);
    const { structured } = await session.call('chunk_text', { text, size: 6000, max_characters: 1000 });
    expect(structured).toMatchObject({ chunks: [], next: 0, total_chunks: 1 });
    const needed = Number(/max_characters (\d+)/.exec(structured.notice!)?.[1]);
    const { structured: whole } = await session.call('read_chunks', {
      result: structured.result,
      max_characters: needed,
    });
    expect(whole.chunks).toHaveLength(1);
    expect(whole.next).toBeUndefined();
    const huge = await session.call('chunk_text', { text: text.repeat(40), size: 240_000 });
    expect(huge.structured.notice).toMatch(/smaller size/);
  });

  it('cite finds a quotation in a result, and says when it is not there', async () => {
    const session = await open();
    const { structured } = await session.call('chunk_file', { path: 'a.md', size: 200, limit: 500 });
    const { result, chunks } = structured;
    const { text, id, metadata } = chunks[1]!;
    const quote = text.slice(0, 40).toUpperCase();
    const found = await session.call('cite', { result, quote });
    expect(found.structured).toMatchObject({ result, found: true, score: 1 });
    const [passage] = found.structured['passages'] as { start_offset: number; chunk_ids: string[] }[];
    expect(passage?.start_offset).toBeGreaterThanOrEqual(metadata.start_offset);
    expect(passage?.chunk_ids).toContain(id);
    const missing = await session.call('cite', { result, quote: 'words that nobody has written anywhere' });
    expect(missing.structured).toEqual({ result, found: false, passages: [] });
    expect(missing.text).toBe('Not found.');
  });

  it('cite answers the boxes of a result with regions', async () => {
    const { call } = await open();
    const { structured } = await call('chunk_file', { path: 'b.pdf', size: 100, regions: true });
    const { result, chunks } = structured;
    const { text, regions } = chunks[0]! as unknown as { text: string; regions: number[][] };
    const found = await call('cite', { result, quote: text.slice(0, 20) });
    expect(found.structured['passages']).toMatchObject([{ regions }]);
  });

  it('describe_tiers lists what the schemas allow', async () => {
    const { call, tools } = await open();
    const { structured, text } = await call('describe_tiers', {});
    const { tiers, roots, service } = structured as unknown as {
      tiers: { id: string }[];
      roots: string[];
      service?: object;
    };
    const field = tools[0]!.inputSchema.properties!['tier'] as { enum: string[] };
    expect(tiers.map(({ id }) => id)).toEqual(field.enum);
    expect(roots).toEqual([folder]);
    expect(service).toBeUndefined();
    for (const { id } of tiers) expect(text).toContain(`- ${id}:`);
  });

  it('says how far it is, never back', async () => {
    // Sentences that differ in numbers alone are embedded once.
    put(
      'long.md',
      PROSE.replaceAll(/\d+/g, (number) => wordOf(Number(number))),
    );
    const { call } = await open();
    const shares: number[] = [];
    const onprogress = ({ progress }: { progress: number }): void => void shares.push(progress);
    await call('chunk_file', { path: 'long.md', tier: 'semantic' }, { onprogress });
    expect(shares.length).toBeGreaterThan(5);
    expect(shares).toEqual([...new Set(shares)].sort((a, b) => a - b));
    // The client drops messages that arrive together with the answer, so the last progress may be missing.
    expect(shares[0]).toBe(0);
    expect(shares.at(-1)).toBeGreaterThan(0.3);
  });
});

describe.skipIf(!BUILT)('what is refused', () => {
  const outside = mkdtempSync(join(tmpdir(), 'grainline-mcp-outside-'));

  beforeAll(() => {
    writeFileSync(join(outside, 'secret.md'), '# Secret');
    put('a.md');
    put('empty.md', '');
    put('broken.pdf', '%PDF-1.4 broken');
    put('huge.txt', '');
    truncateSync(join(folder, 'huge.txt'), 50 * 1024 * 1024 + 1);
    symlinkSync(join(outside, 'secret.md'), join(folder, 'leads-out.md'));
    symlinkSync(outside, join(folder, 'out'));
    symlinkSync('circle', join(folder, 'circle'));
  });

  afterAll(() => {
    rmSync(outside, { recursive: true });
  });

  it.each([
    [
      'chunk_text',
      { text: 'x', size: 0, overlap: -1 },
      'size: must be an integer from 1, but is 0, overlap: must be an integer from 0, but is -1',
    ],
    [
      'chunk_text',
      { text: 'x', size: 3, overlap: 4 },
      'overlap must be an integer from 0 to 2, below size, but is 4',
    ],
    ['chunk_text', { text: 'x', sizes: 3 }, '"sizes"'],
    ['chunk_text', { text: '' }, 'text: must hold some text'],
    ['chunk_text', {}, 'text'],
    ['chunk_text', { text: 'x', tier: 'ai' }, 'tier'],
    [
      'chunk_text',
      { text: 'x', tier: 'free', target: 3, encoding: 'o200k' },
      'encoding: goes with unit "tokens", target: goes with tier structure, professional, standard, semantic, not free',
    ],
    ['chunk_text', { text: 'x', context: 'corpus' }, 'context: goes with tier professional, not structure'],
    ['chunk_text', { text: 'x\ud800y' }, /ill_formed|surrogate/],
    ['chunk_text', { text: 'x'.repeat(4_000_001) }, 'save it as a file'],
    ['chunk_text', { text: 'x', from: 1 }, 'from must be below the number of chunks, 1, but is 1'],
    ['chunk_text', { text: 'x', limit: 501 }, 'must be an integer from 0 to 500, but is 501'],
    ['chunk_file', { path: 'gone.md' }, /no such file below/],
    ['chunk_file', { path: 'a.md/b.md' }, /no such file below/],
    ['chunk_file', { path: '.' }, 'a folder'],
    ['chunk_file', { path: '' }, 'path'],
    ['chunk_file', { path: 'a\0.md' }, 'outside_roots'],
    ['chunk_file', { path: '../gone.md' }, 'Only files below these folders'],
    ['chunk_file', { path: 'file:///etc/passwd' }, 'Only files below these folders'],
    ['chunk_file', { path: 'file:///%00' }, 'outside_roots'],
    ['chunk_file', { path: 'file://elsewhere/a.md' }, /no such file below/],
    ['chunk_file', { path: '/etc/passwd' }, 'Only files below these folders'],
    ['chunk_file', { path: 'sub/../../x' }, 'Only files below these folders'],
    ['chunk_file', { path: 'leads-out.md' }, 'outside_roots'],
    ['chunk_file', { path: 'out/secret.md' }, 'outside_roots'],
    ['chunk_file', { path: 'circle' }, 'circle'],
    ['chunk_file', { path: 'empty.md' }, 'empty_document'],
    ['chunk_file', { path: 'broken.pdf' }, 'corrupted'],
    ['chunk_file', { path: 'huge.txt' }, 'file_too_large'],
    [
      'chunk_file',
      { path: 'a.md', charset: 'klingon' },
      'charset must name an encoding, as windows-1252, koi8-r or shift_jis do, but is "klingon"',
    ],
    ['read_chunks', { result: '0123456789abcdef' }, 'result_gone'],
    ['cite', { result: '0123456789abcdef', quote: 'its words' }, 'result_gone'],
    ['cite', { result: '0123456789abcdef', quote: 'a'.repeat(2001) }, 'quote'],
    ['cite', { result: '0123456789abcdef', quote: 'its words', bound: 0 }, 'bound'],
  ])('%s %o', async (name, given, message) => {
    const session = await open();
    expect(await session.refused(name, given)).toMatch(message);
    // The server continues.
    expect((await session.call('chunk_file', { path: 'a.md' })).structured.total_chunks).toBeGreaterThan(1);
  });

  it('a tool or resource that there is not, by an error of the protocol', async () => {
    const { client } = await open();
    await expect(client.callTool({ name: 'chunk_url', arguments: {} })).rejects.toThrow('chunk_url');
    await expect(client.readResource({ uri: 'grainline://results/0123456789abcdef' })).rejects.toThrow();
  });
});

describe.skipIf(!BUILT)('folders', () => {
  it('several may be open; links between them may be followed, and paths are found in each', async () => {
    for (const name of ['one', 'two', 'three']) {
      mkdirSync(join(folder, name));
      put(`${name}/${name}.md`, `# ${name}`);
    }
    symlinkSync(join(folder, 'two/two.md'), join(folder, 'one/link.md'));
    const { call, refused } = await open(`--root one --root ${join(folder, 'two')}`);
    const id = async (path: string) => (await call('chunk_file', { path })).structured['document_id'];
    expect(await id('one.md')).toBe('one.md');
    expect(await id('two.md')).toBe('two.md');
    expect(await id(join(folder, 'two/two.md'))).toBe('two.md');
    expect(await id('link.md')).toBe('two.md');
    expect(await refused('chunk_file', { path: 'three.md' })).toMatch('file_missing');
    expect(await refused('chunk_file', { path: join(folder, 'three/three.md') })).toMatch('outside_roots');
  });

  it('none is open where the client starts the server in the root of the disk', async () => {
    put('a.md');
    const { call, refused } = await open('', '/');
    expect(await refused('chunk_file', { path: join(folder, 'a.md') })).toMatch('--root DIR');
    expect((await call('chunk_text', { text: 'Tides.' })).structured.total_chunks).toBe(1);
  });
});

/** The command with pipes that the test controls. */
function spawned(options: readonly string[] = []) {
  const child: ChildProcess = spawn(process.execPath, [BIN, 'mcp', ...options], { cwd: folder });
  const lines: string[] = [];
  const waiting: (() => void)[] = [];
  createInterface({ input: child.stdout! }).on('line', (line) => {
    lines.push(line);
    for (const go of waiting.splice(0)) go();
  });
  let stderr = '';
  child.stderr!.on('data', (bytes: Buffer) => (stderr += bytes.toString()));
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return {
    child,
    lines,
    stderr: () => stderr,
    ended,
    send: (message: object | string) =>
      child.stdin!.write(
        `${typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message })}\n`,
      ),
    /** The message with an id, after its arrival. */
    answer: async (id: unknown): Promise<Record<string, unknown>> => {
      for (;;) {
        const found = lines
          .map((line) => JSON.parse(line) as Record<string, unknown>)
          .find((line) => line['id'] === id);
        if (found !== undefined) return found;
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
  };
}

const initialize = {
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};
const chunkText = (id: number | string, given: object) => ({
  id,
  method: 'tools/call',
  params: { name: 'chunk_text', arguments: given },
});

describe.skipIf(!BUILT)('the connection', () => {
  it('survives lines that are no messages, and says what was wrong with them', async () => {
    const { send, answer, lines, child, ended, stderr } = spawned();
    send(initialize);
    await answer(0);
    send('{"jsonrpc": "2.0", "id": 1');
    send('[]');
    send('{"id": 7}');
    send('x'.repeat(17 * 1024 * 1024));
    send('');
    send(chunkText(2, { text: 'Tides.' }));
    expect(await answer(2)).toMatchObject({ result: { structuredContent: { total_chunks: 1 } } });
    const errors = lines
      .map((line) => JSON.parse(line) as { id: unknown; error?: { code: number; message: string } })
      .filter(({ error }) => error);
    expect(errors.map(({ id, error }) => [id, error?.code])).toEqual([
      [null, -32700],
      [null, -32600],
      [7, -32600],
      [null, -32600],
    ]);
    expect(errors[3]!.error!.message).toContain('by their path');
    child.stdin!.end();
    expect([await ended, stderr()]).toEqual([0, '']);
  });

  it('answers what was asked before the input ended, then ends well', async () => {
    const { send, lines, child, ended } = spawned();
    send(initialize);
    send(chunkText('last', { text: PROSE }));
    child.stdin!.end();
    expect(await ended).toBe(0);
    expect(lines.map((line) => (JSON.parse(line) as { id: unknown }).id)).toEqual([0, 'last']);
  });

  it('ends at once on SIGTERM, also in the midst of work', async () => {
    put('a.txt', PROSE.repeat(300));
    const { send, answer, child, ended, lines } = spawned();
    send(initialize);
    await answer(0);
    send({
      id: 1,
      method: 'tools/call',
      params: {
        name: 'chunk_file',
        arguments: { path: 'a.txt', tier: 'semantic' },
        _meta: { progressToken: 'p' },
      },
    });
    while (!lines.some((line) => line.includes('embedded')))
      await new Promise((resolve) => child.stdout!.once('data', resolve));
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(lines.some((line) => line.includes('"id":1'))).toBe(false);
  });

  it('goes on while a long document is cut, and drops one that is taken back', async () => {
    put('a.txt', PROSE.repeat(300));
    const session = await open();
    const order: string[] = [];
    const controller = new AbortController();
    const begun = new Promise<void>((resolve) => {
      const onprogress = ({ progress }: { progress: number }): void => {
        if (progress > 0.3) resolve();
      };
      session
        .call(
          'chunk_file',
          { path: 'a.txt', tier: 'semantic' },
          { signal: controller.signal, onprogress, timeout: 120_000 },
        )
        .catch(() => order.push('taken back'));
    });
    await begun;
    await session.client.ping();
    await session.call('chunk_text', { text: 'Tides.' });
    order.push('answered');
    controller.abort();
    // Both threads are free again: cancelled work has stopped.
    await Promise.all(['One.', 'Two.', 'Three.'].map((text) => session.call('chunk_text', { text })));
    expect(order).toEqual(['answered', 'taken back']);
  });

  it('takes the link of a file for its path', async () => {
    const session = await open();
    const { structured } = await session.call('chunk_file', {
      path: pathToFileURL(join(folder, 'a.md')).href,
    });
    expect(structured['document_id']).toBe('a.md');
  });

  it('refuses chunks that repeat a document many times over, before they fill the memory', async () => {
    const session = await open();
    const text = 'a '.repeat(200_000);
    const given = { text, tier: 'free', size: 1000, limit: 1 };
    expect(await session.refused('chunk_text', { ...given, overlap: 999 })).toMatch('(too_much_repeated)');
    const { structured } = await session.call('chunk_text', { ...given, overlap: 500 });
    expect(structured.total_chunks).toBeGreaterThan(700);
  });

  it('many calls at once are answered in turn, and too many of them are refused, each by itself', async () => {
    const session = await open();
    const texts = Array.from({ length: 60 }, (_, index) => `Text ${index}.`);
    const answers = await Promise.all(
      texts.map((text) => session.client.callTool({ name: 'chunk_text', arguments: { text } })),
    );
    const refused = answers.filter(({ isError }) => isError);
    // A thread of the test before may still be ending.
    expect(answers.length - refused.length).toBeGreaterThanOrEqual(32);
    for (const { content } of refused) expect(JSON.stringify(content)).toContain('busy');
    await session.call('chunk_text', { text: 'After.' });
  });

  it('speaks the revision of 2026 too', async () => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [BIN, 'mcp'],
      cwd: folder,
      stderr: 'ignore',
    });
    await client.connect(transport);
    const shares: number[] = [];
    const answer = await client.callTool(
      { name: 'chunk_text', arguments: { text: 'Tides.' } },
      { onprogress: ({ progress }) => shares.push(progress) },
    );
    expect(answer.structuredContent).toMatchObject({ total_chunks: 1 });
    expect(shares.length).toBeGreaterThan(1);
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    await client.close();
  });
});

describe.skipIf(!BUILT)('with a service', () => {
  let server: RunningServer;
  let site: Server;
  let link: string;
  let polls = 0;

  beforeAll(async () => {
    site = createServer((_, response) => {
      polls++;
      response.setHeader('Content-Type', 'text/plain; charset=utf-8').end(PROSE);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => site.once('listening', resolve));
    const { port } = site.address() as AddressInfo;
    link = `http://127.0.0.1:${port}/tides.txt`;
    server = await startBuiltServer({
      PAYMENTS: 'off',
      UPLOAD_KINDS: 'all',
      FREE_PAGES_PER_DAY: '100000',
      FETCH_ALLOW: `127.0.0.1:${port}`,
    });
  });
  afterAll(async () => {
    site.close();
    await server.stop();
  });

  it('has three more tools, which say that they reach outside', async () => {
    const { tools } = await open(`--remote ${server.url}`);
    const there = tools.slice(5);
    expect(there.map(({ name }) => name)).toEqual([
      'chunk_url',
      'chunk_file_by_service',
      'chunk_text_by_service',
    ]);
    for (const { description, annotations } of there) {
      expect(description).toContain(server.url);
      expect(description).toContain('Nothing is paid');
      expect(annotations).toMatchObject({ readOnlyHint: true, openWorldHint: true });
    }
  });

  it('chunks a link, which is fetched once for all pages', async () => {
    const session = await open(`--remote ${server.url}`);
    const before = polls;
    const given = { url: link, tier: 'structure', size: 300, limit: 5 };
    const { structured, text } = await session.call('chunk_url', given);
    expect(structured).toMatchObject({
      tier: 'structure',
      filename: 'tides.txt',
      document_id: link,
      next: 5,
    });
    expect(text).toContain('tides.txt');
    const all = await paged(session, structured, {});
    put('tides.txt');
    expect(all.map((record) => record.text)).toEqual(
      (await written('tides.txt --size 300')).map((record) => record.text),
    );
    await session.call('chunk_url', given);
    expect(polls - before).toBe(1);
  });

  it.each([
    ['chunk_file_by_service', { path: 'a.md', tier: 'structure', size: 400 }, '--size 400'],
    ['chunk_file_by_service', { path: 'a.md', tier: 'free', unit: 'tokens' }, '--tier free --unit tokens'],
    [
      'chunk_file_by_service',
      { path: 'a.md', tier: 'semantic', overlap: 20 },
      '--tier semantic --overlap 20',
    ],
  ])('%s %j gives what is cut here', async (name, given, options) => {
    put('a.md');
    const session = await open(`--remote ${server.url}`);
    const { structured } = await session.call(name, given);
    expect(await paged(session, structured, {})).toEqual(await written(`a.md ${options}`));
  });

  it('sends a text, and lists the tiers of the service with their prices', async () => {
    const { call } = await open(`--remote ${server.url}`);
    const { structured } = await call('chunk_text_by_service', { text: 'High water.', tier: 'free' });
    expect(structured.chunks.map(({ text }) => text)).toEqual(['High water.']);
    // Nothing was paid.
    expect(structured).not.toHaveProperty('payment');
    const { structured: described, text } = await call('describe_tiers', {});
    const { service } = described as unknown as {
      service: { url: string; tiers: { id: string; available: boolean }[] };
    };
    // Without payments a service offers every tier; those with a language model lack one here.
    const available = service.tiers.filter((tier) => tier.available).map(({ id }) => id);
    expect(available.toSorted()).toEqual(['free', 'professional', 'semantic', 'standard', 'structure']);
    const unavailable = service.tiers.filter((tier) => !tier.available).map(({ id }) => id);
    expect(unavailable).toEqual(['ai', 'ai-pro']);
    expect(text).toContain(`Tiers of the service ${server.url} (nothing is paid)`);
  });

  it.each([
    ['chunk_url', { url: 'ftp://a.example/x', tier: 'free' }, 'must be a link'],
    ['chunk_url', { url: 'http://127.0.0.1:1/', tier: 'free' }, 'url_forbidden'],
    ['chunk_text_by_service', { text: 'x', tier: 'ai' }, 'tier_unavailable'],
    ['chunk_text_by_service', { text: 'x', tier: 'No Tier' }, 'as describe_tiers lists them'],
    ['chunk_text_by_service', { text: 'x', tier: 'free', size: 5, overlap: 5 }, 'invalid_fields'],
    ['chunk_file_by_service', { path: '/etc/passwd', tier: 'free' }, 'outside_roots'],
  ])('%s %j is refused', async (name, given, message) => {
    const { refused } = await open(`--remote ${server.url}`);
    expect(await refused(name, given)).toMatch(message);
  });

  it('that is not there is named as that, and the tools here go on', async () => {
    const { call, refused } = await open('--remote http://127.0.0.1:1');
    expect(await refused('chunk_text_by_service', { text: 'x', tier: 'free' })).toMatch('cannot be reached');
    const { structured, text } = await call('describe_tiers', {});
    expect(structured).toMatchObject({
      default_tier: 'structure',
      service: { tiers: [], unreachable: expect.stringContaining('cannot be reached') as string },
    });
    expect(text).toContain('The tiers of the service http://127.0.0.1:1 are not known now: ');
    expect((await call('chunk_text', { text: 'Tides.' })).structured.total_chunks).toBe(1);
  });
});

describe('the docs', () => {
  const page = (name: string): string => readFileSync(join(PACKAGES, '..', name), 'utf8');
  const blocks = (text: string): unknown[] =>
    [...text.matchAll(/^```json\n(.*?)^```$/gms)].map(([, code]) => JSON.parse(code ?? '') as unknown);

  it('start the server by words that the command line takes', () => {
    const entries = ['docs/mcp.md', 'packages/mcp/README.md'].flatMap((name) =>
      blocks(page(name)).flatMap((block) => {
        const { mcpServers, servers } = block as Record<
          string,
          Record<string, { command: string; args: string[] }>
        >;
        return Object.values(mcpServers ?? servers ?? {});
      }),
    );
    expect(entries).toHaveLength(3);
    for (const { command, args } of entries) {
      expect([command, ...args.slice(0, 6)].join(' ')).toBe(
        'npx -y -p grainline -p @grainline/mcp grainline',
      );
      expect(readArguments(args.slice(6))).toEqual({ kind: 'mcp', roots: [args.at(-1)], place: undefined });
    }
  });

  it.skipIf(!BUILT)('show an answer as it is', async () => {
    put(
      'report.pdf',
      writePdf({ pages: [{ lines: ['Quarterly report'] }, { lines: ['Sales rose in the north.'] }] }),
    );
    const [call, answer, next] = blocks(page('docs/mcp.md')).slice(2) as Record<string, unknown>[];
    const { structured } = await (await open()).call('chunk_file', call!);
    const named = JSON.stringify(structured)
      .replaceAll(structured.result, '0123456789abcdef')
      .replace(structured.chunks[0]!.id, (answer!['chunks'] as RawRecord[])[0]!.id);
    expect(JSON.parse(named)).toEqual(answer);
    const rest = await (await open()).call('read_chunks', { ...next, result: structured.result });
    expect(rest.structured.next).toBeUndefined();
    expect(rest.structured.chunks).toHaveLength(1);
  });
});

describe('the command', () => {
  it('says how to install the package when it is missing', async () => {
    const io = fakeIo(folder);
    const missing = Object.assign(new Error("Cannot find package '@grainline/mcp' imported from /x"), {
      code: 'ERR_MODULE_NOT_FOUND',
    });
    expect(await run(['mcp'], io, undefined, () => Promise.reject(missing))).toBe(1);
    expect(io.stderr.text()).toBe(
      'grainline: The server for agents is a package of its own; install it with: npm install @grainline/mcp, or run both at once: npx -p grainline -p @grainline/mcp grainline mcp (mcp_missing)\n',
    );
  });

  it.each([
    ['mcp a.md', 2, 'mcp takes no files, but got "a.md"; name folders with --root.'],
    ['mcp --keypair id.json --max-cost 1', 2, '--keypair goes with --remote.'],
    ['mcp --remote chunks.example', 2, '--remote must be an address'],
    ['mcp --remote https://chunks.example --keypair id.json', 2, '--keypair needs --max-cost'],
    ['mcp --root', 2, '--root needs a value: --root DIR.'],
    ['mcp --root gone', 1, 'The folder gone cannot be read: there is no such file or folder.'],
  ])('refuses: %s', async (line, code, message) => {
    const io = fakeIo(folder);
    expect(await run(line.split(' '), io)).toBe(code);
    expect(io.stderr.text()).toContain(message);
  });

  it('has a help of its own', async () => {
    const io = fakeIo(folder);
    expect(await run(['mcp', '--help'], io)).toBe(0);
    expect(io.stdout.text()).toContain('npx -y -p grainline -p @grainline/mcp grainline mcp --root DIR');
    expect(io.stdout.text()).not.toMatch(/^.{81}/m);
  });
});
