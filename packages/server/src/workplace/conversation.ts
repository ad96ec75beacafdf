// What a child process says and is told while it works on one document: how far it is, what it asks of models
// elsewhere, and the answers.
import { type Complete, type Embed, needsEmbedder, type Progress, type TierId, TIERS } from '@grainline/core';
import { createAllowance } from './allowance.ts';
import { readProgress } from './progress.ts';
import { answerTo, isAsking, type Models, type Question, readQuestion, readWithdrawal } from './questions.ts';
import type { Reply } from './reply.ts';
import type { Task, WorkError } from './task.ts';
import { type TaskLimits, tooComplex } from './task-limits.ts';

/** Who answers what children ask. */
export interface ConversationPorts {
  /** Whom the server asks for the vectors of tiers that embed. Default: each process has the built-in embedder. */
  readonly embed?: Embed;
  /** A signal that is aborted after so many milliseconds: the patience with that embedder. Default: by the clock. */
  readonly timeout?: (ms: number) => AbortSignal;
  /** Whom the server asks for the answers of tiers that ask a language model, where a run brings nobody. */
  readonly completeFor?: (tier: TierId) => Complete;
}

/** What a piece of work needs besides its task: values that cannot cross a process border. */
export interface WorkRun {
  /** Ends the work, which then rejects with its reason. */
  readonly signal: AbortSignal;
  /** Whose document it is: clients take turns at the processes. Default: nobody's in particular, as those of jobs. */
  readonly client?: string;
  /**
   * Asks the language model for this document; default: the workplace's own. Jobs bring one that keeps every answer.
   */
  readonly complete?: Complete;
  /** How far the work is, of tiers that take long. */
  readonly onProgress?: (progress: Progress) => void;
}

/** The messages of one task. */
export interface Conversation {
  /** The task as the child is given it: with what it may ask and has to tell. */
  readonly task: Task;
  /** The server's end, in the form that tinypool takes. */
  readonly channel: {
    postMessage(message: unknown): void;
    onMessage(listener: (message: unknown) => void): void;
  };
  /** The child's reply, or what it comes to when the language model would have cost too much. */
  readonly judge: (reply: Reply) => Reply;
}

/** Questions of one document that are out at the same time; tiers have four. */
const MOST_OPEN = 32;

export function createConversation(
  task: Task,
  work: WorkRun,
  limits: TaskLimits,
  ports: ConversationPorts & { readonly timeoutMs: number },
): Conversation {
  const takes: readonly string[] = TIERS[task.tier].options;
  const embed = needsEmbedder(task.tier, task.embeddings) ? ports.embed : undefined;
  const model = takes.includes('complete') ? (work.complete ?? ports.completeFor?.(task.tier)) : undefined;
  const allowance = model === undefined ? undefined : createAllowance(model, task.maxCharacters);
  const answers = createAnswers(limits, { embed, complete: allowance?.complete }, ports);
  return {
    task: {
      ...task,
      ...(embed === undefined ? {} : { asksForVectors: true }),
      ...(work.onProgress === undefined ? {} : { tellsProgress: true }),
    },
    channel: {
      postMessage(message) {
        limits.hear(message);
        answers.hear(message);
        const progress = work.onProgress === undefined ? undefined : readProgress(message);
        if (progress !== undefined) work.onProgress?.(progress);
      },
      onMessage: answers.tellBy,
    },
    judge: (reply) =>
      allowance?.isTooExpensive() === true && 'fault' in reply ? { fault: tooExpensive(task) } : reply,
  };
}

/** Answers what a child asks. What somebody else takes for an answer is not the document's time. */
function createAnswers(
  limits: TaskLimits,
  models: Models,
  { timeout, timeoutMs }: Pick<ConversationPorts, 'timeout'> & { readonly timeoutMs: number },
): {
  readonly hear: (message: unknown) => void;
  readonly tellBy: (listener: (message: unknown) => void) => void;
} {
  const open = new Map<number, AbortController>();
  let tell: (message: unknown) => void = () => undefined;

  function begin(asked: Question): void {
    const withdrawal = new AbortController();
    if (open.size === 0) limits.hold();
    open.set(asked.question, withdrawal);
    const signal = AbortSignal.any([limits.signal, withdrawal.signal]);
    void answerTo(asked, models, signal, timeoutMs, timeout).then((answer) => {
      open.delete(asked.question);
      if (limits.signal.aborted) return;
      if (open.size === 0) limits.goOn();
      if (!withdrawal.signal.aborted) tell(answer);
    });
  }

  function hear(message: unknown): void {
    const withdrawn = readWithdrawal(message);
    if (withdrawn !== undefined) open.get(withdrawn)?.abort(new Error('The child no longer waits for it.'));
    if (!isAsking(message) || limits.signal.aborted) return;
    const asked = readQuestion(message);
    if (asked === undefined || open.has(asked.question) || open.size >= MOST_OPEN) {
      limits.stop(tooComplex('the process that worked on it asked what no tier asks'));
      return;
    }
    begin(asked);
  }

  return { hear, tellBy: (listener) => void (tell = listener) };
}

function tooExpensive({ maxCostUsd }: Task): Pick<WorkError, 'code' | 'message' | 'limit'> {
  const most = maxCostUsd === undefined ? '' : `, $${maxCostUsd}`;
  return {
    code: 'too_expensive',
    message: `To ask the language model about all of this document would cost more than its tier allows${most}. Send it in parts, or use another tier.`,
    ...(maxCostUsd === undefined ? {} : { limit: { max_cost_usd: maxCostUsd } }),
  };
}
