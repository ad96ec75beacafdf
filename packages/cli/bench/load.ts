// `node bench/load.ts [MEGABYTES …]`: the time and the memory of loads of generated documents of all kinds, with one
// and two workers. The store takes everything and keeps nothing, so that the figures are those of reading, cutting and
// embedding. Two workers are threads, which need `npm run build`.
//
// `node bench/load.ts FOLDER`: the same with the documents of a folder.
//
// `node bench/load.ts edits [DOCUMENTS] [minilm]`: a load, and a second one after edits of 1 % of the paragraphs; with
// the built-in embedder, or with MiniLM in this process, after `npm ci --prefix packages/models/peers`.
//
// All with `--import ../server/test/sandbox/from-sources.mjs`.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { styled, para, run, writeDocx } from '@grainline/testing/docx-writer';
import { folderOfModels } from '@grainline/testing/minilm';
import { writePdf } from '@grainline/testing/pdf-writer';

const WORDS = readWords();
const CHILD = fileURLToPath(new URL('load-child.ts', import.meta.url));
const SOURCES = fileURLToPath(new URL('../../server/test/sandbox/from-sources.mjs', import.meta.url));
/** Lines of a page, and characters of a line. */
const [PAGE_LINES, LINE_CHARACTERS] = [50, 95];

/** Words of this repository's own pages. */
function readWords(): string[] {
  const text = readFileSync(new URL('../../../docs/tiers.md', import.meta.url), 'utf8');
  return text.match(/\p{L}{3,}/gu) ?? [];
}

/** A generator of numbers from 0 to below 1 (mulberry32), so that every run has the same documents. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function sentence(random: () => number): string {
  const words = Array.from(
    { length: 8 + Math.floor(random() * 14) },
    () => WORDS[Math.floor(random() * WORDS.length)],
  );
  return `${words.join(' ')}.`;
}

const paragraph = (random: () => number): string =>
  Array.from({ length: 3 + Math.floor(random() * 4) }, () => sentence(random)).join(' ');

type Part = { readonly heading: string } | { readonly paragraph: string };

const bodyOf = (parts: readonly Part[]): string =>
  parts
    .map((part) => ('heading' in part ? styled('Heading2', part.heading) : para(run(part.paragraph))))
    .join('');

function pagesOf(text: string): { readonly lines: string[] }[] {
  const lines = text.match(new RegExp(`.{1,${LINE_CHARACTERS}}(?: |$)`, 'gm')) ?? [];
  const pages = Math.ceil(lines.length / PAGE_LINES);
  return Array.from({ length: pages }, (_, at) => ({
    lines: lines
      .slice(at * PAGE_LINES, (at + 1) * PAGE_LINES)
      .map((line) => line.replaceAll(/[^\x20-\x7e]/g, '')),
  }));
}

/** One document of some kind: 20 to 220 paragraphs under headings. */
function document(
  index: number,
  random: () => number,
): { readonly name: string; readonly bytes: Uint8Array } {
  const count = 20 + Math.floor(random() ** 2 * 200);
  const parts = Array.from({ length: count }, (_, at): Part =>
    at % 8 === 0 ? { heading: sentence(random) } : { paragraph: paragraph(random) },
  );
  const markdown = parts
    .map((part) => ('heading' in part ? `## ${part.heading}` : part.paragraph))
    .join('\n\n');
  const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
  switch (index % 5) {
    case 0:
      return { name: `${index}.md`, bytes: utf8(markdown) };
    case 1:
      return { name: `${index}.txt`, bytes: utf8(markdown.replaceAll('## ', '')) };
    case 2: {
      const body = parts.map((part) =>
        'heading' in part ? `<h2>${part.heading}</h2>` : `<p>${part.paragraph}</p>`,
      );
      return { name: `${index}.html`, bytes: utf8(`<html><body>${body.join('\n')}</body></html>`) };
    }
    case 3:
      return { name: `${index}.docx`, bytes: writeDocx({ body: bodyOf(parts) }) };
    default:
      return { name: `${index}.pdf`, bytes: writePdf({ pages: pagesOf(markdown) }) };
  }
}

/** Writes documents of so many bytes together; returns their number. */
function writeDocuments(folder: string, bytes: number): number {
  const random = createRandom(7);
  let [written, count] = [0, 0];
  for (; written < bytes; count++) {
    const { name, bytes: content } = document(count, random);
    const below = join(folder, String(Math.floor(count / 1000)));
    mkdirSync(below, { recursive: true });
    writeFileSync(join(below, name), content);
    written += content.length;
  }
  return count;
}

/** The figures of a run, as the child prints them. */
interface Figures {
  readonly documents: number;
  readonly chunks: number;
  readonly embedded: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMegabytes: number;
}

function loadInChild(folder: string, ...args: readonly string[]): Figures[] {
  const { stdout, status } = spawnSync(process.execPath, ['--import', SOURCES, CHILD, folder, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`The load ended with ${String(status)}.`);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Figures);
}

function inFolder(work: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'grainline-load-'));
  try {
    work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function report(
  name: string,
  { documents, chunks, embedded, seconds, cpuSeconds, peakMegabytes }: Figures,
): void {
  console.log(
    `${name}: ${documents} documents, ${chunks} new chunks, ${embedded} texts embedded, ${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of processors, at most ${peakMegabytes.toFixed(0)} MB`,
  );
}

function loadByWorkers(name: string, folder: string): void {
  for (const workers of ['1', '2'])
    for (const figures of loadInChild(folder, workers)) report(`${name}, ${workers} workers`, figures);
}

function loadEdited(documents: number, models: string | undefined): void {
  inFolder((folder) => {
    const random = createRandom(11);
    const texts = Array.from({ length: documents }, () =>
      Array.from({ length: 40 }, () => paragraph(random)),
    );
    for (const [at, parts] of texts.entries()) writeFileSync(join(folder, `${at}.md`), parts.join('\n\n'));
    const edits = texts
      .flatMap((parts, file) => parts.map((_, at) => [file, at] as const))
      .filter(() => random() < 0.01);
    const plan = join(folder, 'edits.json');
    writeFileSync(plan, JSON.stringify(edits.map(([file, at]) => [file, at, paragraph(random)])));
    const [first, second] = loadInChild(folder, '1', plan, ...(models === undefined ? [] : [models]));
    if (first === undefined || second === undefined) throw new Error('A load has printed nothing.');
    report('first load', first);
    report(`after ${edits.length} edits of ${40 * texts.length} paragraphs`, second);
    console.log(`${((100 * second.cpuSeconds) / first.cpuSeconds).toFixed(1)} % of the processor time`);
  });
}

const [mode = '100', ...more] = process.argv.slice(2);
if (mode === 'edits') {
  const models = more[1] === 'minilm' ? await folderOfModels() : undefined;
  loadEdited(Number(more[0] ?? 1000), models?.folder);
  models?.remove();
} else if (existsSync(mode)) loadByWorkers(mode, resolve(mode));
else
  for (const megabytes of [mode, ...more].map(Number))
    inFolder((folder) => {
      writeDocuments(folder, megabytes * 1e6);
      loadByWorkers(`${megabytes} MB`, folder);
    });
