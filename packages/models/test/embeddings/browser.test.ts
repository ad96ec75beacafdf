// The built-in embedder as a web page gets it: bundled from its sources and run without Node.
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import vm from 'node:vm';
import { build, type BuildOptions, type Metafile, type OutputFile } from 'esbuild';
import { chunk } from '@grainline/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PACKED } from '../../src/embeddings/data/static.ts';
import { staticEmbedder } from '../../src/embeddings/static.ts';

const PACKAGE = path.resolve(import.meta.dirname, '../..');
const TEXT = [
  'The vessel left the harbour at dawn. Its crew had loaded salt and rope. The captain watched the tide.',
  'Flour and water make a dough. The baker lets it rise over night. A hot oven gives the loaf its crust.',
  'Naïve cafés — “so” they say — are 漢字 and emoji 👩‍🚀. Witnesses were called again by the court.',
].join(' ');

/** A page that imports the whole entry and cuts with it. */
async function bundle(options: BuildOptions): Promise<{ outputFiles: OutputFile[]; metafile: Metafile }> {
  const { outputFiles = [], metafile } = await build({
    stdin: {
      contents: "export { chunk } from '@grainline/core'; export * from './src/embeddings/index.ts';",
      resolveDir: PACKAGE,
      sourcefile: 'page.ts',
      loader: 'ts',
    },
    bundle: true,
    minify: true,
    charset: 'utf8',
    write: false,
    metafile: true,
    platform: 'browser',
    target: 'es2023',
    ...options,
  });
  return { outputFiles, metafile: metafile ?? { inputs: {}, outputs: {} } };
}

describe('the embedders in a bundle for browsers', () => {
  let code = '';
  let metafile: Metafile;
  beforeAll(async () => {
    const built = await bundle({ format: 'iife', globalName: 'page' });
    code = built.outputFiles[0]?.text ?? '';
    ({ metafile } = built);
  });
  afterAll(() => {
    setFlagsFromString('--no-js-base-64');
  });

  /** The browser globals that the entry uses. Streams return bytes of their own realm, as in a page with frames. */
  const pageOf = (): vm.Context =>
    vm.createContext({
      atob,
      TextEncoder,
      TextDecoder,
      DecompressionStream,
      AbortController,
      AbortSignal,
      Blob,
      Response,
    });

  it('import nothing of Node, and no package', () => {
    const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
    expect(imports.length).toBeGreaterThan(10);
    expect(
      imports.filter(({ external, path: from }) => external === true || from.startsWith('node:')),
    ).toEqual([]);
  });

  it.each([
    ['--no-js-base-64', 'undefined'],
    ['--js-base-64', 'function'],
  ])('embed and cut as in Node, with %s', async (flag, fromBase64) => {
    setFlagsFromString(flag);
    const page = pageOf();
    const globals = 'typeof process + typeof Buffer + typeof require + typeof fetch';
    expect(vm.runInContext(globals, page)).toBe('undefined'.repeat(4));
    expect(vm.runInContext('typeof Uint8Array.fromBase64', page)).toBe(fromBase64);
    page['text'] = TEXT;
    const cutting = `${code};page.staticEmbedder().then(async (embed) => JSON.stringify({
      vector: Array.from((await embed([text], {})).vectors[0]),
      chunks: await page.chunk(text, { tier: 'semantic', embed, size: 200, boundaries: true, embeddings: true }),
    }))`;
    const there = JSON.parse(String(await vm.runInContext(cutting, page))) as unknown;
    const embed = await staticEmbedder();
    const { vectors } = await embed([TEXT], {});
    const options = { tier: 'semantic', embed, size: 200, boundaries: true, embeddings: true } as const;
    const here = { vector: Array.from(vectors[0] ?? []), chunks: await chunk(TEXT, options) };
    expect(here.chunks.length).toBeGreaterThan(1);
    expect(there).toEqual(JSON.parse(JSON.stringify(here)));
  });

  it('keep the table in a file of its own, fetched when the embedder is', async () => {
    const { outputFiles } = await bundle({ format: 'esm', splitting: true, outdir: 'out' });
    const holding = outputFiles.filter(({ text }) => text.includes(PACKED.slice(0, 100)));
    expect(holding).toHaveLength(1);
    expect(path.basename(holding[0]?.path ?? '')).not.toBe('stdin.js');
  });
});
