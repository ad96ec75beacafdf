// Payments as clients make them, for the tests: built, signed and sent by @solana/kit over HTTP and WebSocket.
import {
  type Address,
  appendTransactionMessageInstructions,
  assertIsTransactionWithBlockhashLifetime,
  createSolanaRpc,
  createSolanaRpcSubscriptions,
  createTransactionMessage,
  getSignatureFromTransaction,
  type Instruction,
  type KeyPairSigner,
  pipe,
  sendAndConfirmTransactionFactory,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  type Signature,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { findAssociatedTokenPda, getTransferCheckedInstruction } from '@solana-program/token';
import { TOKEN_PROGRAM, USDC_MINT } from '../src/chain/addresses.ts';
import type { Endpoint } from '../src/rpc/server.ts';

export type Rpc = ReturnType<typeof rpcOf>;

export function rpcOf(endpoint: Pick<Endpoint, 'url'>) {
  return createSolanaRpc(endpoint.url);
}

export function subscriptionsOf(endpoint: Pick<Endpoint, 'webSocketUrl'>) {
  return createSolanaRpcSubscriptions(endpoint.webSocketUrl);
}

export async function usdcAccountOf(owner: Address): Promise<Address> {
  return (await findAssociatedTokenPda({ mint: USDC_MINT, owner, tokenProgram: TOKEN_PROGRAM }))[0];
}

export async function transfer(from: KeyPairSigner, to: Address, amount: bigint): Promise<Instruction> {
  return getTransferCheckedInstruction({
    source: await usdcAccountOf(from.address),
    mint: USDC_MINT,
    destination: await usdcAccountOf(to),
    authority: from,
    amount,
    decimals: 6,
  });
}

export async function sign(
  rpc: Rpc,
  payer: KeyPairSigner,
  instructions: readonly Instruction[],
  version: 'legacy' | 0 = 0,
) {
  const { value: lifetime } = await rpc.getLatestBlockhash().send();
  const message = pipe(
    createTransactionMessage({ version }),
    (empty) => setTransactionMessageFeePayerSigner(payer, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
    (alive) => appendTransactionMessageInstructions(instructions, alive),
  );
  const transaction = await signTransactionMessageWithSigners(message);
  assertIsTransactionWithBlockhashLifetime(transaction);
  return transaction;
}

/** Sends as unmodified clients do, and waits for `confirmed`. */
export async function sendAndConfirm(
  endpoint: Endpoint,
  transaction: Awaited<ReturnType<typeof sign>>,
): Promise<Signature> {
  const rpc = rpcOf(endpoint);
  const rpcSubscriptions = subscriptionsOf(endpoint);
  await sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions })(transaction, { commitment: 'confirmed' });
  return getSignatureFromTransaction(transaction);
}
