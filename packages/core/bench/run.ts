// The benchmark: our free tier beside its peers on this machine, now. Every figure is CPU time measured in a process
// of its own; rounds are interleaved, and ratios are taken within a round, so that a busy machine does not bend them.
// Sections: split, start, large, hostile; naming some on the command line runs those alone.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { recordResults } from '@grainline/testing/results';
import { CORPUS_NAMES, type CorpusName } from './corpora.ts';
import { HOSTILE } from './hostile.ts';
import { BASELINE, SPLITTERS, type Splitter } from './splitters.ts';
import type { Job, Result } from './worker.ts';

const WORKER = path.join(import.meta.dirname, 'worker.ts');
const ROUNDS = 3;
const FRESH_PROCESSES = 20;
const OURS = ['grainline chunkSync', 'grainline chunkFree'];

const SECTIONS: Readonly<Record<string, () => void>> = { split, start, large, hostile };

const present = SPLITTERS.filter((splitter) => {
  if (splitter.module !== undefined) return true;
  console.log(`${splitter.name} is missing; install it: npm install --prefix packages/core/peers`);
  return false;
});
const chosen = process.argv.slice(2).filter((name) => Object.hasOwn(SECTIONS, name));

for (const [name, section] of Object.entries(SECTIONS)) {
  if (chosen.length === 0 || chosen.includes(name)) await recordResults(import.meta.dirname, name, section);
}

/** Speed and the ratio to LangChain by corpus, size and overlap. */
function split(): void {
  for (const bytes of [1e6, 1e7]) {
    for (const overlap of [0, 200]) {
      console.log(
        `\n## Splitting ${bytes / 1e6} MB, size 1000, overlap ${overlap}: MB/s (× LangChain, same chunks?)\n`,
      );
      const rows = CORPUS_NAMES.map((corpus) => measureCorpus(corpus, bytes, overlap));
      for (const [index, splitter] of present.entries()) {
        console.log(
          [splitter.name.padEnd(28), ...rows.map((row) => (row[index] ?? '–').padEnd(32))].join(''),
        );
      }
    }
  }
}

/** One cell for each splitter that is present. */
function measureCorpus(corpus: CorpusName, bytes: number, overlap: number): string[] {
  const rounds = Array.from({ length: ROUNDS }, () =>
    present.map((splitter) => {
      if (overlap > 0 && !splitter.takesOverlap) return undefined;
      return work({ kind: 'split', splitter: splitter.name, corpus, bytes, overlap });
    }),
  );
  const baseline = present.findIndex(({ name }) => name === BASELINE);
  return present.map((_splitter, index) => {
    const results = rounds.map((round) => round[index]).filter((result) => result !== undefined);
    if (results.length === 0) return '–';
    const speed = bytes / 1000 / median(results.map(({ ms }) => ms));
    const ratio = median(rounds.map((round) => (round[baseline]?.ms ?? NaN) / (round[index]?.ms ?? NaN)));
    return `${corpus} ${speed.toFixed(0)} (${ratio.toFixed(1)}×, ${agreement(results[0], rounds[0]?.[baseline])})`;
  });
}

/** `same` when both gave the same texts in the same order, else how many chunks more or fewer it gave. */
function agreement(result: Result | undefined, baseline: Result | undefined): string {
  if (result === undefined || baseline === undefined) return 'not compared';
  if (result.digest === baseline.digest) return 'same';
  const more = result.chunks - baseline.chunks;
  return more === 0 ? 'other chunks' : `${more > 0 ? '+' : '−'}${Math.abs(more)} chunks`;
}

/** Import and first call in fresh processes. */
function start(): void {
  console.log(
    `\n## Start-up, median of ${FRESH_PROCESSES} fresh processes: CPU ms of the import, and of the first call on 200 kB\n`,
  );
  const runs = Array.from({ length: FRESH_PROCESSES }, () =>
    present.map(({ name }) => work({ kind: 'start', splitter: name })),
  );
  for (const [index, splitter] of present.entries()) {
    const results = runs.map((run) => run[index]).filter((result) => result !== undefined);
    const importMs = median(results.map((result) => result.importMs ?? NaN));
    const callMs = median(results.map((result) => result.ms));
    console.log(
      `${splitter.name.padEnd(28)}import ${importMs.toFixed(1).padStart(7)}   first call ${callMs.toFixed(1).padStart(7)}`,
    );
  }
}

/** One string of 100 MB, and one that gives more chunks than a spread call can take. */
function large(): void {
  console.log(
    '\n## One string of 100 MB of prose: CPU s, heap grown by with garbage, heap held by the chunks\n',
  );
  for (const splitter of withoutSlow()) {
    const {
      ms,
      grownMiB = 0,
      heldMiB = 0,
      chunks,
    } = work({ kind: 'large', splitter: splitter.name, bytes: 1e8 });
    const perChunk = (heldMiB * 2 ** 20) / chunks;
    console.log(
      `${splitter.name.padEnd(28)}${(ms / 1000).toFixed(2)} s   +${grownMiB.toFixed(0)} MiB   ${heldMiB.toFixed(0)} MiB held, ${perChunk.toFixed(0)} bytes for each of ${chunks} chunks`,
    );
  }
}

/** Time for n and for twice as much; linear is a ratio near 2. */
function hostile(): void {
  console.log('\n## Hostile inputs of 5 and 10 million units: CPU ms, and the ratio\n');
  for (const shape of Object.keys(HOSTILE)) printDoubling(shape, 5e6);
  console.log('\n## One line of 25 and of 50 million units\n');
  printDoubling('one line of words', 25e6);
}

function printDoubling(shape: string, units: number): void {
  const cells = [...OURS.slice(0, 1), BASELINE].map((splitter) => {
    const [once, twice] = [units, 2 * units].map((length) =>
      attempt({ kind: 'hostile', splitter, shape, units: length }),
    );
    return once === undefined || twice === undefined
      ? `${splitter} failed`
      : `${splitter} ${once.ms.toFixed(0)} → ${twice.ms.toFixed(0)} (${(twice.ms / once.ms).toFixed(1)})`;
  });
  console.log(`${shape.padEnd(28)}${cells.map((cell) => cell.padEnd(48)).join('')}`);
}

function withoutSlow(): readonly Splitter[] {
  return present.filter(({ name }) => name !== '@chonkiejs/core Recursive');
}

function attempt(job: Job): Result | undefined {
  try {
    return work(job);
  } catch {
    return undefined;
  }
}

function work(job: Job): Result {
  const options = ['--expose-gc', '--max-old-space-size=6144', '--no-warnings', WORKER, JSON.stringify(job)];
  return JSON.parse(
    execFileSync(process.execPath, options, { encoding: 'utf8', timeout: 120_000 }),
  ) as Result;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}
