// Hostile requests against a whole service in a process of its own, with one child process for documents. Each gets the
// answer of its row in time, forbidden hosts get no connection, memory stays bounded, and the next honest request is
// served.
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { form } from '../http/fake-service.ts';
import { memoryOf } from '@grainline/testing/processes';
import type { Attack, Shot, Target } from './attack.ts';
import { ATTACKS } from './attacks.ts';
import { type Host, type HostileHost, openCanary, openHostileHost } from './hosts.ts';
import { type HostileTarget, startHostileTarget } from './start-service.ts';

/** For any answer, on a machine that has other things to do. */
const MOST_MS = 15_000;
/** Of the service and its child together. */
const MOST_BYTES = 1.2 * 1024 ** 3;

let folder: string;
let service: HostileTarget;
let url: string;
let canary: Host;
let host: HostileHost;
let target: Target;
let mostBytes = 0;
let watching: NodeJS.Timeout;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'grainline-hostile-'));
  canary = await openCanary();
  host = await openHostileHost(canary.address);
  service = await startHostileTarget(folder, {
    WORK_TIMEOUT_MS: '10000',
    OCR: 'tesseract',
    FETCH_TIMEOUT_MS: '3000',
    FETCH_ALLOW: host.address,
  });
  ({ url } = service);
  target = { proofs: service.proofs, host, canary: canary.address };
  watching = setInterval(() => {
    mostBytes = Math.max(mostBytes, memoryOf(service.process.pid ?? 0));
  }, 100);
}, 60_000);

afterAll(async () => {
  clearInterval(watching);
  await service.stop();
  await Promise.all([canary.close(), host.close()]);
  rmSync(folder, { recursive: true, force: true });
});

/** `400 invalid_json`, `200`, or `closed` when no answer came. */
async function answerTo(shot: Shot): Promise<string> {
  if ('bytes' in shot) return sendBytes(shot.bytes, shot.halfClose ?? false);
  const [method = '', path = ''] = shot.line.split(' ');
  const { body, headers = {} } = shot.ask ?? {};
  const type = body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' };
  // The client would not send a length that is not the body's.
  const { 'content-length': length, ...sendable } = headers;
  if (length !== undefined)
    return sendBytes(
      [
        `${shot.line} HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${length}\r\n\r\n`,
      ],
      true,
    );
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { ...type, ...sendable },
    signal: AbortSignal.timeout(2 * MOST_MS),
    ...(body === undefined ? {} : { body: body as Exclude<RequestInit['body'], undefined> }),
  });
  return said(response.status, await response.text());
}

function sendBytes(pieces: readonly (string | Uint8Array)[], halfClose: boolean): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const received: Buffer[] = [];
    socket.setTimeout(2 * MOST_MS, () => socket.destroy(new Error('no answer')));
    socket.on('data', (piece) => received.push(piece)).on('error', reject);
    socket.on('end', () => {
      socket.end();
      const text = Buffer.concat(received).toString();
      const last = text.slice(text.lastIndexOf('HTTP/1.1 '));
      const status = /^HTTP\/1\.1 (\d{3})/.exec(last)?.[1];
      resolve(status === undefined ? 'closed' : said(Number(status), last.split('\r\n\r\n')[1] ?? ''));
    });
    for (const piece of pieces) socket.write(piece);
    if (halfClose) socket.end();
  });
}

function said(status: number, text: string): string {
  if (status === 200) return '200';
  return `${status} ${text.startsWith('{') ? (JSON.parse(text) as { code: string }).code : ''}`;
}

async function serveHonest(): Promise<number> {
  const response = await fetch(`${url}/chunk/demo`, { method: 'POST', body: form('An honest text.') });
  await response.text();
  return response.status;
}

const groups = [...new Set(ATTACKS.map(({ group }) => group))];

/** Hosts that keep the service waiting until its time is over: they do so beside one another. */
const isSlow = ({ expected }: Attack): boolean => expected === '400 url_timeout';
// On a machine that has other things to do an answer may be late, or a document run out of its time; not three times.
const PATIENCE = { timeout: 60_000, retry: 2 };

async function expectAnswer({ shot, expected }: Attack): Promise<void> {
  const startedMs = performance.now();
  const answer = await answerTo(typeof shot === 'function' ? shot(target) : shot);
  expect(answer).toBe(expected);
  expect(performance.now() - startedMs).toBeLessThan(MOST_MS);
  expect(await serveHonest()).toBe(200);
}

describe.each(groups)('%s:', (group) => {
  const attacks = ATTACKS.filter((attack) => attack.group === group && !isSlow(attack));
  it.each(attacks)('$name', PATIENCE, expectAnswer);
});

describe.concurrent('a host that keeps us waiting:', () => {
  it.each(ATTACKS.filter(isSlow))('$name', PATIENCE, expectAnswer);
});

describe('after all of them', () => {
  it('there were 200 and more', () => {
    expect(ATTACKS.length).toBeGreaterThanOrEqual(200);
  });

  it('no forbidden host was visited', () => {
    expect(canary.visits()).toBe(0);
    expect(host.visits()).toBeGreaterThan(20);
  });

  it('memory was bounded', () => {
    expect(mostBytes).toBeGreaterThan(50 * 1024 ** 2);
    expect(mostBytes).toBeLessThan(MOST_BYTES);
  });

  it('300 guesses of an id are refused, most of them unseen', async () => {
    const answers: string[] = [];
    for (let guess = 0; guess < 300; guess++) {
      const id = `free_${guess.toString(16).padStart(12, '0')}`;
      answers.push(await answerTo({ line: `GET /results/${id}` }));
    }
    const notFound = answers.filter((answer) => answer === '404 result_not_found');
    // The minute may turn once meanwhile.
    expect(notFound.length).toBeLessThanOrEqual(120);
    expect(answers.filter((answer) => answer === '429 too_many_misses')).toHaveLength(300 - notFound.length);
    expect(await serveHonest()).toBe(200);
  });

  it('20 requests at once with one payment buy one answer', async () => {
    const buy = async (content: string) => {
      const headers = { 'x-payment': target.proofs['raced'] ?? '' };
      const response = await fetch(`${url}/chunk/structure`, {
        method: 'POST',
        headers,
        body: form(content),
      });
      await response.text();
      return response.status;
    };
    const statuses = await Promise.all(Array.from({ length: 20 }, (_, at) => buy(`Text ${at}.`)));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.every((status) => [200, 402, 503].includes(status))).toBe(true);
  });
});
