// Builds the page into the server's package: hashed names, no inline code, and compressed forms beside every file.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';
import { CHUNK_SIZE } from '../server/src/fields/field-table.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const OUTPUT = here('../server/dist/web');

/** The static demo is a folder of the documentation. */
const DEMO_OUTPUT = here('../../docs/site/dist/demo');

export default defineConfig(({ mode }) => ({
  root: here('.'),
  // Relative addresses also work below a path of a proxy.
  base: './',
  resolve: { tsconfigPaths: true },
  build: {
    target: 'es2023',
    // Browsers with `light-dark()`: its replacement takes the scheme of the root, and paper is white in both.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    outDir: mode === 'demo' ? DEMO_OUTPUT : OUTPUT,
    emptyOutDir: true,
    // Inlined images enlarge a stylesheet or script, and are never cached.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { assetFileNames } },
    chunkSizeWarningLimit: 5000,
    reportCompressedSize: false,
  },
  worker: { format: 'es', rolldownOptions: { output: { assetFileNames } } },
  plugins: [serviceLimits(), themeAtOnce(), mode === 'demo' ? asDemo() : compressed()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
}));

/** Trained data of OCR is a file as it is: with its ending .gz it would be the compressed form of another one. */
function assetFileNames({ names }: { readonly names: readonly string[] }): string {
  const isData = names.some((name) => name.endsWith('.traineddata.gz'));
  return isData ? 'assets/[name]-[hash].data' : 'assets/[name]-[hash][extname]';
}

/** The service's limits of a size, for the forms that work without scripts. */
function serviceLimits(): Plugin {
  const { least, most, default: usual } = CHUNK_SIZE;
  const attributes = `min="${least}" max="${most}" value="${usual.characters}"`;
  return {
    name: 'service-limits',
    transformIndexHtml: { order: 'pre', handler: (html) => html.replaceAll('%CHUNK_SIZE%', attributes) },
  };
}

/** The theme's script as the first element of the head. It is no module, because a module runs too late. */
function themeAtOnce(): Plugin {
  return {
    name: 'theme-at-once',
    apply: 'build',
    buildStart() {
      this.emitFile({ type: 'chunk', id: here('src/app/theme-at-once.ts'), name: 'theme' });
    },
    transformIndexHtml: {
      order: 'post',
      handler(_, { bundle = {} }) {
        const file = Object.values(bundle).find((entry) => entry.type === 'chunk' && entry.name === 'theme');
        if (file === undefined) throw new Error("The theme's script was not built.");
        return [{ tag: 'script', attrs: { src: `./${file.fileName}` }, injectTo: 'head-prepend' }];
      },
    },
  };
}

/**
 * The demo's policy, for hosts that send none. Its worker inherits it, so it allows WebAssembly and workers of blobs.
 * No request goes to another host.
 */
const DEMO_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  // The pictures of pages for the printer are blobs.
  "img-src 'self' blob:",
  "connect-src 'self'",
  // The worker is a blob, and its first import counts as a worker too.
  "worker-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types grainline',
].join('; ');

/** The document of the demo: its own entry, its policy, and no forms of a service. */
function asDemo(): Plugin {
  const withoutForms = '<noscript><p>This page cuts documents by JavaScript, which is off.</p></noscript>';
  return {
    name: 'as-demo',
    transformIndexHtml: {
      order: 'pre',
      handler: (html) => ({
        html: html
          .replace('app/main.tsx', 'app/demo.tsx')
          .replace(/<noscript>[^]*<\/noscript>/, withoutForms),
        tags: [
          {
            tag: 'meta',
            attrs: { 'http-equiv': 'Content-Security-Policy', content: DEMO_POLICY },
            injectTo: 'head-prepend',
          },
        ],
      }),
    },
  };
}

/** Smaller files get no compressed form. */
const LEAST_BYTES = 512;
/** The best quality takes many seconds for the large tables; the next one gives 5 % more bytes. */
const LARGE_BYTES = 256 * 1024;
/** Brotli saves nothing of the large tables, which are dense, and a second form doubles their part of the package. */
const LEAST_SAVED = 0.05;

const brotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    async closeBundle() {
      const entries = await readdir(OUTPUT, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile() && !/\.(?:br|gz|data)$/.test(entry.name));
      await Promise.all(files.map(({ parentPath, name }) => compress(join(parentPath, name))));
    },
  };
}

async function compress(path: string): Promise<void> {
  const bytes = await readFile(path);
  if (bytes.length < LEAST_BYTES) return;
  const quality = bytes.length > LARGE_BYTES ? 9 : 11;
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_LGWIN]: 22 };
  const [small, usual] = await Promise.all([brotli(bytes, { params }), toGzip(bytes, { level: 9 })]);
  await writeFile(`${path}.gz`, usual);
  if (small.length < (1 - LEAST_SAVED) * usual.length) await writeFile(`${path}.br`, small);
  // The server makes the whole file from its gzip. The document stays, by which the server finds the web app.
  if (!path.endsWith('.html')) await rm(path);
}
