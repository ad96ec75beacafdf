// One payment as a signed transaction: a checked transfer between two associated token accounts, and its memo.
import {
  type Address,
  appendTransactionMessageInstructions,
  assertIsAddress,
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
import {
  findAssociatedTokenPda,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import type { PaymentOrder } from '../pay.ts';

/** A payment, ready to be broadcast. */
export interface SignedTransfer {
  readonly signature: Signature;
  readonly transaction: Base64EncodedWireTransaction;
  /** Height of the last block that may include it. */
  readonly lastValidBlockHeight: bigint;
}

/** The memo program of 2021. Facilitators and servers know it; the default of newer packages they may not. */
const MEMO_PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr' as Address;
/** A transfer takes about 6,000 units, a memo of 51 characters some 20,000. */
const COMPUTE_UNITS = 100_000;

/** The account of a wallet that holds an asset. */
export async function tokenAccountOf(owner: string, asset: string): Promise<Address> {
  assertIsAddress(owner);
  assertIsAddress(asset);
  const seeds = { owner, mint: asset, tokenProgram: TOKEN_PROGRAM_ADDRESS };
  const [account] = await findAssociatedTokenPda(seeds);
  return account;
}

/**
 * Signs a payment. Nothing is sent.
 *
 * @param feePerUnit what a unit of compute is paid above the fixed fee, in millionths of a lamport; 0 is none
 */
export async function signTransfer(
  { payTo, amount, asset, decimals, memo }: PaymentOrder,
  payer: KeyPairSigner,
  { blockhash, feePerUnit }: { blockhash: BlockhashLifetimeConstraint; feePerUnit: bigint },
): Promise<SignedTransfer> {
  const transfer = getTransferCheckedInstruction({
    source: await tokenAccountOf(payer.address, asset),
    mint: asset as Address,
    destination: await tokenAccountOf(payTo, asset),
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
