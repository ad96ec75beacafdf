// The folder of --out: written, untouched and skipped files.
import { appendFileSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, get, grainline, grainlineWith, PROSE, put, useFolder } from './command.ts';
import { fakeIo } from './fake-io.ts';

useFolder();

describe('--out', () => {
  const list = (): string[] => get('out/.grainline/written.jsonl').trimEnd().split('\n');

  it('writes a file for each input, below the paths they have, and says how many', async () => {
    put('docs/a/x.md', 'One.');
    put('docs/y.txt', 'Two.');
    const { code, stdout, stderr } = await grainline('docs --out out');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toBe(
      '2 files: 2 written (2 chunks), 0 unchanged, 0 failed\n' +
        '  markdown  1 file: 1 written (1 chunk), 0 unchanged, 0 failed\n' +
        '  txt       1 file: 1 written (1 chunk), 0 unchanged, 0 failed\n',
    );
    expect(JSON.parse(get('out/docs/a/x.md.jsonl'))).toMatchObject({
      document_id: 'docs/a/x.md',
      text: 'One.',
    });
    expect(existsSync(join(folder, 'out/docs/y.txt.jsonl'))).toBe(true);
    expect(readdirSync(join(folder, 'out/.grainline'))).toEqual(['written.jsonl']);
  });

  it('gives no file an ending twice, and no two inputs one file', async () => {
    put('wiki.HTML', '<p>One.</p>');
    put('a.txt', 'Two.');
    await grainline('wiki.HTML a.txt --html --out out');
    await grainline('a.txt --format text --out out');
    expect(readdirSync(join(folder, 'out')).sort()).toEqual([
      '.grainline',
      'a.chunks.txt',
      'a.txt.html',
      'wiki.chunks.html',
    ]);
    put('wiki.chunks', 'Three.');
    const { code, stderr } = await grainline('wiki.HTML wiki.chunks --html --out out');
    expect(code).toBe(2);
    expect(stderr).toContain('wiki.HTML and wiki.chunks would both be written to wiki.chunks.html.');
  });

  it.each([
    ['--json', '.json'],
    ['--format text', '.txt'],
    ['--jsonl', '.jsonl'],
  ])('with %s writes what standard output would get, to a file ending in %s', async (options, ending) => {
    put('a.md');
    const { stdout } = await grainline(`a.md ${options}`);
    await grainline(`a.md ${options} -o out`);
    expect(get(`out/a.md${ending}`)).toBe(stdout);
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
