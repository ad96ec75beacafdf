// The service refuses each request in the tables of bad-input.ts within 2 seconds, and answers the next one.
import { describe, expect, it, vi } from 'vitest';
import { BODIES, PATHS, UPLOADS } from './bad-input.ts';
import { type Ask, ask, fakeService, form } from './fake-service.ts';

const json = (body: unknown): Ask => ({ body: typeof body === 'string' ? body : JSON.stringify(body) });
const free = (fields: object): Ask => json({ tier: 'free', text: 'Some text.', ...fields });
const upload = (content: string, name: string, fields: Record<string, string>): Ask => ({
  body: form(content, name, fields),
});

/** For any answer, on a machine that has other things to do. */
const MOST_MS = 15_000;

async function expectRefused(
  line: string,
  request: Ask,
  status: number,
  code: string,
  says = /./,
): Promise<void> {
  const service = fakeService();
  const startedMs = performance.now();
  const { status: answered, json: answer, headers } = await ask(service, line, request);
  expect(performance.now() - startedMs).toBeLessThan(MOST_MS);
  expect([answered, answer['code']]).toEqual([status, code]);
  expect(answer['message']).toMatch(says);
  expect(answer['message']).not.toMatch(/\/work\/|node_modules|\.ts\b|undefined|\[object/);
  expect(Object.keys(answer).filter((key) => key !== 'limit')).toEqual([
    'error',
    'code',
    'message',
    'request_id',
    'retryable',
  ]);
  expect(headers['Content-Type']).toBe('application/json; charset=utf-8');
  expect((await ask(service, 'POST /chunk/demo', { body: form('Text.') })).status).toBe(200);
}

describe('an upload is refused:', () => {
  it.each(UPLOADS)('%s', (_, request, status, code, says) =>
    expectRefused('POST /chunk/demo', request, status, code, says),
  );
});

describe('an address with a query is refused, with where options go:', () => {
  it.each([
    ['POST /chunk/demo?chunk_size=100', { body: form('Text.') }],
    ['POST /chunk?tier=free', { body: form('Text.') }],
    ['POST /chunk?output_format=qdrant', free({})],
  ])('%s', (line, request) =>
    expectRefused(line, request, 400, 'invalid_fields', /query.*fields of the form.*members of the JSON/),
  );
});

describe('a body of POST /chunk is refused:', () => {
  it.each(BODIES)('%s', (_, request, status, code, says) =>
    expectRefused('POST /chunk', request, status, code, says),
  );

  it('all faults at once', async () => {
    const { json: answer } = await ask(
      fakeService(),
      'POST /chunk',
      free({ chunk_size: 0, tier: 'best', colour: 'red', output_format: 'x' }),
    );
    for (const name of ['chunk_size', 'tier', '"colour"', 'output_format'])
      expect(answer['message']).toContain(name);
  });

  it('all faults of a form at once, before its file is read', async () => {
    const request = upload('Text', 'a.txt', { chunk_size: 'many', output_format: 'x', colour: 'red' });
    const { json: answer } = await ask(fakeService(), 'POST /chunk/demo', request);
    for (const name of ['chunk_size', 'output_format', '"colour"']) expect(answer['message']).toContain(name);
  });
});

describe('unknown members', () => {
  const unknown = (count: number): Record<string, number> =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));

  it('are refused, 3,000 of them, in an answer that names the first', async () => {
    const { status, text, json: answer } = await ask(fakeService(), 'POST /chunk', free(unknown(3_000)));
    expect([status, answer['code']]).toEqual([400, 'invalid_fields']);
    expect(answer['message']).toMatch(/"k0" is not a field.*"k19" is not a field.*; and 2980 more\.$/);
    expect(text.length).toBeLessThan(10_000);
  });

  it('are not even parsed, 300,000 of them, which held the event loop for two seconds', async () => {
    const body = free(unknown(300_000));
    const parse = vi.spyOn(JSON, 'parse');
    const { text } = await ask(fakeService(), 'POST /chunk', body).finally(() => parse.mockRestore());
    const longest = Math.max(...parse.mock.calls.map(([given]) => given.length));
    expect(longest).toBeLessThan(10_000);
    expect(text).toContain('"invalid_json"');
  });
});

describe('a path leads nowhere:', () => {
  it.each(PATHS)('%s', (line, code) => expectRefused(line, {}, 404, code));
});

describe('hostile text is chunked:', () => {
  it.each([
    ['one line of 5 MB without a space', 'a'.repeat(5_000_000)],
    ['5 MB of line ends with a word', `${'\n'.repeat(5_000_000)}word`],
    ['joined emoji', '👩‍👩‍👧‍👦'.repeat(20_000)],
    ['combining marks', `a${'\u0301'.repeat(100_000)}`],
    ['right-to-left text', 'שלום עולם '.repeat(10_000)],
  ])('%s', async (_, text) => {
    const { status, text: answer } = await ask(
      fakeService({ FREE_PAGES_PER_DAY: '100000' }),
      'POST /chunk/demo',
      { body: form(text) },
    );
    expect(status).toBe(200);
    expect(answer.isWellFormed()).toBe(true);
  });
});
