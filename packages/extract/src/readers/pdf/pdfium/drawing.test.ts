import { drawLines, writePdf } from '@grainline/testing/pdf-writer';
import { describe, expect, it } from 'vitest';
import { extract } from '../../../extract.ts';
import { withPdfium } from './engine.ts';
import { MAX_PIXELS, openPages, type PagePicture } from './drawing.ts';

/** A black square of 100 points, with its lower left corner at (x, y) of a page of 600 by 800. */
const square = (x: number, y: number): string => `0 0 0 rg ${x} ${y} 100 100 re f`;

/** Red, green, blue and alpha of a pixel. */
function pixelAt({ width, pixels }: PagePicture, x: number, y: number): number[] {
  const at = 4 * (y * width + x);
  return [...pixels.subarray(at, at + 4)];
}

const [BLACK, WHITE] = [
  [0, 0, 0, 255],
  [255, 255, 255, 255],
];

describe('openPages', () => {
  it('draws each page at its size and scale, on white', async () => {
    const pages = await openPages(
      writePdf({
        pages: [
          { content: square(0, 700) },
          { content: square(0, 700), entries: '/Rotate 90' },
          { content: square(0, 700), entries: '/CropBox[0 600 200 800]' },
        ],
      }),
    );
    expect(pages.sizes).toEqual([
      { width: 600, height: 800 },
      { width: 800, height: 600 },
      { width: 200, height: 200 },
    ]);
    const upright = await pages.drawPage(1, 0.5);
    expect([upright.width, upright.height, upright.pixels.length]).toEqual([300, 400, 4 * 300 * 400]);
    expect(pixelAt(upright, 25, 25)).toEqual(BLACK);
    expect(pixelAt(upright, 75, 25)).toEqual(WHITE);
    expect(pixelAt(upright, 25, 375)).toEqual(WHITE);
    // A quarter turn clockwise brings the upper left corner to the upper right one.
    const turned = await pages.drawPage(2, 0.5);
    expect([turned.width, turned.height]).toEqual([400, 300]);
    expect(pixelAt(turned, 375, 25)).toEqual(BLACK);
    expect(pixelAt(turned, 25, 25)).toEqual(WHITE);
    const cropped = await pages.drawPage(3, 2);
    expect([cropped.width, cropped.height]).toEqual([400, 400]);
    expect(pixelAt(cropped, 199, 199)).toEqual(BLACK);
    expect(pixelAt(cropped, 201, 201)).toEqual(WHITE);
    await pages.close();
    await expect(pages.drawPage(1, 1)).rejects.toThrow('closed');
  });

  it('has red before blue', async () => {
    const pages = await openPages(writePdf({ pages: [{ content: '1 0 0 rg 0 0 600 800 re f' }] }));
    expect(pixelAt(await pages.drawPage(1, 0.1), 5, 5)).toEqual([255, 0, 0, 255]);
    await pages.close();
  });

  it('draws what a form field holds', async () => {
    const inkIn = async (fields: Record<string, string>): Promise<number> => {
      const pages = await openPages(writePdf({ pages: [{ lines: ['Name'], fields }] }));
      const { pixels } = await pages.drawPage(1, 1);
      await pages.close();
      return pixels.filter((value) => value < 128).length;
    };
    expect(await inkIn({ name: 'Ebb and flood' })).toBeGreaterThan(await inkIn({ name: '' }));
  });

  it('opens by a password, and says that one is missing or wrong', async () => {
    const password = { user: 'ebb', owner: 'flood' };
    const bytes = writePdf({ pages: [{ content: square(0, 700) }], password });
    await expect(openPages(bytes)).rejects.toMatchObject({ code: 'encrypted' });
    await expect(openPages(bytes, { password: 'neap' })).rejects.toMatchObject({ code: 'wrong_password' });
    const pages = await openPages(bytes, { password: 'ebb' });
    expect(pixelAt(await pages.drawPage(1, 0.5), 25, 25)).toEqual(BLACK);
    await pages.close();
  });

  it('draws no picture above its bound, at whatever scale and shape of the page', async () => {
    for (const box of ['/MediaBox[0 0 600 800]', '/MediaBox[0 0 14000 1]', '/MediaBox[0 0 1 14000]']) {
      const pages = await openPages(writePdf({ pages: [{ lines: ['Tide'], entries: box }] }));
      const { width, height, pixels } = await pages.drawPage(1, 1e6);
      expect(width * height).toBeLessThanOrEqual(MAX_PIXELS);
      expect(width * height).toBeGreaterThan(MAX_PIXELS / 2);
      expect(pixels.length).toBe(4 * width * height);
      const smallest = await pages.drawPage(1, 1e-6);
      expect([smallest.width, smallest.height]).toEqual([1, 1]);
      await pages.close();
    }
  });

  it('gives back the memory of each picture, page and file', async () => {
    const bytes = writePdf({ pages: [{ lines: ['The tide turns.'], fields: { port: 'Ebb' } }] });
    const memoryAfter = async (rounds: number): Promise<number> => {
      for (let round = 0; round < rounds; round++) {
        const pages = await openPages(bytes);
        await pages.drawPage(1, 1);
        await pages.close();
      }
      return withPdfium((pdfium) => Promise.resolve(pdfium.memoryBytes()));
    };
    const before = await memoryAfter(3);
    expect(await memoryAfter(60)).toBe(before);
  });

  it('leaves reading free while pages are open, also to itself', async () => {
    const [one, two] = ['The tide turns.', 'The pilot boards.'].map((line) =>
      writePdf({ pages: [{ lines: [line] }] }),
    );
    const pages = await Promise.all([openPages(one!), openPages(one!)]);
    expect((await extract(two!)).text).toBe('The pilot boards.');
    const drawn = await Promise.all([
      pages[0].drawPage(1, 0.2),
      pages[1].drawPage(1, 0.2),
      extract(two!),
      pages[0].drawPage(1, 0.2),
    ]);
    expect(drawn[0].pixels).toEqual(drawn[1].pixels);
    expect(drawn[0].pixels).toEqual(drawn[3].pixels);
    await Promise.all(pages.map((each) => each.close()));
    expect((await extract(one!)).text).toBe('The tide turns.');
  });

  it('takes turns with other work, and stops a page when told to', async () => {
    // Some thousand shapes with transparency take several slices.
    const lines = Array.from({ length: 60_000 }, (_, line): [number, number, number, number] => [
      line % 600,
      0,
      600 - (line % 600),
      800,
    ]);
    const pages = await openPages(
      writePdf({ pages: [{ content: drawLines(lines) }, { content: square(0, 700) }] }),
    );
    const stop = new AbortController();
    const drawing = pages.drawPage(1, 2, { signal: stop.signal });
    setTimeout(() => stop.abort('scrolled on'), 0);
    await expect(drawing).rejects.toBe('scrolled on');
    expect(pixelAt(await pages.drawPage(2, 0.5), 25, 25)).toEqual(BLACK);
    await pages.close();
  });

  it('repairs a damaged file as reading does, and says which page does not load', async () => {
    const bytes = writePdf({ pages: [{ lines: ['The tide turns.'] }, { lines: ['The pilot boards.'] }] });
    const end = Buffer.from(bytes).lastIndexOf('xref');
    const cut = await openPages(bytes.subarray(0, end - 200));
    expect(cut.sizes[0]).toEqual({ width: 600, height: 800 });
    await cut.drawPage(1, 0.1);
    await cut.close();
    const holed = await openPages(
      writePdf({
        pages: [{ lines: ['One'] }, { lines: ['Two'] }],
        kids: '10 0 R 999 0 R 20 0 R',
        claimedPages: 3,
      }),
    );
    expect(holed.sizes.map((size) => size !== undefined)).toEqual([true, false, true]);
    await expect(holed.drawPage(2, 1)).rejects.toMatchObject({ code: 'corrupted' });
    await expect(holed.drawPage(4, 1)).rejects.toMatchObject({ code: 'corrupted' });
    await holed.drawPage(3, 0.1);
    await holed.close();
    await expect(openPages(new TextEncoder().encode('%PDF-1.7 nothing'))).rejects.toMatchObject({
      code: 'corrupted',
    });
  });
});
