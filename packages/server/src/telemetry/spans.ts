// Spans of OpenTelemetry below the one that runs, without a global context: two services in one process stay apart.
import { AsyncLocalStorage } from 'node:async_hooks';

/** Values of attributes by their names. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** The used parts of `@opentelemetry/api`. A context is opaque. */
export interface TraceApi {
  readonly ROOT_CONTEXT: object;
  readonly trace: {
    setSpan(context: object, span: ApiSpan): object;
    setSpanContext(context: object, spanContext: SpanContext): object;
  };
}

interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
  readonly isRemote?: boolean;
}

interface ApiSpan {
  spanContext(): SpanContext;
  setAttributes(attributes: SpanAttributes): unknown;
  setStatus(status: { readonly code: number }): unknown;
  end(endTime?: number): void;
}

/** The used part of a tracer. */
export interface Tracer {
  startSpan(
    name: string,
    options: { readonly kind: number; readonly startTime: number; readonly attributes?: SpanAttributes },
    context: object,
  ): ApiSpan;
}

/** A span that has not ended. */
export interface OpenSpan {
  readonly startMs: number;
  readonly context: object;
  set(attributes: SpanAttributes): void;
  fail(): void;
  /** @param endMs default: now */
  end(endMs?: number): void;
}

/** Options of a span. */
export interface SpanOptions {
  /** A `traceparent` of W3C Trace Context. Other text counts as none. */
  readonly parent?: string | undefined;
  /** The span around it. Default: that of `parent`, else the one that runs. */
  readonly below?: OpenSpan;
  /** True for work that another process has requested. */
  readonly isServer?: boolean;
  /** Milliseconds since 1970. Default: now. */
  readonly startMs?: number;
  readonly attributes?: SpanAttributes;
}

/** Starts spans. */
export interface Spans {
  begin(name: string, options?: SpanOptions): OpenSpan;
  /** Runs the work in a span, which ends with it. */
  run<Result>(name: string, options: SpanOptions, work: (span: OpenSpan) => Promise<Result>): Promise<Result>;
  /** The `traceparent` of the span that runs. */
  traceparent(): string | undefined;
  /** Milliseconds since 1970, with fractions. */
  nowMs(): number;
}

/** Numbers of the API: SpanKind and SpanStatusCode. */
const KIND = { internal: 0, server: 1 };
const ERROR = 2;
/** https://www.w3.org/TR/trace-context/#traceparent-header */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

export function createSpans(api: TraceApi, tracer: Tracer): Spans {
  const running = new AsyncLocalStorage<{ readonly span: ApiSpan; readonly context: object }>();
  const nowMs = (): number => performance.timeOrigin + performance.now();

  function contextOf({ parent = '', below }: SpanOptions): object {
    if (below !== undefined) return below.context;
    const [, traceId, spanId, flags] = TRACEPARENT.exec(parent) ?? [];
    if (traceId === undefined || spanId === undefined) return running.getStore()?.context ?? api.ROOT_CONTEXT;
    const traceFlags = Number(`0x${flags}`);
    return api.trace.setSpanContext(api.ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
  }

  function start(name: string, options: SpanOptions): { readonly span: ApiSpan; readonly open: OpenSpan } {
    const { startMs = nowMs(), isServer = false, attributes } = options;
    const context = contextOf(options);
    const kind = isServer ? KIND.server : KIND.internal;
    const span = tracer.startSpan(
      name,
      { kind, startTime: startMs, ...(attributes && { attributes }) },
      context,
    );
    const open: OpenSpan = {
      startMs,
      context: api.trace.setSpan(context, span),
      set: (added) => void span.setAttributes(added),
      // Without a message: those of errors may hold names.
      fail: () => void span.setStatus({ code: ERROR }),
      end: (endMs = nowMs()) => span.end(Math.max(startMs, endMs)),
    };
    return { span, open };
  }

  return {
    begin: (name, options = {}) => start(name, options).open,
    async run(name, options, work) {
      const { span, open } = start(name, options);
      try {
        return await running.run({ span, context: open.context }, () => work(open));
      } catch (error) {
        open.set({ 'error.type': codeOf(error) });
        open.fail();
        throw error;
      } finally {
        open.end();
      }
    },
    traceparent() {
      const now = running.getStore()?.span.spanContext();
      if (now === undefined) return undefined;
      return `00-${now.traceId}-${now.spanId}-${now.traceFlags.toString(16).padStart(2, '0')}`;
    },
    nowMs,
  };
}

/** The code of an error, one of our own lists; `defect` without one. */
export function codeOf(error: unknown): string {
  const { code } = Object(error) as { readonly code?: unknown };
  return typeof code === 'string' && /^[a-z_]{1,60}$/.test(code) ? code : 'defect';
}
