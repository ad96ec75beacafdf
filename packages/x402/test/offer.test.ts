import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http';
import { parsePaymentRequired } from '@x402/core/schemas';
import { describe, expect, it } from 'vitest';
import type { FacilitatorKind } from '../src/gate/facilitator.ts';
import { writeOffer, type OfferTerms } from '../src/gate/offer.ts';
import { ASSET, PAY_TO } from './fake-chain.ts';
import { createFixture, NETWORK } from './fixture.ts';

const QUOTE = { price: 4_000n, product: 'semantic', description: 'Chunks by topic — tier semantic' };
const FINGERPRINT = 'c7ttjNY2aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
const REQUEST = {
  resource: 'https://example.org/chunk',
  mimeType: 'application/json',
  binding: { fingerprint: FINGERPRINT },
};
const KINDS: FacilitatorKind[] = [
  { version: 1, network: 'solana', feePayer: 'fee1', extra: {} },
  { version: 1, network: 'solana-devnet', feePayer: 'wrong', extra: {} },
  { version: 2, network: NETWORK.caip2, feePayer: 'fee2', extra: { name: 'facilitator' } },
];
const TERMS: OfferTerms = {
  rule: { payTo: PAY_TO, asset: ASSET },
  network: NETWORK,
  asset: { decimals: 6 },
  binding: 'offer',
  kinds: [],
};
const REQUIREMENTS = {
  x402Version: 1,
  scheme: 'exact',
  network: 'solana-mainnet',
  maxAmountRequired: '4000',
  asset: ASSET,
  payTo: PAY_TO,
  description: QUOTE.description,
};

describe('an offer', () => {
  it('without a facilitator is for those who broadcast themselves, and says nothing to others', () => {
    const offer = writeOffer(QUOTE, REQUEST, TERMS);
    expect(offer.headers).toEqual({ 'Cache-Control': 'no-store' });
    expect(offer.members).toEqual({
      paymentRequirements: { ...REQUIREMENTS, extra: { decimals: 6, memo: `chunk:1:${FINGERPRINT}` } },
    });
  });

  it('with a facilitator is read by the schemas of both versions', () => {
    const { headers, members } = writeOffer(QUOTE, REQUEST, { ...TERMS, kinds: KINDS });
    const body = parsePaymentRequired({ error: 'Payment Required', ...members });
    expect(body.success && body.data).toMatchObject({
      x402Version: 1,
      accepts: [
        {
          scheme: 'exact',
          network: 'solana',
          maxAmountRequired: '4000',
          resource: REQUEST.resource,
          description: QUOTE.description,
          mimeType: 'application/json',
          payTo: PAY_TO,
          asset: ASSET,
          extra: { feePayer: 'fee1', decimals: 6 },
        },
      ],
    });
    const header = decodePaymentRequiredHeader(headers['PAYMENT-REQUIRED'] ?? '');
    expect(parsePaymentRequired(header).success).toBe(true);
    expect(header).toMatchObject({
      x402Version: 2,
      resource: { url: REQUEST.resource, description: QUOTE.description, mimeType: 'application/json' },
      accepts: [
        {
          scheme: 'exact',
          network: NETWORK.caip2,
          amount: '4000',
          payTo: PAY_TO,
          asset: ASSET,
          extra: { feePayer: 'fee2', decimals: 6, name: 'facilitator' },
        },
      ],
    });
    expect(members['paymentRequirements']).toMatchObject(REQUIREMENTS);
  });

  it('has the service and the extensions in the offer of version 2 alone', () => {
    const service = { serviceName: 'Grainline', tags: ['rag'] };
    const extensions = { bazaar: { info: { input: {} }, schema: {} } };
    const offer = writeOffer(QUOTE, { ...REQUEST, service, extensions }, { ...TERMS, kinds: KINDS });
    expect(offer.required).toMatchObject({ resource: { url: REQUEST.resource, ...service }, extensions });
    expect(decodePaymentRequiredHeader(offer.headers['PAYMENT-REQUIRED'] ?? '')).toEqual(offer.required);
    expect(JSON.stringify(offer.members)).not.toContain('bazaar');
    expect(writeOffer(QUOTE, REQUEST, TERMS).required).toBeUndefined();
  });

  it('names no memo in what clients of x402 read, some of which would be refused for it', () => {
    const { headers, members } = writeOffer(QUOTE, REQUEST, { ...TERMS, kinds: KINDS, binding: 'require' });
    expect(JSON.stringify(members['accepts'])).not.toContain('memo');
    expect(atob(headers['PAYMENT-REQUIRED'] ?? '')).not.toContain('memo');
  });

  it('speaks only the versions that the facilitator settles on this network', () => {
    const only2 = writeOffer(QUOTE, REQUEST, { ...TERMS, kinds: KINDS.slice(1) });
    expect([only2.members['accepts'], only2.members['x402Version']]).toEqual([undefined, undefined]);
    expect(only2.headers).toHaveProperty('PAYMENT-REQUIRED');
    const only1 = writeOffer(QUOTE, REQUEST, { ...TERMS, kinds: KINDS.slice(0, 2) });
    expect(only1.members).toHaveProperty('accepts');
    expect(only1.headers).not.toHaveProperty('PAYMENT-REQUIRED');
    const unnamed = { ...NETWORK, v1: null };
    const { members } = writeOffer(QUOTE, REQUEST, { ...TERMS, network: unnamed, kinds: KINDS });
    expect(members['accepts']).toBeUndefined();
  });

  it('for an upload says how to make the memo', () => {
    const template = { deployment: 'eu-1', tier: 'semantic' };
    const { members } = writeOffer(QUOTE, { ...REQUEST, binding: { template } }, TERMS);
    expect(members['paymentRequirements']).toMatchObject({
      extra: {
        binding: {
          prefix: 'chunk:1:',
          algorithm: 'sha256',
          formula: expect.stringContaining('SHA-256') as string,
          request: template,
        },
      },
    });
    expect(JSON.stringify(members)).not.toContain('"memo"');
  });

  it('for an upload says which defaults depend on what the client sends, and what only some requests have', () => {
    const implied = [{ when: { unit: 'tokens' }, options: { chunk_size: '512' } }];
    const optional = { source: { charset: '<its name>' } };
    const { members } = writeOffer(
      QUOTE,
      { ...REQUEST, binding: { template: {}, implied, optional } },
      TERMS,
    );
    expect(members['paymentRequirements']).toMatchObject({ extra: { binding: { implied, optional } } });
  });

  it('says when the memo is required, and nothing of it when binding is off', () => {
    const extra = (binding: OfferTerms['binding']): unknown =>
      (writeOffer(QUOTE, REQUEST, { ...TERMS, binding }).members['paymentRequirements'] as { extra: unknown })
        .extra;
    expect(extra('require')).toEqual({
      decimals: 6,
      memo: `chunk:1:${FINGERPRINT}`,
      memoRequired: true,
      withoutMemo:
        'A transfer without it buys its request with the header X-PAYMENT-BINDING: in base58, the Ed25519 signature of the paying key over the UTF-8 of "grainline:binding:1:<transaction signature>:<memo>".',
    });
    expect(extra('off')).toEqual({ decimals: 6 });
  });

  it('writes amounts beyond what numbers hold', () => {
    const { members } = writeOffer({ ...QUOTE, price: 9_007_199_254_740_993n }, REQUEST, {
      ...TERMS,
      kinds: KINDS,
    });
    expect(JSON.stringify(members).match(/"maxAmountRequired":"9007199254740993"/g)).toHaveLength(2);
  });
});

describe('a receipt', () => {
  it('is read by the official client, in the words of each version', () => {
    const headers = createFixture().gate.receipt('sig-1', 'alice');
    const receipt = { success: true, transaction: 'sig-1', payer: 'alice' };
    expect(decodePaymentResponseHeader(headers['PAYMENT-RESPONSE'] ?? '')).toEqual({
      ...receipt,
      network: NETWORK.caip2,
    });
    expect(decodePaymentResponseHeader(headers['X-PAYMENT-RESPONSE'] ?? '')).toEqual({
      ...receipt,
      network: 'solana',
    });
  });

  it('carries a signed one in version 2, as the extension places it', () => {
    const headers = createFixture().gate.receipt('sig-1', 'alice', 'a.b.c');
    expect(decodePaymentResponseHeader(headers['PAYMENT-RESPONSE'] ?? '').extensions).toEqual({
      'offer-receipt': { info: { receipt: { format: 'jws', signature: 'a.b.c' } } },
    });
    expect(headers['X-PAYMENT-RESPONSE']).toBe(
      createFixture().gate.receipt('sig-1', 'alice')['X-PAYMENT-RESPONSE'],
    );
  });
});
