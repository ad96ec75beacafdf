// The service on the play chain, as `npm start` composes them: real transactions of the real token program, the real
// store, real child processes.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings, type RunningService, startService } from '@grainline/server';
import { fingerprint, memoOf } from '@grainline/x402';
import {
  address,
  getBase64EncodedWireTransaction,
  getBase64Encoder,
  getTransactionDecoder,
  signTransaction,
} from '@solana/kit';
import { MEMO_PROGRAM } from '../src/chain/addresses.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Playground, startPlayground } from '../src/playground.ts';
import { rpcOf, sendAndConfirm, sign, transfer } from './paying.ts';

const folder = mkdtempSync(join(tmpdir(), 'grainline-selling-'));
let playground: Playground;
let service: RunningService;

beforeAll(async () => {
  playground = await startPlayground({ chain: { slotMs: 20 }, seed: 'service', payers: 2 });
  service = await startService(readSettings(environment()), { log: { write: () => undefined } });
});
afterAll(async () => {
  await service.stop();
  await playground.stop();
  rmSync(folder, { recursive: true, force: true });
});

function environment(changed: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { ...playground.environment, PORT: '0', DATA_DIR: folder, WORKERS: '1', ...changed };
}

async function pay(amount: bigint, to = playground.payTo.address, memo?: string): Promise<string> {
  const [payer] = playground.payers;
  if (payer === undefined) throw new Error('there are two');
  const paid = await transfer(payer.signer, to, amount);
  const instructions = [
    paid,
    ...(memo === undefined ? [] : [{ programAddress: MEMO_PROGRAM, data: new TextEncoder().encode(memo) }]),
  ];
  return sendAndConfirm(playground.chain, await sign(rpcOf(playground.chain), payer.signer, instructions));
}

async function chunk(
  body: object,
  proof?: string,
): Promise<{ status: number; json: Record<string, unknown> }> {
  const answer = await fetch(`${service.url}/chunk`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(proof === undefined ? {} : { 'X-PAYMENT': proof }) },
    body: JSON.stringify(body),
  });
  return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
}

describe('the service on the play chain', () => {
  it('sells chunks for a transfer that names its request, and gives the answer again', async () => {
    const body = { text: '# Tides\n\nHigh water follows the moon.', filename: 'tides.md' };
    const asked = await chunk(body);
    expect(asked.status).toBe(402);
    const { maxAmountRequired, payTo, extra } = asked.json['paymentRequirements'] as {
      maxAmountRequired: string;
      payTo: string;
      extra: { memo: string };
    };
    const proof = await pay(BigInt(maxAmountRequired), address(payTo), extra.memo);
    const first = await chunk(body, proof);
    expect(first.status).toBe(200);
    expect(first.json['payment']).toEqual({
      amount: 2000,
      asset: 'USDC',
      network: 'solana-localnet',
      transaction: proof,
      payer: playground.payers[0]?.address,
    });
    expect(await chunk(body, proof)).toEqual(first);
    expect(await chunk({ text: 'Another.' }, proof)).toMatchObject({
      status: 402,
      json: { code: 'payment_already_used' },
    });
  });

  it('waits for a payment that was sent a moment ago', async () => {
    const [, payer] = playground.payers;
    if (payer === undefined) throw new Error('there are two');
    const rpc = rpcOf(playground.chain);
    const paid = await transfer(payer.signer, playground.payTo.address, 2000n);
    const signed = await sign(rpc, payer.signer, [paid]);
    const proof = await rpc
      .sendTransaction(getBase64EncodedWireTransaction(signed), { encoding: 'base64', skipPreflight: true })
      .send();
    expect(await chunk({ text: 'Sent a moment ago.' }, proof)).toMatchObject({ status: 200 });
  });

  it.each([
    ['too little', () => pay(1999n), 'amount_too_low'],
    ['to somebody else', () => pay(2000n, playground.payers[1]?.address), 'amount_too_low'],
    [
      'for another request',
      async () => pay(2000n, undefined, memoOf(await fingerprint({ tier: 'structure' }))),
      'bound_to_another_request',
    ],
  ])('refuses what was paid %s', async (_, prove, code) => {
    expect(await chunk({ text: 'Text.' }, await prove())).toMatchObject({ status: 402, json: { code } });
  });

  it('makes a transfer ready for a wallet, and sends it when it is signed', async () => {
    const [payer] = playground.payers;
    if (payer === undefined) throw new Error('there are two');
    const body = { text: 'Prepared by the service.' };
    const { extra } = (await chunk(body)).json['paymentRequirements'] as { extra: { memo: string } };
    const prepared = await post('/payment/transaction', {
      payer: payer.address,
      tier: 'structure',
      memo: extra.memo,
    });
    expect(prepared.status).toBe(200);
    const bytes = getBase64Encoder().encode(String(prepared.json['transaction']));
    const signed = await signTransaction([payer.signer.keyPair], getTransactionDecoder().decode(bytes));
    const sent = await post('/payment/send', { transaction: getBase64EncodedWireTransaction(signed) });
    expect(sent.status).toBe(200);
    expect(await chunk(body, String(sent.json['signature']))).toMatchObject({ status: 200 });
  });

  it('sends nothing but transfers of a price to its own wallet', async () => {
    const [payer, other] = playground.payers;
    if (payer === undefined || other === undefined) throw new Error('there are two');
    const rpc = rpcOf(playground.chain);
    const elsewhere = await sign(rpc, payer.signer, [await transfer(payer.signer, other.address, 2000n)]);
    const odd = await sign(rpc, payer.signer, [await transfer(payer.signer, playground.payTo.address, 1n)]);
    for (const transaction of [
      getBase64EncodedWireTransaction(elsewhere),
      getBase64EncodedWireTransaction(odd),
      'AAAA',
    ]) {
      expect(await post('/payment/send', { transaction })).toMatchObject({
        status: 400,
        json: { code: 'invalid_transfer' },
      });
    }
    expect(await post('/payment/transaction', { payer: 'x', tier: 'free', colour: 1 })).toMatchObject({
      status: 400,
      json: { code: 'invalid_fields' },
    });
  });

  it('sends nothing whose signature is wrong, and asks the network about it once', async () => {
    const [payer] = playground.payers;
    if (payer === undefined) throw new Error('there are two');
    const signed = await sign(rpcOf(playground.chain), payer.signer, [
      await transfer(payer.signer, playground.payTo.address, 2000n),
    ]);
    const bytes = Buffer.from(getBase64EncodedWireTransaction(signed), 'base64');
    // The first byte is the number of signatures, the next ones are the first of them.
    bytes.writeUInt8(bytes.readUInt8(5) ^ 1, 5);
    const asked = playground.chain.calls.get('sendTransaction') ?? 0;
    expect(await post('/payment/send', { transaction: bytes.toString('base64') })).toMatchObject({
      status: 400,
      json: { code: 'invalid_transfer' },
    });
    expect(playground.chain.calls.get('sendTransaction')).toBe(asked + 1);
  });

  it('does not start for a wallet that nothing can be paid to', async () => {
    const wrong = readSettings(environment({ PAY_TO: '7YWHMfk9JZe8PM8g1ZauHuiSxhJ9U1n5UJx5jEGzFzQq' }));
    await expect(startService(wrong, { log: { write: () => undefined } })).rejects.toThrow(/token account/);
  });

  it('starts without its chain, and sells as soon as that answers', async () => {
    // Nothing listens there.
    const silent = readSettings(
      environment({ SOLANA_RPC_URLS: 'http://127.0.0.1:9', DATA_DIR: join(folder, 'silent') }),
    );
    const waiting = await startService(silent, { log: { write: () => undefined } });
    try {
      const { tiers } = (await (await fetch(waiting.url)).json()) as {
        tiers: { id: string; available: boolean }[];
      };
      expect(tiers.map(({ id, available }) => [id, available])).toContainEqual(['structure', false]);
      expect(tiers.map(({ id, available }) => [id, available])).toContainEqual(['free', true]);
    } finally {
      await waiting.stop();
    }
  });
});

async function post(path: string, body: object): Promise<{ status: number; json: Record<string, unknown> }> {
  const answer = await fetch(`${service.url}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
}
