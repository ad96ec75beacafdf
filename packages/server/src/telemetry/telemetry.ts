// Traces of requests and jobs, and the metrics of the registry, sent to a collector by OTLP over HTTP. The packages of
// OpenTelemetry are an optional peer, loaded only when OTEL_EXPORTER_OTLP_ENDPOINT is set. Like the meters, telemetry
// observes from outside; without the setting no part of a request passes through this folder.
//
//   request ─┬─ payment authorize ─ payment bind
//            ├─ document ─┬─ queue
//            │            └─ sandbox ─── read, cut, embed
//            ├─ store commit
//            └─ (by its payload) job ─┬─ queue
//                                     └─ document …
//
// No attribute holds text, a name, an id of a result, an address or a payment: they are those of the log.
import type { JobTelemetry } from '../jobs/run.ts';
import type { HttpReply, HttpRequest, LoggedFacts } from '../http/message.ts';
import type { Registry } from '../metrics/registry.ts';
import type { Payments } from '../payments/payments.ts';
import type { PaymentSession } from '../payments/session.ts';
import type { StageTime, TaskContext, WorkerPool } from '../sandbox/index.ts';
import type { Store } from '../store/store.ts';
import { createExport, type ExportOptions } from './otlp.ts';
import { codeOf, type OpenSpan, type Spans } from './spans.ts';

/** Observes the parts of a service. */
export interface Telemetry extends JobTelemetry {
  /** Runs a request in a span, below the span of its client if there is one. */
  request(
    httpRequest: HttpRequest,
    route: string,
    respond: (httpRequest: HttpRequest) => Promise<HttpReply>,
  ): Promise<HttpReply>;
  payments(payments: Payments): Payments;
  workerPool(workerPool: WorkerPool): WorkerPool;
  store(store: Store): Store;
  /** Exports the metrics of a registry from now on. */
  metrics(registry: Registry): void;
  /** Sends what is left, for a bounded time. */
  close(): Promise<void>;
}

/** @returns undefined when OpenTelemetry is not installed, after a warning */
export async function openTelemetry(options: ExportOptions): Promise<Telemetry | undefined> {
  const opened = await createExport(options);
  if (opened === undefined) return undefined;
  const { spans, metrics, close } = opened;
  return {
    request: (httpRequest, route, respond) => traceRequest(spans, httpRequest, route, respond),
    jobTrace() {
      const parent = spans.traceparent();
      return parent === undefined ? undefined : { parent, submittedMs: Date.now() };
    },
    job: (trace, work) =>
      spans.run('job', { parent: trace?.parent, isServer: true }, () => {
        if (trace !== undefined) spans.begin('queue', { startMs: trace.submittedMs }).end();
        return work();
      }),
    payments: (payments) => ({
      ...payments,
      openSession: (httpRequest) => traceSession(spans, payments.openSession(httpRequest)),
    }),
    workerPool: (workerPool) => ({
      ...workerPool,
      run: (task, context) =>
        spans.run('document', { attributes: { 'grainline.tier': task.tier } }, (document) =>
          traceTask(spans, document, context, (traced) => workerPool.run(task, traced)),
        ),
    }),
    store: (store) => traceStore(spans, store),
    metrics,
    close,
  };
}

async function traceRequest(
  spans: Spans,
  httpRequest: HttpRequest,
  route: string,
  respond: (httpRequest: HttpRequest) => Promise<HttpReply>,
): Promise<HttpReply> {
  const { method, headers } = httpRequest;
  const options = {
    parent: String(headers['traceparent']),
    isServer: true,
    attributes: { 'http.request.method': method, 'http.route': route },
  };
  return spans.run(`${method} ${route}`, options, async (span) => {
    let facts: LoggedFacts = {};
    const note = (added: LoggedFacts): void => {
      facts = { ...facts, ...added };
      httpRequest.note(added);
    };
    const reply = await respond({ ...httpRequest, note });
    for (const [name, value] of Object.entries(facts))
      span.set({ [`grainline.${name}`]: value as string | number });
    span.set({ 'http.response.status_code': reply.status });
    if (reply.error !== undefined) span.set({ 'error.type': reply.error.code });
    if (reply.status >= 500) span.fail();
    return reply;
  });
}

function traceSession(spans: Spans, session: PaymentSession): PaymentSession {
  return {
    ...session,
    reserve: (...terms) => spans.run('payment authorize', {}, () => session.reserve(...terms)),
    bind: (request) =>
      spans.run('payment bind', {}, async (span) => {
        const outcome = await session.bind(request);
        span.set({ 'grainline.payment.outcome': outcome.kind });
        return outcome;
      }),
  };
}

/** The spans of a task: its wait for a process, and the work there with the stages that the process reports. */
async function traceTask<Result>(
  spans: Spans,
  document: OpenSpan,
  context: TaskContext,
  run: (traced: TaskContext) => Promise<Result>,
): Promise<Result> {
  const calledMs = spans.nowMs();
  let sandbox: OpenSpan | undefined;
  const stages: StageTime[] = [];
  const traced: TaskContext = {
    ...context,
    onStart() {
      spans.begin('queue', { below: document, startMs: calledMs }).end();
      sandbox = spans.begin('sandbox', { below: document });
      context.onStart?.();
    },
    onStage: (stage) => void stages.push(stage),
  };
  const beganMs = (): number => sandbox?.startMs ?? calledMs;
  try {
    return await run(traced);
  } catch (error) {
    sandbox?.set({ 'error.type': codeOf(error) });
    throw error;
  } finally {
    const endMs = spans.nowMs();
    // The times come from a process that a document may have taken over.
    const within = (ms: number): number => Math.min(endMs, Math.max(beganMs(), ms));
    for (const { stage, startMs, endMs: stageEndMs } of stages)
      spans.begin(stage, { below: sandbox ?? document, startMs: within(startMs) }).end(within(stageEndMs));
    sandbox?.end(endMs);
  }
}

/** The calls of the store that a client waits for. */
const TRACED_CALLS = {
  commit: 'store commit',
  putResult: 'store put',
  submitJob: 'store submit',
  finishJob: 'store finish',
};

function traceStore(spans: Spans, store: Store): Store {
  const { commit, putResult, submitJob, finishJob } = TRACED_CALLS;
  return {
    ...store,
    commit: (...given) => spans.run(commit, {}, () => store.commit(...given)),
    putResult: (...given) => spans.run(putResult, {}, () => store.putResult(...given)),
    submitJob: (...given) => spans.run(submitJob, {}, () => store.submitJob(...given)),
    finishJob: (...given) => spans.run(finishJob, {}, () => store.finishJob(...given)),
  };
}
