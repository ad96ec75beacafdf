// The benchmark of token counting, and of splitting by tokens: ours beside its peers on this machine, now. Every figure
// is CPU time measured in a process of its own; rounds are interleaved, and ratios are taken within a round, so that a
// busy machine does not bend them. Naming sections, encodings and corpora measures those alone, as in `npm run bench -w
// @grainline/models -- tokens o200k prose`.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { recordResults } from '@grainline/testing/results';
import { CORPUS_NAMES } from '../../core/bench/corpora.ts';
import { BASELINE, type Counter, COUNTERS, type EncodingName, OURS } from './counters.ts';
import type { SplitJob, SplitResult } from './split-worker.ts';
import type { Job, Result } from './worker.ts';

const WORKER = path.join(import.meta.dirname, 'worker.ts');
const SPLIT_WORKER = path.join(import.meta.dirname, 'split-worker.ts');
/** The counters that are split with, ours first. */
const SPLIT_WITH: readonly string[] = [OURS, BASELINE, 'js-tiktoken'];
const ROUNDS = 3;
/** The sections: counting, and splitting at 512 tokens. */
const SECTIONS = ['counts', 'tokens'] as const;
const ENCODINGS: readonly EncodingName[] = ['o200k', 'cl100k'];
/** In place of a counter that is not installed. */
const NONE: Result = { loadMs: NaN, loadMiB: NaN, firstMs: NaN, warmMs: NaN, tokens: NaN };

const present = COUNTERS.filter(({ name, module }) => {
  if (module('o200k') !== undefined) return true;
  console.log(`${name} is missing; install it: npm install --prefix packages/models/peers`);
  return false;
});

const sections = selected(SECTIONS);
for (const encoding of selected(ENCODINGS)) {
  if (sections.includes('counts'))
    await recordResults(import.meta.dirname, `counting ${encoding}`, () => {
      corpora(encoding);
      runs(encoding);
    });
  if (sections.includes('tokens'))
    await recordResults(import.meta.dirname, `splitting by ${encoding}`, () => splitting(encoding));
}

/** Those of the names that stand on the command line, or all. */
function selected<Name extends string>(names: readonly Name[]): readonly Name[] {
  const some = names.filter((name) => process.argv.includes(name));
  return some.length > 0 ? some : names;
}

/** Speed warm and on the first pass, load time and memory. */
function corpora(encoding: EncodingName): void {
  for (const text of selected(CORPUS_NAMES)) {
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

/** One letter again and again, which takes other tokenizers of this kind quadratic time. */
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

/** Chunks of 512 tokens: the free tier beside LangChain's recursive splitter with the counters that people give it. */
function splitting(encoding: EncodingName): void {
  const splitters = present.map(({ name }) => name).filter((name) => SPLIT_WITH.includes(name));
  for (const text of selected(CORPUS_NAMES)) {
    console.log(`\n## ${encoding}, 1 MB of ${text} into chunks of 512 tokens, one call\n`);
    const rounds = Array.from({ length: ROUNDS }, () =>
      splitters.map((splitter) => split({ splitter, encoding, text })),
    );
    for (const [index, splitter] of splitters.entries()) console.log(splitRowOf(splitter, index, rounds));
  }
}

function splitRowOf(splitter: string, index: number, rounds: readonly (readonly SplitResult[])[]): string {
  const pairs = rounds.flatMap((round) => {
    const [ours, theirs] = [round[0], round[index]];
    return ours === undefined || theirs === undefined ? [] : [{ ours, theirs }];
  });
  const figure = (msOf: (result: SplitResult) => number): string => {
    const speedOf = (result: SplitResult): number => result.units / msOf(result) / 1000;
    const speed = `${median(pairs.map(({ theirs }) => speedOf(theirs))).toFixed(2)} M units/s`;
    const ratio = median(pairs.map(({ ours, theirs }) => speedOf(ours) / speedOf(theirs)));
    return index === 0 ? speed : `${speed} (ours ${ratio.toFixed(1)}×)`;
  };
  const [first] = pairs;
  return [
    (splitter === OURS ? 'grainline free' : `LangChain + ${splitter}`).padEnd(28),
    `warm ${figure(({ warmMs }) => warmMs)}`.padEnd(38),
    `first ${figure(({ firstMs }) => firstMs)}`.padEnd(38),
    `${first?.theirs.chunks ?? '?'} chunks, ${first?.theirs.over ?? '?'} over 512`,
    index === 0 || first === undefined ? '' : `, ${agreementOf(first.ours, first.theirs)}`,
  ].join('');
}

function agreementOf(ours: SplitResult, theirs: SplitResult): string {
  if (ours.units !== theirs.units)
    return ours.headDigest === theirs.headDigest ? 'the same first chunks' : 'other first chunks';
  return ours.digest === theirs.digest ? 'the same chunks' : 'other chunks';
}

function work(job: Job): Result {
  return run(WORKER, job) as Result;
}

function split(job: SplitJob): SplitResult {
  return run(SPLIT_WORKER, job) as SplitResult;
}

function run(worker: string, job: object): unknown {
  const options = ['--expose-gc', '--no-warnings', worker, JSON.stringify(job)];
  return JSON.parse(execFileSync(process.execPath, options, { encoding: 'utf8', timeout: 300_000 }));
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}
