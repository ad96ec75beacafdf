// The service as a whole: settings in, a listening server out, and its graceful end.
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import manifest from '../package.json' with { type: 'json' };
import { OPERATIONS } from './api/operations.ts';
import { type ConnectionLimits, createEdge } from './http/edge/index.ts';
import { maxBodyBytes } from './http/order.ts';
import { createOrigin, type Origin } from './http/origin.ts';
import { openPage, type Page } from './http/page.ts';
import { type AdmissionLimits, createAdmission } from './limits/admission.ts';
import { createClientIdentity } from './limits/client.ts';
import { createMissLimit } from './limits/miss-limit.ts';
import { createPacing } from './limits/pacing.ts';
import { createRateLimit } from './limits/rate.ts';
import type { Meters } from './metrics/meters.ts';
import { closeParts, type GivenParts, type OpenedParts, openParts } from './parts.ts';
import { createResultId } from './results.ts';
import { respond, routeOf } from './routes/index.ts';
import type { Phase, Service } from './routes/service.ts';
import { isLoopback, type Settings, SettingsError } from './settings/settings.ts';
import { longestWorkMs, MODEL_QUEUE } from './work.ts';

/** A service that answers. */
export interface RunningService {
  /** Address at which it listens: `http://127.0.0.1:8402`. */
  readonly url: string;
  /** Address at which metrics are served, with METRICS_PORT: `http://127.0.0.1:9402/metrics`. */
  readonly metricsUrl?: string;
  /**
   * Resolves when the payment network and the language model have been looked at for the first time, whether they
   * answered or not: `/ready` says 503 until then, and what needs them cannot be used.
   *
   * @throws PaymentsFault when payments can never work with these settings; the service has been stopped then
   */
  readonly ready: Promise<void>;
  /**
   * Serves on, `/ready` apart: for `drainMs` when somebody asks for that, else until no more requests come (2 s at
   * most). Then takes no new connections, lets running requests end, aborts with 503 what has not ended `shutdownMs`
   * after the call, closes store and child processes.
   * Calling it again gives the same promise.
   */
  stop(): Promise<void>;
}

/** What tests, and those who embed the service, may bring. */
export interface ServiceParts extends GivenParts {
  /** What browsers get; the built page unless given. */
  readonly page?: Page;
  /** Takes the log, a JSON text a line; standard error when not given. */
  readonly log?: { write(line: string): void };
  readonly connection?: Partial<ConnectionLimits>;
  /**
   * Time at the end in which requests are still served, in milliseconds, so that whoever sends them can see that
   * `/ready` says no and go elsewhere. Default 2000.
   */
  readonly leavingMs?: number;
}

/** Version of this package. */
export const VERSION: string = manifest.version;

/** Folder where the build puts the page: beside this file once it is built. */
const PAGE_FOLDER = fileURLToPath(new URL('./web/', import.meta.url));

/** Requests that may wait for a place, and for how long: with the 60 s of the work below the wait of usual proxies. */
const QUEUE: Pick<AdmissionLimits, 'queue' | 'waitMs'> = { queue: 512, waitMs: 20_000 };
/** Bodies of the largest size that may be in memory together. */
const LARGEST_BODIES = 8;
/** Documents behind links that may be in memory together. */
const LINKS_IN_WORK = 16;
/** Questions how far a job is, for each other request that a client may make. */
const POLLS = 10;
/** Milliseconds that a connection may be idle beyond the longest wait of its request. */
const IDLE_MARGIN_MS = 30_000;
/** While requests still come, though nobody asks whether the service is ready. */
const LEAVING_MS = 2_000;
/**
 * Whoever asked for `/ready` within so many milliseconds is taken for a load balancer that asks again and again, and
 * has to hear the no.
 */
const WATCHED_MS = 60_000;
const SWEEP_MS = 60_000;

/**
 * Starts the service; resolves once it listens, which is before it is {@link RunningService.ready}.
 *
 * @throws SettingsError when it would be reachable beyond this machine without PUBLIC_URL
 * @throws EmbedderError when EMBEDDINGS names a model that cannot be loaded
 * @throws SolanaInputError when PAY_TO or USDC_MINT is no address
 * @throws LanguageModelError when the settings AI_… do not fit each other
 * @example
 * const service = await startService(readSettings(process.env));
 * console.log(service.url);
 * await service.ready;
 * await service.stop();
 */
export async function startService(settings: Settings, parts: ServiceParts = {}): Promise<RunningService> {
  refuseUnnamedAddress(settings);
  const log = pino(
    { level: settings.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    parts.log ?? pino.destination(2),
  );
  const opened = await openParts(settings, parts, log, VERSION);
  const { store, meters, languageModel, payments, jobs } = opened;
  let phase: Phase = 'serving';
  const service = await serviceOf(settings, parts, opened, () => phase);
  let origin: Origin = () => '';
  let watchedMs = -Infinity;
  const edge = createEdge({
    respond: (intake) => {
      if (intake.path === OPERATIONS.ready.path && phase === 'serving') watchedMs = performance.now();
      return respond(intake, service);
    },
    routeOf,
    identify: createClientIdentity(settings.trustedProxies),
    origin: (host) => origin(host),
    log,
    isStopping: () => phase !== 'serving',
    idleMs: longestWaitMs(settings) + IDLE_MARGIN_MS,
    ...(parts.connection === undefined ? undefined : { connection: parts.connection }),
    ...(meters === undefined ? undefined : { onOutcome: (outcome) => meters.exchange(outcome) }),
  });
  meters?.outgoing(() => edge.outgoingBytes());
  const closeAfter = async (error: unknown): Promise<never> => {
    await closeParts(opened);
    throw error;
  };
  // First the port that may be refused, so that nobody is served by a service that then does not start.
  const metricsUrl = await listenForMetrics(meters, settings).catch(closeAfter);
  const url = await edge.listen(settings.host, settings.port).catch(closeAfter);
  origin = createOrigin(settings.publicUrl, url);
  const sweeper = setInterval(
    () => void store.sweep().catch((err: unknown) => log.warn({ err }, 'sweep failed')),
    SWEEP_MS,
  );
  sweeper.unref();
  log.info({ url, metrics_url: metricsUrl, deployment: settings.deployment, version: VERSION }, 'listening');

  /** Serves on until those who send requests have had time to notice. */
  const leave = async (): Promise<void> => {
    phase = 'leaving';
    const drainMs = Math.min(settings.drainMs, settings.shutdownMs / 2);
    const isWatched = performance.now() - watchedMs < WATCHED_MS;
    await edge.waitForQuiet(
      isWatched
        ? { leastMs: drainMs, mostMs: drainMs }
        : { leastMs: 0, mostMs: Math.min(parts.leavingMs ?? LEAVING_MS, settings.shutdownMs) },
    );
  };
  const end = async (leaving?: () => Promise<void>): Promise<void> => {
    clearInterval(sweeper);
    log.info('stopping');
    const beganMs = performance.now();
    const handedOver = jobs.close(settings.shutdownMs / 2);
    await leaving?.();
    phase = 'refusing';
    const leftMs = Math.max(0, settings.shutdownMs - (performance.now() - beganMs));
    // Work that was paid for is finished although its client has gone.
    await Promise.all([payments.work.end(leftMs, edge.close(leftMs)), handedOver]);
    await closeParts(opened);
    log.info('stopped');
  };
  let ended: Promise<void> | undefined;
  // Unfinished jobs ask the model at once: before it has been tried, they would find that it does not answer.
  void languageModel.tried.then(() => {
    if (ended === undefined) jobs.begin();
  });
  const ready = Promise.all([payments.tried, languageModel.tried]).then(
    () => {
      if (ended === undefined) log.info('ready');
    },
    async (err: unknown) => {
      log.error({ err }, 'the service cannot work with these settings');
      // Nobody has been told that it is ready: nobody has to notice that it goes.
      await (ended ??= end());
      throw err;
    },
  );
  // Also for those who do not wait for it: it is in the log.
  void ready.catch(() => undefined);
  const named = metricsUrl === undefined ? undefined : { metricsUrl };
  return { url, ...named, ready, stop: () => (ended ??= end(leave)) };
}

/** What answers requests: the parts, and the places and counts that bound what is in work. */
async function serviceOf(
  settings: Settings,
  parts: ServiceParts,
  opened: OpenedParts,
  phase: () => Phase,
): Promise<Service> {
  const { store, meters, deployment, languageModel, payments, downloader, workplace, jobs, now } = opened;
  // Only what begins from now on; what is looked at while the page is opened is no longer awaited.
  const awaited = awaitedOf(opened);
  const service: Service = {
    settings,
    deployment,
    version: VERSION,
    page: settings.page === 'off' ? undefined : (parts.page ?? (await openPage(PAGE_FOLDER))),
    store,
    downloader,
    workplace: meters?.workplace(workplace) ?? workplace,
    jobs,
    admission: createAdmission({
      ...QUEUE,
      places: settings.maxInWork,
      bytes: LARGEST_BODIES * maxBodyBytes('multipart', settings),
    }),
    links: createAdmission({ ...QUEUE, places: LINKS_IN_WORK, bytes: Infinity }),
    modelPlaces: createAdmission({
      ...MODEL_QUEUE,
      places: settings.aiAtOnce,
      queue: settings.aiAtOnce,
      bytes: Infinity,
    }),
    languageModel,
    misses: createMissLimit(),
    rate: createRateLimit(settings.rateLimit),
    polls: createRateLimit(settings.rateLimit === 'off' ? 'off' : POLLS * settings.rateLimit),
    payments: meters?.payments(payments) ?? payments,
    nextTurn: createPacing(),
    now,
    createResultId: parts.createResultId ?? createResultId,
    phase,
    awaited,
  };
  meters?.admission('bodies', service.admission);
  meters?.admission('links', service.links);
  meters?.admission('models', service.modelPlaces);
  return service;
}

/** Tells who has not been looked at yet: `/ready` names them. */
function awaitedOf({ payments, languageModel }: OpenedParts): () => readonly string[] {
  const awaited = new Set<string>();
  for (const [name, { tried }] of [
    ['the payment network', payments],
    ['the language model', languageModel],
  ] as const) {
    awaited.add(name);
    void tried.then(
      () => awaited.delete(name),
      () => undefined,
    );
  }
  return () => [...awaited];
}

/**
 * The longest that a request whose body has come may wait for the head of its answer: all its waits one after another.
 */
function longestWaitMs(settings: Settings): number {
  const places = 2 * QUEUE.waitMs;
  return settings.paymentWaitMs + places + settings.fetchTimeoutMs + longestWorkMs(settings);
}

async function listenForMetrics(
  meters: Meters | undefined,
  { host, metricsPort }: Settings,
): Promise<string | undefined> {
  if (metricsPort === undefined) return undefined;
  try {
    return await meters?.listen(host, metricsPort);
  } catch (cause) {
    // Otherwise it would be taken for PORT's fault.
    throw new Error(
      `METRICS_PORT cannot be used: ${cause instanceof Error ? cause.message : String(cause)}.`,
      {
        cause,
      },
    );
  }
}

/** Links in answers must lead back here, and nobody can tell the address by which strangers reach this machine. */
function refuseUnnamedAddress({ host, publicUrl }: Settings): void {
  if (publicUrl !== undefined || isLoopback(host)) return;
  throw new SettingsError([
    `PUBLIC_URL must be set when HOST (${host}) is beyond loopback: links in answers begin with it.`,
  ]);
}
