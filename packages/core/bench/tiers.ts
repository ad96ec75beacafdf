// The tiers beside one another, beside LangChain's Markdown splitter and, where the peers are installed, beside
// chunkdown: CPU time of one process at size 1000 on 1 MB of prose and of Markdown, both read as Markdown, and of the
// prose read as plain text. Rounds are interleaved and ratios taken within a round, so that a busy machine does not
// bend them; the best of each is the figure that noise bends least. Chunkdown takes seconds for 1 MB, and is timed
// twice, on a tenth of the text: time for each unit counts.
import { recordResults } from '@grainline/testing/results';
import { MarkdownTextSplitter } from '@langchain/textsplitters';
import type { TextKind } from '../src/blocks/index.ts';
import { chunkSync } from '../src/chunk.ts';
import type { SyncTierId } from '../src/tiers/registry.ts';
import { corpus } from './corpora.ts';
import { resolvePeer } from './splitters.ts';

const ROUNDS = 25;
/** Calls until the engine has compiled what is hot. */
const WARM_UP_ROUNDS = 60;
const UNITS = 1e6;
const SIZE = 1000;
const TIERS: readonly SyncTierId[] = ['free', 'standard', 'structure', 'professional'];
const PEER = 'MarkdownTextSplitter';
/** One that reads Markdown into a tree, as a tier of ours does. */
const SLOW_PEER = 'chunkdown';
const SLOW_ROUNDS = 2;
const SLOW_SHARE = 0.1;

const chunkdownAt = resolvePeer(SLOW_PEER);
if (chunkdownAt === undefined)
  console.log(`${SLOW_PEER} is missing; install it: npm install --prefix packages/core/peers`);

await recordResults(import.meta.dirname, 'tiers', async () => {
  await compare('prose', corpus('prose', UNITS), 'markdown');
  await compare('markdown', corpus('markdown', UNITS), 'markdown');
  await compare('plain', corpus('prose', UNITS), 'text');
});

async function compare(name: string, text: string, kind: TextKind): Promise<void> {
  const splitter = new MarkdownTextSplitter({ chunkSize: SIZE, chunkOverlap: 0 });
  const works = new Map<string, () => unknown>([[PEER, () => splitter.splitText(text)]]);
  for (const tier of TIERS) works.set(tier, () => chunkSync(text, { tier, kind, size: SIZE }));
  const times = new Map<string, number[]>();
  for (const [key, work] of works) {
    for (let round = 0; round < WARM_UP_ROUNDS; round++) await work();
    times.set(key, []);
  }
  for (let round = 0; round < ROUNDS; round++)
    for (const [key, work] of works) times.get(key)?.push(await cpuMs(work));

  const of = (key: string): number[] => times.get(key) ?? [];
  const ratio = (one: string, other: string): string => {
    const rounds = of(one).map((ms, round) => ms / (of(other)[round] ?? NaN));
    return `${(Math.min(...of(one)) / Math.min(...of(other))).toFixed(2)} by the best, ${median(rounds).toFixed(2)} by the median round`;
  };
  for (const key of works.keys())
    console.log(
      `${name.padEnd(10)}${key.padEnd(22)}${(text.length / 1000 / Math.min(...of(key))).toFixed(0)} MB/s`,
    );
  console.log(`${name.padEnd(10)}${PEER} / structure: ${ratio(PEER, 'structure')}`);
  console.log(`${name.padEnd(10)}structure / standard: ${ratio('structure', 'standard')}`);
  console.log(`${name.padEnd(10)}professional / structure: ${ratio('professional', 'structure')}`);
  if (chunkdownAt !== undefined) {
    const part = text.slice(0, text.length * SLOW_SHARE);
    const slowMs = (await chunkdownMs(chunkdownAt, part)) / SLOW_SHARE;
    console.log(
      `${name.padEnd(10)}${SLOW_PEER} / structure: ${(slowMs / Math.min(...of('structure'))).toFixed(0)} by the best`,
    );
  }
  console.log();
}

interface Chunkdown {
  readonly chunkdown: (options: object) => { readonly split: (text: string) => unknown };
}

async function chunkdownMs(at: string, text: string): Promise<number> {
  const { chunkdown } = (await import(at)) as Chunkdown;
  const splitter = chunkdown({ chunkSize: SIZE, maxOverflowRatio: 1 });
  const times: number[] = [];
  for (let round = 0; round < SLOW_ROUNDS; round++) times.push(await cpuMs(() => splitter.split(text)));
  return Math.min(...times);
}

/** CPU milliseconds of a call. */
async function cpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;
}
