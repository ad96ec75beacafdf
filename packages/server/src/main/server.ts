// The whole service: settings in, a listening server out, and its graceful end.
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import manifest from '../../package.json' with { type: 'json' };
import { OPERATIONS } from '../api/operations.ts';
import { type ConnectionLimits, createEdge, type Edge } from '../http/edge/index.ts';
import { createOriginResolver, type OriginResolver } from '../http/origin.ts';
import { createClientHash, createClientIdentity } from '../limits/client.ts';
import type { Meters } from '../metrics/meters.ts';
import type { WebApp } from '../responses/web-app.ts';
import type { Phase } from '../routes/deps.ts';
import { levelOf, respond, routeOf } from '../routes/index.ts';
import { isLoopback, type Settings, SettingsError } from '../settings/settings.ts';
import type { Store } from '../store/store.ts';
import {
  closeDependencies,
  type Dependencies,
  type DependencyOverrides,
  openDependencies,
} from './dependencies.ts';
import { createLog } from './log.ts';
import { createServiceDeps, longestRequestMs } from './service-deps.ts';

/** A listening service. */
export interface RunningService {
  /** Its address: `http://127.0.0.1:8402`. */
  readonly url: string;
  /** The address of the metrics, with METRICS_PORT: `http://127.0.0.1:9402/metrics`. */
  readonly metricsUrl?: string;
  /**
   * Resolves after the first attempt to reach the payment network and the language model, successful or not. Until then
   * `/ready` is 503 and the tiers that need them are unavailable.
   *
   * @throws PaymentsSetupError when payments can never work with these settings; the service has stopped then
   */
  readonly ready: Promise<void>;
  /**
   * Serves on for a while, with `/ready` 503: for `drainMs` when a client polls `/ready`, otherwise until requests
   * cease, 2 s at most. Then accepts no connections, finishes running requests, aborts the rest with 503 `shutdownMs`
   * after the call, and closes store and child processes. A second call returns the same promise.
   */
  stop(): Promise<void>;
}

/** Replacements for tests and for programs that embed the service. */
export interface ServiceOverrides extends DependencyOverrides {
  /** Default: the built web app. */
  readonly webApp?: WebApp;
  /** Receives the lines of the log, as JSON unless LOG_FORMAT is text. Default: standard error. */
  readonly log?: { write(line: string): void };
  readonly connection?: Partial<ConnectionLimits>;
  /** Time at the end in which clients can notice the 503 of `/ready`, in milliseconds. Default 2000. */
  readonly leavingMs?: number;
}

/** Version of this package. */
export const VERSION: string = manifest.version;

/** Time at the end in which requests are served although no client polls `/ready`. */
const LEAVING_MS = 2_000;
/** A client that has requested `/ready` within this time counts as a load balancer that polls. */
const WATCHED_MS = 60_000;
const SWEEP_MS = 60_000;

/** The state of a running service. */
interface ServiceState {
  phase: Phase;
  /** The latest request for `/ready`, in milliseconds of a monotonic clock. */
  watchedMs: number;
  /** Known once the socket listens. */
  origin: OriginResolver;
}

/**
 * Starts the service; resolves once it listens, which is before it is {@link RunningService.ready}.
 *
 * @throws SettingsError when it would be reachable beyond this machine without PUBLIC_URL
 * @throws ModelError when EMBEDDINGS names a model that cannot be loaded, or the settings AI_… do not fit each other
 * @throws SolanaInputError when PAY_TO or USDC_MINT is no address
 * @example
 * const service = await startService(readSettings(process.env));
 * console.log(service.url);
 * await service.ready;
 * await service.stop();
 */
export async function startService(
  settings: Settings,
  overrides: ServiceOverrides = {},
): Promise<RunningService> {
  assertPublicUrl(settings);
  const log = createLog(settings, overrides.log);
  const opened = await openDependencies(settings, overrides, log, VERSION);
  const state: ServiceState = { phase: 'serving', watchedMs: -Infinity, origin: () => '' };
  const edge = await openEdge(settings, overrides, opened, state, log);
  const closeAfter = async (error: unknown): Promise<never> => {
    await closeDependencies(opened);
    throw error;
  };
  // The metrics port first: a failed start must not have served a request.
  const metricsUrl = await listenForMetrics(opened.meters, settings).catch(closeAfter);
  const url = await edge.listen(settings.host, settings.port).catch(closeAfter);
  state.origin = createOriginResolver(settings.publicUrl, url);
  log.info({ url, metrics_url: metricsUrl, deployment: settings.deployment, version: VERSION }, 'listening');
  const endSweeps = sweepPeriodically(opened.store, log);
  const leave = (): Promise<void> => leaveGracefully(settings, overrides, edge, state);
  const end = async (leaving?: () => Promise<void>): Promise<void> => {
    endSweeps();
    await endService(settings, opened, edge, state, log, leaving);
  };
  const named = metricsUrl === undefined ? undefined : { metricsUrl };
  return { url, ...named, ...startAndStop(opened, log, end, leave) };
}

async function openEdge(
  settings: Settings,
  overrides: ServiceOverrides,
  opened: Dependencies,
  state: ServiceState,
  log: Logger,
): Promise<Edge> {
  const { meters, telemetry } = opened;
  const deps = await createServiceDeps(settings, VERSION, opened, () => state.phase, overrides);
  const edge = createEdge({
    respond: (httpRequest) => {
      if (httpRequest.path === OPERATIONS.ready.path && state.phase === 'serving')
        state.watchedMs = performance.now();
      if (telemetry === undefined) return respond(httpRequest, deps);
      return telemetry.request(httpRequest, routeOf(httpRequest.path), (traced) => respond(traced, deps));
    },
    routeOf,
    levelOf,
    hashClient: createClientHash(randomBytes(32)),
    identify: createClientIdentity(settings.trustedProxies),
    origin: (host) => state.origin(host),
    log,
    isStopping: () => state.phase !== 'serving',
    connection: { requestTimeout: longestRequestMs(settings), ...overrides.connection },
    onOutcome: meters && ((outcome) => meters.exchange(outcome)),
  });
  meters?.outgoing(() => edge.outgoingBytes());
  return edge;
}

/** Reports readiness, and ends the service once: on demand, or when payments can never work. */
function startAndStop(
  { payments, languageModel, jobs, webhooks }: Dependencies,
  log: Logger,
  end: (leaving?: () => Promise<void>) => Promise<void>,
  leave: () => Promise<void>,
): Pick<RunningService, 'ready' | 'stop'> {
  let ended: Promise<void> | undefined;
  webhooks.begin();
  // Jobs use the model at once: before its first attempt they would find it unavailable.
  void languageModel.tried.then(() => {
    if (ended === undefined) jobs.begin();
  });
  const ready = Promise.all([payments.tried, languageModel.tried]).then(
    () => {
      if (ended === undefined) log.info('ready');
    },
    async (err: unknown) => {
      log.error({ err }, 'the service cannot work with these settings');
      // The service was never ready, so no client needs time to notice its end.
      await (ended ??= end());
      throw err;
    },
  );
  // The log has the error: a caller need not await `ready`.
  void ready.catch(() => undefined);
  return { ready, stop: () => (ended ??= end(leave)) };
}

/** Serves on until clients have had time to notice the 503 of `/ready`. */
async function leaveGracefully(
  settings: Settings,
  overrides: ServiceOverrides,
  edge: Edge,
  state: ServiceState,
): Promise<void> {
  state.phase = 'leaving';
  const drainMs = Math.min(settings.drainMs, settings.shutdownMs / 2);
  const isWatched = performance.now() - state.watchedMs < WATCHED_MS;
  await edge.waitForQuiet(
    isWatched
      ? { leastMs: drainMs, mostMs: drainMs }
      : { leastMs: 0, mostMs: Math.min(overrides.leavingMs ?? LEAVING_MS, settings.shutdownMs) },
  );
}

async function endService(
  { shutdownMs }: Settings,
  opened: Dependencies,
  edge: Edge,
  state: ServiceState,
  log: Logger,
  leaving?: () => Promise<void>,
): Promise<void> {
  log.info('stopping');
  const beganMs = performance.now();
  const handedOver = opened.jobs.close(shutdownMs / 2);
  await leaving?.();
  state.phase = 'refusing';
  const leftMs = Math.max(0, shutdownMs - (performance.now() - beganMs));
  // Paid work is finished without its client.
  await Promise.all([opened.payments.work.end(leftMs, edge.close(leftMs)), handedOver]);
  await closeDependencies(opened);
  log.info('stopped');
}

/** Deletes expired rows at an interval; the returned function stops it. */
function sweepPeriodically(store: Store, log: Logger): () => void {
  let isOver = false;
  const sweep = (): Promise<void> =>
    store.sweep().catch((err: unknown) => {
      // The closing of the store ends a sweep.
      if (!isOver) log.warn({ err }, 'sweep failed');
    });
  const sweeper = setInterval(() => void sweep(), SWEEP_MS);
  sweeper.unref();
  return () => {
    isOver = true;
    clearInterval(sweeper);
  };
}

async function listenForMetrics(
  meters: Meters | undefined,
  { host, metricsPort }: Settings,
): Promise<string | undefined> {
  if (metricsPort === undefined) return undefined;
  try {
    return await meters?.listen(host, metricsPort);
  } catch (cause) {
    // The message names the setting: the error of the system reads like a fault of PORT.
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`METRICS_PORT cannot be used: ${reason}.`, { cause });
  }
}

/** Links in answers begin with the public address, which the service cannot find out itself. */
function assertPublicUrl({ host, publicUrl }: Settings): void {
  if (publicUrl !== undefined || isLoopback(host)) return;
  throw new SettingsError([
    `PUBLIC_URL must be set when HOST (${host}) is beyond loopback: links in answers begin with it.`,
  ]);
}
