// The language model that the settings name, as long as it can be used. It runs elsewhere and the server alone has its
// key; child processes ask for answers by message (workplace/questions.ts). It is tried at the start and every five
// minutes, and as soon as a question shows that something is wrong with it, so that nobody pays for what cannot be had.
import type { TierId } from '@grainline/core';
import {
  chosenModel,
  modelChoice,
  type ModelChoice,
  type ModelEvent,
  type PricedModel,
  probeModel,
} from '@grainline/models/language';
import type { Logger } from 'pino';
import { later as timer } from '../later.ts';
import type { Settings } from '../settings/settings.ts';

/** What answers the questions of tiers that ask a language model. */
export interface LanguageModel {
  /** The host that is shown the text of documents; null when there is no language model. */
  readonly outside: OutsideModel | null;
  /** Resolves when the first try is over, well or not, or has lasted too long to wait for. */
  readonly tried: Promise<void>;
  /** Why these tiers cannot be used at the moment; null when they can. */
  unavailable(): string | null;
  /** Answers for documents of a tier; what one of them may cost is limited by the tier. */
  completeFor(tier: TierId): PricedModel;
  /** Ends what runs in the background. */
  close(): Promise<void>;
}

/** A model that is not in this process, as `GET /` names it. */
export interface OutsideModel {
  /** Host and port of its service. */
  readonly host: string;
  /** Names of the models, as their service gives them. */
  readonly models: readonly string[];
  /** True when no model stands behind the name, but a script. */
  readonly scripted: boolean;
}

/** Stands in where there is no language model: the catalog says so, and nobody asks it anything. */
export const NO_LANGUAGE_MODEL: LanguageModel = {
  outside: null,
  tried: Promise.resolve(),
  unavailable: () => 'This service has no language model.',
  completeFor: () => () => Promise.reject(new Error('This service has no language model.')),
  close: () => Promise.resolve(),
};

/** What {@link startLanguageModel} stands on. */
export interface LanguageModelParts {
  readonly settings: Pick<
    Settings,
    'aiProvider' | 'aiBaseUrl' | 'aiApiKey' | 'aiModel' | 'aiPrice' | 'aiMaxCostUsd' | 'aiAtOnce'
  >;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** Called for every call and every failure of a document's questions, but not for looks at the model's health. */
  readonly onEvent?: (tier: TierId, event: ModelEvent) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Runs something after some time; the returned function forgets it. Default: a timer that keeps no process alive. */
  readonly later?: (ms: number, run: () => void) => () => void;
}

/** Pause between two looks at a model that works, in milliseconds. */
const PROBE_EVERY_MS = 5 * 60_000;
/** The first pause before a model that failed is tried again; each is twice the one before, up to the usual one. */
const FIRST_RETRY_MS = 1000;
const PROBE_TIMEOUT_MS = 30_000;
/** Longest wait to know whether the model works, in milliseconds: a local one may have to be loaded first. */
const START_WAIT_MS = 10_000;
/** Questions of one document that are out at the same time: core's default. */
const QUESTIONS_AT_ONCE = 4;
const ANSWER_TIMEOUT_MS = 60_000;
/** Time for one question, all tries and waits together. */
const QUESTION_DEADLINE_MS = 180_000;

const NOT_REACHED = 'The language model of this service has not answered yet.';
const SILENT = 'The language model of this service does not answer.';
const REFUSES = 'The language model of this service refuses its questions; its operator has been told.';

/**
 * The language model of the settings; begins to try it.
 *
 * @throws LanguageModelError `invalid_options`
 */
export function startLanguageModel(parts: LanguageModelParts): LanguageModel {
  const { settings } = parts;
  const choice = modelChoice({
    AI_PROVIDER: settings.aiProvider,
    AI_BASE_URL: settings.aiBaseUrl,
    AI_API_KEY: settings.aiApiKey,
    AI_MODEL: settings.aiModel.join(','),
  });
  return choice === undefined ? NO_LANGUAGE_MODEL : watchedModel(choice, parts);
}

function watchedModel(choice: ModelChoice, parts: LanguageModelParts): LanguageModel {
  const { settings } = parts;
  const outside = outsideModel(choice, settings.aiModel);
  const watch = createWatch(choice, outside, parts);
  const models = new Map<TierId, PricedModel>();

  return {
    outside,
    tried: watch.start(),
    unavailable: () => watch.unavailable(),
    completeFor(tier) {
      const known = models.get(tier) ?? watched(modelOf(choice, tier, parts), watch);
      models.set(tier, known);
      return known;
    },
    close: () => watch.close(),
  };
}

function modelOf(
  choice: ModelChoice,
  tier: TierId,
  { settings, onEvent }: Pick<LanguageModelParts, 'settings' | 'onEvent'>,
): PricedModel {
  const { aiAtOnce, aiModel, aiPrice, aiMaxCostUsd } = settings;
  const maxCostUsd = aiMaxCostUsd[tier];
  return chosenModel(choice, {
    concurrency: aiAtOnce * QUESTIONS_AT_ONCE,
    timeoutMs: ANSWER_TIMEOUT_MS,
    deadlineMs: QUESTION_DEADLINE_MS,
    ...(onEvent === undefined ? {} : { onEvent: (event) => onEvent(tier, event) }),
    ...(aiPrice === undefined ? {} : { prices: Object.fromEntries(aiModel.map((name) => [name, aiPrice])) }),
    ...(maxCostUsd === undefined ? {} : { maxCostUsd }),
  });
}

function outsideModel({ dialect, options }: ModelChoice, models: readonly string[]): OutsideModel {
  const { host } = new URL(options.baseUrl ?? dialect.baseUrl);
  return { host, models, scripted: models.some((name) => /^scripted\b/i.test(name)) };
}

/** Tells the watch of failures that are the model's. */
function watched(complete: PricedModel, watch: Pick<Watch, 'failed'>): PricedModel {
  return async (request, run) => {
    try {
      return await complete(request, run);
    } catch (error) {
      if (run.signal?.aborted !== true && isOfModel(error)) watch.failed(error);
      throw error;
    }
  };
}

/** Statuses with which a service refuses one question: another may be right. */
const OF_THE_QUESTION: readonly unknown[] = [400, 413, 422];

/** Whether a failure says that the next question would fail as well. */
function isOfModel(error: unknown): boolean {
  const { code, status } = Object(error) as { code?: unknown; status?: unknown };
  if (code === 'rejected') return !OF_THE_QUESTION.includes(status);
  return code === 'unavailable' || code === 'timed_out';
}

/** Whether the model works, as far as is known. */
interface Watch {
  /** Resolves when the first try is over, or has lasted too long to wait for. */
  start(): Promise<void>;
  unavailable(): string | null;
  /** A question has failed, and not for its own sake. */
  failed(error: unknown): void;
  close(): Promise<void>;
}

function createWatch(
  choice: ModelChoice,
  { host, models, scripted }: OutsideModel,
  { log, now, later = timer }: LanguageModelParts,
): Watch {
  const ending = new AbortController();
  const about = { host, models };
  let reason: string | null = NOT_REACHED;
  let retryMs = FIRST_RETRY_MS;
  let upSinceMs = 0;
  let forget = (): void => undefined;
  let probing: Promise<void> | undefined;

  function soon(ms: number): void {
    forget();
    if (!ending.signal.aborted) forget = later(ms, () => void probe());
  }

  function up(): void {
    if (reason !== null) {
      upSinceMs = now();
      log.info(
        about,
        scripted ? 'a scripted language model answers: no model chooses' : 'the language model answers',
      );
    }
    reason = null;
    soon(PROBE_EVERY_MS);
  }

  function down(error: unknown): void {
    const why = (Object(error) as { code?: unknown }).code === 'rejected' ? REFUSES : SILENT;
    // One that fails again soon after it has come back is not asked every second.
    if (reason === null && now() - upSinceMs >= PROBE_EVERY_MS) retryMs = FIRST_RETRY_MS;
    if (reason !== why)
      log.warn({ ...about, err: error }, 'the language model cannot be used: its tiers are unavailable');
    reason = why;
    soon(retryMs);
    retryMs = Math.min(2 * retryMs, PROBE_EVERY_MS);
  }

  function probe(): Promise<void> {
    probing ??= firstThatAnswers(choice, models, ending.signal)
      .then(up, (error: unknown) => {
        if (!ending.signal.aborted) down(error);
      })
      .finally(() => (probing = undefined));
    return probing;
  }

  return {
    async start() {
      let stop = (): void => undefined;
      const waited = new Promise<void>((resolve) => (stop = later(START_WAIT_MS, resolve)));
      await Promise.race([probe(), waited]);
      stop();
    },
    unavailable: () => reason,
    failed: (error) => {
      // What is known already is not news, and the next try is on its way.
      if (reason === null) down(error);
    },
    async close() {
      ending.abort(new Error('The service ends.'));
      forget();
      await probing;
    },
  };
}

/** One small question to each model of the list, until one answers. Rejects with the last failure. */
async function firstThatAnswers(
  { dialect, options }: ModelChoice,
  models: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  let failure: unknown;
  for (const model of models) {
    try {
      await probeModel(dialect, { ...options, model, timeoutMs: PROBE_TIMEOUT_MS }, signal);
      return;
    } catch (error) {
      signal.throwIfAborted();
      failure = error;
    }
  }
  throw failure;
}
