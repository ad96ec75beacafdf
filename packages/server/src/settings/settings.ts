// Every setting of the service: one table, of four parts, is the source of the parsing, of the faults and of the table
// in docs. Stands before everything else: the start reads the environment once, here, and hands plain values on.
import ipaddr from 'ipaddr.js';
import { LIMIT_SETTINGS, type LimitSettings } from './limits.ts';
import { MODEL_SETTINGS, modelFaults, type ModelSettings } from './models.ts';
import { PAYMENT_SETTINGS, type PaymentSettings } from './payments.ts';
import { integer, matching, oneOf, parseDatabaseUrl, parsePublicUrl, type Setting } from './readings.ts';

/** What the environment said, or the defaults. Meaning, unit and range of each are in {@link SETTINGS}. */
export interface Settings extends ModelSettings, PaymentSettings, LimitSettings {
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
  ...PAYMENT_SETTINGS,
  ...LIMIT_SETTINGS,
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
 * Reads where the store is, for commands that need no other setting.
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
  const { host, port, metricsPort, workerHeapMb, workerRssMb, solanaRpcUrls, rpcQuorum } = settings;
  const faults: string[] = [];
  if (host !== undefined && !isLoopback(host) && textOf(SETTINGS.publicUrl, environment) === '') {
    faults.push(
      `PUBLIC_URL must be set when HOST is beyond loopback, because links in answers begin with it; HOST is ${show(host)}.`,
    );
  }
  if (metricsPort !== undefined && metricsPort !== 0 && metricsPort === port)
    faults.push(`METRICS_PORT must be another one than PORT, which is ${port}.`);
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
