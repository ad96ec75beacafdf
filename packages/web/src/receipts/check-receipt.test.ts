import { generateKeyPairSync, hash, sign } from 'node:crypto';
import { canonicalJson } from '@grainline/core/formats';
import { describe, expect, it } from 'vitest';
import { checkReceipt, receiptAmong, receiptIn } from './check-receipt.ts';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const { x = '' } = publicKey.export({ format: 'jwk' });
const keys = { keys: [{ kid: 'a', crv: 'Ed25519', x }] };
const chunks = [{ text: 'High water.' }];
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function receiptOf(delivered: readonly unknown[], kid = 'did:web:a.example#a'): string {
  const resultSha256 = hash('sha256', canonicalJson(delivered));
  const signed = `${encode({ alg: 'EdDSA', kid })}.${encode({ version: 1, transaction: 'tx', resultSha256 })}`;
  return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
}

const file = (name: string, content: unknown): File =>
  new File([typeof content === 'string' ? content : JSON.stringify(content)], name);
const nothing = { serviceKeys: undefined, chunksOf: () => Promise.resolve(undefined) };
const receipt = receiptOf(chunks);

describe('the check of a receipt', () => {
  it('uses the keys of the service, or those that were brought', async () => {
    const serviceKeys = () => Promise.resolve(keys);
    const check = await checkReceipt({ receipt }, { ...nothing, serviceKeys });
    expect(check).toMatchObject({
      kind: 'valid',
      keysOf: 'service',
      chunks: 'absent',
      claims: { transaction: 'tx' },
    });
    expect(await checkReceipt({ receipt, keys }, nothing)).toMatchObject({ kind: 'valid', keysOf: 'file' });
    const foreign = await checkReceipt({ receipt, keys: { keys: [] } }, { ...nothing, serviceKeys });
    expect(foreign).toEqual({
      kind: 'invalid',
      keysOf: 'file',
      reason: 'its key is not among the given ones.',
    });
  });

  it('compares the chunks beside it, or those of the paid answer in this browser', async () => {
    const sources = {
      ...nothing,
      chunksOf: (transaction: string) => Promise.resolve(transaction === 'tx' ? chunks : undefined),
    };
    expect(await checkReceipt({ receipt, keys }, sources)).toMatchObject({ chunks: 'equal' });
    const other = [{ text: 'High water!' }];
    expect(await checkReceipt({ receipt, keys, chunks: other }, sources)).toMatchObject({ chunks: 'other' });
  });

  it('rejects a changed receipt', async () => {
    const [head, , signature] = receipt.split('.');
    const forged = `${head}.${encode({ version: 1, transaction: 'tx', amount: '1' })}.${signature}`;
    expect(await checkReceipt({ receipt: forged, keys }, nothing)).toMatchObject({
      kind: 'invalid',
      reason: 'its signature is wrong.',
    });
  });
});

describe('files that a visitor brings', () => {
  it('are a receipt, an answer with one, and keys, in any order', async () => {
    const answer = { success: true, chunks, payment: { receipt } };
    expect(await receiptAmong([file('r.jws', `${receipt}\n`)])).toEqual({ receipt });
    expect(await receiptAmong([file('r.txt', receipt), file('c.json', chunks)])).toEqual({ receipt, chunks });
    expect(await receiptAmong([file('jwks.json', keys), file('a.json', answer)])).toEqual({
      receipt,
      chunks,
      keys,
    });
  });

  it.each([
    ['a text', file('a.txt', 'eyJ is how a JWS begins.')],
    ['a free answer', file('a.json', { chunks, payment: { amount: 0 } })],
    ['keys alone', file('a.json', keys)],
    ['JSON of another kind', file('a.json', 'null')],
    ['no JSON', file('a.json', '{')],
  ])('are documents: %s', async (_, given) => {
    expect(await receiptAmong([given])).toBeUndefined();
  });

  it('may be a pasted text', () => {
    expect(receiptIn(` ${receipt} `)).toEqual({ receipt });
    expect(receiptIn('eyJ.')).toBeUndefined();
  });
});
