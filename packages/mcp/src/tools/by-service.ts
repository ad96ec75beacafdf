// The tools that send a document to a service: chunk_url, chunk_file_by_service, chunk_text_by_service.
import { hash } from 'node:crypto';
import type { ChunkAnswer, DocumentInput } from '@grainline/client';
import { withoutSecrets } from '@grainline/core/options';
import * as z from 'zod';
import { DOCUMENT_SCHEMA, documentAnswer } from '../answer.ts';
import type { DocumentResult, HeadingEntry, CallContext, ServicePort } from '../ports.ts';
import { readBelow } from '../roots.ts';
import {
  inputOf,
  PAGE_FIELDS,
  readPage,
  PATH_FIELD,
  serviceFields,
  readServiceOptions,
  TEXT_FIELD,
} from './fields.ts';
import { sendsThere, type Session, tool, type Tool } from './tool.ts';

const MAX_URL_LENGTH = 8192;

type Fields = ReturnType<typeof serviceFields> & typeof PAGE_FIELDS;
type CheckedInput = z.output<z.ZodObject<Fields>>;
/** A document for the service, with the key of its cached result. */
interface DocumentToSend {
  readonly source: DocumentInput;
  readonly documentId: string;
  readonly recipe: readonly string[];
}

export function chunkUrl(session: Session, service: ServicePort): Tool {
  return sending(session, service, {
    name: 'chunk_url',
    title: 'Chunk a web document',
    description: `Has the service ${service.url} fetch the document behind a link and split it into chunks. ${describeCost(service)}`,
    fields: {
      url: z
        .url({ protocol: /^https?$/, error: 'must be a link that begins with http:// or https://' })
        .max(MAX_URL_LENGTH)
        .describe('link to the document, public: http or https'),
    },
    find: ({ url }) => Promise.resolve({ source: { url }, documentId: url, recipe: ['url', url] }),
  });
}

export function chunkFileByService(session: Session, service: ServicePort): Tool {
  return sending(session, service, {
    name: 'chunk_file_by_service',
    title: 'Chunk a file by the service',
    description:
      `Sends one file to the service ${service.url} and has it split into chunks: for tiers that ask a language model, which chunk_file ` +
      `does not have. ${describeCost(service)}`,
    fields: { path: PATH_FIELD },
    async find({ path }, { signal }) {
      const { bytes, name, filename } = await readBelow(session.ports.roots, path, signal);
      return {
        source: { bytes, filename },
        documentId: name,
        recipe: ['file', hash('sha256', bytes), filename],
      };
    },
  });
}

export function chunkTextByService(session: Session, service: ServicePort): Tool {
  return sending(session, service, {
    name: 'chunk_text_by_service',
    title: 'Chunk a text by the service',
    description:
      `Sends a text to the service ${service.url} and has it split into chunks: for tiers that ask a language model, which chunk_text ` +
      `does not have. ${describeCost(service)}`,
    fields: { text: TEXT_FIELD.describe('the text to send and split') },
    find({ text }) {
      const bytes = new TextEncoder().encode(text);
      const digits = hash('sha256', bytes);
      return Promise.resolve({
        source: { bytes, filename: 'text.txt' },
        documentId: digits,
        recipe: ['text', digits],
      });
    },
  });
}

function describeCost({ maxCost }: ServicePort): string {
  return maxCost === undefined
    ? 'Nothing is paid: a tier that costs something is refused with its price.'
    : `It is paid what the tier costs, as describe_tiers lists it, up to ${maxCost} for all calls together; nothing is paid twice for the same call.`;
}

interface Definition<Own extends z.ZodRawShape> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly fields: Own;
  readonly find: (given: z.output<z.ZodObject<Own>>, run: CallContext) => Promise<DocumentToSend>;
}

function sending<Own extends z.ZodRawShape>(
  { results, serviceQueue }: Session,
  service: ServicePort,
  { name, title, description, fields, find }: Definition<Own>,
): Tool {
  const input = inputOf({
    ...fields,
    ...serviceFields('tier of the service, as describe_tiers lists them with their prices'),
    ...PAGE_FIELDS,
  });
  return tool({
    name,
    title,
    description,
    input,
    output: DOCUMENT_SCHEMA,
    annotations: sendsThere(service.maxCost),
    async run(checked, run) {
      // The schema above has checked both; its type is too deep for the compiler.
      const given = checked as CheckedInput;
      const options = readServiceOptions(given);
      const send = async () => {
        const { source, documentId: found, recipe } = await find(checked as z.output<z.ZodObject<Own>>, run);
        const documentId = given.document_id ?? found;
        return results.of(
          ['service', ...recipe, documentId, given.tier, withoutSecrets('mcp', options)],
          async () => {
            const answer = await service.chunk(
              source,
              { ...options, tier: given.tier, format: 'raw' as const, documentId },
              run,
            );
            return documentOf(answer, documentId);
          },
        );
      };
      const kept = await serviceQueue(send, run.signal);
      return { ...documentAnswer(kept, readPage(given)), result: kept.result };
    },
  });
}

function documentOf(answer: ChunkAnswer<'raw'>, documentId: string): DocumentResult {
  const { tier, chunks, metadata, warnings = [], payment } = answer;
  return {
    tier,
    documentId,
    filename: metadata.filename,
    contentType: metadata.content_type,
    pages: metadata.estimated_pages,
    // The tools take records as plain objects with any members.
    records: chunks as unknown as DocumentResult['records'],
    outline: outlineOf(chunks),
    warnings,
    payment: payment.amount === 0 ? undefined : payment,
  };
}

/** Outline from the heading paths of the chunks: a service sends no blocks. */
function outlineOf(records: ChunkAnswer<'raw'>['chunks']): HeadingEntry[] {
  const outline: HeadingEntry[] = [];
  let last: readonly string[] = [];
  for (const [chunk, { metadata }] of records.entries()) {
    const titles = metadata.heading_path?.split(' > ') ?? last;
    const shared = titles.findIndex((title, level) => title !== last[level]);
    if (shared !== -1)
      for (let level = shared; level < titles.length; level++)
        outline.push({ depth: level + 1, title: titles[level] ?? '', chunk });
    last = titles;
  }
  return outline;
}
