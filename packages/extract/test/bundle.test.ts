// The readers in a bundle that lies elsewhere, with none of its packages beside it.
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Format } from 'esbuild';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { extract } from '../src/index.ts';
import { writePdf } from '@grainline/testing/pdf-writer';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'grainline-bundle-'))));
afterEach(() => rmSync(folder, { recursive: true }));

it.each<[Format, string]>([
  ['esm', 'mjs'],
  ['cjs', 'cjs'],
])('bundled as %s it reads text, and says of PDFs what to do', async (format, ending) => {
  const outfile = join(folder, `bundle.${ending}`);
  const entry = join(import.meta.dirname, '../src/index.ts');
  const settings = { bundle: true, platform: 'node', outfile, format, logLevel: 'silent' } as const;
  await build({ ...settings, entryPoints: [entry] });
  const bundle = (
    format === 'esm' ? await import(pathToFileURL(outfile).href) : createRequire(outfile)(outfile)
  ) as { extract: typeof extract };
  expect((await bundle.extract(Buffer.from('Some text.'))).text).toBe('Some text.');
  const reading = bundle.extract(writePdf({ pages: [{ lines: ['One.'] }] }));
  await expect(reading).rejects.toThrow('leave @grainline/extract out as a package beside it');
});
