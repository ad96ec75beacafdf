// Programs that know the address of a service and have a wallet: an agent over HTTP, the official client of the Model
// Context Protocol, and clients of x402 that name their requests. Only `npm run test:clients` runs them.
import type { Address } from '@solana/kit';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { x402Client } from '@x402/core/client';
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import { SOLANA_MAINNET_CAIP2 } from '@x402/svm';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { rpcOf, usdcAccountOf } from '../paying.ts';
import { expectReceipt, importPeer, openSeller, type Seller, SERVICE_URL } from './seller.ts';

type Fetch = typeof fetch;

/** Of @x402/fetch and @x402/extensions 2.27 what is used here. */
interface X402Fetch {
  readonly x402Client: new () => {
    register(network: string, scheme: unknown): void;
    registerV1(network: string, scheme: unknown): void;
    onBeforePaymentCreation(
      hook: (context: { paymentRequired: { extensions?: object } }) => Promise<void>,
    ): void;
  };
  wrapFetchWithPayment(fetch: Fetch, client: unknown): Fetch;
}
type Scheme = new (signer: unknown, config: { readonly rpcUrl: string }) => unknown;
interface Identifiers {
  appendPaymentIdentifierToExtensions(extensions: object, id: string): object;
  validatePaymentIdentifier(extension: unknown): { readonly valid: boolean };
}

interface Answer {
  readonly chunks: readonly { readonly text: string }[];
  readonly payment: { readonly transaction: string; readonly payer: string; readonly receipt: string };
}

const peers = await Promise.all([
  importPeer<X402Fetch>('@x402/fetch'),
  importPeer<{ readonly ExactSvmSchemeV1: Scheme }>('@x402/svm/exact/v1/client'),
  importPeer<Identifiers>('@x402/extensions/payment-identifier'),
]);
const isTested = SERVICE_URL !== undefined && !peers.includes(null);

describe.skipIf(!isTested)('a program that knows the address of a service', () => {
  let seller: Seller;
  beforeAll(async () => {
    seller = await openSeller();
  });

  function wallet(): x402Client {
    const client = new x402Client();
    client.register(SOLANA_MAINNET_CAIP2, new ExactSvmScheme(seller.signer, { rpcUrl: seller.rpcUrl }));
    return client;
  }

  /** Reads JSON of an answer that has to be there. */
  async function get<T>(url: string, init?: RequestInit): Promise<T> {
    const response = await fetch(url, init);
    expect(response.status, url).toBe(200);
    return (await response.json()) as T;
  }

  const post = (body: object, headers: Record<string, string> = {}): RequestInit => ({
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

  async function balance(owner: Address): Promise<bigint> {
    const account = rpcOf({ url: seller.rpcUrl }).getTokenAccountBalance(await usdcAccountOf(owner), {
      // By default a balance is that of the last finalized slot, without the latest payments.
      commitment: 'confirmed',
    });
    return BigInt((await account.send()).value.amount);
  }

  it('finds the operation, prices, pays, gets and verifies', async () => {
    interface Item {
      readonly resource: { readonly url: string };
      readonly accepts: readonly { readonly amount: string }[];
      readonly input: {
        readonly method: string;
        readonly bodyType: string;
        readonly body: { readonly properties: object };
      };
    }
    const { items } = await get<{ items: Item[] }>(`${seller.url}/.well-known/x402.json`);
    const item = items.find(({ input }) => input.bodyType === 'json');
    if (item === undefined) throw new Error('no operation takes JSON');
    const { url } = item.resource;
    const { tier } = item.input.body.properties as { readonly tier: { readonly const: string } };
    const body = {
      tier: tier.const,
      text: 'A text that a program sends which knows nothing but an address.',
    };

    interface Estimate {
      readonly tiers: readonly [
        { readonly amount: number; readonly expected_chunks: number; readonly refusals: object[] },
      ];
    }
    const { tiers } = await get<Estimate>(new URL('/estimate', url).href, post(body));
    const [{ amount, expected_chunks: chunks, refusals }] = tiers;
    expect({ amount: String(amount), chunks, refusals }).toEqual({
      amount: item.accepts[0]?.amount,
      chunks: 1,
      refusals: [],
    });

    const offer = await fetch(url, post(body));
    const required = decodePaymentRequiredHeader(offer.headers.get('payment-required') ?? '');
    expect(required.accepts[0]?.amount).toBe(String(amount));
    const payment = encodePaymentSignatureHeader(await wallet().createPaymentPayload(required));
    const answer = await get<Answer>(url, post(body, { 'payment-signature': payment }));
    expect(answer.chunks.map(({ text }) => text)).toEqual([body.text]);
    await expectReceipt(seller, answer, { amount: String(amount), payer: seller.signer.address });
  });

  it('does the same by the tools of the official client of MCP', async () => {
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${seller.url}/mcp`)));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('chunk_text');
    const given = { tier: 'structure', text: 'A text of a call, which is paid inside of it.' };
    const { structuredContent: estimate } = await client.callTool({ name: 'estimate', arguments: given });
    const call = { name: 'chunk_text', arguments: given };
    const unpaid = await client.callTool(call);
    expect(unpaid.isError).toBe(true);
    const required = unpaid.structuredContent as Parameters<x402Client['createPaymentPayload']>[0];
    const { amount = '' } = required.accepts[0] ?? {};
    expect(estimate).toMatchObject({ tiers: [{ amount: Number(amount), refusals: [] }] });
    const payment = await wallet().createPaymentPayload(required);
    const paid = await client.callTool({ ...call, _meta: { 'x402/payment': payment } });
    const answer = paid.structuredContent as Answer | undefined;
    if (answer === undefined) throw new Error('no answer');
    await expectReceipt(seller, answer, { amount, payer: seller.signer.address });
    await client.close();
  });

  it.each([1, 2])(
    'finds a lost answer by its identifier, as a client of x402 version %d',
    async (version) => {
      const [x402Fetch, schemes, identifiers] = peers;
      if (x402Fetch === null || schemes === null || identifiers === null)
        throw new Error('they are installed');
      const id = `pay_of_a_client_of_version_${version}`;
      const client = new x402Fetch.x402Client();
      if (version === 1)
        client.registerV1('solana', new schemes.ExactSvmSchemeV1(seller.signer, { rpcUrl: seller.rpcUrl }));
      else {
        client.register(SOLANA_MAINNET_CAIP2, new ExactSvmScheme(seller.signer, { rpcUrl: seller.rpcUrl }));
        client.onBeforePaymentCreation(({ paymentRequired: { extensions = {} } }) => {
          identifiers.appendPaymentIdentifierToExtensions(extensions, id);
          return Promise.resolve();
        });
      }
      const body = { tier: 'structure', text: `A text whose answer a client of version ${version} loses.` };
      const buy = (sent: object): Promise<Response> =>
        x402Fetch.wrapFetchWithPayment(version === 1 ? asVersion1(id) : fetch, client)(
          `${seller.url}/chunk`,
          post(sent),
        );

      const before = await balance(seller.signer.address);
      const first = await (await buy(body)).text();
      const second = await buy(body);
      expect([second.status, await second.text()]).toEqual([200, first]);
      expect(before - (await balance(seller.signer.address))).toBe(2_000n);
      await expectReceipt(seller, JSON.parse(first) as Answer, {
        amount: '2000',
        payer: seller.signer.address,
      });
      const other = await buy({ ...body, text: 'Another text.' });
      expect([other.status, await other.json()]).toMatchObject([409, { code: 'identifier_already_used' }]);
      expect(before - (await balance(seller.signer.address))).toBe(2_000n);
    },
  );

  it('reads the declaration of identifiers in the form that @x402/extensions checks', async () => {
    const identifiers = peers[2];
    const offer = await fetch(`${seller.url}/chunk`, post({ tier: 'structure', text: 'A text.' }));
    const { extensions } = decodePaymentRequiredHeader(offer.headers.get('payment-required') ?? '');
    expect(identifiers?.validatePaymentIdentifier(extensions?.['payment-identifier'])).toEqual({
      valid: true,
    });
  });
});

/** Version 1 has no extensions in its offers, and its clients no hook: the identifier is added to the header. */
function asVersion1(id: string): Fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const payment = request.headers.get('x-payment');
    if (payment !== null) {
      const payload = JSON.parse(atob(payment)) as object;
      const extensions = { 'payment-identifier': { info: { required: false, id } } };
      request.headers.set('x-payment', btoa(JSON.stringify({ ...payload, extensions })));
    }
    const response = await fetch(request);
    const headers = new Headers(response.headers);
    headers.delete('payment-required');
    return new Response(response.body, { status: response.status, headers });
  };
}
