// Every setting of the service: one table is the source of the parsing, of the faults and of the table in docs.
// Stands before everything else: the start reads the environment once, here, and hands plain values on.
import { availableParallelism } from 'node:os';
import { type Kind, READERS } from '@grainline/extract';
import ipaddr from 'ipaddr.js';
import { MODEL_SETTINGS, modelFaults, type ModelSettings } from './model-settings.ts';
import {
  bytes,
  GIB,
  integer,
  isNetwork,
  KIB,
  matching,
  MIB,
  oneOf,
  parseDatabaseUrl,
  parseHostAndPort,
  parseHttpUrl,
  parseList,
  parseMoment,
  parsePublicUrl,
  wholeNumber,
  within,
  type Reading,
} from './readings.ts';

/** What the environment said, or the defaults. Meaning, unit and range of each are in {@link SETTINGS}. */
export interface Settings extends ModelSettings {
  readonly host: string;
  readonly port: number;
  readonly metricsPort: number | undefined;
  readonly publicUrl: string | undefined;
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  readonly databaseConnections: number;
  readonly databaseMigrations: 'at-start' | 'by-hand';
  readonly deployment: 'primary' | 'compact';
  readonly logLevel: string;
  readonly page: 'on' | 'off';
  readonly payments: 'on' | 'off';
  readonly payTo: string | undefined;
  readonly network: 'solana-mainnet' | 'solana-devnet' | 'solana-localnet';
  readonly usdcMint: string | undefined;
  readonly solanaRpcUrls: readonly string[];
  readonly rpcQuorum: number;
  readonly facilitatorUrl: string | undefined;
  readonly facilitatorAuth: string | undefined;
  readonly paymentWaitMs: number;
  readonly paymentMaxAgeS: number;
  readonly paymentBinding: 'offer' | 'require' | 'off';
  readonly paymentsNotBefore: number | undefined;
  readonly paymentLeaseMs: number;
  readonly deploymentId: string;
  readonly freePagesPerDay: number;
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

/** One setting: how it is called, what it means, and how its text is read. */
export interface Setting<Value> extends Reading<Value> {
  /** Name in the environment. */
  readonly name: string;
  readonly group: 'server' | 'models' | 'limits' | 'payments';
  /** As one would write it in the environment; empty when nothing is the default. */
  readonly default: string;
  /** What stands in the docs as the default, when the value depends on the machine. */
  readonly defaultText?: string;
  readonly meaning: string;
  /** True for what messages must not repeat: keys of others' services. */
  readonly isSecret?: true;
}

/** What {@link readSettings} throws: every wrong setting at once, one sentence each. */
export class SettingsError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`Wrong settings:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.name = 'SettingsError';
    this.faults = faults;
  }
}

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** More than anybody waits; Node's timers end at 24 days. */
const DAY_MS = 24 * 60 * 60 * 1000;
/** 32 bytes in base58: without 0, O, I and l. */
const BASE58_ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const KINDS: readonly Kind[] = READERS.map((entry) => entry.kind);

/** Every setting, by its name in {@link Settings}, in the order in which the docs show them. */
export const SETTINGS: { readonly [Key in keyof Settings]: Setting<Settings[Key]> } = {
  host: {
    name: 'HOST',
    group: 'server',
    default: '127.0.0.1',
    meaning: 'Address to listen on. Beyond loopback, PUBLIC_URL must be set too.',
    ...matching(/^[\w.:-]+$/, 'address', 'an address or a host name'),
  },
  port: {
    name: 'PORT',
    group: 'server',
    default: '8402',
    meaning: 'Port to listen on; 0 takes any that is free.',
    ...integer('port', 0, 65_535),
  },
  metricsPort: {
    name: 'METRICS_PORT',
    group: 'server',
    default: '',
    meaning: 'Port on HOST that tells Prometheus what is counted, at /metrics. Not for the internet.',
    ...integer('port', 0, 65_535),
  },
  publicUrl: {
    name: 'PUBLIC_URL',
    group: 'server',
    default: '',
    meaning: 'Address at which clients reach the service; links in answers begin with it.',
    unit: 'URL',
    expected: 'an http or https address without user, query and fragment',
    parse: parsePublicUrl,
  },
  dataDir: {
    name: 'DATA_DIR',
    group: 'server',
    default: './data',
    meaning: 'Folder for the embedded store, made when it is missing; never on a network file system.',
    ...matching(/^[^\0]+$/, 'folder', 'a folder'),
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    group: 'server',
    default: '',
    meaning:
      'PostgreSQL in place of the embedded store, for one or more servers; everything is kept in its schema `grainline`. Needs the package pg.',
    unit: 'URL',
    expected: 'an address such as postgresql://user:password@host:5432/database',
    isSecret: true,
    parse: parseDatabaseUrl,
  },
  databaseConnections: {
    name: 'DATABASE_CONNECTIONS',
    group: 'server',
    default: '10',
    meaning: 'Connections that this server opens to DATABASE_URL, at most.',
    ...integer('connections', 1, 1000),
  },
  databaseMigrations: {
    name: 'DATABASE_MIGRATIONS',
    group: 'server',
    default: 'at-start',
    meaning:
      'When the tables of DATABASE_URL are made and brought up to date: at every start, or only by `grainline-server migrate`.',
    ...oneOf(['at-start', 'by-hand']),
  },
  deployment: {
    name: 'DEPLOYMENT',
    group: 'server',
    default: 'primary',
    meaning: 'Which set of tiers is offered.',
    ...oneOf(['primary', 'compact']),
  },
  logLevel: {
    name: 'LOG_LEVEL',
    group: 'server',
    default: 'info',
    meaning: 'The least important lines that are logged.',
    ...oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
  },
  page: {
    name: 'PAGE',
    group: 'server',
    default: 'on',
    meaning: 'Whether browsers that ask for / get the page to try tiers on; off, everybody gets the JSON.',
    ...oneOf(['on', 'off']),
  },
  ...MODEL_SETTINGS,
  payments: {
    name: 'PAYMENTS',
    group: 'payments',
    default: 'on',
    meaning:
      'Whether paid tiers are paid for. Off, every tier that is built costs nothing and counts no pages: for a service of your own.',
    ...oneOf(['on', 'off']),
  },
  payTo: {
    name: 'PAY_TO',
    group: 'payments',
    default: '',
    meaning:
      'Wallet that is paid: an address, never a key. Its token account for USDC must exist. Without it paid tiers are listed as unavailable.',
    ...matching(BASE58_ADDRESS, 'address', 'a Solana address of 32 to 44 letters and digits'),
  },
  network: {
    name: 'NETWORK',
    group: 'payments',
    default: 'solana-mainnet',
    meaning: 'Network on which payments are made; it decides the defaults of the two settings below.',
    ...oneOf(['solana-mainnet', 'solana-devnet', 'solana-localnet']),
  },
  usdcMint: {
    name: 'USDC_MINT',
    group: 'payments',
    default: '',
    defaultText: "the network's USDC",
    meaning: 'Mint of the token that is taken.',
    ...matching(BASE58_ADDRESS, 'address', 'a Solana address of 32 to 44 letters and digits'),
  },
  solanaRpcUrls: {
    name: 'SOLANA_RPC_URLS',
    group: 'payments',
    default: '',
    defaultText: "the network's public endpoint",
    meaning:
      'RPC endpoints that are asked about payments. The public ones are slow and limit their callers: name your own. Logs name only their hosts.',
    unit: 'list of URLs',
    expected: 'a list of http or https addresses',
    isSecret: true,
    parse: (text) => parseList(text, parseHttpUrl),
  },
  rpcQuorum: {
    name: 'RPC_QUORUM',
    group: 'payments',
    default: '1',
    meaning: 'Endpoints that must say the same of a payment before it counts.',
    ...integer('endpoints', 1, 16),
  },
  facilitatorUrl: {
    name: 'X402_FACILITATOR_URL',
    group: 'payments',
    default: '',
    meaning:
      'Facilitator that completes and settles the payments of x402 clients. Without it, only transaction signatures are taken.',
    unit: 'URL',
    expected: 'an http or https address without user, query and fragment',
    parse: parsePublicUrl,
  },
  facilitatorAuth: {
    name: 'X402_FACILITATOR_AUTH',
    group: 'payments',
    default: '',
    meaning: 'What the facilitator wants in Authorization, such as Bearer and a key. Never logged.',
    isSecret: true,
    ...matching(/^[\x20-\x7e]+$/, 'header value', 'a header value in ASCII'),
  },
  paymentWaitMs: {
    name: 'PAYMENT_WAIT_MS',
    group: 'payments',
    default: '10000',
    meaning:
      'How long a request waits for its payment to be confirmed, or for another request that has the same payment. Times for a whole request and for a quiet connection are longer by this much.',
    ...integer('ms', 0, 60_000),
  },
  paymentMaxAgeS: {
    name: 'PAYMENT_MAX_AGE_S',
    group: 'payments',
    default: '86400',
    meaning: 'Oldest transaction that is taken at its first use.',
    ...integer('s', 60, 365 * 86_400),
  },
  paymentBinding: {
    name: 'PAYMENT_BINDING',
    group: 'payments',
    default: 'offer',
    meaning:
      'Whether a payment must name its request in its memo, so that nobody else can use a signature that is public: offered to payers, required of them (advised for public services), or off.',
    ...oneOf(['offer', 'require', 'off']),
  },
  paymentsNotBefore: {
    name: 'PAYMENTS_NOT_BEFORE',
    group: 'payments',
    default: '',
    meaning:
      'Transactions before this moment are not taken: for a wallet that was paid for other things, or a store that was lost.',
    unit: 'date and time',
    expected: 'a date and time in UTC such as 2026-11-22T00:00:00Z',
    parse: parseMoment,
  },
  paymentLeaseMs: {
    name: 'PAYMENT_LEASE_MS',
    group: 'payments',
    default: '30000',
    meaning:
      'For how long a payment stays with a request that says nothing more. After a crash it can be used again when this is over.',
    ...integer('ms', 1000, 600_000),
  },
  deploymentId: {
    name: 'DEPLOYMENT_ID',
    group: 'payments',
    default: '',
    defaultText: 'the value of `DEPLOYMENT`',
    meaning:
      'Name that payments are bound to. Deployments that share PAY_TO must share the store, and need different names.',
    ...matching(/^[\w.:/-]{1,100}$/, 'name', 'a name of 1 to 100 letters, digits and . : / _ -'),
  },
  freePagesPerDay: {
    name: 'FREE_PAGES_PER_DAY',
    group: 'limits',
    default: '100',
    meaning: 'Pages that one client may have chunked for nothing on one day (UTC).',
    ...integer('pages', 1, 1_000_000_000),
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

/**
 * Reads the settings from environment variables. A variable that is empty or blank counts as not set.
 *
 * @throws SettingsError listing every fault, each naming the setting, what was expected and what came.
 */
export function readSettings(environment: Environment): Settings {
  const faults: string[] = [];
  const read = <Key extends keyof Settings>(key: Key): [Key, Settings[Key] | undefined] => {
    const setting: Setting<Settings[Key]> = SETTINGS[key];
    return [key, readSetting(setting, environment, faults)];
  };
  const keys = Object.keys(SETTINGS) as (keyof Settings)[];
  // Every key of the table was read, and a value that is missing where it must not be is among the faults.
  const given = Object.fromEntries(keys.map(read)) as unknown as Settings;
  // The one default that another setting decides.
  const settings = { ...given, deploymentId: given.deploymentId || given.deployment };
  faults.push(...faultsBetween(settings, environment));
  if (faults.length > 0) throw new SettingsError(faults);
  return settings;
}

/**
 * Where the store is, for commands that need no other setting.
 *
 * @throws SettingsError
 */
export function readStorePlace(environment: Environment): Pick<Settings, 'dataDir' | 'databaseUrl'> {
  const faults: string[] = [];
  const place = {
    dataDir: readSetting(SETTINGS.dataDir, environment, faults),
    databaseUrl: readSetting(SETTINGS.databaseUrl, environment, faults),
  };
  if (faults.length > 0) throw new SettingsError(faults);
  // A folder that was not accepted is among the faults.
  return { ...place, dataDir: place.dataDir ?? '' };
}

/** The table of the docs, in Markdown: one part a group. */
export function settingsTable(): string {
  const groups = [...new Set(Object.values(SETTINGS).map((setting) => setting.group))];
  return groups.map(groupTable).join('\n\n');
}

/** True for addresses that only this machine can reach. */
export function isLoopback(host: string): boolean {
  if (host.toLowerCase() === 'localhost') return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback';
}

/** The value, or undefined; what is wrong with it joins the faults. */
function readSetting<Value>(
  setting: Setting<Value>,
  environment: Environment,
  faults: string[],
): Value | undefined {
  const text = textOf(setting, environment);
  const value = setting.parse(text);
  if (value === undefined && text !== '') {
    const is = setting.isSecret === true ? 'something else' : show(text);
    faults.push(`${setting.name} must be ${setting.expected}, but is ${is}.`);
  }
  return value;
}

/** What the environment says, or the default. */
function textOf(setting: Setting<unknown>, environment: Environment): string {
  const text = environment[setting.name]?.trim() ?? '';
  return text === '' ? setting.default : text;
}

/** Faults that two settings have with each other. A setting that is wrong by itself is undefined here. */
function faultsBetween(settings: Partial<Settings>, environment: Environment): string[] {
  const { host, workerHeapMb, workerRssMb, solanaRpcUrls, rpcQuorum } = settings;
  const faults: string[] = [];
  if (host !== undefined && !isLoopback(host) && textOf(SETTINGS.publicUrl, environment) === '') {
    faults.push(
      `PUBLIC_URL must be set when HOST is beyond loopback, because links in answers begin with it; HOST is ${show(host)}.`,
    );
  }
  if (workerHeapMb !== undefined && workerRssMb !== undefined && workerRssMb < workerHeapMb) {
    faults.push(
      `WORKER_RSS_MB must be at least WORKER_HEAP_MB, which is ${workerHeapMb}, but is ${workerRssMb}.`,
    );
  }
  faults.push(...modelFaults(settings, (setting) => textOf(setting, environment) !== ''));
  // Without a list there is the network's public endpoint alone.
  const endpoints = Math.max(1, solanaRpcUrls?.length ?? Infinity);
  if (rpcQuorum !== undefined && rpcQuorum > endpoints) {
    faults.push(
      `RPC_QUORUM must be at most the number of SOLANA_RPC_URLS, which is ${endpoints}, but is ${rpcQuorum}.`,
    );
  }
  return faults;
}

function groupTable(group: string): string {
  const rows = Object.values(SETTINGS)
    .filter((setting) => setting.group === group)
    .map((setting) => {
      const fallback = setting.defaultText ?? (setting.default === '' ? 'none' : `\`${setting.default}\``);
      return `| \`${setting.name}\` | ${fallback} | ${setting.unit} | ${setting.meaning} Expected: ${setting.expected}. |`;
    });
  return [
    `### ${group}`,
    '',
    '| name | default | unit | meaning |',
    '| --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

function show(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
