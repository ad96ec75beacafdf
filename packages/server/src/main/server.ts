// The whole service: settings in, a listening server out, and its graceful end.
import { randomBytes } from 'node:crypto';
import { OPERATIONS } from '../api/operations.ts';
import { type ConnectionLimits, createEdge, type Edge } from '../http/edge/index.ts';
import type { HttpReply, HttpRequest } from '../http/message.ts';
import { createClientHash, createClientIdentity } from '../limits/client.ts';
import type { WebApp } from '../responses/web-app.ts';
import type { Phase } from '../routes/deps.ts';
import { levelOf, respond, routeOf } from '../routes/index.ts';
import { isLoopback, type Settings, SettingsError } from '../settings/settings.ts';
import { type Dependencies, type DependencyOverrides, openDependencies } from './dependencies.ts';
import { createDrain, type Drain } from './drain.ts';
import { createLog } from './log.ts';
import { openInOrder } from './part-stack.ts';
import { createServiceDeps, longestRequestMs } from './service-deps.ts';
import { VERSION } from './version.ts';

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
  return openInOrder(async (stack) => {
    const log = createLog(settings, overrides.log);
    const deps = await openDependencies(settings, overrides, log, stack);
    const drain = createDrain(settings, overrides.leavingMs);
    const edge = await openEdge(deps, drain, overrides);
    // The metrics port first: a failed start must not have served a request.
    const metricsUrl = await listenForMetrics(deps);
    const url = await edge.listen(settings.host, settings.port);
    log.info(
      { url, metrics_url: metricsUrl, deployment: settings.deployment, version: VERSION },
      'listening',
    );
    const end = async (isNoticed: boolean): Promise<void> => {
      log.info('stopping');
      await drain.end(edge, deps, isNoticed);
      await stack.close();
      log.info('stopped');
    };
    let ended: Promise<void> | undefined;
    // A service that was never ready ends at once: no client needs time to notice it.
    const ready = begin(deps, drain.phase, () => (ended ??= end(false)));
    // The log has the error: a caller need not await `ready`.
    void ready.catch(() => undefined);
    return {
      url,
      ...(metricsUrl === undefined ? {} : { metricsUrl }),
      ready,
      stop: () => (ended ??= end(true)),
    };
  });
}

/** Creates the edge with the routes behind it. It does not listen yet. */
async function openEdge(deps: Dependencies, drain: Drain, overrides: ServiceOverrides): Promise<Edge> {
  const { settings, log, meters, telemetry } = deps;
  const serviceDeps = await createServiceDeps(deps, drain.phase, overrides.webApp);
  const serve = (httpRequest: HttpRequest): Promise<HttpReply> => respond(httpRequest, serviceDeps);
  const edge = createEdge({
    respond: (httpRequest) => {
      const { path } = httpRequest;
      if (path === OPERATIONS.ready.path) drain.recordPoll();
      return telemetry?.request(httpRequest, routeOf(path), serve) ?? serve(httpRequest);
    },
    routeOf,
    levelOf,
    hashClient: createClientHash(randomBytes(32)),
    identify: createClientIdentity(settings.trustedProxies),
    publicUrl: settings.publicUrl,
    log,
    isStopping: () => drain.phase() !== 'serving',
    connection: { requestTimeout: longestRequestMs(settings), ...overrides.connection },
    onOutcome: meters && ((outcome) => meters.exchange(outcome)),
  });
  meters?.outgoing(() => edge.outgoingBytes());
  return edge;
}

/**
 * Begins the background work. Resolves after the first attempt to reach the payment network and the language model;
 * rejects after the service has ended, when payments can never work.
 */
async function begin(
  { log, webhooks, jobs, payments, languageModel }: Dependencies,
  phase: () => Phase,
  end: () => Promise<void>,
): Promise<void> {
  webhooks.begin();
  // Jobs use the model at once: before its first attempt they would find it unavailable.
  void languageModel.tried.then(() => {
    if (phase() === 'serving') jobs.begin();
  });
  try {
    await Promise.all([payments.tried, languageModel.tried]);
    if (phase() === 'serving') log.info('ready');
  } catch (err) {
    log.error({ err }, 'the service cannot work with these settings');
    await end();
    throw err;
  }
}

async function listenForMetrics({ meters, settings }: Dependencies): Promise<string | undefined> {
  const { host, metricsPort } = settings;
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
