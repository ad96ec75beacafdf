// Reads the fields of a request for chunks by their table, whether they came as JSON or in a form, and checks what
// they must be to each other. All faults are reported at once.
import { checkChunkOptions, ChunkError, type ChunkOptions } from '@grainline/core';
import { checkRecordOptions, type FormatId } from '@grainline/core/formats';
import type { EncodingName } from '@grainline/models/tokens';
import { type Deployment, findTier, type TierEntry } from '../catalog.ts';
import { Fault, optionFaults, WIRE_NAMES } from '../errors.ts';
import {
  CHUNK_SIZE,
  DEFAULT_ENCODING,
  type Field,
  OPTION_FIELDS,
  SOURCE_FIELDS,
  tierField,
  typedText,
  type UNITS,
} from './field-table.ts';
import type { CutOptions } from '../workplace/index.ts';

/** Options of every request for chunks, after defaults. */
export interface ChunkFields extends CutOptions {
  readonly format: FormatId;
  readonly documentId?: string;
  readonly collection?: string;
  readonly textField?: string;
}

/** Fields of an upload, the file apart. */
export interface UploadFields {
  readonly tier: TierEntry;
  readonly fields: ChunkFields;
}

/** Fields of a JSON body: either `url` or `text`. */
export interface JsonFields extends UploadFields {
  readonly url?: string;
  readonly text?: string;
  readonly filename?: string;
}

/** Options of a tier that requests can give, as core calls them. */
export const TIER_OPTIONS: readonly string[] = ['target', 'min', 'context', 'embeddings'];
/** Faults that one answer names: of some thousand unknown members it would be a megabyte. */
const MAX_NAMED_FAULTS = 20;

type FieldTable = Readonly<Partial<Record<string, Field>>>;

/** The values that were read; each was checked by its entry in the table. */
type Values = Partial<{
  tier: TierEntry;
  url: string;
  text: string;
  filename: string;
  output_format: FormatId;
  chunk_size: number;
  chunk_overlap: number;
  unit: (typeof UNITS)[number];
  encoding: EncodingName;
  chunk_target: number;
  chunk_min: number;
  context: string;
  embeddings: boolean;
  document_id: string;
  collection: string;
  text_field: string;
}>;

/**
 * Checks the members of a JSON body and fills in defaults.
 *
 * @throws Fault `invalid_fields` naming every fault
 */
export function checkJsonFields(members: ReadonlyMap<string, unknown>, deployment: Deployment): JsonFields {
  const faults: string[] = [];
  const table = { ...tierField(deployment), ...SOURCE_FIELDS, ...OPTION_FIELDS };
  const values = readValues(members, table, faults);
  if (members.has('url') === members.has('text'))
    faults.push('either url or text must be given, and not both');
  if (members.has('filename') && !members.has('text')) faults.push('filename goes with text only');
  const tier = values.tier ?? defaultTier(deployment);
  const fields = fieldsFrom(values, tier, deployment, faults);
  refuse(faults);
  const { url, text, filename } = values;
  return { tier, fields, ...present({ url, text, filename }) };
}

/**
 * Checks the text fields of a form and fills in defaults. Numbers are written in digits.
 *
 * @param pathTier the tier that the path names; without it the field `tier` names it
 * @throws Fault `invalid_fields` naming every fault
 */
export function checkUploadFields(
  given: ReadonlyMap<string, string>,
  deployment: Deployment,
  pathTier: TierEntry | undefined,
): UploadFields {
  if (given.size === 0 && pathTier !== undefined)
    return { tier: pathTier, fields: defaultFields(pathTier, deployment) };
  return readUploadFields(given, deployment, pathTier);
}

function readUploadFields(
  given: ReadonlyMap<string, string>,
  deployment: Deployment,
  pathTier: TierEntry | undefined,
): UploadFields {
  const faults: string[] = [];
  const table = pathTier === undefined ? { ...tierField(deployment), ...OPTION_FIELDS } : OPTION_FIELDS;
  const typed = new Map([...given].map(([name, value]) => [name, typedText(name, value)]));
  const values = readValues(typed, table, faults);
  const tier = pathTier ?? values.tier ?? defaultTier(deployment);
  const fields = fieldsFrom(values, tier, deployment, faults);
  refuse(faults);
  return { tier, fields };
}

/** The options of an upload that gives none, as most do. */
export function defaultFields(tier: TierEntry, deployment: Deployment): ChunkFields {
  const known = DEFAULTS.get(tier) ?? readUploadFields(new Map(), deployment, tier).fields;
  DEFAULTS.set(tier, known);
  return known;
}

/** Default fields, by the entry of their tier. */
const DEFAULTS = new WeakMap<TierEntry, ChunkFields>();

/** Defaults of options that depend on another one. */
export const IMPLIED_OPTIONS = [
  {
    when: { unit: 'tokens' },
    options: { chunk_size: String(CHUNK_SIZE.default.tokens), encoding: DEFAULT_ENCODING },
  },
] as const;

function readValues(given: ReadonlyMap<string, unknown>, table: FieldTable, faults: string[]): Values {
  const values: Record<string, unknown> = {};
  const known = Object.keys(table).join(', ');
  for (const [name, value] of given) {
    const field = Object.hasOwn(table, name) ? table[name] : undefined;
    if (field === undefined) {
      faults.push(`${show(name)} is not a field of this request (${known} are)`);
      continue;
    }
    values[name] = field.read(value);
    if (values[name] === undefined) faults.push(`${name} must be ${field.expected}, but is ${show(value)}`);
  }
  // Every value went through the field of its own name.
  return values;
}

function fieldsFrom(values: Values, tier: TierEntry, deployment: Deployment, faults: string[]): ChunkFields {
  const {
    output_format: format = 'raw',
    document_id: documentId,
    collection,
    text_field: textField,
  } = values;
  const names = present({ collection, textField });
  const cutting = cutOptionsFrom(values, faults);
  faults.push(...cutFaults(cutting, tier, deployment), ...recordFaults(format, names));
  return { format, ...cutting, ...names, ...present({ documentId }) };
}

function cutOptionsFrom(values: Values, faults: string[]): CutOptions {
  const { unit = 'characters', chunk_target: target, chunk_min: min, context, embeddings } = values;
  if (values.encoding !== undefined && unit !== 'tokens') faults.push('encoding goes with unit tokens only');
  const encoding = unit === 'tokens' ? (values.encoding ?? DEFAULT_ENCODING) : undefined;
  const size = values.chunk_size ?? CHUNK_SIZE.default[unit];
  return {
    size,
    overlap: values.chunk_overlap ?? 0,
    ...present({ encoding, target, min, context, embeddings }),
  };
}

/**
 * What is wrong with how to cut: options that the tier does not take, by our own words, and what core's checks say
 * of the others. How much the chunks may hold together is seen once they are cut: line.ts.
 */
function cutFaults(
  options: CutOptions,
  { id, offer, options: taken }: TierEntry,
  deployment: Deployment,
): string[] {
  const { size, overlap } = options;
  if (overlap >= size) return [`chunk_overlap must be below chunk_size (${size}), but is ${overlap}`];
  // Whoever asks for a tier that cannot be used is told so next.
  if ('unavailable' in offer) return [];
  const ofTier = Object.entries(options).filter(([name]) => TIER_OPTIONS.includes(name));
  const isTaken = ([name]: [string, unknown]): boolean => taken.includes(name);
  const others = ofTier.filter((option) => !isTaken(option));
  const faults = others.map(([name]) => `${WIRE_NAMES[name] ?? name} ${goesWith(name, id, deployment)}`);
  // Numbers are checked in the unit that they are in; which unit that is makes no difference.
  const given = {
    tier: offer.tier,
    size,
    overlap,
    ...Object.fromEntries(ofTier.filter(isTaken)),
  } as ChunkOptions;
  return [
    ...faults,
    ...optionFaultsOf(() => {
      checkChunkOptions(given);
    }),
  ];
}

function goesWith(option: string, asked: string, { tiers }: Deployment): string {
  const takers = tiers.filter(({ options }) => options.includes(option));
  return takers.length === 0
    ? 'is an option of no tier here'
    : `goes with the tier ${takers.map(({ id }) => id).join(', ')}, not ${asked}`;
}

/**
 * What the format says of the names, before there are chunks: they are right for one database and wrong for another.
 */
function recordFaults(
  format: FormatId,
  names: { readonly collection?: string; readonly textField?: string },
): string[] {
  return optionFaultsOf(() => checkRecordOptions(format, { documentId: 'any', ...names }));
}

/** The faults that a check of core's finds, under the names of the wire. */
function optionFaultsOf(check: () => unknown): string[] {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof ChunkError) return optionFaults(error.faults);
    throw error;
  }
}

function defaultTier(deployment: Deployment): TierEntry {
  const tier = findTier(deployment, deployment.defaultTier);
  if (tier === undefined) throw new Error(`The default tier ${deployment.defaultTier} does not exist.`);
  return tier;
}

function refuse(faults: readonly string[]): void {
  if (faults.length === 0) return;
  const named = faults.slice(0, MAX_NAMED_FAULTS);
  const more = faults.length - named.length;
  if (more > 0) named.push(`and ${more} more`);
  throw new Fault('invalid_fields', { detail: named.join('; ') });
}

/** A value as it stands in a message: short, on one line. */
function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (Array.isArray(value)) return `an array of ${value.length}`;
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

type Present<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** The fields without those that are undefined. */
function present<Fields extends object>(fields: Fields): Present<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Present<Fields>;
}
