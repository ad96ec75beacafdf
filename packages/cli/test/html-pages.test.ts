// The page of --html-pages: pictures of the pages that were read, the boxes of every chunk on them, and no markup of a
// document.
import { createHash } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import { chunkSync, regionsOf } from '@grainline/core';
import { extract } from '@grainline/extract';
import { openPages } from '@grainline/extract/pages';
import { cases } from '@grainline/testing/cases';
import { writePdf } from '@grainline/testing/pdf-writer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawPages } from '../src/local/draw-pages.ts';
import { pngOf } from '../src/output/png.ts';
import { grainline, put, useFolder } from './command.ts';

useFolder();

const PDF = writePdf({
  pages: ['Tides', 'Winds', 'Currents'].map((word) => ({
    lines: [`${word} turn twice a day.`, `Pilots wait for <${word}>, and so do ships.`],
  })),
});

/** Width, height and samples of a PNG file: an independent reading of the format. */
function decoded(file: Buffer): { width: number; height: number; rows: number[][] } {
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < file.length;) {
    const length = file.readUInt32BE(at);
    chunks.set(file.toString('latin1', at + 4, at + 8), file.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const header = chunks.get('IHDR')!;
  const [width, height, samples] = [header.readUInt32BE(0), header.readUInt32BE(4), header[9] === 0 ? 1 : 3];
  const data = inflateSync(chunks.get('IDAT')!);
  const rows: number[][] = [];
  for (let row = 0; row < height; row++) {
    const from = row * (width * samples + 1);
    expect(data[from]).toBe(2);
    const above = rows.at(-1) ?? [];
    rows.push(
      Array.from(
        data.subarray(from + 1, from + 1 + width * samples),
        (at, x) => (at + (above[x] ?? 0)) % 256,
      ),
    );
  }
  return { width, height, rows };
}

describe('pngOf', () => {
  it('keeps every pixel, grey or coloured', () => {
    const pictures = fc
      .tuple(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 12 }),
        fc.boolean(),
        fc.infiniteStream(fc.nat(255)),
      )
      .map(([width, height, isGrey, bytes]) => {
        const pixels = new Uint8ClampedArray(4 * width * height).fill(255);
        for (let at = 0; at < pixels.length; at += 4)
          for (let sample = 0; sample < 3; sample++)
            pixels[at + sample] = isGrey && sample > 0 ? pixels[at]! : Number(bytes.next().value);
        return { width, height, pixels, isGrey };
      });
    const holds = fc.property(pictures, ({ isGrey, ...picture }) => {
      const { width, height, rows } = decoded(pngOf(picture));
      expect([width, height]).toEqual([picture.width, picture.height]);
      const samples = picture.pixels.filter((_, at) => at % 4 < (isGrey ? 1 : 3));
      const flat = rows.flat();
      // A picture may be grey by chance.
      if (flat.length === samples.length) expect(flat).toEqual([...samples]);
      else expect(flat).toEqual([...picture.pixels.filter((_, at) => at % 4 === 0)]);
    });
    fc.assert(holds, cases(100));
  });
});

describe('grainline --html-pages', () => {
  it('shows each page with its picture and the boxes of its chunks, which lead to their texts', async () => {
    put('a.pdf', PDF);
    const { code, stdout, stderr } = await grainline('a.pdf --html-pages --size 40 --quiet');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.match(/<figcaption>Page \d+<\/figcaption>/g)).toHaveLength(3);
    const document = await extract(PDF, { regions: true });
    const chunks = chunkSync(document, { tier: 'structure', size: 40 });
    const figures = stdout.split('<figure>').slice(1);
    for (const [index, chunk] of chunks.entries()) {
      const boxes = regionsOf(document, chunk);
      expect(boxes.length).toBeGreaterThan(0);
      const { page, x0, y0 } = boxes[0]!;
      const own = new RegExp(
        `<a class="h${index % 5}" id="a.pdf-${index}-box" href="#a.pdf-${index}">.*`,
      ).exec(figures[page - 1]!)?.[0];
      expect(own).toContain(
        `<rect x="${Math.round(100 * (x0 - 1)) / 100}" y="${Math.round(100 * (y0 - 1)) / 100}"`,
      );
      expect(figures[page - 1]).toContain(`<a href="#a.pdf-${index}-box">${index}</a>`);
    }
    expect(stdout.match(/<rect /g)).toHaveLength(
      chunks.flatMap((chunk) => regionsOf(document, chunk)).length,
    );
    const { width, height } = (await openPages(PDF)).sizes[0]!;
    for (const figure of figures) {
      expect(figure).toContain(`viewBox="0 0 ${width} ${height}"`);
      const png = Buffer.from(/base64,([\w+/=]+)"/.exec(figure)![1]!, 'base64');
      const { rows } = decoded(png);
      // White paper with something dark on it.
      expect(rows[0]!.every((sample) => sample === 255)).toBe(true);
      expect(rows.some((row) => row.some((sample) => sample < 100))).toBe(true);
    }
  });

  it('draws the pages that --pages names, and shows no others', async () => {
    put('a.pdf', PDF);
    const { stdout } = await grainline('a.pdf --html-pages --pages 2-3 --quiet');
    expect(stdout.match(/<figcaption>Page \d+/g)).toEqual(['<figcaption>Page 2', '<figcaption>Page 3']);
    expect(stdout).not.toContain('Tides');
  });

  it('lets a browser load the pictures in the file alone, and no content becomes markup', async () => {
    put('a.pdf', PDF);
    const { stdout } = await grainline('a.pdf --html-pages --quiet');
    const style = /<style>(.*?)<\/style>/s.exec(stdout)?.[1] ?? '';
    const digest = createHash('sha256').update(style).digest('base64');
    expect(stdout).toContain(`content="default-src 'none'; style-src 'sha256-${digest}'; img-src data:"`);
    expect(stdout).not.toMatch(/<(?:script|Tides)|style="/);
    expect(stdout).toContain('&lt;Tides&gt;');
  });

  it('shows documents without pages as --html does', async () => {
    put('a.md', '# Tides\n\nThey turn twice a day.');
    const { stdout } = await grainline('a.md --html-pages');
    expect(stdout).toContain('<article class="h0" id="a.md-0">');
    expect(stdout).not.toContain('<figure>');
  });

  it('leaves pages blank above the limit, and says from which on and what to do', async () => {
    const document = await extract(PDF, { regions: true });
    const options = { password: undefined, signal: new AbortController().signal, onPage: () => undefined };
    const all = await drawPages(PDF, document, options);
    const [first] = all!.pages;
    const some = await drawPages(PDF, document, { ...options, maxBytes: first!.picture!.length });
    expect(some!.pages.map(({ picture }) => picture !== undefined)).toEqual([true, false, false]);
    expect(some!.warnings).toEqual([
      expect.objectContaining({
        code: 'pages_not_drawn',
        message: expect.stringMatching(/From page 2 on.*--pages/) as string,
      }),
    ]);
    expect(all!.warnings).toEqual([]);
    expect(await drawPages(PDF, await extract(PDF), options)).toBeUndefined();
  });

  it('is refused with a format, with another layout, and for a service', async () => {
    for (const more of ['--format qdrant', '--html', '--remote http://127.0.0.1:1'])
      expect((await grainline(`a.pdf --html-pages ${more}`)).code).toBe(2);
  });
});
