// The input members of the tools, each with its meaning, unit, range and default.
import type { ChunkRequestOptions } from '@grainline/client';
import { type TierId, TIERS } from '@grainline/core';
import {
  describeOption,
  nameBehind,
  OPTIONS,
  optionsOf,
  type OptionTable,
  type SurfaceOption,
  type SurfaceValues,
  rangeOf,
  takesText,
  unmetNeeds,
} from '@grainline/core/options';
import * as z from 'zod';
import { PAGE, type PageRequest } from '../answer.ts';
import type { ChunkerOptions, Chunker } from '../ports.ts';

/** The longest text of a call: the service's limit for its larger tiers. */
export const MAX_TEXT_LENGTH = 4_000_000;
const MAX_PATH_LENGTH = 4096;

/** The options with the defaults of tools. */
const TABLE: OptionTable = {
  ...OPTIONS,
  documentId: { ...OPTIONS.documentId, default: 'its link, its path, or the SHA-256 of a text' },
};

type Values = SurfaceValues<'mcp'>;
type Shape = { readonly [Name in keyof Values]-?: z.ZodOptional<z.ZodType<NonNullable<Values[Name]>>> };

/** The input of a tool. The error of an unknown member names the option that other interfaces call so. */
export function inputOf<Members extends z.ZodRawShape>(
  members: Members,
): z.ZodObject<Members, z.core.$strict> {
  return z.strictObject(members, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return undefined;
      return issue.keys.map((key) => unknownMember(key, members)).join('; ');
    },
  });
}

function unknownMember(key: string, members: z.ZodRawShape): string {
  const meant = nameBehind('mcp', key);
  const isHere = meant !== undefined && Object.hasOwn(members, meant);
  return `${JSON.stringify(key)} is no argument of this tool${isHere ? ` (it is called ${meant} here)` : ''}`;
}

/** An integer with the library's error messages. */
function count(least: number, most = Infinity): z.ZodInt {
  const range = most === Infinity ? `from ${least}` : `from ${least} to ${most}`;
  const error = ({ input }: { input?: unknown }): string =>
    `must be an integer ${range}, but is ${JSON.stringify(input)}`;
  const integer = z.int({ error }).min(least, { error });
  return most === Infinity ? integer : integer.max(most, { error });
}

/** The members of the options that pass a test. The type names those that tools read. */
export function optionFields<Name extends keyof Values>(
  test: (option: SurfaceOption) => boolean,
  table: OptionTable = TABLE,
): Pick<Shape, Name> {
  const options = optionsOf('mcp', table).filter(test);
  const members = options.map((option) => [
    option.name,
    schemaOf(option, table)
      .optional()
      .describe(describeOption('mcp', option.key, table)),
  ]);
  // The table names the members, and each entry gives the type of its member.
  return Object.fromEntries(members) as Pick<Shape, Name>;
}

function schemaOf({ key, entry }: SurfaceOption, table: OptionTable): z.ZodType {
  const { type, choices = [], pattern, ascends, maxLength = Number.MAX_SAFE_INTEGER } = entry;
  if (type === 'choice') return z.enum(choices);
  if (type === 'flag') return z.boolean();
  if (type === 'text') {
    const text = z.string().min(1).max(maxLength);
    if (pattern === undefined) return text;
    const error = `must be ${pattern[1]}`;
    const like = text.regex(new RegExp(pattern[0]), { error });
    return ascends === true ? like.refine((value) => takesText(entry, value), { error }) : like;
  }
  const { min, max } = rangeOf(key, table);
  return type === 'number' ? z.number().min(min).max(max) : count(min, max);
}

/** Options of local chunking. */
export function chunkFields({ tiers }: Chunker) {
  const summaries = tiers.map((id) => `${id}: ${TIERS[id].summary}`).join(' ');
  return {
    tier: z.enum(tiers).default(tiers[0]).describe(`how to cut; default ${tiers[0]}. ${summaries}`),
    ...optionFields<'document_id'>((option) => option.key !== 'tier' && !isOfFiles(option)),
  };
}

/** Options of the reading of a file. */
export const FILE_FIELDS = optionFields<'charset' | Extract<keyof ReadingValues, keyof SurfaceValues<'mcp'>>>(
  isOfFiles,
);

type ReadingValues = SurfaceValues<'extract'>;

/** True for options of the reading of a file: a text is there already. */
function isOfFiles({ key, entry }: SurfaceOption): boolean {
  return key === 'charset' || entry.names.extract !== undefined;
}

/** Options of a service. The service checks the values, and describe_tiers lists its tiers. */
export function serviceFields(ofTier: string) {
  return {
    tier: z
      .string()
      .regex(/^[a-z][a-z0-9-]*$/, { error: 'must be the name of a tier, as describe_tiers lists them' })
      .describe(ofTier),
    ...optionFields<'document_id'>(isSent),
  };
}

/** True for options of the service's interface. */
const isSent = ({ key, entry }: SurfaceOption): boolean => key !== 'tier' && entry.names.wire !== undefined;

/** Names of the options that only some tiers take, this one among them. */
export function optionsOfTier(id: TierId): string[] {
  return optionsOf('mcp').flatMap(({ name, entry }) => (entry.tiers?.includes(id) === true ? [name] : []));
}

/** A check of the combination of options: dependencies and tiers. Core checks the other rules. */
export function checkTiersOfOptions({ tiers }: Chunker) {
  return ({ value, issues }: z.core.ParsePayload<CheckedOptions>): void => {
    const given: Readonly<Record<string, unknown>> = { ...value };
    const addIssue = (name: string, message: string): void => {
      issues.push({ code: 'custom', path: [name], message, input: given[name] });
    };
    for (const unmet of unmetNeeds('mcp', given))
      addIssue(unmet.name, `goes with ${unmet.needed} "${unmet.value}"`);
    for (const { name, entry } of optionsOf('mcp')) {
      if (given[name] === undefined || entry.tiers?.includes(value.tier) !== false) continue;
      const takers = tiers.filter((id) => entry.tiers?.includes(id));
      addIssue(name, `goes with tier ${takers.join(', ')}, not ${value.tier}`);
    }
  };
}

/** The wanted chunks. */
export const PAGE_FIELDS = {
  from: count(0).default(0).describe('index of the first chunk to answer, from 0; default 0'),
  limit: count(0, PAGE.limit.most)
    .default(PAGE.limit.default)
    .describe(
      `most chunks to answer, 0 to ${PAGE.limit.most}; 0 for the summary alone; default ${PAGE.limit.default}`,
    ),
  max_characters: count(PAGE.maxCharacters.least, PAGE.maxCharacters.most)
    .default(PAGE.maxCharacters.default)
    .describe(
      `most characters of chunks, as JSON, to answer, ${PAGE.maxCharacters.least} to ${PAGE.maxCharacters.most}; default ${PAGE.maxCharacters.default}`,
    ),
};

export const PATH_FIELD = z
  .string()
  .min(1)
  .max(MAX_PATH_LENGTH)
  .describe(
    'path of the file, absolute or from a folder that is open to this server; a file: link is as good',
  );

export const TEXT_FIELD = z
  .string()
  .min(1, { error: 'must hold some text' })
  .max(MAX_TEXT_LENGTH, {
    error: `must have at most ${MAX_TEXT_LENGTH} characters; save it as a file and pass its path`,
  });

/** The page of a call. */
export function readPage(given: { from: number; limit: number; max_characters: number }): PageRequest {
  return { from: given.from, limit: given.limit, maxCharacters: given.max_characters };
}

type CheckedOptions = z.output<z.ZodObject<ReturnType<typeof chunkFields>>>;

/** The options of a call for local chunking, in one order, so that equal calls have equal recipes. */
export function readOptions(given: CheckedOptions): ChunkerOptions {
  return { ...pickGiven(given, ({ key }) => key !== 'documentId'), tier: given.tier };
}

/** The options of a call for the service. */
export function readServiceOptions(given: object): ChunkRequestOptions {
  return pickGiven(given, (option) => isSent(option) && option.key !== 'documentId');
}

function pickGiven(
  given: object,
  test: (option: SurfaceOption) => boolean,
): Readonly<Record<string, string | number>> {
  const values: Readonly<Record<string, unknown>> = { ...given };
  const options = optionsOf('mcp').filter((option) => test(option) && values[option.name] !== undefined);
  // The schemas above have checked the values.
  return Object.fromEntries(options.map(({ name }) => [name, values[name] as string | number]));
}
