// Block detection beside mdast-util-from-markdown with GFM: CPU time of one process, rounds interleaved, ratios taken
// within a round, so that a busy machine does not bend them. The second table shows that hostile nesting costs no more
// than its length: what twice the text multiplies its time by.
import { recordResults } from '@grainline/testing/results';
import { blocksOf } from '../src/blocks/index.ts';
import { loadOracle } from '../test/blocks/oracle.ts';
import { corpus } from './corpora.ts';
import { NESTED } from '../test/blocks/nested.ts';

const ROUNDS = 5;
const BYTES = 1e6;
/** Hostile texts are doubled until they take so long, … */
const LONG_ENOUGH_MS = 20;
const FEWEST_MARKS = 300_000;
const MOST_MARKS = 2_400_000;
/** … then so often again: one doubling alone tells more of when garbage is collected than of the scanner. */
const DOUBLINGS = 3;
const HOSTILE_ROUNDS = 3;

const oracle = await loadOracle();
if (oracle === undefined) {
  console.log(
    'mdast-util-from-markdown, mdast-util-gfm and micromark-extension-gfm are missing: no peer to compare with',
  );
}

/** CPU milliseconds that a piece of work takes. */
function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

await recordResults(import.meta.dirname, 'blocks', detect);
await recordResults(import.meta.dirname, 'blocks, hostile', detectHostile);

function detect(): void {
  console.log(`Block detection, MB/s of CPU time, median of ${ROUNDS} rounds\n`);
  for (const name of ['prose', 'markdown', 'cjk'] as const) {
    const text = corpus(name, BYTES);
    // A tenth for the peer, or the bench would take minutes.
    const part = text.slice(0, text.length / 10);
    for (let warm = 0; warm < 3; warm++) blocksOf(text, 'markdown');
    oracle?.(part);
    const ours: number[] = [];
    const plain: number[] = [];
    const ratios: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const mine = cpuMs(() => Array.from({ length: 10 }, () => blocksOf(text, 'markdown'))) / 10;
      plain.push(cpuMs(() => Array.from({ length: 10 }, () => blocksOf(text, 'text'))) / 10);
      ours.push(mine);
      if (oracle !== undefined) ratios.push((cpuMs(() => oracle(part)) * 10) / mine);
    }
    const speed = (ms: number): string => (BYTES / 1000 / ms).toFixed(0);
    const peer =
      ratios.length === 0 ? '' : `, ${median(ratios).toFixed(0)} × mdast-util-from-markdown with GFM`;
    console.log(
      `${name.padEnd(9)} Markdown ${speed(median(ours))}${peer}; plain text ${speed(median(plain))}`,
    );
  }
}

function detectHostile(): void {
  console.log(
    '\nHostile nesting: marks, ms, and by how much each of three doublings multiplies that, on average',
  );
  for (const [name, make] of Object.entries(NESTED)) {
    blocksOf(make(3000), 'markdown');
    let marks = FEWEST_MARKS;
    while (marks < MOST_MARKS && bestMs(make(marks)) < LONG_ENOUGH_MS) marks *= 2;
    const ms = bestMs(make(marks));
    const factor = (bestMs(make(marks * 2 ** DOUBLINGS)) / ms) ** (1 / DOUBLINGS);
    console.log(
      `${name.padEnd(64)} ${marks.toLocaleString('en').padStart(9)} ${ms.toFixed(1).padStart(6)}  ${factor.toFixed(1)}`,
    );
  }
}

function bestMs(text: string): number {
  return Math.min(...Array.from({ length: HOSTILE_ROUNDS }, () => cpuMs(() => blocksOf(text, 'markdown'))));
}
