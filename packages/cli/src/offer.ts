// A tier as a service offers it in `GET /`, and what the service would refuse before it looks at a document, by the
// codes that it has for that.
import { checkChunkOptions, ChunkError, type ChunkOptions, type Warning } from '@grainline/core';
import { ExtractError, type Kind, READERS } from '@grainline/extract';
import { isRecord } from './asking.ts';
import { CliError } from './errors.ts';
import type { ServiceFields } from './fields.ts';
import { printable } from './terminal.ts';

/** What a service says of a tier, and of documents. */
export interface Limits {
  /** Price of one document in millionths of a USDC; undefined when the service does not say. */
  readonly price: bigint | undefined;
  /** The longest text that the tier takes. */
  readonly maxCharacters: number;
  /** Kinds of document that may be uploaded; undefined when the service does not say. */
  readonly kinds: readonly string[] | undefined;
  /** Options that not every tier takes, and this one does; undefined when the service does not say. */
  readonly options: readonly string[] | undefined;
  /** How long chunks may be asked to be, and how long they are when nobody asks, by unit. */
  readonly sizes: {
    readonly least: number;
    readonly most: number;
    readonly usual: Readonly<Record<'characters' | 'tokens', number>>;
  };
  /** Units and encodings that it knows; undefined when the service does not say. */
  readonly words: Readonly<Record<'units' | 'encodings', readonly string[] | undefined>>;
}

/** A tier as a service offers it. */
export interface Offer extends Limits {
  readonly price: bigint;
  /** Why it cannot be had at the moment; undefined when it can. */
  readonly silence: string | undefined;
}

/** What the service would say of a document. */
export function refusals({ kinds, maxCharacters }: Limits, kind: Kind, characters: number): Warning[] {
  const warnings: Warning[] = [];
  if (kinds !== undefined && !kinds.includes(kind))
    warnings.push({
      code: 'unsupported_type',
      message: `The service would refuse it: it takes uploads of ${listed(kinds)}, and this is ${kind}. Convert it, or have it cut on this machine.`,
    });
  if (characters > maxCharacters)
    warnings.push({
      code: 'too_many_characters',
      message: `The service would refuse it: the tier takes at most ${maxCharacters} characters, and this has ${characters}. Send it in parts, take another tier, or have it cut on this machine.`,
    });
  return warnings;
}

/** Fields that services offer by tier. */
const OF_TIERS: readonly string[] = ['chunk_target', 'chunk_min', 'context', 'embeddings'];
/** Fields that core's checks know, by its names. */
const OF_CORE = {
  size: 'chunk_size',
  overlap: 'chunk_overlap',
  target: 'chunk_target',
  min: 'chunk_min',
  context: 'context',
} as const;

/**
 * What the service would say of the options of an upload, which it reads only once it is paid: by what it says of
 * itself where services differ, and by core's checks, which are its own.
 */
export function optionRefusals(limits: Limits, fields: ServiceFields): Warning[] {
  const strange = Object.keys(fields).filter(
    (name) => OF_TIERS.includes(name) && limits.options?.includes(name) === false,
  );
  const faults = [
    ...rangeFaults(limits, fields),
    ...wordFaults(limits, fields),
    ...coreFaults(
      limits,
      Object.fromEntries(Object.entries(fields).filter(([name]) => !strange.includes(name))),
    ),
    ...strange.map((name) => `the tier has no option ${name}`),
  ];
  if (faults.length === 0) return [];
  return [{ code: 'invalid_fields', message: `The service would refuse it: ${faults.join('; ')}.` }];
}

function rangeFaults({ sizes: { least, most } }: Limits, { chunk_size: size }: ServiceFields): string[] {
  const isWithin = size === undefined || !(Number(size) < least || Number(size) > most);
  return isWithin ? [] : [`chunk_size must be from ${least} to ${most}, but is ${size}`];
}

/** Says nothing of a word that the service may know by another name: `o200k_base` is `o200k`. */
function wordFaults({ words: { units, encodings } }: Limits, fields: ServiceFields): string[] {
  const { unit = '', encoding = '' } = fields;
  const encodingName = String(encoding).replace(/_base$/, '');
  return [
    ...(unit === '' || units?.includes(String(unit)) !== false ? [] : ['the service does not know the unit']),
    ...(encoding === '' || encodings?.includes(encodingName) !== false
      ? []
      : ['the service does not know the encoding']),
  ];
}

/** Asks core for the tier that takes all of these options; other tiers have the same rules for those that they take. */
function coreFaults({ sizes }: Limits, fields: ServiceFields): string[] {
  const unit = fields['unit'] === 'tokens' ? 'tokens' : 'characters';
  const given = Object.entries(OF_CORE).flatMap(([option, name]) => {
    const value = fields[name];
    return value === undefined
      ? []
      : [[option, /^\d{1,15}$/.test(String(value)) ? Number(value) : value] as const];
  });
  const options = { size: sizes.usual[unit], ...Object.fromEntries(given), tier: 'professional' };
  try {
    checkChunkOptions(options as ChunkOptions);
    return [];
  } catch (error) {
    if (!(error instanceof ChunkError) || error.code !== 'invalid_options') throw error;
    return error.faults.map(
      ({ option, expected, received }) =>
        `${Object.hasOwn(OF_CORE, option) ? OF_CORE[option as keyof typeof OF_CORE] : option} must be ${expected}, but is ${received}`,
    );
  }
}

/**
 * What there is to say of a document whose kind cannot be told here, because it is of none, or of one that came after
 * this version: a service that takes kinds which are not known here, or does not say what it takes, may know it.
 *
 * @param error of `detectKind`; undefined is the answer to all others
 */
export function unknownKind(
  { kinds }: Limits,
  error: unknown,
): { readonly isRefused: boolean; readonly warning: Warning } | undefined {
  if (!(error instanceof ExtractError) || error.code !== 'unsupported_type') return undefined;
  const { code, found = 'it is of none' } = error;
  const known: readonly string[] = READERS.map(({ kind }) => kind);
  if (kinds?.every((kind) => known.includes(kind)) === true) {
    const message = `The service would refuse it: it takes uploads of ${listed(kinds)}, and this is none of them: ${found}. Convert it.`;
    return { isRefused: true, warning: { code, message } };
  }
  const takes = kinds === undefined ? '' : `, which takes ${listed(kinds)}`;
  const message = `What kind of document this is cannot be told here (${found}), so that is left to the service${takes}. One that it refuses is paid for all the same.`;
  return { isRefused: false, warning: { code: 'kind_unknown', message } };
}

/**
 * Nothing of what a service says is taken for granted.
 *
 * @throws CliError `tier_unknown`, `remote_strange`
 */
export function offerOf(info: Readonly<Record<string, unknown>>, name: string): Offer {
  const entry = entryOf(info, name);
  if (entry === undefined) {
    const names = entriesOf(info).flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
    throw new CliError('tier_unknown', { detail: `${name}; it has ${names.join(', ') || 'none'}` });
  }
  const { available, reason } = entry;
  const { price, ...limits } = limitsOf(info, name);
  if (price === undefined)
    throw new CliError('remote_strange', { detail: `it names no price of the tier ${name}` });
  return {
    price,
    ...limits,
    silence:
      available === true ? undefined : typeof reason === 'string' ? printable(reason) : 'no reason is given',
  };
}

/** What a service says of itself, as far as it makes sense; what it does not say, it says when it is asked. */
export function limitsOf(info: Readonly<Record<string, unknown>>, name: string): Limits {
  const { amount, max_characters: most, options } = entryOf(info, name) ?? {};
  const isPrice = typeof amount === 'number' && Number.isSafeInteger(amount) && amount >= 0;
  return {
    price: isPrice ? BigInt(amount) : undefined,
    maxCharacters: typeof most === 'number' ? most : Infinity,
    kinds: namesIn(info['upload_types']),
    options: namesIn(options),
    sizes: sizesIn(info),
    words: wordsIn(info),
  };
}

function namesIn(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every((name) => typeof name === 'string') ? value : undefined;
}

function sizesIn({ limits }: Entry): Limits['sizes'] {
  const { least, most, default: usual } = recordIn(limits, 'chunk_size');
  const { characters, tokens } = isRecord(usual) ? usual : {};
  // Of a service that does not say how long its chunks are, nothing is too long for them.
  const lengthOf = (value: unknown): number =>
    typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : Number.MAX_SAFE_INTEGER;
  return {
    least: typeof least === 'number' ? least : 0,
    most: typeof most === 'number' ? most : Infinity,
    usual: { characters: lengthOf(characters), tokens: lengthOf(tokens) },
  };
}

function wordsIn({ limits }: Entry): Limits['words'] {
  const { units, encodings } = isRecord(limits) ? limits : {};
  return { units: namesIn(units), encodings: namesIn(encodings) };
}

function recordIn(value: unknown, name: string): Entry {
  const member = isRecord(value) ? value[name] : undefined;
  return isRecord(member) ? member : {};
}

type Entry = Readonly<Record<string, unknown>>;

function entriesOf({ tiers }: Entry): Entry[] {
  return Array.isArray(tiers) ? tiers.filter(isRecord) : [];
}

function entryOf(info: Entry, name: string): Entry | undefined {
  return entriesOf(info).find(({ id, path }) => id === name || path === `/chunk/${name}`);
}

const MOST_LISTED = 20;

/** A service may say as much as it likes. */
function listed(kinds: readonly string[]): string {
  const [first, more] = [kinds.slice(0, MOST_LISTED), kinds.length - MOST_LISTED];
  return `${first.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
