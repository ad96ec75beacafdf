// How sure the boundaries of the tier `semantic` are in books, whose topics are long: the sections of Debian's manuals,
// ten at a time, and their chapters (whole pages), six at a time, joined without their headings.
//   node packages/models/bench/chapters.ts [FOLDER] [FOLDER of a model] [documents of each book]
// The packages come by `apt-get download` into a cache; a FOLDER of unpacked packages, unless -, takes their place.
// scripts/minilm.mjs writes the folder of a model.
// Prints, for each book and for all chapters, the boundaries made for each true one, the share of them that is true
// (precision), the share of the true ones that is found (recall), the median drop, and the share of true ones by
// certainty. Then, for all manuals and all unseen books, precision and recall of certain boundaries by the least
// change, and how many more of them are true than with `any` at equal recall, with a 95 % interval (bootstrap over
// documents).
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { recordResults } from '@grainline/testing/results';
import { documentFromText } from '../../core/src/blocks/index.ts';
import { chunk } from '../../core/src/index.ts';
import { FLAG } from '../../core/src/pack/atoms.ts';
import { measureOf } from '../../core/src/pack/measure.ts';
import { packLimits } from '../../core/src/pack/options.ts';
import { sentences } from '../../core/src/sentences/scan.ts';
import type { SemanticOptions } from '../../core/src/tiers/registry.ts';
import { embedAtoms } from '../../core/src/tiers/semantic.ts';
import { startTopics } from '../../core/src/tiers/semantic/changes.ts';
import { partSentences } from '../../core/src/tiers/semantic/sentences.ts';
import { layOut } from '../../core/src/tiers/structure.ts';
import { createRandom } from '../../eval/src/statistics.ts';
import { extract } from '../../extract/src/index.ts';
import { loadEmbedder } from './embedder.ts';

/** Packages, and the folder of their pages in one language: French for libreoffice, else English. */
const BOOKS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  /** Some of the tier's parameters were chosen on parts of these, and on other books. */
  manuals: {
    'debian-handbook': 'usr/share/doc/debian-handbook/html/en-US',
    'developers-reference': 'usr/share/developers-reference',
    'debian-policy': 'usr/share/doc/debian-policy/policy.html',
    'installation-guide-amd64': 'usr/share/doc/installation-guide-amd64/en',
    'maint-guide': 'usr/share/doc/maint-guide/html',
  },
  /** No parameter was chosen on these. */
  'unseen books': {
    'git-doc': 'usr/share/doc/git-doc',
    'python3.11-doc': 'usr/share/doc/python3.11/html',
    'debian-reference-en': 'usr/share/debian-reference',
    'exim4-doc-html': 'usr/share/doc/exim4-doc-html/spec_html',
    'libreoffice-help-fr': 'usr/share/libreoffice/help/fr/text',
  },
};
const CACHE = path.resolve(import.meta.dirname, '../../../node_modules/.cache/grainline-chapters');
/** Translations, and pages that are lists. */
const LEFT_OUT =
  /index|toc|\.(?:ca|de|es|fr|id|it|ja|nl|pl|pt|ru|zh-cn|zh-tw)\.html$|^(?:de|fr|it|ja|ru)\/|changelog|whatsnew|license/;
/**
 * Parts of fewer sentences have no topic, and of longer ones only the beginning is taken. `deepest` is the depth of the
 * headings that begin a part within a page.
 */
interface Parts {
  readonly least: number;
  readonly most: number;
  readonly deepest: number;
  readonly together: number;
}
const SECTIONS: Parts = { least: 4, most: 40, deepest: 3, together: 10 };
const CHAPTERS: Parts = { least: 20, most: 120, deepest: 0, together: 6 };
const MODES = [
  { topics: 'any', size: 1000 },
  { topics: 'any', size: 1800 },
  { topics: 'any', size: 6000 },
  { topics: 'certain', size: 6000 },
] as const satisfies readonly Pick<SemanticOptions, 'topics' | 'size'>[];
/** Least changes of certain boundaries, as logarithms of the odds. */
const LEAST_CHANGES = Array.from({ length: 29 }, (_, at) => 2 - at / 4);
const RESAMPLES = 1000;

interface Sample {
  readonly text: string;
  /** Offsets at which sections begin, except the first. */
  readonly starts: ReadonlySet<number>;
}

interface Boundary {
  readonly isTrue: boolean;
  readonly certainty: number;
  readonly drop: number;
}

/** Boundaries of one sample: how many are made, and how many of these are true. */
interface Made {
  readonly made: number;
  readonly found: number;
}

/** One sample's true boundaries, and those made by each mode and by each least change. */
interface Counts {
  readonly ends: number;
  readonly modes: readonly Made[];
  readonly changes: readonly Made[];
}

/** One sample's boundaries besides, by mode. */
interface Measured extends Counts {
  readonly boundaries: readonly (readonly Boundary[])[];
}

/** `documents`: most of each book, evenly spread over it. */
const [folder = '-', modelFolder, documents = '40'] = process.argv.slice(2);
const root = folder === '-' ? fetched() : folder;
const { embed, name: embedder } = await loadEmbedder(modelFolder);
await recordResults(
  import.meta.dirname,
  modelFolder === undefined ? 'topics of books' : `topics of books, ${embedder}`,
  async () => {
    console.log(`Sections and chapters of books joined without headings, ${embedder}.\n`);
    const head = 'sections | topics | boundaries a true one | precision | recall | drop: true, others';
    console.log(`| book | ${head} | true by certainty |\n|${'---|'.repeat(8)}`);
    const groups: [string, Measured[]][] = [];
    for (const [group, books] of Object.entries(BOOKS)) {
      const all: Measured[] = [];
      const chapters: Measured[] = [];
      for (const [name, pages] of Object.entries(books)) {
        const sections = await partsOf(path.join(root, pages), SECTIONS);
        const measured: Measured[] = [];
        for (const sample of samplesOf(sections, SECTIONS)) measured.push(await measureSample(sample));
        printRows(`${name} | ${sections.length}`, measured);
        all.push(...measured);
        for (const sample of samplesOf(await partsOf(path.join(root, pages), CHAPTERS), CHAPTERS))
          chapters.push(await measureSample(sample));
      }
      printRows(`all ${group} | `, all);
      printRows(`chapters of all ${group} | `, chapters);
      groups.push([group, all], [`chapters of ${group}`, chapters]);
    }
    for (const [group, measured] of groups) printCurve(group, measured);
  },
);

/** Downloads and unpacks the packages unless they are there. */
function fetched(): string {
  mkdirSync(CACHE, { recursive: true });
  for (const [name, pages] of Object.values(BOOKS).flatMap((books) => Object.entries(books))) {
    if (existsSync(path.join(CACHE, pages))) continue;
    const run = (program: string, options: readonly string[]) =>
      execFileSync(program, options, { cwd: CACHE, stdio: ['ignore', 'ignore', 'inherit'] });
    run('apt-get', ['-o', 'APT::Sandbox::User=root', 'download', name]);
    const [archive = ''] = readdirSync(CACHE).filter((file) => file.startsWith(`${name}_`));
    run('dpkg', ['-x', archive, '.']);
  }
  return CACHE;
}

/** The sentences of the parts of a manual's pages, in the order of their names. */
async function partsOf(pages: string, { least, most, deepest }: Parts): Promise<string[][]> {
  const names = readdirSync(pages, { recursive: true, encoding: 'utf8' }).sort();
  const sections: string[][] = [];
  for (const name of names.filter((it) => it.endsWith('.html') && !LEFT_OUT.test(it))) {
    const { text, blocks } = await extract(readFileSync(path.join(pages, name)), { filename: name });
    let section: string[] = [];
    sections.push(section);
    for (const { kind, depth = 1, start, end } of blocks) {
      if (kind === 'heading' && depth <= deepest) sections.push((section = []));
      if (kind === 'paragraph') section.push(...sentencesOf(text.slice(start, end)));
    }
  }
  return sections.filter(({ length }) => length >= least).map((section) => section.slice(0, most));
}

/** Sentences of four words and more, each with an end mark: a lead-in to a list has none. */
function sentencesOf(paragraph: string): string[] {
  const text = paragraph
    .replaceAll(/[*_`]|\[\^[^\]]*\]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const ends = [...new Set([...sentences(text, 0, text.length).offsets, text.length])];
  return ends
    .map((end, at) => text.slice(ends[at - 1] ?? 0, end).trim())
    .filter((sentence) => (sentence.match(/[a-z]{2,}/gi) ?? []).length >= 4)
    .map((sentence) => (/[.!?]["”)]?$/.test(sentence) ? sentence : sentence.replace(/[:;,]?$/, '.')));
}

/** Parts, some at a time. */
function samplesOf(sections: readonly string[][], { together }: Parts): Sample[] {
  const count = Math.floor(sections.length / together);
  const taken = Math.min(count, Number(documents));
  const step = count / taken;
  return Array.from({ length: taken }, (_, at) => {
    const first = together * Math.floor(at * step);
    const parts = sections.slice(first, first + together).map((section) => section.join(' '));
    const starts = new Set<number>();
    let start = 0;
    for (const part of parts.slice(0, -1)) starts.add((start += part.length + 1));
    return { text: parts.join(' '), starts };
  });
}

async function measureSample({ text, starts }: Sample): Promise<Measured> {
  const boundaries: Boundary[][] = [];
  for (const mode of MODES) {
    const options = { tier: 'semantic', kind: 'text', embed, boundaries: true, ...mode } as const;
    const [, ...chunks] = await chunk(text, options);
    const of = chunks.map(({ start, metadata: { boundary } }) => ({
      isTrue: starts.has(start),
      certainty: boundary?.certainty ?? 0,
      drop: boundary?.drop ?? NaN,
    }));
    boundaries.push(of);
  }
  const changes = (await startsByChange(text)).map((made) => ({
    made: made.length,
    found: made.filter((start) => starts.has(start)).length,
  }));
  const modes = boundaries.map((made) => ({
    made: made.length,
    found: made.filter(({ isTrue }) => isTrue).length,
  }));
  return { ends: starts.size, modes, changes, boundaries };
}

/** Prints a row for each mode. */
function printRows(title: string, measured: readonly Measured[]): void {
  const { ends } = sumOf(measured);
  for (const [at, { topics, size }] of MODES.entries()) {
    const row = rowOf(
      measured.flatMap(({ boundaries }) => boundaries[at] ?? []),
      ends,
    );
    console.log(`| ${title} | ${topics}, size ${size} | ${row} |`);
  }
}

/** Where topics begin in a text, for each of the least changes. */
async function startsByChange(text: string): Promise<number[][]> {
  const options = { embed, topics: 'certain', size: 6000, overlap: 0 } as const;
  const limits = packLimits(options);
  const measure = measureOf(text, undefined);
  const laidOut = layOut(documentFromText(text, { kind: 'text' }), options, limits, measure);
  const atoms = partSentences(text, laidOut, limits.size, measure);
  const likeness = await embedAtoms(text, atoms, options, {});
  const changes = Array.from({ length: atoms.count }, (_, at) => likeness?.changeBefore?.(at) ?? 0);
  const flags = atoms.flags.slice();
  return LEAST_CHANGES.map((least) => {
    atoms.flags.set(flags);
    startTopics(atoms, (at) => changes[at] ?? 0, least);
    const isStart = (_: number, at: number): boolean =>
      at > 0 && ((atoms.flags[at] ?? 0) & FLAG.startsChunk) !== 0;
    return [...atoms.starts.subarray(0, atoms.count).filter(isStart)];
  });
}

function rowOf(boundaries: readonly Boundary[], ends: number): string {
  const found = boundaries.filter(({ isTrue }) => isTrue).length;
  const shares = [0, 0.2, 0.4, 0.6].map((from, at, all) => {
    const within = boundaries.filter((it) => it.certainty >= from && it.certainty < (all[at + 1] ?? 1));
    const share = within.filter(({ isTrue }) => isTrue).length / within.length;
    return `${from}: ${Number.isNaN(share) ? '–' : share.toFixed(2)} of ${within.length}`;
  });
  const dropOf = (isWanted: boolean): string =>
    quantile(
      boundaries.flatMap(({ isTrue, drop }) => (isTrue === isWanted ? [drop] : [])),
      0.5,
    ).toFixed(2);
  const figures = [boundaries.length / ends, found / boundaries.length, found / ends];
  const drops = `${dropOf(true)}, ${dropOf(false)}`;
  return [...figures.map((value) => value.toFixed(2)), drops, shares.join(', ')].join(' | ');
}

/** The curve of certain boundaries, and how many more of them are true at the recall of the modes. */
function printCurve(group: string, counts: readonly Counts[]): void {
  const all = sumOf(counts);
  console.log(`\n${group}, ${counts.length} documents`);
  const points = all.changes.map(
    (made, at) => `${(LEAST_CHANGES[at] ?? 0).toFixed(1)}: ${shown(made, all.ends)}`,
  );
  console.log(`certain by least change: ${points.filter((_, at) => at % 2 === 0).join(', ')}`);
  const random = createRandom(1);
  const resamples = Array.from({ length: RESAMPLES }, () =>
    sumOf(counts.flatMap(() => counts[random(counts.length)] ?? [])),
  );
  for (const [at, { topics, size }] of MODES.entries()) {
    if (topics === 'certain') continue;
    const ratio = ratioTo(all, at);
    const ratios = resamples.map((sum) => ratioTo(sum, at));
    const [low, high] = [quantile(ratios, 0.025), quantile(ratios, 0.975)];
    const times = `${ratio.toFixed(2)} times as many (${low.toFixed(2)} to ${high.toFixed(2)})`;
    const result = Number.isNaN(ratio) ? 'this recall is not reached' : times;
    console.log(`any, size ${size}: ${shown(all.modes[at], all.ends)}; of the certain ones: ${result}`);
  }
}

/** `0.51 at 0.44`: precision at recall. */
function shown({ made, found }: Made = { made: 0, found: 0 }, ends: number): string {
  return `${(found / made).toFixed(2)} at ${(found / ends).toFixed(2)}`;
}

/** Precision of certain boundaries over that of a mode at the mode's recall; NaN where the curve does not reach it. */
function ratioTo({ modes, changes }: Counts, mode: number): number {
  const { made, found } = modes[mode] ?? { made: 0, found: 0 };
  const next = changes.findIndex((point) => point.found >= found);
  const [low, high] = [changes[next - 1], changes[next]];
  if (low === undefined || high === undefined) return NaN;
  const share = (found - low.found) / (high.found - low.found);
  const precision = (1 - share) * (low.found / low.made) + share * (high.found / high.made);
  return precision / (found / made);
}

function sumOf(counts: readonly Counts[]): Counts {
  const sum = (made: readonly Made[]): Made => ({
    made: made.reduce((total, each) => total + each.made, 0),
    found: made.reduce((total, each) => total + each.found, 0),
  });
  return {
    ends: counts.reduce((total, { ends }) => total + ends, 0),
    modes: MODES.map((_, at) => sum(counts.flatMap(({ modes }) => modes[at] ?? []))),
    changes: LEAST_CHANGES.map((_, at) => sum(counts.flatMap(({ changes }) => changes[at] ?? []))),
  };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
  return sorted[Math.floor(share * (sorted.length - 1))] ?? NaN;
}
