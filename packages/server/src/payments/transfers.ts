// For pages whose wallets cannot build or send a transaction themselves: POST /payment/transaction makes the transfer
// ready to sign, POST /payment/send hands the signed one to the network. Neither holds a key, and nothing but exact
// transfers to the pay-to wallet passes.
import { fingerprintIn, type PaymentKey } from '@grainline/x402';
import { type Deployment, findTier, isSold, type TierEntry, tierNames } from '../catalog.ts';
import { Fault } from '../errors.ts';

/** What is to be paid, and by whom. */
export interface TransferOrder {
  /** Address of the wallet that pays. */
  readonly payer: string;
  /** In the smallest unit of the asset. */
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
}

/** Fields of `POST /payment/transaction`. */
export interface AskedTransfer {
  readonly payer: string;
  readonly tier: TierEntry;
  readonly memo?: string;
}

/** Longest address and transaction that are looked at, in characters: what is longer is none. */
const MAX_ADDRESS = 44;
const MAX_TRANSACTION = 4096;

/** @throws Fault `invalid_fields` */
export function readTransferOrder(
  members: ReadonlyMap<string, unknown>,
  deployment: Deployment,
): AskedTransfer {
  const faults = unknownMembers(members, ['payer', 'tier', 'memo']);
  const payer = members.get('payer');
  const memo = members.get('memo');
  const named = members.get('tier');
  const tier = typeof named === 'string' ? findTier(deployment, named) : undefined;
  if (!isShortText(payer, MAX_ADDRESS)) faults.push('payer must be the address of a wallet');
  if (tier === undefined || !isSold(tier))
    faults.push(`tier must be one that is paid for, of ${tierNames(deployment).join(', ')}`);
  if (memo !== undefined && (typeof memo !== 'string' || fingerprintIn(memo) === null))
    faults.push('memo must be one that an offer names, or that its binding makes');
  if (faults.length > 0 || tier === undefined)
    throw new Fault('invalid_fields', { detail: faults.join('; ') });
  // Both were checked above.
  return { payer: payer as string, tier, ...(memo === undefined ? {} : { memo: memo as string }) };
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
