// The service on the play chain, as `npm start` composes them: real transactions of the real token program, the real
// store, real child processes.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { main, readSettings, type RunningService, startService, type Terminal } from '@grainline/server';
import { fingerprint, memoOf } from '@grainline/x402';
import {
  address,
  createSignableMessage,
  generateKeyPairSigner,
  getBase58Decoder,
  getBase64EncodedWireTransaction,
  getBase64Encoder,
  getTransactionDecoder,
  signTransaction,
} from '@solana/kit';
import { MEMO_PROGRAM } from '../src/chain/addresses.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ScriptedModel, startScriptedModel } from '@grainline/testing/scripted-model/server';
import { type Playground, startPlayground } from '../src/playground.ts';
import { createWallets } from '../src/wallets.ts';
import { rpcOf, sendAndConfirm, sign, transfer } from './paying.ts';

const folder = mkdtempSync(join(tmpdir(), 'grainline-selling-'));
let playground: Playground;
let service: RunningService;
let scripted: ScriptedModel;

beforeAll(async () => {
  scripted = await startScriptedModel();
  playground = await startPlayground({ chain: { slotMs: 20 }, seed: 'service', payers: 2 });
  service = await startService(readSettings(environment()), { log: { write: () => undefined } });
  await service.ready;
});
afterAll(async () => {
  await service.stop();
  await Promise.all([playground.stop(), scripted.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

function environment(changed: Readonly<Record<string, string>> = {}): Record<string, string> {
  const model = { AI_BASE_URL: scripted.baseUrl, AI_MODEL: scripted.model, AI_PRICE: '0.1,0.4' };
  return { ...playground.environment, ...model, PORT: '0', DATA_DIR: folder, WORKERS: '1', ...changed };
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

/** A wallet that the chain has never heard of. */
async function unknownAddress(): Promise<string> {
  return (await generateKeyPairSigner()).address;
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
    const priced = await chunk(body);
    expect(priced.status).toBe(402);
    const { maxAmountRequired, payTo, extra } = priced.json['paymentRequirements'] as {
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

  it('gives a payment for the tier ai back when its model fails, and takes it when it is there again', async () => {
    const body = { tier: 'ai', chunk_size: 300, text: 'The tide was late. Nobody knew why. '.repeat(40) };
    const proof = await pay(10_000n);
    const available = async (): Promise<unknown> => {
      const overview = (await (await fetch(service.url)).json()) as {
        tiers: { id: string; available: boolean; scripted?: boolean }[];
      };
      return overview.tiers.find(({ id }) => id === 'ai');
    };
    expect(await available()).toMatchObject({ available: true, scripted: true });
    scripted.play('wrong-key');
    expect(await chunk(body, proof)).toMatchObject({
      status: 503,
      json: { code: 'completion_failed', payment: { reusable: true, transaction: proof } },
    });
    // The next client pays nothing: neither with a payment nor without is anything asked of it.
    expect(await chunk(body)).toMatchObject({ status: 503, json: { code: 'tier_unavailable' } });
    expect(await chunk(body, proof)).toMatchObject({ status: 503, json: { code: 'tier_unavailable' } });
    scripted.play('right');
    await expect.poll(available, { timeout: 20_000 }).toMatchObject({ available: true });
    scripted.play('broken-json');
    expect(await chunk(body, proof)).toMatchObject({ status: 503, json: { code: 'too_many_fallbacks' } });
    scripted.play('right');
    expect(await chunk(body, proof)).toMatchObject({
      status: 200,
      json: {
        payment: { amount: 10_000, transaction: proof },
        metadata: { language_model: { model: 'scripted', windows_fallback: [] } },
      },
    });
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
    const { memo } = extra;
    expect(await post('/payment/find', { memo, tier: 'structure' })).toMatchObject({
      status: 200,
      json: { state: 'paid', signature: sent.json['signature'] },
    });
    expect(await post('/payment/find', { memo, tier: 'semantic' })).toMatchObject({
      status: 200,
      json: { state: 'unknown' },
    });
    const height = { last_valid_block_height: prepared.json['last_valid_block_height'] };
    expect(await post('/payment/find', { memo: 'x', tier: 'free', ...height, colour: 1 })).toMatchObject({
      status: 400,
      json: { code: 'invalid_fields' },
    });
  });

  it.each([
    ['no account for USDC', { microUsdc: null, lamports: 10_000n }, /no account for USDC/],
    ['too little USDC', { microUsdc: 1_999n, lamports: 10_000n }, /holds 0\.001999 USDC .* and 0\.002 are/],
    ['no SOL for the fee', { microUsdc: 2_000n, lamports: 0n }, /no SOL/],
  ])('tells a wallet with %s so, before it is asked to sign', async (_, { microUsdc, lamports }, message) => {
    const payer =
      microUsdc === null
        ? await unknownAddress()
        : (await createWallets(playground.chain, { lamports, microUsdc }))[0]?.address;
    expect(await post('/payment/transaction', { payer, tier: 'structure' })).toMatchObject({
      status: 400,
      json: { code: 'invalid_transfer', message: expect.stringMatching(message) as string },
    });
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
    const sentBefore = playground.chain.calls.get('sendTransaction') ?? 0;
    expect(await post('/payment/send', { transaction: bytes.toString('base64') })).toMatchObject({
      status: 400,
      json: { code: 'invalid_transfer' },
    });
    expect(playground.chain.calls.get('sendTransaction')).toBe(sentBefore + 1);
  });

  it('sells to a payer without the required memo who signs the request afterwards', async () => {
    const [payer, other] = playground.payers;
    if (payer === undefined || other === undefined) throw new Error('there are two');
    const required = readSettings(
      environment({ PAYMENT_BINDING: 'require', DATA_DIR: join(folder, 'required') }),
    );
    const strict = await startService(required, { log: { write: () => undefined } });
    try {
      await strict.ready;
      const proof = await pay(2000n);
      const buy = async (headers: Readonly<Record<string, string>>) => {
        const answer = await fetch(`${strict.url}/chunk`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', 'X-PAYMENT': proof, ...headers },
          body: JSON.stringify({ text: 'Paid as the specification says.' }),
        });
        return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
      };
      const lost = await buy({});
      expect(lost).toMatchObject({ status: 402, json: { code: 'binding_required' } });
      const { extra } = lost.json['paymentRequirements'] as { extra: { memo: string } };
      // As docs/payments.md has it.
      const message = createSignableMessage(`grainline:binding:1:${proof}:${extra.memo}`);
      const signed = async ({ signer }: typeof payer) => {
        const [made] = await signer.signMessages([message]);
        const signature = made?.[signer.address] ?? new Uint8Array();
        return { 'X-PAYMENT-BINDING': getBase58Decoder().decode(signature) };
      };
      expect(await buy(await signed(other))).toMatchObject({
        status: 402,
        json: { code: 'binding_required' },
      });
      expect(await buy(await signed(payer))).toMatchObject({
        status: 200,
        json: { payment: { transaction: proof } },
      });
    } finally {
      await strict.stop();
    }
  });

  it('ends at once for a wallet that nothing can be paid to', async () => {
    const complaints: string[] = [];
    const terminal: Terminal = {
      environment: environment({
        PAY_TO: '7YWHMfk9JZe8PM8g1ZauHuiSxhJ9U1n5UJx5jEGzFzQq',
        DATA_DIR: join(folder, 'wrong'),
        LOG_LEVEL: 'silent',
      }),
      print: () => undefined,
      complain: (text) => void complaints.push(text),
      drained: () => Promise.resolve(),
      onSignal: () => () => undefined,
      exit: () => undefined,
      now: () => 0,
    };
    expect(await main([], terminal)).toBe(1);
    expect(complaints.join()).toMatch(/^grainline-server: Payments cannot work:\n.*token account/);
  });

  it('starts without its chain, and sells as soon as that answers', async () => {
    // Nothing listens there.
    const silent = readSettings(
      environment({ SOLANA_RPC_URLS: 'http://127.0.0.1:9', DATA_DIR: join(folder, 'silent') }),
    );
    const waiting = await startService(silent, { log: { write: () => undefined } });
    try {
      await waiting.ready;
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
