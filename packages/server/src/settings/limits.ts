// The settings of limits, one group of the table in settings.ts: sizes of requests, stored bytes, and times.
import { availableParallelism } from 'node:os';
import { IMAGES, type Kind, READERS } from '@grainline/extract';
import {
  bytes,
  GIB,
  integer,
  isNetwork,
  KIB,
  MIB,
  parseHostAndPort,
  parseList,
  settingGroup,
  wholeNumber,
  within,
} from './parsers.ts';

/** Longest configurable time. Node's timers end at 24 days. */
const DAY_MS = 24 * 60 * 60 * 1000;
/** Every kind of document. */
export const KINDS: readonly Kind[] = READERS.map((entry) => entry.kind);
/** Those and the pictures that OCR reads. */
export const KINDS_WITH_OCR: readonly Kind[] = [...KINDS, IMAGES.kind];

/** In the order of the docs. */
export const LIMIT_SETTINGS = settingGroup('limits', {
  freePagesPerDay: {
    name: 'FREE_PAGES_PER_DAY',
    default: '100',
    meaning: 'Free pages of one client a day (UTC), on the free tier. With off, pages are not counted.',
    unit: 'pages',
    expected: 'an integer from 1 to 1000000000, or off',
    parse: (text) => (text === 'off' ? 'off' : within(wholeNumber(text), 1, 1_000_000_000)),
  },
  rateLimit: {
    name: 'RATE_LIMIT',
    default: '60',
    meaning:
      'Requests of one client a minute, without /health and /ready; all of them may come at once. A second of work on a refused free document counts as one. Behind a proxy, TRUSTED_PROXIES must name it, or all clients count as one. With PAYMENTS=off and without PUBLIC_URL, the default limits only requests that a proxy has forwarded.',
    unit: 'requests a minute',
    expected: 'an integer from 1 to 1000000, or off',
    parse: (text) => (text === 'off' ? 'off' : within(wholeNumber(text), 1, 1_000_000)),
  },
  maxUploadBytes: {
    name: 'MAX_UPLOAD_BYTES',
    default: '50MiB',
    meaning: 'Largest upload.',
    ...bytes(KIB, 2 * GIB - 1),
  },
  maxJsonBytes: {
    name: 'MAX_JSON_BYTES',
    default: '5MiB',
    meaning: 'Largest JSON body.',
    ...bytes(KIB, 256 * MIB),
  },
  maxAnswerBytes: {
    name: 'MAX_ANSWER_BYTES',
    default: '32MiB',
    meaning:
      'Largest answer, uncompressed, computed before its vectors and records are made: its texts, and 15 bytes for each number of a vector. A larger one gets 413.',
    ...bytes(KIB, 256 * MIB),
  },
  maxStoredBytes: {
    name: 'MAX_STORED_BYTES',
    default: '1GiB',
    meaning: 'Space for stored free results, compressed. A result without space gets 503.',
    ...bytes(MIB, 1024 * GIB),
  },
  maxPaidBytes: {
    name: 'MAX_PAID_BYTES',
    default: '4GiB',
    meaning:
      'Space for paid answers and results, compressed, in addition to MAX_STORED_BYTES. Each is stored for an hour. Above seven eighths of it requests without a payment get 503, and no payment is requested.',
    ...bytes(MIB, 1024 * GIB),
  },
  uploadKinds: {
    name: 'UPLOAD_KINDS',
    default: 'txt,pdf',
    defaultText: '`txt,pdf`, with PAYMENTS=off `all`; with OCR=tesseract `image` too',
    meaning:
      'Accepted kinds of uploads. The content decides the kind, not the name. Pictures, `image`, go with OCR=tesseract.',
    unit: 'list',
    expected: `a list of ${KINDS_WITH_OCR.join(', ')}, or all`,
    parse: (text) =>
      text === 'all' ? KINDS : parseList(text, (item) => KINDS_WITH_OCR.find((kind) => kind === item)),
  },
  fetchAllow: {
    name: 'FETCH_ALLOW',
    default: '',
    meaning: 'Private hosts, and hosts on unusual ports, that links may reach.',
    unit: 'list of host:port',
    expected: 'a list of host:port',
    parse: (text) => parseList(text, parseHostAndPort),
  },
  fetchTimeoutMs: {
    name: 'FETCH_TIMEOUT_MS',
    default: '10000',
    meaning: 'Time for the download of a link with its redirects.',
    ...integer('ms', 1, DAY_MS),
  },
  fetchMaxBytes: {
    name: 'FETCH_MAX_BYTES',
    default: '50MiB',
    meaning: 'Largest document behind a link, after decompression.',
    ...bytes(KIB, 2 * GIB - 1),
  },
  fetchMaxRedirects: {
    name: 'FETCH_MAX_REDIRECTS',
    default: '5',
    meaning: 'Redirects of one link.',
    ...integer('redirects', 0, 20),
  },
  trustedProxies: {
    name: 'TRUSTED_PROXIES',
    default: '',
    meaning: 'Proxies whose X-Forwarded-For names the client.',
    unit: 'list of addresses or networks',
    expected: 'a list of addresses or networks such as 10.0.0.0/8',
    parse: (text) => parseList(text, (item) => (isNetwork(item) ? item : undefined)),
  },
  maxInWork: {
    name: 'MAX_IN_WORK',
    default: '64',
    meaning:
      'Requests with bodies in memory at one time, at most three quarters of them from one client. Further requests wait.',
    ...integer('requests', 1, 100_000),
  },
  workTimeoutMs: {
    name: 'WORK_TIMEOUT_MS',
    default: '60000',
    meaning: 'Time for the work on one document, without the wait for a process.',
    ...integer('ms', 1, DAY_MS),
  },
  workers: {
    name: 'WORKERS',
    default: String(Math.min(4, availableParallelism())),
    defaultText: 'processors, at most 4',
    meaning:
      'Child processes for documents. Where tiers are for sale, free documents leave one of several to paid documents.',
    ...integer('processes', 1, 256),
  },
  workerHeapMb: {
    name: 'WORKER_HEAP_MB',
    default: '512',
    meaning: 'JavaScript heap of one child process.',
    ...integer('MiB', 32, 1_048_576),
  },
  workerRssMb: {
    name: 'WORKER_RSS_MB',
    default: '768',
    defaultText: '`768`, with OCR=tesseract `1536`',
    meaning: 'Total memory of one child process. A process above it is ended. At least WORKER_HEAP_MB.',
    ...integer('MiB', 64, 1_048_576),
  },
  jobConcurrency: {
    name: 'JOB_CONCURRENCY',
    default: '4',
    meaning: 'Jobs in work on this server at one time, each with a child process.',
    ...integer('jobs', 1, 256),
  },
  jobQueue: {
    name: 'JOB_QUEUE',
    default: '1000',
    meaning: 'Unfinished jobs of all servers on one store. Further ones get 503.',
    ...integer('jobs', 1, 1_000_000),
  },
  jobTimeoutMs: {
    name: 'JOB_TIMEOUT_MS',
    default: '1800000',
    meaning:
      'Time for a job with its wait in the queue. After it the job fails, and its payment is reusable.',
    ...integer('ms', 1000, DAY_MS),
  },
  shutdownMs: {
    name: 'SHUTDOWN_MS',
    default: '25000',
    meaning:
      'Time for running requests after a stop signal, DRAIN_MS included. Jobs are handed over within half of it.',
    ...integer('ms', 0, DAY_MS),
  },
  drainMs: {
    name: 'DRAIN_MS',
    default: '5000',
    meaning:
      'Time after a stop signal in which the service still serves and `GET /ready` answers 503, if the last request for `/ready` was less than a minute ago. It must exceed the time in which a load balancer notices: its interval times its failure threshold. At most half of SHUTDOWN_MS counts.',
    ...integer('ms', 0, DAY_MS),
  },
});
