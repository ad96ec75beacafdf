// What a setting is, and how its text is read: each reading names its unit and what it expects, and gives undefined for
// what it does not take. The table of all settings is in settings.ts.
import ipaddr from 'ipaddr.js';

/** A way to read a setting. */
export interface Reading<Value> {
  /** Unit of a number, else what kind of text it is. */
  readonly unit: string;
  /** What is accepted, in words that follow "must be": `an integer from 1 to 65535`. */
  readonly expected: string;
  /** The value, or undefined when the text is not accepted. */
  readonly parse: (text: string) => Value | undefined;
}

/** One setting: how it is called, what it means, and how its text is read. */
export interface Setting<Value> extends Reading<Value> {
  /** Name in the environment. */
  readonly name: string;
  readonly group: 'server' | 'models' | 'limits' | 'payments';
  /** The default, as one would write it in the environment; empty when there is none. */
  readonly default: string;
  /** What stands in the docs as the default, when the value depends on the machine. */
  readonly defaultText?: string;
  readonly meaning: string;
  /** True for what messages must not repeat: keys of others' services. */
  readonly isSecret?: true;
}

/** Bytes in a KiB. */
export const KIB = 1024;
/** Bytes in a MiB. */
export const MIB = 1024 * KIB;
/** Bytes in a GiB. */
export const GIB = 1024 * MIB;
const BYTE_UNITS: Readonly<Record<string, number>> = { KiB: KIB, MiB: MIB, GiB: GIB };

/** An integer from `least` to `most`, in a unit that only readers look at. */
export function integer(unit: string, least: number, most: number): Reading<number> {
  return {
    unit,
    expected: `an integer from ${least} to ${most}`,
    parse: (text) => within(wholeNumber(text), least, most),
  };
}

/** A number of bytes from `least` to `most`, as digits or with a unit: `50MiB`. */
export function bytes(least: number, most: number): Reading<number> {
  const expected = `a number of bytes from ${showBytes(least)} to ${showBytes(most)}, such as 1048576 or 1MiB`;
  const parse = (text: string): number | undefined => {
    const [, digits = '', unit = ''] = /^(\d+) ?([KMG]iB)?$/.exec(text) ?? [];
    return within(wholeNumber(digits) * (BYTE_UNITS[unit] ?? 1), least, most);
  };
  return { unit: 'bytes', expected, parse };
}

/** Reads one of the given words. */
export function oneOf<Choice extends string>(choices: readonly Choice[]): Reading<Choice> {
  return {
    unit: 'word',
    expected: `one of ${choices.join(', ')}`,
    parse: (text) => choices.find((choice) => choice === text),
  };
}

/** A text as it was written, when all of it matches the pattern. */
export function matching(pattern: RegExp, unit: string, expected: string): Reading<string> {
  return { unit, expected, parse: (text) => (pattern.test(text) ? text : undefined) };
}

/** NaN unless the text is nothing but digits. */
export function wholeNumber(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}

/** The number, when it is from `least` to `most`; never NaN. */
export function within(value: number, least: number, most: number): number | undefined {
  return value >= least && value <= most ? value : undefined;
}

/** Items between commas, each once; undefined when one of them is not accepted. An empty text is an empty list. */
export function parseList<Item>(
  text: string,
  parse: (item: string) => Item | undefined,
): readonly Item[] | undefined {
  if (text === '') return [];
  const items = text.split(',').map((item) => parse(item.trim()));
  return items.includes(undefined) ? undefined : [...new Set(items as Item[])];
}

/** `Host.Example:8080` → `host.example:8080`, spelt as URLs spell it, so that the two can be compared. */
export function parseHostAndPort(text: string): string | undefined {
  const [, host = '', port = ''] = /^([^/?#@\\]+):(\d{1,5})$/.exec(text) ?? [];
  // The scheme decides only which port a URL leaves out; the port is put back from the text.
  const url = URL.parse(`http://${host}/`);
  if (url?.port !== '' || within(Number(port), 1, 65_535) === undefined) return undefined;
  return `${url.hostname}:${Number(port)}`;
}

/** The address without the slash at its end, so that paths can be put behind it. */
export function parsePublicUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return undefined;
  if (url.username !== '' || url.password !== '' || /[?#]/.test(text)) return undefined;
  return url.href.replace(/\/+$/, '');
}

/** The address as it was written, when it is one; keys stand in paths and queries. */
export function parseHttpUrl(text: string): string | undefined {
  const url = URL.parse(text);
  return url !== null && ['http:', 'https:'].includes(url.protocol) ? url.href : undefined;
}

/**
 * The address as it was written. Without a host it is a socket on this machine:
 * `postgresql:///db?host=/run/postgresql`.
 */
export function parseDatabaseUrl(text: string): string | undefined {
  const protocol = URL.parse(text)?.protocol;
  return protocol === 'postgresql:' || protocol === 'postgres:' ? text : undefined;
}

/** `transformers:` and the name of a model, with its owner perhaps: `transformers:Xenova/all-MiniLM-L6-v2`. */
export function parseTransformers(text: string): `transformers:${string}` | undefined {
  return /^transformers:[\w.-]+(?:\/[\w.-]+)?$/.test(text) ? (text as `transformers:${string}`) : undefined;
}

/** Milliseconds since 1970. The zone is wanted: without it the machine's own would decide. */
export function parseMoment(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z)?$/.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

/** True for an IP address, or a network of them as CIDR has it: `10.0.0.0/8`. */
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
