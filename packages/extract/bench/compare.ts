// Runs readers over documents in turn, each reader in a process of its own, and prints a row a reader. Rounds are
// interleaved by document, and ratios are taken between readers of one round, so that a busy machine does not bend
// them. The first round holds the start of a reader, the others are warm.
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { BenchDocument } from './documents.ts';
import { type BenchKind, type BenchReader, isInstalled, READERS, versionOf } from './readers.ts';
import { type Overlap, type Scores, scoresOf, textOfHtml } from './scores.ts';
import type { ReadJob, ReadReply, WorkerReply } from './worker.ts';

export type Mode = BenchKind | 'main';

/** The results of one reader. */
interface Measured {
  readonly reader: BenchReader;
  /** By round and document. */
  readonly rounds: ReadReply[][];
  readonly scores: Scores[];
  peakMiB: number;
}

const WORKER = path.join(import.meta.dirname, 'worker.ts');
const TIME_LIMIT_MS = 120_000;

/** Measures and prints; returns the rows for further comparison. */
export async function compare(
  title: string,
  mode: Mode,
  documents: readonly BenchDocument[],
  rounds = 3,
): Promise<readonly Measured[]> {
  const readers = READERS.filter(
    (reader) => (mode === 'main' ? reader.main : reader.kinds[mode]) !== undefined && isInstalled(reader),
  );
  const measured = await measure(mode, documents, readers, rounds);
  const [ours] = measured;
  const pages = (ours?.rounds[0] ?? []).reduce((sum, { pages: count = 0 }) => sum + count, 0);
  const files = `${documents.length} files${pages > 0 ? ` of ${pages} pages` : ''}`;
  console.log(
    `\n## ${title}: ${files}, CPU ms a ${pages > 0 ? 'page' : 'file'} in the first pass of a process and warm (ours : theirs)\n`,
  );
  for (const one of measured) console.log(rowOf(one, ours ?? one, pages));
  if (ours !== undefined) console.log(`\nOurs on the thread that reads: ${threadShares(ours).join(', ')}`);
  return measured;
}

/** The share of the thread that reads in the first pass and warm; compilers and collector have the rest. */
function threadShares({ rounds }: Measured): string[] {
  const passes = [rounds.slice(0, 1), rounds.slice(1)].filter((some) => some.length > 0);
  return passes.map((some, index) => {
    const sum = (of: (reply: ReadReply) => number): number =>
      some.flat().reduce((total, reply) => total + of(reply), 0);
    const part = sum(({ threadMs = 0 }) => threadMs) / sum(({ cpuMs = 0 }) => cpuMs);
    return `${(100 * part).toFixed(0)} % ${index === 0 ? 'in the first pass' : 'warm'}`;
  });
}

async function measure(
  mode: Mode,
  documents: readonly BenchDocument[],
  readers: readonly BenchReader[],
  rounds: number,
): Promise<Measured[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'grainline-bench-'));
  const out = path.join(folder, 'text.md');
  const measured = readers.map((reader): Measured => ({ reader, rounds: [], scores: [], peakMiB: 0 }));
  const workers = readers.map(({ name }) => new Worker(name, mode));
  try {
    for (let round = 0; round < rounds; round++) {
      for (const one of measured) one.rounds.push([]);
      for (const { file, truth } of documents) {
        for (const [index, one] of measured.entries()) {
          const reply = await workers[index]?.read({ file, ...(round === 0 && { out }) });
          one.rounds[round]?.push(reply?.result ?? {});
          one.peakMiB = Math.max(one.peakMiB, reply?.peakMiB ?? 0);
          if (round > 0) continue;
          const text = reply?.result.cpuMs === undefined ? '' : readFileSync(out, 'utf8');
          one.scores.push(scoresOf(truth, one.reader.givesHtml === true ? textOfHtml(text) : text));
        }
      }
    }
  } finally {
    for (const worker of workers) worker.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  return measured;
}

/** The process of a reader; a new one after a crash or a document that takes too long. */
class Worker {
  readonly #options: readonly string[];
  #child: ChildProcess | undefined;
  /** Receives the next message, or `undefined` at the end of the process. */
  #receive: (reply: unknown) => void = () => undefined;

  constructor(name: string, mode: Mode) {
    this.#options = [name, mode];
  }

  async read(job: ReadJob): Promise<WorkerReply | undefined> {
    if (this.#child === undefined) await this.#next(() => this.#start());
    const reply = await this.#next(() => this.#child?.send(job));
    if (reply === undefined) this.stop();
    return reply as WorkerReply | undefined;
  }

  #next(send: () => void): Promise<unknown> {
    return new Promise((resolve) => {
      const limit = setTimeout(resolve, TIME_LIMIT_MS);
      this.#receive = (reply) => {
        clearTimeout(limit);
        resolve(reply);
      };
      send();
    });
  }

  #start(): void {
    this.#child = fork(WORKER, this.#options, {
      execArgv: ['--no-warnings'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#child.on('message', (reply) => this.#receive(reply));
    this.#child.on('exit', () => this.#receive(undefined));
  }

  stop(): void {
    this.#child?.removeAllListeners();
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }
}

function rowOf(one: Measured, ours: Measured, pages: number): string {
  const { reader, rounds, scores, peakMiB } = one;
  const read = rounds[0]?.filter(({ cpuMs }) => cpuMs !== undefined).length ?? 0;
  const warm = rounds.slice(1).map((_, index) => index + 1);
  const figure = (some: readonly number[]): string => {
    const ms = median(some.map((round) => costOf(one, one, round, pages)));
    if (one === ours) return ms.toFixed(2);
    const ratio = median(
      some.map((round) => costOf(ours, one, round, pages) / costOf(one, ours, round, pages)),
    );
    return `${ms.toFixed(2)} (${ratio.toFixed(2)})`;
  };
  return [
    `${reader.name} ${versionOf(reader)}`.padEnd(36),
    `first ${figure([0])}`.padEnd(22),
    warm.length === 0 ? '' : `warm ${figure(warm)}`.padEnd(22),
    `${peakMiB.toFixed(0)} MiB`.padEnd(10),
    scoreLine(scores),
    read < scores.length ? `, ${scores.length - read} unread` : '',
  ].join('');
}

/** CPU milliseconds a page or a file over the documents that both have read. */
function costOf(one: Measured, other: Measured, round: number, pages: number): number {
  const both = (one.rounds[round] ?? []).flatMap(({ cpuMs }, index) =>
    cpuMs === undefined || other.rounds[round]?.[index]?.cpuMs === undefined ? [] : [cpuMs],
  );
  return both.reduce((sum, ms) => sum + ms, 0) / (pages > 0 ? pages : both.length);
}

function scoreLine(scores: readonly Scores[]): string {
  const all = scores.flatMap(({ headings }) => (headings === undefined ? [] : [headings]));
  const sum = (of: (overlap: Overlap) => number): number => all.reduce((total, one) => total + of(one), 0);
  const [shared, wanted, given] = [
    sum((one) => one.shared),
    sum((one) => one.wanted),
    sum((one) => one.given),
  ];
  const levels = all.flatMap(({ levelled = [] }) => levelled);
  const levelled = levels.reduce((total, one) => total + one, 0);
  return [
    meanLine(
      'words',
      scores.flatMap(({ words = [] }) => words),
    ),
    wanted === 0 ? '' : `headings ${share(shared / wanted)}/${given === 0 ? '–' : share(shared / given)}`,
    levels.length === 0 || shared === 0 ? '' : `levels ${share(levelled / shared)}`,
    meanLine(
      'tables',
      scores.flatMap(({ tables = [] }) => tables),
    ),
    falseTablesLine(scores.flatMap(({ falseTables = [] }) => falseTables)),
    ...(['kept', 'leftOut', 'f1'] as const).map((name) =>
      meanLine(
        CONTENT[name],
        scores.flatMap(({ content }) => (content === undefined ? [] : content[name])),
      ),
    ),
  ]
    .filter(Boolean)
    .join('  ');
}

function falseTablesLine(counts: readonly number[]): string {
  if (counts.length === 0) return '';
  const sum = counts.reduce((total, count) => total + count, 0);
  return `false tables ${sum} in ${counts.filter((count) => count > 0).length} files`;
}

const CONTENT = { kept: 'kept', leftOut: 'left out', f1: 'F1' } as const;

function meanLine(name: string, values: readonly number[]): string {
  if (values.length === 0) return '';
  return `${name} ${share(values.reduce((sum, value) => sum + value, 0) / values.length)}`;
}

const share = (value: number): string => value.toFixed(3).replace(/^0/, '');

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}
