// What stands behind the port: the store, payments, models, the processes that work on documents, and the metrics that
// watch them.
import type { Logger } from 'pino';
import { type Deployment, deploymentOf, pricesOf } from './catalog.ts';
import { createDownloader, type Downloader } from './download/index.ts';
import { createJobs, type Jobs, NO_JOBS } from './jobs/jobs.ts';
import { createMeters, type Meters } from './metrics/meters.ts';
import { embedderOf } from './models/embedder.ts';
import { type LanguageModel, startLanguageModel } from './models/language-model.ts';
import { type PaymentNetwork, NO_PAYMENTS, type Payments, startPayments } from './payments/payments.ts';
import { createResultId } from './results.ts';
import type { Settings } from './settings/settings.ts';
import { openStore } from './store/open.ts';
import type { Store } from './store/store.ts';
import { waitsElsewhere, workOnJob } from './work.ts';
import { createWorkplace, type Workplace } from './workplace/index.ts';

/** What may be brought in place of what the settings make; it is closed with the rest. */
export interface GivenParts {
  readonly store?: Store;
  readonly downloader?: Downloader;
  readonly workplace?: Workplace;
  /** What the settings make of the catalog, unless given. */
  readonly deployment?: Deployment;
  /** What the settings AI_… name, unless given. */
  readonly languageModel?: LanguageModel;
  /** Creates the place where payments are made. Default Solana, by the settings. */
  readonly paymentNetwork?: (store: Store) => PaymentNetwork;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly createResultId?: (tier: string) => string;
}

/** What stands behind the port: opened before it, closed after it. */
export interface OpenedParts {
  readonly store: Store;
  readonly meters: Meters | undefined;
  readonly deployment: Deployment;
  readonly languageModel: LanguageModel;
  readonly payments: Payments;
  readonly downloader: Downloader;
  readonly workplace: Workplace;
  readonly jobs: Jobs;
  readonly now: () => number;
}

/** @param version of the service, which the metrics tell */
export async function openParts(
  settings: Settings,
  parts: GivenParts,
  log: Logger,
  version: string,
): Promise<OpenedParts> {
  const embed = parts.workplace === undefined ? await embedderOf(settings, log) : undefined;
  const now = parts.now ?? Date.now;
  const opened = parts.store ?? (await openStore(settings, parts.now));
  const meters = settings.metricsPort === undefined ? undefined : createMeters(version);
  const store = meters?.store(opened) ?? opened;
  const deployment = parts.deployment ?? deploymentOf(settings);
  const selling = { settings, store, now, log, ...(meters === undefined ? {} : { meters }) };
  // Both begin to ask others, who may take their time: neither the other nor the port waits for them.
  const [languageModel, payments] = await openOutside(parts, deployment, selling).catch(
    async (error: unknown) => {
      await Promise.all([store.close(), meters?.close()]);
      throw error;
    },
  );
  const downloader = parts.downloader ?? createDownloader(settings);
  const jobsAtOnce = hasJobs(deployment) ? settings.jobConcurrency : 0;
  const workplace =
    parts.workplace ??
    createWorkplace(
      {
        ...settings,
        aiAtOnce: settings.aiAtOnce + jobsAtOnce,
        expectsAsking: deployment.tiers.some((tier) => waitsElsewhere(tier, settings)),
      },
      {
        ...(embed === undefined ? {} : { embed }),
        completeFor: (tier) => languageModel.completeFor(tier),
        ...(meters === undefined ? {} : { onRestart: (cause) => meters.restarted(cause) }),
      },
    );
  const jobs =
    jobsAtOnce > 0
      ? createJobs({
          store,
          deployment,
          settings,
          work: (order, run) => workOnJob(order, run, { downloader, workplace, settings }),
          completeFor: (tier) => languageModel.completeFor(tier),
          unavailable: () => languageModel.unavailable(),
          createJobId: parts.createResultId ?? createResultId,
          now,
          log,
          ...(meters === undefined ? {} : { onEvent: (event) => meters.job(event) }),
        })
      : NO_JOBS;
  if (jobs !== NO_JOBS) meters?.jobs(jobs, store);
  return { store, meters, deployment, languageModel, payments, downloader, workplace, jobs, now };
}

/** Whether a tier runs as a job here. */
function hasJobs({ tiers }: Deployment): boolean {
  return tiers.some(({ mode, offer }) => mode === 'async' && 'tier' in offer);
}

interface Selling {
  readonly settings: Settings;
  readonly store: Store;
  readonly now: () => number;
  readonly log: Logger;
  readonly meters?: Meters;
}

/** Language model and payments, each on its way to whom it asks. */
async function openOutside(
  parts: GivenParts,
  deployment: Deployment,
  selling: Selling,
): Promise<[LanguageModel, Payments]> {
  const { settings, log, now, meters } = selling;
  const languageModel =
    parts.languageModel ??
    startLanguageModel({
      settings,
      log,
      now,
      ...(meters === undefined ? {} : { onEvent: (tier, event) => meters.model(tier, event) }),
    });
  try {
    return [languageModel, await openPayments(selling, pricesOf(deployment), parts.paymentNetwork)];
  } catch (error) {
    await languageModel.close();
    throw error;
  }
}

/** Payments as the settings want them. What only payments need is loaded only where they are taken. */
async function openPayments(
  selling: Selling,
  prices: readonly bigint[],
  paymentNetwork: GivenParts['paymentNetwork'],
): Promise<Payments> {
  const { settings, store, now, log } = selling;
  const { payTo, deploymentId, paymentLeaseMs: leaseMs, maxPaidBytes, freePagesPerDay } = settings;
  if (settings.payments === 'off') {
    if (payTo !== undefined)
      log.warn('PAY_TO is set, but PAYMENTS=off gives every tier away. Set PAYMENTS=on to sell');
    return NO_PAYMENTS;
  }
  if (payTo === undefined) {
    const free = freePagesPerDay === 'off' ? '' : ` and the free tier has ${freePagesPerDay} pages a day`;
    log.warn(
      `PAY_TO is not set: paid tiers are unavailable${free}. Set it, or PAYMENTS=off to give every tier away`,
    );
    return NO_PAYMENTS;
  }
  const { createSolanaNetwork } = await import('./payments/solana.ts');
  const place = paymentNetwork?.(store) ?? (await createSolanaNetwork(selling, payTo));
  return startPayments({
    paymentNetwork: place,
    store,
    log,
    now,
    deploymentId,
    leaseMs,
    maxPaidBytes,
    prices,
  });
}

/** First whatever may still write to the store, the store last. */
export async function closeParts(opened: OpenedParts): Promise<void> {
  const { store, meters, languageModel, payments, downloader, workplace, jobs } = opened;
  await Promise.all([payments.close(), jobs.close(0)]);
  await Promise.all([workplace.close(), downloader.close(), languageModel.close()]);
  await Promise.all([store.close(), meters?.close()]);
}
