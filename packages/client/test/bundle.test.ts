// Size of the client in a page or an edge function, without payments.
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

const ENTRY = path.resolve(import.meta.dirname, '../src/index.ts');
const LIMIT = 8_000;

it(`the client weighs at most ${LIMIT} bytes of gzip, and imports nothing`, async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [ENTRY],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    external: ['@grainline/*'],
  });
  const bytes = gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length;
  console.info(`client: ${bytes} bytes gzip`);
  expect(bytes).toBeLessThanOrEqual(LIMIT);
  expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
});
