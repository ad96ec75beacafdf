import { chunkSync } from '@grainline/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { downloadOf, type DownloadKind } from './download.ts';
import { cutsOf } from '../document/chunks.ts';

function downloaded(kind: DownloadKind, text: string, size = 40) {
  const chunks = chunkSync(text, { size });
  const records = chunks.map((chunk, index) => ({ id: String(index), text: chunk.text }));
  const of = { filename: 'tide.report.pdf', tier: 'free', text, cuts: cutsOf(chunks), records };
  return { chunks, records, download: downloadOf(kind, of) };
}

/** A strict parser of RFC 4180. */
function readCsv(csv: string): string[][] {
  const rows: string[][] = [[]];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  for (const [, quoted, plain, end] of csv.matchAll(cell)) {
    rows.at(-1)?.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'));
    if (end === '\r\n') rows.push([]);
  }
  return rows.slice(0, -1);
}

describe('a download', () => {
  it('of JSON and JSONL holds every record', () => {
    const { records, download } = downloaded('json', 'The tide turns at noon. '.repeat(20));
    expect(JSON.parse(download.content)).toEqual(records);
    expect(download.filename).toBe('tide.report.free.json');
    const lines = downloaded('jsonl', 'The tide turns at noon. '.repeat(20)).download.content;
    expect(
      lines
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual(records);
  });

  it('of CSV is read back as it was, whatever the text holds', () => {
    const awkward = fc
      .array(fc.constantFrom('a', '"', ',', '\n', '\r', ' ', '=1+1', '-', '@x', '😀', '\t'), {
        minLength: 1,
        maxLength: 80,
      })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(awkward, (text) => {
        fc.pre(text.trim() !== '');
        const { chunks, download } = downloaded('csv', text, 12);
        const [head = [], ...rows] = readCsv(download.content);
        const column = head.indexOf('text');
        expect(rows.map((row) => row[column]?.replace(/^'(?=[=+\-@\t\r])/, ''))).toEqual(
          chunks.map((chunk) => chunk.text),
        );
        for (const row of rows) expect(row[column]).not.toMatch(/^[=+\-@\t\r]/);
      }),
      cases(100),
    );
  });

  it('of Markdown holds every chunk under its boundary', () => {
    const { chunks, download } = downloaded('markdown', 'The tide turns at noon.\n\n'.repeat(9));
    expect(download.content.match(/<!-- chunk \d+: \d+ to \d+ -->/g)).toHaveLength(chunks.length);
  });
});
