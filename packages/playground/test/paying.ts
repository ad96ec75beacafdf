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
import { x402Client, x402HTTPClient } from '@x402/core/client';
import { SOLANA_MAINNET_CAIP2 } from '@x402/svm';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import { ExactSvmSchemeV1 } from '@x402/svm/exact/v1/client';
import { TOKEN_PROGRAM, USDC_MINT } from '../src/chain/addresses.ts';
import type { Playground } from '../src/playground.ts';
import type { RpcServer } from '../src/rpc/server.ts';
import type { Wallet } from '../src/wallets.ts';

export type Rpc = ReturnType<typeof rpcOf>;

export function rpcOf(endpoint: Pick<RpcServer, 'url'>) {
  return createSolanaRpc(endpoint.url);
}

export function subscriptionsOf(endpoint: Pick<RpcServer, 'webSocketUrl'>) {
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
  endpoint: Pick<RpcServer, 'url' | 'webSocketUrl'>,
  transaction: Awaited<ReturnType<typeof sign>>,
): Promise<Signature> {
  const rpc = rpcOf(endpoint);
  const rpcSubscriptions = subscriptionsOf(endpoint);
  await sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions })(transaction, { commitment: 'confirmed' });
  return getSignatureFromTransaction(transaction);
}

/** The header with which the official client answers a 402. Nothing is paid before somebody settles it. */
export async function officialProof(
  { chain }: Pick<Playground, 'chain'>,
  { signer }: Wallet,
  response: Response,
  version: 1 | 2,
): Promise<Record<string, string>> {
  const client = new x402Client();
  const config = { rpcUrl: chain.url };
  client.register(SOLANA_MAINNET_CAIP2, new ExactSvmScheme(signer, config));
  client.registerV1('solana', new ExactSvmSchemeV1(signer, config));
  const http = new x402HTTPClient(client);
  const body: unknown = await response.json();
  const required = http.getPaymentRequiredResponse(
    (name) => (version === 2 ? response.headers.get(name) : null),
    version === 1 ? body : undefined,
  );
  return http.encodePaymentSignatureHeader(await http.createPaymentPayload(required));
}
