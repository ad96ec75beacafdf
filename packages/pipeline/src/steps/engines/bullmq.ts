// The steps on BullMQ: a flow for each document, whose parents wait for their children.
import { isPermanent } from '../errors.ts';
import { jobIdOf, parseStep, type Step } from '../step.ts';
import type { DocumentSteps, SubmittedDocument } from '../steps.ts';

/** Options of the jobs, as BullMQ has them. */
export interface BullJobOptions {
  /** Runs of a step before its job fails. Default 10. */
  readonly attempts?: number | undefined;
  /** Wait before the second run in milliseconds; it doubles with each further one. Default 1000. */
  readonly backoffMs?: number | undefined;
  /** Completed jobs are removed. Default false: their ids keep a revision that is submitted twice from a second run. */
  readonly removeOnComplete?: boolean | { readonly age: number } | undefined;
}

/** A job in a flow, as `FlowProducer` of BullMQ takes it. */
export interface BullFlowJob {
  readonly name: string;
  readonly queueName: string;
  readonly data: Step;
  readonly opts: Readonly<Record<string, unknown>>;
  readonly children?: BullFlowJob[];
}

/** The steps on one queue of BullMQ. */
export interface BullSteps {
  /** Adds the first step of a document to the queue. */
  readonly submit: (document: SubmittedDocument) => Promise<void>;
  /** The processor of a `Worker`. */
  readonly process: (job: { readonly data: unknown }, token?: string, signal?: AbortSignal) => Promise<void>;
}

/**
 * Connects steps with a queue of BullMQ 5 or later. Make `new Worker(queueName, process, { connection })` on each
 * machine; a step runs again when its worker is killed (`lockDuration`).
 *
 * @param producer a `FlowProducer`
 */
export function createBullSteps(
  steps: DocumentSteps,
  producer: { add(flow: BullFlowJob): Promise<unknown> },
  queueName: string,
  { attempts = 10, backoffMs = 1000, removeOnComplete = false }: BullJobOptions = {},
): BullSteps {
  const job = (step: Step, children: BullFlowJob[] = []): BullFlowJob => ({
    name: step.kind,
    queueName,
    data: step,
    opts: {
      jobId: jobIdOf(step),
      attempts,
      backoff: { type: 'exponential', delay: backoffMs, jitter: 0.5 },
      removeOnComplete,
      failParentOnFailure: true,
    },
    ...(children.length > 0 ? { children } : {}),
  });
  return {
    async submit(document) {
      await producer.add(job(await steps.submit(document)));
    },
    async process({ data }, _, signal) {
      try {
        const step = parseStep(data);
        if (step.kind !== 'plan') {
          await steps.run(step, signal);
          return;
        }
        const { reads, chain } = await steps.plan(step, signal);
        // Every job but the last is the child of the one behind it. BullMQ adds a flow as a whole, or nothing of it.
        const [last] = chain.reduce<BullFlowJob[]>(
          (children, next) => [job(next, children)],
          reads.map((read) => job(read)),
        );
        if (last !== undefined) await producer.add(last);
      } catch (error) {
        throw isPermanent(error) ? unrecoverable(error) : error;
      }
    },
  };
}

/** BullMQ knows this error by its name: the job fails without another run. */
function unrecoverable(cause: unknown): Error {
  const message = cause instanceof Error ? cause.message : String(cause);
  return Object.assign(new Error(message, { cause }), { name: 'UnrecoverableError' });
}
