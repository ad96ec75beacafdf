// The tool describe_tiers: tiers, kinds and limits from the registries, and the tiers of the service.
import type { ServiceTier } from '@grainline/client';
import { DEFAULT_SIZE, TIERS } from '@grainline/core';
import { OPTIONS } from '@grainline/core/options';
import { READERS } from '@grainline/extract';
import * as z from 'zod';
import { PAGE } from '../answer.ts';
import type { Ports, CallContext, ServicePort } from '../ports.ts';
import { MAX_FILE_BYTES } from '../roots.ts';
import { MAX_TEXT_LENGTH, optionsOfTier } from './fields.ts';
import { READS_HERE, type Session, tool, type Tool } from './tool.ts';

/** The purpose of each tier: docs/tiers.md in one line. */
const TAKE_FOR: Readonly<Record<keyof typeof TIERS, string>> = {
  free: 'a splitter to replace, or very long logs',
  standard: 'plain prose, books without headings',
  structure: 'reports, manuals, Markdown, HTML, DOCX, PDF, source code',
  professional:
    'the same, for search across many documents: chunks say which document and section they are from',
  semantic: 'transcripts, scans, scraped text: topics without headings',
  ai: 'documents that are worth a question to a language model',
  'ai-pro': 'the same, with a title, summary, keywords and questions for each chunk',
};
const tierSchema = z.object({
  id: z.string(),
  summary: z.string(),
  take_for: z.string(),
  options: z.array(z.string()),
});
const serviceSchema = z.object({
  url: z.string(),
  max_cost: z
    .string()
    .optional()
    .describe('most that this server may pay while it runs; absent when nothing is ever paid'),
  tiers: z.array(
    z.object({
      id: z.string(),
      price_usd: z.string().describe('for one document'),
      available: z.boolean(),
      description: z.string().optional(),
    }),
  ),
  unreachable: z.string().optional().describe('why its tiers could not be listed now'),
});
const SCHEMA = z.object({
  tiers: z.array(tierSchema).describe('what cuts on this machine, at no cost'),
  default_tier: z.string(),
  document_kinds: z.array(z.object({ name: z.string(), extensions: z.array(z.string()) })),
  encodings: z.array(z.string()),
  roots: z.array(z.string()).describe('folders whose files chunk_file may read'),
  limits: z.object({
    default_size: z.object({ characters: z.int(), tokens: z.int() }),
    max_file_bytes: z.int(),
    max_text_characters: z.int(),
    max_chunks_an_answer: z.int(),
    max_characters_an_answer: z.int(),
  }),
  service: serviceSchema.optional().describe('what cuts elsewhere; absent when this server uses no service'),
});

export function describeTiers({ ports }: Session): Tool {
  const { chunker, roots, service } = ports;
  const withService = service === undefined ? '' : ', and those of the service with their prices';
  return tool({
    name: 'describe_tiers',
    title: 'List tiers and limits',
    description: `Lists the ways of cutting (tiers) and what each is for${withService}; also the kinds of document that can be read, the folders that are open, and all limits.`,
    input: z.strictObject({}),
    output: SCHEMA,
    annotations: { ...READS_HERE, openWorldHint: service !== undefined },
    async run(_, { signal }) {
      const here = {
        tiers: chunker.tiers.map((id) => ({
          id,
          summary: TIERS[id].summary,
          take_for: TAKE_FOR[id],
          options: ['size', 'overlap', ...optionsOfTier(id)],
        })),
        default_tier: chunker.tiers[0],
        document_kinds: READERS.map(({ name, extensions }) => ({ name, extensions: [...extensions] })),
        encodings: [...OPTIONS.encoding.choices],
        roots: [...roots],
        limits: {
          default_size: { ...DEFAULT_SIZE },
          max_file_bytes: MAX_FILE_BYTES,
          max_text_characters: MAX_TEXT_LENGTH,
          max_chunks_an_answer: PAGE.limit.most,
          max_characters_an_answer: PAGE.maxCharacters.most,
        },
      };
      const structured = { ...here, service: service && (await described(service, ports, signal)) };
      return { structured, text: textOf(structured) };
    },
  });
}

/** The local tiers are listed even when the service is unreachable. */
async function described(
  service: ServicePort,
  { describe }: Pick<Ports, 'describe'>,
  signal: CallContext['signal'],
) {
  const { url, maxCost } = service;
  let listed: readonly ServiceTier[];
  try {
    listed = await service.tiers(signal);
  } catch (error) {
    signal.throwIfAborted();
    return { url, max_cost: maxCost, tiers: [], unreachable: describe(error) };
  }
  return {
    url,
    max_cost: maxCost,
    tiers: listed.map(({ id, price_usd, available, description }) => ({
      id,
      price_usd: String(price_usd),
      available,
      description,
    })),
  };
}

function textOf({
  tiers,
  default_tier,
  document_kinds,
  roots,
  limits,
  service,
}: z.output<typeof SCHEMA>): string {
  const kinds = document_kinds.map(({ name, extensions }) => `${name} (${extensions.join(' ')})`).join(', ');
  return [
    `Tiers here, at no cost; ${default_tier} unless another is named:`,
    ...tiers.map(({ id, summary, take_for }) => `- ${id}: ${summary} For ${take_for}.`),
    `Kinds of document: ${kinds}; also source code and other text.`,
    roots.length === 0
      ? 'No folder is open: chunk_text alone.'
      : `Folders that are open: ${roots.join(', ')}`,
    `A file may have ${limits.max_file_bytes} bytes, a text ${limits.max_text_characters} characters.`,
    ...(service === undefined ? [] : serviceLines(service)),
  ].join('\n');
}

function serviceLines({ url, max_cost, tiers, unreachable }: z.output<typeof serviceSchema>): string[] {
  if (unreachable !== undefined) return [`The tiers of the service ${url} are not known now: ${unreachable}`];
  const money = max_cost === undefined ? 'nothing is paid' : `at most ${max_cost} in all`;
  return [
    `Tiers of the service ${url} (${money}):`,
    ...tiers.map(
      ({ id, price_usd, available }) =>
        `- ${id}: $${price_usd} a document${available ? '' : ', not available now'}`,
    ),
  ];
}
