// Several threads: the same output as one thread gives, in the same order, with errors, warnings and interruptions.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writePdf } from '@grainline/testing/pdf-writer';
import { ROOT } from './code-blocks.ts';
import { folder, grainline, PROSE, put, useFolder } from './command.ts';
import { fakeStream } from './fake-io.ts';

useFolder();

/** Threads import the builds of the packages. */
const BUILT = existsSync(join(ROOT, 'packages/pipeline/dist/index.js'));

describe.skipIf(!BUILT)('--workers (needs `npm run build`)', () => {
  const putMany = (): void => {
    for (let at = 0; at < 6; at++) {
      put(`docs/${at}.md`, `# Part ${at}\n\n${PROSE}`);
      put(`docs/${at}.pdf`, writePdf({ pages: [{ lines: [`Page of ${at}.`] }, { lines: ['Last page.'] }] }));
    }
    put('docs/bad.txt', new Uint8Array(3000).fill(1));
    put('docs/cafe.txt', Buffer.from('Le café est très bon, dit-il.', 'latin1'));
  };

  it.each([
    '--size 200',
    '--json --unit tokens --size 64',
    '--html',
    '--view',
    '--tier semantic --embeddings -f qdrant',
    '--dry-run',
  ])('write what one thread writes: %s', async (options) => {
    putMany();
    const one = await grainline(`docs ${options} --workers 1`);
    const many = await grainline(`docs ${options} --workers 3`);
    expect({ ...many, records: undefined }).toEqual({ ...one, records: undefined });
    expect(one.code).toBe(1);
    expect(one.stderr).toContain('bad.txt');
    expect(one.stderr).toContain('encoding_guessed');
  });

  it('write the same folder, and skip what has not changed', async () => {
    putMany();
    await grainline('docs --out one --workers 1');
    await grainline('docs --out many --workers 3');
    const files = (out: string): string[] => readdirSync(join(folder, out, 'docs')).sort();
    expect(files('many')).toEqual(files('one'));
    const again = await grainline('docs --out many --workers 1');
    expect(again.stderr).toContain('0 written (0 chunks), 13 unchanged, 1 failed');
  });

  it('report the stages of the document at work', async () => {
    putMany();
    const stderr = fakeStream({ isTTY: true, columns: 120 });
    await grainline('docs --workers 2 --size 200', { stderr });
    expect(stderr.text()).toMatch(/docs\/\d\.(?:md|pdf)/);
    expect(stderr.text()).toMatch(/13\/14 █+/);
  });

  it('end with an interruption', async () => {
    putMany();
    const stop = new AbortController();
    const stdout = fakeStream();
    const write: typeof stdout.write = (text, done) => {
      stop.abort();
      return stdout.write(text, done);
    };
    const ended = await grainline('docs --workers 2', { stdout: { ...stdout, write }, signal: stop.signal });
    expect(ended).toMatchObject({ code: 130, stderr: '' });
  });

  it('are as many as processors but one, unless the option says otherwise', async () => {
    putMany();
    const [one, many] = [1, 4].map((processors) => grainline('docs', { processors }));
    expect((await many)?.stdout).toBe((await one)?.stdout);
  });
});
