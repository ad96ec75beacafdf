// The playground whole: what it tells a server, its keys, and its facilitator under the official client.
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKeyPairSignerFromBytes, getAddressEncoder } from '@solana/kit';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { SOLANA_MAINNET_CAIP2 } from '@x402/svm';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import { ExactSvmSchemeV1 } from '@x402/svm/exact/v1/client';
import { afterEach, describe, expect, it } from 'vitest';
import { USDC_MINT } from '../src/chain/addresses.ts';
import type { FacilitatorFailure } from '../src/facilitator.ts';
import { type Playground, type PlaygroundOptions, startPlayground } from '../src/playground.ts';
import { rpcOf } from './paying.ts';

let playground: Playground | undefined;
let folder: string | undefined;

async function start(options: PlaygroundOptions = {}): Promise<Playground> {
  return (playground = await startPlayground({ chain: { slotMs: 20 }, ...options }));
}

afterEach(async () => {
  await playground?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  playground = folder = undefined;
});

const HUNDRED_DOLLARS = 100_000_000n;

async function received({ chain, payTo }: Playground): Promise<bigint> {
  const { value } = await rpcOf(chain)
    .getTokenAccountBalance(payTo.usdcAccount, { commitment: 'processed' })
    .send();
  return BigInt(value.amount);
}

/** The payment header of a client of version 2 or 1, signed by its official package. */
async function signedPayment(
  { chain, facilitator, payTo, payers }: Playground,
  version: 1 | 2,
  amount: bigint,
): Promise<{ readonly paymentPayload: PaymentPayload; readonly paymentRequirements: PaymentRequirements }> {
  const common = {
    scheme: 'exact',
    payTo: payTo.address,
    asset: USDC_MINT,
    maxTimeoutSeconds: 60,
    extra: { feePayer: facilitator.feePayer },
  };
  const signer = payers[0]!.signer;
  const config = { rpcUrl: chain.url };
  if (version === 2) {
    const paymentRequirements = {
      ...common,
      network: SOLANA_MAINNET_CAIP2,
      amount: String(amount),
    } as PaymentRequirements;
    const made = await new ExactSvmScheme(signer, config).createPaymentPayload(2, paymentRequirements);
    const resource = { url: 'http://127.0.0.1/x', description: '', mimeType: '' };
    return { paymentPayload: { ...made, resource, accepted: paymentRequirements }, paymentRequirements };
  }
  const paymentRequirements = {
    ...common,
    network: 'solana',
    maxAmountRequired: String(amount),
    resource: 'http://127.0.0.1/x',
    description: '',
    mimeType: '',
  } as unknown as PaymentRequirements;
  const made = await new ExactSvmSchemeV1(signer, config).createPaymentPayload(1, paymentRequirements);
  return { paymentPayload: made as unknown as PaymentPayload, paymentRequirements };
}

async function ask(playground: Playground, call: 'verify' | 'settle', body: unknown) {
  const response = await fetch(`${playground.facilitator.url}/${call}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ x402Version: 2, ...(body as object) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

describe('a playground', () => {
  it('tells a server where everything is', async () => {
    const { environment, chain, facilitator, payTo, banner } = await start();
    expect(environment).toEqual({
      PAYMENTS: 'on',
      NETWORK: 'solana-localnet',
      PAY_TO: payTo.address,
      USDC_MINT,
      SOLANA_RPC_URLS: chain.url,
      RATE_LIMIT: 'off',
      X402_FACILITATOR_URL: facilitator.url,
    });
    expect(banner).toContain('PLAY MONEY');
  });

  it('gives wallets their money, and the paid wallet its empty account', async () => {
    const { chain, payers, payTo } = await start({ payers: 2 });
    const rpc = rpcOf(chain);
    for (const { address, usdcAccount } of payers) {
      expect((await rpc.getBalance(address, { commitment: 'finalized' }).send()).value).toBe(10n ** 10n);
      const { value } = await rpc.getTokenAccountBalance(usdcAccount, { commitment: 'finalized' }).send();
      expect(BigInt(value.amount)).toBe(HUNDRED_DOLLARS);
    }
    expect((await rpc.getTokenAccountBalance(payTo.usdcAccount).send()).value.amount).toBe('0');
  });

  it('makes the same wallets from the same seed, and others without one', async () => {
    const addresses = async (seed?: string) => {
      const made = await startPlayground(seed === undefined ? {} : { seed });
      await made.stop();
      return [made.payTo.address, made.payers[0]!.address];
    };
    expect(await addresses('a')).toEqual(await addresses('a'));
    expect(await addresses('b')).not.toEqual(await addresses('a'));
    expect(await addresses()).not.toEqual(await addresses());
  });

  it('writes keys as Solana’s tools do, for their owner alone', async () => {
    folder = await mkdtemp(join(tmpdir(), 'grainline-keys-'));
    const { keypairFiles, payers } = await start({ keypairsIn: join(folder, 'keys'), payers: 2 });
    for (const [place, file] of keypairFiles.entries()) {
      const numbers = JSON.parse(await readFile(file, 'utf8')) as number[];
      expect(numbers).toHaveLength(64);
      const signer = await createKeyPairSignerFromBytes(Uint8Array.from(numbers));
      expect(signer.address).toBe(payers[place]!.address);
      expect(Uint8Array.from(numbers.slice(32))).toEqual(
        new Uint8Array(getAddressEncoder().encode(signer.address)),
      );
      if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600);
    }
  });

  it('leaves nothing running when it cannot start', async () => {
    const first = await start();
    const port = Number(new URL(first.facilitator.url).port);
    await expect(startPlayground({ facilitatorPort: port })).rejects.toThrow('EADDRINUSE');
  });
});

describe('the facilitator', () => {
  it('lists both versions with its fee payer', async () => {
    const { facilitator } = await start();
    const supported = (await (await fetch(`${facilitator.url}/supported`)).json()) as {
      kinds: { x402Version: number; network: string; extra: unknown }[];
    };
    expect(supported.kinds).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          x402Version: 1,
          network: 'solana',
          extra: { feePayer: facilitator.feePayer },
        }),
        expect.objectContaining({ x402Version: 2, network: SOLANA_MAINNET_CAIP2 }),
      ]),
    );
  });

  it.each([1, 2] as const)('verifies and settles payments of version %i', async (version) => {
    const here = await start();
    const payment = await signedPayment(here, version, 4_000n);
    expect(await ask(here, 'verify', payment)).toMatchObject({
      status: 200,
      body: { isValid: true, payer: here.payers[0]!.address },
    });
    expect(await received(here)).toBe(0n);
    const settled = await ask(here, 'settle', payment);
    expect(settled).toMatchObject({ status: 200, body: { success: true } });
    expect(await received(here)).toBe(4_000n);
    expect(here.chain.chain.transaction(String(settled.body['transaction']))?.execution.error).toBeNull();
  });

  it('refuses a payment of another amount than was asked', async () => {
    const here = await start();
    const { paymentPayload, paymentRequirements } = await signedPayment(here, 2, 4_000n);
    const dearer = { ...paymentRequirements, amount: '4001' };
    const result = await ask(here, 'verify', { paymentPayload, paymentRequirements: dearer });
    expect(result.body).toMatchObject({ isValid: false });
  });

  it.each([
    ['dies-after-broadcast', 'no answer', 4_000n],
    ['broken-after-broadcast', 502, 4_000n],
    ['broken', 500, 0n],
    ['down', 'no answer', 0n],
    ['refuses', 200, 0n],
  ] as const satisfies readonly (readonly [FacilitatorFailure['kind'], unknown, bigint])[])(
    'can be one that %s',
    async (kind, answered, paid) => {
      const here = await start();
      const payment = await signedPayment(here, 2, 4_000n);
      here.facilitator.fail({ kind, on: 'settle' });
      expect((await ask(here, 'verify', payment)).body).toMatchObject({ isValid: true });
      const status = await ask(here, 'settle', payment).then(
        (result) => result.status,
        () => 'no answer',
      );
      expect(status).toBe(answered);
      expect(await received(here)).toBe(paid);
      expect(here.facilitator.calls).toEqual({ verify: 1, settle: 1 });
    },
  );

  it('answers what is no payment with 4xx', async () => {
    const here = await start();
    const post = async (path: string, body: string) =>
      (await fetch(here.facilitator.url + path, { method: 'POST', body })).status;
    expect(await post('/verify', '{')).toBe(400);
    expect(await post('/settle', '{}')).toBe(400);
    expect(await post('/nothing', '{}')).toBe(404);
  });
});
