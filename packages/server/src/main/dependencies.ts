// The parts behind the port: store, payments, models, child processes, jobs, and the metrics of all of them.
import type { Logger } from 'pino';
import { type Deployment, deploymentOf, pricesOf, sellsTiers } from '../catalog.ts';
import type { Lookup } from '../requests/download/connect.ts';
import { createDownloader, type Downloader } from '../requests/download/index.ts';
import { createJobs, type Jobs, NO_JOBS } from '../jobs/jobs.ts';
import { createMeters, type Meters } from '../metrics/meters.ts';
import { createEmbedder } from '../models/embedder.ts';
import { type LanguageModel, createLanguageModel } from '../models/language-model.ts';
import { type PaymentNetwork, NO_PAYMENTS, type Payments, startPayments } from '../payments/payments.ts';
import { openReceiptSigner, type ReceiptSigner } from '../payments/receipts.ts';
import { createJobAnswer } from '../responses/job-answer.ts';
import { createResultId } from '../store/result-id.ts';
import type { Settings } from '../settings/settings.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import { needsRemote, runJobRequest } from '../requests/run-request.ts';
import { assertOcrInstalled } from '../models/ocr.ts';
import { createWorkerPool, type WorkerPool } from '../sandbox/index.ts';
import type { ExportOptions } from '../telemetry/otlp.ts';
import { openTelemetry, type Telemetry } from '../telemetry/telemetry.ts';
import { createWebhookSender } from '../webhooks/send.ts';
import { createWebhooks, NO_WEBHOOKS, type Webhooks } from '../webhooks/webhooks.ts';

/** Replacements for the parts that the settings create. They are closed with the rest. */
export interface DependencyOverrides {
  readonly store?: Store;
  readonly downloader?: Downloader;
  /** Resolves the hosts of webhooks. Default: the system's. */
  readonly lookup?: Lookup;
  readonly workerPool?: WorkerPool;
  readonly deployment?: Deployment;
  readonly languageModel?: LanguageModel;
  /** Creates the payment network. Default: Solana, by the settings. */
  readonly paymentNetwork?: (store: Store) => PaymentNetwork;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly createResultId?: (tier: string) => string;
  /** Replaces the import of OpenTelemetry's packages, and the time between two exports of metrics. */
  readonly telemetry?: Pick<ExportOptions, 'load' | 'metricsMs'>;
}

/** The parts behind the port: opened before it, closed after it. */
export interface Dependencies {
  readonly store: Store;
  readonly meters: Meters | undefined;
  readonly telemetry: Telemetry | undefined;
  readonly deployment: Deployment;
  readonly languageModel: LanguageModel;
  readonly payments: Payments;
  readonly receipts: ReceiptSigner | undefined;
  readonly downloader: Downloader;
  readonly workerPool: WorkerPool;
  readonly jobs: Jobs;
  readonly webhooks: Webhooks;
  readonly now: () => number;
}

/** @param version version of the service, for the metrics */
export async function openDependencies(
  settings: Settings,
  overrides: DependencyOverrides,
  log: Logger,
  version: string,
): Promise<Dependencies> {
  if (settings.ocr !== 'off') await assertOcrInstalled(settings.ocrLanguages);
  const embed = overrides.workerPool === undefined ? await createEmbedder(settings, log) : undefined;
  const now = overrides.now ?? Date.now;
  const { receiptKeyFile } = settings;
  const receipts =
    receiptKeyFile === undefined ? undefined : await openReceiptSigner(receiptKeyFile, version);
  const opened = overrides.store ?? (await openStore(settings, overrides.now));
  const { telemetry, meters } = await openObservers(settings, { version, log, ...overrides.telemetry });
  const traced = telemetry?.store(opened) ?? opened;
  const store = meters?.store(traced) ?? traced;
  const deployment = overrides.deployment ?? deploymentOf(settings);
  const deps = { settings, store, now, log, meters };
  // Both begin to connect in the background: neither the other nor the port waits for them.
  const [languageModel, payments] = await connectRemote(overrides, deployment, deps).catch(
    async (error: unknown) => {
      await Promise.all([store.close(), meters?.close(), telemetry?.close()]);
      throw error;
    },
  );
  const downloader = overrides.downloader ?? createDownloader(settings);
  const jobsAtOnce = hasJobs(deployment) ? settings.jobConcurrency : 0;
  const pool =
    overrides.workerPool ??
    createWorkerPool(
      {
        ...settings,
        ocrLanguages: settings.ocr === 'off' ? undefined : settings.ocrLanguages,
        reservesProcess: sellsTiers(deployment),
        aiAtOnce: settings.aiAtOnce + jobsAtOnce,
        startsRemotePool: deployment.tiers.some((tier) => needsRemote(tier, settings)),
      },
      {
        embed,
        completeFor: (tier) => languageModel.completeFor(tier),
        onRestart: meters === undefined ? undefined : (cause) => meters.restarted(cause),
      },
    );
  const workerPool = telemetry?.workerPool(pool) ?? pool;
  const webhooks =
    jobsAtOnce > 0
      ? createWebhooks({
          store,
          log,
          sender: createWebhookSender({ settings, now, lookup: overrides.lookup }),
        })
      : NO_WEBHOOKS;
  const jobs =
    jobsAtOnce > 0
      ? createJobs({
          store,
          deployment,
          settings,
          work: (request, run) => runJobRequest(request, run, { downloader, workerPool, settings }),
          writeAnswer: (id, payload, result) =>
            createJobAnswer(id, payload, result, { network: settings.network, receipts, now }),
          completeFor: (tier) => languageModel.completeFor(tier),
          unavailable: () => languageModel.unavailableReason(),
          createJobId: overrides.createResultId ?? createResultId,
          log,
          telemetry,
          onEvent: (event) => {
            meters?.job(event);
            if (event === 'completed' || event === 'failed') webhooks.wake();
          },
        })
      : NO_JOBS;
  if (jobs !== NO_JOBS) meters?.jobs(jobs, store);
  return {
    ...{ store, meters, telemetry, deployment, languageModel, payments, receipts },
    ...{ downloader, workerPool, jobs, webhooks, now },
  };
}

/** Creates telemetry and meters, which telemetry exports. */
async function openObservers(
  { otlpEndpoint: endpoint, metricsPort }: Settings,
  options: Omit<ExportOptions, 'endpoint'>,
): Promise<Pick<Dependencies, 'telemetry' | 'meters'>> {
  const telemetry = endpoint === undefined ? undefined : await openTelemetry({ endpoint, ...options });
  const meters =
    metricsPort === undefined && telemetry === undefined ? undefined : createMeters(options.version);
  if (meters !== undefined) telemetry?.metrics(meters.registry);
  return { telemetry, meters };
}

/** True when a tier runs as a job. */
function hasJobs({ tiers }: Deployment): boolean {
  return tiers.some(({ mode, offer }) => mode === 'async' && 'tier' in offer);
}

interface RemoteDeps {
  readonly settings: Settings;
  readonly store: Store;
  readonly now: () => number;
  readonly log: Logger;
  readonly meters: Meters | undefined;
}

/** Creates language model and payments, which connect in the background. */
async function connectRemote(
  overrides: DependencyOverrides,
  deployment: Deployment,
  deps: RemoteDeps,
): Promise<[LanguageModel, Payments]> {
  const { settings, log, now, meters } = deps;
  const languageModel =
    overrides.languageModel ??
    createLanguageModel({
      settings,
      log,
      now,
      onEvent: meters === undefined ? undefined : (tier, event) => meters.model(tier, event),
    });
  try {
    return [languageModel, await openPayments(deps, pricesOf(deployment), overrides.paymentNetwork)];
  } catch (error) {
    await languageModel.close();
    throw error;
  }
}

/** Creates payments by the settings. The code of the chain is loaded only where payments are taken. */
async function openPayments(
  deps: RemoteDeps,
  prices: readonly bigint[],
  paymentNetwork: DependencyOverrides['paymentNetwork'],
): Promise<Payments> {
  const { settings, store, now, log } = deps;
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
  const { createSolanaNetwork } = await import('../payments/solana.ts');
  return startPayments({
    paymentNetwork: paymentNetwork?.(store) ?? (await createSolanaNetwork(deps, payTo)),
    store,
    log,
    now,
    deploymentId,
    leaseMs,
    maxPaidBytes,
    prices,
  });
}

/** Closes the store last: the other parts may still write to it. Rejects with the first error, after all are closed. */
export async function closeDependencies(opened: Dependencies): Promise<void> {
  const { store, meters, telemetry, languageModel, payments, downloader, workerPool, jobs, webhooks } =
    opened;
  const outcomes = [
    ...(await Promise.allSettled([payments.close(), jobs.close(0), webhooks.close()])),
    ...(await Promise.allSettled([workerPool.close(), downloader.close(), languageModel.close()])),
    ...(await Promise.allSettled([store.close(), meters?.close(), telemetry?.close()])),
  ];
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}
