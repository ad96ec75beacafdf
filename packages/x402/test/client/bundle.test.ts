// Size of the paying client, without the parts of @solana/kit.
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

const ENTRY = path.resolve(import.meta.dirname, '../../src/client/index.ts');
const LIMIT = 12_000;

it(`the client weighs at most ${LIMIT} bytes of gzip besides kit, and imports nothing of Node`, async () => {
  const built = await build({
    entryPoints: [ENTRY],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    external: ['@solana/*'],
  });
  const bytes = gzipSync(built.outputFiles[0]?.contents ?? '', { level: 9 }).length;
  console.info(`client: ${bytes} bytes gzip`);
  expect(bytes).toBeLessThanOrEqual(LIMIT);
  const outside = Object.values(built.metafile.inputs).flatMap(({ imports }) =>
    imports.filter(({ external }) => external === true).map(({ path: from }) => from),
  );
  expect(outside).toContain('@solana/kit');
  expect(outside.filter((from) => !from.startsWith('@solana/kit'))).toEqual([]);
});
