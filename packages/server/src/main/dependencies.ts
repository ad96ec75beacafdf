// The parts behind the port: store, payments, models, child processes, jobs, and the metrics of all of them.
import type { Embed } from '@grainline/core';
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
import type { ServiceDeps } from '../routes/deps.ts';
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
import type { Part, PartStack } from './part-stack.ts';
import { VERSION } from './version.ts';

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
export interface Dependencies extends Pick<ServiceDeps, 'settings' | 'version' | 'now' | 'createResultId'> {
  readonly log: Logger;
  readonly deployment: Deployment;
  readonly store: Store;
  readonly meters: Meters | undefined;
  readonly telemetry: Telemetry | undefined;
  readonly languageModel: LanguageModel;
  readonly payments: Payments;
  readonly receipts: ReceiptSigner | undefined;
  readonly downloader: Downloader;
  readonly workerPool: WorkerPool;
  readonly jobs: Jobs;
  readonly webhooks: Webhooks;
}

/** Dependencies of the parts that are opened one after another. */
interface OpenDeps extends Omit<
  Dependencies,
  'languageModel' | 'payments' | 'receipts' | 'downloader' | 'workerPool' | 'jobs' | 'webhooks'
> {
  readonly overrides: DependencyOverrides;
}

const SWEEP_MS = 60_000;

/** Opens the parts on the stack. Each may use those before it. */
export async function openDependencies(
  settings: Settings,
  overrides: DependencyOverrides,
  log: Logger,
  stack: PartStack,
): Promise<Dependencies> {
  if (settings.ocr !== 'off') await assertOcrInstalled(settings.ocrLanguages);
  const embed = overrides.workerPool === undefined ? await createEmbedder(settings, log) : undefined;
  const { receiptKeyFile, otlpEndpoint: endpoint, metricsPort } = settings;
  const receipts =
    receiptKeyFile === undefined ? undefined : await openReceiptSigner(receiptKeyFile, VERSION);
  const opened = stack.add(overrides.store ?? (await openStore(settings, overrides.now)));
  const telemetry =
    endpoint === undefined
      ? undefined
      : stack.add(await openTelemetry({ endpoint, version: VERSION, log, ...overrides.telemetry }));
  const meters =
    metricsPort === undefined && telemetry === undefined ? undefined : stack.add(createMeters(VERSION));
  if (meters !== undefined) telemetry?.metrics(meters.registry);
  const traced = telemetry?.store(opened) ?? opened;
  const store = meters?.store(traced) ?? traced;
  stack.add(sweepPeriodically(store, log));
  const deps: OpenDeps = {
    ...{ settings, overrides, log, store, telemetry, meters, version: VERSION },
    deployment: overrides.deployment ?? deploymentOf(settings),
    now: overrides.now ?? Date.now,
    createResultId: overrides.createResultId ?? createResultId,
  };
  // Both begin to connect in the background: neither the other nor the port waits for them.
  const languageModel = stack.add(overrides.languageModel ?? openLanguageModel(deps));
  const payments = stack.add(await openPayments(deps));
  const downloader = stack.add(overrides.downloader ?? createDownloader(settings));
  const pool = stack.add(overrides.workerPool ?? openWorkerPool(deps, languageModel, embed));
  const workerPool = telemetry?.workerPool(pool) ?? pool;
  const parts = { ...deps, languageModel, payments, receipts, downloader, workerPool };
  const { webhooks, jobs } = openJobs(parts);
  stack.add(webhooks);
  stack.add(jobs);
  return { ...parts, webhooks, jobs };
}

/** Deletes expired rows at an interval. */
function sweepPeriodically(store: Store, log: Logger): Part {
  let isOver = false;
  const sweep = (): Promise<void> =>
    store.sweep().catch((err: unknown) => {
      // The closing of the store ends a sweep.
      if (!isOver) log.warn({ err }, 'sweep failed');
    });
  const sweeper = setInterval(() => void sweep(), SWEEP_MS).unref();
  return {
    close() {
      isOver = true;
      clearInterval(sweeper);
      return Promise.resolve();
    },
  };
}

function openLanguageModel({ settings, log, now, meters }: OpenDeps): LanguageModel {
  const onEvent = meters && ((...event: Parameters<Meters['model']>) => meters.model(...event));
  return createLanguageModel({ settings, log, now, onEvent });
}

/** Creates payments by the settings. The code of the chain is loaded only where payments are taken. */
async function openPayments(deps: OpenDeps): Promise<Payments> {
  const { settings, overrides, deployment, store, now, log } = deps;
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
    paymentNetwork: overrides.paymentNetwork?.(store) ?? (await createSolanaNetwork(deps, payTo)),
    prices: pricesOf(deployment),
    ...{ store, log, now, deploymentId, leaseMs, maxPaidBytes },
  });
}

function openWorkerPool(
  { settings, deployment, meters }: OpenDeps,
  languageModel: LanguageModel,
  embed: Embed | undefined,
): WorkerPool {
  return createWorkerPool(
    {
      ...settings,
      ocrLanguages: settings.ocr === 'off' ? undefined : settings.ocrLanguages,
      reservesProcess: sellsTiers(deployment),
      aiAtOnce: settings.aiAtOnce + (hasJobs(deployment) ? settings.jobConcurrency : 0),
      startsRemotePool: deployment.tiers.some((tier) => needsRemote(tier, settings)),
    },
    {
      embed,
      completeFor: (tier) => languageModel.completeFor(tier),
      onRestart: meters && ((cause) => meters.restarted(cause)),
    },
  );
}

/** Creates the jobs, and the webhooks that report their ends. */
function openJobs(
  deps: OpenDeps & Omit<Dependencies, 'jobs' | 'webhooks'>,
): Pick<Dependencies, 'jobs' | 'webhooks'> {
  const { settings, overrides, deployment, store, log, now, receipts, meters, languageModel } = deps;
  if (!hasJobs(deployment)) return { jobs: NO_JOBS, webhooks: NO_WEBHOOKS };
  const sender = createWebhookSender({ settings, now, lookup: overrides.lookup });
  const webhooks = createWebhooks({ store, log, sender });
  const jobs = createJobs({
    ...deps,
    work: (request, run) => runJobRequest(request, run, deps),
    writeAnswer: (id, payload, result) =>
      createJobAnswer(id, payload, result, { network: settings.network, receipts, now }),
    completeFor: (tier) => languageModel.completeFor(tier),
    unavailable: () => languageModel.unavailableReason(),
    createJobId: deps.createResultId,
    onEvent: (event) => {
      meters?.job(event);
      if (event === 'completed' || event === 'failed') webhooks.wake();
    },
  });
  meters?.jobs(jobs, store);
  return { jobs, webhooks };
}

/** True when a tier runs as a job. */
function hasJobs({ tiers }: Deployment): boolean {
  return tiers.some(({ mode, offer }) => mode === 'async' && 'tier' in offer);
}
