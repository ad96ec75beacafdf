// The dependencies of the routes. No route knows a socket.
import type { Deployment } from '../catalog.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Limiter } from '../limits/limiter.ts';
import type { NotFoundLimit } from '../limits/not-found-limit.ts';
import type { NextTurn, Throttle } from '../limits/pacing.ts';
import type { RateLimit } from '../limits/rate.ts';
import type { LanguageModel } from '../models/language-model.ts';
import type { Payments } from '../payments/payments.ts';
import type { ReceiptSigner } from '../payments/receipts.ts';
import type { RunDeps } from '../requests/run-request.ts';
import type { WebApp } from '../responses/web-app.ts';
import type { Store } from '../store/store.ts';

/** Settings, parts of the service, and the outside world as values. */
export interface ServiceDeps extends RunDeps {
  /** The catalog under these settings. */
  readonly deployment: Deployment;
  readonly version: string;
  /** The web app; undefined when it was not built or is off. */
  readonly webApp?: WebApp | undefined;
  readonly store: Store;
  /** Bounds the bodies in memory. */
  readonly admission: Limiter;
  readonly languageModel: LanguageModel;
  readonly notFoundLimit: NotFoundLimit;
  readonly rate: RateLimit;
  /** Limits requests for the state of a job, because clients poll every second or two. */
  readonly polls: RateLimit;
  readonly jobs: Jobs;
  readonly payments: Payments;
  /** Signs receipts of paid answers, with RECEIPT_KEY_FILE. */
  readonly receipts?: ReceiptSigner | undefined;
  /** Resolves before work that may block the event loop. */
  readonly nextTurn: NextTurn;
  /** Bounds the bytes of free documents a second. */
  readonly throttleFree: Throttle;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly createResultId: (tier: string) => string;
  readonly phase: () => Phase;
  /** Parts without a first answer since the start, as `the payment network`. The service is ready without any. */
  readonly awaited: () => readonly string[];
}

/** `leaving`: the stop has begun, and clients are served until they notice. `refusing`: no new work. */
export type Phase = 'serving' | 'leaving' | 'refusing';
