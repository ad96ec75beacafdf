// How well the tier `semantic` finds topics, in texts that nothing here was chosen on (the manuals of this machine) or
// in documents of Choi (2000), files that end in .ref, with a line of = before each topic.
//   node packages/models/bench/topics.ts [FOLDER] [seed] [FOLDER of minilm, as scripts/minilm.mjs writes it]
// Manuals become documents as Choi made his: ten pieces of 3 to 11 sentences in a row, each from another manual,
// joined by blanks alone. Prints Pk with a 95 % interval (bootstrap over documents), for structure, for semantic with
// the built-in table or the model, and for somebody who knows every topic and has to cut those that are longer than
// the maximum: evenly, as few times as that takes. Of a tier also the share of topics' ends that are found, and of
// text that stands in a chunk with more of another topic.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { recordResults } from '@grainline/testing/results';
import { chunk } from '../../core/src/index.ts';
import { sentences } from '../../core/src/sentences/scan.ts';
import { loadEmbedder } from './embedder.ts';

const [folder = '/usr/share/man/man1', seedText = '1', modelFolder] = process.argv.slice(2);
const DOCUMENTS = 100;
const PIECES = 10;
const SENTENCES = { least: 3, most: 11 };
/** A page must have so many sentences of prose in a row. */
const LEAST_PROSE = SENTENCES.most;
const RESAMPLES = 2000;
const SIZE = 1800;

/** Numbers from 0 up to 1 (mulberry32), so that everybody draws the same. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The sentences of a page's description, without what only marks it up. */
function proseOf(page: string): string[] {
  const [, description = ''] = /^\.S[hH] "?DESCRIPTION"?\s*$([^]*?)(?=^\.S[hH] )/m.exec(page) ?? [];
  const text = description
    .replaceAll(/^(?:'|\.\\"|\.(?!(?:B|I|BR|IR|RB|RI|BI|IB|Nm|Xr) )).*$/gm, '')
    .replaceAll(/^\.[A-Za-z]+ /gm, '')
    .replaceAll(/\\f(?:\[\w*\]|\(..|.)|\\[&/,|^]|\\s[-+]?\d/g, '')
    .replaceAll(/\\\((?:aq|cq|oq)|\\\*\(Aq/g, "'")
    .replaceAll(/\\\((?:lq|rq|dq)|\\\*\([lr]q/g, '"')
    .replaceAll(/\\(?:-|\((?:em|en|hy|mi))/g, '-')
    .replaceAll(/\\[hv]'[^']*'|\\c$|\\\((?:bu|co|rg|tm)/gm, ' ')
    .replaceAll(/\\\*(?:\(..|\[\w*\]|.)/g, '')
    .replaceAll(/\\e/g, '\\')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const { offsets } = sentences(text, 0, text.length);
  const ends = [...new Set([...offsets, text.length])];
  return ends
    .map((end, at) => text.slice(ends[at - 1] ?? 0, end).trim())
    .filter((sentence) => (sentence.match(/[a-z]{2,}/gi) ?? []).length >= 4);
}

interface Sample {
  readonly text: string;
  /** Offsets at which sentences begin. */
  readonly starts: readonly number[];
  /** The topic of each. */
  readonly topics: readonly number[];
}

/** Sentences one behind the other, with a blank between. */
function joined(sentencesOf: readonly (readonly string[])[]): Sample {
  const [starts, topics]: [number[], number[]] = [[], []];
  let text = '';
  for (const [topic, part] of sentencesOf.entries()) {
    for (const sentence of part) {
      if (text !== '') text += ' ';
      starts.push(text.length);
      topics.push(topic);
      text += sentence;
    }
  }
  return { text, starts, topics };
}

function choi(names: readonly string[]): Sample[] {
  return names.map((name) => {
    const parts = readFileSync(path.join(folder, name), 'utf8').split(/^=+$/m);
    const lines = parts.map((part) => part.split('\n').map((line) => line.trim()));
    return joined(lines.map((part) => part.filter((line) => line !== '')).filter(({ length }) => length > 0));
  });
}

function manuals(names: readonly string[]): Sample[] {
  const pages = names
    .filter((name) => /\.\d\w*\.gz$/.test(name))
    .map((name) => proseOf(gunzipSync(readFileSync(path.join(folder, name))).toString()))
    .filter((prose) => prose.length >= LEAST_PROSE);
  const seen = new Set<string>();
  // Pages that share their beginning are one page under two names, or one family's boilerplate.
  const fresh = pages.filter((prose) => {
    const key = (prose[0] ?? '').toLowerCase().slice(0, 40);
    const isFresh = !seen.has(key);
    seen.add(key);
    return isFresh;
  });
  console.log(`${pages.length} pages with enough prose, ${fresh.length} of them different`);
  const random = randomFrom(Number(seedText));
  const upTo = (count: number): number => Math.floor(random() * count);
  return Array.from({ length: DOCUMENTS }, () => {
    const left = [...fresh];
    const pieces = Array.from({ length: PIECES }, () => {
      const [prose = []] = left.splice(upTo(left.length), 1);
      const count = SENTENCES.least + upTo(SENTENCES.most - SENTENCES.least + 1);
      const first = upTo(prose.length - count + 1);
      return prose.slice(first, first + count);
    });
    return joined(pieces);
  });
}

/** For each sentence whether a chunk begins with it, or nearer to its beginning than to another one's. */
function cutsAt({ starts }: Sample, boundaries: readonly number[]): boolean[] {
  return starts.map((start, at) => {
    const middle = (start + (starts[at + 1] ?? Infinity)) / 2;
    const before = at === 0 ? 0 : ((starts[at - 1] ?? 0) + start) / 2;
    return boundaries.some((boundary) => boundary > before && boundary <= middle && at > 0);
  });
}

/** Share of the pairs of sentences half a topic apart that are wrongly together or apart (Beeferman 1999). */
function pk({ topics }: Sample, cuts: readonly boolean[]): number {
  let sum = 0;
  const chunks = cuts.map((isCut) => (sum += isCut ? 1 : 0));
  const apart = Math.max(1, Math.round(topics.length / PIECES / 2));
  let wrong = 0;
  for (let at = 0; at + apart < topics.length; at++) {
    const same = topics[at] === topics[at + apart];
    if (same !== (chunks[at] === chunks[at + apart])) wrong++;
  }
  return wrong / (topics.length - apart);
}

/** Where the topics end, and in those that are longer than `size` evenly, as few times as that takes. */
function knowing({ text, starts, topics }: Sample, size: number): boolean[] {
  const cuts = topics.map((topic, at) => at > 0 && topic !== topics[at - 1]);
  const ends = starts.map((_, at) => (starts[at + 1] ?? text.length + 1) - 1);
  for (let first = 0; first < topics.length;) {
    const last = topics.lastIndexOf(topics[first] ?? 0);
    for (let parts = 1; ; parts++) {
      const length = (ends[last] ?? 0) - (starts[first] ?? 0);
      const inner = new Set<number>();
      for (let part = 1; part < parts; part++)
        inner.add(nearest(starts, (starts[first] ?? 0) + (length * part) / parts, first + 1, last));
      const firsts = [first, ...[...inner].sort((a, b) => a - b), last + 1];
      const fits = firsts.slice(1).every((end, at) => {
        const begin = firsts[at] ?? 0;
        return end - begin === 1 || (ends[end - 1] ?? 0) - (starts[begin] ?? 0) <= size;
      });
      if (!fits) continue;
      for (const at of inner) cuts[at] = true;
      break;
    }
    first = last + 1;
  }
  return cuts;
}

function nearest(starts: readonly number[], to: number, first: number, last: number): number {
  let best = first;
  for (let at = first; at <= last; at++)
    if (Math.abs((starts[at] ?? 0) - to) < Math.abs((starts[best] ?? 0) - to)) best = at;
  return best;
}

/** Share of the topics' ends that are cuts. */
function foundShare({ topics }: Sample, cuts: readonly boolean[]): number {
  const ends = topics.flatMap((topic, at) => (at > 0 && topic !== topics[at - 1] ? [at] : []));
  return ends.filter((at) => cuts[at]).length / ends.length;
}

/** Share of the text that stands in a chunk with more of another topic. */
function strayShare({ text, starts, topics }: Sample, cuts: readonly boolean[]): number {
  let stray = 0;
  let chunk = new Map<number, number>();
  const close = (): void => {
    const lengths = [...chunk.values()];
    stray += lengths.reduce((sum, length) => sum + length, 0) - Math.max(0, ...lengths);
    chunk = new Map();
  };
  for (const [at, topic] of topics.entries()) {
    if (cuts[at] === true) close();
    const length = (starts[at + 1] ?? text.length) - (starts[at] ?? 0);
    chunk.set(topic, (chunk.get(topic) ?? 0) + length);
  }
  close();
  return stray / text.length;
}

const mean = (list: readonly number[]): number => list.reduce((sum, value) => sum + value, 0) / list.length;

function report(name: string, values: readonly number[]): void {
  const random = randomFrom(7);
  const means = Array.from({ length: RESAMPLES }, () =>
    mean(values.map(() => values[Math.floor(random() * values.length)] ?? 0)),
  ).sort((a, b) => a - b);
  const [low = 0, high = 0] = [means[RESAMPLES * 0.025], means[RESAMPLES * 0.975]];
  console.log(`${name}: Pk ${mean(values).toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`);
}

const names = readdirSync(folder).sort();
const documents = names.filter((name) => name.endsWith('.ref'));
const all = documents.length > 0 ? choi(documents) : manuals(names);
const { embed, name: embedder } = await loadEmbedder(modelFolder);
const source = documents.length > 0 ? "Choi's documents" : 'manuals';
const TIERS = ['structure', 'semantic'] as const;
await recordResults(import.meta.dirname, `topics of ${source}, ${embedder}`, measure);

async function measure(): Promise<void> {
  report(
    'nothing cut',
    all.map((sample) => pk(sample, cutsAt(sample, []))),
  );
  for (const size of [SIZE / 2, SIZE, 2 * SIZE]) {
    report(
      `who knows the topics ${size}`,
      all.map((sample) => pk(sample, knowing(sample, size))),
    );
    for (const tier of TIERS) {
      const cuts: boolean[][] = [];
      for (const sample of all) {
        const options = tier === 'semantic' ? ({ tier, embed } as const) : ({ tier } as const);
        const chunks = await chunk(sample.text, { ...options, size, kind: 'text' });
        cuts.push(
          cutsAt(
            sample,
            chunks.slice(1).map(({ start }) => start),
          ),
        );
      }
      const each = (value: (sample: Sample, found: readonly boolean[]) => number): number[] =>
        all.map((sample, at) => value(sample, cuts[at] ?? []));
      report(`${tier} ${size}`, each(pk));
      const [found, stray] = [mean(each(foundShare)), mean(each(strayShare))];
      console.log(`  ends found ${(100 * found).toFixed(0)} %, stray text ${(100 * stray).toFixed(1)} %`);
    }
  }
  const lengths = all.flatMap(({ text, starts, topics }) =>
    Array.from({ length: (topics.at(-1) ?? 0) + 1 }, (_, topic) => {
      const from = starts[topics.indexOf(topic)] ?? 0;
      return (starts[topics.indexOf(topic + 1)] ?? text.length) - from;
    }),
  );
  console.log(
    `${all.length} documents; topics of ${Math.round(lengths.reduce((a, b) => a + b) / lengths.length)} characters in the mean`,
  );
}
