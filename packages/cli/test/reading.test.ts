// The options of reading on the command line: chosen pages, passwords from the terminal or the environment.
import { describe, expect, it } from 'vitest';
import { writePdf } from '@grainline/testing/pdf-writer';
import { folder, get, grainline, grainlineWith, put, useFolder } from './command.ts';
import { fakeIo } from './fake-io.ts';

useFolder();

const pages = ['first', 'second', 'third'].map((word) => ({
  lines: [`The ${word} page tells of harbours.`],
}));
const password = { user: 'tide-table', owner: 'master' };
const texts = (records: Record<string, unknown>[]) => records.map(({ text }) => text);
const withPassword = (word: string) => ({ environment: { GRAINLINE_PASSWORD: word } });

describe('an option of reading', () => {
  it('is named once with the kinds that it does not change', async () => {
    for (const name of ['a.txt', 'b.txt', 'c.md']) put(name, 'Text.');
    put('d.html', '<p>Text.</p>');
    const { code, stderr } = await grainline('a.txt b.txt c.md d.html --furniture keep --lines join');
    expect([code, stderr]).toEqual([0, 'grainline: --furniture does not change markdown, txt.\n']);
    expect((await grainline('d.html --furniture keep')).stderr).toBe('');
  });
});

it('gives quotations the offsets of chunks that are read by the same options', async () => {
  put('a.html', '<main><p>See <a href="https://example.org/a">this</a> and that page.</p></main>');
  put('b.txt', Buffer.from('Gr\xf6\xdfe des Hafens', 'latin1'));
  const linked = await grainline('cite a.html page --json --links markdown');
  const text = 'See [this](https://example.org/a) and that page.';
  expect(JSON.parse(linked.stdout)).toMatchObject({ spans: [{ start: text.indexOf('page'), text: 'page' }] });
  put('c.pdf', writePdf({ pages }));
  expect((await grainline('cite c.pdf second --pages 2-')).stdout).toMatch(/^1\.00 {2}page 2 {2}4–10\n/);
  expect((await grainline('cite b.txt Größe --charset windows-1252')).stdout).toMatch(/^1\.00 /);
  expect((await grainline('cite c.pdf second --pages x')).code).toBe(2);
  expect((await grainline('eval c.pdf --furniture none')).code).toBe(2);
});

describe('--pages', () => {
  it('reads these pages alone, which keep their numbers', async () => {
    put('a.pdf', writePdf({ pages }));
    const { code, records } = await grainline('a.pdf --pages 2-9');
    expect([code, texts(records())]).toEqual([
      0,
      ['The second page tells of harbours.\n\nThe third page tells of harbours.'],
    ]);
    expect(records()[0]?.['metadata']).toMatchObject({ page_start: 2, page_end: 3 });
  });

  it('fails a document that has none of them, and no other', async () => {
    put('a.pdf', writePdf({ pages }));
    put('b.txt', 'Text.');
    const { code, stderr, records } = await grainline('a.pdf b.txt --pages 3-');
    expect([code, texts(records())]).toEqual([1, ['The third page tells of harbours.']]);
    expect(stderr).toMatch(/^grainline: b\.txt: .*it has no pages to choose from.*\(no_such_pages\)\n$/);
  });

  it('is refused in another syntax before a file is read', async () => {
    for (const [command, pages] of [
      ['a.pdf', '7..9'],
      ['a.pdf', '3-1'],
      ['a.pdf --remote https://chunks.example', '1,10-9'],
      ['cite a.pdf words', '3-1'],
      ['eval a.pdf', '3-1'],
      ['load a.pdf --to lancedb:./vectors', '3-1'],
    ]) {
      const { code, stderr } = await grainline(`${command} --pages ${pages}`);
      expect(code).toBe(2);
      expect(stderr).toContain(
        `--pages must be page numbers and ascending ranges from 1, as 3-7 or 1,4-6 or 9-, but is "${pages}".`,
      );
    }
  });

  it('writes a file of --out anew when it changes', async () => {
    put('a.pdf', writePdf({ pages }));
    await grainline('a.pdf --out o --pages 1');
    const { stderr } = await grainline('a.pdf --out o --pages 2');
    expect(stderr).toContain('1 written');
    expect(get('o/a.pdf.jsonl')).toContain('second');
  });
});

it.each([
  [
    'a.html --links markdown',
    '<p>See <a href="https://example.org/">this</a>.</p>',
    'See [this](https://example.org/).',
  ],
  ['a.html', '<p>See <a href="https://example.org/">this</a>.</p>', 'See this.'],
])('reads as the options say: %s', async (argv, html, text) => {
  put('a.html', html);
  expect(texts((await grainline(argv)).records())).toEqual([text]);
});

describe('a password', () => {
  const lock = (name = 'a.pdf') => put(name, writePdf({ pages: pages.slice(0, 1), password }));
  const TEXT = ['The first page tells of harbours.'];

  it('comes from the environment', async () => {
    lock();
    const { code, records } = await grainline('a.pdf', withPassword(password.user));
    expect([code, texts(records())]).toEqual([0, TEXT]);
  });

  it('reaches each thread of a run', async () => {
    for (const name of ['a.pdf', 'b.pdf', 'c.pdf']) lock(name);
    const { code, records } = await grainline('a.pdf b.pdf c.pdf --workers 2', withPassword(password.owner));
    expect([code, texts(records())]).toEqual([0, [TEXT, TEXT, TEXT].flat()]);
  });

  it('is asked for on the terminal, once for all files, and shown nowhere', async () => {
    lock();
    lock('b.pdf');
    const prompts: string[] = [];
    const io = fakeIo(folder, {
      readSecret: (prompt) => {
        prompts.push(prompt);
        return Promise.resolve(password.user);
      },
    });
    const { code, records, stdout, stderr } = await grainlineWith(['a.pdf', 'b.pdf', '--password'], io);
    expect([code, texts(records()), prompts]).toEqual([0, [TEXT, TEXT].flat(), ['Password: ']]);
    expect(stdout + stderr).not.toContain(password.user);
  });

  it('that is wrong or missing fails the file and says how to give it', async () => {
    lock();
    const wrong = await grainline('a.pdf', withPassword('hunter2'));
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringMatching(/\(wrong_password\)\n$/)]);
    expect(wrong.stderr).not.toContain('hunter2');
    const missing = await grainline('a.pdf');
    expect(missing.stderr).toMatch(
      /\(encrypted\)\ngrainline: --password asks .*GRAINLINE_PASSWORD can hold it\.\n$/,
    );
  });

  it.each([['a.pdf --password'], ['- --password']])('needs a terminal to be asked for: %s', async (argv) => {
    const { code, stderr } = await grainline(argv, {
      readSecret: argv.startsWith('-') ? () => Promise.resolve('x') : undefined,
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining('set GRAINLINE_PASSWORD') as string]);
  });

  it.each([
    ['load a.pdf --to memory:a', /1 added, .* 0 failed/],
    ['cite a.pdf harbours', /page 1 /],
    ['eval a.pdf --tier free --size 100 --save-questions q.jsonl', /^(?!.*encrypted)/s],
  ])('opens documents of every command that reads them: grainline %s', async (argv, shows) => {
    lock();
    expect((await grainline(argv)).stderr).toMatch(/Add --password .*\(encrypted\)/);
    const set = await grainline(argv, withPassword(password.user));
    expect(set.stdout + set.stderr).toMatch(shows);
    const io = fakeIo(folder, { readSecret: () => Promise.resolve(password.user) });
    const other = argv.replace('memory:a', 'memory:b').replace('q.jsonl', 'r.jsonl');
    const typed = await grainlineWith([...other.split(' '), '--password'], io);
    expect(typed.stdout + typed.stderr).toMatch(shows);
  });

  it('is no value on the command line, where others could read it', async () => {
    const { code, stderr } = await grainline(`a.pdf --password=${password.user}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--password') as string]);
    expect(stderr).not.toContain(password.user);
  });

  it('is in no file of --out, and changes none', async () => {
    lock();
    await grainline('a.pdf --out o', withPassword(password.user));
    for (const name of ['o/a.pdf.jsonl', 'o/.grainline/written.jsonl'])
      expect(get(name)).not.toContain(password.user);
    const { stderr } = await grainline('a.pdf --out o', withPassword(password.owner));
    expect(stderr).toContain('1 unchanged');
  });
});
