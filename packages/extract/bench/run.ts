// The benchmark: our readers beside their peers on this machine, now. Naming sections runs those alone, as in
// `npm run bench -w @grainline/extract -- manuals docx`. The environment names other data: CORPUS, TABLES and
// MAIN_PAGES (documents.ts), MANUALS (manuals.ts), KINDS (kinds.ts).
import { existsSync } from 'node:fs';
import path from 'node:path';
import { recordResults } from '@grainline/testing/results';
import { compare, median } from './compare.ts';
import {
  type BenchDocument,
  CORPUS,
  corpusDocuments,
  generatedDocuments,
  mainDocuments,
  renderedDocuments,
  tableDocuments,
} from './documents.ts';
import { ignoringTrees, outlinedFiles } from './headings-by-hand.ts';
import { INDEPENDENT_READERS, kindDocuments } from './kinds.ts';
import { labelledPages } from './main-pages.ts';
import { manuals, SHORT_MANUALS } from './manuals.ts';
import { isInstalled, READERS } from './readers.ts';
import { printedDocuments, printPages } from './printed.ts';
import { printStages } from './stages.ts';
import { f1Of, hasPoppler, nameOf, type RegionScore, scoreRegions, sumOf } from './regions.ts';

/** Sizes of chunks whose boxes are compared, and the pages that a file has for it. */
const REGION_SIZES = [300, 1000];
const LEAST_PAGES = 12;

const SECTIONS: Readonly<Record<string, () => Promise<void>>> = {
  manuals: longPdfs,
  pdf: shortPdfs,
  tags: taggedPdfs,
  'tagged-headings': taggedHeadings,
  tables: pdfTables,
  printed: printedPages,
  docx: () => officeOrWeb('docx'),
  html: () => officeOrWeb('html'),
  main: mainContent,
  kinds: otherKinds,
  regions: chunkRegions,
};

for (const reader of READERS) {
  if (!isInstalled(reader))
    console.log(`${reader.name} is missing; install it: npm ci --prefix packages/extract/peers`);
}
if (!existsSync(CORPUS))
  console.log(`There is no ${CORPUS}: real documents are skipped; CORPUS=FOLDER names another.`);

const chosen = process.argv.slice(2).filter((name) => Object.hasOwn(SECTIONS, name));
for (const [name, section] of Object.entries(SECTIONS)) {
  if (chosen.length === 0 || chosen.includes(name)) await recordResults(import.meta.dirname, name, section);
}

/** Manuals of some hundred pages: the speed of a page. */
async function longPdfs(): Promise<void> {
  const { files, missing } = manuals();
  for (const reason of missing) console.log(reason);
  if (files.length > 0)
    await compare(
      'Manuals of Debian',
      'pdf',
      files.map((file) => ({ file, truth: {} })),
    );
}

async function shortPdfs(): Promise<void> {
  await compareSome('Generated', 'pdf', generatedDocuments('pdf'));
  await compareSome('Rendered pages, Markdown by hand', 'pdf', renderedDocuments('pdf'));
  await compareSome('Real files, words of pdftotext', 'pdf', corpusDocuments('pdf'));
  await compareSome(
    'Real files of at least 100 words, words of pdftotext',
    'pdf',
    corpusDocuments('pdf').filter(({ truth }) => (truth.text ?? '').split(/\s+/).length >= 100),
    1,
  );
}

/** The same documents with and without tags; the ratio of our time is that of the tags. */
async function taggedPdfs(): Promise<void> {
  const rounds = 5;
  const plain = await compare('Without tags', 'pdf', generatedDocuments('pdf'), rounds);
  const tagged = await compare('With tags', 'pdf', generatedDocuments('tagged pdf'), rounds);
  const warmOf = (results: typeof plain): number =>
    median(
      (results[0]?.rounds ?? [])
        .slice(1)
        .map((round) => round.reduce((sum, { cpuMs = 0 }) => sum + cpuMs, 0)),
    );
  console.log(
    `\nOurs, warm: with tags ${(warmOf(tagged) / warmOf(plain)).toFixed(2)} times the time without`,
  );
}

/** Headings by hand of tagged files, once with their trees and once by our layout alone. */
async function taggedHeadings(): Promise<void> {
  const { documents, missing } = outlinedFiles('pdf', 'debian');
  for (const reason of missing) console.log(reason);
  await compareSome('Tagged files, headings by hand, tree used', 'pdf', documents, 1);
  await compareSome('The same, by default', 'pdf-default', documents, 1);
  const untagged = ignoringTrees(documents);
  await compareSome('The same, tree ignored by ours alone', 'pdf', untagged, 1);
  await compareSome('The same, tree ignored, by default', 'pdf-default', untagged, 1);
}

async function pdfTables(): Promise<void> {
  await compareSome('Tables of ICDAR 2013', 'pdf', tableDocuments());
}

/** Pages that Chromium prints against the tables of their HTML: both halves, and pages without tables. */
async function printedPages(): Promise<void> {
  for (const reason of printPages()) console.log(reason);
  for (const [form, title] of [
    ['untagged', 'Printed without tags'],
    ['tagged', 'Printed with tags'],
  ] as const) {
    for (const [group, half] of [
      ['inspected', 'the half that the rules were made with'],
      ['confirming', 'the half that no rule was made with'],
      ['without-tables', 'pages without tables'],
    ] as const) {
      const documents = await printedDocuments(group, form);
      const tables = documents.reduce((sum, { truth }) => sum + (truth.tables?.length ?? 0), 0);
      await compareSome(`${title}, ${half}, ${tables} tables`, 'pdf', documents, 1);
    }
  }
}

async function officeOrWeb(kind: 'docx' | 'html'): Promise<void> {
  const truth = kind === 'docx' ? 'headings and tables of pandoc' : 'tables of pandoc, headings of the page';
  for (const [title, documents] of [
    ['Generated', generatedDocuments(kind)],
    ['Rendered pages, Markdown by hand', renderedDocuments(kind)],
    [`Real files, words, ${truth}`, corpusDocuments(kind)],
  ] as const) {
    await compareSome(title, kind, documents);
    if (kind === 'docx' && documents.length > 0) printStages(kind, documents);
  }
  if (kind === 'docx') await headingsByHand();
}

async function headingsByHand(): Promise<void> {
  for (const [origin, title] of [
    ['corpus', 'Real files, headings by hand'],
    ['debian', 'Files of libapache-poi-java, headings by hand'],
  ] as const) {
    const { documents, missing } = outlinedFiles('docx', origin);
    for (const reason of missing) console.log(`\n${title}: ${reason}`);
    await compareSome(title, 'docx', documents, 1);
  }
}

async function mainContent(): Promise<void> {
  const { own, real } = mainDocuments();
  await compareSome('Main content, generated', 'main', own);
  if (real.length === 0) console.log('\nMAIN_PAGES=FOLDER measures real pages; there is none.');
  await compareSome('Main content, real pages', 'main', real);
  for (const [fold, title] of [
    ['page', 'Main content by hand'],
    ['held', 'Main content by hand, pages held out'],
  ] as const) {
    const { documents, missing } = labelledPages(fold);
    for (const folder of missing) console.log(`\nThere is no ${folder}: its pages are skipped.`);
    await compareSome(title, 'main', documents);
  }
}

/** Words of the other kinds, and neighbours of cells on sheets, against those of independent readers. */
async function otherKinds(): Promise<void> {
  for (const reader of INDEPENDENT_READERS) {
    const { documents, missing } = kindDocuments(reader);
    for (const reason of missing) console.log(reason);
    console.log(`\n${reader.kind}, real files: ${originsOf(documents)}; generated files: none`);
    await compareSome(
      `${reader.kind}: real files, words of ${reader.programs.join(' and ')}`,
      reader.kind,
      documents,
      1,
    );
  }
}

/** Names of the packages and folders of files, with their numbers. */
function originsOf(documents: readonly BenchDocument[]): string {
  const counts = new Map<string, number>();
  for (const { file } of documents) {
    const folder = path.basename(path.dirname(file));
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts].map(([folder, count]) => `${folder} ${count}`).join(', ');
}

async function compareSome(...[title, mode, documents, rounds]: Parameters<typeof compare>): Promise<void> {
  if (documents.length > 0) await compare(title, mode, documents, rounds);
}

/** The boxes of chunks against the words of pdftotext. */
async function chunkRegions(): Promise<void> {
  if (!hasPoppler()) {
    console.log('pdftotext is missing; install poppler-utils.');
    return;
  }
  const { files, missing } = manuals(SHORT_MANUALS);
  for (const reason of missing) console.log(reason);
  const long = corpusDocuments('pdf').filter(({ pages = 0 }) => pages >= LEAST_PAGES);
  const all = REGION_SIZES.map((): RegionScore[] => []);
  console.log(
    '| file | size | chunks | without a box | F1 | words shown a word | F1 of metadata | shown a word | answer larger by |',
  );
  console.log('|---|---|---|---|---|---|---|---|---|');
  for (const file of [...long.map((one) => one.file), ...files]) {
    const scores = await scoreRegions(file, REGION_SIZES);
    for (const [at, score] of scores.entries()) {
      all[at]?.push(score);
      console.log(rowOf(nameOf(file), at, score));
    }
  }
  for (const [at, scores] of all.entries()) console.log(rowOf('all', at, sumOf(scores)));
}

function rowOf(name: string, at: number, score: RegionScore): string {
  const { chunks, unplaced, own, shown, shownByMetadata, commonByMetadata, plainBytes, bytes } = score;
  const metadata = { own, shown: shownByMetadata, common: commonByMetadata };
  const share = (words: number): string => (words / Math.max(1, own)).toFixed(3);
  const growth = `${(100 * (bytes / Math.max(1, plainBytes) - 1)).toFixed(1)} %`;
  const cells = [
    name,
    REGION_SIZES[at] ?? 0,
    chunks,
    unplaced,
    f1Of(score).toFixed(3),
    share(shown),
    f1Of(metadata).toFixed(3),
    share(shownByMetadata),
    growth,
  ];
  return `| ${cells.join(' | ')} |`;
}
