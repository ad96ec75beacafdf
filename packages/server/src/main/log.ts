// The log: JSON for programs, text for people.
import { type Logger, pino } from 'pino';
import type { Settings } from '../settings/settings.ts';

/** Receives the lines of a log, each with its line break. */
interface LogStream {
  write(line: string): void;
}

/**
 * @param stream default: standard error
 * @param isTerminal true when people read the stream: LOG_FORMAT=auto then is text
 */
export function createLog(
  { logLevel, logFormat }: Pick<Settings, 'logLevel' | 'logFormat'>,
  stream?: LogStream,
  isTerminal = stream === undefined && process.stderr.isTTY,
): Logger {
  const lines = stream ?? pino.destination(2);
  const isText = logFormat === 'text' || (logFormat === 'auto' && isTerminal);
  return pino(
    { level: logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    isText ? { write: (line: string) => lines.write(textOf(line)) } : lines,
  );
}

/** An entry of the log, as pino writes it. */
interface LogEntry {
  readonly level: number;
  /** In ISO 8601, in UTC. */
  readonly time: string;
  readonly msg?: string;
  readonly method?: string;
  readonly route?: string;
  readonly status?: number;
  readonly err?: { readonly message?: string; readonly stack?: string };
  readonly [member: string]: unknown;
}

/** `17:08:12 INFO  POST /chunk/{tier} 200 tier=free ms=3`, and the stack of an error in the lines below. */
function textOf(line: string): string {
  const { level, time, msg, err, method, route, status, request_id, ...members } = JSON.parse(
    line,
  ) as LogEntry;
  const named = Object.entries({ ...members, request_id, err: err?.message });
  const words = [
    time.slice('2026-01-01T'.length, '2026-01-01T00:00:00'.length),
    (pino.levels.labels[level] ?? '').toUpperCase().padEnd(5),
    ...[msg, method, route, status].filter((word) => word !== undefined),
    ...named.filter(([, value]) => value !== undefined).map(([name, value]) => `${name}=${valueOf(value)}`),
  ];
  const stack = err?.stack?.replaceAll(/^/gm, '    ');
  return `${words.join(' ')}\n${stack === undefined ? '' : `${stack}\n`}`;
}

/** A value on one line; texts with other characters than those of names and addresses are quoted. */
function valueOf(value: unknown): string {
  return typeof value === 'string' && /^[\w.:/@+-]+$/.test(value) ? value : JSON.stringify(value);
}
