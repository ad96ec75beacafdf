// For pages whose wallets cannot build, send or find a transaction themselves: POST /payment/transaction makes the
// transfer ready to sign, POST /payment/send hands the signed one to the network, POST /payment/find looks for one that
// may have been made. None holds a key, and nothing but exact transfers to the pay-to wallet passes.
import { fingerprintIn, type PaymentKey } from '@grainline/x402';
import { type Deployment, findTier, isSold, type TierEntry, tierNames } from '../catalog.ts';
import { Fault } from '../errors.ts';

/** What is to be paid, and by whom. */
export interface TransferOrder {
  /** Address of the wallet that pays. */
  readonly payer: string;
  /** Amount in the smallest unit of the asset. */
  readonly amount: bigint;
  readonly memo?: string;
}

/** Transfers to the pay-to wallet. */
export interface Transfers {
  /**
   * The transfer, unsigned, in base64, and the last block height at which the network takes it.
   *
   * @throws Fault `invalid_transfer`
   * @throws PaymentProblem `chain_unavailable`
   */
  prepare(
    order: TransferOrder,
    signal: AbortSignal,
  ): Promise<{ transaction: string; lastValidBlockHeight: bigint }>;
  /**
   * Hands a signed transfer to the network; resolves with its key. That it was sent does not mean that it is included.
   *
   * @param amounts what may be paid
   * @throws Fault `invalid_transfer`
   * @throws PaymentProblem `chain_unavailable`
   */
  send(transaction: string, amounts: readonly bigint[], signal: AbortSignal): Promise<PaymentKey>;
  /**
   * Looks for a payment by its memo.
   *
   * @throws PaymentProblem `chain_unavailable`
   */
  find(wanted: WantedTransfer, signal: AbortSignal): Promise<FoundTransfer>;
}

/** A transfer that may have been made. */
export interface WantedTransfer {
  readonly memo: string;
  /** Least amount that it pays, in the smallest unit of the asset. */
  readonly amount: bigint;
  /** The last block height at which the network takes it; absent when nobody knows. */
  readonly lastValidBlockHeight?: bigint;
  /** Payments with the same memo that are used up. */
  readonly except?: readonly PaymentKey[];
}

/** `unpaid` when it was not made and no longer can be; `unknown` when it may still come. */
export type FoundTransfer =
  { readonly kind: 'paid'; readonly key: PaymentKey } | { readonly kind: 'unknown' | 'unpaid' };

/** Fields of `POST /payment/transaction`. */
export interface AskedTransfer {
  readonly payer: string;
  readonly tier: TierEntry;
  readonly memo?: string;
}

/** Longest address and transaction that are looked at, in characters: what is longer is none. */
const MAX_ADDRESS = 44;
const MAX_TRANSACTION = 4096;
/** Longest signature, and how many a client may name. */
const MAX_KEY = 88;
const MAX_EXCEPT = 16;

/** The fields of `POST /payment/transaction` as they are described, `tier` apart. */
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

/** The fields of `POST /payment/find` as they are described, `tier` apart. */
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

/** @throws Fault `invalid_fields` */
export function readTransferOrder(
  members: ReadonlyMap<string, unknown>,
  deployment: Deployment,
): AskedTransfer {
  const faults = unknownMembers(members, ['payer', 'tier', 'memo']);
  const payer = members.get('payer');
  const memo = members.get('memo');
  if (!isShortText(payer, MAX_ADDRESS)) faults.push('payer must be the address of a wallet');
  const tier = readSoldTier(members, deployment, faults);
  if (memo !== undefined && !isMemo(memo)) faults.push(NO_MEMO);
  if (faults.length > 0 || tier === undefined)
    throw new Fault('invalid_fields', { detail: faults.join('; ') });
  // Both were checked above.
  return { payer: payer as string, tier, ...(memo === undefined ? {} : { memo: memo as string }) };
}

/** Fields of `POST /payment/find`. @throws Fault `invalid_fields` */
export function readWantedTransfer(
  members: ReadonlyMap<string, unknown>,
  deployment: Deployment,
): Omit<WantedTransfer, 'amount'> & { readonly tier: TierEntry } {
  const faults = unknownMembers(members, ['memo', 'tier', 'last_valid_block_height', 'except']);
  const memo = members.get('memo');
  const height = members.get('last_valid_block_height');
  if (!isMemo(memo)) faults.push(NO_MEMO);
  const tier = readSoldTier(members, deployment, faults);
  if (height !== undefined && !(Number.isSafeInteger(height) && Number(height) >= 0))
    faults.push('last_valid_block_height must be the number that came with the transaction');
  const except = members.get('except') ?? [];
  if (
    !Array.isArray(except) ||
    except.length > MAX_EXCEPT ||
    !except.every((key) => isShortText(key, MAX_KEY))
  )
    faults.push(`except must be a list of at most ${MAX_EXCEPT} signatures`);
  if (faults.length > 0 || tier === undefined)
    throw new Fault('invalid_fields', { detail: faults.join('; ') });
  const known = height === undefined ? {} : { lastValidBlockHeight: BigInt(height as number) };
  return { memo: memo as string, tier, except: except as readonly PaymentKey[], ...known };
}

const NO_MEMO = 'memo must be one that an offer names, or that its binding makes';

function isMemo(value: unknown): value is string {
  return typeof value === 'string' && fingerprintIn(value) !== null;
}

function readSoldTier(
  members: ReadonlyMap<string, unknown>,
  deployment: Deployment,
  faults: string[],
): TierEntry | undefined {
  const named = members.get('tier');
  const tier = typeof named === 'string' ? findTier(deployment, named) : undefined;
  if (tier === undefined || !isSold(tier))
    faults.push(`tier must be one that is paid for, of ${tierNames(deployment).join(', ')}`);
  return tier;
}

/** The field `transaction` of `POST /payment/send`. @throws Fault `invalid_fields` */
export function readSignedTransaction(members: ReadonlyMap<string, unknown>): string {
  const faults = unknownMembers(members, ['transaction']);
  const transaction = members.get('transaction');
  if (isShortText(transaction, MAX_TRANSACTION) && faults.length === 0) return transaction;
  if (faults.length === 0) faults.push('transaction must be a signed transaction in base64');
  throw new Fault('invalid_fields', { detail: faults.join('; ') });
}

function unknownMembers(members: ReadonlyMap<string, unknown>, known: readonly string[]): string[] {
  const unknown = [...members.keys()].filter((name) => !known.includes(name));
  // One is enough to see what is wrong, and a body could name thousands.
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
