// The members that tools take, each with its meaning, unit, range and default: how to cut, and which chunks to answer.
import { DEFAULT_SIZE, type TextKind, type TierDescription, type TierId, TIERS } from '@grainline/core';
import * as z from 'zod';
import { PAGE, type PageRequest } from '../answer.ts';
import type { CutOptions, Line } from '../ports.ts';

/** The longest text that is taken in a call: as many characters as a service takes of its larger tiers. */
export const MAX_TEXT_LENGTH = 4_000_000;
const MAX_PATH_LENGTH = 4096;
const MAX_ID_LENGTH = 512;

const KINDS = ['markdown', 'text', 'code', 'csv'] as const satisfies readonly TextKind[];

/** An integer, refused in the words of the library. */
function count(least: number, most = Infinity): z.ZodInt {
  const range = most === Infinity ? `from ${least}` : `from ${least} to ${most}`;
  const error = ({ input }: { input?: unknown }): string =>
    `must be an integer ${range}, but is ${JSON.stringify(input)}`;
  const integer = z.int({ error }).min(least, { error });
  return most === Infinity ? integer : integer.max(most, { error });
}

/** Limits of the chunks. */
function limitFields(encodings: Line['encodings']) {
  return {
    size: count(1)
      .optional()
      .describe(
        `longest chunk, in unit; default ${DEFAULT_SIZE.characters} characters, or ${DEFAULT_SIZE.tokens} tokens`,
      ),
    overlap: count(0)
      .optional()
      .describe('most that a chunk repeats of the one before, in unit, below size; default 0'),
    unit: z
      .enum(['characters', 'tokens'])
      .optional()
      .describe('what size, overlap, target and min count; default characters (UTF-16 units)'),
    encoding: z
      .enum(encodings)
      .optional()
      .describe(`whose tokens, with unit "tokens"; default ${encodings[0]}`),
    target: count(1)
      .optional()
      .describe('length that chunks are drawn to, at most size; not of free; default 0.55 × size'),
    min: count(0)
      .optional()
      .describe('shorter chunks are avoided, at most target; not of free; default about 25 tokens'),
    context: z
      .enum(['corpus', 'in-document'])
      .optional()
      .describe(
        'of professional alone: corpus (default) for search across many documents; in-document leaves out title and headings',
      ),
  };
}

/** How to cut here. */
export function cutFields({ tiers, encodings }: Line) {
  const summaries = tiers.map((id) => `${id}: ${TIERS[id].summary}`).join(' ');
  return {
    tier: z.enum(tiers).default(tiers[0]).describe(`how to cut; default ${tiers[0]}. ${summaries}`),
    ...limitFields(encodings),
    kind: z
      .enum(KINDS)
      .optional()
      .describe('how to read text: its blocks; default by its name and a look at it'),
    language: z
      .string()
      .min(1)
      .max(40)
      .optional()
      .describe('language of source code, as ts or python; text that has one is read as code'),
    document_id: z
      .string()
      .min(1)
      .max(MAX_ID_LENGTH)
      .optional()
      .describe("the document's name in the ids of its chunks; default its path, or the SHA-256 of a text"),
  };
}

/** How a service is to cut. It checks the values itself; which tiers it has, describe_tiers tells. */
export function serviceFields({ encodings }: Line, ofTier: string) {
  return {
    tier: z
      .string()
      .regex(/^[a-z][a-z0-9-]*$/, { error: 'must be the name of a tier, as describe_tiers lists them' })
      .describe(ofTier),
    ...limitFields(encodings),
    document_id: cutFieldsId,
  };
}

const cutFieldsId = z
  .string()
  .min(1)
  .max(MAX_ID_LENGTH)
  .optional()
  .describe(
    "the document's name in the ids of its chunks; default its link, its path, or the SHA-256 of a text",
  );

/** Options that not every tier takes. */
export const OPTIONS_OF_TIERS = ['target', 'min', 'context'] as const;

type Limits = z.output<z.ZodObject<ReturnType<typeof limitFields>>>;

/** A check for what is wrong with options that are right one by one: all of it. The other rules are core's. */
export function refuseStrangers({ tiers }: Line) {
  return ({ value, issues }: z.core.ParsePayload<Limits & { tier: TierId }>): void => {
    const refuse = (name: keyof Limits, message: string): void => {
      issues.push({ code: 'custom', path: [name], message, input: value[name] });
    };
    if (value.encoding !== undefined && value.unit !== 'tokens')
      refuse('encoding', 'goes with unit "tokens"');
    for (const name of OPTIONS_OF_TIERS.filter((option) => value[option] !== undefined)) {
      const takers = tiers.filter((id) => takes(id, name));
      if (!takers.includes(value.tier))
        refuse(name, `goes with tier ${takers.join(', ')}, not ${value.tier}`);
    }
  };
}

/** Whether a tier takes an option. */
export function takes(id: TierId, option: string): boolean {
  const { options }: TierDescription = TIERS[id];
  return options.includes(option);
}

/** Which chunks to answer. */
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

/** The page that was asked for. */
export function pageOf(given: { from: number; limit: number; max_characters: number }): PageRequest {
  return { from: given.from, limit: given.limit, maxCharacters: given.max_characters };
}

type CutGiven = z.output<z.ZodObject<ReturnType<typeof cutFields>>>;

/** How to cut, of what a call has given; in one order, so that equal calls have equal recipes. */
export function cutOptionsOf(given: CutGiven): CutOptions {
  const { tier, size, overlap, unit, encoding, target, min, context, kind, language } = given;
  return { tier, size, overlap, unit, encoding, target, min, context, kind, language };
}

type ServiceGiven = z.output<z.ZodObject<ReturnType<typeof serviceFields>>>;

/** The options for a service that a call has given; what was not given is left out. */
export function serviceOptionsOf(given: ServiceGiven): Readonly<Record<string, string | number>> {
  const { size, overlap, unit, encoding, target, min, context } = given;
  const options = { size, overlap, unit, encoding, target, min, context };
  return Object.fromEntries(
    Object.entries(options).filter((entry): entry is [string, string | number] => entry[1] !== undefined),
  );
}
