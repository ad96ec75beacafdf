// What the page asks the service for: made from a document and what was chosen, and sent in the service's own words. It
// is also the door to the part that pays, which sends the very same.
import type { CutOptions } from './cuts.ts';
import { kindOf, nameOfText } from './kinds.ts';
import type { Overview } from './overview.ts';
import type { Reading } from './protocol.ts';

/** Where a document came from. */
export type Origin =
  | { readonly kind: 'file'; readonly file: File }
  | { readonly kind: 'text' }
  | { readonly kind: 'url'; readonly url: string }
  /** Only its chunks are known. */
  | { readonly kind: 'answer' };

/** A request for chunks: what is sent once it is paid, or at once where nothing is charged. */
export type ChunkRequest =
  | { readonly kind: 'json'; readonly body: Readonly<Record<string, unknown>> }
  | { readonly kind: 'upload'; readonly file: File; readonly fields: Readonly<Record<string, string>> };

/** A request and what it is sent to. */
export interface Order {
  /** Id of the tier; of an upload it decides the path, `Overview.tiers[].path`. */
  readonly tier: string;
  readonly request: ChunkRequest;
  readonly overview: Overview;
  /** An earlier visit has begun to pay for it, and may have paid. */
  readonly resumes?: { readonly id: string; readonly beganMs: number };
}

/** What the paying part is given. */
export interface PayProps {
  readonly order: Order;
  /** Takes the JSON of the answer to the request once it was paid. */
  readonly onAnswer: (answer: unknown) => void;
}

/** A document to send; what was read of it is absent while only a link to it is known. */
export interface Sendable {
  readonly origin: Origin;
  readonly reading?: Pick<Reading, 'text' | 'filename' | 'mediaType'>;
}

/**
 * The order by which the service cuts a document: a file as it is where its kind is taken, else the text that was read
 * from it.
 */
export function orderFor(document: Sendable, tier: string, options: CutOptions, overview: Overview): Order {
  return { tier, overview, request: requestFor(document, tier, options, overview) };
}

function requestFor(
  { origin, reading }: Sendable,
  tier: string,
  { size, overlap, unit }: CutOptions,
  overview: Overview,
): ChunkRequest {
  const { text = '', filename = 'text.txt', mediaType = 'text/plain' } = reading ?? {};
  if (origin.kind === 'file' && overview.upload_types.includes(kindOf(mediaType))) {
    const fields = { chunk_size: String(size), chunk_overlap: String(overlap), unit };
    return { kind: 'upload', file: origin.file, fields };
  }
  const cutting = { chunk_size: size, chunk_overlap: overlap, unit };
  if (origin.kind === 'url') return { kind: 'json', body: { url: origin.url, tier, ...cutting } };
  const name = nameOfText(filename, mediaType);
  return { kind: 'json', body: { text, filename: name, tier, ...cutting } };
}

/** What an order says of the document that it is about, and of how that is to be cut. */
export interface Ordered {
  readonly tier: string;
  readonly options: CutOptions;
  readonly filename: string;
  /** Where the document is, when the service fetches it. */
  readonly url?: string;
}

/** Reads an order. Also one that an earlier visit has kept. */
export function readOrder({ tier, request }: Pick<Order, 'tier' | 'request'>): Ordered {
  const fields: Readonly<Record<string, unknown>> = request.kind === 'json' ? request.body : request.fields;
  const { chunk_size: size, chunk_overlap: overlap, unit, filename, url } = fields;
  const options = {
    size: Number(size),
    overlap: Number(overlap),
    unit: unit === 'tokens' ? 'tokens' : 'characters',
  } as const;
  if (request.kind === 'upload') return { tier, options, filename: request.file.name };
  if (typeof url === 'string') return { tier, options, url, filename: url };
  return { tier, options, filename: typeof filename === 'string' ? filename : 'document' };
}

/**
 * An order as `fetch` takes it.
 *
 * @param base address of the service, with a slash at its end
 * @throws Error when a file is ordered by a tier that the service does not have
 */
export function sendingOf(
  { tier, request, overview }: Order,
  base: string,
): [url: string, init: RequestInit] {
  if (request.kind === 'json') {
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ ...request.body, tier });
    return [addressOf(base, 'chunk'), { method: 'POST', headers, body }];
  }
  const entry = overview.tiers.find(({ id }) => id === tier);
  if (entry === undefined) throw new Error(`The service has no tier ${tier}.`);
  const form = new FormData();
  // Options stand before the file, so that a request that cannot succeed is refused before the file is read.
  for (const [name, value] of Object.entries(request.fields)) form.append(name, value);
  form.append('file', request.file, request.file.name);
  return [addressOf(base, entry.path), { method: 'POST', body: form }];
}

/** An address of the service; paths begin with a slash where the service tells them. */
export function addressOf(base: string, path: string): string {
  return new URL(path.replace(/^\//, ''), base).href;
}
