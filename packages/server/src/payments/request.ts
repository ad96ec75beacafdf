// The canonical form of a request for chunks: what a payment buys, and what its memo names (docs/payments.md). The
// formula is public, so that clients compute it themselves; a change of it is a new version of the memo's prefix.
import { createHash } from 'node:crypto';
import { declaredEncoding } from '@grainline/extract';
import type { CanonicalRequest } from '@grainline/x402';
import type { ChunkFields } from '../api/fields.ts';
import type { Order, Source } from '../http/order.ts';

/** How the options are called in the canonical form: as the wire calls them. */
const OPTION_NAMES: Readonly<Record<keyof ChunkFields, string>> = {
  format: 'output_format',
  size: 'chunk_size',
  overlap: 'chunk_overlap',
  encoding: 'encoding',
  target: 'chunk_target',
  min: 'chunk_min',
  context: 'context',
  embeddings: 'embeddings',
  documentId: 'document_id',
  collection: 'collection',
  textField: 'text_field',
};

/** What stands in a template where the client knows more than we do. */
const UNKNOWN_SOURCE: CanonicalRequest = {
  file_sha256: '<SHA-256 of the bytes of the file, in lower-case hexadecimal>',
  filename: '<name of the file as it is sent, without folders>',
};

/** Members of `source` that only some files have. */
export const OPTIONAL_MEMBERS: CanonicalRequest = {
  source: {
    charset:
      '<of a file whose part declares an encoding other than UTF-8: its name in the Encoding standard, in lower case>',
  },
};

/**
 * The canonical request of an upload, as far as it is known before its document. The client replaces `source` and the
 * options that it sends.
 */
export function uploadTemplate(deploymentId: string, tier: string, fields: ChunkFields): CanonicalRequest {
  return { deployment: deploymentId, tier, options: optionsOf(fields), source: UNKNOWN_SOURCE };
}

/**
 * The canonical form of a whole request: a link by its text, a text or file by its SHA-256 in hexadecimal and its name,
 * a file also by the encoding that it is declared to be in, where that decides anything.
 *
 * @example
 * canonicalRequest('primary', order);
 * // { deployment: 'primary', tier: 'structure',
 * //   options: { output_format: 'raw', chunk_size: '1000', chunk_overlap: '0', unit: 'characters' },
 * //   source: { url: 'https://example.org/a.pdf' } }
 */
export function canonicalRequest(
  deploymentId: string,
  { tier, fields, source }: Pick<Order, 'fields' | 'source'> & { readonly tier: { readonly id: string } },
): CanonicalRequest {
  return { deployment: deploymentId, tier: tier.id, options: optionsOf(fields), source: sourceOf(source) };
}

/** Every option after defaults, as text; those without a default only when they are given. */
function optionsOf(fields: ChunkFields): CanonicalRequest {
  const given = Object.entries(fields) as [keyof ChunkFields, string | number | boolean | undefined][];
  const options = given
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [OPTION_NAMES[key], String(value)] as const);
  return { ...Object.fromEntries(options), unit: fields.encoding === undefined ? 'characters' : 'tokens' };
}

function sourceOf(source: Source): CanonicalRequest {
  if (source.kind === 'link') return { url: source.url };
  if (source.kind === 'text') return { text_sha256: sha256(source.text), filename: source.filename };
  const { bytes, filename = '', contentType, sha256: known = sha256(bytes) } = source.upload;
  const charset = declaredEncoding(contentType);
  return { file_sha256: known, filename, ...(charset === undefined ? {} : { charset }) };
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
