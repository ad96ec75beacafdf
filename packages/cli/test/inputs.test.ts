// The inputs of the command: standard input, files, folders and patterns.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { READERS } from '@grainline/extract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writePdf } from '@grainline/testing/pdf-writer';
import { folder, get, grainline, grainlineWith, put, type Ended, useFolder } from './command.ts';
import { fakeIo } from './fake-io.ts';

useFolder();

const BINARY = Uint8Array.from({ length: 4000 }, (_, index) => (index * 7919) % 251);

describe('links', () => {
  let site: Server;
  let allowed: string;
  const answers = new Map<string, (response: ServerResponse) => void>();
  beforeEach(async () => {
    site = createServer((request, response) => {
      const reply = answers.get(request.url ?? '');
      if (reply === undefined) response.writeHead(404).end('Gone.');
      else reply(response);
    }).listen(0, '127.0.0.1');
    await once(site, 'listening');
    allowed = `127.0.0.1:${(site.address() as AddressInfo).port}`;
  });
  afterEach(() => site.close());
  const fetched = (argv: string): Promise<Ended> =>
    grainline(argv, { environment: { FETCH_ALLOW: `wiki.local:80, ${allowed}` } });

  it('are downloaded, named by their address, and read by the type that their host gives', async () => {
    answers.set('/a/notes?v=2', (response) =>
      response.writeHead(200, { 'content-type': 'text/markdown' }).end('# Tides\n\nHigh water.'),
    );
    answers.set('/moved.pdf', (response) => response.writeHead(302, { location: '/b.pdf' }).end());
    answers.set('/b.pdf', (response) => response.end(writePdf({ pages: [{ lines: ['Low water.'] }] })));
    const [notes, pdf] = [`http://${allowed}/a/notes?v=2`, `http://${allowed}/moved.pdf`];
    const { code, records, stderr } = await fetched(`${notes} ${pdf} -f qdrant`);
    expect([code, stderr]).toEqual([0, '']);
    expect(records().map(({ payload }) => payload)).toMatchObject([
      { document_id: notes, source_url: notes, filename: 'notes', content_type: 'text/markdown' },
      { document_id: pdf, source_url: pdf, filename: 'moved.pdf', page_start: 1 },
    ]);
    await fetched(`${notes} ${pdf} --out out`);
    const path = `out/${allowed.replace(':', '_')}`;
    expect(get(`${path}/a/notes_v_2.jsonl`)).toContain('High water.');
    expect(get(`${path}/moved.pdf.jsonl`)).toContain('Low water.');
  });

  it('that cannot be fetched say why, and the others are done', async () => {
    put('a.txt', 'One.');
    answers.set('/endless', (response) => response.writeHead(302, { location: '/endless' }).end());
    const links = [`http://${allowed}/gone`, `http://${allowed}/endless`, 'http://u:p@wiki.local/a'];
    const { code, stderr, records } = await fetched(`${links.join(' ')} a.txt`);
    expect([code, records().length]).toEqual([1, 1]);
    expect(stderr.split('\n')).toEqual([
      `grainline: ${links[0]}: The link cannot be fetched: its host answers with status 404. Look whether it opens without signing in. (not_fetched)`,
      `grainline: ${links[1]}: The link cannot be fetched: it is redirected more than 5 times. (not_fetched)`,
      `grainline: ${links[2]}: The link cannot be fetched: it holds a user or a password. (not_fetched)`,
      '',
    ]);
  });

  it('lead to public addresses only, unless the environment names the host', async () => {
    const { code, stderr } = await grainline(
      `http://${allowed}/a http://localhost:8080/a http://169.254.169.254/`,
    );
    expect(code).toBe(1);
    for (const line of stderr.trimEnd().split('\n')) expect(line).toContain('FETCH_ALLOW=wiki.local:80');
    expect(stderr).toMatch(/127\.0\.0\.1:\d+\/a: The link cannot be fetched: it has the port/);
    expect(stderr.match(/it is not on the public internet/g)).toHaveLength(2);
  });
});

describe('standard input', () => {
  it('is asked for on a terminal, which gives no sign of waiting', async () => {
    const io = fakeIo(folder, { input: 'Typed.' });
    const typed = await grainlineWith(['-'], { ...io, stdin: Object.assign(io.stdin, { isTTY: true }) });
    expect(typed.stderr).toMatch(/^grainline: Reading standard input.*end the text with Ctrl-D\.\n$/);
    expect(typed.records()[0]).toMatchObject({ text: 'Typed.' });
    expect((await grainline('-', { input: 'Piped.' })).stderr).toBe('');
  });

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

  it.runIf(process.platform === 'linux')('that are pipes without a writer end with the run', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const interruption = new AbortController();
    const ended = grainlineWith(['pipe'], { ...fakeIo(folder), signal: interruption.signal });
    const { ino } = statSync(pipe);
    const isOpen = (): boolean =>
      readdirSync('/proc/self/fd').some(
        (fd) => statSync(`/proc/self/fd/${fd}`, { throwIfNoEntry: false })?.ino === ino,
      );
    while (!isOpen()) await new Promise(setImmediate);
    interruption.abort();
    expect((await ended).code).toBe(130);
    expect(isOpen()).toBe(false);
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

  it('that are links to something missing are named as such', async () => {
    symlinkSync('moved/report.md', join(folder, 'report.md'));
    const { code, stderr } = await grainline('report.md');
    expect([code, stderr]).toEqual([
      1,
      'grainline: report.md: There is no such file or folder. The link leads to moved/report.md, which is missing. (not_found)\n',
    ]);
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
      expect.stringMatching(/^grainline: --password asks /),
      'grainline: bad.txt: unsupported_type',
      'grainline: circle.txt: not_readable',
      'grainline: empty.md: empty_document',
      'grainline: gone.txt: not_found',
      'grainline: locked.pdf: encrypted',
    ]);
  });

  it.each([
    ['serv', 'There is no such file or folder. Did you mean grainline serve? (not_found)'],
    ['help', 'There is no such file or folder. Did you mean grainline --help? (not_found)'],
    ['http', 'There is no such file or folder. (not_found)'],
  ])('that are no files say what may have been meant: %s', async (operand, sentence) => {
    const { code, stderr } = await grainline(operand);
    expect([code, stderr]).toEqual([1, `grainline: ${operand}: ${sentence}\n`]);
  });

  it('stop behind a misspelt command, whose operands would be chunked', async () => {
    put('a.txt', 'One.');
    const { code, stdout, stderr } = await grainline('laod a.txt');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('laod: There is no such file or folder. Did you mean grainline load?');
    // Elsewhere it is a missing file among others.
    const { code: missing, records } = await grainline('a.txt laod');
    expect([missing, records().length]).toEqual([1, 1]);
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

  it('a pattern finds what npm has installed only where it says so', async () => {
    put('web/a.md', 'Ours.');
    put('web/node_modules/x/b.md', 'Theirs.');
    const named = async (pattern: string, cwd = folder): Promise<unknown[]> => {
      const io = fakeIo(cwd);
      await grainlineWith([pattern], io);
      const lines = io.stdout.text().split('\n').filter(Boolean);
      return lines.map((line) => (JSON.parse(line) as { document_id: string }).document_id);
    };
    expect(await named('web/**/*.md')).toEqual(['web/a.md']);
    expect(await named(join(folder, 'web/**/*.md'))).toEqual(['web/a.md']);
    expect(await named('web/node_modules/**/*.md')).toEqual(['web/node_modules/x/b.md']);
    expect(await named('*.md', join(folder, 'web/node_modules/x'))).toEqual(['b.md']);
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
