// The entries in a browser, bundled from their sources as a user's bundler does it: the bytes that a page fetches at
// first, the bytes that a tier fetches on its first use, and a run of all of it without Node.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';
import { gzipSync } from 'node:zlib';
import { build, type OutputFile } from 'esbuild';
import { describe, expect, it } from 'vitest';

const SOURCES = path.resolve(import.meta.dirname, '../src');

/**
 * Imports of a page, the limit of the bytes that it then fetches at first, in gzip, and a call that must work: the
 * whole of an entry, and its remainder when a page imports one function.
 */
const PAGES = [
  { name: 'free', imports: `export * from './free.ts'`, limit: 5_250, call: 'chunkFree' },
  { name: 'the main entry', imports: `export * from './index.ts'`, limit: 63_150, call: 'chunkSync' },
  { name: 'chunk', imports: `export { chunk } from './index.ts'`, limit: 57_600, call: undefined },
  { name: 'chunkSync', imports: `export { chunkSync } from './index.ts'`, limit: 56_150, call: 'chunkSync' },
] as const;

/** The most bytes of gzip that a page loads in all when it uses a tier. */
const TIERS = {
  standard: 63_450,
  professional: 67_700,
  semantic: 67_100,
  ai: 66_100,
  'ai-pro': 66_600,
};

interface Bundle {
  /** The script that a page fetches at first. */
  readonly code: string;
  /** Bytes of gzip of each file, by its name. */
  readonly sizes: ReadonlyMap<string, number>;
  /** Files of the first load. */
  readonly first: readonly string[];
  /** Files that a tier loads, with those of the first load. */
  readonly ofTier: (tier: string) => readonly string[];
  readonly imports: readonly string[];
}

const requests = new Map<string, Promise<Bundle>>();

function bundleOf(imports: string): Promise<Bundle> {
  const known = requests.get(imports) ?? bundle(imports);
  requests.set(imports, known);
  return known;
}

async function bundle(imports: string): Promise<Bundle> {
  const options = {
    absWorkingDir: SOURCES,
    stdin: { contents: imports, resolveDir: SOURCES, loader: 'ts' },
    bundle: true,
    minify: true,
    charset: 'utf8',
    write: false,
    metafile: true,
    platform: 'browser',
    target: 'es2023',
  } as const;
  const { outputFiles, metafile } = await build({
    ...options,
    format: 'esm',
    splitting: true,
    outdir: 'out',
  });
  const { outputFiles: scripts } = await build({ ...options, format: 'iife', globalName: 'bundle' });
  const outputs = Object.entries(metafile.outputs);
  const fetched = (name: string, seen = new Set<string>()): ReadonlySet<string> => {
    if (seen.has(name)) return seen;
    seen.add(name);
    for (const { path: to, kind } of metafile.outputs[name]?.imports ?? [])
      if (kind === 'import-statement') fetched(to, seen);
    return seen;
  };
  const [entry = ''] = outputs.find(([, { entryPoint }]) => entryPoint === '<stdin>') ?? [];
  const first = [...fetched(entry)];
  return {
    code: scripts[0]?.text ?? '',
    sizes: new Map(outputs.map(([name], index) => [name, gzipped(outputFiles[index])])),
    first,
    ofTier: (tier) => {
      const [file = ''] = outputs.find(([, { entryPoint }]) => entryPoint === `tiers/${tier}.ts`) ?? [];
      expect(first).not.toContain(file);
      return [...new Set([...first, ...fetched(file)])];
    },
    imports: Object.values(metafile.inputs).flatMap((input) => input.imports.map(({ path: from }) => from)),
  };
}

const gzipped = (file: OutputFile | undefined): number => gzipSync(file?.contents ?? '', { level: 9 }).length;

function weightOf({ sizes }: Bundle, files: readonly string[]): number {
  return files.reduce((sum, file) => sum + (sizes.get(file) ?? NaN), 0);
}

/** Runs an expression on a bundle where there is nothing of Node. */
function run(code: string, call: string): unknown {
  const context = vm.createContext(Object.create(null) as object);
  const answer: unknown = vm.runInContext(`${code};${call}`, context);
  expect(vm.runInContext('typeof process + typeof Buffer + typeof require', context)).toBe(
    'undefined'.repeat(3),
  );
  return answer;
}

describe.each(PAGES)('a page that imports $name', ({ name, imports, limit, call }) => {
  it(`fetches at most ${limit} bytes at first`, async () => {
    const built = await bundleOf(imports);
    const weight = weightOf(built, built.first);
    console.info(`${name}: ${weight} bytes of gzip in ${built.first.length} files`);
    expect(weight).toBeLessThanOrEqual(limit);
  });

  it('imports nothing of Node and no package', async () => {
    const built = await bundleOf(imports);
    expect(built.imports.filter((from) => from.startsWith('..') || !from.endsWith('.ts'))).toEqual([]);
  });

  it.runIf(call !== undefined)('runs without the globals of Node', async () => {
    const { code } = await bundleOf(imports);
    const chunks = run(code, `JSON.stringify(bundle.${call ?? ''}('one two 👩‍🚀👩‍🚀', { size: 7 }))`);
    expect(JSON.parse(String(chunks))).toMatchObject([
      { text: 'one two', start: 0, end: 7, overlap: 0 },
      { text: '👩‍🚀', start: 8, end: 13, overlap: 0 },
      { text: '👩‍🚀', start: 13, end: 18, overlap: 0 },
    ]);
  });
});

describe('the tiers of a page that imports the main entry', () => {
  const MAIN = PAGES[1].imports;

  it.each(Object.entries(TIERS))('%s makes it at most %i bytes in all', async (tier, limit) => {
    const built = await bundleOf(MAIN);
    const weight = weightOf(built, built.ofTier(tier));
    console.info(`${tier}: ${weight} bytes of gzip in all`);
    expect(weight).toBeLessThanOrEqual(limit);
  });

  it('weigh what the docs say', async () => {
    const built = await bundleOf(MAIN);
    const first = weightOf(built, built.first);
    const reports = (page: string, pattern: RegExp): number[] =>
      Array.from(readFileSync(path.resolve(SOURCES, '..', page), 'utf8').matchAll(pattern), ([, kB]) =>
        Number(kB),
      );
    const starts = ['../../docs/library.md', 'README.md'].flatMap((page) =>
      reports(page, /starts with (\d+) kB of gzip/g),
    );
    expect(starts).toEqual([first, first].map((bytes) => Math.round(bytes / 1000)));
    const more = reports('../../docs/library.md', /`professional`: (\d+) kB more/g);
    expect(more).toEqual([Math.round((weightOf(built, built.ofTier('professional')) - first) / 1000)]);
  });

  const CALL = `bundle.chunkSync('# Title\\n\\nText.', { tier: 'professional' }).length`;

  it('include the default tier from the start, for chunkSync', async () => {
    const { code } = await bundleOf(MAIN);
    expect(run(code, `bundle.chunkSync('# Title\\n\\nText.')[0].metadata.headingPath[0]`)).toBe('Title');
  });

  it('are not there for chunkSync until they are loaded', async () => {
    const { code } = await bundleOf(MAIN);
    const caught = run(code, `(() => { try { return ${CALL} } catch (error) { return error } })()`);
    expect(caught).toMatchObject({ code: 'tier_needs_promise' });
    expect((caught as Error).message).toContain(`loadTiers(['professional'])`);
    expect(await run(code, `bundle.loadTiers(['standard', 'professional']).then(() => ${CALL})`)).toBe(1);
  });

  it('are fetched by chunk', async () => {
    const { code } = await bundleOf(MAIN);
    const chunks = run(code, `bundle.chunk('A table.', { tier: 'professional' }).then(JSON.stringify)`);
    expect(await chunks).toContain('"text":"A table."');
  });
});
