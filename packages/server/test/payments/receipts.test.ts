// Signed receipts over a real socket: an answer, its repetition and its link carry one receipt, which the client checks
// with saved keys. A changed receipt is refused.
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { canonicalJson, FORMATS } from '@grainline/core/formats';
import { createClient, type ReceiptKeySet } from '@grainline/client';
import { verifyReceipt } from '@grainline/client/receipts';
import { afterEach, describe, expect, it } from 'vitest';
import { openReceiptSigner } from '../../src/payments/receipts.ts';
import { form, paragraphs } from '../http/fake-service.ts';
import { PAYER, USDC } from './fake-chain.ts';
import { keyPem, writeKeyFile } from './receipt-key.ts';
import { type Answer, type SellingService, send, startSelling, uploadFingerprint } from './selling.ts';

const STRUCTURE = '/chunk/structure';
const PRICE = 2000n;

const file = writeKeyFile();
let service: SellingService;
const start = async (): Promise<SellingService> => startSelling({ environment: { RECEIPT_KEY_FILE: file } });
const keysOf = ({ url }: SellingService): Promise<ReceiptKeySet> => createClient({ url }).receiptKeys();
const receiptIn = ({ json }: Pick<Answer, 'json'>): string => String(json.payment?.['receipt']);

describe('a receipt', () => {
  afterEach(() => service.stop());

  /** Pays the offer for a JSON body, bound to it. */
  async function payFor(body: string): Promise<string> {
    const { json } = await send(service, '/chunk', body);
    const { maxAmountRequired = '', extra } = json.paymentRequirements ?? {};
    return service.chain.pay(BigInt(maxAmountRequired), { memos: [String(extra?.memo)] });
  }

  it('names request, text, chunks and payment, and is checked with saved keys', async () => {
    service = await start();
    const proof = service.chain.pay(PRICE);
    const answer = await send(service, STRUCTURE, form('One.\n\nTwo.'), proof);
    const chunks = answer.json['chunks'] as unknown[];
    const claims = await verifyReceipt(receiptIn(answer), await keysOf(service), { chunks });
    expect(claims).toEqual({
      version: 1,
      resourceUrl: `${service.url}${STRUCTURE}`,
      network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
      payer: PAYER,
      transaction: proof,
      requestHash: await uploadFingerprint('One.\n\nTwo.'),
      tier: 'structure',
      amount: '2000',
      asset: USDC,
      issuedAt: Math.floor(service.clock.now / 1000),
      sourceSha256: (answer.json['source'] as { sha256: string }).sha256,
      resultSha256: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
      versions: { grainline: expect.any(String) as unknown, reader: expect.any(String) as unknown },
    });
  });

  it('is the same when the answer is repeated, in its headers, and at the address of the result', async () => {
    service = await start();
    const proof = service.chain.pay(PRICE);
    const first = await send(service, STRUCTURE, form('One.\n\nTwo.'), proof);
    service.clock.now += 5000;
    const second = await send(service, STRUCTURE, form('One.\n\nTwo.'), proof);
    const receipt = receiptIn(first);
    for (const { headers } of [first, second]) {
      const header = Buffer.from(headers.get('payment-response') ?? '', 'base64').toString();
      expect(JSON.parse(header)).toMatchObject({
        extensions: { 'offer-receipt': { info: { receipt: { format: 'jws', signature: receipt } } } },
      });
    }
    expect(second.text).toBe(first.text);
    const stored = await fetch(`${service.url}${first.headers.get('content-location')}/receipt`);
    expect([stored.headers.get('content-type'), await stored.text()]).toEqual(['application/jose', receipt]);
  });

  it('of a large result is in the link and in the result, and goes with it', async () => {
    service = await start();
    const link = await send(service, STRUCTURE, form(paragraphs(250)), service.chain.pay(PRICE));
    const address = String(link.json['download_url']);
    const result = (await (await fetch(address)).json()) as Answer['json'];
    expect(result.payment).toEqual(link.json.payment);
    const chunks = result['chunks'] as unknown[];
    await verifyReceipt(receiptIn(link), await keysOf(service), { chunks });
    await fetch(address, { method: 'DELETE' });
    expect((await fetch(`${address}/receipt`)).status).toBe(404);
  });

  it.each(Object.keys(FORMATS))('is over the chunks that the client parses: %s', async (format) => {
    service = await start();
    const fields = {
      text: '# Tides\n\nHigh.\n\nLow.',
      tier: 'semantic',
      output_format: format,
      embeddings: true,
    };
    const body = JSON.stringify(fields);
    const proof = await payFor(body);
    const answer = await send(service, '/chunk', body, proof);
    expect(answer.json).toMatchObject({ success: true });
    const { chunks } = answer.json as { chunks: unknown[] };
    await verifyReceipt(receiptIn(answer), await keysOf(service), { chunks });
  });

  it.skipIf(spawnSync('python3', ['--version']).status !== 0)(
    'is checked by the program of the docs',
    async () => {
      service = await start();
      const fields = {
        text: '# Tides\n\nHigh “tide” \u007f 😀.\n\nLow.',
        tier: 'semantic',
        embeddings: true,
      };
      const body = JSON.stringify(fields);
      const proof = await payFor(body);
      const { text } = await send(service, '/chunk', body, proof);
      const docs = readFileSync(new URL('../../../../docs/receipts.md', import.meta.url), 'utf8');
      const [, program = ''] = /^```python[^\n]*\n(.*?)^```$/ms.exec(docs) ?? [];
      const at = (name: string): string => join(dirname(file), name);
      writeFileSync(at('jwks.json'), JSON.stringify(await keysOf(service)));
      const check = (answer: string): ReturnType<typeof spawnSync> => {
        writeFileSync(at('answer.json'), answer);
        return spawnSync('python3', ['-', at('answer.json'), at('jwks.json')], {
          input: program,
          encoding: 'utf8',
        });
      };
      expect(check(text)).toMatchObject({ status: 0, stdout: `${proof} 4000\n` });
      expect(String(check(text.replace('High', 'Low')).stderr)).toContain('other chunks');
      const receipt = String((JSON.parse(text) as Answer['json']).payment?.['receipt']);
      const forged = receipt.replace(/.{8}$/, (end) => (end === 'AAAAAAAA' ? 'BBBBBBBB' : 'AAAAAAAA'));
      expect(String(check(text.replace(receipt, forged)).stderr)).toMatch(/wrong signature/);
    },
  );

  it('is nowhere when nothing was paid, or when the service signs none', async () => {
    service = await start();
    const free = await send(service, '/chunk/demo', form(paragraphs(250)));
    expect(free.json.payment).not.toHaveProperty('receipt');
    const stored = await fetch(`${String(free.json['download_url'])}/receipt`);
    expect([stored.status, await stored.json()]).toMatchObject([404, { code: 'not_found' }]);
    await service.stop();
    service = await startSelling();
    const paid = await send(service, STRUCTURE, form('Text.'), service.chain.pay(PRICE));
    expect(paid.json.payment).not.toHaveProperty('receipt');
    for (const path of ['/.well-known/jwks.json', '/.well-known/did.json'])
      expect((await fetch(`${service.url}${path}`)).status).toBe(404);
  });

  it('is not given for work that failed', async () => {
    service = await start();
    const { status, text } = await send(service, STRUCTURE, form('\0\0\0'), service.chain.pay(PRICE));
    expect(status).toBe(400);
    expect(text).not.toContain('eyJ');
  });
});

describe('a changed receipt', () => {
  const claims = {
    resourceUrl: 'https://a.example/chunk',
    network: 'solana:x',
    payer: 'p',
    transaction: 't',
    requestHash: 'h',
    tier: 'structure',
    amount: '2000',
    asset: 'm',
  };
  const result = {
    metadata: { filename: 'a', content_type: 'text/plain', size_bytes: 1, estimated_pages: 1 },
    totalChunks: 1,
    members: '',
    hashes: { source: 's', chunks: 'c' },
    warnings: [],
  };
  const invalid = { name: 'ClientError', code: 'invalid_receipt' };

  it.each([
    ['with another amount', ([head, , sign]: string[], own: string) => [head, own, sign]],
    ['without a signature', ([head, body]: string[]) => [head, body, '']],
    ['with an algorithm that signs nothing', ([, body]: string[]) => [part({ alg: 'none' }), body, '']],
    ['with more parts', (parts: string[]) => [...parts, 'x']],
    ['cut off', ([head]: string[]) => [head]],
  ])('%s is refused', async (_, change) => {
    const signer = await openReceiptSigner(file, '1.0.0');
    const parts = signer.sign(claims, result, 0).split('.');
    await expect(verifyReceipt(parts.join('.'), signer.keys)).resolves.toMatchObject(claims);
    const other = part({ version: 1, ...claims, amount: '1' });
    await expect(verifyReceipt(change(parts, other).join('.'), signer.keys)).rejects.toMatchObject(invalid);
  });

  it('by another key is refused, also under the name of the right one', async () => {
    const [right, other] = await Promise.all([
      openReceiptSigner(file, '1.0.0'),
      openReceiptSigner(writeKeyFile(), '1.0.0'),
    ]);
    await expect(verifyReceipt(other.sign(claims, result, 0), right.keys)).rejects.toMatchObject(invalid);
    const renamed = right.keys.keys.map(({ kid }) => ({ ...other.keys.keys[0], kid }));
    await expect(verifyReceipt(right.sign(claims, result, 0), { keys: renamed })).rejects.toMatchObject(
      invalid,
    );
  });

  it('for other chunks is refused', async () => {
    const signer = await openReceiptSigner(file, '1.0.0');
    const receipt = signer.sign(claims, result, 0);
    await expect(verifyReceipt(receipt, signer.keys, { chunks: [{}] })).rejects.toMatchObject(invalid);
  });

  function part(value: object): string {
    return Buffer.from(canonicalJson(value)).toString('base64url');
  }
});

describe('the file of keys', () => {
  it('publishes retired keys, private or public, and signs with the first', async () => {
    const retired = keyPem();
    const before = await openReceiptSigner(writeKeyFile(retired), '1.0.0');
    const signer = await openReceiptSigner(writeKeyFile(keyPem() + retired + keyPem('public')), '1.0.0');
    expect(signer.keys.keys).toHaveLength(3);
    expect(signer.keys.keys[1]).toEqual(before.keys.keys[0]);
    for (const key of signer.keys.keys)
      expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x']);
  });

  it.each([
    ['is missing', () => join(dirname(file), 'none.pem'), 'cannot be read: ENOENT; name one'],
    ['may be read by others', () => writeKeyFile(keyPem(), 0o640), 'readable by its owner alone'],
    ['is empty', () => writeKeyFile(''), 'must begin with a private key'],
    ['begins with a public key', () => writeKeyFile(keyPem('public')), 'must begin with a private key'],
    [
      'has a key of another kind',
      () => {
        const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
        return writeKeyFile(privateKey.export({ format: 'pem', type: 'pkcs8' }).toString());
      },
      'another kind than Ed25519',
    ],
    ['is damaged', () => writeKeyFile(keyPem().replace(/\n.{8}/, '\nAAAAAAAA')), 'no key in PEM'],
  ])('ends the start when it %s', async (_, path, message) => {
    await expect(openReceiptSigner(path(), '1.0.0')).rejects.toMatchObject({
      name: 'SettingsError',
      message: expect.stringContaining(message) as unknown,
    });
  });
});
