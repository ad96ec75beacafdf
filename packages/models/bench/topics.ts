// How well the tier `semantic` finds topics in texts that nothing here was chosen on: the manuals of this machine.
//   node packages/models/bench/topics.ts [FOLDER of man pages] [seed]
// As Choi (2000) made his documents: ten pieces of 3 to 11 sentences in a row, each from another manual, joined by blanks
// alone. Prints Pk with a 95 % interval (bootstrap over documents), for structure and for semantic with the built-in table.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { chunk, chunkSync } from '../../core/src/index.ts';
import { sentences } from '../../core/src/sentences/index.ts';
import { staticEmbedder } from '../src/embeddings/static.ts';

const [folder = '/usr/share/man/man1', seedText = '1'] = process.argv.slice(2);
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

function samples(): Sample[] {
  const pages = readdirSync(folder)
    .sort()
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
    const [starts, topics]: [number[], number[]] = [[], []];
    let text = '';
    for (let topic = 0; topic < PIECES; topic++) {
      const [prose = []] = left.splice(upTo(left.length), 1);
      const count = SENTENCES.least + upTo(SENTENCES.most - SENTENCES.least + 1);
      const first = upTo(prose.length - count + 1);
      for (const sentence of prose.slice(first, first + count)) {
        if (text !== '') text += ' ';
        starts.push(text.length);
        topics.push(topic);
        text += sentence;
      }
    }
    return { text, starts, topics };
  });
}

/** Share of the pairs of sentences half a topic apart that are wrongly together or apart (Beeferman 1999). */
function pk({ starts, topics }: Sample, boundaries: readonly number[]): number {
  const cut = starts.map((start, at) => {
    const middle = (start + (starts[at + 1] ?? Infinity)) / 2;
    const before = at === 0 ? 0 : ((starts[at - 1] ?? 0) + start) / 2;
    return boundaries.some((boundary) => boundary > before && boundary <= middle && at > 0) ? 1 : 0;
  });
  let sum = 0;
  const chunks = cut.map((one) => (sum += one));
  const apart = Math.max(1, Math.round(topics.length / PIECES / 2));
  let wrong = 0;
  for (let at = 0; at + apart < topics.length; at++) {
    const same = topics[at] === topics[at + apart];
    if (same !== (chunks[at] === chunks[at + apart])) wrong++;
  }
  return wrong / (topics.length - apart);
}

function report(name: string, values: readonly number[]): void {
  const mean = (list: readonly number[]): number => list.reduce((sum, value) => sum + value, 0) / list.length;
  const random = randomFrom(7);
  const means = Array.from({ length: RESAMPLES }, () =>
    mean(values.map(() => values[Math.floor(random() * values.length)] ?? 0)),
  ).sort((a, b) => a - b);
  const [low = 0, high = 0] = [means[RESAMPLES * 0.025], means[RESAMPLES * 0.975]];
  console.log(`${name}: Pk ${mean(values).toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`);
}

const all = samples();
const embed = await staticEmbedder();
const beginnings = (pieces: readonly { readonly start: number }[]): number[] =>
  pieces.slice(1).map(({ start }) => start);
report(
  'nothing cut',
  all.map((sample) => pk(sample, [])),
);
for (const size of [SIZE / 2, SIZE, 2 * SIZE]) {
  const options = { size, kind: 'text' } as const;
  report(
    `structure ${size}`,
    all.map((sample) => pk(sample, beginnings(chunkSync(sample.text, { ...options, tier: 'structure' })))),
  );
  const found: number[] = [];
  for (const sample of all)
    found.push(pk(sample, beginnings(await chunk(sample.text, { ...options, tier: 'semantic', embed }))));
  report(`semantic ${size}`, found);
}
const lengths = all.flatMap(({ text, starts, topics }) =>
  Array.from({ length: PIECES }, (_, topic) => {
    const from = starts[topics.indexOf(topic)] ?? 0;
    return (starts[topics.indexOf(topic + 1)] ?? text.length) - from;
  }),
);
console.log(
  `${all.length} documents; topics of ${Math.round(lengths.reduce((a, b) => a + b) / lengths.length)} characters in the mean`,
);
