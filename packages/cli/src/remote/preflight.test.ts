import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CountCharacters, countHere } from '../local/count.ts';
import { createPreflight, type Preflight } from './preflight.ts';

const INFO = {
  tiers: [{ id: 'ai', amount: 10_000, available: true, max_characters: 100 }],
  upload_types: ['pdf', 'txt'],
};
const options = { tier: 'ai' };
const upload = (text: string, filename: string) => ({
  options,
  source: { bytes: new TextEncoder().encode(text), filename },
});
const NOTES = upload('# Tides', 'a.md');
const here = new AbortController().signal;

let remote: string;
let requests: number;
let answer: (response: ServerResponse) => void;
const server = createServer((_, response) => {
  requests++;
  answer(response);
});

beforeEach(async () => {
  requests = 0;
  answer = (response) => response.end(JSON.stringify(INFO));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  remote = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(() => {
  vi.restoreAllMocks();
  server.closeAllConnections();
  server.close();
});

const open = (count: CountCharacters = countHere, signal = here): Preflight =>
  createPreflight(remote, count, signal);

describe('the preflight', () => {
  it('asks once for all documents, and again when a minute has passed', async () => {
    const preflight = open();
    await Promise.all([preflight(NOTES, 10_000n, here), preflight(NOTES, 10_000n, here)]);
    expect(await preflight(NOTES, 10_000n, here)).toMatchObject({
      refusal: expect.stringContaining('takes uploads of pdf, txt') as string,
    });
    expect(requests).toBe(1);
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 61_000);
    await preflight(NOTES, 10_000n, here);
    expect(requests).toBe(2);
  });

  it('goes on for the others when one of them is taken back', async () => {
    let reply: () => void = () => undefined;
    answer = (response) => void (reply = () => response.end(JSON.stringify(INFO)));
    const preflight = open();
    const gone = new AbortController();
    const first = preflight(NOTES, 10_000n, gone.signal);
    const second = preflight(NOTES, 10_000n, here);
    await vi.waitFor(() => expect(requests).toBe(1));
    gone.abort(new Error('gone'));
    reply();
    await expect(first).rejects.toThrow('gone');
    expect(await second).toHaveProperty('refusal');
  });

  it('of a service that says nothing of itself still finds what cannot be read, and nothing else', async () => {
    answer = (response) => response.writeHead(404).end();
    expect(await open()(NOTES, 10_000n, here)).toEqual({});
    expect(await open()(upload('%PDF-1.4 broken', 'a.pdf'), 10_000n, here)).toHaveProperty('refusal');
  });

  it('of a service that was silent asks again some seconds later', async () => {
    answer = (response) => response.writeHead(500).end();
    const preflight = open();
    const order = upload('x'.repeat(101), 'a.txt');
    expect(await preflight(order, 10_000n, here)).toEqual({});
    answer = (response) => response.end(JSON.stringify(INFO));
    expect(await preflight(order, 10_000n, here)).toEqual({});
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 6_000);
    expect(await preflight(order, 10_000n, here)).toHaveProperty('refusal');
    expect(requests).toBe(2);
  });

  it('counts no document that is refused for its kind', async () => {
    const count = vi.fn(countHere);
    await open(count)(NOTES, 10_000n, here);
    expect(count).not.toHaveBeenCalled();
    expect(await open(count)(upload('x'.repeat(101), 'a.txt'), 10_000n, here)).toEqual({
      refusal:
        'The service would refuse it: the tier takes at most 100 characters, and this has 101. Send it in parts, take another tier, or have it cut on this machine. (too_many_characters)',
    });
    expect(await open(count)(upload('x'.repeat(100), 'a.txt'), 10_000n, here)).toEqual({});
  });

  it.each([
    ['a document', upload('x', 'a.txt')],
    ['a link', { options, source: { url: 'https://example.org/a.txt' } }],
  ])('finds that the service asks more for %s than it lists', async (_, order) => {
    expect(await open()(order, 10_000n, here)).toEqual({});
    expect(await open()(order, 10_001n, here)).toEqual({
      refusal:
        'The service asks for 0.010001 USDC, and lists the tier at 0.01 USDC. If it has just raised its price, ask again in a minute. (price_differs)',
    });
  });

  it('lets a scan pass to a service with OCR, up to its bound', async () => {
    const scanOf =
      (pages: number): CountCharacters =>
      () =>
        Promise.reject(Object.assign(new Error('A scan.'), { code: 'no_text', pages }));
    const check = (pages: number) => open(scanOf(pages))(upload('x', 'a.txt'), 10_000n, here);
    expect(await check(2)).toEqual({ refusal: 'A scan. (no_text)' });
    const tiers = INFO.tiers.map((tier) => ({ ...tier, max_scanned_pages: 2 }));
    answer = (response) => response.end(JSON.stringify({ ...INFO, tiers }));
    expect(await check(2)).toMatchObject({ warning: { code: 'scan_unread' } });
    const { refusal } = await check(3);
    expect(refusal).toContain('at most 2 scanned pages, and this has 3');
  });

  it('passes a defect on, which is no fault of the document', async () => {
    const defect = Object.assign(new Error('oops'), { code: 'internal' });
    await expect(open(() => Promise.reject(defect))(upload('x', 'a.txt'), 10_000n, here)).rejects.toBe(
      defect,
    );
  });
});
