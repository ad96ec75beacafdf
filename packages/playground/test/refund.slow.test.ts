// The operator gives payments back from a wallet of their own: `grainline-server payments refund` on the play chain.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { main, readSettings, type RunningService, startService } from '@grainline/server';
import type { Address } from '@solana/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MEMO_PROGRAM, USDC_MINT } from '../src/chain/addresses.ts';
import { type Playground, startPlayground } from '../src/playground.ts';
import type { Wallet } from '../src/wallets.ts';
import { rpcOf, sendAndConfirm, sign, transfer } from './paying.ts';

const folder = mkdtempSync(join(tmpdir(), 'grainline-refund-'));
let playground: Playground;
let service: RunningService;
let payer: Wallet;
let operator: Wallet;

beforeAll(async () => {
  playground = await startPlayground({ chain: { slotMs: 20 }, payers: 2 });
  [payer, operator] = playground.payers as [Wallet, Wallet];
  service = await startService(readSettings(environment()), { log: { write: () => undefined } });
  await service.ready;
});
afterAll(async () => {
  await service.stop();
  await playground.stop();
  rmSync(folder, { recursive: true, force: true });
});

function environment(changed: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { ...playground.environment, PORT: '0', DATA_DIR: folder, WORKERS: '1', ...changed };
}

/** Runs `grainline-server payments refund …`. */
async function refund(argv: readonly string[], changed?: Readonly<Record<string, string>>) {
  const printed: string[] = [];
  const complaints: string[] = [];
  const code = await main(['payments', 'refund', ...argv], {
    environment: environment(changed),
    print: (text) => void printed.push(text),
    complain: (text) => void complaints.push(text),
    drained: () => Promise.resolve(),
    onSignal: () => () => undefined,
    exit: () => undefined,
    now: () => 0,
  });
  return { code, out: printed.join('\n'), complaints: complaints.join('\n') };
}

interface Prepared {
  readonly to: string;
  readonly amount: string;
  readonly amount_usdc: string;
  readonly asset: string;
  readonly network: string;
  readonly memo: string;
  readonly link: string;
}
const prepared = async (key: string): Promise<Prepared> =>
  JSON.parse((await refund([key, '--json'])).out) as Prepared;

async function send(from: Wallet, to: Address, amount: bigint, ...memos: string[]): Promise<string> {
  const named = memos.map((memo) => ({
    programAddress: MEMO_PROGRAM,
    data: new TextEncoder().encode(memo),
  }));
  const instructions = [await transfer(from.signer, to, amount), ...named];
  return sendAndConfirm(playground.chain, await sign(rpcOf(playground.chain), from.signer, instructions));
}

async function buy(text: string, proof: string): Promise<string> {
  const answer = await fetch(`${service.url}/chunk`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-PAYMENT': proof },
    body: JSON.stringify({ text }),
  });
  const { code = 'sold' } = (await answer.json()) as { code?: string };
  return code;
}

/** A payment below the price, which the service knows. */
async function smallPayment(amount = 1500n): Promise<string> {
  const key = await send(payer, playground.payTo.address, amount);
  expect(await buy('Text.', key)).toBe('amount_too_low');
  return key;
}

describe('payments refund', () => {
  it('prepares the transfer, and records it once the chain has it', async () => {
    const key = await smallPayment();
    const { code, out } = await refund([key]);
    expect(code).toBe(0);
    expect(out).toContain(
      `spl-token transfer --fund-recipient --with-memo refund:1:${key} ${USDC_MINT} 0.0015`,
    );
    expect(out).toMatch(/exchange/);
    const order = await prepared(key);
    expect(order).toMatchObject({
      state: 'prepared',
      to: payer.address,
      amount: '1500',
      amount_usdc: '0.001500',
      asset: USDC_MINT,
      network: 'solana-localnet',
      memo: `refund:1:${key}`,
    });
    const link = new URL(order.link);
    expect([link.protocol, link.pathname]).toEqual(['solana:', payer.address]);
    expect(Object.fromEntries(link.searchParams)).toEqual({
      amount: '0.0015',
      'spl-token': USDC_MINT,
      memo: order.memo,
    });
    const sent = await send(operator, payer.address, BigInt(order.amount), order.memo);
    expect(await refund([key])).toMatchObject({
      code: 0,
      out: expect.stringContaining(`Refunded by ${sent}`) as string,
    });
    expect(await buy('Text.', key)).toBe('payment_exhausted');
    // Neither the transfer nor a second one is recorded again.
    for (const argv of [[key], [key, '--signature', sent]])
      expect(await refund(argv)).toMatchObject({
        code: 1,
        out: '',
        complaints: expect.stringContaining('refunded already') as string,
      });
  });

  it('records the transfer of a signature, with the note of the operator', async () => {
    const key = await smallPayment();
    const { memo } = await prepared(key);
    const sent = await send(operator, payer.address, 2000n, memo);
    const { code, out } = await refund([key, '--signature', sent, '--note', 'mail of May 4', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ key, note: `${sent} mail of May 4` });
  });

  it('records nothing else', async () => {
    const key = await smallPayment();
    const { memo } = await prepared(key);
    const other = await prepared(await smallPayment());
    const refused: Readonly<Record<string, [string, RegExp]>> = {
      less: [await send(operator, payer.address, 1499n, memo), /gave .* 0\.001499 USDC, not 0\.0015\./],
      'to another': [await send(payer, operator.address, 1500n, memo), /gave .* -0\.0015 USDC, not 0\.0015/],
      'without the memo': [await send(operator, payer.address, 1500n), /memo/],
      'for another payment': [await send(operator, payer.address, 1500n, other.memo), /memo/],
      'for two payments': [await send(operator, payer.address, 1500n, memo, other.memo), /memo/],
      unknown: [`5${'x'.repeat(86)}`, /not confirmed/],
      nonsense: ['nonsense', /no signature/],
    };
    for (const [what, [signature, message]] of Object.entries(refused)) {
      const { code, complaints } = await refund([key, '--signature', signature]);
      expect([what, code]).toEqual([what, 1]);
      expect(complaints).toMatch(message);
    }
    // It still buys what it paid for.
    expect(await buy('Text.', key)).toBe('amount_too_low');
  });

  it('prepares and records nothing while the chain does not answer, which may know an earlier refund', async () => {
    const key = await smallPayment();
    expect(await refund([key], { SOLANA_RPC_URLS: 'http://127.0.0.1:9' })).toMatchObject({
      code: 1,
      out: '',
      complaints: expect.stringContaining('cannot be asked') as string,
    });
  });

  it('says that a payment has bought an answer', async () => {
    const key = await send(payer, playground.payTo.address, 2000n);
    expect(await buy('Sold.', key)).toBe('sold');
    expect((await refund([key])).out).toContain('It has bought an answer');
  });

  it('knows no payment of another key, and says which settings are wrong', async () => {
    expect(await refund(['unheard'])).toMatchObject({
      code: 1,
      complaints: expect.stringContaining('no payment "unheard" is known') as string,
    });
    const key = await smallPayment();
    expect(await refund([key], { RPC_QUORUM: '7' })).toMatchObject({
      code: 2,
      complaints: expect.stringContaining('quorum') as string,
    });
  });
});
