// Sentences beside Intl.Segmenter on this machine, now: CPU time of one process, rounds interleaved, best of each.
// Prose is that of the main benchmark; Cyrillic prose is its letters written as Russian ones, so that word lengths and
// marks stay; other languages are made by languages.ts. A language has to be 1.7 times as fast where words stand
// between blanks. Names as arguments choose among them. `--hostile` times n and 2n units of inputs that make a
// careless scanner quadratic.
import { recordResults } from '@grainline/testing/results';
import { sentences } from '../src/sentences/scan.ts';
import { corpus } from './corpora.ts';
import { HOSTILE } from './hostile.ts';
import { textIn } from './languages.ts';

const ROUNDS = 25;
/** Calls until the engine has compiled what is hot. */
const WARM_UP_ROUNDS = 40;
const UNITS = 1e6;
const CYRILLIC = 'абцдефгхийклмнопярстувшхыз';

const fill = (part: string, units: number): string =>
  Buffer.from(
    part
      .repeat(Math.ceil(units / part.length))
      .slice(0, units)
      .toWellFormed(),
  ).toString();

const HOSTILE_MARKS: Readonly<Record<string, (units: number) => string>> = {
  dots: (units) => fill('.', units),
  'spaced dots': (units) => fill('. ', units),
  'quotation marks': (units) => fill('"', units),
  'marks and quotation marks': (units) => fill('?"', units),
  'closed marks': (units) => fill('A.” ', units),
  'opening brackets': (units) => fill('(', units),
  'brackets with marks': (units) => fill('(a. B) ', units),
  initials: (units) => fill('A. ', units),
  'dotted letters': (units) => fill('a.', units),
  'one mark, then blanks': (units) => fill(`A.${' '.repeat(5000)}`, units),
  numbers: (units) => fill('1. 2. ', units),
  'blanks and accents': (units) => fill(' \u0301', units),
  'Thai without blanks': (units) => fill('เด็ก', units),
  'Chinese without marks': (units) => fill('孩子', units),
};

function main(): void {
  if (process.argv.includes('--hostile')) {
    hostile();
    return;
  }
  const chosen = process.argv.slice(2);
  for (const [name, text] of Object.entries(texts()))
    if (chosen.length === 0 || chosen.includes(name)) compare(name, text);
}

function texts(): Record<string, string> {
  const prose = corpus('prose', UNITS);
  const korean = textIn('Korean', UNITS);
  return {
    prose,
    wrapped: wrap(prose),
    Vietnamese: textIn('Vietnamese', UNITS),
    Cyrillic: toCyrillic(prose),
    Greek: textIn('Greek', UNITS),
    Arabic: textIn('Arabic', UNITS),
    Hindi: textIn('Hindi', UNITS),
    Korean: korean,
    'wrapped Korean': wrap(korean),
    Chinese: corpus('cjk', UNITS),
    Japanese: textIn('Japanese', UNITS),
  };
}

/** Lines of about 72 units, as in a text file. */
function wrap(text: string): string {
  return Buffer.from(text.replace(/(.{60,72}) /g, '$1\n')).toString();
}

function toCyrillic(text: string): string {
  const written = text.replace(/[a-z]/gi, (letter) => {
    const small = CYRILLIC.charAt(letter.toLowerCase().charCodeAt(0) - 97);
    return letter === letter.toLowerCase() ? small : small.toUpperCase();
  });
  return Buffer.from(written).toString();
}

function compare(name: string, text: string): void {
  const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
  const ours: number[] = [];
  const theirs: number[] = [];
  let counted = 0;
  for (let round = 0; round < WARM_UP_ROUNDS; round++) sentences(text);
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(time(() => (counted = sentences(text).offsets.length)));
    theirs.push(
      time(() => {
        const ends: number[] = [];
        for (const { index } of segmenter.segment(text)) ends.push(index);
        return ends.length;
      }),
    );
  }
  const [own, icu] = [Math.min(...ours), Math.min(...theirs)];
  const ratio = median(ours.map((ms, round) => (theirs[round] ?? NaN) / ms));
  console.log(
    `${name.padEnd(14)} ${counted} sentences  ${rate(text, own)}  Intl.Segmenter ${rate(text, icu)}  ${(icu / own).toFixed(1)}× by the best, ${ratio.toFixed(1)}× by the median round`,
  );
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;

const rate = (text: string, ms: number): string => `${(text.length / 1000 / ms).toFixed(0)} million units/s`;

function hostile(): void {
  for (const [name, make] of Object.entries({ ...HOSTILE, ...HOSTILE_MARKS })) {
    const [once = NaN, twice = NaN] = [25e5, 5e6].map((units) => {
      const text = make(units);
      return Math.min(...[1, 2].map(() => time(() => sentences(text).offsets.length)));
    });
    console.log(
      `${name.padEnd(26)} ${once.toFixed(0)} → ${twice.toFixed(0)} ms (${(twice / once).toFixed(1)})`,
    );
  }
}

/** CPU milliseconds of a call. */
function time(work: () => number): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

await recordResults(
  import.meta.dirname,
  process.argv.includes('--hostile') ? 'sentences, hostile' : 'sentences',
  main,
);
