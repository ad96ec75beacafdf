// The 402 answer for every kind of client: `paymentRequirements` for those that broadcast their payment themselves,
// `accepts` in the body for x402 version 1, and a header for version 2. x402 clients need a facilitator. Without one
// the answer omits their members, since an entry without a fee payer makes them fail.
import { BINDING_HEADER, bindingMessage, MEMO_PREFIX, memoOf } from './binding.ts';
import type { PaymentRule } from './chain.ts';
import { type FacilitatorKind, findKind } from './facilitator.ts';
import type { BindingPolicy, Offer, OfferedRequest, Quote } from './gate.ts';
import type { AssetFacts, NetworkNames } from './network.ts';

/** Response headers about payments, which CORS must expose. */
export const PAYMENT_RESPONSE_HEADERS = [
  'PAYMENT-REQUIRED',
  'PAYMENT-RESPONSE',
  'X-PAYMENT-RESPONSE',
] as const;

/** Name of the extension for identifiers of clients, in offers and payloads (identifiers.ts). */
export const IDENTIFIER_EXTENSION = 'payment-identifier';
/** The form of an identifier. */
export const IDENTIFIER = /^[A-Za-z0-9_-]{16,128}$/;

/** That extension in an offer. */
const IDENTIFIER_OFFER = {
  info: { required: false },
  schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      required: { type: 'boolean' },
      id: { type: 'string', minLength: 16, maxLength: 128, pattern: IDENTIFIER.source },
    },
    required: ['required'],
  },
} as const;

/** The terms that all offers of a gate share. */
export interface OfferTerms {
  readonly rule: PaymentRule;
  readonly network: NetworkNames;
  readonly asset: AssetFacts;
  readonly binding: BindingPolicy;
  /** The kinds of payment that the facilitator takes; empty without one. */
  readonly kinds: readonly FacilitatorKind[];
}

/** The formula of binding.ts: its name for programs, and a sentence for readers of the offer. */
const ALGORITHM = 'sha256';
const FORMULA =
  'memo = prefix + base64url without padding of SHA-256 of UTF-8 of the request as JSON without white space, ' +
  'names sorted by UTF-16 units at every depth, all values strings or such objects';

/** The way out for a payment without a required memo. */
const WITHOUT_MEMO = `A transfer without it buys its request with the header ${BINDING_HEADER}: in base58, the Ed25519 signature of the paying key over the UTF-8 of "${bindingMessage('<transaction signature>', '<memo>')}".`;

/** Time to settle a signed transaction, in seconds: the lifetime of a blockhash on Solana. */
const MAX_TIMEOUT_S = 60;

/** Writes the 402 answer. Pure. */
export function writeOffer(quote: Quote, request: OfferedRequest, terms: OfferTerms): Offer {
  const { description } = quote;
  const { resource, mimeType, service, extensions } = request;
  const v1 = acceptsEntry(1, quote.price, terms, { resource, description, mimeType });
  const v2 = acceptsEntry(2, quote.price, terms);
  const required = v2 && {
    x402Version: 2,
    error: 'Payment Required',
    resource: { url: resource, description, mimeType, ...service },
    accepts: [v2],
    extensions: { ...extensions, [IDENTIFIER_EXTENSION]: IDENTIFIER_OFFER },
  };
  const headers: Record<string, string> = { 'Cache-Control': 'no-store' };
  if (required !== undefined) headers['PAYMENT-REQUIRED'] = encodeHeader(required);
  return {
    headers,
    members: {
      paymentRequirements: paymentRequirements(quote, request, terms),
      x402Version: v1 && 1,
      accepts: v1 && [v1],
    },
    required,
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
    description: describe(quote, request.binding, terms.binding),
    extra: { decimals: terms.asset.decimals, ...bindingOf(request.binding, terms.binding) },
  };
}

function describe({ description }: Quote, binding: OfferedRequest['binding'], policy: BindingPolicy): string {
  if (policy !== 'require') return description;
  const memo = 'fingerprint' in binding ? 'the memo in extra.memo' : 'the memo that extra.binding describes';
  return `${description} The transfer must carry ${memo}.`;
}

/** The memo that binds the payment, or the recipe for it. */
function bindingOf(binding: OfferedRequest['binding'], policy: BindingPolicy): object {
  if (policy === 'off') return {};
  const how =
    'fingerprint' in binding ? { memo: memoOf(binding.fingerprint) } : { binding: memoRecipe(binding) };
  return policy === 'require' ? { ...how, memoRequired: true, withoutMemo: WITHOUT_MEMO } : how;
}

function memoRecipe({
  template,
  ...rules
}: Extract<OfferedRequest['binding'], { template: unknown }>): object {
  return { prefix: MEMO_PREFIX, algorithm: ALGORITHM, formula: FORMULA, request: template, ...rules };
}

/** The description of the request in each entry of version 1. */
export interface DescribedResource {
  readonly resource: string;
  readonly description: string;
  readonly mimeType: string;
}

/**
 * An entry of `accepts`, which a facilitator also verifies against; undefined when the facilitator does not support the
 * version. It names no memo, because clients of version 1 add none and would be rejected. Their transaction is unknown
 * before the broadcast, so it needs none.
 *
 * @param feePayer replaces the one that the facilitator named last
 */
export function acceptsEntry(
  version: 1 | 2,
  amount: bigint,
  terms: Pick<OfferTerms, 'rule' | 'network' | 'asset' | 'kinds'>,
  described?: DescribedResource,
  feePayer?: string,
): Readonly<Record<string, unknown>> | undefined {
  const { rule, network, asset, kinds } = terms;
  const kind = findKind(kinds, version, network);
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

/** JSON in base64, the form of x402 headers. */
export function encodeHeader(value: unknown): string {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}
