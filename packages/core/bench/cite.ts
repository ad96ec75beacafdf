// `cite` on sentences of real documents, disturbed as language models disturb what they quote: the share found at the
// right place, the share found in documents that do not have them, by bound and by changed words; and its CPU time.
// Documents are the articles of the development corpus beside the repository, else the READMEs of installed packages.
import { recordResults } from '@grainline/testing/results';
import { cite } from '../src/cite/cite.ts';
import { fold } from '../src/cite/fold.ts';
import { sentences } from '../src/sentences/scan.ts';
import { corpus, documents, random } from './corpora.ts';

const SENTENCES = 1000;
/** Letters and digits of a sentence. */
const LETTERS = { least: 40, most: 400 };
const BOUNDS = [0.6, 0.7, 0.75, 0.8, 0.85, 0.9] as const;
/** Words of ten that are left out, replaced or misspelt. */
const CHANGES = [0, 1, 2, 3] as const;
const ROUNDS = 25;

/** Words that replace others. */
const WORDS = 'which also however significant these various often made generally their system result'.split(
  ' ',
);

/** A sentence of no document. */
const INVENTED =
  'The mayor has resigned, and the council has elected the harbour master in her place, who said that evening that no ship would leave before the lamps were mended and the crews had been paid for both winters.';

type Random = ReturnType<typeof random>;

interface Sentence {
  /** Index of its document. */
  readonly document: number;
  readonly start: number;
  readonly end: number;
}

const TEXTS = documents();

const SECTIONS: Readonly<Record<string, () => void>> = { cite: accuracy, 'cite-times': speed };

const named = process.argv.slice(2);
for (const [name, section] of Object.entries(SECTIONS))
  if (named.length === 0 || named.includes(name)) await recordResults(import.meta.dirname, name, section);

/** Rows of bounds, columns of changed words. */
function accuracy(): void {
  const chosen = chooseSentences();
  console.log(
    `${chosen.length} sentences of ${TEXTS.length} documents: found at the right place, and found in another`,
  );
  console.log('document, in %, by the least score and the words of ten that are changed\n');
  const head = CHANGES.map((changed) => `${changed} changed`.padStart(16)).join('');
  console.log(`bound${head}`);
  const found = CHANGES.map((changed) => judge(chosen, changed));
  for (const bound of BOUNDS) {
    const cells = found.map((scores) => {
      const right = share(scores, ({ own, isRight }) => own >= bound && isRight);
      const wrong = share(scores, ({ other }) => other >= bound);
      return `${right.toFixed(1)} ${wrong.toFixed(1)}`.padStart(16);
    });
    console.log(`${bound.toFixed(2).padEnd(5)}${cells.join('')}`);
  }
}

/** A quotation of 300 characters and others in 1 MB. */
function speed(): void {
  console.log(`A quotation in 1 MB of prose, CPU ms, best of ${ROUNDS}\n`);
  for (const [name, ms] of Object.entries(times())) console.log(`${name.padEnd(18)}${ms.toFixed(1)}`);
}

/** Sentences of different documents in turn, each once in its document. */
function chooseSentences(): Sentence[] {
  const next = random(20261127);
  const all = TEXTS.map((text, document) => {
    const { offsets } = sentences(text);
    return Array.from(offsets, (end, at) => ({ document, start: offsets[at - 1] ?? 0, end })).filter(
      ({ start, end }) => {
        const { length } = lettersOf(text.slice(start, end));
        return length >= LETTERS.least && length <= LETTERS.most;
      },
    );
  }).filter((list) => list.length > 0);
  const chosen: Sentence[] = [];
  for (let turn = 0; chosen.length < SENTENCES && all.some((list) => list.length > 0); turn++) {
    const list = all[turn % all.length] ?? [];
    const [sentence] = list.splice(next(Math.max(1, list.length)), 1);
    if (sentence !== undefined) chosen.push(sentence);
  }
  return chosen;
}

interface Judged {
  /** Best score in its own document, and in another one. */
  readonly own: number;
  readonly other: number;
  /** True when the place is that of the sentence, or a place with the same letters. */
  readonly isRight: boolean;
}

function judge(chosen: readonly Sentence[], changed: number): Judged[] {
  const next = random(7 + changed);
  const judged: Judged[] = [];
  for (const { document, start, end } of chosen) {
    const text = TEXTS[document] ?? '';
    const sentence = text.slice(start, end);
    const quote = disturbed(sentence, changed, next);
    const bound = BOUNDS[0];
    const citation = cite(text, quote, { bound });
    const spans = citation?.spans ?? [];
    const from = Math.min(...spans.map((span) => span.start));
    const to = Math.max(...spans.map((span) => span.end));
    const letters = lettersOf(sentence);
    const isTwin = lettersOf(text.slice(from, to)).includes(letters.slice(10, -10));
    const shared = Math.min(to, end) - Math.max(from, start);
    const isRight = isTwin || shared / (Math.max(to, end) - Math.min(from, start)) >= 0.6;
    const elsewhere = TEXTS[(document + 1 + next(TEXTS.length - 1)) % TEXTS.length] ?? '';
    const isThere = lettersOf(elsewhere).includes(letters);
    const other = isThere ? 0 : (cite(elsewhere, quote, { bound })?.score ?? 0);
    judged.push({ own: citation?.score ?? 0, other, isRight });
  }
  return judged;
}

/** A sentence as a model writes it: other typography always, then so many words of ten changed. */
function disturbed(sentence: string, changed: number, next: Random): string {
  let text = sentence
    .replaceAll(/\s+/gu, next(2) === 0 ? ' ' : '\n ')
    .replaceAll(/[“”«»]/gu, '"')
    .replaceAll(/[’‘]/gu, "'")
    .replaceAll(/[–—]/gu, next(2) === 0 ? '-' : ' - ');
  if (next(3) === 0) text = text.replace(',', '');
  if (next(4) === 0) text = text.normalize('NFD').replaceAll(/\p{M}/gu, '');
  if (next(4) === 0) text = text.charAt(0).toLowerCase() + text.slice(1);
  if (next(4) === 0) text = `“${text}”`;
  const words = text.split(' ');
  const changes = Math.round((words.length * changed) / 10);
  for (let count = 0; count < changes; count++) {
    const at = next(words.length);
    const word = words[at] ?? '';
    const kind = next(4);
    if (kind === 0) words.splice(at, 1);
    else if (kind === 1) words[at] = words[next(words.length)] ?? '';
    else if (kind === 2) words[at] = WORDS[next(WORDS.length)] ?? '';
    else words[at] = word.length > 3 ? word.slice(0, 2) + word.slice(3) : `${word}s`;
  }
  // A third of all quotations leave out something in the middle.
  if (words.length > 14 && next(3) === 0) words.splice(5 + next(3), 2 + next(3), '…');
  return words.join(' ');
}

function lettersOf(text: string): string {
  const { units } = fold([{ text, start: 0 }]);
  let letters = '';
  for (let at = 0; at < units.length; at += 4096)
    letters += String.fromCharCode(...units.subarray(at, at + 4096));
  return letters;
}

function share<Item>(items: readonly Item[], holds: (item: Item) => boolean): number {
  return (100 * items.filter(holds).length) / items.length;
}

function times(): Record<string, number> {
  const text = corpus('prose', 1e6);
  const quote = text.slice(700_000, 700_300).replaceAll('…', ' ');
  const changed = quote.replaceAll(/ (\w+) (\w+) (\w+) (\w+) /gu, ' $1 also $3 $4 ');
  const quotes = {
    'as it stands': quote,
    'words changed': changed,
    'not there': INVENTED,
    'of one syllable': 'zq '.repeat(100),
  };
  return Object.fromEntries(
    Object.entries(quotes).map(([name, each]) => [name, bestMs(() => cite(text, each))]),
  );
}

function bestMs(run: () => unknown): number {
  let best = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}
