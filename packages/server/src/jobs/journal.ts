// The language model of one job, with a journal. An answer is recorded before its use, and another run of the job reads
// it from the journal. The work is deterministic and repeats its requests, so no answered request is paid twice. The
// most that a request may cost is recorded before it is sent: after a crash the next run knows the rest of the limit.
import { hash } from 'node:crypto';
import {
  type Complete,
  type Completion,
  type CompletionRequest,
  type TokenUsage,
  untilAborted,
} from '@grainline/core';
import type { PricedModel } from '@grainline/models/language';

/** Dependencies of {@link createJournal}. */
export interface JournalDeps {
  readonly complete: PricedModel;
  /** The recorded answers and costs, by key. */
  readonly answers: ReadonlyMap<string, Uint8Array>;
  /** Resolves when the answer is recorded. */
  readonly record: (key: string, answer: Uint8Array) => Promise<void>;
  /** Resolves when the cost is recorded. */
  readonly recordCost: (key: string, cost: Uint8Array) => Promise<void>;
}

/** A language model with a journal. */
export interface Journal {
  readonly complete: Complete;
  /** Sends no more requests; resolves when all open ones are recorded. A later call waits for its signal. */
  drain(): Promise<void>;
}

/** The recorded failure of a paid request. A repetition would be paid again. */
interface Failure {
  readonly code: string;
  readonly message: string;
  readonly usage?: TokenUsage | undefined;
}

/** Codes of paid requests that failed by their own content. Other failures are temporary. */
const RECORDED_FAILURES: readonly unknown[] = ['wrong_answer', 'refusal', 'truncated', 'content_filter'];

/** The most that a request has cost so far, and the number of its records. */
interface Cost {
  readonly usd: number;
  readonly written: number;
}

/** The record of an answered request: the answer and the cost of all tries. */
type JournalEntry = (Completion | Failure) & { readonly cost?: Cost };

export function createJournal({ complete, answers, record, recordCost }: JournalDeps): Journal {
  const { costs, spentUsd } = costsIn(answers);
  /** Calls of each request in this run. A repetition after a useless answer is another request. */
  const times = new Map<string, number>();
  const open = new Set<Promise<unknown>>();
  let isSettling = false;

  function keyOf(request: CompletionRequest): string {
    const digest = hashOf(request);
    const before = times.get(digest) ?? 0;
    times.set(digest, before + 1);
    return `${digest} ${before}`;
  }

  async function send(
    key: string,
    request: CompletionRequest,
    run: Parameters<Complete>[1],
  ): Promise<Completion> {
    const before = costs.get(key) ?? { usd: 0, written: 0 };
    let { usd: totalUsd, written } = before;
    const writeCost = (): Promise<void> => recordCost(costKey(key, written++), bytesOf(totalUsd));
    const onCost = async (usd: number, isSettled: boolean): Promise<void> => {
      totalUsd = before.usd + usd;
      if (!isSettled && usd > 0) await writeCost();
    };
    let answer: Completion | Failure;
    try {
      answer = await complete(request, { ...run, spentUsd, onCost });
    } catch (error) {
      const failure = failureIn(error);
      if (failure === undefined) {
        // No answer came: the unspent part of the reserved cost is free again.
        if (written > before.written) await writeCost();
        throw error;
      }
      answer = failure;
    }
    const entry: JournalEntry = totalUsd === 0 ? answer : { ...answer, cost: { usd: totalUsd, written } };
    await record(key, bytesOf(entry));
    return completionIn(answer);
  }

  return {
    async complete(request, run) {
      const key = keyOf(request);
      const known = answers.get(key);
      if (known !== undefined) return completionIn(readEntry(known));
      if (isSettling) return untilAborted(() => new Promise<never>(() => undefined), run.signal);
      const pending = send(key, request, run);
      open.add(pending);
      try {
        return await pending;
      } finally {
        open.delete(pending);
      }
    },
    async drain() {
      isSettling = true;
      await Promise.allSettled(open);
    },
  };
}

/** The costs of all earlier runs, by request and in total. */
function costsIn(answers: ReadonlyMap<string, Uint8Array>): {
  readonly costs: ReadonlyMap<string, Cost>;
  readonly spentUsd: number;
} {
  const costs = new Map<string, Cost>();
  const writtenOf = (request: string): number => costs.get(request)?.written ?? 0;
  for (const [key, bytes] of answers) {
    const [, request = '', number = 0] = COST_KEY.exec(key) ?? [];
    const cost = { usd: Number(new TextDecoder().decode(bytes)), written: Number(number) + 1 };
    if (request !== '' && cost.written > writtenOf(request)) costs.set(request, cost);
  }
  for (const [key, bytes] of answers) {
    const { cost } = COST_KEY.test(key) ? {} : readEntry(bytes);
    // A cost after its answer comes from a process that repeated the request without the lease.
    if (cost !== undefined && cost.written >= writtenOf(key)) costs.set(key, cost);
  }
  let spentUsd = 0;
  for (const { usd } of costs.values()) spentUsd += usd;
  return { costs, spentUsd };
}

/** Each cost of a request includes the earlier ones. */
const costKey = (key: string, number: number): string => `${key} cost ${number}`;
const COST_KEY = /^(.+) cost (\d+)$/;

function bytesOf(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

/** Only this file writes entries. */
function readEntry(bytes: Uint8Array): JournalEntry {
  return JSON.parse(new TextDecoder().decode(bytes)) as JournalEntry;
}

/** Hash of a request's content, without the work that it belongs to. */
function hashOf({ messages, schema, maxTokens }: CompletionRequest): string {
  return hash('sha256', JSON.stringify([messages, schema, maxTokens]), 'base64url');
}

/** @throws the recorded failure */
function completionIn(answer: JournalEntry): Completion {
  if (!('code' in answer)) {
    const { value, model, usage, stopReason } = answer;
    return { value, model, usage, stopReason };
  }
  const { code, message, usage } = answer;
  throw Object.assign(new Error(message), { code, usage });
}

function failureIn(error: unknown): Failure | undefined {
  const { code, message, usage } = Object(error) as { code?: unknown; message?: unknown; usage?: TokenUsage };
  if (typeof code !== 'string' || !RECORDED_FAILURES.includes(code)) return undefined;
  return { code, message: String(message), usage };
}
