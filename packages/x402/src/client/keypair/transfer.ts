// A payment as a signed transaction: a checked transfer between two associated token accounts, and its memo.
import {
  type Address,
  appendTransactionMessageInstructions,
  type Base64EncodedWireTransaction,
  type BlockhashLifetimeConstraint,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type Instruction,
  type KeyPairSigner,
  pipe,
  setTransactionMessageComputeUnitLimit,
  setTransactionMessageComputeUnitPrice,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  type Signature,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { getTransferCheckedInstruction } from '@solana-program/token';
import { associatedTokenAccount, MEMO_PROGRAM } from '../../chains/solana/programs.ts';
import type { PaymentOrder } from '../pay.ts';

/** A payment, ready to be broadcast. */
export interface SignedTransfer {
  readonly signature: Signature;
  readonly transaction: Base64EncodedWireTransaction;
  /** Height of the last block that may include it. */
  readonly lastValidBlockHeight: bigint;
}

/** A transfer takes about 6,000 units, a memo of 51 characters some 20,000. */
const COMPUTE_UNITS = 100_000;

/**
 * Signs a payment. Sends nothing.
 *
 * @param feePerUnit price of a unit of compute above the fixed fee, in millionths of a lamport; 0 for none
 */
export async function signTransfer(
  { payTo, amount, asset, decimals, memo }: PaymentOrder,
  payer: KeyPairSigner,
  { blockhash, feePerUnit }: { blockhash: BlockhashLifetimeConstraint; feePerUnit: bigint },
): Promise<SignedTransfer> {
  const transfer = getTransferCheckedInstruction({
    source: await associatedTokenAccount(payer.address, asset),
    mint: asset as Address,
    destination: await associatedTokenAccount(payTo, asset),
    authority: payer,
    amount,
    decimals,
  });
  const memoInstruction: Instruction = {
    programAddress: MEMO_PROGRAM,
    data: new TextEncoder().encode(memo),
  };
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayerSigner(payer, empty),
    (started) => setTransactionMessageLifetimeUsingBlockhash(blockhash, started),
    (timed) => appendTransactionMessageInstructions([transfer, memoInstruction], timed),
    (whole) => setTransactionMessageComputeUnitLimit(COMPUTE_UNITS, whole),
    (limited) => (feePerUnit > 0n ? setTransactionMessageComputeUnitPrice(feePerUnit, limited) : limited),
  );
  const signed = await signTransactionMessageWithSigners(message);
  return {
    signature: getSignatureFromTransaction(signed),
    transaction: getBase64EncodedWireTransaction(signed),
    lastValidBlockHeight: blockhash.lastValidBlockHeight,
  };
}
