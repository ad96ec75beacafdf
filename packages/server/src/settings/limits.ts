// The settings of limits, as a part of the table in settings.ts: what clients may ask for, how much is kept, and how
// long things may take.
import { availableParallelism } from 'node:os';
import { type Kind, READERS } from '@grainline/extract';
import {
  bytes,
  GIB,
  integer,
  isNetwork,
  KIB,
  MIB,
  parseHostAndPort,
  parseList,
  type Setting,
  wholeNumber,
  within,
} from './readings.ts';

/** Their values. */
export interface LimitSettings {
  readonly freePagesPerDay: number | 'off';
  /** Requests a minute. */
  readonly rateLimit: number | 'off';
  readonly maxUploadBytes: number;
  readonly maxJsonBytes: number;
  readonly maxStoredBytes: number;
  readonly maxPaidBytes: number;
  readonly uploadKinds: readonly Kind[];
  readonly fetchAllow: readonly string[];
  readonly fetchTimeoutMs: number;
  readonly fetchMaxBytes: number;
  readonly fetchMaxRedirects: number;
  readonly trustedProxies: readonly string[];
  readonly maxInWork: number;
  readonly workTimeoutMs: number;
  readonly workers: number;
  readonly workerHeapMb: number;
  readonly workerRssMb: number;
  readonly jobConcurrency: number;
  readonly jobQueue: number;
  readonly jobTimeoutMs: number;
  readonly shutdownMs: number;
  readonly drainMs: number;
}

/** More than anybody waits; Node's timers end at 24 days. */
const DAY_MS = 24 * 60 * 60 * 1000;
const KINDS: readonly Kind[] = READERS.map((entry) => entry.kind);

/** Each, in the order in which the docs show them. */
export const LIMIT_SETTINGS: { readonly [Key in keyof LimitSettings]: Setting<LimitSettings[Key]> } = {
  freePagesPerDay: {
    name: 'FREE_PAGES_PER_DAY',
    group: 'limits',
    default: '100',
    meaning:
      'Pages that one client may have chunked for nothing on one day (UTC), on the free tier; off, none are counted.',
    unit: 'pages',
    expected: 'an integer from 1 to 1000000000, or off',
    parse: (text) => (text === 'off' ? 'off' : within(wholeNumber(text), 1, 1_000_000_000)),
  },
  rateLimit: {
    name: 'RATE_LIMIT',
    group: 'limits',
    default: '60',
    meaning:
      'Requests that one client may make in a minute, /health and /ready apart; up to so many at once. Behind a proxy, TRUSTED_PROXIES must name it, or all clients are one.',
    unit: 'requests a minute',
    expected: 'an integer from 1 to 1000000, or off',
    parse: (text) => (text === 'off' ? 'off' : within(wholeNumber(text), 1, 1_000_000)),
  },
  maxUploadBytes: {
    name: 'MAX_UPLOAD_BYTES',
    group: 'limits',
    default: '50MiB',
    meaning: 'Largest file that is taken as an upload.',
    ...bytes(KIB, 2 * GIB - 1),
  },
  maxJsonBytes: {
    name: 'MAX_JSON_BYTES',
    group: 'limits',
    default: '5MiB',
    meaning: 'Largest JSON body that is taken.',
    ...bytes(KIB, 256 * MIB),
  },
  maxStoredBytes: {
    name: 'MAX_STORED_BYTES',
    group: 'limits',
    default: '1GiB',
    meaning:
      'Room for free results that wait to be fetched, compressed; a result for which there is none gets 503.',
    ...bytes(MIB, 1024 * GIB),
  },
  maxPaidBytes: {
    name: 'MAX_PAID_BYTES',
    group: 'limits',
    default: '4GiB',
    meaning:
      'Room for answers and results that were paid for, compressed, besides MAX_STORED_BYTES; each is kept for an hour. While seven eighths of it are taken nobody is asked to pay: requests without a payment get 503.',
    ...bytes(MIB, 1024 * GIB),
  },
  uploadKinds: {
    name: 'UPLOAD_KINDS',
    group: 'limits',
    default: 'txt,pdf',
    meaning: 'Kinds of document that are taken as an upload; content decides, not the name.',
    unit: 'list',
    expected: `a list of ${KINDS.join(', ')}, or all`,
    parse: (text) =>
      text === 'all' ? KINDS : parseList(text, (item) => KINDS.find((kind) => kind === item)),
  },
  fetchAllow: {
    name: 'FETCH_ALLOW',
    group: 'limits',
    default: '',
    meaning: 'Hosts that links may reach although they are private or on an unusual port.',
    unit: 'list of host:port',
    expected: 'a list of host:port',
    parse: (text) => parseList(text, parseHostAndPort),
  },
  fetchTimeoutMs: {
    name: 'FETCH_TIMEOUT_MS',
    group: 'limits',
    default: '10000',
    meaning: 'Time for fetching a link, redirects included.',
    ...integer('ms', 1, DAY_MS),
  },
  fetchMaxBytes: {
    name: 'FETCH_MAX_BYTES',
    group: 'limits',
    default: '50MiB',
    meaning: 'Largest document that is fetched, after decompression.',
    ...bytes(KIB, 2 * GIB - 1),
  },
  fetchMaxRedirects: {
    name: 'FETCH_MAX_REDIRECTS',
    group: 'limits',
    default: '5',
    meaning: 'Redirects that are followed for one link.',
    ...integer('redirects', 0, 20),
  },
  trustedProxies: {
    name: 'TRUSTED_PROXIES',
    group: 'limits',
    default: '',
    meaning: 'Proxies whose X-Forwarded-For names the client.',
    unit: 'list of addresses or networks',
    expected: 'a list of addresses or networks such as 10.0.0.0/8',
    parse: (text) => parseList(text, (item) => (isNetwork(item) ? item : undefined)),
  },
  maxInWork: {
    name: 'MAX_IN_WORK',
    group: 'limits',
    default: '64',
    meaning:
      'Requests whose bodies are in memory at the same time, three quarters of them at most for one client; further ones wait.',
    ...integer('requests', 1, 100_000),
  },
  workTimeoutMs: {
    name: 'WORK_TIMEOUT_MS',
    group: 'limits',
    default: '60000',
    meaning: 'Time for the work on one document; the wait for a free process does not count.',
    ...integer('ms', 1, DAY_MS),
  },
  workers: {
    name: 'WORKERS',
    group: 'limits',
    default: String(Math.min(4, availableParallelism())),
    defaultText: 'processors, at most 4',
    meaning: 'Child processes in which documents are worked on.',
    ...integer('processes', 1, 256),
  },
  workerHeapMb: {
    name: 'WORKER_HEAP_MB',
    group: 'limits',
    default: '512',
    meaning: 'JavaScript heap of one child process.',
    ...integer('MiB', 32, 1_048_576),
  },
  workerRssMb: {
    name: 'WORKER_RSS_MB',
    group: 'limits',
    default: '768',
    meaning:
      'Memory of one child process, all of it; above it the process is ended. At least WORKER_HEAP_MB.',
    ...integer('MiB', 64, 1_048_576),
  },
  jobConcurrency: {
    name: 'JOB_CONCURRENCY',
    group: 'limits',
    default: '4',
    meaning: 'Jobs that this server works on at the same time; each has a child process while it does.',
    ...integer('jobs', 1, 256),
  },
  jobQueue: {
    name: 'JOB_QUEUE',
    group: 'limits',
    default: '1000',
    meaning: 'Unfinished jobs that there may be, over all servers on one store; further ones get 503.',
    ...integer('jobs', 1, 1_000_000),
  },
  jobTimeoutMs: {
    name: 'JOB_TIMEOUT_MS',
    group: 'limits',
    default: '1800000',
    meaning:
      'Time for a job, its wait in the queue included; then it has failed, and its payment can be used again.',
    ...integer('ms', 1000, DAY_MS),
  },
  shutdownMs: {
    name: 'SHUTDOWN_MS',
    group: 'limits',
    default: '25000',
    meaning:
      'Time for running requests once the service is asked to stop, DRAIN_MS included. Jobs are handed over within half of it.',
    ...integer('ms', 0, DAY_MS),
  },
  drainMs: {
    name: 'DRAIN_MS',
    group: 'limits',
    default: '5000',
    meaning:
      'How long the service serves on once it is asked to stop, while `GET /ready` says 503, if anybody asked that within the last minute: above the time in which a load balancer notices, its interval times the failures that it waits for. At most half of SHUTDOWN_MS counts.',
    ...integer('ms', 0, DAY_MS),
  },
};
