// The store keeps no text of a paid document after its result is deleted.
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { ask, form, paragraphs } from '../http/fake-service.ts';
import { paidService } from './paid-service.ts';

it('a deleted result leaves no text in the store, and its payment gets 410 in place of a dead link', async () => {
  const service = paidService();
  const proof = service.chain.pay(10_000n);
  const bought = { headers: { 'x-payment': proof }, body: form(`Ambergris.\n\n${paragraphs(400)}`) };
  const { status, json, text } = await ask(service, 'POST /chunk/structure', bought);
  expect(status).toBe(200);
  const path = new URL(String(json['download_url'])).pathname;
  expect((await ask(service, `GET ${path}`)).text).toContain('Ambergris.');
  expect((await ask(service, 'POST /chunk/structure', bought)).text).toBe(text);

  const stored = async (): Promise<string> => {
    const response = await service.store.paidResponse(proof);
    return gunzipSync(response?.gzip ?? Buffer.alloc(0)).toString();
  };
  expect(JSON.parse(await stored())).not.toHaveProperty('chunks');
  expect((await ask(service, `DELETE ${path}`)).status).toBe(204);
  expect((await ask(service, `GET ${path}`)).status).toBe(404);
  expect(await stored()).not.toContain('Ambergris');

  const again = await ask(service, 'POST /chunk/structure', bought);
  expect([again.status, again.json['code'], again.json['payment']]).toEqual([
    410,
    'result_expired',
    { reusable: false },
  ]);
  expect(service.tasks).toHaveLength(1);
});

it('an answer that was paid for is a result too: it can be fetched without its payment, and deleted', async () => {
  const service = paidService();
  const proof = service.chain.pay(2000n);
  const bought = { headers: { 'x-payment': proof }, body: form('Ambergris.') };
  const { status, headers, text } = await ask(service, 'POST /chunk/structure', bought);
  const path = headers['Content-Location'] ?? '';
  expect([status, path]).toEqual([200, expect.stringMatching(/^\/results\/structure_[0-9a-f]{12}$/)]);
  const replay = await ask(service, 'POST /chunk/structure', bought);
  expect([replay.text, replay.headers['Content-Location']]).toEqual([text, path]);
  expect((await ask(service, `GET ${path}`)).text).toBe(text);

  expect((await ask(service, `DELETE ${path}`)).status).toBe(204);
  expect((await ask(service, `GET ${path}`)).status).toBe(404);
  const kept = await service.store.paidResponse(proof);
  expect(gunzipSync(kept?.gzip ?? Buffer.alloc(0)).toString()).toBe('');
  const late = await ask(service, 'POST /chunk/structure', bought);
  expect([late.status, late.json['code'], late.json['payment']]).toEqual([
    410,
    'result_expired',
    { reusable: false },
  ]);
  const other = await ask(service, 'POST /chunk/structure', { ...bought, body: form('Another text.') });
  expect(other.json['code']).toBe('payment_already_used');
  expect(service.tasks).toHaveLength(1);
});
