// Reads the offer of a 402 answer. The server is not trusted: every term is checked against the payer's allowance
// before a payment.
import { type CanonicalRequest, fingerprintIn, MEMO_PREFIX } from '../gate/binding.ts';
import type { ImpliedOptions } from '../gate/gate.ts';
import { isObject } from '../gate/json.ts';
import { USDC_DECIMALS } from '../chains/solana/usdc.ts';
import { PayingError } from './errors.ts';
import type { PaymentOrder } from './pay.ts';

/** The payer's limits. */
export interface Allowance {
  /** The most for one request, in the smallest unit of the asset. */
  readonly maxAmount: bigint;
  /** Asset by network. */
  readonly assets: Readonly<Record<string, string>>;
  /** The only allowed recipient; any when absent. */
  readonly payTo?: string | undefined;
}

/** An offer within the allowance. */
export interface AcceptedOffer {
  readonly order: Omit<PaymentOrder, 'memo'>;
  /** A ready memo, a template for the client to complete, or null for servers that do not bind. */
  readonly binding: { readonly memo: string } | BindingTemplate | null;
}

/** The template of a canonical request, which the client completes and hashes. */
export interface BindingTemplate {
  readonly template: CanonicalRequest;
  readonly implied: readonly ImpliedOptions[];
}

/** Addresses are 32 bytes in base58. */
const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
/** Digits of an amount; the largest balance of a token account has 20. */
const AMOUNT = /^[1-9]\d{0,19}$/;
/** The largest number of the token program. */
const MAX_DECIMALS = 255;
/** Templates have a few hundred characters. */
const MAX_TEXT = 4096;
const MAX_DEPTH = 4;
const MAX_IMPLIED = 16;

/**
 * The offer in the body of a 402 answer.
 *
 * @throws PayingError `malformed_offer`, `network_not_allowed`, `asset_not_allowed`, `recipient_not_allowed`,
 *   `price_too_high`
 */
export function readOffer(body: unknown, { maxAmount, assets, payTo }: Allowance): AcceptedOffer {
  const offer = isObject(body) ? body['paymentRequirements'] : undefined;
  if (!isObject(offer)) throw createMalformedError('its 402 answer has no paymentRequirements');
  if (offer['x402Version'] !== undefined && offer['x402Version'] !== 1)
    throw createMalformedError(`its x402Version is ${quote(offer['x402Version'])}, and only 1 is known`);
  if (offer['scheme'] !== 'exact')
    throw createMalformedError(`its scheme is ${quote(offer['scheme'])}, and only "exact" is known`);
  const amount = offer['maxAmountRequired'];
  if (typeof amount !== 'string' || !AMOUNT.test(amount))
    throw createMalformedError(`its maxAmountRequired is ${quote(amount)}, and must be digits`);
  if (typeof offer['payTo'] !== 'string' || !ADDRESS.test(offer['payTo']))
    throw createMalformedError(`its payTo is ${quote(offer['payTo'])}, and must be an address`);
  const extra = isObject(offer['extra']) ? offer['extra'] : {};
  const order = {
    payTo: offer['payTo'],
    amount: BigInt(amount),
    network: readNetwork(offer['network'], assets),
    asset: readAsset(offer['asset'], offer['network'], assets),
    decimals: readDecimals(extra['decimals']),
  };
  if (payTo !== undefined && order.payTo !== payTo)
    throw new PayingError('recipient_not_allowed', { detail: `${order.payTo} instead of ${payTo}` });
  if (order.amount > maxAmount) {
    const detail = `${order.amount}, and at most ${maxAmount} may be paid (in millionths of a USDC)`;
    throw new PayingError('price_too_high', { detail, amount: order.amount });
  }
  return { order, binding: readBinding(extra) };
}

function readNetwork(network: unknown, assets: Allowance['assets']): string {
  if (typeof network !== 'string') throw createMalformedError(`its network is ${quote(network)}`);
  if (Object.hasOwn(assets, network)) return network;
  const allowed = Object.keys(assets).join(', ');
  throw new PayingError('network_not_allowed', { detail: `${quote(network)}; allowed: ${allowed}` });
}

function readAsset(asset: unknown, network: unknown, assets: Allowance['assets']): string {
  if (asset === assets[network as string]) return asset as string;
  if (typeof asset !== 'string' || !ADDRESS.test(asset))
    throw createMalformedError(`its asset is ${quote(asset)}`);
  throw new PayingError('asset_not_allowed', { detail: asset });
}

function readDecimals(decimals: unknown): number {
  if (decimals === undefined) return USDC_DECIMALS;
  if (Number.isInteger(decimals) && Number(decimals) >= 0 && Number(decimals) <= MAX_DECIMALS)
    return decimals as number;
  throw createMalformedError(`its extra.decimals is ${quote(decimals)}`);
}

function readBinding(extra: Readonly<Record<string, unknown>>): AcceptedOffer['binding'] {
  const { memo, binding } = extra;
  if (memo !== undefined) {
    if (typeof memo === 'string' && fingerprintIn(memo) !== null) return { memo };
    throw createMalformedError(`its extra.memo is ${quote(memo)}`);
  }
  if (binding === undefined) return null;
  if (!isObject(binding)) throw createMalformedError('its extra.binding is no object');
  const { prefix, request } = binding;
  // The prefix names the version of the formula; the other members are for people.
  if (prefix !== MEMO_PREFIX) throw createMalformedError(`it binds by ${quote(prefix)}, which is not known`);
  if (!isCanonical(request, MAX_DEPTH))
    throw createMalformedError('its extra.binding.request is no object of texts');
  return { template: request, implied: readImplied(binding['implied']) };
}

function readImplied(value: unknown): BindingTemplate['implied'] {
  if (value === undefined) return [];
  const isRule = (rule: unknown): rule is ImpliedOptions =>
    isObject(rule) && [rule['when'], rule['options']].every((part) => isCanonical(part, 1));
  if (!Array.isArray(value) || value.length > MAX_IMPLIED || !value.every(isRule))
    throw createMalformedError('its extra.binding.implied is no list of options');
  return value;
}

function isCanonical(value: unknown, depth: number): value is CanonicalRequest {
  if (!isObject(value) || depth === 0) return false;
  return Object.values(value).every((member) =>
    typeof member === 'string' ? member.length <= MAX_TEXT : isCanonical(member, depth - 1),
  );
}

function createMalformedError(detail: string): PayingError {
  return new PayingError('malformed_offer', { detail });
}

/** A quotation of a value: short, and on one line. */
function quote(value: unknown): string {
  // `JSON.stringify` returns undefined for undefined.
  const text = (JSON.stringify(value) as string | undefined) ?? 'missing';
  return text.length <= 60 ? text : `${text.slice(0, 59).toWellFormed()}…`;
}
