// Refunds of payments: the operator's own wallet makes the transfer, and this file describes it, finds it on the chain
// and checks it. The service holds no key.
import { type PaymentKey, systemClock } from '@grainline/x402';
import { SolanaInputError } from '@grainline/x402/solana';
import { type ChainSettings, SettingsError } from '../settings/settings.ts';
import { createChain, dollars } from './solana.ts';

/** A payment that is to be given back. */
export interface RefundablePayment {
  readonly key: PaymentKey;
  /** Address that gave the money. */
  readonly payer: string;
  /** In the smallest unit of the asset. */
  readonly credited: bigint;
  /** First record of the payment, in milliseconds since 1970. No refund is older. */
  readonly createdMs: number;
}

/** The transfer that gives a payment back. */
export interface RefundTransfer {
  readonly to: string;
  /** Amount in USDC, as wallets take it. */
  readonly amount: string;
  /** Address of the asset. */
  readonly asset: string;
  /** Names the payment: the transfer is found by it, and serves no other payment. */
  readonly memo: string;
  /** Link of Solana Pay. */
  readonly link: string;
  /** The same for Solana's command line. */
  readonly command: string;
}

/** The refund of one payment on the chain. Its methods reject with PaymentProblem `chain_unavailable`. */
export interface RefundChain {
  readonly transfer: RefundTransfer;
  /** The latest transfers with the memo that pay enough; null without one. */
  find(): Promise<PaymentKey | null>;
  /** The reason that a transaction is not the refund; null when it is, and is confirmed. */
  issueOf(signature: string): Promise<string | null>;
}

const MEMO_PREFIX = 'refund:1:';
/** A transfer of this moment is confirmed within a second or two. */
const WAIT_MS = 10_000;

/** @throws SettingsError */
export async function openRefundChain(
  settings: ChainSettings,
  { key, payer, credited, createdMs }: RefundablePayment,
): Promise<RefundChain> {
  // The payer is the recipient here: its gain is what the verification of payments computes.
  const chain = await createChain(settings, payer, systemClock.now).catch((error: unknown) => {
    throw error instanceof SolanaInputError ? new SettingsError(error.issues) : error;
  });
  const { signal } = new AbortController();
  const memo = MEMO_PREFIX + key;

  return {
    transfer: describeTransfer(payer, dollars(credited), chain.rule.asset, memo),
    async find() {
      const found = await chain.search({ memo, amount: credited, sinceMs: createdMs }, signal);
      return found.kind === 'paid' ? found.key : null;
    },
    async issueOf(signature) {
      const refund = chain.readKey(signature);
      if (refund === null) return 'it is no signature of a transaction.';
      const finding = await chain.find(refund, { waitMs: WAIT_MS, signal });
      if (finding.kind === 'failed') return 'the transaction failed and moved nothing.';
      if (finding.kind === 'unknown') return 'the network has not confirmed it. Try again in a moment.';
      if (finding.credited < credited)
        return `it gave ${payer} ${dollars(finding.credited)} USDC, not ${dollars(credited)}.`;
      const named = finding.memos.filter((text) => text.startsWith(MEMO_PREFIX));
      return named.length === 1 && named[0] === memo ? null : `its memo must be ${memo}, and the only one.`;
    },
  };
}

function describeTransfer(to: string, amount: string, asset: string, memo: string): RefundTransfer {
  const query = new URLSearchParams({ amount, 'spl-token': asset, memo });
  const command = `spl-token transfer --fund-recipient --with-memo ${memo} ${asset} ${amount} ${to}`;
  return { to, amount, asset, memo, link: `solana:${to}?${query.toString()}`, command };
}
