// Files of office programs made to break readers: archives that lie, XML that explodes, references that loop, tables
// that repeat without end. Each ends in a coded error or in its text within the bounds of the service.
import { writeZip, type ZipEntry } from '@grainline/testing/docx-writer';
import { ARCHIVES } from '@grainline/testing/hostile/archives';
import { OFFICE_DOCUMENTS } from '@grainline/testing/hostile/office';
import { openCell, openPara, openRow, writeOpenDocument } from '@grainline/testing/open-document-writer';
import { slideShape, writePptx } from '@grainline/testing/pptx-writer';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { outcomeOf } from './laws.ts';

const fetched = vi.fn(() => Promise.reject(new Error('A reader fetches nothing.')));
beforeEach(() => vi.stubGlobal('fetch', fetched));
afterEach(() => {
  vi.unstubAllGlobals();
  expect(fetched).not.toHaveBeenCalled();
});

/** The reader has no bound on the length of a text; the service has. */
const TOO_LONG = '413 too_many_characters';

it.each(OFFICE_DOCUMENTS)(
  '$kind of $name ends as expected',
  { timeout: 120_000 },
  async ({ filename, bytes, expected, marks }) => {
    const outcome = await outcomeOf(bytes(), filename);
    if (expected === TOO_LONG) expect(outcome.length).toBeGreaterThan(1_000_000);
    else if (typeof expected === 'string') expect(outcome).toBe(expected.replace(/^\d+/, 'error'));
    else expect(outcome).toMatch(expected);
    if (marks !== undefined) expect(outcome.match(/x/g)?.length).toBe(marks);
  },
);

describe.each(Object.entries(ARCHIVES))('%s', (kind, { entries, main, damaged }) => {
  const mainChanged = (change: Partial<ZipEntry>): Uint8Array =>
    writeZip(entries.map((entry) => (entry.name === main ? { ...entry, ...change } : entry)));

  it('cut anywhere is corrupted, or a coded error', async () => {
    const whole = writeZip(entries);
    for (let length = 0; length < whole.length; length += 97)
      expect(await outcomeOf(whole.subarray(0, length), `a.${kind}`)).toMatch(
        /^error (?:corrupted|empty_document|unsupported_type)$/,
      );
  });

  it('with any one byte changed in its directory keeps its text or ends in a code', async () => {
    const whole = writeZip(entries);
    const sound = await outcomeOf(whole, `a.${kind}`);
    for (let at = whole.length - 500; at < whole.length; at += 3) {
      const bytes = Uint8Array.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ 0xff;
      const outcome = await outcomeOf(bytes, `a.${kind}`);
      if (!outcome.startsWith('error ')) expect(outcome).toBe(sound);
    }
  });

  it('with broken XML is damaged', async () => {
    for (const content of ['', 'text', '<a', '<a></b>', '\0\0'])
      expect(await outcomeOf(mainChanged({ content }))).toBe(damaged.replace(/^\d+/, 'error'));
  });

  it('with an encrypted part is encrypted', async () => {
    const bytes = mainChanged({ flags: 1 });
    expect(await outcomeOf(bytes)).toBe(kind === 'pptx' ? 'error empty_document' : 'error encrypted');
  });
});

describe('a presentation', () => {
  it('of layouts with many placeholders costs what it holds', async () => {
    const placeholders = Array.from({ length: 20_000 }, (_, n) =>
      slideShape('x', { placeholder: 'body', idx: String(n) }),
    ).join('');
    const bytes = writePptx({ slides: [{ shapes: placeholders }], layout: { shapes: placeholders } });
    expect((await outcomeOf(bytes)).match(/x/g)?.length).toBe(20_000);
  });
});

describe('an OpenDocument file', () => {
  const read = (body: string): Promise<string> => outcomeOf(writeOpenDocument({ kind: 'text', body }));

  it('whose rows and cells repeat without end is cut at its bound', async () => {
    const claim = 'table:number-columns-repeated="99999999"';
    const rows = 'table:number-rows-repeated="99999999"';
    const table = (content: string): string => `<table:table>${content}</table:table>`;
    const wide = await read(table(openRow([openCell('x', claim)])));
    expect(wide.match(/x/g)?.length).toBeGreaterThan(1000);
    const both = await read(table(openRow([openCell('x', claim)], rows)) + openPara('after'));
    expect(both).toContain('after');
    const empty = await read(table(openRow([openCell('', claim)], rows) + openRow([openCell('x')])));
    expect(empty).toBe('x');
  });

  it('of spans, sections and tables in one another keeps its text', async () => {
    const deep = (open: string, close: string, inside: string, times = 50_000): string =>
      open.repeat(times) + inside + close.repeat(times);
    expect(await read(openPara(deep('<text:span>', '</text:span>', 'x')))).toBe('x');
    expect(await read(deep('<text:section>', '</text:section>', openPara('x')))).toBe('x');
    const table = '<table:table><table:table-row><table:table-cell>';
    expect(
      await read(deep(table, '</table:table-cell></table:table-row></table:table>', openPara('x'), 2000)),
    ).toContain('x');
  });

  it('of spaces without end is one blank', async () => {
    expect(await read(openPara(`a<text:s text:c="999999999"/>b`))).toBe('a b');
  });
});
