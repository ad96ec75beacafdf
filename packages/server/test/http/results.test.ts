// A stored result as HTTP wants it (RFC 9110): codings, entity tags, ranges, and what a deletion leaves.
import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { resultReply, createStoredResult } from '../../src/responses/stored-result.ts';
import type { HttpReply } from '../../src/http/message.ts';
import { HttpError } from '../../src/errors/http-error.ts';
import type { StoredResult } from '../../src/store/responses.ts';

const TEXT = JSON.stringify({ chunks: Array.from({ length: 500 }, (_, index) => `chunk ${index}`) });
const STORED = await createStoredResult('free_0123456789ab', [TEXT], 0);
const SIZE = STORED.gzip.byteLength;

const get = (headers: Record<string, string>, method = 'GET'): HttpReply =>
  resultReply(STORED, { method, headers });
const bytes = ({ body }: HttpReply): Buffer => Buffer.from(body as Uint8Array);
const ranged = (range: string, more: Record<string, string> = {}): HttpReply =>
  get({ 'accept-encoding': 'gzip', range, ...more });

describe('the coding', () => {
  it.each([
    ['gzip', true],
    ['GZIP', true],
    ['x-gzip', true],
    ['br, gzip;q=0.1', true],
    ['*', true],
    ['gzip;q=0', false],
    ['gzip;q=0, *', false],
    ['identity', false],
    ['br', false],
    ['', false],
    ['gzip;q=x', false],
  ])('of a client that accepts %s: gzip %s', (accepted, isGzip) => {
    const { headers } = get({ 'accept-encoding': accepted });
    expect(headers['Content-Encoding']).toBe(isGzip ? 'gzip' : undefined);
    expect(headers['ETag']).toBe(isGzip ? STORED.etag : `W/${STORED.etag}`);
    expect(headers['Vary']).toBe('Accept-Encoding');
    expect(headers['Accept-Ranges']).toBe(isGzip ? 'bytes' : 'none');
  });
});

describe('a large result', () => {
  const large = () => createStoredResult('free_0123456789ab', [randomText()], 0);
  /** Hexadecimal digits, of which compression leaves half. */
  const randomText = (): string => randomBytes(100_000).toString('hex');
  const sent = (result: StoredResult, headers: Record<string, string> = {}): Uint8Array =>
    resultReply(result, { method: 'GET', headers: { 'accept-encoding': 'gzip', ...headers } })
      .body as Uint8Array;

  it('that several fetch lies in memory once, whichever part of it they want', async () => {
    const first = await large();
    // As the store gives it to each who asks.
    const copies = [1, 2].map(() => ({ ...first, gzip: first.gzip.slice() }));
    const [whole, again] = [first, copies[0]!].map((result) => sent(result));
    const part = sent(copies[1]!, { range: 'bytes=10-99' });
    for (const one of [again!, part]) expect(one.buffer).toBe(whole!.buffer);
    expect(Buffer.compare(again!, first.gzip)).toBe(0);
    expect(Buffer.compare(part, first.gzip.subarray(10, 100))).toBe(0);
  });

  it('is not another one of the same id', async () => {
    const [one, other] = [await large(), await large()];
    sent(one);
    expect(Buffer.compare(sent(other), other.gzip)).toBe(0);
  });
});

describe('a range', () => {
  it('of any two offsets gives these bytes of the stored ones, and two halves are the whole', () => {
    fc.assert(
      fc.property(fc.nat(SIZE - 1), fc.nat(2 * SIZE), (first, length) => {
        const part = ranged(`bytes=${first}-${first + length}`);
        const last = Math.min(first + length, SIZE - 1);
        expect([part.status, part.headers['Content-Range']]).toEqual([206, `bytes ${first}-${last}/${SIZE}`]);
        const rest = last + 1 < SIZE ? bytes(ranged(`bytes=${last + 1}-`)) : Buffer.alloc(0);
        const before = first > 0 ? bytes(ranged(`bytes=0-${first - 1}`)) : Buffer.alloc(0);
        const whole = Buffer.concat([before, bytes(part), rest]);
        expect(gunzipSync(whole).toString()).toBe(TEXT);
      }),
      cases(50),
    );
  });

  it.each([
    ['bytes=-10', SIZE - 10],
    [`bytes=-${SIZE + 10}`, 0],
    ['BYTES=5-', 5],
  ])('%s begins at %i', (range, first) => {
    expect(ranged(range).headers['Content-Range']).toBe(`bytes ${first}-${SIZE - 1}/${SIZE}`);
  });

  it.each([`bytes=${SIZE}-`, 'bytes=-0', 'bytes=999999999999999-'])('%s lies outside: 416', (range) => {
    const refused = (): HttpReply => ranged(range);
    expect(refused).toThrow(HttpError);
    try {
      refused();
    } catch (error) {
      expect(error).toMatchObject({ status: 416, headers: { 'Content-Range': `bytes */${SIZE}` } });
    }
  });

  it.each(['bytes=5-2', 'bytes=', 'bytes=-', 'bytes=a-b', 'bytes=0-1,4-5', 'lines=1-2', '0-5', 'bytes=1e1-'])(
    '%s is none that is served, and is ignored',
    (range) => {
      const answer = ranged(range);
      expect([answer.status, bytes(answer).length]).toEqual([200, SIZE]);
    },
  );

  it('is of the version that If-Range names, or of none', () => {
    expect(ranged('bytes=0-1', { 'if-range': STORED.etag }).status).toBe(206);
    for (const other of [`W/${STORED.etag}`, '"other"', 'Sat, 21 Nov 2026 18:00:00 GMT'])
      expect(ranged('bytes=0-1', { 'if-range': other }).status).toBe(200);
  });

  it('is nothing to HEAD, and to a client that does not take gzip', () => {
    expect(get({ 'accept-encoding': 'gzip', range: 'bytes=0-1' }, 'HEAD').status).toBe(200);
    expect(get({ range: 'bytes=0-1' }).status).toBe(200);
  });
});

describe('an entity tag', () => {
  it.each([STORED.etag, `W/${STORED.etag}`, `"a", ${STORED.etag}`, '*'])(
    'that %s names is known: 304',
    (tag) => {
      for (const accepted of ['gzip', 'identity']) {
        const { status, body, headers } = get({ 'accept-encoding': accepted, 'if-none-match': tag });
        expect([status, body]).toEqual([304, undefined]);
        expect(headers['ETag']).toContain(STORED.etag);
      }
    },
  );

  it('comes before a range', () => {
    expect(ranged('bytes=0-1', { 'if-none-match': STORED.etag }).status).toBe(304);
    expect(ranged('bytes=0-1', { 'if-none-match': '"other"' }).status).toBe(206);
  });

  it('differs as soon as a byte of the text does', async () => {
    const other = await createStoredResult('free_0123456789ab', [TEXT, ' '], 0);
    expect(other.etag).not.toBe(STORED.etag);
  });
});
