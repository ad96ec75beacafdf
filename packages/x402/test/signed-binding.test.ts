// PAYMENT_BINDING=require and a payment without a memo: it buys the request that its payer signs, and no other.
import { createSignableMessage, generateKeyPairSigner, getBase58Decoder } from '@solana/kit';
import { describe, expect, it } from 'vitest';
import { bindingMessage, fingerprint, memoOf } from '../src/gate/binding.ts';
import type { Proof } from '../src/gate/gate.ts';
import { readProof } from '../src/gate/proof.ts';
import { isMessageSigned } from '../src/chains/solana/signed-message.ts';
import { createFixture, NETWORK, PRICE, problemOf, purchaseOf, reasonOf, signature } from './fixture.ts';
import { fakeSignature } from './fake-chain.ts';

const MINE = await fingerprint({ tier: 'semantic', url: 'https://example.org/mine' });
const OTHER = await fingerprint({ tier: 'semantic', url: 'https://example.org/other' });
const required = () => createFixture({ policy: { binding: 'require' } });
const signedBy = (payer: string, request: string, key = 'sig-1', of = key): Proof => ({
  kind: 'signature',
  key,
  binding: fakeSignature(payer, bindingMessage(of, memoOf(request))),
});

describe('a payment without a memo, where one is required', () => {
  it('buys the request that its payer has signed, once', async () => {
    const { chain, buy } = required();
    chain.pay('sig-1');
    expect(await buy(signedBy('alice', MINE), MINE)).toBe('run');
    expect(await buy(signedBy('alice', MINE), MINE)).toBe('replay');
    expect(await reasonOf(buy(signedBy('alice', OTHER), OTHER))).toBe('payment_already_used');
  });

  it.each([
    ['no signature', signature('sig-1')],
    ['the signature of another key', signedBy('mallory', MINE)],
    ['a signature over another request', signedBy('alice', OTHER)],
    ['a signature over another payment', signedBy('alice', MINE, 'sig-1', 'sig-2')],
    ['nonsense', { ...signature('sig-1'), binding: '' }],
  ])('is refused with %s, and stays free for its payer', async (_, proof) => {
    const { chain, buy, ledger } = required();
    chain.pay('sig-1');
    for (let shown = 0; shown < 6; shown++)
      expect(await problemOf(buy(proof, MINE))).toMatchObject({ reason: 'binding_required', reusable: true });
    expect(await ledger.get('sig-1')).toMatchObject({ tries: 0 });
    expect(await buy(signedBy('alice', MINE), MINE)).toBe('run');
  });

  it('is refused before its request is read when nothing is signed', async () => {
    const { chain, claim } = required();
    chain.pay('sig-1');
    expect(await reasonOf(claim('sig-1'))).toBe('binding_required');
  });

  it('names in its refusal the text to sign', async () => {
    const { chain, buy } = required();
    chain.pay('sig-1');
    const { message } = await problemOf(buy(signedBy('mallory', MINE), MINE));
    expect(message).toContain(`alice over "grainline:binding:1:sig-1:chunk:1:${MINE}"`);
  });
});

it('a memo is not replaced by a signature', async () => {
  const { chain, buy } = required();
  chain.pay('sig-1', { memos: [memoOf(MINE)] });
  expect(await reasonOf(buy(signedBy('alice', OTHER), OTHER))).toBe('bound_to_another_request');
});

it('a signature changes nothing where no memo is required', async () => {
  const { chain, gate, claim } = createFixture();
  chain.pay('sig-1');
  const claimed = await claim(signedBy('mallory', OTHER));
  expect(claimed).not.toHaveProperty('binding');
  expect((await gate.bind(claimed, purchaseOf(MINE))).kind).toBe('run');
});

it('the header stands beside a transaction id', () => {
  const { chain } = createFixture();
  const terms = { chain, network: NETWORK, settles: false };
  const headers = { 'x-payment': 'sig-1', 'x-payment-binding': ' abc ' };
  expect(readProof(headers, terms)).toEqual({ kind: 'signature', key: 'sig-1', binding: 'abc' });
  expect(readProof({ 'x-payment-binding': 'abc' }, terms)).toBeNull();
});

describe('an offer where a memo is required', () => {
  it.each([
    [{ fingerprint: MINE }, 'the memo in extra.memo'],
    [{ template: { tier: 'semantic' } }, 'the memo that extra.binding describes'],
  ])('names the memo in its description and in extra', (binding, named) => {
    const quote = { price: PRICE, product: 'semantic', description: 'Chunks.' };
    const request = { resource: 'https://example.org', mimeType: 'application/json', binding };
    const { members } = required().gate.offer(quote, request);
    expect(members['paymentRequirements']).toMatchObject({
      description: `Chunks. The transfer must carry ${named}.`,
      extra: { memoRequired: true, withoutMemo: expect.stringContaining('X-PAYMENT-BINDING') as string },
    });
    const offered = createFixture().gate.offer(quote, request).members['paymentRequirements'];
    expect(offered).toMatchObject({ description: 'Chunks.' });
  });
});

describe('a message on Solana', () => {
  it('is signed by the key of an address alone', async () => {
    const [payer, other] = [await generateKeyPairSigner(), await generateKeyPairSigner()];
    const message = bindingMessage('5x', memoOf(MINE));
    const [made] = await payer.signMessages([createSignableMessage(message)]);
    const text = getBase58Decoder().decode(made?.[payer.address] ?? new Uint8Array());
    const signed = { address: payer.address, message, signature: text };
    expect(await isMessageSigned(signed)).toBe(true);
    for (const wrong of [
      { address: other.address },
      { message: `${message} ` },
      { signature: '' },
      { signature: '1'.repeat(64) },
      { signature: text.slice(1) },
      { address: 'no address' },
      // The address of a program: no point of the curve.
      { address: '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM' },
    ])
      expect(await isMessageSigned({ ...signed, ...wrong })).toBe(false);
  });

  it('is never the message of a transaction', () => {
    // The third byte after the header counts the accounts: 105 of 32 bytes do not fit.
    const bytes = new TextEncoder().encode(bindingMessage('5'.repeat(88), memoOf(MINE)));
    expect((bytes[3] ?? 0) * 32).toBeGreaterThan(bytes.length);
    expect(bytes[0]).toBeLessThan(0x80);
  });
});
