// PAYMENT_BINDING=require: a client that paid without a memo buys its request with a signature of the paying key.
import type { Socket } from 'node:net';
import { bindingMessage, memoOf } from '@grainline/x402';
import { afterEach, describe, expect, it } from 'vitest';
import { form } from '../http/fake-service.ts';
import { fakeSignature, PAYER } from './fake-chain.ts';
import { beginUpload, type SellingService, send, startSelling, uploadFingerprint } from './selling.ts';

let service: SellingService;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await service.stop();
});

const STRUCTURE = '/chunk/structure';
const PRICE = 2000n;
const start = async (): Promise<void> => {
  service = await startSelling({ environment: { PAYMENT_BINDING: 'require' } });
};
const signed = (proof: string, memo: string, payer = PAYER) => ({
  'X-PAYMENT-BINDING': fakeSignature(payer, bindingMessage(proof, memo)),
});
const uploadMemo = async (text: string): Promise<string> => memoOf(await uploadFingerprint(text));

describe('a payment without a memo, where one is required', () => {
  it.each([STRUCTURE, '/chunk'])('buys the upload to %s that its payer has signed', async (path) => {
    await start();
    const proof = service.chain.pay(PRICE);
    const lost = await send(service, path, form('Mine.'), proof);
    expect([lost.status, lost.json.code, lost.json.payment]).toEqual([
      402,
      'binding_required',
      { reusable: true },
    ]);
    expect(lost.json['message']).toContain('X-PAYMENT-BINDING');
    const headers = signed(proof, await uploadMemo('Mine.'));
    const stolen = await send(service, path, form('Loot.'), proof, headers);
    expect([stolen.status, stolen.json.code]).toEqual([402, 'binding_required']);
    expect((await send(service, path, form('Mine.'), proof, headers)).status).toBe(200);
    expect(service.tasks).toHaveLength(1);
  });

  it('buys a text with the memo of the refusal', async () => {
    await start();
    const proof = service.chain.pay(PRICE);
    const body = JSON.stringify({ text: 'Mine.' });
    const { json } = await send(service, '/chunk', body, proof);
    const { extra, description } = json.paymentRequirements ?? {};
    expect(description).toContain('The transfer must carry the memo in extra.memo.');
    const headers = signed(proof, extra?.memo ?? '');
    expect((await send(service, '/chunk', body, proof, headers)).status).toBe(200);
  });

  it('is not used up by strangers with a signature of their own, nor held by an upload that never ends', async () => {
    await start();
    const proof = service.chain.pay(PRICE);
    const loot = signed(proof, await uploadMemo('Loot.'), 'a stranger');
    sockets.push(await beginUpload(service, STRUCTURE, proof, loot));
    for (const bad of [form(''), form('Loot.', 'note.txt', { chunk_size: 'x' }), form('Loot.')])
      for (let shown = 0; shown < 3; shown++)
        expect((await send(service, STRUCTURE, bad, proof, loot)).status).toBeGreaterThanOrEqual(400);
    const mine = signed(proof, await uploadMemo('Mine.'));
    expect((await send(service, STRUCTURE, form('Mine.'), proof, mine)).status).toBe(200);
  });

  it('may be sent from a browser', async () => {
    await start();
    const { headers } = await fetch(`${service.url}/chunk`, { method: 'OPTIONS' });
    expect(headers.get('access-control-allow-headers')).toContain('X-PAYMENT-BINDING');
  });
});
