import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLook, type Look } from './before-payment.ts';
import { type CountCharacters, countHere } from './count.ts';
import type { ServiceFields } from './fields.ts';

const INFO = {
  tiers: [{ id: 'ai', amount: 10_000, available: true, max_characters: 100, options: ['chunk_min'] }],
  upload_types: ['pdf', 'txt'],
  limits: {
    chunk_size: { least: 10, most: 1000, default: { characters: 500, tokens: 200 } },
    units: ['characters', 'tokens'],
    encodings: ['o200k'],
  },
};
const upload = (text: string, filename: string, fields: ServiceFields = {}) => ({
  tier: 'ai',
  fields,
  source: { bytes: new TextEncoder().encode(text), filename },
});
const NOTES = upload('# Tides', 'a.md');
const here = new AbortController().signal;

let remote: string;
let asked: number;
let answer: (response: ServerResponse) => void;
const server = createServer((_, response) => {
  asked++;
  answer(response);
});

beforeEach(async () => {
  asked = 0;
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

const open = (count: CountCharacters = countHere, signal = here): Look => createLook(remote, count, signal);

describe('the look before a payment', () => {
  it('asks once for all documents, and again when a minute has passed', async () => {
    const look = open();
    await Promise.all([look(NOTES, 10_000n, here), look(NOTES, 10_000n, here)]);
    expect(await look(NOTES, 10_000n, here)).toMatchObject({
      refusal: expect.stringContaining('takes uploads of pdf, txt') as string,
    });
    expect(asked).toBe(1);
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 61_000);
    await look(NOTES, 10_000n, here);
    expect(asked).toBe(2);
  });

  it('goes on for the others when one of them is taken back', async () => {
    let reply: () => void = () => undefined;
    answer = (response) => void (reply = () => response.end(JSON.stringify(INFO)));
    const look = open();
    const gone = new AbortController();
    const first = look(NOTES, 10_000n, gone.signal);
    const second = look(NOTES, 10_000n, here);
    await vi.waitFor(() => expect(asked).toBe(1));
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
    const look = open();
    const order = upload('x'.repeat(101), 'a.txt');
    expect(await look(order, 10_000n, here)).toEqual({});
    answer = (response) => response.end(JSON.stringify(INFO));
    expect(await look(order, 10_000n, here)).toEqual({});
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 6_000);
    expect(await look(order, 10_000n, here)).toHaveProperty('refusal');
    expect(asked).toBe(2);
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
    [{ chunk_size: 5 }, 'chunk_size must be from 10 to 1000, but is 5'],
    [{ chunk_size: '1001' }, 'chunk_size must be from 10 to 1000, but is 1001'],
    [
      { chunk_size: 9, chunk_target: 5, context: 'corpus' },
      'chunk_size must be from 10 to 1000, but is 9; the tier has no option chunk_target; the tier has no option context',
    ],
    [
      { chunk_size: 50, chunk_overlap: '60' },
      'chunk_overlap must be an integer from 0 to 49, below size, but is 60',
    ],
    [{ chunk_overlap: 500 }, 'chunk_overlap must be an integer from 0 to 499, below size, but is 500'],
    [
      { unit: 'tokens', chunk_overlap: 200 },
      'chunk_overlap must be an integer from 0 to 199, below size, but is 200',
    ],
    [{ chunk_size: 50, chunk_min: 51 }, 'chunk_min must be an integer from 0 to the target, but is 51'],
    [{ chunk_size: 'ten' }, 'chunk_size must be an integer from 1, but is "ten"'],
    [{ unit: 'lines' }, 'the service does not know the unit'],
    [{ unit: 'tokens', encoding: 'cl100k' }, 'the service does not know the encoding'],
    [{ embeddings: 'true' }, 'the tier has no option embeddings'],
  ])('finds options that the service would refuse once it is paid: %j', async (fields, faults) => {
    expect(await open()(upload('x', 'a.txt', fields), 10_000n, here)).toEqual({
      refusal: `The service would refuse it: ${faults}. (invalid_fields)`,
    });
  });

  it('finds nothing wrong with options that the service takes, or of which it says nothing', async () => {
    const all = {
      chunk_size: 10,
      chunk_min: 2,
      unit: 'tokens',
      encoding: 'o200k_base',
      output_format: 'raw',
    };
    for (const fields of [all, { chunk_overlap: 499 }, { chunk_size: '1000', chunk_overlap: '0' }])
      expect(await open()(upload('x', 'a.txt', fields), 10_000n, here)).toEqual({});
    answer = (response) => response.end('{}');
    expect(
      await open()(upload('x', 'a.txt', { chunk_size: 5, context: 'corpus', unit: 'lines' }), 10_000n, here),
    ).toEqual({});
  });

  it('says nothing of a size that was not asked for, whatever sizes the service claims to take', async () => {
    const limits = { chunk_size: { least: 10, most: 5, default: { characters: -1, tokens: '9' } } };
    answer = (response) => response.end(JSON.stringify({ ...INFO, limits }));
    expect(await open()(upload('x', 'a.txt'), 10_000n, here)).toEqual({});
  });

  it.each([
    ['a document', upload('x', 'a.txt')],
    ['a link', { tier: 'ai', fields: {}, source: { url: 'https://example.org/a.txt' } }],
  ])('finds that the service asks more for %s than it lists', async (_, order) => {
    expect(await open()(order, 10_000n, here)).toEqual({});
    expect(await open()(order, 10_001n, here)).toEqual({
      refusal:
        'The service asks for 0.010001 USDC, and lists the tier at 0.01 USDC. If it has just raised its price, ask again in a minute. (price_differs)',
    });
  });

  it('passes a defect on, which is no fault of the document', async () => {
    const defect = Object.assign(new Error('oops'), { code: 'internal' });
    await expect(open(() => Promise.reject(defect))(upload('x', 'a.txt'), 10_000n, here)).rejects.toBe(
      defect,
    );
  });
});
