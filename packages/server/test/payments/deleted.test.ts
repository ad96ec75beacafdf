// What is left of a document that was paid for once its result is deleted: nothing that holds its text.
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { ask, form, paragraphs } from '../http/fake-service.ts';
import { paidService } from './paid-service.ts';

it('a deleted result leaves an answer without chunks, which the payment still gets', async () => {
  const service = paidService();
  const proof = service.chain.pay(10_000n);
  const bought = { headers: { 'x-payment': proof }, body: form(`Ambergris.\n\n${paragraphs(400)}`) };
  const { status, json, text } = await ask(service, 'POST /chunk/structure', bought);
  expect(status).toBe(200);
  const path = new URL(String(json['download_url'])).pathname;
  expect((await ask(service, `GET ${path}`)).text).toContain('Ambergris.');

  const stored = async (): Promise<string> => {
    const response = await service.store.paidResponse(proof);
    return gunzipSync(response?.gzip ?? Buffer.alloc(0)).toString();
  };
  expect(JSON.parse(await stored())).not.toHaveProperty('chunks');
  expect((await ask(service, `DELETE ${path}`)).status).toBe(204);
  expect((await ask(service, `GET ${path}`)).status).toBe(404);
  expect(await stored()).not.toContain('Ambergris');

  const again = await ask(service, 'POST /chunk/structure', bought);
  expect([again.status, again.text]).toEqual([200, text]);
  expect(service.tasks).toHaveLength(1);
});
