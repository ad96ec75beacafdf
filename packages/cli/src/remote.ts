// Documents that a service cuts, written down as if they had been cut here.
import type { ChunkRequest, RemoteCutting } from './arguments.ts';
import { documentIdOf, type Input } from './inputs.ts';
import type { Result } from './layout.ts';
import { type Answer, openService } from './service.ts';
import type { Io } from './terminal.ts';

/** A service, for one run. */
export interface Remote {
  readonly cut: (bytes: Uint8Array, inputHash: string, input: Input) => Promise<Result>;
  /** What was paid, in lines for people; none when nothing was. */
  readonly summary: () => string[];
}

/** Members of an answer that the object of `--json` has elsewhere, or not at all. */
const PLACED = [
  'success',
  'tier',
  'total_chunks',
  'metadata',
  'chunks',
  'warnings',
  'download_url',
  'expires_in',
];

/**
 * Opens a service for a run over files.
 *
 * Rejects as `openService` does. `cut` rejects with a CliError, a PayingError, or the signal's reason.
 */
export async function connect(
  request: ChunkRequest,
  cutting: RemoteCutting,
  io: Io,
  following?: Parameters<typeof openService>[2],
): Promise<Remote> {
  const { tier, fields } = cutting;
  const { send, summary } = await openService(cutting, io, following);
  return {
    async cut(bytes, inputHash, input) {
      const documentId = documentIdOf(input, inputHash, request.documentId);
      const source = { bytes, filename: input.filename ?? 'stdin', contentType: request.contentType };
      const answer = await send({ tier, fields, documentId, source }, { signal: io.signal });
      return resultOf(answer, documentId, request);
    },
    summary,
  };
}

function resultOf(answer: Answer, documentId: string, { layout, format }: ChunkRequest): Result {
  const { metadata, chunks, warnings = [] } = answer;
  const size = chunks.reduce((sum, chunk) => sum + textOf(chunk).length, 0);
  // Formats for databases have the document's name in every record.
  const about = format === 'raw' ? { document_id: documentId } : {};
  const render = {
    jsonl: () => linesOf(chunks, about),
    json: () => objectOf(answer, documentId),
    text: () => chunks.map((chunk) => `${textOf(chunk).replace(/\n?$/, '\n')}---\n`),
  };
  if (layout === 'view' || layout === 'dry-run')
    throw new TypeError(`--${layout} does not go with --remote.`);
  return {
    render: render[layout],
    warnings,
    counts: { pages: Number(metadata['estimated_pages'] ?? 0), characters: size, chunks: chunks.length },
  };
}

function textOf({ text }: Readonly<Record<string, unknown>>): string {
  return typeof text === 'string' ? text : '';
}

function* linesOf(chunks: Answer['chunks'], about: object): Generator<string> {
  for (const chunk of chunks) yield `${JSON.stringify({ ...about, ...chunk })}\n`;
}

/** The object that `--json` writes of a document cut here, and the payment. */
function* objectOf(answer: Answer, documentId: string): Generator<string> {
  const { tier, total_chunks, metadata, chunks } = answer;
  const head = { tier, total_chunks, metadata: { document_id: documentId, ...metadata } };
  yield `${JSON.stringify(head).slice(0, -1)},"chunks":[`;
  for (const [index, chunk] of chunks.entries()) yield (index === 0 ? '' : ',') + JSON.stringify(chunk);
  yield ']';
  for (const [name, value] of Object.entries(answer))
    if (!PLACED.includes(name)) yield `,${JSON.stringify(name)}:${JSON.stringify(value)}`;
  yield '}\n';
}
