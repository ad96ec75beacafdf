// The command line as a function: wrong use, help texts, messages, exit codes.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TIERS } from '@grainline/core';
import { READERS } from '@grainline/extract';
import { describe, expect, it } from 'vitest';
import { FORMAT_NAMES } from '../src/args/arguments.ts';
import { CHUNK_OPTIONS } from '../src/args/options.ts';
import { Interruption } from '../src/io.ts';
import { run } from '../src/run.ts';
import { createRunLog } from '../src/output/terminal.ts';
import { folder, grainline, grainlineWith, PROSE, put, useFolder } from './command.ts';
import { fakeIo, fakeStream, systemError } from './fake-io.ts';

useFolder();

const BINARY = Uint8Array.from({ length: 4000 }, (_, index) => (index * 7919) % 251);
const ABORTED = AbortSignal.abort();
const ERASE_LINE = '\r\x1b[K';

describe('wrong use', () => {
  const hintFor = (argv: string): string =>
    `Run grainline ${/^serve|^mcp|^doctor/.exec(argv)?.[0].concat(' ') ?? ''}--help to see how it is used.\n`;
  it.each([
    ['', 'Name a file, a folder, a pattern, or - for standard input.'],
    ['a.txt --overlpa 3', 'There is no option --overlpa. Did you mean --overlap?'],
    ['a.txt --chunk-size 5', 'There is no option --chunk-size. Did you mean --size?'],
    ['a.txt --maxTokens 5', 'There is no option --maxTokens. Did you mean --size?'],
    ['a.txt --xyzzy', 'There is no option --xyzzy.'],
    ['a.txt -x', 'There is no option -x.'],
    ['a.txt -hints.txt', 'There is no option -hints.txt; a file of that name is ./-hints.txt.'],
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
    ['a.txt --workers 1.5', '--workers must be an integer from 1 to 64, but is "1.5".'],
    ['a.txt --json --view', 'Only one of --json, --view can be had at a time.'],
    ['a.txt --jsonl --format text', 'Only one of --jsonl, --format text can be had at a time.'],
    ['a.txt --format json', '--format json is an option of its own: --json.'],
    ['a.txt --timeout 0', '--timeout must be an integer from 1 to 86400, in seconds, but is "0".'],
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
      stderr: `grainline: ${sentence}\n${hintFor(argv)}`,
    });
  });

  it('of an empty name, as an unset variable leaves it, does not chunk the whole working folder', async () => {
    put('a.txt');
    expect(await grainlineWith([''], fakeIo(folder))).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `grainline: A file has an empty name; name the working folder with a dot.\n${hintFor('')}`,
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
    expect(shown.stderr).toMatch(/0\/2 ░+ 0% {2}a\.txt/);
    expect(shown.stderr).toMatch(/1\/2 █+░+ 50%/);
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
    const lines = stderr.replaceAll('\x1b[?7l', '').replaceAll('\x1b[?7h', '').split(ERASE_LINE);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(30);
  });

  it('keeps a line of wide letters on one row, which can be erased', async () => {
    const wide = `${'漢'.repeat(60)}.txt`;
    put(wide, 'One.');
    const { stderr } = await grainline(wide, { stderr: fakeStream(terminal) });
    expect(stderr.split(ERASE_LINE).find((line) => line !== '')).toBe(
      `\x1b[?7l0/1 ░░░░░░░░░░░░ 0%  ${'漢'.repeat(37)}…\x1b[?7h`,
    );
  });

  it('shows the stages of one document', async () => {
    const stream = fakeStream({ isTTY: true, columns: 80 });
    let ms = 0;
    const report = createRunLog(stream, { quiet: false, showProgress: true, now: () => (ms += 1000) });
    report.follow([{ shown: 'long.pdf', bytes: 9 }]);
    report.begin('long.pdf');
    for (const page of [1, 2, 3]) report.step('long.pdf', page / 3, `page ${page} of 3`);
    await report.close();
    expect(stream.text()).toContain('0/1 ███████████░░░░░ 66% about 4 s left  long.pdf, page 2 of 3');
  });

  it('draws the stages of one document no more often than a reader sees', async () => {
    const stream = fakeStream({ isTTY: true, columns: 80 });
    let ms = 0;
    const report = createRunLog(stream, { quiet: false, showProgress: true, now: () => (ms += 1) });
    report.follow([{ shown: 'a.pdf', bytes: 9 }]);
    report.begin('a.pdf');
    for (let page = 0; page < 1000; page++) report.step('a.pdf', page / 1000, `page ${page}`);
    await report.close();
    expect(stream.text().split(ERASE_LINE).length).toBeLessThan(30);
  });

  it('shows no progress once the reader of a pipe may print on the same terminal', async () => {
    for (const name of ['a.txt', 'b.txt', 'c.txt']) put(name, name);
    const order: string[] = [];
    const stderr = fakeStream(terminal);
    const stdout = fakeStream();
    const recorded = <Stream extends typeof stderr>(name: string, stream: Stream): Stream => ({
      ...stream,
      write: (text, done) => {
        order.push(text === ERASE_LINE ? 'erase' : name);
        return stream.write(text, done);
      },
    });
    const streams = { stderr: recorded('progress', stderr), stdout: recorded('result', stdout) };
    await grainline('a.txt b.txt c.txt --concurrency 1', { ...streams, isPiped: true });
    const first = order.indexOf('result');
    expect(order.slice(0, first)).toContain('progress');
    expect(order[first - 1]).toBe('erase');
    expect(order.slice(first)).not.toContain('progress');
  });

  it('says nothing of what is waited for while results are written, and goes on after that', async () => {
    const stream = fakeStream(terminal);
    const report = createRunLog(stream, { quiet: false, showProgress: false });
    const documents = ['a.txt', 'b.txt', 'c.txt'].map((shown) => ({ shown }));
    report.follow(documents);
    for (const { shown } of documents) report.begin(shown);
    report.waiting('a.txt', 0, 'paying');
    report.finish('a.txt');
    report.finish('b.txt');
    await report.aside(async () => {
      report.waiting('b.txt', 0, 'paying');
      await Promise.resolve();
    });
    expect(stream.text().endsWith(ERASE_LINE)).toBe(true);
    report.waiting('c.txt', 0, 'paying');
    expect(stream.text()).toMatch('c.txt, paying');
    expect(stream.text()).not.toMatch('b.txt');
  });

  it('says nothing of what is waited for once it is closed', async () => {
    const stream = fakeStream(terminal);
    const report = createRunLog(stream, { quiet: false, showProgress: true });
    report.waiting('a.txt', 0, 'paying');
    await report.close();
    report.waiting('a.txt', 0, 'the answer has come');
    expect(stream.text().endsWith(ERASE_LINE)).toBe(true);
  });

  it('erases the line of progress before an error', async () => {
    put('bad.txt', BINARY);
    const { stderr } = await grainline('bad.txt', { stderr: fakeStream(terminal) });
    expect(stderr).toMatch(`${ERASE_LINE}grainline: bad.txt: `);
  });

  it('shows the warning of furniture once, and counts the others', async () => {
    for (const name of ['a.html', 'b.html', 'c.html'])
      put(name, `<nav><a href="/">Home</a> <a href="/b">All</a></nav><main><p>Words of ${name}.</p></main>`);
    const { stderr } = await grainline('a.html b.html c.html');
    expect(stderr).toMatch(
      /^grainline: .\.html: warning: .* \(furniture_left_out\)\ngrainline: 2 more files have the warning furniture_left_out\.\n$/,
    );
    expect((await grainline('a.html b.html')).stderr).toMatch('One more file has');
    expect((await grainline('a.html b.html -q')).stderr).toBe('');
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

  it('does not depend on a standard error without a reader', async () => {
    put('a.txt', 'One.');
    const stderr = fakeStream({ failsFrom: 0, failure: systemError('EPIPE') });
    expect((await grainline('a.txt gone.txt', { stderr })).code).toBe(1);
  });

  it.each([
    [130, ABORTED],
    [130, AbortSignal.abort(new Interruption('SIGINT'))],
    [143, AbortSignal.abort(new Interruption('SIGTERM'))],
  ])('comes with %i when interrupted, without a message', async (code, signal) => {
    put('a.txt');
    expect(await grainline('a.txt', { signal })).toMatchObject({ code, stdout: '', stderr: '' });
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
