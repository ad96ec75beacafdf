// A service of one’s own, PAYMENTS=off: all tiers and kinds, options in any order, no request limit on this machine.
import { describe, expect, it } from 'vitest';
import { readSettings } from '../../src/settings/settings.ts';
import { createRateLimit } from '../../src/limits/rate.ts';
import { paidService } from '../payments/paid-service.ts';
import { ask, fakeService, form } from './fake-service.ts';

const OWN = { PAYMENTS: 'off' };
const TEXT = '# Tides\n\nHigh water follows the moon. Low water too.\n\nPilots board beyond the bar.';

/** A form with its document first. */
function documentFirst(fields: Readonly<Record<string, string>>, name = 'a.txt'): FormData {
  const made = form(TEXT, name);
  for (const [key, value] of Object.entries(fields)) made.append(key, value);
  return made;
}

describe('a service of one’s own', () => {
  it('has the tiers of both deployments, cheapest first, and structure by default', async () => {
    const { json } = await ask(fakeService(OWN), 'GET /');
    const tiers = json['tiers'] as { id: string; price_usd: number; available: boolean }[];
    expect(tiers.map(({ id }) => id)).toEqual([
      'free',
      'standard',
      'structure',
      'semantic',
      'professional',
      'ai',
      'ai-pro',
    ]);
    expect(tiers.filter(({ available }) => available).map(({ id }) => id)).toEqual([
      'free',
      'standard',
      'structure',
      'semantic',
      'professional',
    ]);
    expect(json['default_tier']).toBe('structure');
  });

  it.each(['standard', 'professional'])('serves %s on its path and by its name', async (tier) => {
    const service = fakeService(OWN);
    const uploaded = await ask(service, `POST /chunk/${tier}`, { body: form(TEXT) });
    const typed = await ask(service, 'POST /chunk', { body: JSON.stringify({ tier, text: TEXT }) });
    for (const { status, json } of [uploaded, typed]) expect([status, json['tier']]).toEqual([200, tier]);
  });

  it('leaves the tiers of a deployment that is named, or that sells, as they are', async () => {
    const idsOf = async (environment: Record<string, string>): Promise<string[]> =>
      ((await ask(fakeService(environment), 'GET /')).json['tiers'] as { id: string }[]).map(({ id }) => id);
    expect(await idsOf({ ...OWN, DEPLOYMENT: 'compact' })).toEqual(['demo', 'standard', 'professional']);
    expect(await idsOf({})).toEqual(['free', 'structure', 'semantic', 'ai', 'ai-pro']);
  });

  it('takes uploads of every kind unless UPLOAD_KINDS names some', async () => {
    const html = form('<!doctype html><title>T</title><p>High water.', 'a.html', {}, 'text/html');
    expect((await ask(fakeService(OWN), 'POST /chunk/demo', { body: html })).status).toBe(200);
    const named = fakeService({ ...OWN, UPLOAD_KINDS: 'txt' });
    expect(await ask(named, 'POST /chunk/demo', { body: html })).toMatchObject({
      status: 400,
      json: { code: 'unsupported_type' },
    });
    expect(readSettings({}).uploadKinds).toEqual(['txt', 'pdf']);
  });
});

describe('a form with options behind its document', () => {
  it.each(['/chunk/demo', '/chunk/professional', '/chunk'])(
    'is one with them before it, where nothing has a price: %s',
    async (path) => {
      const fields = {
        chunk_size: '40',
        output_format: 'qdrant',
        ...(path === '/chunk' && { tier: 'standard' }),
      };
      const behind = await ask(fakeService(OWN), `POST ${path}`, { body: documentFirst(fields) });
      const before = await ask(fakeService(OWN), `POST ${path}`, { body: form(TEXT, 'a.txt', fields) });
      expect(behind.status).toBe(200);
      expect(behind.text).toBe(before.text);
    },
  );

  it('is taken on the free path of a service that sells, and rejected where a price depends on it', async () => {
    const service = paidService();
    const body = (): FormData => documentFirst({ chunk_size: '40' });
    expect((await ask(service, 'POST /chunk/demo', { body: body() })).status).toBe(200);
    const headers = { 'x-payment': service.chain.pay(10_000n) };
    for (const path of ['/chunk/structure', '/chunk'])
      expect(await ask(service, `POST ${path}`, { body: body(), headers })).toMatchObject({
        status: 400,
        json: { code: 'invalid_fields', message: expect.stringContaining('before the document') as string },
      });
  });

  it('is checked as a whole: options that fit each other only together, and all issues', async () => {
    const apart = form(TEXT, 'a.txt', { unit: 'tokens' });
    apart.append('chunk_size', '10');
    expect((await ask(fakeService(OWN), 'POST /chunk/demo', { body: apart })).status).toBe(200);
    const { status, json } = await ask(fakeService(OWN), 'POST /chunk', {
      body: documentFirst({ chunk_size: '0', size: '1', tier: 'best' }),
    });
    expect(status).toBe(400);
    for (const name of ['chunk_size must be', '"size" is not a field', 'tier must be'])
      expect(json['message']).toContain(name);
  });

  it('reports a wrong field before the document without reading it, and a field given twice', async () => {
    const wrong = await ask(fakeService(OWN), 'POST /chunk/demo', {
      body: form('x'.repeat(1_000_000), 'a.txt', { size: '1' }),
    });
    expect([wrong.status, wrong.json['code']]).toEqual([400, 'invalid_fields']);
    const twice = form(TEXT, 'a.txt', { chunk_size: '40' });
    twice.append('chunk_size', '50');
    expect(await ask(fakeService(OWN), 'POST /chunk/demo', { body: twice })).toMatchObject({
      status: 400,
      json: { message: expect.stringContaining('"chunk_size" is given twice') as string },
    });
  });
});

describe('requests of this machine', () => {
  interface Sender {
    readonly client: string;
    readonly headers?: Record<string, string>;
  }
  const statuses = async (environment: Record<string, string>, about: Sender): Promise<number[]> => {
    const { settings, ...service } = fakeService({ RATE_LIMIT: '', ...environment });
    const limited = { ...service, settings, rate: createRateLimit(1), polls: createRateLimit(1) };
    const requests = ['GET /', 'GET /', 'GET /job/x/status', 'GET /job/x/status'];
    const answers = [];
    for (const line of requests) answers.push(await ask(limited, line, about));
    return answers.map(({ status }) => status);
  };
  const UNLIMITED = [200, 200, 404, 404];
  const LIMITED = [200, 429, 404, 429];

  it.each(['127.0.0.1', '127.8.0.1', '::/64'])('have no limit from %s', async (client) => {
    expect(await statuses(OWN, { client })).toEqual(UNLIMITED);
  });

  it.each<readonly [string, Record<string, string>, Sender]>([
    ['a client of another machine', OWN, { client: '192.0.2.1' }],
    ['a service that sells', {}, { client: '127.0.0.1' }],
    ['PUBLIC_URL', { ...OWN, PUBLIC_URL: 'https://chunks.example' }, { client: '127.0.0.1' }],
    ['a RATE_LIMIT that is set', { ...OWN, RATE_LIMIT: '1' }, { client: '127.0.0.1' }],
    ...['forwarded', 'via', 'x-real-ip', 'x-forwarded-for', 'x-forwarded-proto'].map(
      (name) => [name, OWN, { client: '127.0.0.1', headers: { [name]: 'x' } }] as const,
    ),
  ])('have the limit with %s', async (_, environment, about) => {
    expect(await statuses(environment, about)).toEqual(LIMITED);
  });

  it('read in the overview whether they have one', async () => {
    const limitsFor = async (client: string): Promise<unknown> =>
      (await ask(fakeService({ RATE_LIMIT: '', ...OWN }), 'GET /', { client })).json['limits'];
    expect(await limitsFor('127.0.0.1')).toMatchObject({ requests_per_minute: null });
    expect(await limitsFor('192.0.2.1')).toMatchObject({ requests_per_minute: 60 });
  });
});
