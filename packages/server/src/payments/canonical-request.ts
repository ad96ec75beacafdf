// The canonical form of a request for chunks: the subject of a payment and of its memo (docs/payments.md). Clients
// compute the public formula themselves; a change of it needs a new prefix of the memo.
import { hash } from 'node:crypto';
import { wireNameOf } from '@grainline/core/options';
import { declaredEncoding } from '@grainline/extract';
import type { CanonicalRequest } from '@grainline/x402';
import { isSecret } from '../fields/field-table.ts';
import type { ChunkRequest, RequestSource } from '../requests/chunk-request.ts';
import type { RequestOptions } from '../requests/fields.ts';

/** The source in a template: the client fills it in. */
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
 * The canonical request of an upload before its document is read. The client replaces `source` and the options that it
 * sends.
 */
export function uploadTemplate(
  deploymentId: string,
  tier: string,
  options: RequestOptions,
): CanonicalRequest {
  return { deployment: deploymentId, tier, options: canonicalOptions(options), source: UNKNOWN_SOURCE };
}

/**
 * The canonical form of a whole request. It has a link as text, and a text or file as its SHA-256 in hexadecimal and
 * its name. A file also has its declared encoding, where that changes the text.
 *
 * @example
 * canonicalRequest('primary', request);
 * // { deployment: 'primary', tier: 'structure',
 * //   options: { output_format: 'raw', chunk_size: '1000', chunk_overlap: '0', unit: 'characters' },
 * //   source: { url: 'https://example.org/a.pdf' } }
 */
export function canonicalRequest(
  deploymentId: string,
  {
    tier,
    options,
    source,
  }: Pick<ChunkRequest, 'options' | 'source'> & { readonly tier: { readonly id: string } },
): CanonicalRequest {
  return {
    deployment: deploymentId,
    tier: tier.id,
    options: canonicalOptions(options),
    source: canonicalSource(source),
  };
}

/**
 * Every option after defaults, as text. An option without a default is there when the client gives it. A secret never
 * is: a wrong one must not spoil the payment, nor may the hash reveal the right one.
 */
function canonicalOptions(options: RequestOptions): CanonicalRequest {
  const given = Object.entries<string | number | boolean | undefined>({ ...options })
    .filter(([key, value]) => value !== undefined && !isSecret(key))
    .map(([key, value]) => [wireNameOf(key), String(value)] as const);
  return { ...Object.fromEntries(given), unit: options.encoding === undefined ? 'characters' : 'tokens' };
}

function canonicalSource(source: RequestSource): CanonicalRequest {
  if (source.kind === 'link') return { url: source.url };
  if (source.kind === 'text') return { text_sha256: hash('sha256', source.text), filename: source.filename };
  const { bytes, filename = '', contentType, sha256: known = hash('sha256', bytes) } = source.upload;
  return { file_sha256: known, filename, charset: declaredEncoding(contentType) };
}
