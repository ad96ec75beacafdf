// Transfers for web apps whose wallets cannot build, send or find a transaction: POST /payment/transaction prepares the
// transfer, POST /payment/send relays the signed one, POST /payment/find looks for an earlier one. None holds a key,
// and only exact transfers to the pay-to wallet pass.
import { fingerprintIn, type PaymentKey } from '@grainline/x402';
import { type Deployment, findTier, isPaid, type TierEntry, tierNames } from '../catalog.ts';
import { HttpError } from '../errors/http-error.ts';

/** A transfer: amount and payer. */
export interface TransferRequest {
  /** Address of the wallet that pays. */
  readonly payer: string;
  /** Amount in the smallest unit of the asset. */
  readonly amount: bigint;
  readonly memo?: string | undefined;
}

/** Transfers to the pay-to wallet. */
export interface TransferPort {
  /**
   * The transfer, unsigned, in base64, and the last block height at which the network takes it.
   *
   * @throws HttpError `invalid_transfer`
   * @throws PaymentProblem `chain_unavailable`
   */
  prepare(
    order: TransferRequest,
    signal: AbortSignal,
  ): Promise<{ transaction: string; lastValidBlockHeight: bigint }>;
  /**
   * Sends a signed transfer to the network; resolves with its key. A sent transfer may still not be included.
   *
   * @param amounts what may be paid
   * @throws HttpError `invalid_transfer`
   * @throws PaymentProblem `chain_unavailable`
   */
  send(transaction: string, amounts: readonly bigint[], signal: AbortSignal): Promise<PaymentKey>;
  /**
   * Looks for a payment by its memo.
   *
   * @throws PaymentProblem `chain_unavailable`
   */
  find(wanted: TransferSearch, signal: AbortSignal): Promise<TransferSearchResult>;
}

/** The search for a transfer that may exist. */
export interface TransferSearch {
  readonly memo: string;
  /** Its least amount, in the smallest unit of the asset. */
  readonly amount: bigint;
  /** The last block height at which the network accepts it, if known. */
  readonly lastValidBlockHeight?: bigint | undefined;
  /** Payments with the same memo that are used up. */
  readonly except?: readonly PaymentKey[] | undefined;
}

/** `unpaid`: the transfer does not exist and can no longer be included. `unknown`: it may still come. */
export type TransferSearchResult =
  { readonly kind: 'paid'; readonly key: PaymentKey } | { readonly kind: 'unknown' | 'unpaid' };

/** Fields of `POST /payment/transaction`. */
export interface RequestedTransfer {
  readonly payer: string;
  readonly tier: TierEntry;
  readonly memo?: string | undefined;
}

/** Longest address and transaction, in characters. */
const MAX_ADDRESS = 44;
const MAX_TRANSACTION = 4096;
/** Longest signature, and most signatures in `except`. */
const MAX_KEY = 88;
const MAX_EXCEPT = 16;

/** The described fields of `POST /payment/transaction`, without `tier`. */
export const TRANSFER_FIELDS = {
  payer: {
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: MAX_ADDRESS,
      description: 'Address of the wallet that pays and signs.',
    },
  },
  memo: {
    schema: {
      type: 'string',
      description: 'Memo of the transfer: the one that an offer names, or that its binding makes.',
    },
  },
} as const;

/** The described fields of `POST /payment/find`, without `tier`. */
export const WANTED_FIELDS = {
  memo: TRANSFER_FIELDS.memo,
  last_valid_block_height: {
    schema: {
      type: 'integer',
      minimum: 0,
      description: 'Came with the prepared transfer: after this height it can no longer be made.',
    },
  },
  except: {
    schema: {
      type: 'array',
      items: { type: 'string', minLength: 1, maxLength: MAX_KEY },
      maxItems: MAX_EXCEPT,
      description: 'Signatures of payments with this memo that are used up.',
    },
  },
} as const;

/** @throws HttpError `invalid_fields` */
export function readTransferRequest(
  members: ReadonlyMap<string, unknown>,
  deployment: Deployment,
): RequestedTransfer {
  const issues = unknownMembers(members, ['payer', 'tier', 'memo']);
  const payer = members.get('payer');
  const memo = members.get('memo');
  if (!isShortText(payer, MAX_ADDRESS)) issues.push('payer must be the address of a wallet');
  const tier = readSoldTier(members, deployment, issues);
  if (memo !== undefined && !isMemo(memo)) issues.push(NO_MEMO);
  if (issues.length > 0 || tier === undefined)
    throw new HttpError('invalid_fields', { detail: issues.join('; ') });
  // Both were checked above.
  return { payer: payer as string, tier, memo: memo as string | undefined };
}

/** Fields of `POST /payment/find`. @throws HttpError `invalid_fields` */
export function readTransferSearch(
  members: ReadonlyMap<string, unknown>,
  deployment: Deployment,
): Omit<TransferSearch, 'amount'> & { readonly tier: TierEntry } {
  const issues = unknownMembers(members, ['memo', 'tier', 'last_valid_block_height', 'except']);
  const memo = members.get('memo');
  const height = members.get('last_valid_block_height');
  if (!isMemo(memo)) issues.push(NO_MEMO);
  const tier = readSoldTier(members, deployment, issues);
  if (height !== undefined && !(Number.isSafeInteger(height) && Number(height) >= 0))
    issues.push('last_valid_block_height must be the number that came with the transaction');
  const except = members.get('except') ?? [];
  if (
    !Array.isArray(except) ||
    except.length > MAX_EXCEPT ||
    !except.every((key) => isShortText(key, MAX_KEY))
  )
    issues.push(`except must be a list of at most ${MAX_EXCEPT} signatures`);
  if (issues.length > 0 || tier === undefined)
    throw new HttpError('invalid_fields', { detail: issues.join('; ') });
  const lastValidBlockHeight = height === undefined ? undefined : BigInt(height as number);
  return { memo: memo as string, tier, except: except as readonly PaymentKey[], lastValidBlockHeight };
}

const NO_MEMO = 'memo must be one that an offer names, or that its binding makes';

function isMemo(value: unknown): value is string {
  return typeof value === 'string' && fingerprintIn(value) !== null;
}

function readSoldTier(
  members: ReadonlyMap<string, unknown>,
  deployment: Deployment,
  issues: string[],
): TierEntry | undefined {
  const named = members.get('tier');
  const tier = typeof named === 'string' ? findTier(deployment, named) : undefined;
  if (tier === undefined || !isPaid(tier))
    issues.push(`tier must be one that is paid for, of ${tierNames(deployment).join(', ')}`);
  return tier;
}

/** The field `transaction` of `POST /payment/send`. @throws HttpError `invalid_fields` */
export function readSignedTransaction(members: ReadonlyMap<string, unknown>): string {
  const issues = unknownMembers(members, ['transaction']);
  const transaction = members.get('transaction');
  if (isShortText(transaction, MAX_TRANSACTION) && issues.length === 0) return transaction;
  if (issues.length === 0) issues.push('transaction must be a signed transaction in base64');
  throw new HttpError('invalid_fields', { detail: issues.join('; ') });
}

function unknownMembers(members: ReadonlyMap<string, unknown>, known: readonly string[]): string[] {
  const unknown = [...members.keys()].filter((name) => !known.includes(name));
  // One name suffices, and a body could have thousands.
  return unknown
    .slice(0, 1)
    .map(
      (name) =>
        `${JSON.stringify(name.slice(0, 40))} is not a field of this request (${known.join(', ')} are)`,
    );
}

function isShortText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= most;
}
