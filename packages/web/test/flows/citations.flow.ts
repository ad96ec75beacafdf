// The examples of docs/citations.md for viewers of PDFs, in the viewers themselves: the highlight lies on the words of
// the page that the viewer draws. packages/cli/test/citations.test.ts tests the numbers of the examples without one.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { cite, pageSizeOf, regionsOf } from '@grainline/core';
import { extract } from '@grainline/extract';
import { writePdf } from '@grainline/testing/pdf-writer';
import * as esbuild from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isLeftOut, openBrowser } from './browser.ts';

const PEERS = join(import.meta.dirname, '../../peers');
const GUIDE = readFileSync(join(import.meta.dirname, '../../../../docs/citations.md'), 'utf8');
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.pdf': 'application/pdf',
};
/** Dark pixels: letters on white, and on a mark that multiplies. */
const DARK = 100;

/** The code blocks below a heading of the guide. */
function examplesOf(heading: string): string[] {
  const section = GUIDE.split(/^## /m).find((one) => one.startsWith(`${heading}\n`)) ?? '';
  return Array.from(section.matchAll(/^```[^\n]*\n(.*?)^```$/gms), ([, code = '']) => code);
}

/** The programs of the viewers' pages; `cited` is the quotation's place, as JSON in the page. */
const PROGRAMS: Readonly<Record<string, () => string>> = {
  'react-pdf': () => {
    const [component = '', use = ''] = examplesOf('react-pdf');
    return `
      import { createRoot } from 'react-dom/client';
      import { Document, Page, pdfjs } from 'react-pdf';
      import 'react-pdf/dist/Page/AnnotationLayer.css';
      import 'react-pdf/dist/Page/TextLayer.css';
      ${component}
      pdfjs.GlobalWorkerOptions.workerSrc = 'pdf.worker.mjs';
      const { pageSize, regions } = cited;
      createRoot(document.querySelector('#viewer')).render(<Document file="report.pdf">${use}</Document>);`;
  },
  'pdf.js': () => {
    const [functions = ''] = examplesOf('pdf.js');
    return `
      import * as pdfjs from 'pdfjs-dist';
      import { EventBus, PDFViewer } from 'pdfjs-dist/web/pdf_viewer.mjs';
      import 'pdfjs-dist/web/pdf_viewer.css';
      ${functions}
      pdfjs.GlobalWorkerOptions.workerSrc = 'pdf.worker.mjs';
      const container = document.querySelector('#viewer');
      container.innerHTML = '<div class="pdfViewer"></div>';
      Object.assign(container.style, { position: 'absolute', inset: 0, overflow: 'auto' });
      const eventBus = new EventBus();
      const pdfViewer = new PDFViewer({ container, eventBus });
      eventBus.on('pagesinit', () => {
        pdfViewer.currentScale = 1.5;
        pdfViewer.currentPageNumber = cited.regions[0].page;
      });
      eventBus.on('pagerendered', ({ pageNumber }) => {
        const own = cited.regions.filter(({ page }) => page === pageNumber);
        highlightPage(pdfViewer.getPageView(pageNumber - 1), cited.pageSize, own);
      });
      pdfViewer.setDocument(await pdfjs.getDocument({ url: 'report.pdf' }).promise);`;
  },
};

/** Serves the files of a folder. */
async function serve(folder: string): Promise<Server> {
  const server = createServer(({ url = '/' }, answer) => {
    const { pathname } = new URL(url, 'http://localhost');
    const name = pathname === '/' ? 'index.html' : pathname.slice(1);
    try {
      answer.writeHead(200, { 'content-type': TYPES[extname(name)] ?? 'text/plain' });
      answer.end(readFileSync(join(folder, name)));
    } catch {
      answer.end();
    }
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** The dark pixels of the marked page: those under the marks, and all. */
function inkUnderMarks(page: Page): Promise<{ readonly under: number; readonly all: number }> {
  return page.evaluate((dark) => {
    const marks = Array.from(document.querySelectorAll('mark'), (mark) => mark.getBoundingClientRect());
    const canvas = document.querySelector('mark')?.closest('[data-page-number]')?.querySelector('canvas');
    const pixels = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
    const { left = 0, top = 0, width = 0 } = canvas?.getBoundingClientRect() ?? {};
    const scale = width / (canvas?.width ?? 1);
    let [under, all] = [0, 0];
    for (let at = 0; at < pixels.length; at += 4) {
      if ((pixels[at] ?? 255) > dark) continue;
      const x = left + scale * ((at / 4) % (canvas?.width ?? 1));
      const y = top + scale * Math.floor(at / 4 / (canvas?.width ?? 1));
      all++;
      if (marks.some((mark) => x >= mark.left && x <= mark.right && y >= mark.top && y <= mark.bottom))
        under++;
    }
    return { under, all };
  }, DARK);
}

describe.skipIf(isLeftOut)('the examples of docs/citations.md in viewers', () => {
  let folder: string;
  let browser: Browser;
  let server: Server | undefined;

  beforeAll(async () => {
    browser = await openBrowser();
    folder = mkdtempSync(join(tmpdir(), 'grainline-viewers-'));
  });
  afterEach(() => server?.close());
  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  /** Builds the page of a viewer that shows a quotation of a PDF. */
  async function build(viewer: string, pdf: Uint8Array, quote: string): Promise<void> {
    const text = await extract(pdf, { regions: true });
    const [span] = cite(text, quote)?.spans ?? [];
    const regions = regionsOf(text, span ?? { start: 0, end: 0 });
    const cited = JSON.stringify({ regions, pageSize: pageSizeOf(text, regions[0]?.page ?? 0) });
    await esbuild.build({
      stdin: {
        contents: `const cited = ${cited};\n${PROGRAMS[viewer]?.()}`,
        resolveDir: PEERS,
        loader: 'jsx',
      },
      bundle: true,
      format: 'esm',
      jsx: 'automatic',
      loader: { '.svg': 'dataurl', '.gif': 'dataurl' },
      outfile: join(folder, 'main.js'),
      logLevel: 'silent',
    });
    const pdfJs = createRequire(join(PEERS, 'package.json')).resolve('pdfjs-dist');
    const files = {
      'report.pdf': pdf,
      'pdf.worker.mjs': readFileSync(join(dirname(pdfJs), 'pdf.worker.mjs')),
      'index.html': `<!doctype html><meta charset="utf-8"><title>${viewer}</title>
        <link rel="stylesheet" href="main.css"><div id="viewer"></div><script type="module" src="main.js"></script>`,
    };
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  }

  it.each([
    ['react-pdf', ''],
    ['react-pdf', '/Rotate 90 /CropBox [40 60 560 780]'],
    ['pdf.js', ''],
    ['pdf.js', '/Rotate 90 /CropBox [40 60 560 780]'],
  ])('lies on the words of the quotation: %s, a page %s', async (viewer, entries) => {
    const lines = ['Sales rose in the north.'];
    const pdf = writePdf({ pages: [{ lines: ['Quarterly report'] }, { lines, entries }] });
    await build(viewer, pdf, 'rose in the North');
    server = await serve(folder);
    const page = await browser.newPage({ viewport: { width: 1000, height: 1200 } });
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await expect.poll(() => errors.join() || page.locator('mark').count()).toBe(1);
    await page.locator('mark').scrollIntoViewIfNeeded();
    // 14 of the 20 letters of the line.
    const shareOf = ({ under, all }: { under: number; all: number }): number => under / Math.max(1, all);
    await expect.poll(async () => shareOf(await inkUnderMarks(page))).toBeGreaterThan(0.6);
    expect(shareOf(await inkUnderMarks(page))).toBeLessThan(0.8);
    expect(errors).toEqual([]);
    await page.close();
  });
});
