import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createFacilitator, type Facilitator, type FacilitatorOptions } from '../src/gate/facilitator.ts';
import { NEVER, problemOf } from './fixture.ts';

const SETTLEMENT = { version: 2, payload: { x402Version: 2 }, requirements: { scheme: 'exact' } } as const;

interface ReceivedCall {
  readonly path: string | undefined;
  readonly method: string | undefined;
  readonly authorization: string | undefined;
  readonly body: string;
}
/** An answer: status and body; `never` leaves the client waiting, `break` closes the connection. */
type Answer = readonly [number, unknown, Readonly<Record<string, string>>?] | 'never' | 'break';

let server: Server | undefined;
let received: ReceivedCall[] = [];

/** A facilitator's client with a real server that gives these answers in order. */
async function connect(
  answers: readonly Answer[],
  options: Partial<FacilitatorOptions> = {},
): Promise<Facilitator> {
  received = [];
  server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const { url: path, method, headers } = request;
      const answer = answers[received.length];
      received.push({ path, method, authorization: headers.authorization, body });
      if (answer === undefined || answer === 'never') return;
      if (answer === 'break') {
        request.destroy();
        return;
      }
      const [status, value, more] = answer;
      response.writeHead(status, { 'Content-Type': 'application/json', ...more });
      response.end(typeof value === 'string' ? value : JSON.stringify(value));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return createFacilitator({ url: `http://127.0.0.1:${port}/v2/`, ...options });
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}

afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => server?.close(resolve));
});

describe('a facilitator', () => {
  it('is asked in the words of x402, with its credentials', async () => {
    const facilitator = await connect([[200, { isValid: true, payer: 'alice' }]], {
      authorization: 'Bearer secret',
    });
    expect(await facilitator.verify(SETTLEMENT, NEVER)).toBeNull();
    expect(received).toEqual([
      {
        path: '/v2/verify',
        method: 'POST',
        authorization: 'Bearer secret',
        body: JSON.stringify({
          x402Version: 2,
          paymentPayload: SETTLEMENT.payload,
          paymentRequirements: SETTLEMENT.requirements,
        }),
      },
    ]);
  });

  it('may want other credentials for each path', async () => {
    const facilitator = await connect([[200, { kinds: [] }]], {
      authorization: (path) => Promise.resolve(`Bearer for ${path}`),
    });
    await facilitator.refresh(NEVER);
    expect(received).toEqual([
      { path: '/v2/supported', method: 'GET', authorization: 'Bearer for supported', body: '' },
    ]);
  });

  it.each<[string, Answer, string]>([
    ['a word', [200, { isValid: false, invalidReason: 'insufficient_funds' }], 'insufficient_funds'],
    ['a status', [400, { isValid: false, invalidReason: 'invalid_payload' }], 'invalid_payload'],
    ['nothing', [200, { isValid: false }], 'no reason given'],
    ['markup', [200, { isValid: false, invalidReason: '<b>no</b>\n' }], 'bnob'],
    ['a book', [200, { isValid: false, invalidReason: 'x'.repeat(10_000) }], 'x'.repeat(200)],
  ])('refuses with %s', async (_, answer, reason) => {
    expect(await (await connect([answer])).verify(SETTLEMENT, NEVER)).toBe(reason);
  });

  it.each<[string, Answer]>([
    ['an error of its own', [200, { isValid: false, invalidReason: 'unexpected_verify_error' }]],
    ['a status', [503, { error: 'down' }]],
    ['credentials that it does not take', [401, { error: 'unauthorized' }]],
    ['something else', [200, { ok: true }]],
    ['a list', [200, []]],
    ['a page', [200, '<html>']],
    ['a redirect', [302, {}, { Location: 'http://127.0.0.1:1/' }]],
    ['a broken connection', 'break'],
    ['silence', 'never'],
  ])('is unavailable when /verify or /supported brings %s', async (_, answer) => {
    const facilitator = await connect([answer, answer], { timeoutMs: 200, authorization: 'Bearer secret' });
    for (const ask of [() => facilitator.verify(SETTLEMENT, NEVER), () => facilitator.refresh(NEVER)]) {
      const problem = await problemOf(ask());
      expect(problem).toMatchObject({ reason: 'facilitator_unavailable', status: 503 });
      expect(problem.message).not.toContain('secret');
    }
    expect(facilitator.kinds()).toEqual([]);
  });

  it.each<[string, Answer, object]>([
    ['settled', [200, { success: true, transaction: 'sig-1' }], { kind: 'settled', transaction: 'sig-1' }],
    [
      'failed',
      [200, { success: false, errorReason: 'transaction_failed' }],
      { kind: 'failed', detail: 'transaction_failed' },
    ],
    ['failed', [400, { success: false, transaction: '' }], { kind: 'failed', detail: 'no reason given' }],
    ['unknown', [200, { success: true }], { kind: 'unknown' }],
    ['unknown', [500, { error: 'internal' }], { kind: 'unknown' }],
    ['unknown', [502, 'Bad Gateway'], { kind: 'unknown' }],
    ['unknown', 'break', { kind: 'unknown' }],
    ['unknown', 'never', { kind: 'unknown' }],
  ])('has %s when /settle brings %j', async (_, answer, outcome) => {
    const facilitator = await connect([answer], { timeoutMs: 200 });
    expect(await facilitator.settle(SETTLEMENT)).toMatchObject(outcome);
  });

  it('names what it settles; kinds without a way to pay are left out', async () => {
    const kind = {
      x402Version: 2,
      scheme: 'exact',
      network: 'solana:5eykt',
      extra: { feePayer: 'fee', memo: 'no' },
    };
    const facilitator = await connect([
      [
        200,
        {
          kinds: [
            kind,
            { ...kind, scheme: 'upto' },
            { ...kind, x402Version: 3 },
            { ...kind, extra: {} },
            { ...kind, network: 7 },
            null,
            { ...kind, x402Version: 1, network: 'solana' },
          ],
        },
      ],
    ]);
    const kinds = await facilitator.refresh(NEVER);
    expect(kinds).toEqual([
      { version: 2, network: 'solana:5eykt', feePayer: 'fee', extra: {} },
      { version: 1, network: 'solana', feePayer: 'fee', extra: {} },
    ]);
    expect(facilitator.kinds()).toEqual(kinds);
  });

  it('keeps the fee payer that was offered while the facilitator signs with it', async () => {
    const answer = (feePayer: string, signers: string[]): Answer => [
      200,
      {
        kinds: [{ x402Version: 1, scheme: 'exact', network: 'solana', extra: { feePayer } }],
        signers: { 'solana:*': signers },
      },
    ];
    const facilitator = await connect([
      answer('a', ['a', 'b']),
      answer('b', ['a', 'b']),
      answer('b', ['b', 'c']),
    ]);
    const offered = async () => (await facilitator.refresh(NEVER))[0]?.feePayer;
    expect([await offered(), await offered(), await offered()]).toEqual(['a', 'a', 'b']);
  });

  it('keeps what it said last when it cannot be asked again', async () => {
    const facilitator = await connect([
      [200, { kinds: [{ x402Version: 1, scheme: 'exact', network: 'solana', extra: { feePayer: 'a' } }] }],
      [500, {}],
    ]);
    await facilitator.refresh(NEVER);
    expect((await problemOf(facilitator.refresh(NEVER))).reason).toBe('facilitator_unavailable');
    expect(facilitator.kinds()).toHaveLength(1);
  });

  it('is left when the request that verifies is aborted', async () => {
    const facilitator = await connect(['never']);
    const gone = new AbortController();
    const verifying = facilitator.verify(SETTLEMENT, gone.signal);
    gone.abort(new Error('gone'));
    await expect(verifying).rejects.toThrow('gone');
  });
});

describe('an answer without end', () => {
  it('is not read to its end, nor kept', async () => {
    let pieces = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pieces++;
        if (pieces > 1_000) controller.close();
        else controller.enqueue(new Uint8Array(64 * 1024).fill(0x20));
      },
    });
    const facilitator = createFacilitator({
      url: 'http://facilitator.example',
      fetch: () => Promise.resolve(new Response(body)),
    });
    const { reason } = await problemOf(facilitator.refresh(NEVER));
    expect(reason).toBe('facilitator_unavailable');
    expect(pieces).toBeLessThan(20);
  });
});
