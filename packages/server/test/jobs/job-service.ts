// A service with a tier that runs as a job, and what such a tier does, in a few lines that can be counted: it asks the
// language model one question about each paragraph, some at a time, and answers with what the model said.
import type { Chunk, Complete, Completion } from '@grainline/core';
import { formatChunks } from '@grainline/core/formats';
import { type Deployment, deploymentOf } from '../../src/catalog.ts';
import { createJobs, type JobEvent, type Jobs, type JobsDeps } from '../../src/jobs/jobs.ts';
import type { ServiceDeps } from '../../src/routes/deps.ts';
import { readSettings, type Settings } from '../../src/settings/settings.ts';
import type { Store } from '../../src/store/store.ts';
import { createJobAnswer } from '../../src/responses/job-answer.ts';
import { runJobRequest } from '../../src/requests/run-request.ts';
import { type PipelineResult, type WorkerTask, WorkError, type WorkerPool } from '../../src/sandbox/index.ts';
import { type Environment, type PaidService, paidService } from '../payments/paid-service.ts';
import { fakeService, inlineWorkerPool } from '../http/fake-service.ts';

/** Short, so that no test waits for long until a lease runs out. */
const LEASE_MS = 200;
/** The text of a document that a tier refuses. */
export const DAMAGED = 'This document is damaged.';

/** The deployment of the settings, with `ai-pro` offered whatever this version has. */
export function jobDeployment(settings: Settings): Deployment {
  const deployment = deploymentOf(settings);
  const tiers = deployment.tiers.map((tier) =>
    tier.id === 'ai-pro' ? { ...tier, offer: { tier: 'structure' as const } } : tier,
  );
  return { ...deployment, tiers };
}

/** One question about each paragraph, at most three at a time. */
export const modelPool: WorkerPool = {
  ...inlineWorkerPool,
  async run(task, { signal, complete, onProgress }) {
    const text = textOf(task);
    if (text === DAMAGED) throw new WorkError('corrupted', 'The document is damaged.');
    const parts = text.split('\n\n');
    const said: unknown[] = [];
    const queue = parts.entries();
    let done = 0;
    onProgress?.({ stage: 'complete', done: 1, total: 1 });
    const worker = async (): Promise<void> => {
      for (const [index, part] of queue) {
        signal.throwIfAborted();
        const answer = await complete?.(questionAbout(part), { signal });
        said[index] = answer?.value;
        onProgress?.({ stage: 'enrich', done: ++done, total: parts.length });
      }
    };
    await Promise.all([worker(), worker(), worker()]);
    return finished(parts, said);
  },
  close: () => Promise.resolve(),
};

/** Answers with the question's own words, and remembers what it was asked. */
function countingModel(): { readonly complete: Complete; readonly prompts: string[] } {
  const prompts: string[] = [];
  return {
    prompts: prompts,
    complete: ({ messages }) => {
      const content = messages[0]?.content ?? '';
      prompts.push(content);
      return Promise.resolve(completion(`said of ${content}`));
    },
  };
}

export function completion(value: unknown): Completion {
  return { value, model: 'scripted', usage: { input: 1, cachedInput: 0, output: 1 }, stopReason: 'stop' };
}

/** The running jobs of a test. */
export interface Working {
  readonly jobs: Jobs;
  readonly events: JobEvent[];
  /** Resolves when so many events of a kind have happened. */
  readonly until: (event: JobEvent, count?: number) => Promise<void>;
}

/** Jobs of one process on a store. They have to be begun, and closed. */
export function jobsOn(
  store: Store,
  service: Pick<
    ServiceDeps,
    'settings' | 'deployment' | 'downloader' | 'workerPool' | 'now' | 'createResultId'
  >,
  parts: Partial<JobsDeps> = {},
): Working {
  const events: JobEvent[] = [];
  const waiting = new Set<() => void>();
  const jobs = createJobs({
    store,
    deployment: service.deployment,
    settings: service.settings,
    work: (request, run) => runJobRequest(request, run, service),
    writeAnswer: (id, payload, result) =>
      createJobAnswer(id, payload, result, { network: service.settings.network, now: service.now }),
    completeFor: () => countingModel().complete,
    unavailable: () => null,
    createJobId: service.createResultId,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    leaseMs: LEASE_MS,
    onEvent: (event) => {
      events.push(event);
      for (const look of waiting) look();
    },
    ...parts,
  });
  const until = (event: JobEvent, count = 1): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (events.filter((one) => one === event).length < count) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  return { jobs, events, until };
}

/** A service without payments whose jobs are in the hands of the test. */
export function jobService(
  environment: Environment = {},
  parts: Partial<ServiceDeps> = {},
  jobDeps: Partial<JobsDeps> = {},
): { readonly service: ServiceDeps } & Working {
  const given = { PAYMENTS: 'off', ...environment };
  const deployment = jobDeployment(readSettings(given));
  const service = fakeService(given, { deployment, workerPool: modelPool, ...parts });
  const working = jobsOn(service.store, service, jobDeps);
  return { service: { ...service, jobs: working.jobs }, ...working };
}

/** A service that sells jobs. */
export function paidJobService(
  environment: Environment = {},
  parts: Partial<ServiceDeps> = {},
  jobDeps: Partial<JobsDeps> = {},
): { readonly service: PaidService } & Working {
  const deployment = jobDeployment(
    readSettings({ PAY_TO: '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin', ...environment }),
  );
  const service = paidService(environment, { deployment, workerPool: modelPool, ...parts });
  const working = jobsOn(service.store, service, jobDeps);
  return { service: { ...service, jobs: working.jobs }, ...working };
}

function textOf({ input }: WorkerTask): string {
  return input.kind === 'text' ? input.text : new TextDecoder().decode(input.bytes);
}

function questionAbout(content: string): Parameters<Complete>[0] {
  return {
    messages: [{ role: 'user', content }],
    schema: { type: 'string' },
    maxTokens: 100,
  };
}

function finished(parts: readonly string[], said: readonly unknown[]): PipelineResult {
  let start = 0;
  const chunks = parts.map((text, index): Chunk => {
    const place = { text, start, end: start + text.length, overlap: 0, metadata: {} };
    start = place.end + '\n\n'.length;
    const enrichment = { summary: String(said[index]), keywords: [], questions: [], entities: [] };
    return { ...place, enrichment, enrichmentStatus: 'complete' };
  });
  const { records } = formatChunks(chunks, 'raw', { documentId: 'document' });
  return {
    metadata: { filename: 'a.txt', content_type: 'text/plain', size_bytes: 1, estimated_pages: 1 },
    totalChunks: records.length,
    members: JSON.stringify({ chunks: records }).slice(1, -1),
    warnings: [],
  };
}
