// The log: what the line of a request has, what it never has, and its two forms.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createLog } from '../../src/main/log.ts';
import type { WebApp } from '../../src/responses/web-app.ts';
import type { ServiceOverrides } from '../../src/main/server.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { fakeChain, PAY_TO } from '../payments/fake-chain.ts';
import { fakePaymentNetwork } from '../payments/paid-service.ts';
import { form, memoryDownloader } from './fake-service.ts';
import { sendRaw, startTestService, type TestService } from './running-service.ts';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function start(
  environment: Record<string, string>,
  parts: ServiceOverrides = {},
): Promise<TestService> {
  const service = await startTestService(environment, parts);
  ends.push(() => service.stop());
  return service;
}

type LogLine = Readonly<Record<string, unknown>>;

/** The line of the latest request, which is written after its answer. */
async function lineOf({ logged }: TestService, response: Response | Promise<Response>): Promise<LogLine> {
  const { headers, body } = await response;
  const id = headers.get('x-request-id');
  await body?.cancel();
  return vi.waitFor(() => {
    const line = logged.find((it) => it['request_id'] === id && it['route'] !== undefined);
    expect(line).toBeDefined();
    return line ?? {};
  });
}

const post = ({ url }: TestService, path: string, init: RequestInit): Promise<Response> =>
  fetch(`${url}${path}`, { method: 'POST', ...init });
const json = (fields: object): RequestInit => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(fields),
});

describe('the line of a request', () => {
  it('has tier, pages, bytes, chunks and outcome of an upload, and the client as a hash', async () => {
    const service = await start({ PAYMENTS: 'off' });
    const line = await lineOf(service, post(service, '/chunk/structure', { body: form('Hällo.\fWorld.') }));
    expect(line).toMatchObject({
      method: 'POST',
      route: '/chunk/{tier}',
      status: 200,
      outcome: 'answered',
      tier: 'structure',
      pages: 2,
      bytes: 14,
      chunks: 1,
      client: expect.stringMatching(/^[0-9a-f]{12}$/) as string,
    });
    expect(JSON.stringify(service.logged)).not.toMatch(/127\.0\.0\.1"|Hällo|note\.txt/);
  });

  it('has them of a text and of a link', async () => {
    const downloader = memoryDownloader({ 'https://a.example/a.txt': 'Fetched text.' });
    const service = await start({ PAYMENTS: 'off' }, { downloader });
    const text = await lineOf(service, post(service, '/chunk', json({ tier: 'free', text: 'Ä.' })));
    expect(text).toMatchObject({ tier: 'free', pages: 1, bytes: 3, chunks: 1, outcome: 'answered' });
    const link = await lineOf(service, post(service, '/chunk', json({ url: 'https://a.example/a.txt' })));
    expect(link).toMatchObject({ tier: 'structure', pages: 1, bytes: 13, chunks: 1, outcome: 'answered' });
    expect(JSON.stringify(service.logged)).not.toContain('a.example');
  });

  it('has the tier and the bytes of a refused document', async () => {
    const service = await start({ PAYMENTS: 'off', FREE_PAGES_PER_DAY: '1' });
    const line = await lineOf(service, post(service, '/chunk/demo', { body: form('x'.repeat(5000)) }));
    expect(line).toMatchObject({ status: 413, outcome: 'refused', tier: 'free', bytes: 5000 });
    expect(line['chunks']).toBeUndefined();
    const unread = await lineOf(service, post(service, '/chunk/ai', { body: form('x') }));
    expect(unread).toMatchObject({ status: 503, outcome: 'failed', tier: 'ai', code: 'tier_unavailable' });
    const other = await lineOf(service, fetch(`${service.url}/nowhere`));
    expect(other).toMatchObject({ outcome: 'refused', code: 'not_found', client: line['client'] });
  });

  it('says whether an answer was sold or is that of an earlier sale', async () => {
    const chain = fakeChain(Date.now);
    const environment = { PAY_TO, PAYMENT_WAIT_MS: '0' };
    const settings = readSettings(environment);
    const service = await start(environment, { paymentNetwork: fakePaymentNetwork(chain, settings) });
    const buy = (headers: Record<string, string>): Promise<Response> =>
      post(service, '/chunk/structure', { body: form('Text.'), headers });
    expect(await lineOf(service, buy({}))).toMatchObject({
      status: 402,
      outcome: 'refused',
      tier: 'structure',
    });
    const paid = { 'x-payment': chain.pay(2000n) };
    expect(await lineOf(service, buy(paid))).toMatchObject({ outcome: 'sold', tier: 'structure', chunks: 1 });
    expect(await lineOf(service, buy(paid))).toMatchObject({ outcome: 'replayed', tier: 'structure' });
    expect(JSON.stringify(service.logged)).not.toContain(paid['x-payment']);
  });

  it('names a client that sends no request', async () => {
    const service = await start({ PAYMENTS: 'off' });
    const { client } = await lineOf(service, fetch(service.url));
    await sendRaw(service.url, ['nonsense\r\n\r\n']);
    expect(service.logged.at(-1)).toMatchObject({ status: 400, outcome: 'refused', client });
  });

  it('hashes one client alike for one process alone', async () => {
    const clientOf = async (service: TestService, from: string): Promise<unknown> =>
      (await lineOf(service, fetch(service.url, { headers: { 'x-forwarded-for': from } })))['client'];
    const proxied = { PAYMENTS: 'off', TRUSTED_PROXIES: '127.0.0.1' };
    const [one, other] = [await start(proxied), await start(proxied)];
    const client = await clientOf(one, '192.0.2.1');
    expect(await clientOf(one, '192.0.2.1')).toBe(client);
    expect(await clientOf(one, '192.0.2.2')).not.toBe(client);
    expect(await clientOf(other, '192.0.2.1')).not.toBe(client);
  });

  it('is at the level debug for the files of the page', async () => {
    const webApp: WebApp = {
      document: () => ({ status: 200, headers: {}, body: '' }),
      file: () => ({ status: 200, headers: {}, body: '' }),
    };
    const level = { debug: 20, info: 30 };
    const service = await start({ PAYMENTS: 'off', LOG_LEVEL: 'debug' }, { webApp });
    const asset = await lineOf(service, fetch(`${service.url}/assets/main.js`));
    expect(asset['level']).toBe(level.debug);
    expect((await lineOf(service, fetch(`${service.url}/health`)))['level']).toBe(level.info);
  });
});

describe('the form of the log', () => {
  const written = (environment: Record<string, string>, isTerminal: boolean): string => {
    let text = '';
    const stream = { write: (line: string) => void (text += line) };
    const log = createLog(readSettings(environment), stream, isTerminal);
    log.info({ method: 'POST', route: '/chunk/{tier}', status: 200, tier: 'free', ms: 3 });
    log.warn({ err: new TypeError('no such thing'), url: 'a b' }, 'could not');
    return text;
  };
  const isJson = (text: string): boolean =>
    text
      .trim()
      .split('\n')
      .every((line) => line.startsWith('{"level":'));

  it.each([
    ['auto', true, false],
    ['auto', false, true],
    ['json', true, true],
    ['text', false, false],
  ])('LOG_FORMAT=%s on a terminal (%s) is JSON: %s', (LOG_FORMAT, isTerminal, expected) => {
    expect(isJson(written({ LOG_FORMAT }, isTerminal))).toBe(expected);
  });

  it('as text has a line for each entry, and the stack of an error below it', () => {
    const [request, warning, stack = ''] = written({ LOG_FORMAT: 'text' }, false).split('\n');
    expect(request).toMatch(/^\d\d:\d\d:\d\d INFO {2}POST \/chunk\/\{tier\} 200 tier=free ms=3$/);
    expect(warning).toMatch(/^\d\d:\d\d:\d\d WARN {2}could not url="a b" err="no such thing"$/);
    expect(stack).toMatch(/^ {4}TypeError: no such thing/);
  });

  it('is one of three', () => {
    expect(() => readSettings({ LOG_FORMAT: 'xml' })).toThrow('LOG_FORMAT must be one of auto, json, text');
  });
});
