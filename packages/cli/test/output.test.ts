// The output of the command: every format, counts, the view for reading, and every encoding of the input.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chunkSync } from '@grainline/core';
import { FORMATS, type FormatId, toRecords } from '@grainline/core/formats';
import { extract } from '@grainline/extract';
import { describe, expect, it } from 'vitest';
import { writePdf } from '@grainline/testing/pdf-writer';
import { folder, grainline, PROSE, put, useFolder } from './command.ts';
import { type FakeIo, fakeStream } from './fake-io.ts';

useFolder();

describe('chunks on standard output', () => {
  it('are raw records, a line each, that name their document', async () => {
    put('a.txt');
    const { code, records, stderr } = await grainline('a.txt --tier free --size 200 --overlap 20');
    const chunks = chunkSync(PROSE, { tier: 'free', size: 200, overlap: 20, kind: 'text' });
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
      const chunks = chunkSync(document, { tier: 'free', size: 300 });
      const expected = toRecords(chunks, format, {
        documentId: 'a.txt',
        filename: 'a.txt',
        contentType: 'text/plain',
        reader: document.reader,
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
        reader: expect.stringMatching(/^txt-\d+$/) as string,
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

  it('that is unknown is wrong use, and is named', async () => {
    put('a.txt', 'Text.');
    const { code, stderr } = await grainline('a.txt --charset latin-0');
    expect(code).toBe(2);
    expect(stderr).toMatch(
      '--charset must name an encoding, as windows-1252, koi8-r or shift_jis do, but is "latin-0"',
    );
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
