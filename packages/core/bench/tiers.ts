// The tiers beside one another and beside LangChain's Markdown splitter: CPU time of one process on 1 MB of prose and of
// Markdown, both read as Markdown, at size 1000. Rounds are interleaved and ratios taken within a round, so that a busy
// machine does not bend them; the best of each is the figure that noise bends least.
import { MarkdownTextSplitter } from '@langchain/textsplitters';
import { chunkSync } from '../src/chunk.ts';
import type { TierId } from '../src/tiers/index.ts';
import { corpus } from './corpora.ts';

const ROUNDS = 25;
/** Calls until the engine has compiled what is hot. */
const WARM_UP_ROUNDS = 12;
const UNITS = 1e6;
const SIZE = 1000;
const TIERS: readonly TierId[] = ['free', 'standard', 'structure', 'professional'];
const PEER = 'MarkdownTextSplitter';

for (const name of ['prose', 'markdown'] as const) await compare(name, corpus(name, UNITS));

async function compare(name: string, text: string): Promise<void> {
  const splitter = new MarkdownTextSplitter({ chunkSize: SIZE, chunkOverlap: 0 });
  const works = new Map<string, () => unknown>([[PEER, () => splitter.splitText(text)]]);
  for (const tier of TIERS) works.set(tier, () => chunkSync(text, { tier, kind: 'markdown', size: SIZE }));
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
  console.log(`${name.padEnd(10)}professional / structure: ${ratio('professional', 'structure')}\n`);
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
