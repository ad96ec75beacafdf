// The formats run where there is no Node: bundled for a browser, and executed without anything that is Node's alone.
import { gzipSync } from 'node:zlib';
import { createContext, runInContext } from 'node:vm';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

it('bundle for a browser, need nothing else, and give the same ids there', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL('../../src/formats/index.ts', import.meta.url))],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'formats',
    target: 'es2023',
  });
  const [bundle] = outputFiles;
  expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
  const script = `${bundle!.text}; const chunks = [{ text: 'Hello.', start: 0, end: 6, overlap: 0, metadata: {} }];
    formats.formatChunks(chunks, 'qdrant', { documentId: 'handbook.pdf' }).records[0].id`;
  const browser = createContext({ TextEncoder });
  expect(runInContext(script, browser)).toBe('1d791121-5de4-5ac2-8a7e-f3d6b4905f5f');
  expect(gzipSync(bundle!.contents).length).toBeLessThan(10_150);
});
