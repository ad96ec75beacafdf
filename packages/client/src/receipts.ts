// Checks of signed receipts, offline: the signature, the chunks and the text that the receipt names.
import { canonicalJson, hex, sha256 } from '@grainline/core/formats';
import { ClientError } from './errors.ts';

/** Claims of a signed receipt of the service. Amounts are in the smallest unit of the asset. */
export interface ReceiptClaims {
  readonly version: 1;
  /** Address of the paid request. */
  readonly resourceUrl: string;
  /** CAIP-2 name of the chain. */
  readonly network: string;
  readonly payer: string;
  readonly transaction: string;
  /** Fingerprint of the canonical request, as in the memo of its payment: SHA-256 in base64url. */
  readonly requestHash: string;
  readonly tier: string;
  readonly amount: string;
  /** Mint of the asset. */
  readonly asset: string;
  /** Moment of the delivery in seconds since 1970. */
  readonly issuedAt: number;
  /** SHA-256 of the text that the offsets refer to, in hexadecimal: `source.sha256` of the answer. */
  readonly sourceSha256: string;
  /** SHA-256 of the canonical JSON (RFC 8785) of the answer's `chunks`, in hexadecimal. */
  readonly resultSha256: string;
  /** Versions of the service, and of the reader of the document. */
  readonly versions: { readonly grainline: string; readonly reader?: string };
}

/** A JSON Web Key Set, as `/.well-known/jwks.json` of the service gives it. */
export interface ReceiptKeySet {
  readonly keys: readonly { readonly kid?: string; readonly crv?: string; readonly x?: string }[];
}

/** The parts of a delivery that a receipt can be compared with. */
export interface ReceiptSubject {
  /** The `chunks` of the answer. */
  readonly chunks?: readonly unknown[];
}

/**
 * Checks a receipt with saved keys: no request is sent.
 *
 * @param receipt `payment.receipt` of an answer, or the body of `/results/{id}/receipt`
 * @param keySet keys of the service, saved while it was trusted
 * @returns the claims, of which the caller compares those that matter, such as `resourceUrl` and `transaction`
 * @throws ClientError `invalid_receipt` for a receipt of another form, an unknown key, a wrong signature, and chunks
 * that are not those of the receipt
 * @example
 * const { payment, chunks } = await answer.json();
 * const { transaction } = await verifyReceipt(payment.receipt, savedKeys, { chunks });
 */
export async function verifyReceipt(
  receipt: string,
  keySet: ReceiptKeySet,
  { chunks }: ReceiptSubject = {},
): Promise<ReceiptClaims> {
  const [head = '', body = '', signature = '', ...rest] = receipt.trim().split('.');
  const header = parsePart(head);
  if (header['alg'] !== 'EdDSA' || rest.length > 0) throw invalid('it is no JWS with the algorithm EdDSA');
  const thumbprint = String(header['kid']).split('#').at(-1);
  const key = keySet.keys.find(({ kid, crv }) => kid === thumbprint && crv === 'Ed25519');
  if (key?.x === undefined) throw invalid('its key is not among the given ones');
  const publicKey = await crypto.subtle.importKey('raw', bytesOf(key.x), 'Ed25519', false, ['verify']);
  const signed = new TextEncoder().encode(`${head}.${body}`);
  if (!(await crypto.subtle.verify('Ed25519', publicKey, bytesOf(signature), signed)))
    throw invalid('its signature is wrong');
  const payload = parsePart(body);
  if (payload['version'] !== 1) throw invalid(`its version is ${String(payload['version'])}`);
  // The service has signed these claims.
  const claims = payload as unknown as ReceiptClaims;
  if (chunks !== undefined && hex(sha256(canonicalJson(chunks))) !== claims.resultSha256)
    throw invalid('it is for other chunks');
  return claims;
}

function parsePart(part: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(new TextDecoder().decode(bytesOf(part)))) as Readonly<Record<string, unknown>>;
  } catch {
    throw invalid('it is no JWS');
  }
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  try {
    const binary = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch {
    throw invalid('it is no JWS');
  }
}

function invalid(detail: string): ClientError {
  return new ClientError('invalid_receipt', `The receipt cannot be accepted: ${detail}.`);
}
