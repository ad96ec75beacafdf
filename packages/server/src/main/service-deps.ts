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

/** @param webApp replaces the built web app */
export async function createServiceDeps(
  deps: Dependencies,
  phase: () => Phase,
  webApp: WebApp | undefined,
): Promise<ServiceDeps> {
  const { settings, deployment, meters, telemetry } = deps;
  const payments = telemetry?.payments(deps.payments) ?? deps.payments;
  const { aiAtOnce, rateLimit } = settings;
  const admission = createAdmission({
    ...QUEUE,
    places: settings.maxInWork,
    bytes: LARGEST_BODIES * maxBodyBytes('multipart', settings),
  });
  const links = createAdmission({ ...QUEUE, places: LINKS_IN_WORK, bytes: Infinity });
  const modelPlaces = createAdmission({ ...MODEL_QUEUE, places: aiAtOnce, queue: aiAtOnce, bytes: Infinity });
  meters?.admission('bodies', admission);
  meters?.admission('links', links);
  meters?.admission('models', modelPlaces);
  return {
    ...deps,
    webApp: settings.page === 'off' ? undefined : (webApp ?? (await openWebApp(WEB_APP_FOLDER))),
    workerPool: meters?.workerPool(deps.workerPool) ?? deps.workerPool,
    payments: meters?.payments(payments) ?? payments,
    admission,
    links,
    modelPlaces,
    notFoundLimit: createNotFoundLimit(),
    rate: createRateLimit(rateLimit),
    polls: createRateLimit(rateLimit === 'off' ? 'off' : POLLS * rateLimit),
    nextTurn: createPacing(),
    throttleFree: sellsTiers(deployment) ? createThrottle(FREE_BYTES_PER_MS) : () => Promise.resolve(),
    phase,
    awaited: awaitedNames(deps),
  };
}

/** The parts without a first answer, for `/ready`. */
function awaitedNames({ payments, languageModel }: Dependencies): () => readonly string[] {
  const awaited = new Map([
    ['the payment network', payments.tried],
    ['the language model', languageModel.tried],
  ]);
  for (const [name, tried] of awaited)
    void tried.then(
      () => awaited.delete(name),
      () => undefined,
    );
  return () => [...awaited.keys()];
}

/** Time for a whole request: its waits before the body, and a body of the largest size at the slowest pace. */
export function longestRequestMs(settings: Settings): number {
  const mostBytes = Math.max(maxBodyBytes('multipart', settings), maxBodyBytes('json', settings));
  return settings.paymentWaitMs + QUEUE.waitMs + Math.ceil((mostBytes / BODY_BYTES_PER_S) * 1000);
}
