// How sure the boundaries of the tier `semantic` are in books, whose topics are long: the sections of Debian's manuals,
// ten at a time, joined without their headings.
//   node packages/models/bench/chapters.ts [FOLDER]
// The packages come by `apt-get download` into a cache; a FOLDER of unpacked packages takes their place. Prints, for
// each manual, the boundaries made for each true one, the share of them that is true (precision), and the share of the
// true ones that is found (recall); and the share of true ones by certainty.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { recordResults } from '@grainline/testing/results';
import { chunk } from '../../core/src/index.ts';
import type { TopicMode } from '../../core/src/tiers/registry.ts';
import { sentences } from '../../core/src/sentences/scan.ts';
import { extract } from '../../extract/src/index.ts';
import { staticEmbedder } from '../src/embeddings/static.ts';

/** Packages, and the folder of their English pages. */
const MANUALS: Readonly<Record<string, string>> = {
  'debian-handbook': 'usr/share/doc/debian-handbook/html/en-US',
  'developers-reference': 'usr/share/doc/developers-reference',
  'debian-policy': 'usr/share/doc/debian-policy/policy.html',
  'installation-guide-amd64': 'usr/share/doc/installation-guide-amd64/en',
  'maint-guide': 'usr/share/doc/maint-guide/html',
};
const CACHE = path.resolve(import.meta.dirname, '../../../node_modules/.cache/grainline-chapters');
const TRANSLATIONS =
  /index|toc|\.(?:ca|de|es|fr|id|it|ja|nl|pl|pt|ru|zh-cn|zh-tw)\.html$|^(?:de|fr|it|ja|ru)\//;
/** Sections of fewer sentences have no topic, and of longer ones only the beginning is taken. */
const SENTENCES = { least: 4, most: 40 };
const SECTIONS = 10;
/** The same maximum for both compares them at nearly equal recall. */
const MODES = [
  { topics: 'any', size: 1800 },
  { topics: 'any', size: 6000 },
  { topics: 'certain', size: 6000 },
] as const satisfies readonly { topics: TopicMode; size: number }[];

const [folder = fetched()] = process.argv.slice(2);
const embed = await staticEmbedder();
await recordResults(import.meta.dirname, 'topics of books', async () => {
  console.log('Sections of manuals joined without headings, built-in embedder.\n');
  console.log(
    '| manual | sections | topics | boundaries a true one | precision | recall | true by certainty |',
  );
  console.log('|---|---|---|---|---|---|---|');
  for (const [name, pages] of Object.entries(MANUALS)) {
    const sections = await sectionsOf(path.join(folder, pages));
    for (const mode of MODES)
      console.log(`| ${name} | ${sections.length} | ${await rowOf(sections, mode)} |`);
  }
});

/** Downloads and unpacks the packages unless they are there. */
function fetched(): string {
  mkdirSync(CACHE, { recursive: true });
  for (const name of Object.keys(MANUALS)) {
    if (existsSync(path.join(CACHE, MANUALS[name] ?? ''))) continue;
    const run = (program: string, options: readonly string[]) =>
      execFileSync(program, options, { cwd: CACHE, stdio: ['ignore', 'ignore', 'inherit'] });
    run('apt-get', ['-o', 'APT::Sandbox::User=root', 'download', name]);
    const [archive = ''] = readdirSync(CACHE).filter((file) => file.startsWith(`${name}_`));
    run('dpkg', ['-x', archive, '.']);
  }
  return CACHE;
}

/** The sentences of the sections of a manual's pages, in the order of their names. */
async function sectionsOf(pages: string): Promise<string[][]> {
  const names = readdirSync(pages, { recursive: true, encoding: 'utf8' }).sort();
  const sections: string[][] = [];
  for (const name of names.filter((it) => it.endsWith('.html') && !TRANSLATIONS.test(it))) {
    const { text, blocks } = await extract(readFileSync(path.join(pages, name)), { filename: name });
    let section: string[] = [];
    sections.push(section);
    for (const { kind, depth = 1, start, end } of blocks) {
      if (kind === 'heading' && depth <= 3) sections.push((section = []));
      if (kind === 'paragraph') section.push(...sentencesOf(text.slice(start, end)));
    }
  }
  return sections
    .filter(({ length }) => length >= SENTENCES.least)
    .map((section) => section.slice(0, SENTENCES.most));
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

async function rowOf(sections: readonly string[][], mode: (typeof MODES)[number]): Promise<string> {
  const made: { readonly isTrue: boolean; readonly certainty: number }[] = [];
  let ends = 0;
  for (let first = 0; first + SECTIONS <= sections.length; first += SECTIONS) {
    const parts = sections.slice(first, first + SECTIONS).map((section) => section.join(' '));
    const starts = new Set<number>();
    for (let at = 0, start = 0; at < parts.length; start += (parts[at++]?.length ?? 0) + 1) starts.add(start);
    const options = { tier: 'semantic', kind: 'text', embed, boundaries: true, ...mode } as const;
    const [, ...chunks] = await chunk(parts.join(' '), options);
    ends += SECTIONS - 1;
    for (const { start, metadata } of chunks)
      made.push({ isTrue: starts.has(start), certainty: metadata.boundary?.certainty ?? 0 });
  }
  const found = made.filter(({ isTrue }) => isTrue).length;
  const shares = [0, 0.2, 0.4, 0.6].map((from, at, all) => {
    const within = made.filter(({ certainty }) => certainty >= from && certainty < (all[at + 1] ?? 1));
    const share = within.filter(({ isTrue }) => isTrue).length / within.length;
    return `${from}: ${Number.isNaN(share) ? '–' : share.toFixed(2)} of ${within.length}`;
  });
  const figures = [made.length / ends, found / made.length, found / ends].map((value) => value.toFixed(2));
  return [`${mode.topics}, size ${mode.size}`, ...figures, shares.join(', ')].join(' | ');
}
