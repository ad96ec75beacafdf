import { deflateSync } from 'node:zlib';
import { pageSizeOf } from '@grainline/core';
import { describe, expect, it } from 'vitest';
import { latin1 } from '../../../bytes.ts';
import { extract } from '../../../extract.ts';
import { userUnitsOf } from './user-units.ts';

/** A stream object. */
function stream(entries: string, data: string): string {
  return `<<${entries}/Length ${data.length}>>stream\n${data}\nendstream`;
}

/** Numbers and offsets of objects, then the objects, as an object stream. */
function packed(objects: readonly (readonly [number: number, body: string])[], filler = ''): string {
  let offset = 0;
  const pairs = objects.map(([number, body]) => {
    const pair = `${number} ${offset}`;
    offset += body.length + 1;
    return pair;
  });
  const head = `${pairs.join(' ')} `;
  const text = `${head}${objects.map(([, body]) => body).join('\n')}\n${filler}`;
  const data = latin1(deflateSync(Buffer.from(text, 'latin1')));
  return stream(`/Type/ObjStm/N ${objects.length}/First ${head.length}/Filter/FlateDecode`, data);
}

/** A PDF 1.7 with pages in an object stream, and a cross-reference stream. */
function packedPdf(entries: readonly string[]): Uint8Array {
  const pages = entries.map((entry, at) => {
    const body = `<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F 3 0 R>>>>/Contents 4 0 R${entry}>>`;
    return [10 + at, body] as const;
  });
  const kids = pages.map(([number]) => `${number} 0 R`).join(' ');
  const inside = [
    [1, '<</Type/Catalog/Pages 2 0 R>>'],
    [2, `<</Type/Pages/Count ${pages.length}/Kids[${kids}]>>`],
    [3, '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>'],
    ...pages,
  ] as const;
  let file = '%PDF-1.7\n';
  const offsets = new Map<number, number>();
  for (const [number, body] of [
    [4, stream('', 'BT /F 10 Tf 60 700 Td (The words of a page) Tj ET')],
    [5, packed(inside)],
  ] as const) {
    offsets.set(number, file.length);
    file += `${number} 0 obj${body}\nendobj\n`;
  }
  const table = Array.from({ length: 10 + pages.length }, (_, number) => {
    const at = inside.findIndex(([one]) => one === number);
    const offset = number === 6 ? file.length : offsets.get(number);
    const [type, field, index] = at !== -1 ? [2, 5, at] : offset === undefined ? [0, 0, 0] : [1, offset, 0];
    return String.fromCharCode(type, field >> 8, field & 255, index);
  }).join('');
  const end = `6 0 obj${stream(`/Type/XRef/Size ${table.length / 4}/W[1 2 1]/Root 1 0 R`, table)}\nendobj\n`;
  return Buffer.from(`${file}${end}startxref\n${file.length}\n%%EOF\n`, 'latin1');
}

describe('user units', () => {
  it('are those of pages in object streams too', async () => {
    const bytes = packedPdf(['/UserUnit 2.5', '', '/UserUnit 0.5/Rotate 90', '/UserUnit 0']);
    expect([...userUnitsOf(bytes)]).toEqual([
      [10, 2.5],
      [12, 0.5],
    ]);
    const document = await extract(bytes, { regions: true });
    expect([1, 2, 3, 4].map((page) => pageSizeOf(document, page))).toEqual([
      { width: 1500, height: 2000 },
      { width: 600, height: 800 },
      { width: 400, height: 300 },
      { width: 600, height: 800 },
    ]);
  });

  it('are none where an object stream is damaged, or larger than any', () => {
    const objects = [[7, '<</Type/Page/UserUnit 2>>']] as const;
    const file = (body: string): Uint8Array => Buffer.from(`5 0 obj${body}\nendobj`, 'latin1');
    expect([...userUnitsOf(file(packed(objects)))]).toEqual([[7, 2]]);
    const units = [
      packed(objects).replace('stream\nx', 'stream\ny'),
      packed(objects).replace('endstream', ''),
      packed(objects).replace('/First', '/Last'),
      packed(objects, ' '.repeat(1_000_000)),
    ].map((body) => userUnitsOf(file(body)).size);
    expect(units).toEqual([0, 0, 0, 0]);
  });

  it('take time linear in the file, whatever it holds', () => {
    const heads = '/ObjStm/UserUnit 2'.repeat(50_000);
    const nested = packed(Array.from({ length: 2000 }, (_, at) => [at, '/UserUnit 2'] as const));
    expect(userUnitsOf(Buffer.from(heads)).size).toBe(0);
    expect(userUnitsOf(Buffer.from(`5 0 obj${nested}`, 'latin1')).size).toBe(2000);
  });
});
