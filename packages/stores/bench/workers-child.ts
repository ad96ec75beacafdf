// A worker of workers.ts: runs some documents in memory first, as one that has worked for a while, says that it is
// ready, and on a message works on the queue. Reports the end of each step, with the processor time until then.
import { createMemoryBlobs, createSteps, type DocumentSteps, type Step } from '@grainline/pipeline/steps';
import { wordEmbedder } from '@grainline/testing/embedders';
import { createMemoryStore } from '@grainline/testing/memory-store';
import { EMBEDDING, type Run, SETTINGS, stepsOf, work } from '../test/long/steps-worker.ts';
import { note, report } from './workers-documents.ts';

/** A step that has ended. */
export interface EndedStep {
  readonly kind: Step['kind'];
  readonly documentId: string;
  /** Milliseconds since 1970. */
  readonly beganMs: number;
  readonly endedMs: number;
  /** Processor time of the worker since it was ready, in milliseconds. */
  readonly processorMs: number;
}

const run = JSON.parse(process.argv[2] ?? '') as Run;

async function warmUp(): Promise<void> {
  const { settings = SETTINGS } = run;
  const [store, blobs] = [await createMemoryStore(), createMemoryBlobs()];
  const steps = createSteps({ store, blobs, embed: wordEmbedder, embedding: EMBEDDING, settings });
  for (const document of [report(-1, 150), ...Array.from({ length: 30 }, (_, at) => note(-1 - at))]) {
    const queue = [await steps.submit(document)];
    for (const step of queue) queue.push(...(await steps.run(step)));
  }
}

function watched(steps: DocumentSteps): DocumentSteps {
  const begun = process.cpuUsage();
  const watch = async <Result>(
    { kind, document: { documentId } }: Step,
    result: () => Promise<Result>,
  ): Promise<Result> => {
    const beganMs = Date.now();
    const value = await result();
    const { user, system } = process.cpuUsage(begun);
    const end: EndedStep = {
      kind,
      documentId,
      beganMs,
      endedMs: Date.now(),
      processorMs: (user + system) / 1000,
    };
    process.send?.(end);
    return value;
  };
  return {
    submit: (document) => steps.submit(document),
    plan: (step, signal) => watch(step, () => steps.plan(step, signal)),
    run: (step, signal) => watch(step, () => steps.run(step, signal)),
  };
}

await warmUp();
process.once('message', () => void work(run, watched(stepsOf(run))));
process.send?.('ready');
