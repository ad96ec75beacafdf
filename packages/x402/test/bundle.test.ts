// What a server without a facilitator loads: the gate's side and Solana, bundled from their sources, and their weight.
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

const SOURCES = path.resolve(import.meta.dirname, '../src');
/** The most that both may weigh together, minified, in bytes of gzip. */
const LIMIT = 60_000;

it(`weighs at most ${LIMIT} bytes, and brings nothing but Solana's own packages along`, async () => {
  const built = await build({
    stdin: {
      contents: "export * from './index.ts'; export * from './chains/solana/index.ts';",
      resolveDir: SOURCES,
      loader: 'ts',
    },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'es2023',
  });
  const bytes = gzipSync(built.outputFiles[0]!.contents, { level: 9 }).length;
  console.info(
    `x402 and x402/solana: ${bytes} bytes gzip, ${built.outputFiles[0]!.contents.length} minified`,
  );
  expect(bytes).toBeLessThanOrEqual(LIMIT);
  const parts = Object.entries(Object.values(built.metafile.outputs)[0]!.inputs);
  const packages = parts.flatMap(([from, { bytesInOutput }]) => {
    const name = /node_modules\/([^/]+)\//.exec(from)?.[1];
    return bytesInOutput > 0 && name !== undefined ? [name] : [];
  });
  expect(new Set(packages)).toEqual(new Set(['@solana', '@solana-program']));
});
