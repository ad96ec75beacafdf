// Reads proofs of payment: a transaction id in `X-PAYMENT`, or a signed transaction in the payload of x402, version 1
// in `X-PAYMENT` or version 2 in `PAYMENT-SIGNATURE`. Total and pure: any headers give a proof, null, or
// `payment_malformed`. A transaction id may come with the payer's signature over the request.
import { BINDING_HEADER } from './binding.ts';
import type { Chain } from './chain.ts';
import type { Proof, ProofHeaders } from './gate.ts';
import { isObject, type JsonObject, parseJson } from './json.ts';
import type { NetworkNames } from './network.ts';
import { IDENTIFIER, IDENTIFIER_EXTENSION } from './offer.ts';
import { PaymentProblem } from './reasons.ts';

/** Request headers with proofs: CORS allows them, and answers vary by them. */
export const PROOF_HEADERS = ['X-PAYMENT', 'PAYMENT-SIGNATURE'] as const;

/** The chain, the network and the facilitator that a proof depends on. */
export interface ProofTerms {
  readonly chain: Pick<Chain, 'rule' | 'readKey' | 'readPartial'>;
  readonly network: NetworkNames;
  /** True with a facilitator, which completes signed transactions; without one they are no proof. */
  readonly settles: boolean;
}

/** Node reads at most 16 KiB of headers by default; the longest honest payload has about 6. */
const MAX_HEADER_LENGTH = 16_384;
/** Payloads of version 2 echo the offer with its extensions, whose schemas nest about ten deep. */
const MAX_DEPTH = 32;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const AMOUNT = /^(?:0|[1-9]\d{0,38})$/;

/**
 * The proof in the headers; null without one.
 *
 * @throws PaymentProblem `payment_malformed`
 */
export function readProof(headers: ProofHeaders, terms: ProofTerms): Proof | null {
  const proofs = PROOF_HEADERS.flatMap((name) => {
    const text = headerValue(headers, name);
    return text === null ? [] : [readText(text, terms)];
  });
  const binding = headerValue(headers, BINDING_HEADER);
  const [first, second] = proofs;
  if (first === undefined) return null;
  if (second === undefined) return withBinding(first, binding);
  if (first.kind === 'transaction' && second.kind === 'transaction') {
    if (first.transaction === second.transaction) return second;
  } else if (first.kind === 'signature' && second.kind === 'signature' && first.key === second.key) {
    return withBinding(first, binding);
  }
  throw malformed('X-PAYMENT and PAYMENT-SIGNATURE name different payments.');
}

function withBinding(proof: Proof, binding: string | null): Proof {
  return proof.kind === 'signature' && binding !== null ? { ...proof, binding } : proof;
}

function headerValue(headers: ProofHeaders, name: string): string | null {
  const value = headers[name.toLowerCase()];
  if (value === undefined) return null;
  const values = typeof value === 'string' ? [value] : value;
  const [text] = values;
  if (text === undefined) return null;
  if (values.length > 1) throw malformed(`There are ${values.length} headers ${name}.`);
  if (text.length > MAX_HEADER_LENGTH)
    throw malformed(`${name} is longer than ${MAX_HEADER_LENGTH} characters.`);
  return text.trim();
}

function readText(text: string, terms: ProofTerms): Proof {
  const key = terms.chain.readKey(text);
  return key === null ? readPayload(text, terms) : { kind: 'signature', key };
}

function readPayload(text: string, { chain, network, settles }: ProofTerms): Proof {
  const payload = objectIn(decodeBase64(text));
  const version = payload?.['x402Version'];
  const transaction = asObject(payload?.['payload'])?.['transaction'];
  if (payload === null || (version !== 1 && version !== 2) || typeof transaction !== 'string')
    throw malformed();
  if (!settles) throw malformed('Signed transactions are not taken here: broadcast it, and send its id.');
  const partial = chain.readPartial(transaction);
  if (partial === null)
    throw malformed('The signed transaction cannot be read, or does not pay the pay-to account.');

  const accepted = version === 1 ? payload : (asObject(payload['accepted']) ?? {});
  if (accepted['scheme'] !== 'exact') throw malformed('The scheme must be "exact".');
  const name = version === 1 ? network.v1 : network.caip2;
  if (accepted['network'] !== name) throw malformed(`The network must be "${name ?? network.caip2}".`);
  if (version === 2) {
    const agrees =
      accepted['asset'] === chain.rule.asset &&
      accepted['payTo'] === chain.rule.payTo &&
      readAmount(accepted['amount']) === partial.amount;
    if (!agrees) throw malformed('What is accepted is not what the signed transaction does.');
  }
  return { kind: 'transaction', version, payload, transaction, identifier: readIdentifier(payload) };
}

/** The identifier in the extension of a payload, of either version; undefined without one. */
function readIdentifier({ extensions }: JsonObject): string | undefined {
  const id = asObject(asObject(asObject(extensions)?.[IDENTIFIER_EXTENSION])?.['info'])?.['id'];
  if (id === undefined || (typeof id === 'string' && IDENTIFIER.test(id))) return id;
  throw malformed(`The id of ${IDENTIFIER_EXTENSION} must have 16 to 128 letters, digits, "-" and "_".`);
}

/** The text in base64; null when it is not base64, or not UTF-8. */
function decodeBase64(text: string): string | null {
  if (!BASE64.test(text)) return null;
  try {
    const bytes = Uint8Array.from(atob(text), (unit) => unit.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** The object of a JSON text; null for others, and for a depth at which serialising it could exhaust the stack. */
function objectIn(text: string | null): JsonObject | null {
  if (text === null || maxNesting(text) > MAX_DEPTH) return null;
  return asObject(parseJson(text));
}

const asObject = (value: unknown): JsonObject | null => (isObject(value) ? value : null);

/** The greatest depth of brackets outside of strings, in linear time for any text. */
function maxNesting(text: string): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text[at];
    if (unit === '"') quoted = !quoted;
    else if (quoted) at += unit === '\\' ? 1 : 0;
    else if (unit === '[' || unit === '{') deepest = Math.max(deepest, ++depth);
    else if (unit === ']' || unit === '}') depth--;
  }
  return deepest;
}

function readAmount(value: unknown): bigint | null {
  return typeof value === 'string' && AMOUNT.test(value) ? BigInt(value) : null;
}

/** @param meaning the fault of a header whose form is known; the table has that of others */
function malformed(meaning?: string): PaymentProblem {
  const wayOut = 'Correct it and send the same request again; what was paid stays usable.';
  return new PaymentProblem('payment_malformed', meaning === undefined ? {} : { meaning, wayOut });
}
