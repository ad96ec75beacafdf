// The rate limit on the routes: counted and free requests, and its position before other checks.
import { afterEach, describe, expect, it } from 'vitest';
import { paidService } from '../payments/paid-service.ts';
import { ask, fakeService, form, NOW } from './fake-service.ts';
import { startTestService, type TestService } from './running-service.ts';

let running: TestService | undefined;
afterEach(async () => {
  await running?.stop();
  running = undefined;
});

describe('requests of one client', () => {
  it('are refused beyond the limit with 429 and when to come again, and taken then', async () => {
    let now = NOW;
    const service = fakeService({ RATE_LIMIT: '2' }, { now: () => now });
    expect((await ask(service, 'GET /')).headers['RateLimit']).toBe('"requests";r=1;t=30');
    expect((await ask(service, 'GET /')).status).toBe(200);
    const refused = await ask(service, 'GET /');
    expect(refused).toMatchObject({
      status: 429,
      headers: {
        'Retry-After': '30',
        RateLimit: '"requests";r=0;t=60',
        'RateLimit-Policy': '"requests";q=2;w=60',
        'X-Request-Id': 'test-request',
      },
      json: { code: 'rate_limited', retryable: true, limit: { requests_per_minute: 2 } },
    });
    now += 30_000;
    expect((await ask(service, 'GET /')).status).toBe(200);
  });

  it.each(['GET /', 'GET /nowhere', 'GET /results/free_000000000000', 'PUT /chunk', 'GET /job/x/result'])(
    'count on every route (%s)',
    async (line) => {
      const service = fakeService({ RATE_LIMIT: '1' });
      expect((await ask(service, line)).status).not.toBe(429);
      expect(await ask(service, line)).toMatchObject({ status: 429, json: { code: 'rate_limited' } });
    },
  );

  it.each(['GET /health', 'HEAD /health', 'GET /ready', 'OPTIONS /chunk'])(
    'do not count, and are not refused, as %s',
    async (line) => {
      const service = fakeService({ RATE_LIMIT: '1' });
      for (let time = 0; time < 5; time++) {
        const { status, headers } = await ask(service, line);
        expect(status).toBeLessThan(300);
        expect(headers).not.toHaveProperty('RateLimit');
      }
      expect((await ask(service, 'GET /')).status).toBe(200);
      for (let time = 0; time < 5; time++) expect((await ask(service, line)).status).toBeLessThan(300);
    },
  );

  it('do not count for another client', async () => {
    const service = fakeService({ RATE_LIMIT: '1' });
    await ask(service, 'GET /');
    expect((await ask(service, 'GET /')).status).toBe(429);
    expect((await ask(service, 'GET /', { client: '192.0.2.2' })).status).toBe(200);
  });

  it('have both policies in their headers where pages are counted too', async () => {
    const service = fakeService({ RATE_LIMIT: '60', FREE_PAGES_PER_DAY: '10' });
    const { headers } = await ask(service, 'POST /chunk/demo', { body: form('Text.') });
    expect(headers['RateLimit']).toBe('"requests";r=59;t=1, "free-pages";r=9;t=21600');
    expect(headers['RateLimit-Policy']).toBe('"requests";q=60;w=60, "free-pages";q=10;w=86400');
  });

  it('are refused before body, payment and chain are looked at, and the payment stays good', async () => {
    const service = paidService({ RATE_LIMIT: '1' });
    const signature = service.chain.pay(10_000n);
    const paid = { headers: { 'x-payment': signature }, body: form('Text.') };
    await ask(service, 'GET /');
    const refused = await ask(service, 'POST /chunk/structure', paid);
    expect(refused).toMatchObject({ status: 429, json: { code: 'rate_limited' }, bodyWasRead: false });
    expect(service.chain.lookups).toEqual([]);
    expect(service.tasks).toEqual([]);
    service.clock.now += 60_000;
    expect((await ask(service, 'POST /chunk/structure', paid)).status).toBe(200);
    // A known valid payment does not bypass the limit.
    const lookups = service.chain.lookups.length;
    expect((await ask(service, 'POST /chunk/structure', paid)).status).toBe(429);
    expect(service.chain.lookups).toHaveLength(lookups);
  });

  it('are in the overview', async () => {
    const limits = async (limit: string) =>
      (await ask(fakeService({ RATE_LIMIT: limit }), 'GET /')).json['limits'];
    expect(await limits('7')).toMatchObject({ requests_per_minute: 7 });
    expect(await limits('off')).toMatchObject({ requests_per_minute: null });
  });
});

describe('on a socket', () => {
  it('a flood of one client is refused, and another one behind the same proxy is served', async () => {
    running = await startTestService({ RATE_LIMIT: '20', TRUSTED_PROXIES: '127.0.0.1' });
    const { url } = running;
    const from = async (client: string): Promise<number> => {
      const response = await fetch(`${url}/`, { headers: { 'X-Forwarded-For': client } });
      await response.arrayBuffer();
      return response.status;
    };
    const statuses = await Promise.all(Array.from({ length: 100 }, () => from('192.0.2.1')));
    const served = statuses.filter((status) => status === 200).length;
    // One more bucket fills in three seconds.
    expect(served).toBeGreaterThanOrEqual(20);
    expect(served).toBeLessThan(40);
    expect(statuses.filter((status) => status === 429)).toHaveLength(100 - served);
    expect(await from('192.0.2.2')).toBe(200);
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });
});
