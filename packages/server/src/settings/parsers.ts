// The description of a setting, and the parsers of its text. Each parser names its unit and the accepted text, and
// returns undefined for other text. The table of all settings is in settings.ts.
import ipaddr from 'ipaddr.js';

/** Parses the text of a setting. */
export interface Parser<Value> {
  /** Unit of a number, otherwise the kind of text. */
  readonly unit: string;
  /** The accepted text, in words that follow "must be": `an integer from 1 to 65535`. */
  readonly expected: string;
  /** The value, or undefined for text that is not accepted. */
  readonly parse: (text: string) => Value | undefined;
}

/** One setting. */
export interface Setting<Value> extends Parser<Value> {
  /** Name in the environment. */
  readonly name: string;
  readonly group: 'server' | 'models' | 'limits' | 'payments';
  /** The default as text of the environment. A setting without a default is undefined when it is not set. */
  readonly default?: string;
  /** The default in the docs, for a value that depends on the machine or on another setting. */
  readonly defaultText?: string;
  readonly meaning: string;
  /** Messages do not repeat the value: it holds the key of a service. */
  readonly isSecret?: true;
}

type SettingEntry = Omit<Setting<unknown>, 'group'>;

/** The values that a table of settings describes. */
export type SettingValues<Table extends Readonly<Record<string, SettingEntry>>> = {
  readonly [Key in keyof Table]: Table[Key] extends { readonly default: string }
    ? Exclude<ReturnType<Table[Key]['parse']>, undefined>
    : ReturnType<Table[Key]['parse']>;
};

/** A table of settings of one group. */
export function settingGroup<Table extends Readonly<Record<string, SettingEntry>>>(
  group: Setting<unknown>['group'],
  table: Table,
): { readonly [Key in keyof Table]: Table[Key] & Pick<Setting<unknown>, 'group'> } {
  const entries = Object.entries(table).map(([key, entry]) => [key, { ...entry, group }]);
  return Object.fromEntries(entries) as ReturnType<typeof settingGroup<Table>>;
}

export const KIB = 1024;
export const MIB = 1024 * KIB;
export const GIB = 1024 * MIB;
const BYTE_UNITS: Readonly<Record<string, number>> = { KiB: KIB, MiB: MIB, GiB: GIB };

/** An integer from `least` to `most`; `unit` is shown in the docs. */
export function integer(unit: string, least: number, most: number): Parser<number> {
  return {
    unit,
    expected: `an integer from ${least} to ${most}`,
    parse: (text) => within(wholeNumber(text), least, most),
  };
}

/** A number of bytes from `least` to `most`, in digits with an optional unit: `50MiB`. */
export function bytes(least: number, most: number): Parser<number> {
  const expected = `a number of bytes from ${showBytes(least)} to ${showBytes(most)}, such as 1048576 or 1MiB`;
  const parse = (text: string): number | undefined => {
    const [, digits = '', unit = ''] = /^(\d+) ?([KMG]iB)?$/.exec(text) ?? [];
    return within(wholeNumber(digits) * (BYTE_UNITS[unit] ?? 1), least, most);
  };
  return { unit: 'bytes', expected, parse };
}

/** One of the given words. */
export function oneOf<const Choice extends string>(choices: readonly Choice[]): Parser<Choice> {
  return {
    unit: 'word',
    expected: `one of ${choices.join(', ')}`,
    parse: (text) => choices.find((choice) => choice === text),
  };
}

/** The unchanged text, when it matches the pattern. */
export function matching(pattern: RegExp, unit: string, expected: string): Parser<string> {
  return { unit, expected, parse: (text) => (pattern.test(text) ? text : undefined) };
}

/** The number; NaN unless the text consists of digits. */
export function wholeNumber(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}

/** The number when it is from `least` to `most`, otherwise undefined; never NaN. */
export function within(value: number, least: number, most: number): number | undefined {
  return value >= least && value <= most ? value : undefined;
}

/** Items between commas without repetitions; undefined when one is not accepted. Empty text is an empty list. */
export function parseList<Item>(
  text: string,
  parse: (item: string) => Item | undefined,
): readonly Item[] | undefined {
  if (text === '') return [];
  const items = text.split(',').map((item) => parse(item.trim()));
  return items.includes(undefined) ? undefined : [...new Set(items as Item[])];
}

/** `Host.Example:8080` → `host.example:8080`, in the spelling of URLs, for comparison with them. */
export function parseHostAndPort(text: string): string | undefined {
  const [, host = '', port = ''] = /^([^/?#@\\]+):(\d{1,5})$/.exec(text) ?? [];
  // The scheme only decides the port that a URL omits. The port comes from the text.
  const url = URL.parse(`http://${host}/`);
  if (url?.port !== '' || within(Number(port), 1, 65_535) === undefined) return undefined;
  return `${url.hostname}:${Number(port)}`;
}

/** The address without its final slash, so that a path can follow. */
export function parsePublicUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return undefined;
  if (url.username !== '' || url.password !== '' || /[?#]/.test(text)) return undefined;
  return url.href.replace(/\/+$/, '');
}

/** An HTTP address. Its path and query may hold keys. */
export function parseHttpUrl(text: string): string | undefined {
  const url = URL.parse(text);
  return url !== null && ['http:', 'https:'].includes(url.protocol) ? url.href : undefined;
}

/** An HTTP address for `fetch`, which refuses one with a user. */
export function parseFetchUrl(text: string): string | undefined {
  const { username, password } = URL.parse(text) ?? {};
  return username === '' && password === '' ? parseHttpUrl(text) : undefined;
}

/** The unchanged address. Without a host it is a local socket: `postgresql:///db?host=/run/postgresql`. */
export function parseDatabaseUrl(text: string): string | undefined {
  const protocol = URL.parse(text)?.protocol;
  return protocol === 'postgresql:' || protocol === 'postgres:' ? text : undefined;
}

/** `transformers:` and the name of a model, with an optional owner: `transformers:Xenova/all-MiniLM-L6-v2`. */
export function parseTransformers(text: string): `transformers:${string}` | undefined {
  return /^transformers:[\w.-]+(?:\/[\w.-]+)?$/.test(text) ? (text as `transformers:${string}`) : undefined;
}

/** Milliseconds since 1970. The zone is required, because the machine's own zone would apply without it. */
export function parseMoment(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z)?$/.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

/** Accepts an IP address, or a network in CIDR notation: `10.0.0.0/8`. */
export function isNetwork(text: string): boolean {
  return text.includes('/') ? ipaddr.isValidCIDR(text) : ipaddr.isValid(text);
}

function showBytes(count: number): string {
  for (const [unit, size] of [
    ['GiB', GIB],
    ['MiB', MIB],
    ['KiB', KIB],
  ] as const) {
    if (count % size === 0) return `${count / size}${unit}`;
  }
  return String(count);
}
