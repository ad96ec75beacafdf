// Reads the fields of a request for chunks by their table, from JSON or from a form, and checks them against each
// other. One error names all issues.
import { checkChunkOptions, ChunkError } from '@grainline/core';
import { checkRecordOptions, type FormatId } from '@grainline/core/formats';
import {
  nameBehind,
  OPTIONS,
  optionsOf,
  type OptionValues,
  type SurfaceValues,
  unmetNeeds,
  wireNameOf,
} from '@grainline/core/options';
import { type Deployment, findTier, type TierEntry, tierNames } from '../catalog.ts';
import { HttpError, describeOptionIssues } from '../errors/http-error.ts';
import {
  CHUNK_SIZE,
  field,
  JOB_FIELDS,
  type RequestField,
  oneOf,
  isSecret,
  OPTION_FIELDS,
  SOURCE_FIELDS,
  typedText,
} from '../fields/field-table.ts';
import type { TaskOptions } from '../sandbox/index.ts';

/** Options of every request for chunks, after defaults. */
export interface RequestOptions
  extends TaskOptions, Pick<OptionValues, 'documentId' | 'collection' | 'textField'> {
  readonly format: FormatId;
}

/** Fields of an upload without its file. */
export interface UploadFields {
  readonly tier: TierEntry;
  readonly options: RequestOptions;
  /** Address to notify of the end of the job. */
  readonly webhookUrl?: string | undefined;
}

/** Fields of a JSON body: either `url` or `text`. */
export interface JsonFields extends UploadFields {
  readonly url: string | undefined;
  readonly text: string | undefined;
  readonly filename: string | undefined;
}

/** Options that some tiers lack, by core's names. */
export const TIER_OPTIONS: readonly string[] = optionsOf('wire')
  .filter(({ entry }) => entry.tiers !== undefined)
  .map(({ key }) => key);
/** Issues that one answer names. Some thousand unknown members would make a megabyte. */
const MAX_NAMED_ISSUES = 20;

type FieldTable = Readonly<Partial<Record<string, RequestField>>>;

/** The read values. The entry in the table has checked each. */
interface Values extends Omit<SurfaceValues<'wire'>, 'tier'> {
  readonly tier?: TierEntry;
  readonly url?: string;
  readonly text?: string;
  readonly filename?: string;
  readonly webhook_url?: string;
}

/**
 * Checks the members of a JSON body and fills in defaults.
 *
 * @throws HttpError `invalid_fields` naming every issue
 */
export function checkJsonFields(members: ReadonlyMap<string, unknown>, deployment: Deployment): JsonFields {
  const issues: string[] = [];
  const table = { ...tierField(deployment), ...SOURCE_FIELDS, ...OPTION_FIELDS, ...JOB_FIELDS };
  const values = readValues(members, table, issues);
  if (members.has('url') === members.has('text'))
    issues.push('either url or text must be given, and not both');
  if (members.has('filename') && !members.has('text')) issues.push('filename goes with text only');
  const tier = values.tier ?? defaultTier(deployment);
  const options = fieldsFrom(values, tier, deployment, issues);
  assertNoIssues(issues);
  const { url, text, filename, webhook_url: webhookUrl } = values;
  return { tier, options, webhookUrl, url, text, filename };
}

/**
 * Checks the text fields of a form and fills in defaults. Numbers are written in digits.
 *
 * @param pathTier the tier that the path names; without it the field `tier` names it
 * @param isComplete false while further fields may follow: the values are not checked against each other
 * @throws HttpError `invalid_fields` naming every issue
 */
export function checkUploadFields(
  given: ReadonlyMap<string, string>,
  deployment: Deployment,
  pathTier: TierEntry | undefined,
  isComplete = true,
): UploadFields {
  const issues: string[] = [];
  const fields = { ...OPTION_FIELDS, ...JOB_FIELDS };
  const table = pathTier === undefined ? { ...tierField(deployment), ...fields } : fields;
  const typed = new Map([...given].map(([name, value]) => [name, typedText(name, value)]));
  if (pathTier !== undefined && typed.delete('tier')) {
    const path = findTier(deployment, given.get('tier') ?? '')?.path ?? '/chunk/{tier}';
    issues.push(
      `tier is part of the path: leave it out and send the form to ${path}, or send tier before the document to /chunk`,
    );
  }
  const values = readValues(typed, table, issues);
  const tier = pathTier ?? values.tier ?? defaultTier(deployment);
  const options = fieldsFrom(values, tier, deployment, isComplete ? issues : []);
  assertNoIssues(issues);
  return { tier, options, webhookUrl: values.webhook_url };
}

/**
 * Reads the members of a small JSON body by a table.
 *
 * @param required names of the fields that must be given
 * @throws HttpError `invalid_fields` naming every issue
 */
export function checkMembers(
  members: ReadonlyMap<string, unknown>,
  table: FieldTable,
  required: readonly string[],
): Readonly<Record<string, unknown>> {
  const issues: string[] = [];
  const values = readValues(members, table, issues);
  for (const name of required) if (!members.has(name)) issues.push(`${name} must be given`);
  assertNoIssues(issues);
  return { ...values };
}

/** The options of an upload without any. */
export function defaultOptions(tier: TierEntry, deployment: Deployment): RequestOptions {
  return checkUploadFields(new Map(), deployment, tier).options;
}

/** The field `tier`, for requests whose path names no tier. */
export function tierField(deployment: Deployment): { readonly tier: RequestField } {
  const { defaultTier } = deployment;
  const accepted = {
    ...oneOf(tierNames(deployment)),
    read: (value: unknown) => (typeof value === 'string' ? findTier(deployment, value) : undefined),
  };
  return { tier: field(`Default \`${defaultTier}\`.`, accepted, { default: defaultTier }) };
}

/** Defaults that depend on another option. */
export const IMPLIED_OPTIONS = [
  {
    when: { unit: 'tokens' },
    options: { chunk_size: String(CHUNK_SIZE.default.tokens), encoding: OPTIONS.encoding.default },
  },
] as const;

function readValues(given: ReadonlyMap<string, unknown>, table: FieldTable, issues: string[]): Values {
  const values: Record<string, unknown> = {};
  const names = Object.keys(table);
  const known = names.length === 1 ? `${names[0]} is the only one` : `${names.join(', ')} are`;
  for (const [name, value] of given) {
    const field = Object.hasOwn(table, name) ? table[name] : undefined;
    if (field === undefined) {
      const own = nameBehind('wire', name);
      const isKnown = own !== undefined && Object.hasOwn(table, own);
      issues.push(
        `${show(name)} is not a field of this request (${isKnown ? `it is called ${own} here` : known})`,
      );
      continue;
    }
    values[name] = field.read(value);
    if (values[name] !== undefined) continue;
    const shown = field.isSecret === true ? 'something else' : show(value);
    issues.push(`${name} must be ${field.expected}, but is ${shown}`);
  }
  // The field of the same name has read every value.
  return values;
}

function fieldsFrom(
  values: Values,
  tier: TierEntry,
  deployment: Deployment,
  issues: string[],
): RequestOptions {
  const { unit = 'characters', ...given } = byKey(values);
  for (const { name, needed, value } of unmetNeeds('wire', { ...values }))
    issues.push(`${name} goes with ${needed} ${value} only`);
  const options: RequestOptions = {
    ...given,
    format: given.format ?? 'raw',
    size: given.size ?? CHUNK_SIZE.default[unit],
    overlap: given.overlap ?? 0,
    encoding: unit === 'tokens' ? (given.encoding ?? OPTIONS.encoding.default) : undefined,
  };
  issues.push(
    ...findCutIssues(options, tier, deployment),
    ...findRecordIssues(options),
    ...findSecretIssues(options, tier),
  );
  if (values.webhook_url !== undefined && tier.mode === 'sync')
    issues.push(`webhook_url goes with tiers that run as jobs, not ${tier.id}`);
  return options;
}

/** The options by core's names, without the tier. */
function byKey(values: Values): Omit<OptionValues, 'tier'> {
  const options = optionsOf('wire').filter(({ key }) => key !== 'tier');
  return Object.fromEntries(options.map(({ key, name }) => [key, values[name as keyof Values]]));
}

/**
 * Issues of the options: those that the tier lacks, and the findings of core's checks. The pipeline limits the chunks'
 * total length after the cut (sandbox/run-pipeline.ts).
 */
function findCutIssues(
  options: TaskOptions,
  { id, offer, options: taken }: TierEntry,
  deployment: Deployment,
): string[] {
  const { size, overlap } = options;
  if (overlap >= size) return [`chunk_overlap must be below chunk_size (${size}), but is ${overlap}`];
  // An unavailable tier is reported by the next check.
  if ('unavailable' in offer) return [];
  const ofTier = Object.entries(options).filter(
    ([name, value]) => value !== undefined && TIER_OPTIONS.includes(name),
  );
  const others = ofTier.filter(([name]) => !taken.includes(name));
  const own = Object.fromEntries(ofTier.filter(([name]) => taken.includes(name)));
  return [
    ...others.map(([name]) => `${wireNameOf(name)} ${goesWith(name, id, deployment)}`),
    // The check of numbers is the same for every unit.
    ...collectOptionIssues(() => {
      checkChunkOptions({ ...own, tier: offer.tier, size, overlap });
    }),
  ];
}

function goesWith(option: string, tierId: string, { tiers }: Deployment): string {
  const takers = tiers.filter(({ options }) => options.includes(option));
  return takers.length === 0
    ? 'is an option of no tier here'
    : `goes with the tier ${takers.map(({ id }) => id).join(', ')}, not ${tierId}`;
}

/** Issues that the format finds in names, before there are chunks: databases differ in allowed names. */
function findRecordIssues({ format, collection, textField }: RequestOptions): string[] {
  return collectOptionIssues(() => checkRecordOptions(format, { documentId: 'any', collection, textField }));
}

/** A job is stored with its options. */
function findSecretIssues(options: RequestOptions, { id, mode }: TierEntry): string[] {
  if (mode === 'sync') return [];
  const given = Object.entries(options).filter(([name, value]) => value !== undefined && isSecret(name));
  return given.map(
    ([name]) =>
      `${wireNameOf(name)} does not go with the tier ${id}, which would store it with its job; send the document without its protection, or use another tier`,
  );
}

/** The issues that a check of core's finds, by wire names. */
function collectOptionIssues(check: () => unknown): string[] {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof ChunkError) return describeOptionIssues(error.issues);
    throw error;
  }
}

function defaultTier(deployment: Deployment): TierEntry {
  const tier = findTier(deployment, deployment.defaultTier);
  if (tier === undefined) throw new Error(`The default tier ${deployment.defaultTier} does not exist.`);
  return tier;
}

function assertNoIssues(issues: readonly string[]): void {
  if (issues.length === 0) return;
  const named = issues.slice(0, MAX_NAMED_ISSUES);
  const more = issues.length - named.length;
  if (more > 0) named.push(`and ${more} more`);
  throw new HttpError('invalid_fields', { detail: named.join('; ') });
}

/** A value for a message: short, on one line. */
function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (Array.isArray(value)) return `an array of ${value.length}`;
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
