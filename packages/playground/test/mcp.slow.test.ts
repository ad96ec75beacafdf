// The tools of a service on the play chain: the official client of the Model Context Protocol, and a payment that the
// official client of x402 makes from the result of a call.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings, type RunningService, startService } from '@grainline/server';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { x402Client } from '@x402/core/client';
import { SOLANA_MAINNET_CAIP2 } from '@x402/svm';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Playground, startPlayground } from '../src/playground.ts';

const folder = mkdtempSync(join(tmpdir(), 'grainline-tools-'));
let playground: Playground;
let service: RunningService;
beforeAll(async () => {
  playground = await startPlayground({ chain: { slotMs: 20 }, seed: 'tools' });
  const environment = { ...playground.environment, PORT: '0', DATA_DIR: folder, WORKERS: '1' };
  service = await startService(readSettings(environment), { log: { write: () => undefined } });
  await service.ready;
});
afterAll(async () => {
  await service.stop();
  await playground.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('a call is paid by the clients of the Model Context Protocol and of x402, unmodified, once', async () => {
  const [payer] = playground.payers;
  if (payer === undefined) throw new Error('there is one');
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`)));
  const wallet = new x402Client();
  wallet.register(SOLANA_MAINNET_CAIP2, new ExactSvmScheme(payer.signer, { rpcUrl: playground.chain.url }));
  const call = { name: 'chunk_text', arguments: { text: 'High water follows the moon.', tier: 'structure' } };

  const unpaid = await client.callTool(call);
  expect(unpaid.isError).toBe(true);
  const required = unpaid.structuredContent as Parameters<x402Client['createPaymentPayload']>[0];
  const payment = await wallet.createPaymentPayload(required);
  expect(payment).toMatchObject({ extensions: { bazaar: { info: { input: { toolName: 'chunk_text' } } } } });
  const paid = await client.callTool({ ...call, _meta: { 'x402/payment': payment } });
  expect(paid.structuredContent).toMatchObject({
    success: true,
    chunks: [{ text: 'High water follows the moon.' }],
    payment: { payer: payer.signer.address },
  });
  expect(paid._meta).toMatchObject({ 'x402/payment-response': { success: true } });
  const again = await client.callTool({ ...call, _meta: { 'x402/payment': payment } });
  expect(again.structuredContent).toEqual(paid.structuredContent);
  await client.close();
});
