// The tools that send a document to a service: chunk_url, chunk_file_by_service, chunk_text_by_service.
import * as z from 'zod';
import { DOCUMENT_SCHEMA, documentAnswer } from '../answer.ts';
import type { Run, ServiceOrder, ServicePort } from '../ports.ts';
import { sha256 } from '../results.ts';
import { readBelow } from '../roots.ts';
import { PAGE_FIELDS, pageOf, PATH_FIELD, serviceFields, serviceOptionsOf, TEXT_FIELD } from './fields.ts';
import { sendsThere, type Session, tool, type Tool } from './tool.ts';

const MAX_URL_LENGTH = 8192;

type Fields = ReturnType<typeof serviceFields> & typeof PAGE_FIELDS;
type Given = z.output<z.ZodObject<Fields>>;
/** What is to be sent, and what it is recognised by when it is asked for once more. */
interface Sent {
  readonly source: ServiceOrder['source'];
  readonly documentId: string;
  readonly recipe: readonly string[];
}

export function chunkUrl(session: Session, service: ServicePort): Tool {
  return sending(session, service, {
    name: 'chunk_url',
    title: 'Chunk a web document',
    description: `Has the service ${service.url} fetch the document behind a link and split it into chunks. ${costs(service)}`,
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
      `does not have. ${costs(service)}`,
    fields: { path: PATH_FIELD },
    async find({ path }, { signal }) {
      const { bytes, name, filename } = await readBelow(session.ports.roots, path, signal);
      return { source: { bytes, filename }, documentId: name, recipe: ['file', sha256(bytes), filename] };
    },
  });
}

export function chunkTextByService(session: Session, service: ServicePort): Tool {
  return sending(session, service, {
    name: 'chunk_text_by_service',
    title: 'Chunk a text by the service',
    description:
      `Sends a text to the service ${service.url} and has it split into chunks: for tiers that ask a language model, which chunk_text ` +
      `does not have. ${costs(service)}`,
    fields: { text: TEXT_FIELD.describe('the text to send and split') },
    find({ text }) {
      const bytes = new TextEncoder().encode(text);
      const hash = sha256(bytes);
      return Promise.resolve({
        source: { bytes, filename: 'text.txt' },
        documentId: hash,
        recipe: ['text', hash],
      });
    },
  });
}

function costs({ maxCost }: ServicePort): string {
  return maxCost === undefined
    ? 'Nothing is paid: a tier that costs something is refused with its price.'
    : `It is paid what the tier costs, as describe_tiers lists it, up to ${maxCost} for all calls together; nothing is paid twice for the same call.`;
}

interface Definition<Own extends z.ZodRawShape> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly fields: Own;
  readonly find: (given: z.output<z.ZodObject<Own>>, run: Run) => Promise<Sent>;
}

function sending<Own extends z.ZodRawShape>(
  { ports, results, inTurnThere }: Session,
  service: ServicePort,
  { name, title, description, fields, find }: Definition<Own>,
): Tool {
  const input = z.strictObject({
    ...fields,
    ...serviceFields(ports.line, 'tier of the service, as describe_tiers lists them with their prices'),
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
      // Both are what the schema above has checked; its type is too deep for the compiler to see it.
      const given = checked as Given;
      const options = serviceOptionsOf(given);
      const send = async () => {
        const { source, documentId: found, recipe } = await find(checked as z.output<z.ZodObject<Own>>, run);
        const documentId = given.document_id ?? found;
        return results.of(['service', ...recipe, documentId, given.tier, options], () =>
          service.cut({ tier: given.tier, options, documentId, source }, run),
        );
      };
      const kept = await inTurnThere(send, run.signal);
      return { ...documentAnswer(kept, pageOf(given)), result: kept.result };
    },
  });
}
