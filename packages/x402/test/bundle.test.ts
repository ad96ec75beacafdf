// Size of a server's bundle: the gate and a chain from their sources, with their dependencies.
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

const SOURCES = path.resolve(import.meta.dirname, '../src');

async function bundle(...entries: string[]): Promise<{ bytes: number; packages: Set<string> }> {
  const built = await build({
    stdin: {
      contents: entries.map((entry) => `export * from './${entry}';`).join('\n'),
      resolveDir: SOURCES,
    },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'es2023',
  });
  const inputs = Object.values(built.metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  const packages = inputs.flatMap(([input, { bytesInOutput }]) =>
    bytesInOutput === 0
      ? []
      : (/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/.exec(input)?.[1] ?? []),
  );
  return {
    bytes: gzipSync(built.outputFiles[0]?.contents ?? '', { level: 9 }).length,
    packages: new Set(packages),
  };
}

describe('the bundle of a server', () => {
  it('is small, and of Solana it has parts of the kit alone', async () => {
    const { bytes, packages } = await bundle('index.ts', 'chains/solana/index.ts');
    console.info(`the gate and Solana: ${bytes} bytes gzip`);
    expect(bytes).toBeLessThanOrEqual(60_000);
    for (const name of packages) expect(name).toMatch(/^@solana(?:-program)?\//);
  });

  it('knows no chain in the gate', async () => {
    const { bytes, packages } = await bundle('index.ts');
    console.info(`the gate: ${bytes} bytes gzip`);
    expect(bytes).toBeLessThanOrEqual(11_500);
    expect([...packages]).toEqual([]);
  });
});
