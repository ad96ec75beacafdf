// The extension `payment-identifier` on the play chain: the official client of x402 signs another transaction for a
// request whose answer was lost, over HTTP and inside a call of a tool.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings, type RunningService, startService } from '@grainline/server';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { x402Client } from '@x402/core/client';
import { encodePaymentSignatureHeader, decodePaymentResponseHeader } from '@x402/core/http';
import { SOLANA_MAINNET_CAIP2 } from '@x402/svm';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Playground, startPlayground } from '../src/playground.ts';
import type { Wallet } from '../src/wallets.ts';
import { rpcOf } from './paying.ts';

type Required = Parameters<x402Client['createPaymentPayload']>[0];
type Payload = Awaited<ReturnType<x402Client['createPaymentPayload']>>;

const folder = mkdtempSync(join(tmpdir(), 'grainline-identifiers-'));
let playground: Playground;
let service: RunningService;
beforeAll(async () => {
  playground = await startPlayground({ chain: { slotMs: 20 }, seed: 'identifiers', payers: 2 });
  const environment = {
    ...playground.environment,
    PORT: '0',
    DATA_DIR: folder,
    WORKERS: '1',
    RATE_LIMIT: 'off',
  };
  service = await startService(readSettings(environment), { log: { write: () => undefined } });
  await service.ready;
});
afterAll(async () => {
  await service.stop();
  await playground.stop();
  rmSync(folder, { recursive: true, force: true });
});

const argumentsOf = (text: string) => ({ tier: 'structure', text });

function post(text: string, payment?: Payload): Promise<Response> {
  const paid = payment === undefined ? {} : { 'PAYMENT-SIGNATURE': encodePaymentSignatureHeader(payment) };
  return fetch(`${service.url}/chunk`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...paid },
    body: JSON.stringify(argumentsOf(text)),
  });
}

/** Signs a new transaction for the offer, as a client of x402 does that adds its identifier to the extension. */
async function sign({ signer }: Wallet, text: string, id: string): Promise<Payload> {
  const wallet = new x402Client();
  wallet.register(SOLANA_MAINNET_CAIP2, new ExactSvmScheme(signer, { rpcUrl: playground.chain.url }));
  const offer = await post(text);
  expect(offer.status).toBe(402);
  const required = JSON.parse(atob(offer.headers.get('payment-required') ?? '')) as Required;
  const extension = required.extensions?.['payment-identifier'] as {
    info: { required: boolean; id?: string };
  };
  expect(extension.info).toEqual({ required: false });
  extension.info.id = id;
  return wallet.createPaymentPayload(required);
}

/** The balance of the pay-to account. */
async function balance(): Promise<bigint> {
  const account = rpcOf(playground.chain).getTokenAccountBalance(playground.payTo.usdcAccount);
  return BigInt((await account.send()).value.amount);
}

async function connect(): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`)));
  return client;
}

describe('an identifier of x402 2.27', () => {
  const text = 'High water follows the moon.';
  const id = 'pay_7d5d747be160e280504c099d984bcfe0';

  it('gets a lost answer again, over HTTP and in a call, for a new transaction that is not settled', async () => {
    const before = await balance();
    const [payer, thief] = playground.payers as [Wallet, Wallet];
    const first = await post(text, await sign(payer, text, id));
    expect(first.status).toBe(200);
    const answer = await first.text();
    const { transaction } = decodePaymentResponseHeader(first.headers.get('payment-response') ?? '');

    const again = await sign(payer, text, id);
    const second = await post(text, again);
    expect([second.status, await second.text()]).toEqual([200, answer]);
    expect(second.headers.get('payment-response')).toBe(first.headers.get('payment-response'));

    const client = await connect();
    const call = { name: 'chunk_text', _meta: { 'x402/payment': await sign(payer, text, id) } };
    const called = await client.callTool({ ...call, arguments: argumentsOf(text) });
    expect(called.structuredContent).toEqual(JSON.parse(answer));
    expect(called._meta).toMatchObject({ 'x402/payment-response': { transaction } });

    // Another request gets nothing for it, and neither does another payer, who buys an answer of their own.
    const other = await client.callTool({ ...call, arguments: argumentsOf('Another text.') });
    expect(other).toMatchObject({ isError: true, structuredContent: { code: 'identifier_already_used' } });
    await client.close();
    const refused = await post('Another text.', again);
    expect([refused.status, await refused.json()]).toMatchObject([409, { code: 'identifier_already_used' }]);
    const bought = await post(text, await sign(thief, text, id));
    const theirs = decodePaymentResponseHeader(bought.headers.get('payment-response') ?? '');
    expect(theirs.transaction).not.toBe(transaction);

    // Two purchases, by five signed transactions.
    expect((await balance()) - before).toBe(4_000n);
  });
});
