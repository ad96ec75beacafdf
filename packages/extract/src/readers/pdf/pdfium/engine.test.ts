// The source of PDFium's binary, and the limit of its memory.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { beforeEach, expect, it, vi } from 'vitest';
import { writePdf } from '@grainline/testing/pdf-writer';

const PATH = createRequire(import.meta.url).resolve('@embedpdf/pdfium/pdfium.wasm');
const PDF = writePdf({ pages: [{ lines: ['The tide turns.'] }] });

// Each test loads PDFium anew.
beforeEach(() => void vi.resetModules());

const read = async (pdfium?: string | URL | Uint8Array | ArrayBuffer): Promise<string> => {
  const { extract } = await import('../../../extract.ts');
  return (await extract(PDF, { pdfium })).text;
};

it('loads the binary of the installed package', async () => {
  expect(await read()).toBe('The tide turns.');
});

it('loads the binary by a path, an address, or as bytes', async () => {
  const bytes = await readFile(PATH);
  const link = `data:application/wasm;base64,${bytes.toString('base64')}`;
  for (const given of [
    PATH,
    pathToFileURL(PATH),
    pathToFileURL(PATH).href,
    link,
    bytes,
    new Uint8Array(bytes).buffer,
  ]) {
    vi.resetModules();
    expect(await read(given)).toBe('The tide turns.');
  }
});

it('names the remedy when the binary does not load or start, and tries again with the next document', async () => {
  const garbage = `data:text/html,<!doctype html>`;
  for (const given of ['/nowhere/pdfium.wasm', 'http://127.0.0.1:9/pdfium.wasm', garbage, new Uint8Array(8)])
    await expect(read(given)).rejects.toThrow(/leave @grainline\/extract out .* pass its path/);
  expect(await read()).toBe('The tide turns.');
});

it('names the remedy of a page where there is no Node', async () => {
  vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
  await expect(read('http://127.0.0.1:9/pdfium.wasm')).rejects.toThrow(
    /Serve the file pdfium\.wasm .*fetch failed|fetch failed.* Serve the file pdfium\.wasm/,
  );
});

it('checks the option', async () => {
  await expect(read(5 as unknown as string)).rejects.toThrow(TypeError);
});

it('gives PDFium 512 MiB and no more', async () => {
  const { withPdfium } = await import('./engine.ts');
  const MIB = 1024 * 1024;
  await withPdfium(async (pdfium) => {
    const first = pdfium.allocate(300 * MIB);
    expect(() => pdfium.allocate(300 * MIB)).toThrow(/do not fit/);
    expect(pdfium.memoryBytes()).toBeLessThanOrEqual(512 * MIB);
    pdfium.free(first);
    expect(() => pdfium.allocate(600 * MIB)).toThrow(/do not fit/);
    await Promise.resolve();
  });
});
