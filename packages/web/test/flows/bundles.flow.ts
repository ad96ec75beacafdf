// The library in bundles of users: an app built by each bundler reads a PDF in the page and in a worker of it.
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { chunk } from '@grainline/core';
import { extract } from '@grainline/extract';
import { chunkDocument } from '@grainline/pipeline';
import { writePdf } from '@grainline/testing/pdf-writer';
import * as esbuild from 'esbuild';
import type { Browser } from 'playwright-core';
import * as vite from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isLeftOut, openBrowser } from './browser.ts';

const PEERS = join(import.meta.dirname, '../../peers/package.json');
const MODULES = join(import.meta.dirname, '../../../../node_modules');
const PDFIUM = '@embedpdf/pdfium/dist/pdfium.wasm';
const BUILD_MS = 180_000;

const PDF = writePdf({
  pages: ['The tide turns twice a day.', 'Pilots wait outside the bar.'].map((line) => ({
    lines: Array.from({ length: 20 }, (_, at) => `${at}: ${line}`),
  })),
});

/** Builds the app in `folder` into `folder/out`. */
const BUNDLERS: Readonly<Record<string, (folder: string) => Promise<unknown>>> = {
  async vite(folder) {
    await vite.build({ root: folder, configFile: false, logLevel: 'silent', build: { outDir: 'out' } });
  },
  async webpack(folder) {
    await runWebpack({
      context: folder,
      mode: 'production',
      optimization: { minimize: false },
      entry: './main.js',
      output: { path: join(folder, 'out') },
    });
  },
  async esbuild(folder) {
    const entryPoints = ['main.js', 'worker.js'].map((name) => join(folder, name));
    await esbuild.build({
      entryPoints,
      bundle: true,
      splitting: true,
      format: 'esm',
      outdir: join(folder, 'out'),
      logLevel: 'silent',
    });
  },
};

type Webpack = (options: object, done: (error: Error | null, stats?: WebpackStats) => void) => void;
interface WebpackStats {
  hasErrors(): boolean;
  toString(options: object): string;
}

function runWebpack(options: object): Promise<void> {
  const webpack = createRequire(PEERS)('webpack') as Webpack;
  return new Promise((resolve, reject) => {
    webpack(options, (error, stats) => {
      if (error !== null) reject(error);
      else if (stats?.hasErrors() === true) reject(new Error(stats.toString({ preset: 'errors-only' })));
      else resolve();
    });
  });
}

interface Manifest {
  readonly files?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Copies a package with its dependencies, as an installation would; of our packages what they publish. */
function install(folder: string, name: string): void {
  const [from, to] = [join(MODULES, name), join(folder, 'node_modules', name)];
  if (existsSync(to)) return;
  const { files, dependencies = {} } = JSON.parse(
    readFileSync(join(from, 'package.json'), 'utf8'),
  ) as Manifest;
  const published = name.includes('grainline') ? ['package.json', ...(files ?? [])] : ['.'];
  for (const file of published)
    cpSync(join(from, file), join(to, file), { recursive: true, dereference: true });
  for (const dependency of Object.keys(dependencies)) install(folder, dependency);
}

/** A server of files that answers any other path with the page, as servers of apps do. */
async function serve(folder: string): Promise<Server> {
  const types: Readonly<Record<string, string>> = {
    '.html': 'text/html',
    '.js': 'text/javascript',
    '.wasm': 'application/wasm',
  };
  const server = createServer(({ url = '/' }, answer) => {
    const { pathname } = new URL(url, 'http://localhost');
    const wanted = join(folder, pathname);
    const file = extname(pathname) !== '' && existsSync(wanted) ? wanted : join(folder, 'index.html');
    answer.writeHead(200, { 'content-type': types[extname(file)] ?? 'text/plain' }).end(readFileSync(file));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return server;
}

interface Answers {
  readonly page: unknown;
  readonly worker: unknown;
  readonly errors: readonly string[];
}

describe.skipIf(isLeftOut)('a bundle for browsers', () => {
  let folder: string;
  let browser: Browser;
  let expected: Answers;

  beforeAll(async () => {
    browser = await openBrowser();
    folder = mkdtempSync(join(tmpdir(), 'grainline-bundles-'));
    cpSync(join(import.meta.dirname, 'bundled-app'), folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    install(folder, 'grainline');
    const document = await extract(PDF, { filename: 'tides.pdf' });
    const { chunks } = await chunkDocument(document, { measure: 'o200k_base', size: 100 });
    const answers = { page: await chunk(document, { size: 400 }), worker: chunks, errors: [] };
    expected = JSON.parse(JSON.stringify(answers)) as Answers;
  });
  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  /** The answers of the page and of its worker to the PDF. */
  async function answersAt(address: string): Promise<Answers> {
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(address);
    const file = { name: 'tides.pdf', mimeType: 'application/pdf', buffer: Buffer.from(PDF) };
    await page.locator('input').setInputFiles(file);
    const textOf = async (output: string): Promise<unknown> =>
      JSON.parse((await page.locator(output).filter({ hasText: /./ }).textContent()) ?? '');
    const answers = { page: await textOf('#page'), worker: await textOf('#worker'), errors };
    await page.close();
    return answers;
  }

  /** Builds the app and serves it, as `use` looks at it. */
  async function withBuild(bundler: string, use: (address: string) => Promise<void>): Promise<void> {
    const out = join(folder, 'out');
    await BUNDLERS[bundler]?.(folder);
    // Vite writes the page of its own build.
    if (bundler !== 'vite') cpSync(join(folder, 'index.html'), join(out, 'index.html'));
    const server = await serve(out);
    try {
      await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    } finally {
      server.close();
      rmSync(out, { recursive: true });
    }
  }

  it.each(['vite', 'webpack'])(
    'reads and cuts a PDF without any setting, in the page and in a worker: %s',
    (bundler) => withBuild(bundler, async (address) => expect(await answersAt(address)).toEqual(expected)),
    BUILD_MS,
  );

  it(
    'reads a PDF by the address of its WebAssembly, and says so without one: esbuild',
    () =>
      withBuild('esbuild', async (address) => {
        const { page, worker, errors } = await answersAt(address);
        for (const message of [page, worker]) {
          expect(message).toMatch(/could not be loaded: .* pass its address, extract\(file, \{ pdfium:/);
          expect(message).not.toMatch(/node:|npm|external/);
        }
        expect(errors).toEqual([]);
        cpSync(join(folder, 'node_modules', PDFIUM), join(folder, 'out/files/pdfium.wasm'));
        expect(await answersAt(`${address}?pdfium=/files/pdfium.wasm`)).toEqual(expected);
      }),
    BUILD_MS,
  );

  it(
    'reads a PDF from the development server of Vite',
    async () => {
      const server = await vite.createServer({
        root: folder,
        configFile: false,
        logLevel: 'silent',
        server: { port: 0 },
      });
      await server.listen();
      try {
        const address = server.resolvedUrls?.local[0] ?? '';
        // Vite reloads the page when it first finds the packages of the worker.
        const first = await browser.newPage();
        await first.goto(address, { waitUntil: 'networkidle' });
        await first.close();
        expect(await answersAt(address)).toEqual(expected);
      } finally {
        await server.close();
      }
    },
    BUILD_MS,
  );

  it.each(Object.keys(BUNDLERS))(
    'is built from the pipeline without its optional peer: %s',
    async (bundler) => {
      const small = join(folder, bundler);
      install(small, '@grainline/pipeline');
      writeFileSync(join(small, 'index.html'), '<script type="module" src="./main.js"></script>');
      const code = "import { chunkDocument } from '@grainline/pipeline'; onmessage = chunkSource;";
      for (const name of ['main.js', 'worker.js']) writeFileSync(join(small, name), code);
      await BUNDLERS[bundler]?.(small);
      expect(existsSync(join(small, 'out'))).toBe(true);
    },
    BUILD_MS,
  );
});
