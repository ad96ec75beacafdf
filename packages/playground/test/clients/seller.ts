// The service that the clients under test pay. `npm run test:clients` names a running grainline server, its chain and a
// wallet in the environment. Without them a stand-in makes offers and settles as the server does.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import { type ReceiptKeySet, verifyReceipt } from '@grainline/client/receipts';
import { expect } from 'vitest';
import { createKeyPairSignerFromBytes, type KeyPairSigner, type Signature } from '@solana/kit';
import { SOLANA_MAINNET_CAIP2 } from '@x402/svm';
import { TOKEN_PROGRAM, USDC_MINT } from '../../src/chain/addresses.ts';
import { type Playground, startPlayground } from '../../src/playground.ts';
import { rpcOf } from '../paying.ts';

/** A service that sells, and a wallet that can pay it. */
export interface Seller {
  readonly url: string;
  readonly rpcUrl: string;
  readonly webSocketUrl: string;
  readonly signer: KeyPairSigner;
  readonly keypair: Uint8Array;
  /** True for the stand-in, which estimates and signs nothing. */
  readonly isStandIn: boolean;
  stop(): Promise<void>;
}

const peers = createRequire(new URL('../../peers/package.json', import.meta.url));

/** Imports a client; null where the clients are not installed. */
export async function importPeer<T>(name: string): Promise<T | null> {
  let path: string;
  try {
    path = peers.resolve(name);
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code;
    if (missing === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
  return (await import(pathToFileURL(path).href)) as T;
}

/** Opens the service that the environment names, or a stand-in. */
export async function openSeller(): Promise<Seller> {
  const { GRAINLINE_URL, SOLANA_RPC_URLS, GRAINLINE_KEYPAIR } = process.env;
  if (GRAINLINE_URL === undefined) return await openStandIn();
  if (SOLANA_RPC_URLS === undefined || GRAINLINE_KEYPAIR === undefined)
    throw new Error('GRAINLINE_URL needs SOLANA_RPC_URLS and GRAINLINE_KEYPAIR beside it');
  const keypair = Uint8Array.from(JSON.parse(await readFile(GRAINLINE_KEYPAIR, 'utf8')) as number[]);
  return {
    url: GRAINLINE_URL,
    rpcUrl: SOLANA_RPC_URLS,
    webSocketUrl: SOLANA_RPC_URLS.replace(/^http/, 'ws'),
    keypair,
    signer: await createKeyPairSignerFromBytes(keypair),
    isStandIn: false,
    stop: () => Promise.resolve(),
  };
}

/** A paid answer. */
interface Delivery {
  readonly chunks: readonly unknown[];
  readonly payment: { readonly transaction: string; readonly receipt?: string };
}

/** Checks the receipt of an answer with the published keys; a stand-in gives none. */
export async function expectReceipt(
  { url, isStandIn }: Pick<Seller, 'url' | 'isStandIn'>,
  { chunks, payment: { transaction, receipt = '' } }: Delivery,
  paid: { readonly amount: string; readonly payer: string },
): Promise<void> {
  if (isStandIn) return;
  const keys = (await (await fetch(`${url}/.well-known/jwks.json`)).json()) as ReceiptKeySet;
  expect(await verifyReceipt(receipt, keys, { chunks })).toMatchObject({
    ...paid,
    transaction,
    tier: 'structure',
  });
  await expect(verifyReceipt(receipt, keys, { chunks: [...chunks, {}] })).rejects.toThrow('other chunks');
}

const PRICE = 2_000n;

async function openStandIn(): Promise<Seller> {
  const playground = await startPlayground({ chain: { slotMs: 20 } });
  const server = createServer((request, response) => {
    void serve(playground, request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const [payer] = playground.payers;
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    rpcUrl: playground.chain.url,
    webSocketUrl: playground.chain.webSocketUrl,
    keypair: payer!.keypair,
    signer: payer!.signer,
    isStandIn: true,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await playground.stop();
    },
  };
}

async function serve(
  playground: Playground,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const resource = `http://${request.headers.host}${request.url}`;
  await new Promise((resolve) => request.on('end', resolve).resume());
  const paid = await settled(playground, request, resource);
  if (paid === null) {
    const { header, body } = offer(playground, resource);
    response.writeHead(402, { 'content-type': 'application/json', 'payment-required': header });
    response.end(JSON.stringify(body));
    return;
  }
  const receipt = Buffer.from(JSON.stringify({ success: true, ...paid })).toString('base64');
  response.writeHead(200, {
    'content-type': 'application/json',
    'x-payment-response': receipt,
    'payment-response': receipt,
  });
  response.end(JSON.stringify({ success: true, chunks: [{ text: 'sold' }], payment: paid }));
}

/** One 402 for every dialect: the raw one and both versions of x402. */
function offer({ payTo, facilitator }: Playground, resource: string) {
  const common = { scheme: 'exact', payTo: payTo.address, asset: USDC_MINT, maxTimeoutSeconds: 60 };
  const extra = { feePayer: facilitator.feePayer, decimals: 6 };
  const described = { resource, description: 'A stand-in.', mimeType: 'application/json' };
  const v1 = { ...common, ...described, network: 'solana', maxAmountRequired: String(PRICE), extra };
  const v2 = { ...common, network: SOLANA_MAINNET_CAIP2, amount: String(PRICE), extra };
  const required = {
    x402Version: 2,
    error: 'Payment Required',
    resource: { url: resource, description: 'A stand-in.', mimeType: 'application/json' },
    accepts: [v2],
  };
  const raw = {
    ...common,
    network: 'solana-localnet',
    maxAmountRequired: String(PRICE),
    extra: { decimals: 6 },
  };
  return {
    v1,
    v2,
    header: Buffer.from(JSON.stringify(required)).toString('base64'),
    body: { error: 'Payment Required', paymentRequirements: raw, x402Version: 1, accepts: [v1] },
  };
}

async function settled(
  playground: Playground,
  request: IncomingMessage,
  resource: string,
): Promise<{ readonly transaction: string; readonly payer: string } | null> {
  const proof = request.headers['payment-signature'] ?? request.headers['x-payment'];
  if (typeof proof !== 'string') return null;
  if (/^[1-9A-HJ-NP-Za-km-z]{86,88}$/.test(proof)) return await landed(playground, proof as Signature);
  const paymentPayload = JSON.parse(Buffer.from(proof, 'base64').toString('utf8')) as { x402Version: 1 | 2 };
  const offered = offer(playground, resource);
  const paymentRequirements = paymentPayload.x402Version === 1 ? offered.v1 : offered.v2;
  const answer = await fetch(`${playground.facilitator.url}/settle`, {
    method: 'POST',
    body: JSON.stringify({ x402Version: paymentPayload.x402Version, paymentPayload, paymentRequirements }),
  });
  const result = (await answer.json()) as { success: boolean; transaction: string; payer: string };
  return result.success ? { transaction: result.transaction, payer: result.payer } : null;
}

async function landed({ chain, payTo }: Playground, signature: Signature) {
  const paid = await creditOf(chain.url, signature, payTo.address);
  return paid !== null && paid.credited >= PRICE ? { transaction: signature, payer: paid.payer } : null;
}

/** The gain of a wallet by a transaction, from the chain's record; null when it is not confirmed, or failed. */
export async function creditOf(
  rpcUrl: string,
  signature: Signature,
  owner: string,
): Promise<{ readonly credited: bigint; readonly payer: string } | null> {
  const record = await rpcOf({ url: rpcUrl })
    .getTransaction(signature, {
      commitment: 'confirmed',
      encoding: 'json',
      maxSupportedTransactionVersion: 0,
    })
    .send();
  if (record?.meta?.err !== null) return null;
  const { preTokenBalances = [], postTokenBalances = [] } = record.meta;
  const held = (balances: typeof preTokenBalances) =>
    balances
      .filter(
        (entry) => entry.mint === USDC_MINT && entry.owner === owner && entry.programId === TOKEN_PROGRAM,
      )
      .reduce((sum, entry) => sum + BigInt(entry.uiTokenAmount.amount), 0n);
  return {
    credited: held(postTokenBalances) - held(preTokenBalances),
    payer: record.transaction.message.accountKeys[0] ?? '',
  };
}
