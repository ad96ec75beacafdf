// The command line as a function: every option, exit code and error text, on real files in a folder of its own.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chunkSync, TIERS } from '@grainline/core';
import { FORMATS, type FormatId, toRecords } from '@grainline/core/formats';
import { extract, READERS } from '@grainline/extract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writePdf } from '../../extract/test/pdf-writer.ts';
import { CHUNK_OPTIONS, FORMAT_NAMES } from '../src/arguments.ts';
import { run } from '../src/run.ts';
import { fakeIo, type FakeIo, fakeStream, systemError } from './fake-io.ts';

const PROSE = Array.from(
  { length: 40 },
  (_, index) => `Sentence number ${index} speaks of harbours and tides.`,
).join(' ');
const BINARY = Uint8Array.from({ length: 4000 }, (_, index) => (index * 7919) % 251);
const ABORTED = AbortSignal.abort();
const ERASE_LINE = '\r\x1b[K';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'grainline-cli-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Writes a file below the test's folder, folders included. */
function put(name: string, content: string | Uint8Array = PROSE): void {
  mkdirSync(join(folder, name, '..'), { recursive: true });
  writeFileSync(join(folder, name), content);
}

const get = (name: string): string => readFileSync(join(folder, name), 'utf8');

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Each line of standard output, parsed. */
  readonly records: () => Record<string, unknown>[];
}

async function grainline(argv: string, changes: Parameters<typeof fakeIo>[1] = {}): Promise<Ended> {
  return grainlineWith(argv.split(' ').filter(Boolean), fakeIo(folder, changes));
}

async function grainlineWith(argv: readonly string[], io: FakeIo): Promise<Ended> {
  const code = await run(argv, io);
  const stdout = io.stdout.text();
  const records = (): Record<string, unknown>[] =>
    stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { code, stdout, stderr: io.stderr.text(), records };
}

describe('chunks on standard output', () => {
  it('are raw records, a line each, that name their document', async () => {
    put('a.txt');
    const { code, records, stderr } = await grainline('a.txt --tier free --size 200 --overlap 20');
    const chunks = chunkSync(PROSE, { size: 200, overlap: 20, kind: 'text' });
    expect(records().map(({ text }) => text)).toEqual(chunks.map(({ text }) => text));
    expect(records()[1]).toEqual({
      document_id: 'a.txt',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      text: chunks[1]!.text,
      metadata: {
        chunk_index: 1,
        char_count: chunks[1]!.text.length,
        start_offset: chunks[1]!.start,
        end_offset: chunks[1]!.end,
        overlap_chars: chunks[1]!.overlap,
      },
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it.each(Object.keys(FORMATS) as FormatId[])(
    'in the format %s are the records that the library makes',
    async (format) => {
      put('a.txt');
      const { records } = await grainline(`a.txt --tier free --size 300 --format ${format}`);
      const document = await extract(Buffer.from(PROSE), { filename: 'a.txt' });
      const chunks = chunkSync(document, { size: 300 });
      const expected = toRecords(chunks, format, {
        documentId: 'a.txt',
        filename: 'a.txt',
        contentType: 'text/plain',
        tier: 'free',
      });
      const beside = format === 'raw' ? { document_id: 'a.txt' } : {};
      expect(records()).toEqual(expected.map((record) => ({ ...beside, ...record })));
    },
  );

  it('come in the order of the files, whatever the concurrency', async () => {
    for (const name of ['c.txt', 'a.txt', 'b.txt', 'd.md']) put(name, `${name} ${PROSE}`);
    const { stdout } = await grainline('c.txt a.txt b.txt d.md --concurrency 1');
    for (const concurrency of [2, 3, 64]) {
      const other = await grainline(`c.txt a.txt b.txt d.md --concurrency ${concurrency}`);
      expect(other.stdout).toBe(stdout);
    }
    const order = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as { document_id: string }).document_id);
    expect([...new Set(order)]).toEqual(['c.txt', 'a.txt', 'b.txt', 'd.md']);
  });

  it('of a PDF say on which pages they lie', async () => {
    put('a.pdf', writePdf({ pages: [{ lines: ['The first page.'] }, { lines: ['The second page.'] }] }));
    const { code, records } = await grainline('a.pdf --size 20');
    expect(code).toBe(0);
    expect(records().map(({ metadata }) => (metadata as { page_start: number }).page_start)).toEqual([1, 2]);
  });

  it('are one object for each file with --json', async () => {
    put('a.txt');
    put('b.txt', 'Short.');
    const { records } = await grainline('a.txt b.txt --json --tier free --size 500 --format chroma');
    expect(records().map(({ total_chunks, tier }) => ({ total_chunks, tier }))).toEqual([
      { total_chunks: 4, tier: 'free' },
      { total_chunks: 1, tier: 'free' },
    ]);
    const [, second] = records();
    expect(second).toEqual({
      tier: 'free',
      total_chunks: 1,
      metadata: {
        document_id: 'b.txt',
        filename: 'b.txt',
        content_type: 'text/plain',
        size_bytes: 6,
        estimated_pages: 1,
      },
      chunks: [
        { id: expect.any(String) as string, document: 'Short.', metadata: expect.any(Object) as object },
      ],
      columns: { ids: [expect.any(String)], documents: ['Short.'], metadatas: [expect.any(Object)] },
    });
  });

  it('are proven by what the JSON object says of their source', async () => {
    put('a.txt');
    const { records } = await grainline('a.txt --json --size 200');
    const [answer] = records();
    const { text } = await extract(Buffer.from(PROSE), { filename: 'a.txt' });
    const sha256 = createHash('sha256').update(text).digest('hex');
    expect(answer!['source']).toMatchObject({ sha256, characters: text.length });
  });

  it('are bare text with --format text', async () => {
    put('a.txt', 'One two three four.');
    const { stdout } = await grainline('a.txt --format text --size 10');
    expect(stdout).toBe('One two\n---\nthree\n---\nfour.\n---\n');
  });

  it('carry the names that were asked for', async () => {
    put('a.txt', 'Text.');
    const qdrant = await grainline('a.txt -f qdrant --document-id handbook --text-field body');
    expect(qdrant.records()[0]).toMatchObject({ payload: { body: 'Text.', document_id: 'handbook' } });
    const weaviate = await grainline('a.txt -f weaviate --collection Manual');
    expect(weaviate.records()[0]).toMatchObject({ class: 'Manual' });
  });

  it('of a document keep their ids when another page of it changes', async () => {
    put('a.txt', `${PROSE}\n\nThe end.`);
    const before = (await grainline('a.txt --size 200')).records();
    put('a.txt', `${PROSE}\n\nAnother end.`);
    const after = (await grainline('a.txt --size 200')).records();
    expect(after.slice(0, -1).map(({ id }) => id)).toEqual(before.slice(0, -1).map(({ id }) => id));
    expect(after.at(-1)!['id']).not.toBe(before.at(-1)!['id']);
  });
});

describe('standard input', () => {
  it('is read for -, and named by the hash of its bytes', async () => {
    const { code, records } = await grainline('-', { input: 'From a pipe.' });
    expect(code).toBe(0);
    const hash = createHash('sha256').update('From a pipe.').digest('hex');
    expect(records()[0]).toMatchObject({ document_id: hash, text: 'From a pipe.' });
  });

  it('takes the file name that --name gives, without its folders', async () => {
    const { records } = await grainline('- --name ../drafts/a.md -f qdrant', { input: '# Title' });
    expect(records()[0]).toMatchObject({
      payload: { filename: 'a.md', document_id: 'a.md', content_type: 'text/markdown' },
    });
  });

  it('that is binary is refused like a file', async () => {
    const { code, stderr } = await grainline('-', { input: BINARY });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^grainline: standard input: This is not a document of an accepted kind: .*\(unsupported_type\)\n$/,
    );
  });

  it('that never stops coming is refused before it fills the memory', async () => {
    const piece = new Uint8Array(2 ** 26);
    const stdin = { [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ value: piece }) }) };
    const { code, stderr } = await grainlineWith(['-'], fakeIo(folder, { stdin: stdin as never }));
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'grainline: standard input: It cannot be read: it is larger than 2 GiB. (not_readable)\n',
    });
  });

  it('that never ends is left when the run is interrupted', async () => {
    const interruption = new AbortController();
    const io = fakeIo(folder, {
      signal: interruption.signal,
      stdin: { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => undefined) }) },
    });
    const ended = grainlineWith(['-'], io);
    setImmediate(() => {
      interruption.abort();
    });
    expect((await ended).code).toBe(130);
  });
});

describe('files', () => {
  it.runIf(process.platform === 'linux')('may be pipes', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const writing = writeFile(join(folder, 'pipe'), 'Through a pipe.');
    const { records } = await grainline('pipe');
    await writing;
    expect(records()).toMatchObject([{ text: 'Through a pipe.', document_id: 'pipe' }]);
  });

  it.runIf(process.platform === 'linux')('whose names are not UTF-8 are refused with a way out', async () => {
    writeFileSync(
      Buffer.concat([Buffer.from(`${folder}/bad`), Buffer.from([0xff]), Buffer.from('.txt')]),
      'A.',
    );
    for (const operand of ['.', 'bad\uFFFD.txt']) {
      const { code, stderr } = await grainlineWith([operand], fakeIo(folder));
      expect(code).toBe(1);
      expect(stderr).toContain('It cannot be read: its name is not UTF-8; rename it, or give it on standard');
    }
  });

  it('that fail are reported, a line each, and the others go on', async () => {
    put('good.txt', 'Good.');
    put('bad.txt', BINARY);
    put('empty.md', '');
    put('locked.pdf', writePdf({ pages: [{ lines: ['Secret.'] }], password: { user: 'u', owner: 'o' } }));
    symlinkSync('circle.txt', join(folder, 'circle.txt'));
    const { code, records, stderr } = await grainline(
      'bad.txt empty.md gone.txt locked.pdf circle.txt good.txt',
    );
    expect(code).toBe(1);
    expect(records().map(({ text }) => text)).toEqual(['Good.']);
    const lines = stderr
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(/: [A-Z].*\((\w+)\)$/, ': $1'));
    expect(lines.sort()).toEqual([
      'grainline: bad.txt: unsupported_type',
      'grainline: circle.txt: not_readable',
      'grainline: empty.md: empty_document',
      'grainline: gone.txt: not_found',
      'grainline: locked.pdf: encrypted',
    ]);
  });

  it('named twice are chunked once', async () => {
    put('a.txt', 'Once.');
    const { records } = await grainline(`a.txt ./a.txt *.txt . ${join(folder, 'a.txt')}`);
    expect(records()).toHaveLength(1);
  });

  it('may be named like a pattern', async () => {
    put('a[1].txt', 'Brackets.');
    const { records } = await grainline('a[1].txt');
    expect(records()[0]).toMatchObject({ document_id: 'a[1].txt', text: 'Brackets.' });
  });

  it('may be named like the command serve, or like an option', async () => {
    put('serve', 'A file.');
    put('--json', 'Another.');
    expect((await grainline('./serve')).records()).toHaveLength(1);
    expect((await grainline('-- --json')).records()[0]).toMatchObject({ text: 'Another.' });
  });

  it('from outside that would get the same name in the output are told apart', async () => {
    put('x/a.txt', 'One.');
    put('y/a.txt', 'Two.');
    put('cwd/here.txt', 'Three.');
    const io = fakeIo(join(folder, 'cwd'));
    const { code, records, stderr } = await grainlineWith(['../x/a.txt', '../y/a.txt', 'here.txt'], io);
    expect(code).toBe(1);
    expect(records().map(({ document_id }) => document_id)).toEqual(['a.txt', 'here.txt']);
    expect(stderr).toBe(
      'grainline: ../y/a.txt: ../x/a.txt has the same name in the output; chunk them in separate runs, or from a folder above both. (same_name)\n',
    );
  });

  it('cannot move the cursor by their names', async () => {
    put('\x1b[2Jevil.txt', BINARY);
    const { stderr } = await grainlineWith(['\x1b[2Jevil.txt'], fakeIo(folder));
    expect(stderr).toMatch(/^grainline: ␛\[2Jevil\.txt: /);
  });
});

describe('folders and patterns', () => {
  beforeEach(() => {
    for (const name of ['docs/b.md', 'docs/a/deep/x.HTML', 'docs/a.txt', 'docs/a-b.txt'])
      put(name, `<p>${name}</p>`);
    for (const name of ['docs/.hidden/h.txt', 'docs/.h.txt', 'docs/node_modules/n/r.md', 'docs/code.bin'])
      put(name, 'No.');
    symlinkSync('..', join(folder, 'docs/up'));
  });

  const documents = (ended: Ended): string[] => ended.records().map(({ document_id }) => String(document_id));

  it('a folder stands for the accepted files below it, sorted, by their paths', async () => {
    const ended = await grainline('docs');
    expect(documents(ended)).toEqual(['docs/a/deep/x.HTML', 'docs/a-b.txt', 'docs/a.txt', 'docs/b.md']);
    expect(ended.code).toBe(0);
    expect(documents(await grainline('./docs/'))).toEqual(documents(ended));
    expect(documents(await grainline('.'))).toEqual(documents(ended));
  });

  it('a folder elsewhere gives its own name to what is below it', async () => {
    mkdirSync(join(folder, 'cwd'));
    const io = fakeIo(join(folder, 'cwd'));
    expect(documents(await grainlineWith([join(folder, 'docs/a')], io))).toEqual(['a/deep/x.HTML']);
  });

  it('a pattern that no shell has expanded is expanded', async () => {
    expect(documents(await grainline('docs/*.{md,txt}'))).toEqual([
      'docs/a-b.txt',
      'docs/a.txt',
      'docs/b.md',
    ]);
    expect(documents(await grainline('docs/**/x.*'))).toEqual(['docs/a/deep/x.HTML']);
    mkdirSync(join(folder, 'cwd'));
    const outside = await grainlineWith([`${folder}/docs/**/*.HTML`], fakeIo(join(folder, 'cwd')));
    expect(documents(outside)).toEqual(['docs/a/deep/x.HTML']);
    const above = await grainlineWith(['../docs/a*.txt'], fakeIo(join(folder, 'cwd')));
    expect(documents(above)).toEqual(['docs/a-b.txt', 'docs/a.txt']);
  });

  it('a pattern or folder without files is a failure that says what was looked for', async () => {
    mkdirSync(join(folder, 'empty'));
    const { code, stderr } = await grainline('*.nothing empty');
    expect(code).toBe(1);
    const endings = READERS.flatMap(({ extensions }) => extensions.map((extension) => `.${extension}`)).join(
      ', ',
    );
    expect(stderr).toBe(
      `grainline: *.nothing: No file matches this pattern. (no_match)\ngrainline: empty: The folder holds no file of an accepted kind: ${endings}. (no_files)\n`,
    );
  });
});

describe('--out', () => {
  const list = (): string[] => get('out/.grainline/written.jsonl').trimEnd().split('\n');

  it('writes a file for each input, below the paths they have, and says how many', async () => {
    put('docs/a/x.md', 'One.');
    put('docs/y.txt', 'Two.');
    const { code, stdout, stderr } = await grainline('docs --out out');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toBe('2 files: 2 written (2 chunks), 0 unchanged, 0 failed\n');
    expect(JSON.parse(get('out/docs/a/x.md.jsonl'))).toMatchObject({
      document_id: 'docs/a/x.md',
      text: 'One.',
    });
    expect(existsSync(join(folder, 'out/docs/y.txt.jsonl'))).toBe(true);
    expect(readdirSync(join(folder, 'out/.grainline'))).toEqual(['written.jsonl']);
  });

  it.each([
    ['--json', '.json'],
    ['--format text', '.txt'],
    ['--jsonl', '.jsonl'],
  ])('with %s writes what standard output would get, to a file ending in %s', async (options, ending) => {
    put('a.txt');
    const { stdout } = await grainline(`a.txt ${options}`);
    await grainline(`a.txt ${options} -o out`);
    expect(get(`out/a.txt${ending}`)).toBe(stdout);
  });

  it('skips what has not changed, and nothing else', async () => {
    put('a.txt', 'One.');
    put('b.txt', 'Two.');
    await grainline('a.txt b.txt --out out');
    expect((await grainline('a.txt b.txt --out out')).stderr).toBe(
      '2 files: 0 written (0 chunks), 2 unchanged, 0 failed\n',
    );
    put('b.txt', 'Two, changed.');
    expect((await grainline('a.txt b.txt --out out')).stderr).toMatch('1 written (1 chunk), 1 unchanged');
    expect(get('out/b.txt.jsonl')).toMatch('Two, changed.');
    expect((await grainline('a.txt b.txt --out out --size 2')).stderr).toMatch('2 written');
    expect((await grainline('a.txt --out out --size 2 --document-id x')).stderr).toMatch('1 written');
    rmSync(join(folder, 'out/b.txt.jsonl'));
    expect((await grainline('a.txt b.txt --out out --size 2')).stderr).toMatch('2 written');
    expect((await grainline('a.txt b.txt --out out --size 2 --force')).stderr).toMatch('2 written');
  });

  it('never replaces a file that is not as grainline wrote it, but for --force', async () => {
    put('a.txt', 'One.');
    put('b.txt', 'Two.');
    put('out/a.txt.jsonl', 'mine');
    await grainline('b.txt --out out');
    appendFileSync(join(folder, 'out/b.txt.jsonl'), 'edited');
    const { code, stderr } = await grainline('a.txt b.txt --out out');
    expect(code).toBe(1);
    const sentence = (name: string): string =>
      `grainline: ${name}: ${join(folder, 'out', `${name}.jsonl`)} exists already and is not as grainline wrote it; move it away, or add --force. (output_exists)`;
    expect(stderr.split('\n').slice(0, 2)).toEqual([sentence('a.txt'), sentence('b.txt')]);
    expect(get('out/a.txt.jsonl')).toBe('mine');
    expect((await grainline('a.txt b.txt --out out --force')).code).toBe(0);
    expect(get('out/a.txt.jsonl')).toMatch('One.');
  });

  it('goes on where a killed run stopped: listed, but not yet in place', async () => {
    put('a.txt', 'One.');
    await grainline('a.txt --out out');
    rmSync(join(folder, 'out/a.txt.jsonl'));
    appendFileSync(join(folder, 'out/.grainline/written.jsonl'), '{"output":"b.t');
    put('b.txt', 'Two.');
    expect((await grainline('a.txt b.txt --out out')).stderr).toMatch('2 written');
    expect((await grainline('a.txt b.txt --out out')).stderr).toMatch('2 unchanged');
  });

  it('knows its file again when a killed run had listed the next one already', async () => {
    put('a.txt', 'One.');
    await grainline('a.txt --out out');
    const next = { ...(JSON.parse(list()[0]!) as object), input: 'other', content: 'never written' };
    appendFileSync(join(folder, 'out/.grainline/written.jsonl'), `${JSON.stringify(next)}\n`);
    expect((await grainline('a.txt --out out')).stderr).toMatch('1 written (1 chunk), 0 unchanged, 0 failed');
  });

  it('keeps its list short over many runs', async () => {
    for (let turn = 0; turn < 30; turn++) {
      put('a.txt', `Text ${turn}.`);
      expect((await grainline('a.txt --out out')).code).toBe(0);
    }
    expect(list().length).toBeLessThan(12);
    expect((await grainline('a.txt --out out')).stderr).toMatch('1 unchanged');
  });

  it('stops at a list that it cannot read, before anything is written', async () => {
    put('a.txt', 'One.');
    put('out/.grainline/written.jsonl', 'nonsense\n');
    const { code, stderr } = await grainline('a.txt --out out');
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^grainline: The list of what was written there, .*written\.jsonl, cannot be read; .* \(manifest_damaged\)\n$/,
    );
    expect(existsSync(join(folder, 'out/a.txt.jsonl'))).toBe(false);
  });

  it('that is a file is refused', async () => {
    put('a.txt', 'One.');
    put('out', 'a file');
    const { code, stderr } = await grainline('a.txt --out out');
    expect(code).toBe(1);
    expect(stderr).toBe(
      `grainline: The output cannot be written: ${join(folder, 'out/.grainline')}: a part of its path is not a folder. (not_writable)\n`,
    );
  });

  it.skipIf(!existsSync('/proc/self'))(
    'in a folder that takes none ends at once, without turning for ever',
    async () => {
      put('a.txt', 'One.');
      const { code, stderr } = await grainline('a.txt --out /proc/grainline/out');
      expect(code).toBe(1);
      expect(stderr).toBe(
        'grainline: The output cannot be written: /proc/grainline/out/.grainline: there is no such file or folder. (not_writable)\n',
      );
    },
  );

  it('inside the folder that is read is not read itself', async () => {
    put('docs/a.txt', 'One.');
    await grainline('docs --out docs/out --format text');
    expect((await grainline('docs --out docs/out --format text')).stderr).toMatch(
      '1 file: 0 written (0 chunks), 1 unchanged',
    );
  });

  it('keeps a name from standard input inside the folder', async () => {
    await grainline('- --name ../../escaped.txt --out out', { input: 'Text.' });
    expect(existsSync(join(folder, 'out/escaped.txt.jsonl'))).toBe(true);
  });

  it('leaves no partial file when interrupted', async () => {
    put('a.txt', PROSE.repeat(2000));
    const interruption = new AbortController();
    const io = fakeIo(folder, { signal: interruption.signal });
    const ended = grainlineWith(['a.txt', '--out', 'out', '--size', '40'], io);
    const timer = setInterval(() => {
      if (
        existsSync(join(folder, 'out/.grainline')) &&
        readdirSync(join(folder, 'out/.grainline')).length > 0
      )
        interruption.abort();
    });
    const { code } = await ended;
    clearInterval(timer);
    expect(code).toBe(130);
    expect(readdirSync(join(folder, 'out'))).toEqual(['.grainline']);
    expect(readdirSync(join(folder, 'out/.grainline'))).toEqual([]);
  });
});

describe('wrong use', () => {
  const HINT = 'Run grainline --help to see how it is used.\n';
  it.each([
    ['', 'Name a file, a folder, a pattern, or - for standard input.'],
    ['a.txt --overlpa 3', 'There is no option --overlpa. Did you mean --overlap?'],
    ['a.txt --xyzzy', 'There is no option --xyzzy.'],
    ['a.txt -x', 'There is no option -x.'],
    [
      'a.txt --tier fre',
      `--tier must be one of ${Object.keys(TIERS).join(', ')}, but is "fre". Did you mean free?`,
    ],
    [
      'a.txt --format qdrnt',
      `--format must be one of ${FORMAT_NAMES.join(', ')}, but is "qdrnt". Did you mean qdrant?`,
    ],
    ['a.txt --size 0', '--size must be an integer from 1, but is 0.'],
    ['a.txt --size -5', '--size must be an integer from 1, but is -5.'],
    ['a.txt --size 1.5', '--size must be an integer from 1, but is 1.5.'],
    ['a.txt --size=1e3', '--size must be an integer from 1, but is "1e3".'],
    ['a.txt --size NaN', '--size must be an integer from 1, but is "NaN".'],
    ['a.txt --overlap 1000', '--overlap must be an integer from 0 to 999, below size, but is 1000.'],
    ['a.txt --size', '--size needs a value: --size N.'],
    ['a.txt --out=', '--out needs a value: --out DIR.'],
    ['a.txt --out --quiet', '--out needs a value: --out DIR, or --out=--quiet if it is that.'],
    ['a.txt --quiet=yes', '--quiet takes no value.'],
    ['a.txt --size 500 --size 800', '--size is given as "500" and as "800"; give it once.'],
    ['a.txt --out x --quiet --out=y', '--out is given as "x" and as "y"; give it once.'],
    ['serve --port 1 --port 2', '--port is given as "1" and as "2"; give it once.'],
    ['a.txt --concurrency 0', '--concurrency must be an integer from 1 to 64, but is "0".'],
    ['a.txt --concurrency 65', '--concurrency must be an integer from 1 to 64, but is "65".'],
    ['a.txt --json --view', 'Only one of --json, --view can be had at a time.'],
    ['a.txt --jsonl --format text', 'Only one of --jsonl, --format text can be had at a time.'],
    ['a.txt --view --format qdrant', '--view shows the chunks and no records; leave out --format.'],
    ['a.txt --view --out x', '--view writes to the terminal; leave out --out.'],
    ['a.txt --dry-run --out x', '--dry-run writes to the terminal; leave out --out.'],
    ['a.txt --force', '--force goes with --out.'],
    ['a.txt --name b.txt', '--name goes with -, standard input.'],
    ['a.txt b.txt --document-id x', '--document-id names one document, but there are 2 inputs.'],
    ['serve a.txt', 'serve takes no files, but got "a.txt".'],
    ['serve --prot=80', 'There is no option --prot. Did you mean --port?'],
  ])('“grainline %s” ends with 2 and says: %s', async (argv, sentence) => {
    put('a.txt');
    put('b.txt');
    expect(await grainline(argv)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `grainline: ${sentence}\n${HINT}`,
    });
  });

  it('of an empty name, as an unset variable leaves it, does not chunk the whole working folder', async () => {
    put('a.txt');
    expect(await grainlineWith([''], fakeIo(folder))).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `grainline: A file has an empty name; name the working folder with a dot.\n${HINT}`,
    });
  });

  it('names every fault at once', async () => {
    const { code, stderr } = await grainline('--size 0 --format sql --colour --text-field chunk_index');
    expect(code).toBe(2);
    expect(stderr.split('\n').filter((line) => line.startsWith('grainline: '))).toHaveLength(5);
  });

  it('of names that a format refuses is found before a file is read', async () => {
    const { code, stderr } = await grainline('gone.txt --collection Manual --format qdrant');
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^grainline: --collection must be left out, because records of the format qdrant have none, but is "Manual"\.\n/,
    );
  });
});

describe('what the command says of itself', () => {
  it('names every option, exit code and command, on lines that fit a terminal', async () => {
    const { code, stdout } = await grainline('--help');
    expect(code).toBe(0);
    for (const name of Object.keys(CHUNK_OPTIONS)) expect(stdout).toMatch(`--${name}`);
    for (const word of ['grainline serve', '  0 ', '  1 ', '  2 ', '  130 ', 'NO_COLOR'])
      expect(stdout).toMatch(word);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect((await grainline('-h')).stdout).toBe(stdout);
    expect((await grainline('serve --help')).stdout).toMatch('--port');
  });

  it('lists every kind, tier and format of the registries', async () => {
    const { stdout } = await grainline('--list');
    const words = [
      ...Object.keys(TIERS),
      ...FORMAT_NAMES,
      ...READERS.flatMap((reader) => [reader.name, ...reader.extensions]),
    ];
    expect(words.filter((word) => !stdout.includes(word))).toEqual([]);
  });

  it('has the version of its package', async () => {
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as {
      version: string;
    };
    expect(await grainline('--version')).toMatchObject({ code: 0, stdout: `${version}\n` });
    expect((await grainline('-V a.txt')).stdout).toBe(`${version}\n`);
  });
});

describe('standard error', () => {
  const terminal = { isTTY: true, columns: 60 };

  it('shows progress only on a terminal, only when asked to speak, and leaves no trace of it', async () => {
    put('a.txt', 'One.');
    put('b.txt', 'Two.');
    const shown = await grainline('a.txt b.txt', { stderr: fakeStream(terminal) });
    expect(shown.stderr).toMatch('1/2 ');
    expect(shown.stderr.endsWith(ERASE_LINE)).toBe(true);
    expect((await grainline('a.txt b.txt')).stderr).toBe('');
    expect((await grainline('a.txt b.txt --quiet', { stderr: fakeStream(terminal) })).stderr).toBe('');
    const both = { stderr: fakeStream(terminal), stdout: fakeStream(terminal) };
    expect((await grainline('a.txt b.txt', both)).stderr).toBe('');
    const folderOnly = { stderr: fakeStream(terminal), stdout: fakeStream(terminal) };
    expect((await grainline('a.txt b.txt --out out', folderOnly)).stderr).toMatch('1/2 ');
  });

  it('keeps a line of progress within the terminal', async () => {
    const long = `${'long-'.repeat(20)}.txt`;
    put(long, 'One.');
    const { stderr } = await grainline(long, { stderr: fakeStream({ isTTY: true, columns: 30 }) });
    expect(Math.max(...stderr.split(ERASE_LINE).map((line) => line.length))).toBeLessThan(30);
  });

  it('erases the line of progress before an error', async () => {
    put('bad.txt', BINARY);
    const { stderr } = await grainline('bad.txt', { stderr: fakeStream(terminal) });
    expect(stderr).toMatch(`${ERASE_LINE}grainline: bad.txt: `);
  });

  it('has the warnings of documents, unless --quiet', async () => {
    put('a.txt', 'One two three four five \0 six.');
    const { code, stderr } = await grainline('a.txt');
    expect(code).toBe(0);
    expect(stderr).toMatch(/^grainline: a\.txt: warning: .* \(nul_dropped\)\n$/);
    expect((await grainline('a.txt -q')).stderr).toBe('');
    put('bad.txt', BINARY);
    expect((await grainline('bad.txt -q')).stderr).toMatch('unsupported_type');
    expect((await grainline('a.txt -q --out out')).stderr).toBe('');
  });

  it('names an encoding that was guessed', async () => {
    writeFileSync(join(folder, 'a.txt'), Buffer.from('Le café est très bon.', 'latin1'));
    const { stdout, stderr } = await grainline('a.txt --format text');
    expect(stdout).toContain('café');
    expect(stderr).toMatch(
      /^grainline: a\.txt: warning: .* read as windows-1252, by a guess\. .* \(encoding_guessed\)\n/,
    );
  });
});

describe('--charset', () => {
  it('says in which encoding text is that is not UTF-8, and leaves other files as they are', async () => {
    writeFileSync(join(folder, 'a.txt'), Uint8Array.from([0xd0, 0xd2, 0xc9, 0xd7, 0xc5, 0xd4]));
    put('b.txt', 'naïve ☃');
    const { stdout, stderr } = await grainline('a.txt b.txt --charset KOI8 --format text -q');
    expect(stdout).toMatch('привет');
    expect(stdout).toMatch('naïve ☃');
    expect(stderr).toBe('');
  });

  it('that changes makes the outputs anew', async () => {
    writeFileSync(join(folder, 'a.txt'), Uint8Array.from([0xd0, 0xd2, 0xc9, 0xd7, 0xc5, 0xd4]));
    const counts = async (argv: string) => (await grainline(argv)).stderr;
    expect(await counts('a.txt --out out --charset koi8-r')).toMatch('1 written');
    expect(await counts('a.txt --out out --charset koi8')).toMatch('1 unchanged');
    expect(await counts('a.txt --out out --charset windows-1251')).toMatch('1 written');
  });

  it('of which nobody knows is wrong use, and is named', async () => {
    put('a.txt', 'Text.');
    const { code, stderr } = await grainline('a.txt --charset latin-0');
    expect(code).toBe(2);
    expect(stderr).toMatch(
      '--charset must name an encoding, as windows-1252, koi8-r or shift_jis do, but is "latin-0"',
    );
  });
});

describe('the end of a run', () => {
  it('is quiet and good when the reader has seen enough', async () => {
    put('a.txt', PROSE.repeat(100));
    for (const failsFrom of [0, 1]) {
      const stdout = fakeStream({ failsFrom, failure: systemError('EPIPE') });
      expect(await grainline('a.txt a.txt', { stdout })).toMatchObject({ code: 0, stderr: '' });
    }
    const stdout = fakeStream({ failsFrom: 0, failure: systemError('EPIPE') });
    expect(await grainline('--help', { stdout })).toMatchObject({ code: 0, stderr: '' });
  });

  it('is a failure when the output cannot be written', async () => {
    put('a.txt');
    put('b.txt');
    const stdout = fakeStream({ failsFrom: 0, failure: systemError('ENOSPC') });
    expect(await grainline('a.txt b.txt', { stdout })).toMatchObject({
      code: 1,
      stderr: 'grainline: The output cannot be written: standard output: the disk is full. (not_writable)\n',
    });
  });

  it('does not depend on a standard error that nobody reads', async () => {
    put('a.txt', 'One.');
    const stderr = fakeStream({ failsFrom: 0, failure: systemError('EPIPE') });
    expect((await grainline('a.txt gone.txt', { stderr })).code).toBe(1);
  });

  it('comes with 130 when interrupted, without a message', async () => {
    put('a.txt');
    expect(await grainline('a.txt', { signal: ABORTED })).toMatchObject({
      code: 130,
      stdout: '',
      stderr: '',
    });
  });
});

describe('--dry-run', () => {
  it('counts and prints no text', async () => {
    put('a.txt', 'x'.repeat(5000));
    put('b.pdf', writePdf({ pages: [{ lines: ['One.'] }, { lines: ['Two.'] }] }));
    const { code, stdout } = await grainline('a.txt b.pdf --dry-run --tier free --size 100');
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.trim().split(/ +/));
    expect(code).toBe(0);
    expect(rows[0]).toEqual(['pages', 'characters', 'chunks', 'file']);
    expect(rows[1]).toEqual(['3', '5000', '50', 'a.txt']);
    expect(rows[2]!.at(0)).toBe('2');
    expect(rows[3]!.slice(3).join(' ')).toBe('total of 2 files');
  });
});

describe('--view', () => {
  it('marks boundaries without colour', async () => {
    put('a.txt', 'One two three four.');
    const { stdout } = await grainline('a.txt --view --tier free --size 10 --overlap 4', {
      stdout: fakeStream({ columns: 44 }),
    });
    expect(stdout).toBe(
      [
        'a.txt: 19 characters, 3 chunks',
        '┌─ 0 · 7 characters · 0–7 ──────────────────',
        '│ One two',
        '┌─ 1 · 9 characters · 4–13 · repeats 3 ─────',
        '│ two three',
        '┌─ 2 · 5 characters · 14–19 ────────────────',
        '│ four.',
        '',
        '',
      ].join('\n'),
    );
  });

  it('says on which pages a chunk lies and what it repeats', async () => {
    put('a.pdf', writePdf({ pages: [{ lines: ['One two three.'] }, { lines: ['Four five six.'] }] }));
    const { stdout } = await grainline('a.pdf --view --tier free --size 14 --overlap 6');
    expect(stdout).toMatch('page 1');
    expect(stdout).toMatch('page 2');
    put('b.txt', 'aa bb cc dd ee');
    expect((await grainline('b.txt --view --tier free --size 8 --overlap 3')).stdout).toMatch(/repeats [23]/);
  });

  it('is coloured on a terminal, by FORCE_COLOR, and never with NO_COLOR', async () => {
    put('a.txt', 'One two.');
    const terminal = (): FakeIo['stdout'] => fakeStream({ isTTY: true });
    const isColoured = async (changes: Partial<FakeIo>): Promise<boolean> =>
      (await grainline('a.txt --view', changes)).stdout.includes('\x1b[');
    expect(await isColoured({ stdout: terminal() })).toBe(true);
    expect(await isColoured({})).toBe(false);
    expect(await isColoured({ environment: { FORCE_COLOR: '1' } })).toBe(true);
    expect(await isColoured({ environment: { FORCE_COLOR: '0' }, stdout: terminal() })).toBe(false);
    expect(await isColoured({ environment: { NO_COLOR: '1', FORCE_COLOR: '1' }, stdout: terminal() })).toBe(
      false,
    );
    expect(await isColoured({ environment: { NO_COLOR: '' }, stdout: terminal() })).toBe(true);
    expect(await isColoured({ environment: { TERM: 'dumb' }, stdout: terminal() })).toBe(false);
  });

  it('does not let a document move the cursor', async () => {
    const text =
      'Text that \x1b[31mcolours\x1b]0;itself\x07 and more of it, so that it is still text to the eye.';
    put('a.py', text);
    put('a.txt', text);
    expect((await grainline('a.py --view')).stdout).toMatch('Text that ␛[31mcolours␛]0;itself␇ and');
    expect((await grainline('a.txt --view')).stdout).toMatch('Text that colours and');
  });
});

describe('serve', () => {
  const server = (main: (argv: readonly string[], terminal: object) => Promise<number>) => () =>
    Promise.resolve({ main, processTerminal: () => ({ print: 'kept' }) } as never);

  it('runs the server with its environment and the options over it, and ends as it ends', async () => {
    const calls: unknown[] = [];
    const io = fakeIo(folder, { environment: { PORT: '1', DATA_DIR: '/x' } });
    const main = (argv: readonly string[], terminal: object): Promise<number> => {
      calls.push(argv, terminal);
      return Promise.resolve(2);
    };
    expect(await run(['serve', '--port', '9000', '--host=::1'], io, server(main))).toBe(2);
    expect(calls).toEqual([
      [],
      { print: 'kept', environment: { PORT: '9000', HOST: '::1', DATA_DIR: '/x' } },
    ]);
  });

  it('says how to install the server when it is missing', async () => {
    const io = fakeIo(folder);
    const missing = Object.assign(new Error("Cannot find package '@grainline/server' imported from /x"), {
      code: 'ERR_MODULE_NOT_FOUND',
    });
    expect(await run(['serve'], io, () => Promise.reject(missing))).toBe(1);
    expect(io.stderr.text()).toBe(
      'grainline: The server is a package of its own; install it with: npm install @grainline/server (server_missing)\n',
    );
  });

  it('does not blame the installation when the server itself is broken', async () => {
    const io = fakeIo(folder);
    const broken = Object.assign(new Error("Cannot find package 'undici' imported from /x"), {
      code: 'ERR_MODULE_NOT_FOUND',
    });
    expect(await run(['serve'], io, () => Promise.reject(broken))).toBe(1);
    expect(io.stderr.text()).toMatch("Cannot find package 'undici'");
  });
});
