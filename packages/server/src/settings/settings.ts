// Every setting of the service. One table in four groups gives the parsing, the error messages and the table of the
// docs. The start reads the environment once, here, and passes plain values on.
import { IMAGES } from '@grainline/extract';
import ipaddr from 'ipaddr.js';
import { KINDS, KINDS_WITH_OCR, LIMIT_SETTINGS } from './limits.ts';
import { findModelIssues, MODEL_SETTINGS } from './models.ts';
import { type BucketSettings, parseBucket, readBucket } from './bucket.ts';
import {
  integer,
  matching,
  oneOf,
  parseDatabaseUrl,
  parseHttpUrl,
  parsePublicUrl,
  type Setting,
  settingGroup,
  type SettingValues,
} from './parsers.ts';
import { PAYMENT_SETTINGS } from './payments.ts';

const SERVER_SETTINGS = settingGroup('server', {
  host: {
    name: 'HOST',
    default: '127.0.0.1',
    meaning: 'Address to listen on. Beyond loopback, PUBLIC_URL must be set too.',
    ...matching(/^[\w.:-]+$/, 'address', 'an address or a host name'),
  },
  port: {
    name: 'PORT',
    default: '8402',
    meaning: 'Port to listen on; 0 takes any free port.',
    ...integer('port', 0, 65_535),
  },
  metricsPort: {
    name: 'METRICS_PORT',
    meaning: 'Port on HOST that serves metrics for Prometheus at /metrics. Not for the internet.',
    ...integer('port', 0, 65_535),
  },
  otlpEndpoint: {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    meaning:
      'Collector of OpenTelemetry that gets traces and metrics by OTLP over HTTP. Requires the packages of OpenTelemetry.',
    unit: 'URL',
    expected: 'an http or https address',
    isSecret: true,
    parse: parseHttpUrl,
  },
  publicUrl: {
    name: 'PUBLIC_URL',
    meaning: 'Public address of the service. Links in answers begin with it.',
    unit: 'URL',
    expected: 'an http or https address without user, query and fragment',
    parse: parsePublicUrl,
  },
  dataDir: {
    name: 'DATA_DIR',
    default: './data',
    meaning: 'Folder of the embedded store, created when it is missing. Never on a network file system.',
    ...matching(/^[^\0]+$/, 'folder', 'a folder'),
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    meaning:
      'PostgreSQL in place of the embedded store, for one or more servers. All data is in its schema `grainline`. Requires the package pg.',
    unit: 'URL',
    expected: 'an address such as postgresql://user:password@host:5432/database',
    isSecret: true,
    parse: parseDatabaseUrl,
  },
  databaseConnections: {
    name: 'DATABASE_CONNECTIONS',
    default: '10',
    meaning: 'Most connections of this server to DATABASE_URL.',
    ...integer('connections', 1, 1000),
  },
  databaseMigrations: {
    name: 'DATABASE_MIGRATIONS',
    default: 'at-start',
    meaning:
      'Migration of the tables of DATABASE_URL: at every start, or only by `grainline-server migrate`.',
    ...oneOf(['at-start', 'by-hand']),
  },
  objectStore: {
    name: 'OBJECT_STORE',
    meaning:
      'Bucket for the bodies of results, in place of the store. Credentials, region and address come from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION and AWS_ENDPOINT_URL.',
    unit: 'URL',
    expected: 'an address such as s3://bucket/prefix',
    parse: parseBucket,
  },
  deployment: {
    name: 'DEPLOYMENT',
    default: 'primary',
    meaning: 'The offered set of tiers. With PAYMENTS=off, primary has the tiers of both.',
    ...oneOf(['primary', 'compact']),
  },
  logLevel: {
    name: 'LOG_LEVEL',
    default: 'info',
    meaning: 'Lowest logged level.',
    ...oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
  },
  logFormat: {
    name: 'LOG_FORMAT',
    default: 'auto',
    meaning: 'Form of the log on standard error: auto is text on a terminal and JSON elsewhere.',
    ...oneOf(['auto', 'json', 'text']),
  },
  page: {
    name: 'PAGE',
    default: 'on',
    meaning: 'The web page at / for browsers. With off, every client gets the JSON.',
    ...oneOf(['on', 'off']),
  },
});

interface Values
  extends
    SettingValues<typeof SERVER_SETTINGS>,
    SettingValues<typeof MODEL_SETTINGS>,
    SettingValues<typeof PAYMENT_SETTINGS>,
    SettingValues<typeof LIMIT_SETTINGS> {}

/** The values of all settings. Meaning, unit and range of each are in {@link SETTINGS}. */
export interface Settings extends Omit<Values, 'objectStore'> {
  /** The bucket with its credentials. */
  readonly objectStore: BucketSettings | undefined;
  /** False when requests of this machine have no limit: PAYMENTS=off, and neither PUBLIC_URL nor RATE_LIMIT is set. */
  readonly limitsLocal: boolean;
}

/** Every setting, by its name in {@link Settings}, in the order of the docs. */
export const SETTINGS: { readonly [Key in keyof Values]: Setting<Values[Key]> } = {
  ...SERVER_SETTINGS,
  ...MODEL_SETTINGS,
  ...PAYMENT_SETTINGS,
  ...LIMIT_SETTINGS,
};

/** The error of {@link readSettings}: every wrong setting at once, one sentence each. */
export class SettingsError extends Error {
  readonly issues: readonly string[];

  constructor(issues: readonly string[]) {
    super(`Wrong settings:\n${issues.map((issue) => `  ${issue}`).join('\n')}`);
    this.name = 'SettingsError';
    this.issues = issues;
  }
}

/** The settings of a chain. */
export type ChainSettings = Pick<Settings, 'network' | 'usdcMint' | 'solanaRpcUrls' | 'rpcQuorum'>;

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings from environment variables. An empty or blank variable counts as not set.
 *
 * @throws SettingsError with every wrong setting, its accepted text and the text that came
 */
export function readSettings(environment: Environment): Settings {
  const keys = Object.keys(SETTINGS) as (keyof Values)[];
  const { values, issues } = readValues(keys, environment);
  issues.push(...findConflicts(values, environment));
  const bucket = values.objectStore && readBucket(values.objectStore, environment);
  issues.push(...(bucket?.issues ?? []));
  if (issues.length > 0) throw new SettingsError(issues);
  // Every key was read, and a missing value without permission to be missing is among the issues.
  return { ...withDependentDefaults(values as Values, environment), objectStore: bucket?.settings };
}

/**
 * Total memory of a child process with OCR. Tesseract takes 130 MB for a sheet of A4 with 200 pixels in an inch, and at
 * most 1 GiB for the largest pictures; the process around it has some 200 MB.
 */
const OCR_RSS_MB = 1536;

/** Replaces the defaults that depend on another setting. */
function withDependentDefaults(values: Values, environment: Environment): Omit<Settings, 'objectStore'> {
  const isUnset = ({ name }: Setting<unknown>): boolean => (environment[name]?.trim() ?? '') === '';
  const isOwn = values.payments === 'off';
  const readsPictures = values.ocr !== 'off';
  const allKinds = readsPictures ? KINDS_WITH_OCR : KINDS;
  const isAll = isUnset(SETTINGS.uploadKinds) ? isOwn : values.uploadKinds === KINDS;
  const withPictures = readsPictures && isUnset(SETTINGS.uploadKinds) ? [IMAGES.kind] : [];
  return {
    ...values,
    deploymentId: values.deploymentId || values.deployment,
    uploadKinds: isAll ? allKinds : [...values.uploadKinds, ...withPictures],
    workerRssMb: readsPictures && isUnset(SETTINGS.workerRssMb) ? OCR_RSS_MB : values.workerRssMb,
    limitsLocal: !(isOwn && values.publicUrl === undefined && isUnset(SETTINGS.rateLimit)),
  };
}

/**
 * Reads the location of the store, for commands that need no other setting.
 *
 * @throws SettingsError
 */
export function readStoreLocation(environment: Environment): Pick<Settings, 'dataDir' | 'databaseUrl'> {
  return readSome(['dataDir', 'databaseUrl'], environment);
}

/**
 * Reads the chain and its endpoints, for commands that need no other setting.
 *
 * @throws SettingsError
 */
export function readChainSettings(environment: Environment): ChainSettings {
  return readSome(['network', 'usdcMint', 'solanaRpcUrls', 'rpcQuorum'], environment);
}

function readSome<Key extends keyof Values>(
  keys: readonly Key[],
  environment: Environment,
): Pick<Values, Key> {
  const { values, issues } = readValues(keys, environment);
  if (issues.length > 0) throw new SettingsError(issues);
  return values as Pick<Values, Key>;
}

/** The table of the docs in Markdown, with one part for each group. */
export function settingsTable(): string {
  const groups = [...new Set(Object.values(SETTINGS).map((setting) => setting.group))];
  return groups.map(groupTable).join('\n\n');
}

/** Detects addresses that only this machine can reach. */
export function isLoopback(host: string): boolean {
  if (host.toLowerCase() === 'localhost') return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback';
}

function readValues(
  keys: readonly (keyof Values)[],
  environment: Environment,
): { readonly values: Partial<Values>; readonly issues: string[] } {
  const issues: string[] = [];
  const values = keys.map((key) => {
    const setting: Setting<unknown> = SETTINGS[key];
    const text = textOf(setting, environment);
    const value = setting.parse(text);
    if (value === undefined && text !== '') {
      const received = setting.isSecret === true ? 'something else' : show(text);
      issues.push(`${setting.name} must be ${setting.expected}, but is ${received}.`);
    }
    return [key, value];
  });
  return { values: Object.fromEntries(values) as Partial<Values>, issues };
}

/** The text of the environment, otherwise the default; empty without both. */
function textOf(setting: Setting<unknown>, environment: Environment): string {
  const text = environment[setting.name]?.trim() ?? '';
  return text === '' ? (setting.default ?? '') : text;
}

/** Conflicts between two settings. A setting that is wrong by itself is undefined here. */
function findConflicts(settings: Partial<Values>, environment: Environment): string[] {
  const { host, port, metricsPort, workerHeapMb, workerRssMb, solanaRpcUrls, rpcQuorum } = settings;
  const issues: string[] = [];
  if (settings.ocr === 'off' && settings.uploadKinds?.includes(IMAGES.kind) === true)
    issues.push('UPLOAD_KINDS may have image only with OCR=tesseract.');
  if (host !== undefined && !isLoopback(host) && textOf(SETTINGS.publicUrl, environment) === '') {
    issues.push(
      `PUBLIC_URL must be set when HOST is beyond loopback, because links in answers begin with it; HOST is ${show(host)}.`,
    );
  }
  if (metricsPort !== undefined && metricsPort !== 0 && metricsPort === port)
    issues.push(`METRICS_PORT must be another one than PORT, which is ${port}.`);
  if (workerHeapMb !== undefined && workerRssMb !== undefined && workerRssMb < workerHeapMb) {
    issues.push(
      `WORKER_RSS_MB must be at least WORKER_HEAP_MB, which is ${workerHeapMb}, but is ${workerRssMb}.`,
    );
  }
  issues.push(...findModelIssues(settings, (setting) => textOf(setting, environment) !== ''));
  // The default is the single public endpoint of the network.
  const endpoints = Math.max(1, solanaRpcUrls?.length ?? Infinity);
  if (rpcQuorum !== undefined && rpcQuorum > endpoints) {
    issues.push(
      `RPC_QUORUM must be at most the number of SOLANA_RPC_URLS, which is ${endpoints}, but is ${rpcQuorum}.`,
    );
  }
  return issues;
}

/** The default of a setting, in Markdown. */
export function showDefault({ default: text = '', defaultText }: Setting<unknown>): string {
  return defaultText ?? (text === '' ? 'none' : `\`${text}\``);
}

function groupTable(group: string): string {
  const rows = Object.values(SETTINGS)
    .filter((setting) => setting.group === group)
    .map((setting) => {
      return `| \`${setting.name}\` | ${showDefault(setting)} | ${setting.unit} | ${setting.meaning} Expected: ${setting.expected}. |`;
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
