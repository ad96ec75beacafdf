// The benchmark of token counting: ours beside its peers on this machine, now. Every figure is CPU time measured in
// a process of its own; rounds are interleaved, and ratios are taken within a round, so that a busy machine does not
// bend them. Naming encodings and corpora measures those alone: `npm run bench -w @grainline/models -- o200k prose`.
import { execFileSync } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { CORPUS_NAMES } from '../../core/bench/corpora.ts';
import { BASELINE, type Counter, COUNTERS, type EncodingName } from './counters.ts';
import type { Job, Result } from './worker.ts';

const WORKER = path.join(import.meta.dirname, 'worker.ts');
const ROUNDS = 3;
const ENCODINGS: readonly EncodingName[] = ['o200k', 'cl100k'];

const present = COUNTERS.filter(({ name, module }) => {
  if (module('o200k') !== undefined) return true;
  console.log(`${name} is missing; install it: npm install --prefix packages/models/peers`);
  return false;
});

console.log(
  `Node ${process.version}, ${os.cpus()[0]?.model ?? 'unknown processor'}, load ${os.loadavg()[0]?.toFixed(1) ?? '?'}`,
);
for (const encoding of asked(ENCODINGS)) {
  corpora(encoding);
  runs(encoding);
}

/** Those of the names that stand on the command line, or all. */
function asked<Name extends string>(names: readonly Name[]): readonly Name[] {
  const some = names.filter((name) => process.argv.includes(name));
  return some.length > 0 ? some : names;
}

/** Speed warm and on the first pass, load time and memory. */
function corpora(encoding: EncodingName): void {
  for (const text of asked(CORPUS_NAMES)) {
    console.log(`\n## ${encoding}, 1 MB of ${text} in documents of 10,000 units (× ${BASELINE})\n`);
    const rounds = Array.from({ length: ROUNDS }, () =>
      present.map(({ name }) => work({ counter: name, encoding, text })),
    );
    for (const [index, counter] of present.entries()) console.log(rowOf(counter, index, rounds));
  }
}

function rowOf({ name }: Counter, index: number, rounds: readonly (readonly Result[])[]): string {
  const baseline = present.findIndex((counter) => counter.name === BASELINE);
  const results = rounds.flatMap((round) => round[index] ?? []);
  const middle = (of: (result: Result) => number): number => median(results.map(of));
  const ratio = (of: (result: Result) => number): string =>
    `${median(rounds.map((round) => of(round[baseline] ?? NONE) / of(round[index] ?? NONE))).toFixed(1)}×`;
  const isSame = results[0]?.tokens === rounds[0]?.[baseline]?.tokens;
  return [
    name.padEnd(20),
    `warm ${(1000 / middle(({ warmMs }) => warmMs)).toFixed(1)} MB/s (${ratio(({ warmMs }) => warmMs)})`.padEnd(
      30,
    ),
    `first ${(1000 / middle(({ firstMs }) => firstMs)).toFixed(1)} MB/s (${ratio(({ firstMs }) => firstMs)})`.padEnd(
      30,
    ),
    `load ${middle(({ loadMs }) => loadMs).toFixed(0)} ms, ${middle(({ loadMiB }) => loadMiB).toFixed(0)} MiB`.padEnd(
      24,
    ),
    `${results[0]?.tokens ?? '?'} tokens${isSame ? '' : ' (differs)'}`,
  ].join('');
}

const NONE: Result = { loadMs: NaN, loadMiB: NaN, firstMs: NaN, warmMs: NaN, tokens: NaN };

/** One letter again and again: what takes all tokenizers of this kind quadratic time. */
function runs(encoding: EncodingName): void {
  console.log(`\n## ${encoding}, one letter n times: CPU ms, and the ratio\n`);
  for (const { name, quadratic } of present) {
    const letters = quadratic ? 10_000 : 500_000;
    const once = work({ counter: name, encoding, text: { letters } }).firstMs;
    const twice = work({ counter: name, encoding, text: { letters: 2 * letters } }).firstMs;
    console.log(
      `${name.padEnd(20)}${letters}: ${once.toFixed(0)} → ${2 * letters}: ${twice.toFixed(0)} (${(twice / once).toFixed(1)})`,
    );
  }
}

function work(job: Job): Result {
  const options = ['--expose-gc', '--no-warnings', WORKER, JSON.stringify(job)];
  return JSON.parse(
    execFileSync(process.execPath, options, { encoding: 'utf8', timeout: 300_000 }),
  ) as Result;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}
