// The page as the routes give it: to whom, in which form, under which policy.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWebApp, type WebApp } from '../../src/responses/web-app.ts';
import { ask, fakeService, form, paragraphs } from './fake-service.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';
const HTML = '<!doctype html><title>A page</title>';
const SCRIPT = `console.log('${'a'.repeat(2000)}');`;

let folder: string;
let webApp: WebApp;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'grainline-page-'));
  mkdirSync(join(folder, 'assets'));
  const write = (name: string, bytes: string | Uint8Array): void => writeFileSync(join(folder, name), bytes);
  write('index.html', HTML);
  write('index.html.gz', gzipSync(HTML));
  write('assets/main-abc.js', SCRIPT);
  write('assets/main-abc.js.br', 'brotli');
  write('assets/main-abc.js.gz', gzipSync(SCRIPT));
  write('assets/table-def.wasm', 'wasm');
  write('assets/page-ghi.js.gz', gzipSync(SCRIPT));
  webApp = (await openWebApp(folder))!;
});
afterAll(() => rmSync(folder, { recursive: true }));

const get = (path: string, headers: Record<string, string> = {}, environment = {}) =>
  ask(fakeService(environment, { webApp }), `GET ${path}`, { headers });

describe('the form of the page without JavaScript', () => {
  const send = (accept: string, body: FormData, path = '/chunk/demo', environment = {}) =>
    ask(fakeService(environment, { webApp }), `POST ${path}`, { body, headers: { accept } });
  const HOSTILE = 'One <script>alert(1)</script> & two.\nThree.';

  it('is answered in HTML by the free tier, in which the document is only text', async () => {
    const { status, headers, text } = await send(BROWSER, form(HOSTILE, '<b>.txt'));
    expect([status, headers['Content-Type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers['Content-Security-Policy']).toContain("default-src 'none'");
    expect(text).toContain('<h1>&lt;b&gt;.txt</h1>');
    expect(text).toContain('One &lt;script&gt;alert(1)&lt;/script&gt; &amp; two.<br>\nThree.');
    expect(text).toContain('1 chunk by the tier');
    expect(text).not.toMatch(/<(?:script|b|img)\b/);
  });

  it('has a link in place of many chunks, and says in words why a document is refused', async () => {
    const many = await send(BROWSER, form(paragraphs(100)));
    expect(many.text).toMatch(/<a href="[^"]+\/results\/\w+_[0-9a-f]{12}">All chunks as JSON<\/a>/);
    const refused = await send(BROWSER, form(''));
    expect([refused.status, refused.headers['Content-Type']]).toEqual([400, 'text/html; charset=utf-8']);
    expect(refused.text).toContain('(empty_document)');
  });

  it('takes what is typed, as text whatever it looks like, of as many bytes as JSON may have', async () => {
    const typed = (text: string): FormData => {
      const body = new FormData();
      body.append('chunk_size', '100');
      body.append('text', text);
      return body;
    };
    const { status, text } = await send(BROWSER, typed('<html><b>One</b>\nTwo & three.'));
    expect(status).toBe(200);
    expect(text).toContain('<h1>text.txt</h1>');
    expect(text).toContain('&lt;html&gt;&lt;b&gt;One&lt;/b&gt;<br>\nTwo &amp; three.');
    const empty = await send(BROWSER, typed(' \n'));
    expect([empty.status, empty.headers['Content-Type']]).toEqual([400, 'text/html; charset=utf-8']);
    expect(empty.text).toContain('(empty_document)');
    const limit = { MAX_JSON_BYTES: '20000', FREE_PAGES_PER_DAY: '1000' };
    expect((await send(BROWSER, typed('a '.repeat(10_000)), '/chunk/demo', limit)).status).toBe(200);
    const long = await send(BROWSER, typed(`${'a '.repeat(10_000)}b`), '/chunk/demo', limit);
    expect([long.status, long.headers['Content-Type']]).toEqual([413, 'text/html; charset=utf-8']);
    expect(long.text).toContain('at most 20000 bytes');
  });

  it('is answered in JSON to programs, by tiers that are sold, and where there is no page', async () => {
    const typeOf = async (...request: Parameters<typeof send>) =>
      (await send(...request)).headers['Content-Type'];
    const json = 'application/json; charset=utf-8';
    expect(await typeOf('*/*', form('Text.'))).toBe(json);
    expect(await typeOf(BROWSER, form('Text.'), '/chunk/structure')).toBe(json);
    const without = await ask(fakeService(), 'POST /chunk/demo', {
      body: form('Text.'),
      headers: { accept: BROWSER },
    });
    expect(without.headers['Content-Type']).toBe(json);
  });
});

describe('GET /', () => {
  it('gives the page to browsers and JSON to everybody else', async () => {
    const isPage = async (accept?: string): Promise<boolean> =>
      (await get('/', accept === undefined ? {} : { accept })).text === HTML;
    expect(await isPage(BROWSER)).toBe(true);
    expect(await isPage('text/html')).toBe(true);
    for (const accept of [undefined, '*/*', 'application/json', 'text/html;q=0', 'text/*', ''])
      expect(await isPage(accept)).toBe(false);
    for (const accept of [
      'application/json, text/html',
      'text/html, application/json',
      'application/json, text/html, */*;q=0.1',
      'text/html;q=0.5, application/json',
    ])
      expect([accept, await isPage(accept)]).toEqual([accept, false]);
    expect(await isPage('application/json;q=0.5, text/html')).toBe(true);
  });

  it('says that it depends on Accept either way', async () => {
    expect((await get('/')).headers['Vary']).toContain('Accept');
    expect((await get('/', { accept: BROWSER })).headers['Vary']).toBe('Accept, Accept-Encoding');
  });

  it('gives the page under a policy that lets in nothing from elsewhere and no text as code', async () => {
    const policy = (await get('/', { accept: BROWSER })).headers['Content-Security-Policy'] ?? '';
    const rules = new Map(policy.split('; ').map((rule) => [rule.split(' ')[0], rule.split(' ').slice(1)]));
    expect(rules.get('default-src')).toEqual(["'none'"]);
    expect(rules.get('require-trusted-types-for')).toEqual(["'script'"]);
    // Pictures that the page itself has drawn, for printing.
    expect(rules.get('img-src')).toEqual(["'self'", 'data:', 'blob:']);
    rules.delete('img-src');
    for (const sources of rules.values())
      for (const source of sources) expect(source).toMatch(/^'(?:none|self|script)'$|^data:$|^grainline$/);
  });

  it('answers 304 for the form that the client has', async () => {
    const plain = await get('/', { accept: BROWSER });
    const zipped = await get('/', { accept: BROWSER, 'accept-encoding': 'gzip' });
    expect(zipped.headers).toMatchObject({ 'Content-Encoding': 'gzip', 'Cache-Control': 'no-cache' });
    expect(zipped.headers['ETag']).not.toBe(plain.headers['ETag']);
    const again = { accept: BROWSER, 'if-none-match': plain.headers['ETag'] ?? '' };
    expect((await get('/', again)).status).toBe(304);
    expect((await get('/', { ...again, 'accept-encoding': 'gzip' })).status).toBe(200);
  });

  it('gives JSON to browsers too where no page was built', async () => {
    const { json } = await ask(fakeService(), 'GET /', { headers: { accept: BROWSER } });
    expect(json['name']).toBe('grainline');
    expect(await openWebApp(join(folder, 'nowhere'))).toBeUndefined();
  });
});

describe('GET /assets/{name}', () => {
  it('gives a file in the best form that the client takes, for good', async () => {
    const forms = {
      'br, gzip': 'br',
      gzip: 'gzip',
      'br;q=0, gzip': 'gzip',
      identity: undefined,
      '': undefined,
    };
    for (const [accepted, coding] of Object.entries(forms)) {
      const { headers, status } = await get('/assets/main-abc.js', { 'accept-encoding': accepted });
      expect(status).toBe(200);
      expect(headers['Content-Encoding']).toBe(coding);
      expect(headers['Cache-Control']).toBe('public, max-age=31536000, immutable');
      expect(headers['Content-Type']).toBe('text/javascript; charset=utf-8');
      expect(headers['Vary']).toBe('Accept-Encoding');
    }
    const { text, headers } = await get('/assets/main-abc.js');
    expect(text).toBe(SCRIPT);
    expect(headers['Content-Length']).toBe(String(SCRIPT.length));
  });

  it('is whole for clients without compression where the build left its gzip alone', async () => {
    const { text, headers } = await get('/assets/page-ghi.js');
    expect([text, headers['Content-Length'], headers['Content-Type']]).toEqual([
      SCRIPT,
      String(SCRIPT.length),
      'text/javascript; charset=utf-8',
    ]);
  });

  it('gives the page that it began with, in every form, when another one is built in its place', async () => {
    const other = mkdtempSync(join(tmpdir(), 'grainline-page-'));
    cpSync(folder, other, { recursive: true });
    const began = fakeService({}, { webApp: (await openWebApp(other))! });
    writeFileSync(join(other, 'assets/main-abc.js'), 'half of a f');
    writeFileSync(join(other, 'assets/main-abc.js.br'), '');
    rmSync(join(other, 'assets/main-abc.js.gz'));
    rmSync(join(other, 'assets/table-def.wasm'));
    const get = (coding: string) =>
      ask(began, 'GET /assets/main-abc.js', { headers: { 'accept-encoding': coding } });
    expect((await get('br')).text).toBe('brotli');
    expect(gunzipSync((await get('gzip')).reply.body as Uint8Array).toString()).toBe(SCRIPT);
    expect((await get('identity')).text).toBe(SCRIPT);
    expect((await ask(began, 'GET /assets/table-def.wasm')).text).toBe('wasm');
    rmSync(other, { recursive: true });
    expect((await ask(began, 'GET /', { headers: { accept: BROWSER } })).text).toBe(HTML);
  });

  it('gives a file as it is where it has no other form', async () => {
    const { text, headers } = await get('/assets/table-def.wasm', { 'accept-encoding': 'br' });
    expect(text).toBe('wasm');
    expect(headers).not.toHaveProperty('Content-Encoding');
    expect(headers['Content-Type']).toBe('application/wasm');
  });

  it('lets scripts compile WebAssembly only where they are workers of their own', async () => {
    const { headers } = await get('/assets/main-abc.js');
    expect(headers['Content-Security-Policy']).toContain("'wasm-unsafe-eval'");
    const { headers: ofPage } = await get('/', { accept: BROWSER });
    expect(ofPage['Content-Security-Policy']).not.toContain('unsafe');
  });

  it('knows nothing but its files', async () => {
    for (const name of ['none.js', 'main-abc.js.br', '..%2Findex.html', '..', 'constructor', '%2e%2e'])
      expect((await get(`/assets/${name}`)).status).toBe(404);
  });

  it('does not count against the limit on requests', async () => {
    const service = fakeService({ RATE_LIMIT: '1' }, { webApp });
    for (let time = 0; time < 5; time++)
      expect((await ask(service, 'GET /assets/main-abc.js')).status).toBe(200);
    expect((await ask(service, 'GET /health')).status).toBe(200);
    expect((await ask(service, 'GET /')).status).toBe(200);
    expect((await ask(service, 'GET /')).status).toBe(429);
  });
});
