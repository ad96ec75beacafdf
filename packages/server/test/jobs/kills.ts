// Jobs whose processes are killed again and again: some processes on one store work on jobs of the tier ai-pro, a
// scripted model answers them from here, and one after the other is ended as by a power cut and replaced. Counted is
// what was asked, what became of each job, and whether its progress ever went back.
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { Completion, CompletionRequest } from '@grainline/core';
import { answerTo } from '@grainline/testing/scripted-model/answers';
import { deploymentOf } from '../../src/catalog.ts';
import { createResultId } from '../../src/store/result-id.ts';
import { readSettings } from '../../src/settings/settings.ts';
import type { Store } from '../../src/store/store.ts';
import { inlineWorkerPool, memoryDownloader } from '../http/fake-service.ts';
import type { StoreTask } from '../store/store-process.ts';
import { endWithUs } from '@grainline/testing/processes';
import { jobsOn } from './job-service.ts';

/** Jobs at a time in each process. */
const AT_ONCE = 2;
/** Questions of one job that are out at the same time: core's default. */
const QUESTIONS_AT_ONCE = 4;

export const JOB_ENVIRONMENT = {
  PAYMENTS: 'off',
  AI_MODEL: 'scripted',
  AI_PRICE: '0,0',
  AI_BASE_URL: 'http://127.0.0.1:9/v1',
  JOB_CONCURRENCY: String(AT_ONCE),
} as const;

/** Message that starts a process. */
export interface WorkerOrder {
  readonly address: StoreTask['address'];
  readonly leaseMs: number;
}

/** The model's answer to a process. */
export interface Answered {
  readonly question: number;
  readonly completion: Completion;
}

type Said =
  | { readonly question: number; readonly request: CompletionRequest }
  | { readonly event: string; readonly atMs: number };

export interface KillPlan extends WorkerOrder {
  /** A store on the same state. */
  readonly store: Store;
  /** Processes at the same time. */
  readonly instances: number;
  readonly kills: number;
  readonly jobs: number;
  /** Paragraphs of each document, each a chunk or more. */
  readonly paragraphs: number;
  readonly seed: number;
  /** How long the model takes for an answer. */
  readonly answerMs: number;
}

export interface KillReport {
  readonly chunks: number;
  readonly completed: number;
  /** True when every result equals that of an undisturbed job. */
  readonly areEqual: boolean;
  /** Times at which somebody saw less progress than before. */
  readonly backwards: number;
  /** Number of model calls of an undisturbed job. */
  readonly questionsEach: number;
  /** Questions beyond those of as many undisturbed jobs. */
  readonly repeatedCalls: number;
  /**
   * Questions that a killed process had asked and kept no answer of, in all and of the one kill with the most: counted
   * in the store after each kill. Undefined with several processes, of which the others go on meanwhile.
   */
  readonly inFlight: { readonly all: number; readonly most: number } | undefined;
  /** From the first submission to the end of the last job. */
  readonly seconds: number;
  /**
   * The longest time from a kill to the claim of its job by another process, in milliseconds; undefined without one.
   */
  readonly takeoverMs: number | undefined;
}

export async function killJobs(plan: KillPlan): Promise<KillReport> {
  const { store, instances, kills, seed } = plan;
  const random = randomFrom(seed);
  const workers = new Set<Worker>();
  let calls = 0;
  let callsSince = 0;
  const lost: number[] = [];
  const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);
  const killedAtMs: number[] = [];
  const takeovers: number[] = [];

  const start = (): void => {
    workers.add(
      startWorker(plan, {
        onCall: () => {
          calls++;
          callsSince++;
        },
        onTakenOver: (atMs) => {
          const latest = killedAtMs.filter((ms) => ms <= atMs).at(-1);
          if (latest !== undefined) takeovers.push(atMs - latest);
        },
      }),
    );
  };
  const kill = async (worker: Worker): Promise<void> => {
    workers.delete(worker);
    killedAtMs.push(Date.now());
    worker.child.kill('SIGKILL');
    await worker.exited;
    if (instances === 1) lost.push(calls - questionsEach - sumOf(lost) - (await kept()));
  };

  const settings = readSettings(JOB_ENVIRONMENT);
  const { jobs } = jobsOn(store, {
    settings,
    deployment: deploymentOf(settings),
    downloader: memoryDownloader(),
    workerPool: inlineWorkerPool,
    now: Date.now,
    createResultId,
  });
  const tier = deploymentOf(settings).tiers.find(({ id }) => id === 'ai-pro');
  if (tier === undefined) throw new Error('There is one.');
  const submit = async (): Promise<string> => {
    const source = { kind: 'text', text: documentOf(plan.paragraphs), filename: 'a.md' } as const;
    const request = { tier, options: { format: 'raw', size: 1000, overlap: 0 }, source } as const;
    const taken = await jobs.submit({ request, origin: 'http://grainline.test', amount: 0n }, { client: '' });
    if (taken === 'lost') throw new Error('There is no payment to lose.');
    return taken.id;
  };
  const watch = createWatch(store);
  const ids: string[] = [];
  let questionsEach = 0;
  /** Answers that are in the store, or were when their job was completed. */
  const kept = async (): Promise<number> => {
    const counts = ids.map(async (id) => {
      const isCompleted = (await store.jobStatus(id))?.state === 'completed';
      return isCompleted ? questionsEach : (await store.recordedAnswers(id)).size;
    });
    return sumOf(await Promise.all(counts));
  };

  for (let count = 0; count < instances; count++) start();
  const model = await submit();
  await watch.until([model]);
  questionsEach = calls;
  const undisturbed = await textOf(store, model);

  const beganMs = performance.now();
  for (let count = 0; count < plan.jobs; count++) ids.push(await submit());
  const watching = watch.until(ids);
  for (let count = 0; count < kills && !watch.isDone(); count++) {
    // A moment of the work, not of the clock: so many questions after the one before.
    const moment = 1 + Math.floor(random() * Math.max(1, (2 * plan.jobs * questionsEach) / kills));
    callsSince = 0;
    while (callsSince < moment && !watch.isDone()) await wait(1);
    await wait(Math.floor(random() * 2 * plan.answerMs));
    const [victim] = [...workers].slice(Math.floor(random() * workers.size));
    if (victim !== undefined && !watch.isDone()) await kill(victim);
    start();
  }
  await watching;
  const seconds = (performance.now() - beganMs) / 1000;
  const texts = await Promise.all(ids.map((id) => textOf(store, id)));
  for (const { child } of workers) child.kill('SIGTERM');
  await Promise.all([...workers].map(({ exited }) => exited));
  return {
    chunks: (JSON.parse(undisturbed) as { total_chunks: number }).total_chunks,
    completed: texts.length,
    areEqual: texts.every((text) => text === undisturbed),
    backwards: watch.backwards(),
    questionsEach,
    repeatedCalls: calls - (1 + plan.jobs) * questionsEach,
    inFlight: instances === 1 ? { all: sumOf(lost), most: Math.max(0, ...lost) } : undefined,
    seconds,
    takeoverMs: takeovers.length === 0 ? undefined : Math.max(...takeovers),
  };
}

/** The most that may be asked again for one kill. */
export const MOST_IN_FLIGHT = AT_ONCE * QUESTIONS_AT_ONCE;

interface Worker {
  readonly child: ChildProcess;
  /** Resolves once it is gone, in whatever way, and all is heard that it has said. */
  readonly exited: Promise<unknown>;
}

const HOOK = new URL('../sandbox/from-sources.mjs', import.meta.url).href;
const PROGRAM = fileURLToPath(new URL('./worker-process.ts', import.meta.url));

function startWorker(
  { address, leaseMs, answerMs }: KillPlan,
  { onCall: onCall, onTakenOver }: { onCall: () => void; onTakenOver: (atMs: number) => void },
): Worker {
  const request: WorkerOrder = { address, leaseMs };
  const child = spawn(process.execPath, ['--import', HOOK, PROGRAM, JSON.stringify(request)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  endWithUs(child);
  const exited = Promise.all([once(child, 'exit'), once(child, 'disconnect')]);
  child.on('message', (message: Said) => {
    if ('event' in message) {
      if (message.event === 'taken_over') onTakenOver(message.atMs);
      return;
    }
    onCall();
    const { question, request } = message;
    setTimeout(() => {
      const answer: Answered = { question, completion: answerOf(request) };
      // A process that is killed at this moment accepts no answer.
      if (child.connected) child.send(answer, () => undefined);
    }, answerMs);
  });
  return { child, exited };
}

function answerOf({ messages, schema }: CompletionRequest): Completion {
  return {
    value: answerTo({ texts: messages.map(({ content }) => content), schema }),
    model: 'scripted',
    usage: { input: 1, cachedInput: 0, output: 1 },
    stopReason: 'stop',
  };
}

/** Looks at jobs until they are completed. */
function createWatch(store: Store) {
  const seen = new Map<string, number>();
  let backwards = 0;
  let isDone = false;
  return {
    isDone: () => isDone,
    backwards: () => backwards,
    async until(ids: readonly string[]): Promise<void> {
      isDone = false;
      let open = ids;
      while (open.length > 0) {
        const left: string[] = [];
        for (const id of open) {
          const status = await store.jobStatus(id);
          if (status === null || status.state === 'failed')
            throw new Error(`A job failed: ${JSON.stringify(status)}`);
          if (status.progress < (seen.get(id) ?? 0)) backwards++;
          seen.set(id, status.progress);
          if (status.state !== 'completed') left.push(id);
        }
        open = left;
        await wait(20);
      }
      isDone = true;
    },
  };
}

async function textOf(store: Store, id: string): Promise<string> {
  const result = await store.getResult(id);
  return result === null ? '' : gunzipSync(result.gzip).toString();
}

const SUBJECTS = ['tides', 'harbours', 'lanterns', 'granite', 'orchards', 'clockwork', 'salt', 'rivers'];

/** Paragraphs of some 900 characters under headings: one chunk each, and one topic for every few. */
function documentOf(paragraphs: number): string {
  return Array.from({ length: paragraphs }, (_, index) => {
    const subject = SUBJECTS[Math.floor(index / 4) % SUBJECTS.length] ?? '';
    const sentence = `Observation ${index} about ${subject} records how ${subject} change over the seasons. `;
    const heading = index % 4 === 0 ? `# Chapter ${index / 4 + 1}: ${subject}\n\n` : '';
    return heading + sentence.repeat(11).trim();
  }).join('\n\n');
}

/** Numbers from 0 up to 1: the same seed gives the same run. */
function randomFrom(seed: number): () => number {
  let drawn = 0;
  return () => createHash('sha256').update(`${seed}/${drawn++}`).digest().readUInt32BE() / 2 ** 32;
}
