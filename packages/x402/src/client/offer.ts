// Reads a 402 answer: is it an offer, may it be paid, and what binds the payment to the request. The server is not
// trusted: whatever it asks for is held against what the payer allows, before anything is paid.
import { type CanonicalRequest, fingerprintIn, MEMO_PREFIX } from '../binding.ts';
import type { ImpliedOptions } from '../gate.ts';
import { PayingError } from './errors.ts';
import type { PaymentOrder } from './pay.ts';

/** What the payer allows. */
export interface Allowance {
  /** Most that one request may cost, in the smallest unit of the asset. */
  readonly maxAmount: bigint;
  /** Asset by network. */
  readonly assets: Readonly<Record<string, string>>;
  /** The one address that may be paid; any when absent. */
  readonly payTo?: string | undefined;
}

/** An offer that may be paid. */
export interface Offered {
  readonly order: Omit<PaymentOrder, 'memo'>;
  /** What binds: a ready memo, a template for the client to complete, or nothing (servers that do not bind). */
  readonly binding: { readonly memo: string } | Template | null;
}

/** Address of USDC on the networks of the specification; a play chain has it where the mainnet does. */
export const USDC = {
  'solana-mainnet': 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  'solana-devnet': '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
  'solana-localnet': 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
} as const satisfies Readonly<Record<string, string>>;

/** What a client completes and hashes. */
export interface Template {
  readonly template: CanonicalRequest;
  readonly implied: readonly ImpliedOptions[];
}

/** Addresses are 32 bytes in base58. */
const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
/** Digits of an amount; the largest that a token account can hold has 20. */
const AMOUNT = /^[1-9]\d{0,19}$/;
const USDC_DECIMALS = 6;
/** The largest that the token program allows. */
const MAX_DECIMALS = 255;
/** Templates are a few hundred characters; what is far longer is no template. */
const MAX_TEXT = 4096;
const MAX_DEPTH = 4;
const MAX_IMPLIED = 16;

/**
 * The offer in the body of a 402 answer.
 *
 * @throws PayingError `malformed_offer`, `network_not_allowed`, `asset_not_allowed`, `recipient_not_allowed`,
 *   `price_too_high`
 */
export function readOffer(body: unknown, { maxAmount, assets, payTo }: Allowance): Offered {
  const offer = isObject(body) ? body['paymentRequirements'] : undefined;
  if (!isObject(offer)) throw malformed('its 402 answer has no paymentRequirements');
  if (offer['x402Version'] !== undefined && offer['x402Version'] !== 1)
    throw malformed(`its x402Version is ${shown(offer['x402Version'])}, and only 1 is known`);
  if (offer['scheme'] !== 'exact')
    throw malformed(`its scheme is ${shown(offer['scheme'])}, and only "exact" is known`);
  const amount = offer['maxAmountRequired'];
  if (typeof amount !== 'string' || !AMOUNT.test(amount))
    throw malformed(`its maxAmountRequired is ${shown(amount)}, and must be digits`);
  if (typeof offer['payTo'] !== 'string' || !ADDRESS.test(offer['payTo']))
    throw malformed(`its payTo is ${shown(offer['payTo'])}, and must be an address`);
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
  if (typeof network !== 'string') throw malformed(`its network is ${shown(network)}`);
  if (Object.hasOwn(assets, network)) return network;
  const allowed = Object.keys(assets).join(', ');
  throw new PayingError('network_not_allowed', { detail: `${shown(network)}; allowed: ${allowed}` });
}

function readAsset(asset: unknown, network: unknown, assets: Allowance['assets']): string {
  if (asset === assets[network as string]) return asset as string;
  if (typeof asset !== 'string' || !ADDRESS.test(asset)) throw malformed(`its asset is ${shown(asset)}`);
  throw new PayingError('asset_not_allowed', { detail: asset });
}

function readDecimals(decimals: unknown): number {
  if (decimals === undefined) return USDC_DECIMALS;
  if (Number.isInteger(decimals) && Number(decimals) >= 0 && Number(decimals) <= MAX_DECIMALS)
    return decimals as number;
  throw malformed(`its extra.decimals is ${shown(decimals)}`);
}

function readBinding(extra: Readonly<Record<string, unknown>>): Offered['binding'] {
  const { memo, binding } = extra;
  if (memo !== undefined) {
    if (typeof memo === 'string' && fingerprintIn(memo) !== null) return { memo };
    throw malformed(`its extra.memo is ${shown(memo)}`);
  }
  if (binding === undefined) return null;
  if (!isObject(binding)) throw malformed('its extra.binding is no object');
  const { prefix, request } = binding;
  // The prefix names the version of the formula; what stands beside it is for people.
  if (prefix !== MEMO_PREFIX) throw malformed(`it binds by ${shown(prefix)}, which is not known`);
  if (!isCanonical(request, MAX_DEPTH)) throw malformed('its extra.binding.request is no object of texts');
  return { template: request, implied: readImplied(binding['implied']) };
}

function readImplied(value: unknown): Template['implied'] {
  if (value === undefined) return [];
  const isRule = (rule: unknown): rule is ImpliedOptions =>
    isObject(rule) && [rule['when'], rule['options']].every((part) => isCanonical(part, 1));
  if (!Array.isArray(value) || value.length > MAX_IMPLIED || !value.every(isRule))
    throw malformed('its extra.binding.implied is no list of options');
  return value;
}

function isCanonical(value: unknown, depth: number): value is CanonicalRequest {
  if (!isObject(value) || depth === 0) return false;
  return Object.values(value).every((member) =>
    typeof member === 'string' ? member.length <= MAX_TEXT : isCanonical(member, depth - 1),
  );
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function malformed(detail: string): PayingError {
  return new PayingError('malformed_offer', { detail });
}

/** Short, and without what could end a line. */
function shown(value: unknown): string {
  // JSON has no word for undefined.
  const text = (JSON.stringify(value) as string | undefined) ?? 'missing';
  return text.length <= 60 ? text : `${text.slice(0, 59).toWellFormed()}…`;
}
