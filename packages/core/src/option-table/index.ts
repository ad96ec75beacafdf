/**
 * All options of chunking, and the texts that describe them. The parsers, error texts, help texts and documentation of
 * every surface are derived from the table.
 */
import { optionBehind, plainName } from '../foreign-names.ts';
import type { OptionEntry, OptionSurface, OptionTable } from './entry.ts';
import { OPTIONS } from './table.ts';
import type { OptionName } from './values.ts';

export { OPTIONS } from './table.ts';
export type { OptionControl, OptionEntry, OptionSurface, OptionTable, Unit } from './entry.ts';
export type { OptionName, OptionValues, SurfaceValues } from './values.ts';

/** An option with its key in the library and its name on one surface. */
export interface SurfaceOption {
  readonly key: string;
  readonly name: string;
  readonly entry: OptionEntry;
}

/** Lists the options of a surface in the order of the table. */
export function optionsOf(surface: OptionSurface, table: OptionTable = OPTIONS): SurfaceOption[] {
  return Object.entries(table).flatMap(([key, entry]) => {
    const name = entry.names[surface];
    return name === undefined ? [] : [{ key, name, entry }];
  });
}

/** Returns the name of an option on a surface. Other words stay as they are. */
export function nameOn(surface: OptionSurface, key: string, table: OptionTable = OPTIONS): string {
  return (Object.hasOwn(table, key) ? table[key]?.names[surface] : undefined) ?? key;
}

/** Returns the name of an option on the wire: `size` is `chunk_size`. Other words stay as they are. */
export function wireNameOf(key: string): string {
  return nameOn('wire', key);
}

/**
 * Returns the name on a surface of the option that another library, or another surface, calls by a word: `chunkSize` is
 * `size` in the library and `chunk_size` on the wire. Undefined for words that are no name of an option.
 */
export function nameBehind(surface: OptionSurface, word: string): string | undefined {
  const isNamed = ({ entry: { names } }: { readonly entry: OptionEntry }): boolean =>
    Object.values(names).some((name) => plainName(name) === plainName(word));
  const options = optionsOf(surface);
  return (options.find(({ key }) => key === optionBehind(word)) ?? options.find(isNamed))?.name;
}

/** Returns the members of an object that are options of a surface, by their keys in the library. */
export function pickOptions<Values extends object>(
  surface: OptionSurface,
  values: Values,
): Partial<Pick<Values, keyof Values & OptionName>> {
  const keys = new Set(optionsOf(surface).map(({ key }) => key));
  // The keys of the table bound the result's type.
  return Object.fromEntries(Object.entries(values).filter(([key]) => keys.has(key))) as Partial<Values>;
}

/** Returns values by the names of a surface without those of secret options. */
export function withoutSecrets<Values extends object>(
  surface: OptionSurface,
  values: Values,
): Partial<Values> {
  const secrets = new Set(
    optionsOf(surface).flatMap(({ name, entry }) => (entry.secret === true ? [name] : [])),
  );
  return Object.fromEntries(Object.entries(values).filter(([name]) => !secrets.has(name))) as Partial<Values>;
}

/** Lists the options of a surface that are given without the value of another option that they need. */
export function unmetNeeds(
  surface: OptionSurface,
  given: Readonly<Record<string, unknown>>,
): { readonly name: string; readonly needed: string; readonly value: string }[] {
  return optionsOf(surface).flatMap(({ name, entry: { needs: [key, value] = ['', ''] } }) => {
    const needed = nameOn(surface, key);
    return given[name] === undefined || key === '' || given[needed] === value
      ? []
      : [{ name, needed, value }];
  });
}

/** True for a text that an option takes. Its pattern alone cannot tell whether ranges ascend. */
export function takesText({ maxLength = Infinity, pattern, ascends }: OptionEntry, text: string): boolean {
  if (text.length > maxLength) return false;
  if (pattern !== undefined && !new RegExp(pattern[0]).test(text)) return false;
  return ascends !== true || Array.from(text.matchAll(/(\d+)-(\d+)/g), ascendsIn).every(Boolean);
}

function ascendsIn([, first, last]: RegExpExecArray): boolean {
  return Number(first) <= Number(last);
}

/** Returns the least and the greatest value of a number, which may follow from the bounds of another option. */
export function rangeOf(
  key: string,
  table: OptionTable = OPTIONS,
): { readonly min: number; readonly max: number } {
  const { min = 0, max: own = Infinity, below } = entryOf(key, table);
  const bound = below ?? own;
  const max = typeof bound === 'number' ? bound : rangeOf(bound, table).max;
  return { min, max: below === undefined ? max : max - 1 };
}

/**
 * Describes an option on one surface: one line without a full stop. Documentation has bounds, notes and code marks; the
 * help of the command line has short lines without them.
 */
export function describeOption(surface: OptionSurface, key: string, table: OptionTable = OPTIONS): string {
  const usual = surface === 'cli' && isOfFew(entryOf(key, table)) ? '' : defaultOf(surface, key, table);
  return `${meaningOf(surface, key, table)}${usual === '' ? '' : `; default ${usual}`}`;
}

/** Returns the part of {@link describeOption} before the default. */
export function meaningOf(surface: OptionSurface, key: string, table: OptionTable = OPTIONS): string {
  const entry = entryOf(key, table);
  const { meaning, note, choices = [], about = {}, type, inUnit, needs, aliases = {} } = entry;
  const quote = quoteAt(surface);
  const named = `${tiersText(surface, entry)}${meaning}`;
  if (surface === 'cli' && choices.length > 4) return `${named} (see --list)`;
  const isLong = surface !== 'cli';
  const words = choices.map(
    (word) => quote(word) + (isLong && word in about ? ` (${about[word] ?? ''})` : ''),
  );
  const text = words.length === 0 ? named : `${named}: ${words.join(', ')}`;
  if (!isLong) return text;
  const details = [
    text,
    type === 'integer' || type === 'number' ? boundsText(surface, entry, table) : '',
    inUnit === true && surface !== 'library' ? `in ${quote('unit')}` : '',
    needs === undefined ? '' : `with ${needs.map(quote).join(' ')} only`,
    ...(surface === 'wire'
      ? Object.entries(aliases).map(([word, means]) => `${quote(word)} is ${quote(means)}`)
      : []),
  ];
  return details.filter((detail) => detail !== '').join(', ') + (note === undefined ? '' : `; ${note}`);
}

/** Returns the default of an option as text; '' when it has none. */
export function defaultOf(surface: OptionSurface, key: string, table: OptionTable = OPTIONS): string {
  const { default: usual = '', choices = [] } = entryOf(key, table);
  const quote = quoteAt(surface);
  if (typeof usual === 'object') return `${usual.characters} characters or ${usual.tokens} tokens`;
  if (typeof usual === 'number') return String(usual);
  if (usual === false || choices.includes(usual)) return quote(String(usual));
  return usual.replaceAll(/\b(?:size|target)\b/g, (word) => quote(nameOn(surface, word, table)));
}

/** Names and values are code in Markdown. */
function quoteAt(surface: OptionSurface): (word: string) => string {
  return surface === 'wire' || surface === 'library' ? (word) => `\`${word}\`` : (word) => word;
}

/** `1 to size`, `0 to below size`, `10 to 100000`, `from 1` */
function boundsText(
  surface: OptionSurface,
  { min = 0, max, below }: OptionEntry,
  table: OptionTable,
): string {
  const bound = below ?? max;
  if (bound === undefined) return `from ${min}`;
  const limit = typeof bound === 'number' ? String(bound) : quoteAt(surface)(nameOn(surface, bound, table));
  return `${min} to ${below === undefined ? '' : 'below '}${limit}`;
}

/** `of semantic, ai, ai-pro: `, `of every tier but free: `, or '' */
function tiersText(surface: OptionSurface, entry: OptionEntry): string {
  const { tiers } = entry;
  if (tiers === undefined || (surface === 'cli' && !isOfFew(entry))) return '';
  const others = OPTIONS.tier.choices.filter((id) => !tiers.includes(id));
  const isMost = others.length === 1;
  return `of ${isMost ? 'every tier but ' : ''}${(isMost ? others : tiers).map(quoteAt(surface)).join(', ')}: `;
}

/** True when a line of help text has room for the tiers. */
function isOfFew({ tiers }: OptionEntry): boolean {
  return tiers !== undefined && tiers.length <= 3;
}

function entryOf(key: string, table: OptionTable): OptionEntry {
  const entry = Object.hasOwn(table, key) ? table[key] : undefined;
  if (entry === undefined) throw new RangeError(`There is no option ${key}.`);
  return entry;
}
