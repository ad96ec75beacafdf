// The benchmark of OCR: rasterised pages against the text that they were drawn from, and the scans of the development
// corpus. CORPUS names another folder than ../shared/corpus beside the repository.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { extract, ExtractError } from '@grainline/extract';
import { openPages } from '@grainline/extract/pages';
import { createOcr } from '@grainline/ocr';
import { recordResults } from '@grainline/testing/results';
import { greyPixels, writeScans } from '@grainline/testing/scanned-pdf';
import { f1Of, hasPoppler, type RegionScore, scoreRegions, sumOf } from '../../extract/bench/regions.ts';
import { f1, overlap, plain, scoresOf, tablesOf, headingsOf, wordsOf } from '../../extract/bench/scores.ts';
import type { Reading } from './worker.ts';

const SHARED = path.resolve(import.meta.dirname, '../../../../shared');
const CORPUS = path.resolve(process.env['CORPUS'] ?? path.join(SHARED, 'corpus'));
/** Pages of the section, spread over all pages that the corpus has. */
const PAGES = 10;
/** Pixels in an inch of the rasterised pages: what offices scan with. */
const DPI = 200;
/** Sizes of chunks whose boxes are compared: short ones have tight boxes. */
const PLACE_SIZES = [100, 500];

if (!existsSync(CORPUS)) {
  console.log(`There is no ${CORPUS}: nothing to read; CORPUS=FOLDER names another.`);
  process.exit(0);
}
const SECTIONS = { pages: rasterisedPages, places: placesOfWords, scans: corpusScans };
const chosen = process.argv.slice(2).filter((name) => Object.hasOwn(SECTIONS, name));
const folder = mkdtempSync(path.join(tmpdir(), 'grainline-ocr-'));
try {
  for (const [name, section] of Object.entries(SECTIONS))
    if (chosen.length === 0 || chosen.includes(name))
      await recordResults(import.meta.dirname, name, section, 'markdown');
} finally {
  rmSync(folder, { recursive: true });
}

/** Rasterised pages with a truth by hand: words, headings and tables, with and without OCR between. */
async function rasterisedPages(): Promise<void> {
  const worker = await startWorker();
  console.log(`\nPages of print, rasterised with ${DPI} pixels in an inch\n`);
  console.log(
    '| page | words, F1 | with the text itself | headings found | tables, F1 | processor s | peak MiB |',
  );
  console.log('|---|---|---|---|---|---|---|');
  const rows: number[][] = [];
  for (const name of pageNames()) {
    const bytes = Uint8Array.from(readFileSync(path.join(CORPUS, 'rendered', name)));
    const truth = readFileSync(path.join(CORPUS, 'truth', name.replace('.pdf', '.md')), 'utf8');
    const exact = await extract(bytes, { filename: name });
    const reading = await worker.read(await rasterise(name, bytes));
    const pages = exact.pages.length;
    const { headings, tables } = scoresOf(
      { headings: headingsOf(truth), tables: tablesOf(truth) },
      reading.text,
    );
    const row = [
      wordScore(exact.text, reading.text),
      wordScore(truth, exact.text),
      reading.cpuMs / 1000 / pages,
      reading.peakMiB,
    ];
    rows.push(row);
    const [words = 0, self = 0, seconds = 0, peak = 0] = row;
    console.log(
      `| ${name} | ${words.toFixed(3)} | ${self.toFixed(3)} | ${headings?.shared ?? 0} of ${headings?.wanted ?? 0} | ${tables?.toFixed(2) ?? '–'} | ${seconds.toFixed(1)} | ${peak.toFixed(0)} |`,
    );
  }
  worker.end();
  const mean = (column: number): number =>
    rows.reduce((sum, row) => sum + (row[column] ?? 0), 0) / Math.max(1, rows.length);
  const peak = Math.max(...rows.map((row) => row[3] ?? 0));
  console.log(
    `| mean (memory: most) | ${mean(0).toFixed(3)} | ${mean(1).toFixed(3)} | | | ${mean(2).toFixed(1)} | ${peak.toFixed(0)} |`,
  );
  console.log(
    '\nThe first column compares with the words that the PDF itself holds, the second compares those with the truth by hand.',
  );
}

function pageNames(): string[] {
  const all = readdirSync(path.join(CORPUS, 'rendered')).filter((name) => name.endsWith('.pdf'));
  return Array.from({ length: PAGES }, (_, at) => all[Math.floor((at * all.length) / PAGES)] ?? '');
}

/** Words of a text by OCR against those of another. */
function wordScore(wanted: string, given: string): number {
  return f1(overlap(wordsOf(plain(wanted)), wordsOf(plain(given))));
}

/** A file with the same pages as pictures. */
async function rasterise(name: string, bytes: Uint8Array): Promise<string> {
  const pages = await openPages(bytes);
  const scans = [];
  for (const [at, size] of pages.sizes.entries()) {
    if (size === undefined) continue;
    const drawn = await pages.drawPage(at + 1, DPI / 72);
    scans.push({ ...size, picture: { width: drawn.width, height: drawn.height, pixels: greyPixels(drawn) } });
  }
  await pages.close();
  const file = path.join(folder, name);
  writeFileSync(file, writeScans(scans));
  return file;
}

/** Places of the words on rasterised pages against those that poppler finds in the original. */
async function placesOfWords(): Promise<void> {
  if (!hasPoppler()) {
    console.log('pdftotext of poppler is not installed: nothing to compare with.');
    return;
  }
  const { ocr, close } = await createOcr();
  console.log(
    `\nWords of rasterised pages: those that \`pdftotext -bbox\` has in the original within the boxes of chunks of ${PLACE_SIZES.join(' and ')} characters, against those of the chunks\n`,
  );
  console.log(`| page | ${PLACE_SIZES.map((size) => `F1 at ${size}`).join(' | ')} |`);
  console.log('|---|---|---|');
  const all: RegionScore[][] = [];
  for (const name of pageNames()) {
    const file = path.join(CORPUS, 'rendered', name);
    const scan = readFileSync(await rasterise(name, Uint8Array.from(readFileSync(file))));
    const scores = await scoreRegions(file, PLACE_SIZES, () => extract(scan, { ocr, regions: true }));
    all.push(scores);
    console.log(`| ${name} | ${scores.map((score) => f1Of(score).toFixed(3)).join(' | ')} |`);
  }
  const sums = PLACE_SIZES.map((_, at) => sumOf(all.flatMap((scores) => scores[at] ?? [])));
  console.log(`| all | ${sums.map((score) => f1Of(score).toFixed(3)).join(' | ')} |`);
  await close();
}

/** Files of the corpus that are no_text, or have scanned or unmappable pages, without OCR. */
async function corpusScans(): Promise<void> {
  const worker = await startWorker();
  console.log('\nScans of the corpus\n');
  console.log('| file | without OCR | with OCR | words | processor s | on the clock s |');
  console.log('|---|---|---|---|---|---|');
  for (const name of readdirSync(path.join(CORPUS, 'pdf'))) {
    const file = path.join(CORPUS, 'pdf', name);
    const without = await outcomeOf(Uint8Array.from(readFileSync(file)));
    if (without === undefined) continue;
    const { code, warnings, text, cpuMs, wallMs } = await worker.read(file);
    const outcome =
      code ?? (warnings.filter((warning) => /ocr|scan|unmap/.test(warning)).join(', ') || 'read');
    console.log(
      `| ${name} | ${without} | ${outcome} | ${wordsOf(plain(text)).length} | ${(cpuMs / 1000).toFixed(1)} | ${(wallMs / 1000).toFixed(1)} |`,
    );
  }
  worker.end();
}

async function outcomeOf(bytes: Uint8Array): Promise<string | undefined> {
  try {
    const { warnings } = await extract(bytes);
    return warnings.find(({ code }) => code === 'scanned_pages' || code === 'unmappable_text')?.code;
  } catch (error) {
    return error instanceof ExtractError && error.code === 'no_text' ? error.code : undefined;
  }
}

async function startWorker(): Promise<{ read: (file: string) => Promise<Reading>; end: () => void }> {
  const child: ChildProcess = fork(path.join(import.meta.dirname, 'worker.ts'));
  await once(child, 'message');
  return {
    async read(file) {
      child.send(file);
      const [reading] = (await once(child, 'message')) as [Reading];
      return reading;
    },
    end: () => void child.send('end'),
  };
}
