// The language model of one job, with a journal: what it answers is kept before it is used, and a job that is worked on
// again is answered from there. The work itself is deterministic, so it asks the same questions again, and none that
// was answered is paid for twice. What a question may cost is kept before it goes out, so that a process which dies
// with it leaves behind how much of the job's limit is gone.
import { createHash } from 'node:crypto';
import {
  type Complete,
  type Completion,
  type CompletionRequest,
  type TokenUsage,
  untilAborted,
} from '@grainline/core';
import type { PricedModel } from '@grainline/models/language';

/** What a journal stands on. */
export interface JournalParts {
  readonly complete: PricedModel;
  /** The journal so far, by key: answers, and costs. */
  readonly answers: ReadonlyMap<string, Uint8Array>;
  /** Resolves when the answer is kept. */
  readonly record: (key: string, answer: Uint8Array) => Promise<void>;
  /** Resolves when the cost is kept. */
  readonly recordCost: (key: string, cost: Uint8Array) => Promise<void>;
}

/** A language model that remembers. */
export interface Journal {
  readonly complete: Complete;
  /**
   * Asks nothing more; resolves when all that was asked is answered and kept. What is asked from now on waits for its
   * signal.
   */
  drain(): Promise<void>;
}

/** Why a question had no answer, where asking it again would be paid for again: a failure that is kept. */
interface Failure {
  readonly code: string;
  readonly message: string;
  readonly usage?: TokenUsage;
}

/** These are of the one question, and were paid for; other failures are of the moment. */
const OF_THE_QUESTION: readonly unknown[] = ['wrong_answer', 'refusal', 'truncated', 'content_filter'];

/** The most that a question has cost so far, and how often that was written. */
interface Cost {
  readonly usd: number;
  readonly written: number;
}

/** An entry for an answered question: the answer, and what all tries cost. */
type Kept = (Completion | Failure) & { readonly cost?: Cost };

export function createJournal({ complete, answers, record, recordCost }: JournalParts): Journal {
  const { costs, spentUsd } = costsIn(answers);
  /** How often each question was asked in this run: asked again after a useless answer, it is another question. */
  const times = new Map<string, number>();
  const open = new Set<Promise<unknown>>();
  let isSettling = false;

  function keyOf(request: CompletionRequest): string {
    const hash = hashOf(request);
    const before = times.get(hash) ?? 0;
    times.set(hash, before + 1);
    return `${hash} ${before}`;
  }

  async function ask(
    key: string,
    request: CompletionRequest,
    run: Parameters<Complete>[1],
  ): Promise<Completion> {
    const before = costs.get(key) ?? { usd: 0, written: 0 };
    let { usd: all, written } = before;
    const keepCost = (): Promise<void> => recordCost(costKey(key, written++), bytesOf(all));
    const onCost = async (usd: number, isSettled: boolean): Promise<void> => {
      all = before.usd + usd;
      if (!isSettled && usd > 0) await keepCost();
    };
    let answer: Completion | Failure;
    try {
      answer = await complete(request, { ...run, spentUsd, onCost });
    } catch (error) {
      const failure = failureIn(error);
      if (failure === undefined) {
        // Nobody has an answer; what was set aside for one and not spent is free again.
        if (written > before.written) await keepCost();
        throw error;
      }
      answer = failure;
    }
    const kept: Kept = all === 0 ? answer : { ...answer, cost: { usd: all, written } };
    await record(key, bytesOf(kept));
    return answered(answer);
  }

  return {
    async complete(request, run) {
      const key = keyOf(request);
      const known = answers.get(key);
      if (known !== undefined) return answered(readKept(known));
      if (isSettling) return untilAborted(() => new Promise<never>(() => undefined), run.signal);
      const asked = ask(key, request, run);
      open.add(asked);
      try {
        return await asked;
      } finally {
        open.delete(asked);
      }
    },
    async drain() {
      isSettling = true;
      await Promise.allSettled(open);
    },
  };
}

/** What all earlier runs have spent, by question and in all. */
function costsIn(answers: ReadonlyMap<string, Uint8Array>): {
  readonly costs: ReadonlyMap<string, Cost>;
  readonly spentUsd: number;
} {
  const costs = new Map<string, Cost>();
  const writtenOf = (question: string): number => costs.get(question)?.written ?? 0;
  for (const [key, bytes] of answers) {
    const [, question = '', number = 0] = COST_KEY.exec(key) ?? [];
    const cost = { usd: Number(new TextDecoder().decode(bytes)), written: Number(number) + 1 };
    if (question !== '' && cost.written > writtenOf(question)) costs.set(question, cost);
  }
  for (const [key, bytes] of answers) {
    const { cost } = COST_KEY.test(key) ? {} : readKept(bytes);
    // A cost behind its answer is of a process that asked the same when it had lost the job.
    if (cost !== undefined && cost.written >= writtenOf(key)) costs.set(key, cost);
  }
  let spentUsd = 0;
  for (const { usd } of costs.values()) spentUsd += usd;
  return { costs, spentUsd };
}

/** Each cost of a question stands for those before it. */
const costKey = (key: string, number: number): string => `${key} cost ${number}`;
const COST_KEY = /^(.+) cost (\d+)$/;

function bytesOf(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

/** Only this file writes answers. */
function readKept(bytes: Uint8Array): Kept {
  return JSON.parse(new TextDecoder().decode(bytes)) as Kept;
}

/** Hash of a question; equal for equal questions, whatever work they belong to. */
function hashOf({ messages, schema, maxTokens }: CompletionRequest): string {
  return createHash('sha256')
    .update(JSON.stringify([messages, schema, maxTokens]))
    .digest('base64url');
}

function answered(answer: Kept): Completion {
  if (!('code' in answer)) {
    const { value, model, usage, stopReason } = answer;
    return { value, model, usage, stopReason };
  }
  const { code, message, usage } = answer;
  throw Object.assign(new Error(message), { code, ...(usage === undefined ? {} : { usage }) });
}

function failureIn(error: unknown): Failure | undefined {
  const { code, message, usage } = Object(error) as { code?: unknown; message?: unknown; usage?: TokenUsage };
  if (typeof code !== 'string' || !OF_THE_QUESTION.includes(code)) return undefined;
  return { code, message: String(message), ...(usage === undefined ? {} : { usage }) };
}
