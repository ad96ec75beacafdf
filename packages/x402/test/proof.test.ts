import { encodePaymentSignatureHeader } from '@x402/core/http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import type { Proof, ProofHeaders } from '../src/gate/gate.ts';
import { readKey } from '../src/chains/solana/keys.ts';
import { readProof } from '../src/gate/proof.ts';
import { PaymentProblem } from '../src/gate/reasons.ts';
import { ASSET, createFakeChain, PAY_TO, signedText } from './fake-chain.ts';
import { createFakeClock } from './fake-clock.ts';
import { NETWORK, START_MS } from './fixture.ts';

const chain = createFakeChain(createFakeClock(START_MS));
const read = (headers: ProofHeaders, settles = true): Proof | null =>
  readProof(headers, { chain, network: NETWORK, settles });

const transaction = signedText({ intent: 'i', amount: '4000', payer: 'alice', payTo: PAY_TO, untilMs: 0 });
const V1 = { x402Version: 1, scheme: 'exact', network: 'solana', payload: { transaction } };
const V2 = {
  x402Version: 2,
  resource: { url: 'https://example.org/chunk', description: 'Ü', mimeType: 'application/json' },
  accepted: {
    scheme: 'exact',
    network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    amount: '4000',
    asset: ASSET,
    payTo: PAY_TO,
    maxTimeoutSeconds: 60,
    extra: { feePayer: 'fee' },
  },
  payload: { transaction },
} as const;
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');
const messageOf = (headers: ProofHeaders, settles = true): string => {
  try {
    return `no fault, but ${JSON.stringify(read(headers, settles))}`;
  } catch (error) {
    if (error instanceof PaymentProblem) return `${error.reason}: ${error.message}`;
    throw error;
  }
};

describe('a proof', () => {
  it('is absent when no header is', () => {
    expect(read({})).toBeNull();
    expect(read({ 'x-payment': undefined, 'payment-signature': [] })).toBeNull();
    expect(read({ 'x-payment-response': 'sig-1' })).toBeNull();
  });

  it('may be a transaction id, white space around it or not', () => {
    expect(read({ 'x-payment': ' sig-1\t' })).toEqual({ kind: 'signature', key: 'sig-1' });
    expect(read({ 'x-payment': ['sig-1'] })).toEqual({ kind: 'signature', key: 'sig-1' });
  });

  it('may be a payload of version 1', () => {
    expect(read({ 'x-payment': encode(V1) })).toEqual({
      kind: 'transaction',
      version: 1,
      payload: V1,
      transaction,
    });
  });

  it('may be a payload of version 2, as the official client writes it', () => {
    const header = encodePaymentSignatureHeader(V2);
    expect(read({ 'payment-signature': header })).toEqual({
      kind: 'transaction',
      version: 2,
      payload: V2,
      transaction,
    });
  });

  it('may stand in both headers, when it is the same', () => {
    expect(read({ 'x-payment': encode(V1), 'payment-signature': encode(V2) })).toMatchObject({ version: 2 });
    expect(read({ 'x-payment': 'sig-1', 'payment-signature': 'sig-1' })).toMatchObject({ key: 'sig-1' });
  });

  it.each<[string, ProofHeaders]>([
    ['two different headers', { 'x-payment': 'sig-1', 'payment-signature': encode(V2) }],
    ['two different ids', { 'x-payment': 'sig-1', 'payment-signature': 'sig-2' }],
    ['a header that comes twice', { 'x-payment': ['sig-1', 'sig-1'] }],
    ['a header that comes twice, as node joins it', { 'x-payment': 'sig-1, sig-1' }],
    ['nothing', { 'x-payment': '' }],
    ['blanks', { 'payment-signature': '  ' }],
    ['junk', { 'x-payment': '#'.repeat(6_000) }],
    ['junk in base64', { 'x-payment': 'A'.repeat(6_000) }],
    ['more than any header may hold', { 'x-payment': encode({ ...V1, junk: 'x'.repeat(20_000) }) }],
    ['base64 of a wrong length', { 'x-payment': 'AAAAA' }],
    ['bytes that are no UTF-8', { 'x-payment': Buffer.from([0x7b, 0xff, 0x7d]).toString('base64') }],
    ['JSON that ends early', { 'x-payment': btoa('{"x402Version":1') }],
    ['a list', { 'x-payment': encode([V1]) }],
    ['null', { 'x-payment': encode(null) }],
    ['another version', { 'x-payment': encode({ ...V1, x402Version: 3 }) }],
    ['a version that is text', { 'x-payment': encode({ ...V1, x402Version: '1' }) }],
    ['another scheme', { 'x-payment': encode({ ...V1, scheme: 'upto' }) }],
    ['another network', { 'x-payment': encode({ ...V1, network: 'solana-devnet' }) }],
    [
      'the name that the network has in the other version',
      { 'x-payment': encode({ ...V1, network: NETWORK.caip2 }) },
    ],
    ['no transaction', { 'x-payment': encode({ ...V1, payload: {} }) }],
    [
      'a transaction that is no text',
      { 'x-payment': encode({ ...V1, payload: { transaction: [transaction] } }) },
    ],
    [
      'a transaction that cannot be read',
      { 'x-payment': encode({ ...V1, payload: { transaction: 'AAAA' } }) },
    ],
    ['nothing accepted', { 'payment-signature': encode({ ...V2, accepted: null }) }],
    [
      'another amount than signed',
      { 'payment-signature': encode({ ...V2, accepted: { ...V2.accepted, amount: '2000' } }) },
    ],
    [
      'an amount that is no number',
      { 'payment-signature': encode({ ...V2, accepted: { ...V2.accepted, amount: '0x4' } }) },
    ],
    [
      'an amount of a million digits',
      { 'payment-signature': encode({ ...V2, accepted: { ...V2.accepted, amount: '9'.repeat(9_000) } }) },
    ],
    [
      'another asset',
      { 'payment-signature': encode({ ...V2, accepted: { ...V2.accepted, asset: 'other' } }) },
    ],
    [
      'another recipient',
      { 'payment-signature': encode({ ...V2, accepted: { ...V2.accepted, payTo: 'other' } }) },
    ],
    ['brackets that nest without end', { 'x-payment': btoa('{"a":' + '['.repeat(11_000)) }],
    ['brackets that nest and end', { 'x-payment': btoa('['.repeat(5_000) + ']'.repeat(5_000)) }],
    [
      'a payload that nests',
      { 'x-payment': btoa(`${JSON.stringify(V1).slice(0, -1)},"a":${'['.repeat(40)}${']'.repeat(40)}}`) },
    ],
    ['quotation marks without end', { 'x-payment': btoa('\\"'.repeat(5_000)) }],
  ])('is malformed when the header holds %s', (_, headers) => {
    expect(messageOf(headers)).toMatch(/^payment_malformed: /);
  });

  it.each([
    [{ 'x-payment': ['sig-1', 'sig-2'] }, 'There are 2 headers X-PAYMENT.'],
    [{ 'x-payment': encode({ ...V1, network: 'base' }) }, 'The network must be "solana".'],
  ])('names one fault alone: %j', (headers, sentence) => {
    expect(messageOf(headers)).toBe(
      `payment_malformed: ${sentence} Correct it and send the same request again; what was paid stays usable.`,
    );
    expect(messageOf({ 'x-payment': '"sig' })).toMatch(/^payment_malformed: The header holds neither /);
  });

  it('brackets inside strings do not nest', () => {
    const payload = { ...V1, note: `${'['.repeat(100)}\\"${'{'.repeat(100)}` };
    expect(read({ 'x-payment': encode(payload) })).toMatchObject({ kind: 'transaction', payload });
  });

  it('is a transaction only where somebody settles', () => {
    expect(messageOf({ 'x-payment': encode(V1) }, false)).toMatch(/broadcast it, and send its id/);
    expect(read({ 'x-payment': 'sig-1' }, false)).toMatchObject({ kind: 'signature' });
  });

  it('is read from anything without another fault than its own', () => {
    const json = fc.json().map((text) => Buffer.from(text).toString('base64'));
    const text = fc.oneof(
      fc.string(),
      fc.base64String(),
      json,
      fc.constantFrom(encode(V1), encode(V2), 'sig-1'),
    );
    const header = fc.option(fc.oneof(text, fc.array(text, { maxLength: 3 })), { nil: undefined });
    fc.assert(
      fc.property(fc.record({ 'x-payment': header, 'payment-signature': header }), (headers) => {
        try {
          read(headers);
        } catch (error) {
          expect(error).toMatchObject({ name: 'PaymentProblem', reason: 'payment_malformed' });
        }
      }),
      cases(2_000),
    );
  });

  it('is what a payload becomes when any of its values is another one, or malformed', () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(V2)), fc.jsonValue(), (name, value) => {
        const message = messageOf({ 'payment-signature': encode({ ...V2, [name]: value }) });
        expect(message).toMatch(name === 'resource' ? /^no fault/ : /^(?:payment_malformed|no fault)/);
      }),
      cases(100),
    );
  });
});

describe('a proof for Solana', () => {
  const solana = { ...chain, readKey };
  const readSolana = (text: string): Proof | null =>
    readProof({ 'x-payment': text }, { chain: solana, network: NETWORK, settles: true });
  const SIGNATURE =
    '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW';

  it('is a signature in base58, told apart from payloads although those may hold the same letters', () => {
    expect(readSolana(` ${SIGNATURE} `)).toEqual({ kind: 'signature', key: SIGNATURE });
    expect(readSolana(encode(V1))).toMatchObject({ kind: 'transaction' });
  });

  it.each([
    ['64 zero bytes', '1'.repeat(64)],
    ['a leading zero more', `1${SIGNATURE}`],
    ['another letter more', `${SIGNATURE}a`],
    ['letters that base58 leaves out', SIGNATURE.replace('5', '0')],
    ['the same bytes in base64', Buffer.alloc(64, 7).toString('base64')],
    ['an address', '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM'],
    ['two of them', `${SIGNATURE}${SIGNATURE}`],
  ])('is malformed as %s', (_, text) => {
    expect(() => readSolana(text)).toThrow(PaymentProblem);
  });
});
