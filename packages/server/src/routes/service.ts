// What requests are served with: everything that one touches comes in by this value. Nothing here knows of sockets.
import type { Deployment } from '../catalog.ts';
import type { Page } from '../http/page.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Admission } from '../limits/admission.ts';
import type { MissLimit } from '../limits/miss-limit.ts';
import type { NextTurn } from '../limits/pacing.ts';
import type { RateLimit } from '../limits/rate.ts';
import type { LanguageModel } from '../models/language-model.ts';
import type { Payments } from '../payments/payments.ts';
import type { Store } from '../store/store.ts';
import type { WorkParts } from '../work.ts';

/** What requests need: settings, the parts that do the work, and the outside world as values. */
export interface Service extends WorkParts {
  /** What the settings make of the catalog. */
  readonly deployment: Deployment;
  readonly version: string;
  /** What browsers get; undefined when it was not built, or is off. */
  readonly page?: Page | undefined;
  readonly store: Store;
  /** Places for bodies in work. */
  readonly admission: Admission;
  readonly languageModel: LanguageModel;
  readonly misses: MissLimit;
  readonly rate: RateLimit;
  /** Limit on questions about a job's progress: clients ask every second or two. */
  readonly polls: RateLimit;
  readonly jobs: Jobs;
  readonly payments: Payments;
  /** Waited for before work that may block the event loop. */
  readonly nextTurn: NextTurn;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly createResultId: (tier: string) => string;
  readonly phase: () => Phase;
  /** What the start still waits to hear of, as `the payment network`; empty once the service is ready. */
  readonly awaited: () => readonly string[];
}

/** `leaving`: asked to stop, not ready, but still serving clients that have not noticed. `refusing`: no new work. */
export type Phase = 'serving' | 'leaving' | 'refusing';
