// The language model of the settings, with a health check. It is remote, and the server alone has its key; child
// processes call it by message (sandbox/rpc.ts). Probes run at the start, every five minutes, and after a failed
// request, so no client pays for an unavailable model.
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
import type { Settings } from '../settings/settings.ts';
import { unrefTimer } from '../unref-timer.ts';

/** The language model of the `ai` tiers. */
export interface LanguageModel {
  /** The remote host that receives the text of documents; null without a language model. */
  readonly outside: OutsideModel | null;
  /** Resolves after the first probe, successful or not, or after a bounded wait. */
  readonly tried: Promise<void>;
  /** The reason that these tiers are unavailable at the moment; null while they are available. */
  unavailableReason(): string | null;
  /** The model with the cost limit of a tier for each document. */
  completeFor(tier: TierId): PricedModel;
  /** Ends the probes. */
  close(): Promise<void>;
}

/** A remote model, as `GET /` names it. */
export interface OutsideModel {
  /** Host and port of its service. */
  readonly host: string;
  /** Names of the models from their service. */
  readonly models: readonly string[];
  /** True for a script in place of a model. */
  readonly scripted: boolean;
}

/** The value for a service without a language model. The catalog lists its tiers as unavailable. */
export const NO_LANGUAGE_MODEL: LanguageModel = {
  outside: null,
  tried: Promise.resolve(),
  unavailableReason: () => 'This service has no language model.',
  completeFor: () => () => Promise.reject(new Error('This service has no language model.')),
  close: () => Promise.resolve(),
};

/** Dependencies of {@link createLanguageModel}. */
export interface LanguageModelDeps {
  readonly settings: Pick<
    Settings,
    'aiProvider' | 'aiBaseUrl' | 'aiApiKey' | 'aiModel' | 'aiPrice' | 'aiMaxCostUsd' | 'aiAtOnce'
  >;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** Called for every request of a document and for every failure, but not for probes. */
  readonly onEvent?: ((tier: TierId, event: ModelEvent) => void) | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Runs a function after a pause; the returned function cancels it. Default: a timer that keeps no process alive. */
  readonly schedule?: (ms: number, run: () => void) => () => void;
}

/** Pause between two probes of an available model, in milliseconds. */
const PROBE_EVERY_MS = 5 * 60_000;
/** The first pause after a failure. Each further pause is twice as long, up to the usual one. */
const FIRST_RETRY_MS = 1000;
const PROBE_TIMEOUT_MS = 30_000;
/** Longest wait for the first probe, in milliseconds. A local model may load first. */
const START_WAIT_MS = 10_000;
/** Open requests of one document, core's default. */
const REQUESTS_AT_ONCE = 4;
const ANSWER_TIMEOUT_MS = 60_000;
/** Time for one request with all retries and pauses. */
const REQUEST_DEADLINE_MS = 180_000;

const NOT_REACHED = 'The language model of this service has not answered yet.';
const UNREACHABLE = 'The language model of this service does not answer.';
const REJECTING = 'The language model of this service refuses its questions; its operator has been told.';

/**
 * Creates the language model of the settings and starts its first probe.
 *
 * @throws ModelError `invalid_options`
 */
export function createLanguageModel(deps: LanguageModelDeps): LanguageModel {
  const { settings } = deps;
  const choice = modelChoice({
    AI_PROVIDER: settings.aiProvider,
    AI_BASE_URL: settings.aiBaseUrl,
    AI_API_KEY: settings.aiApiKey,
    AI_MODEL: settings.aiModel.join(','),
  });
  return choice === undefined ? NO_LANGUAGE_MODEL : watchedModel(choice, deps);
}

function watchedModel(choice: ModelChoice, deps: LanguageModelDeps): LanguageModel {
  const { settings } = deps;
  const outside = outsideModel(choice, settings.aiModel);
  const watch = createWatch(choice, outside, deps);
  const models = new Map<TierId, PricedModel>();

  return {
    outside,
    tried: watch.start(),
    unavailableReason: () => watch.unavailableReason(),
    completeFor(tier) {
      const model = models.get(tier) ?? watched(modelOf(choice, tier, deps), watch);
      models.set(tier, model);
      return model;
    },
    close: () => watch.close(),
  };
}

function modelOf(
  choice: ModelChoice,
  tier: TierId,
  { settings, onEvent }: Pick<LanguageModelDeps, 'settings' | 'onEvent'>,
): PricedModel {
  const { aiAtOnce, aiModel, aiPrice, aiMaxCostUsd } = settings;
  const maxCostUsd = aiMaxCostUsd[tier];
  return chosenModel(choice, {
    concurrency: aiAtOnce * REQUESTS_AT_ONCE,
    timeoutMs: ANSWER_TIMEOUT_MS,
    deadlineMs: REQUEST_DEADLINE_MS,
    onEvent: onEvent === undefined ? undefined : (event) => onEvent(tier, event),
    prices: aiPrice === undefined ? undefined : Object.fromEntries(aiModel.map((name) => [name, aiPrice])),
    maxCostUsd,
  });
}

function outsideModel({ dialect, options }: ModelChoice, models: readonly string[]): OutsideModel {
  const { host } = new URL(options.baseUrl ?? dialect.baseUrl);
  return { host, models, scripted: models.some((name) => /^scripted\b/i.test(name)) };
}

/** Reports failures of the model itself to the watch. */
function watched(complete: PricedModel, watch: Pick<Watch, 'reportFailure'>): PricedModel {
  return async (request, run) => {
    try {
      return await complete(request, run);
    } catch (error) {
      if (run.signal?.aborted !== true && isModelFailure(error)) watch.reportFailure(error);
      throw error;
    }
  };
}

/** Statuses that concern one request only. */
const REQUEST_STATUSES: readonly unknown[] = [400, 413, 422];

/** Detects a failure that the next request would meet as well. */
function isModelFailure(error: unknown): boolean {
  const { code, status } = Object(error) as { code?: unknown; status?: unknown };
  if (code === 'rejected') return !REQUEST_STATUSES.includes(status);
  return code === 'unavailable' || code === 'timed_out';
}

/** The health of the model by its last probe or request. */
interface Watch {
  /** Resolves after the first probe, or after a bounded wait. */
  start(): Promise<void>;
  unavailableReason(): string | null;
  /** Records a failure of the model itself. */
  reportFailure(error: unknown): void;
  close(): Promise<void>;
}

function createWatch(
  choice: ModelChoice,
  { host, models, scripted }: OutsideModel,
  { log, now, schedule = unrefTimer }: LanguageModelDeps,
): Watch {
  const ending = new AbortController();
  const context = { host, models };
  let reason: string | null = NOT_REACHED;
  let retryMs = FIRST_RETRY_MS;
  let upSinceMs = 0;
  let cancel = (): void => undefined;
  let probing: Promise<void> | undefined;

  function scheduleProbe(ms: number): void {
    cancel();
    if (!ending.signal.aborted) cancel = schedule(ms, () => void probe());
  }

  function markAvailable(): void {
    if (reason !== null) {
      upSinceMs = now();
      log.info(
        context,
        scripted ? 'a scripted language model answers: no model chooses' : 'the language model answers',
      );
    }
    reason = null;
    scheduleProbe(PROBE_EVERY_MS);
  }

  function markUnavailable(error: unknown): void {
    const newReason = (Object(error) as { code?: unknown }).code === 'rejected' ? REJECTING : UNREACHABLE;
    // A model that fails again soon after its return keeps its long pause.
    if (reason === null && now() - upSinceMs >= PROBE_EVERY_MS) retryMs = FIRST_RETRY_MS;
    if (reason !== newReason)
      log.warn({ ...context, err: error }, 'the language model cannot be used: its tiers are unavailable');
    reason = newReason;
    scheduleProbe(retryMs);
    retryMs = Math.min(2 * retryMs, PROBE_EVERY_MS);
  }

  function probe(): Promise<void> {
    probing ??= probeModels(choice, models, ending.signal)
      .then(markAvailable, (error: unknown) => {
        if (!ending.signal.aborted) markUnavailable(error);
      })
      .finally(() => (probing = undefined));
    return probing;
  }

  return {
    async start() {
      let stop = (): void => undefined;
      const waited = new Promise<void>((resolve) => (stop = schedule(START_WAIT_MS, resolve)));
      await Promise.race([probe(), waited]);
      stop();
    },
    unavailableReason: () => reason,
    reportFailure: (error) => {
      // After a known failure the next probe is already scheduled.
      if (reason === null) markUnavailable(error);
    },
    async close() {
      ending.abort(new Error('The service ends.'));
      cancel();
      await probing;
    },
  };
}

/** Probes the models of the list in order until one answers. Rejects with the last failure. */
async function probeModels(
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
