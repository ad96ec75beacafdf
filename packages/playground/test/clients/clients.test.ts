// Clients of others, unmodified, each paying one and the same 402 on the play chain. `npm run test:clients` installs
// them and starts the server that sells; without it the tests are skipped.
import {
  type Address,
  getBase58Decoder,
  type Instruction,
  type KeyPairSigner,
  type Signature,
} from '@solana/kit';
import { beforeAll, describe, expect, it } from 'vitest';
import { MEMO_PROGRAM, TOKEN_PROGRAM, USDC_MINT } from '../../src/chain/addresses.ts';
import { rpcOf, sendAndConfirm, sign, transfer, usdcAccountOf } from '../paying.ts';
import { creditOf, expectReceipt, importPeer, openSeller, type Seller, SERVICE_URL } from './seller.ts';

type Fetch = typeof fetch;

interface X402Fetch {
  createSigner(network: string, privateKey: string): Promise<unknown>;
  wrapFetchWithPayment(
    fetch: Fetch,
    signer: unknown,
    most: undefined,
    select: undefined,
    config: { readonly svmConfig: { readonly rpcUrl: string } },
  ): Fetch;
}
interface X402FetchV2 {
  readonly x402Client: new () => {
    register(network: string, scheme: unknown): void;
    registerV1(network: string, scheme: unknown): void;
  };
  wrapFetchWithPayment(fetch: Fetch, client: unknown): Fetch;
}
interface X402Extensions {
  validateDiscoveryExtension(extension: unknown): { readonly valid: boolean; readonly errors?: string[] };
  validateDiscoveryExtensionSpec(extension: unknown): { readonly valid: boolean; readonly errors?: string[] };
}
type Scheme = new (signer: unknown, config: { readonly rpcUrl: string }) => unknown;
interface FaremeterFetch {
  wrap(fetch: Fetch, options: { readonly handlers: readonly unknown[] }): Fetch;
}
interface FaremeterExact {
  createPaymentHandler(wallet: unknown, mint: string, rpc: string): unknown;
}
interface X402Solana {
  createX402Client(config: object): { fetch: Fetch };
}
/** Of @solana/web3.js 1.x what is used here; its types come with its package alone. */
interface Web3 {
  readonly Connection: new (
    url: string,
    commitment: string,
  ) => {
    getLatestBlockhash(): Promise<{ readonly blockhash: string; readonly lastValidBlockHeight: number }>;
    sendRawTransaction(wire: Uint8Array): Promise<string>;
    confirmTransaction(
      strategy: object,
      commitment: string,
    ): Promise<{ readonly value: { readonly err: unknown } }>;
  };
  readonly Keypair: { fromSecretKey(bytes: Uint8Array): { readonly publicKey: unknown } };
  readonly PublicKey: new (address: string) => unknown;
  readonly Transaction: new (options: object) => {
    add(...instructions: unknown[]): void;
    sign(signer: unknown): void;
    serialize(): Uint8Array;
  };
  readonly TransactionInstruction: new (options: object) => unknown;
  readonly TransactionMessage: new (options: object) => { compileToV0Message(): unknown };
  readonly VersionedTransaction: new (message: unknown) => {
    sign(signers: readonly unknown[]): void;
    serialize(): Uint8Array;
  };
}

/** Imports all of them; null when one is missing. */
async function importClients() {
  const [x402Fetch, x402FetchV2, svm, svmV1, extensions, faremeter, faremeterExact, x402Solana, web3] =
    await Promise.all([
      importPeer<X402Fetch>('x402-fetch'),
      importPeer<X402FetchV2>('@x402/fetch'),
      importPeer<{ readonly ExactSvmScheme: Scheme }>('@x402/svm/exact/client'),
      importPeer<{ readonly ExactSvmSchemeV1: Scheme }>('@x402/svm/exact/v1/client'),
      importPeer<X402Extensions>('@x402/extensions/bazaar'),
      importPeer<FaremeterFetch>('@faremeter/fetch'),
      importPeer<FaremeterExact>('@faremeter/payment-solana/exact'),
      importPeer<X402Solana>('x402-solana/client'),
      importPeer<Web3>('@solana/web3.js'),
    ]);
  if (
    !x402Fetch ||
    !x402FetchV2 ||
    !svm ||
    !svmV1 ||
    !extensions ||
    !faremeter ||
    !faremeterExact ||
    !x402Solana ||
    !web3
  )
    return null;
  return { x402Fetch, x402FetchV2, svm, svmV1, extensions, faremeter, faremeterExact, x402Solana, web3 };
}

const clients = SERVICE_URL === undefined ? null : await importClients();

const MAINNET = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';

describe.skipIf(clients === null)('an unmodified client pays and gets chunks:', () => {
  let seller: Seller;
  beforeAll(async () => {
    seller = await openSeller();
  });

  const { x402Fetch, x402FetchV2, svm, svmV1, extensions, faremeter, faremeterExact, x402Solana, web3 } =
    // The body of a suite that is skipped runs all the same.
    clients ?? ({} as NonNullable<typeof clients>);

  /** A request for paid work, each on another text, so that no two are the same request. */
  function request(name: string): RequestInit {
    const body = JSON.stringify({
      text: `A text that ${name} sends. It has two sentences.`,
      tier: 'structure',
    });
    return { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  }

  interface OfferedPayment {
    readonly payTo: Address;
    readonly maxAmountRequired: string;
    readonly extra: { readonly memo?: string };
  }

  /** The price of a request, by its offer and by its estimate. */
  async function offerFor(init: RequestInit): Promise<OfferedPayment> {
    const response = await fetch(`${seller.url}/chunk`, init);
    expect(response.status).toBe(402);
    const { paymentRequirements: offer } = (await response.json()) as { paymentRequirements: OfferedPayment };
    const estimate = await fetch(`${seller.url}/estimate`, init);
    const { tiers } = (await estimate.json()) as { tiers: object[] };
    expect(tiers).toMatchObject([
      { id: 'structure', amount: Number(offer.maxAmountRequired), expected_chunks: 1, refusals: [] },
    ]);
    return offer;
  }

  /** Expects chunks, on the chain exactly the price, paid by our wallet, and a receipt of both. */
  async function expectSold(
    response: Response,
    offer: OfferedPayment,
    payer: string = seller.signer.address,
  ) {
    const text = await response.text();
    expect(response.status, text).toBe(200);
    const body = JSON.parse(text) as {
      success: boolean;
      chunks: unknown[];
      payment: { transaction: Signature; payer: string; receipt?: string };
    };
    expect(body.success).toBe(true);
    expect(body.chunks.length).toBeGreaterThan(0);
    const paid = await creditOf(seller.rpcUrl, body.payment.transaction, offer.payTo);
    expect(paid?.credited).toBe(BigInt(offer.maxAmountRequired));
    expect(body.payment.payer).toBe(payer);
    await expectReceipt(seller, body, { amount: offer.maxAmountRequired, payer });
  }

  /** Asks, pays through the client, and looks at the result. */
  async function buyWith(paying: Fetch, init: RequestInit): Promise<void> {
    const offer = await offerFor(init);
    await expectSold(await paying(`${seller.url}/chunk`, init), offer);
  }

  async function buyWithSignature(
    init: RequestInit,
    pay: (offer: OfferedPayment) => Promise<string>,
  ): Promise<void> {
    const offer = await offerFor(init);
    const signature = await pay(offer);
    const headers = { ...(init.headers as Record<string, string>), 'x-payment': signature };
    await expectSold(await fetch(`${seller.url}/chunk`, { ...init, headers }), offer);
  }

  function v2Client(): Fetch {
    const client = new x402FetchV2.x402Client();
    client.register(MAINNET, new svm.ExactSvmScheme(seller.signer, { rpcUrl: seller.rpcUrl }));
    return x402FetchV2.wrapFetchWithPayment(fetch, client);
  }

  it('@solana/kit, by a signature', async () => {
    await buyWithSignature(request('kit'), async ({ payTo, maxAmountRequired, extra }) => {
      const memo: Instruction[] =
        extra.memo === undefined
          ? []
          : [{ programAddress: MEMO_PROGRAM, data: new TextEncoder().encode(extra.memo) }];
      const paid = await transfer(seller.signer, payTo, BigInt(maxAmountRequired));
      const transaction = await sign(rpcOf({ url: seller.rpcUrl }), seller.signer, [paid, ...memo]);
      return await sendAndConfirm({ url: seller.rpcUrl, webSocketUrl: seller.webSocketUrl }, transaction);
    });
  });

  it.each(['legacy', 0] as const)(
    '@solana/web3.js 1.x, by a signature of a transaction of version %s with plain transfers',
    async (version) => {
      await buyWithSignature(request(`web3.js ${version}`), async ({ payTo, maxAmountRequired }) => {
        const payer = web3.Keypair.fromSecretKey(seller.keypair);
        const connection = new web3.Connection(seller.rpcUrl, 'confirmed');
        const latest = await connection.getLatestBlockhash();
        const source = await usdcAccountOf(seller.signer.address);
        const destination = await usdcAccountOf(payTo);
        const plain = (amount: bigint) => {
          const data = Buffer.alloc(9);
          data.writeUInt8(3);
          data.writeBigUInt64LE(amount, 1);
          const keys = [source, destination].map((key) => ({
            pubkey: new web3.PublicKey(key),
            isSigner: false,
            isWritable: true,
          }));
          keys.push({ pubkey: payer.publicKey, isSigner: true, isWritable: false });
          return new web3.TransactionInstruction({
            programId: new web3.PublicKey(TOKEN_PROGRAM),
            keys,
            data,
          });
        };
        const instructions = [plain(BigInt(maxAmountRequired) - 7n), plain(7n)];
        const wire = (() => {
          if (version === 'legacy') {
            const transaction = new web3.Transaction({ feePayer: payer.publicKey, ...latest });
            transaction.add(...instructions);
            transaction.sign(payer);
            return transaction.serialize();
          }
          const message = new web3.TransactionMessage({
            payerKey: payer.publicKey,
            recentBlockhash: latest.blockhash,
            instructions,
          });
          const transaction = new web3.VersionedTransaction(message.compileToV0Message());
          transaction.sign([payer]);
          return transaction.serialize();
        })();
        const signature = await connection.sendRawTransaction(wire);
        const { value } = await connection.confirmTransaction({ signature, ...latest }, 'confirmed');
        expect(value.err).toBeNull();
        return signature;
      });
    },
  );

  it('x402-fetch 1.2', async () => {
    const signer = await x402Fetch.createSigner('solana', getBase58Decoder().decode(seller.keypair));
    const svmConfig = { rpcUrl: seller.rpcUrl };
    await buyWith(
      x402Fetch.wrapFetchWithPayment(fetch, signer, undefined, undefined, { svmConfig }),
      request('x402-fetch'),
    );
  });

  it('@x402/fetch 2.27 by version 2', async () => {
    await buyWith(v2Client(), request('@x402/fetch'));
  });

  it('@x402/fetch 2.27 by version 1', async () => {
    const client = new x402FetchV2.x402Client();
    client.registerV1('solana', new svmV1.ExactSvmSchemeV1(seller.signer, { rpcUrl: seller.rpcUrl }));
    // A client that knows version 1 alone finds what it needs in the body, as from a server without the header.
    const withoutHeader: Fetch = async (input, init) => {
      const response = await fetch(input, init);
      const headers = new Headers(response.headers);
      headers.delete('payment-required');
      return new Response(response.body, { status: response.status, headers });
    };
    await buyWith(x402FetchV2.wrapFetchWithPayment(withoutHeader, client), request('@x402/fetch v1'));
  });

  it('@x402/extensions 2.27, whose facilitators list the call of each offer', async () => {
    const header = await fetch(`${seller.url}/chunk`, request('extensions'));
    const required = JSON.parse(atob(header.headers.get('payment-required') ?? '')) as {
      readonly extensions?: { readonly bazaar?: unknown };
    };
    const bazaar = required.extensions?.bazaar;
    expect(extensions.validateDiscoveryExtensionSpec(bazaar)).toEqual({ valid: true });
    expect(extensions.validateDiscoveryExtension(bazaar)).toEqual({ valid: true });
  });

  it('@faremeter/fetch 0.22', async () => {
    const wallet = {
      network: MAINNET,
      publicKey: seller.signer.address,
      partiallySignTransaction: async (transaction: Parameters<KeyPairSigner['signTransactions']>[0][0]) => {
        const [made] = await seller.signer.signTransactions([transaction]);
        return { ...transaction, signatures: { ...transaction.signatures, ...made } };
      },
    };
    const handler = faremeterExact.createPaymentHandler(wallet, USDC_MINT, seller.rpcUrl);
    await buyWith(faremeter.wrap(fetch, { handlers: [handler] }), request('faremeter'));
  });

  it('x402-solana 2.0', async () => {
    const payer = web3.Keypair.fromSecretKey(seller.keypair);
    const wallet = {
      publicKey: payer.publicKey,
      signTransaction: (transaction: { sign(signers: readonly unknown[]): void }) => {
        transaction.sign([payer]);
        return Promise.resolve(transaction);
      },
    };
    const client = x402Solana.createX402Client({ wallet, network: 'solana', rpcUrl: seller.rpcUrl });
    await buyWith((input, init) => client.fetch(input, init), request('x402-solana'));
  });

  it('@x402/fetch 2.27, uploading a file', async () => {
    const body = () => {
      const form = new FormData();
      form.set('tier', 'structure');
      form.set(
        'file',
        new Blob(['A text in a file. It has two sentences.'], { type: 'text/plain' }),
        'a.txt',
      );
      return form;
    };
    const offer = await offerFor({ method: 'POST', body: body() });
    await expectSold(await v2Client()(`${seller.url}/chunk`, { method: 'POST', body: body() }), offer);
  });
});
