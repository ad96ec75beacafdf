// The dependencies of the routes: the opened parts, and the limits that bound concurrent work.
import { fileURLToPath } from 'node:url';
import { sellsTiers } from '../catalog.ts';
import { createAdmission } from '../limits/limiter.ts';
import { createNotFoundLimit } from '../limits/not-found-limit.ts';
import { createPacing, createThrottle, FREE_BYTES_PER_MS } from '../limits/pacing.ts';
import { createRateLimit } from '../limits/rate.ts';
import { maxBodyBytes } from '../requests/chunk-request.ts';
import { MODEL_QUEUE } from '../requests/run-request.ts';
import { openWebApp, type WebApp } from '../responses/web-app.ts';
import type { Phase, ServiceDeps } from '../routes/deps.ts';
import type { Settings } from '../settings/settings.ts';
import { createResultId } from '../store/result-id.ts';
import type { Dependencies } from './dependencies.ts';

/** Folder of the built web app, beside the built file of this module. */
const WEB_APP_FOLDER = fileURLToPath(new URL('./web/', import.meta.url));

/** The queue of requests. Its wait and the 60 s of the work are together the time-out of usual proxies. */
const QUEUE = { queue: 512, waitMs: 20_000 };
/** Bodies of the largest size that fit into memory together. */
const LARGEST_BODIES = 8;
/** Documents behind links in memory at one time. */
const LINKS_IN_WORK = 16;
/** Requests for a job's state for each other request of a client. */
const POLLS = 10;
/** The slowest pace of a body. */
const BODY_BYTES_PER_S = 16 * 1024;

/** @param overrides replace the built web app and the ids of results */
export async function createServiceDeps(
  settings: Settings,
  version: string,
  opened: Dependencies,
  phase: () => Phase,
  overrides: { readonly webApp?: WebApp; readonly createResultId?: (tier: string) => string },
): Promise<ServiceDeps> {
  const { store, meters, deployment, languageModel, downloader, workerPool, jobs, now } = opened;
  const payments = opened.telemetry?.payments(opened.payments) ?? opened.payments;
  // Before openWebApp, so that a first answer meanwhile counts.
  const awaited = awaitedNames(opened);
  const deps: ServiceDeps = {
    settings,
    deployment,
    version,
    webApp: settings.page === 'off' ? undefined : (overrides.webApp ?? (await openWebApp(WEB_APP_FOLDER))),
    store,
    downloader,
    workerPool: meters?.workerPool(workerPool) ?? workerPool,
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
    notFoundLimit: createNotFoundLimit(),
    rate: createRateLimit(settings.rateLimit),
    polls: createRateLimit(settings.rateLimit === 'off' ? 'off' : POLLS * settings.rateLimit),
    payments: meters?.payments(payments) ?? payments,
    receipts: opened.receipts,
    nextTurn: createPacing(),
    throttleFree: sellsTiers(deployment) ? createThrottle(FREE_BYTES_PER_MS) : () => Promise.resolve(),
    now,
    createResultId: overrides.createResultId ?? createResultId,
    phase,
    awaited,
  };
  meters?.admission('bodies', deps.admission);
  meters?.admission('links', deps.links);
  meters?.admission('models', deps.modelPlaces);
  return deps;
}

/** The parts without a first answer, for `/ready`. */
function awaitedNames({ payments, languageModel }: Dependencies): () => readonly string[] {
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

/** Time for a whole request: its waits before the body, and a body of the largest size at the slowest pace. */
export function longestRequestMs(settings: Settings): number {
  const mostBytes = Math.max(maxBodyBytes('multipart', settings), maxBodyBytes('json', settings));
  return settings.paymentWaitMs + QUEUE.waitMs + Math.ceil((mostBytes / BODY_BYTES_PER_S) * 1000);
}
