// What a request costs and how to pay it, in one 402 answer for every kind of client: `paymentRequirements` for those
// who broadcast their payment themselves, `accepts` in the body for x402 version 1, and a header for version 2.
// x402 clients need a facilitator, who completes and broadcasts what they sign; without one nothing is said to them,
// since an entry without a fee payer makes them fail rather than pay.
import { MEMO_PREFIX, memoOf } from './binding.ts';
import type { PaymentRule } from './chain.ts';
import { type FacilitatorKind, kindOf } from './facilitator.ts';
import type { BindingPolicy, Offer, OfferedRequest, Quote } from './gate.ts';
import type { AssetFacts, NetworkNames } from './network.ts';

/** Response headers about payments, which CORS must expose. */
export const PAYMENT_RESPONSE_HEADERS = [
  'PAYMENT-REQUIRED',
  'PAYMENT-RESPONSE',
  'X-PAYMENT-RESPONSE',
] as const;

/** What all offers of a gate share. */
export interface OfferTerms {
  readonly rule: PaymentRule;
  readonly network: NetworkNames;
  readonly asset: AssetFacts;
  readonly binding: BindingPolicy;
  /** The kinds of payment that the facilitator takes; empty without one. */
  readonly kinds: readonly FacilitatorKind[];
}

/** The formula of binding.ts: its name for programs, and a sentence for whoever reads an offer and no documentation. */
const ALGORITHM = 'sha256';
const FORMULA =
  'memo = prefix + base64url without padding of SHA-256 of UTF-8 of the request as JSON without white space, ' +
  'names sorted by UTF-16 units at every depth, all values strings or such objects';

/** How long a signed transaction may take to be settled, in seconds: what Solana gives a blockhash. */
const MAX_TIMEOUT_S = 60;

/** Writes the 402 answer for a request, for all kinds of clients described at the top of this file. Pure. */
export function offerOf(quote: Quote, request: OfferedRequest, terms: OfferTerms): Offer {
  const { description } = quote;
  const { resource, mimeType } = request;
  const v1 = entry(1, quote.price, terms, { resource, description, mimeType });
  const v2 = entry(2, quote.price, terms);
  const required = v2 && {
    x402Version: 2,
    error: 'Payment Required',
    resource: { url: resource, description, mimeType },
    accepts: [v2],
  };
  return {
    headers: {
      'Cache-Control': 'no-store',
      ...(required === undefined ? {} : { 'PAYMENT-REQUIRED': encodeHeader(required) }),
    },
    members: {
      paymentRequirements: paymentRequirements(quote, request, terms),
      ...(v1 === undefined ? {} : { x402Version: 1, accepts: [v1] }),
    },
  };
}

function paymentRequirements(quote: Quote, request: OfferedRequest, terms: OfferTerms): object {
  return {
    x402Version: 1,
    scheme: 'exact',
    network: terms.network.name,
    maxAmountRequired: String(quote.price),
    asset: terms.rule.asset,
    payTo: terms.rule.payTo,
    description: quote.description,
    extra: { decimals: terms.asset.decimals, ...bindingOf(request.binding, terms.binding) },
  };
}

/** How the payment is bound to the request: the memo itself, or how to make it. */
function bindingOf(binding: OfferedRequest['binding'], policy: BindingPolicy): object {
  if (policy === 'off') return {};
  const how = 'fingerprint' in binding ? { memo: memoOf(binding.fingerprint) } : { binding: recipe(binding) };
  return policy === 'require' ? { ...how, memoRequired: true } : how;
}

function recipe({ template, ...rules }: Extract<OfferedRequest['binding'], { template: unknown }>): object {
  return { prefix: MEMO_PREFIX, algorithm: ALGORITHM, formula: FORMULA, request: template, ...rules };
}

/** What version 1 of x402 says about the request inside each entry. */
export interface Described {
  readonly resource: string;
  readonly description: string;
  readonly mimeType: string;
}

/**
 * An entry of `accepts`, which is also what a facilitator is told to check; undefined when the facilitator does not
 * take this version. It names no memo, because clients of version 1 add none and would be refused for it. They need
 * none, since nobody knows their transaction before it is broadcast.
 *
 * @param feePayer replaces the one that the facilitator named last
 */
export function entry(
  version: 1 | 2,
  amount: bigint,
  terms: Pick<OfferTerms, 'rule' | 'network' | 'asset' | 'kinds'>,
  described?: Described,
  feePayer?: string,
): Readonly<Record<string, unknown>> | undefined {
  const { rule, network, asset, kinds } = terms;
  const kind = kindOf(kinds, version, network);
  if (kind === undefined) return undefined;
  return {
    scheme: 'exact',
    network: kind.network,
    ...(version === 1 ? { maxAmountRequired: String(amount) } : { amount: String(amount) }),
    ...described,
    payTo: rule.payTo,
    maxTimeoutSeconds: MAX_TIMEOUT_S,
    asset: rule.asset,
    extra: { ...kind.extra, feePayer: feePayer ?? kind.feePayer, decimals: asset.decimals },
  };
}

/** JSON in base64, as x402 writes headers. */
export function encodeHeader(value: unknown): string {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}
