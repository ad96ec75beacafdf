// What a browser gets: the entries bundled from their sources, their size, and that they run where there is no Node.
import path from 'node:path';
import vm from 'node:vm';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

const SOURCES = path.resolve(import.meta.dirname, '../src');

/** Entries with the most that their minified bundle may weigh, in bytes of gzip, and a call that they must answer. */
const ENTRIES = [
  { entry: 'free.ts', limit: 5_000, call: "bundle.chunkFree('one two 👩‍🚀👩‍🚀', { size: 7 })" },
  { entry: 'index.ts', limit: 47_300, call: "bundle.chunkSync('one two 👩‍🚀👩‍🚀', { size: 7 })" },
] as const;

async function bundle(entry: string): Promise<{ code: string; imports: string[] }> {
  const built = await build({
    entryPoints: [path.join(SOURCES, entry)],
    bundle: true,
    minify: true,
    charset: 'utf8',
    write: false,
    metafile: true,
    format: 'iife',
    globalName: 'bundle',
    platform: 'browser',
    target: 'es2023',
  });
  const inputs = Object.values(built.metafile.inputs);
  return {
    code: built.outputFiles[0]?.text ?? '',
    imports: inputs.flatMap((input) => input.imports.map(({ path: from }) => from)),
  };
}

describe.each(ENTRIES)('the bundle of $entry', ({ entry, limit, call }) => {
  it(`weighs at most ${limit} bytes`, async () => {
    const { code } = await bundle(entry);
    const bytes = gzipSync(code, { level: 9 }).length;
    console.info(`${entry}: ${bytes} bytes gzip, ${code.length} minified`);
    expect(bytes).toBeLessThanOrEqual(limit);
  });

  it('imports nothing of Node and no package', async () => {
    const { imports } = await bundle(entry);
    expect(
      imports.filter((from) => !from.startsWith('packages/core/src/') && !from.includes('/core/src/')),
    ).toEqual([]);
  });

  it('runs without the globals of Node', async () => {
    const { code } = await bundle(entry);
    const context = vm.createContext(Object.create(null) as object);
    const chunks: unknown = vm.runInContext(`${code};JSON.stringify(${call})`, context);
    expect(JSON.parse(String(chunks))).toEqual([
      { text: 'one two', start: 0, end: 7, overlap: 0, metadata: {} },
      { text: '👩‍🚀', start: 8, end: 13, overlap: 0, metadata: {} },
      { text: '👩‍🚀', start: 13, end: 18, overlap: 0, metadata: {} },
    ]);
    expect(vm.runInContext('typeof process + typeof Buffer + typeof require', context)).toBe(
      'undefined'.repeat(3),
    );
  });
});
