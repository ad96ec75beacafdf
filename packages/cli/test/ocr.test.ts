// --ocr with Tesseract itself, on a page that is drawn here.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openPages } from '@grainline/extract/pages';
import { writePdf } from '@grainline/testing/pdf-writer';
import { greyPixels, writeScans } from '@grainline/testing/scanned-pdf';
import { beforeAll, describe, expect, it } from 'vitest';
import { describe as lineOf } from '../src/errors.ts';
import { loadOcr } from '../src/local/ocr.ts';
import { pngOf } from '../src/output/png.ts';
import { folder, grainline, grainlineWith, put, useFolder } from './command.ts';
import { fakeIo, fakeStream } from './fake-io.ts';

useFolder();

const LINES = ['The tide turns at noon and', 'the pilots board the ship.'];
const TEXT = LINES.join(' ');

/** The page as a picture, as a scanned PDF, and before a page of stripes. */
let picture: Uint8Array;
let scan: Uint8Array;
let halfReadable: Uint8Array;

beforeAll(async () => {
  const pages = await openPages(writePdf({ pages: [{ lines: LINES }] }));
  const drawn = await pages.drawPage(1, 200 / 72);
  await pages.close();
  picture = pngOf(drawn);
  const { width, height } = drawn;
  const page = { width: 600, height: 800, picture: { width, height, pixels: greyPixels(drawn) } };
  const stripes = Uint8Array.from({ length: width * height }, (_, at) => ((at % width) % 16 < 8 ? 0 : 255));
  scan = writeScans([page]);
  halfReadable = writeScans([page, { ...page, picture: { width, height, pixels: stripes } }]);
});

describe('--ocr', () => {
  it('reads the scans and the pictures of a folder, whatever the number of workers', async () => {
    put('docs/a.pdf', scan);
    put('docs/b.png', picture);
    put('docs/c.md', 'High water.');
    const stderr = fakeStream({ isTTY: true, columns: 120 });
    const { code, records } = await grainline('docs --ocr --workers 3 -f qdrant', { stderr });
    expect(records().map(({ payload }) => payload)).toMatchObject([
      { document_id: 'docs/a.pdf', text: TEXT },
      { document_id: 'docs/b.png', content_type: 'image/png', text: TEXT },
      { document_id: 'docs/c.md', text: 'High water.' },
    ]);
    expect(code).toBe(0);
    expect(stderr.text()).toContain('scanned page 1 of 1');
  });

  it('reads a picture from standard input, in the languages that it names', async () => {
    const { code, stderr, records } = await grainline('- --ocr=eng', { input: picture });
    expect([code, stderr]).toEqual([0, '']);
    expect(records().map(({ text }) => text)).toEqual([TEXT]);
  });

  it('shows the warnings of pages that cannot be read', async () => {
    put('a.pdf', halfReadable);
    const { code, stderr, records } = await grainline('a.pdf --ocr');
    expect(code).toBe(0);
    expect(stderr).toMatch(/^grainline: a\.pdf: .*\(ocr_unreadable\)\n$/);
    expect(records().map(({ text }) => text)).toEqual([TEXT]);
  });

  it('is a part of what --out compares', async () => {
    put('docs/a.md', 'High water.');
    const runs = ['', '--ocr', '--ocr', '--ocr=eng'];
    const ended: string[] = [];
    for (const option of runs) ended.push((await grainline(`docs --out out ${option}`)).stderr);
    expect(ended.map((stderr) => /\d+ unchanged/.exec(stderr)?.[0])).toEqual([
      '0 unchanged',
      '0 unchanged',
      '1 unchanged',
      '1 unchanged',
    ]);
    expect(readdirSync(join(folder, 'out/docs'))).toEqual(['a.md.jsonl']);
  });

  it('is needed: without it scans are refused, and pictures are no inputs', async () => {
    put('docs/a.pdf', scan);
    put('docs/b.png', picture);
    const { code, stdout, stderr } = await grainline('docs docs/b.png');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      /^grainline: docs\/a\.pdf: .*\(no_text\)\ngrainline: docs\/b\.png: .*\(unsupported_type\)\n$/,
    );
    put('pictures/b.png', picture);
    expect((await grainline('pictures')).stderr).toMatch(/\(no_files\)\n$/);
  });

  it('goes with cite, eval and load', async () => {
    put('docs/a.pdf', scan);
    put('docs/b.png', picture);
    const run = (...argv: string[]) =>
      grainlineWith(argv, fakeIo(folder, { environment: { XDG_STATE_HOME: join(folder, '.state') } }));
    const cited = await run('cite', '--ocr', 'docs/a.pdf', 'pilots board the ship');
    expect(cited).toMatchObject({ code: 0, stderr: '' });
    expect(cited.stdout).toMatch(/^1\.00 {2}page 1 /);
    const question = { question: 'Who boards the ship?', document: 'a.pdf', answer: 'pilots board' };
    put('q.jsonl', JSON.stringify(question));
    const words = 'eval docs --ocr --questions q.jsonl --tier free --size 300 --search bm25 --json';
    const { documents } = JSON.parse((await run(...words.split(' '))).stdout) as { documents: unknown };
    expect(JSON.stringify(documents)).toContain('b.png');
    const to = ['--to', `memory:${folder}`];
    expect((await run('load', 'docs', '--ocr', ...to)).stderr).toContain('2 documents: 2 added');
    expect((await run('search', '--from', `memory:${folder}`, 'the tide', '--json')).records()).toHaveLength(
      2,
    );
    // Without OCR the load has other settings, so that the scan is read again.
    expect((await run('load', 'docs', '--dry-run', ...to)).stdout).toContain('1 failed');
  });

  it('says what to install', async () => {
    put('a.pdf', scan);
    expect(await grainline('a.pdf --ocr=eng+xyz')).toMatchObject({
      code: 1,
      stdout: '',
      stderr:
        'grainline: The data of the language xyz is not installed. Run: npm install @tesseract.js-data/xyz. (language_missing)\n',
    });
    const missing = Object.assign(new Error("Cannot find package '@grainline/ocr' imported from /x"), {
      code: 'ERR_MODULE_NOT_FOUND',
    });
    const error: unknown = await loadOcr('eng', () => Promise.reject(missing)).catch(
      (reason: unknown) => reason,
    );
    expect(lineOf(error)).toMatch(/install it with: npm install @grainline\/ocr, .* \(ocr_missing\)$/);
    const broken = new Error('broken');
    await expect(loadOcr('eng', () => Promise.reject(broken))).rejects.toBe(broken);
  });

  it.each([
    ['a.pdf --ocr=../eng', '--ocr must name languages, as --ocr=deu+eng does, but is "../eng".'],
    ['a.pdf --ocr=', '--ocr must name languages, as --ocr=deu+eng does, but is "".'],
    ['a.pdf --ocr --remote http://127.0.0.1:1', '--ocr does not go with --remote.'],
  ])('rejects %s', async (argv, issue) => {
    put('a.pdf', scan);
    const { code, stderr } = await grainline(argv);
    expect(code).toBe(2);
    expect(stderr).toContain(`grainline: ${issue}\n`);
  });

  it('explains languages without an equals sign', async () => {
    expect(await grainline('--ocr deu+eng')).toMatchObject({
      code: 1,
      stderr:
        'grainline: deu+eng: There is no such file or folder. Did you mean --ocr=deu+eng? (not_found)\n',
    });
  });
});
