// PDFs in a thread: the same output as without one, an end by signals, and a limit of time for each.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openPages } from '@grainline/extract/pages';
import { writeMail } from '@grainline/testing/mail-writer';
import { writePdf } from '@grainline/testing/pdf-writer';
import { greyPixels, writeScans } from '@grainline/testing/scanned-pdf';
import { describe, expect, it } from 'vitest';
import { ROOT } from './code-blocks.ts';
import { type Ended, folder, get, grainlineWith, PROSE, put, useFolder } from './command.ts';
import { fakeIo } from './fake-io.ts';
import { slowPdf } from './slow-pdf.ts';

useFolder();

const BIN = join(import.meta.dirname, '../bin/grainline.js');
/** Threads import the builds of the packages. */
const BUILT = ['pipeline', 'cli'].every((name) => existsSync(join(ROOT, `packages/${name}/dist/index.js`)));

const QUOTES = ['pilots board the ship', 'Anchors are dropped'];
const SMALL = writePdf({
  pages: [{ lines: [`The ${QUOTES[0]}.`] }, { lines: [`${QUOTES[1]} at the quay.`] }],
});

const run = (argv: readonly string[], canInterrupt: boolean): Promise<Ended> => {
  const environment = { XDG_STATE_HOME: join(folder, '.state') };
  return grainlineWith(argv, fakeIo(folder, { canInterrupt, input: SMALL, environment }));
};

describe.skipIf(!BUILT)('PDFs in a thread (needs `npm run build`)', () => {
  it.each([
    [['a.pdf', '--size', '30']],
    [['a.pdf', '--json', '--regions']],
    [['a.pdf', '--view']],
    [['a.pdf', '--html-pages']],
    [['a.pdf', 'locked.pdf', 'letter.eml', 'b.md', '--workers', '1']],
    [['cite', 'a.pdf', '--json', ...QUOTES]],
    [['cite', 'locked.pdf', ...QUOTES]],
    [['-', '--tier', 'semantic', '--embeddings']],
  ])('give what this thread gives: %j', async (argv) => {
    put('a.pdf', SMALL);
    put('locked.pdf', writePdf({ pages: [{}], password: { user: 'a', owner: 'b' } }));
    put(
      'letter.eml',
      writeMail([
        { type: 'text/plain', body: PROSE },
        { type: 'application/pdf', filename: 'a.pdf', body: SMALL },
      ]),
    );
    put('b.md', PROSE);
    const [here, there] = [await run(argv, false), await run(argv, true)];
    expect({ ...there, records: undefined }).toEqual({ ...here, records: undefined });
    expect(here.stdout + here.stderr).toMatch(/pilots|iVBOR|encrypted/);
  });

  it('are read by the one engine of OCR', async () => {
    const pages = await openPages(writePdf({ pages: [{ lines: ['The tide turns at noon.'] }] }));
    const drawn = await pages.drawPage(1, 200 / 72);
    await pages.close();
    const picture = { width: drawn.width, height: drawn.height, pixels: greyPixels(drawn) };
    put('scan.pdf', writeScans([{ width: 600, height: 800, picture }]));
    const { code, stderr, records } = await run(['scan.pdf', '--ocr'], true);
    expect([code, stderr]).toEqual([0, '']);
    expect(records().map(({ text }) => text)).toEqual(['The tide turns at noon.']);
  });

  it.each([[['--workers', '1']], [['--workers', '2']]])(
    'fail alone, by name, when a page takes longer than --timeout: %j',
    async (options) => {
      put('docs/a.pdf', SMALL);
      put('docs/hostile.pdf', slowPdf());
      put('docs/z.md', 'High water.');
      const argv = ['docs', '--timeout', '5', '--format', 'text', ...options];
      const { code, stdout, stderr } = await run(argv, true);
      expect(stderr).toBe(
        'grainline: docs/hostile.pdf: The document needs more memory or time than is allowed: a page took longer than 5 s; --timeout gives it more. Cut it into parts, or save it in another format. (too_complex)\n',
      );
      expect([code, stdout.includes(QUOTES[0] ?? ''), stdout.includes('High water.')]).toEqual([
        1,
        true,
        true,
      ]);
    },
  );

  it('fail alone in a load', async () => {
    put('docs/a.pdf', SMALL);
    put('docs/hostile.pdf', slowPdf());
    const { code, stderr } = await run(['load', 'docs', '--to', `memory:${folder}`, '--timeout', '5'], true);
    expect(stderr).toContain('docs/hostile.pdf: The document needs more memory or time than is allowed');
    expect(stderr).toContain('2 documents: 1 added, 0 changed, 0 unchanged, 1 failed');
    expect(code).toBe(1);
  });

  // PDFium is inside one call when the signal comes: by then the process has worked longer than it takes to start.
  it.skipIf(process.platform === 'win32').each([
    ['SIGINT', 130, 'a.pdf --out out'],
    ['SIGINT', 130, '- --view'],
    ['SIGTERM', 143, 'b.md a.pdf c.md --workers 2'],
    ['SIGTERM', 143, 'eval a.pdf'],
    ['SIGINT', 130, 'load a.pdf --watch --to memory:x'],
  ] as const)('end at %s with %i: %s', async (signal, code, command) => {
    put('a.pdf', slowPdf());
    put('b.md');
    put('c.md');
    const child = spawn(
      'bash',
      ['-c', `exec "$0" "$@" <a.pdf >out.txt`, process.execPath, BIN, ...command.split(' ')],
      {
        cwd: folder,
        stdio: 'ignore',
        env: { ...process.env, XDG_STATE_HOME: join(folder, '.state') },
      },
    );
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const watch = setInterval(() => {
      const { stdout } = spawnSync('ps', ['-o', 'time=', '-p', String(child.pid)], { encoding: 'utf8' });
      const [seconds = 0, minutes = 0] = stdout.trim().split(':').map(Number).reverse();
      if (60 * minutes + seconds >= 3) child.kill(signal);
    }, 100);
    const result = await ended;
    clearInterval(watch);
    expect(result).toBe(code);
    if (existsSync(join(folder, 'out'))) expect(readdirSync(join(folder, 'out'))).toEqual(['.grainline']);
    // Whole lines, of the files before the PDF.
    expect(get('out.txt')).toMatch(/^(?:\{.*\}\n)*$/);
  });
});
