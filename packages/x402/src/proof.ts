// Proofs of payment, as clients show them: a transaction id in `X-PAYMENT`, or a signed transaction in the payload of
// x402, version 1 in `X-PAYMENT` or version 2 in `PAYMENT-SIGNATURE`. Total and pure: whatever the headers hold, the
// answer is a proof, null, or `payment_malformed`, before anybody is asked anything.
import type { Chain } from './chain.ts';
import type { Proof, ProofHeaders } from './gate.ts';
import type { NetworkNames } from './network.ts';
import { PaymentProblem } from './reasons.ts';

/** Request headers that carry proofs: what CORS must allow, and what answers vary by. */
export const PROOF_HEADERS = ['X-PAYMENT', 'PAYMENT-SIGNATURE'] as const;

/** What reading a proof depends on. */
export interface ProofTerms {
  readonly chain: Pick<Chain, 'rule' | 'readKey' | 'readPartial'>;
  readonly network: NetworkNames;
  /** True when there is a facilitator that completes signed transactions; without one they are no proof. */
  readonly settles: boolean;
}

/** Node reads no more than 16 KiB of headers by default; the longest honest payload has some 6. */
const MAX_HEADER_LENGTH = 16_384;
/** Payloads of version 2 echo the offer with its extensions, whose schemas nest some ten deep. */
const MAX_DEPTH = 32;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const AMOUNT = /^(?:0|[1-9]\d{0,38})$/;

/**
 * The proof in the headers; null when there is none.
 *
 * @throws PaymentProblem `payment_malformed`
 */
export function readProof(headers: ProofHeaders, terms: ProofTerms): Proof | null {
  const proofs = PROOF_HEADERS.flatMap((name) => {
    const text = headerValue(headers, name);
    return text === null ? [] : [readText(text, terms)];
  });
  const [first, second] = proofs;
  if (first === undefined) return null;
  if (second === undefined) return first;
  if (first.kind === 'transaction' && second.kind === 'transaction') {
    if (first.transaction === second.transaction) return second;
  } else if (first.kind === 'signature' && second.kind === 'signature' && first.key === second.key) {
    return first;
  }
  throw malformed('X-PAYMENT and PAYMENT-SIGNATURE name different payments.');
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
      amountOf(accepted['amount']) === partial.amount;
    if (!agrees) throw malformed('What is accepted is not what the signed transaction does.');
  }
  return { kind: 'transaction', version, payload, transaction };
}

/** The text behind base64; null when it is none, or not UTF-8. */
function decodeBase64(text: string): string | null {
  if (!BASE64.test(text)) return null;
  try {
    const bytes = Uint8Array.from(atob(text), (unit) => unit.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** The object behind JSON; null when it is none, or nests so deep that writing it again could exhaust the stack. */
function objectIn(text: string | null): Readonly<Record<string, unknown>> | null {
  if (text === null || nesting(text) > MAX_DEPTH) return null;
  try {
    return asObject(JSON.parse(text));
  } catch {
    return null;
  }
}

/** How deep brackets nest outside of strings, in text that may be JSON. Linear, whatever the text is. */
function nesting(text: string): number {
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

function asObject(value: unknown): Readonly<Record<string, unknown>> | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return value as Readonly<Record<string, unknown>>;
}

function amountOf(value: unknown): bigint | null {
  return typeof value === 'string' && AMOUNT.test(value) ? BigInt(value) : null;
}

function malformed(detail?: string): PaymentProblem {
  return new PaymentProblem('payment_malformed', detail === undefined ? {} : { detail });
}
