// A signature is public as soon as its transaction lands. A reader of the chain who sends it must neither use up nor
// block a payment whose memo binds it to another client's request.
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { form } from '../http/fake-service.ts';
import { beginUpload, type SellingService, send, startSelling, uploadFingerprint } from './selling.ts';

let service: SellingService;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await service.stop();
});

const STRUCTURE = '/chunk/structure';
const PRICE = 2000n;

describe('a payment that its memo binds', () => {
  it.each([
    ['of no text', form('')],
    ['whose fields are wrong', form('Loot.', 'note.txt', { chunk_size: 'x' })],
    ['of another document', form('Loot.')],
  ])('is not used up by strangers who show it with requests %s', async (_, bad) => {
    service = await startSelling();
    const proof = service.chain.pay(PRICE, { boundTo: await uploadFingerprint('Mine.') });
    for (let shown = 0; shown < 6; shown++)
      expect((await send(service, STRUCTURE, bad, proof)).status).toBeGreaterThanOrEqual(400);
    expect((await send(service, STRUCTURE, form('Mine.'), proof)).status).toBe(200);
  });

  it.each([STRUCTURE, '/chunk'])('is not held by a stranger whose upload to %s never ends', async (path) => {
    service = await startSelling();
    const proof = service.chain.pay(PRICE, { boundTo: await uploadFingerprint('Mine.') });
    sockets.push(await beginUpload(service, path, proof));
    const mine = await send(service, STRUCTURE, form('Mine.'), proof);
    expect([mine.status, mine.json.code]).toEqual([200, undefined]);
    expect(service.chain.lookups).toHaveLength(1);
  });

  it('is used up by its own request, when that cannot succeed', async () => {
    service = await startSelling();
    const empty = ' \n ';
    const proof = service.chain.pay(PRICE, { boundTo: await uploadFingerprint(empty) });
    for (let bad = 0; bad < 5; bad++)
      expect((await send(service, STRUCTURE, form(empty), proof)).status).toBe(400);
    expect((await send(service, STRUCTURE, form(empty), proof)).json.code).toBe('payment_exhausted');
  });
});
