// Listeners on what belongs to one request: as many as there are steps, however long its body or its answer is.
import { channel } from 'node:diagnostics_channel';
import { type EventEmitter, once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { MAX_UNANSWERED } from '../../src/http/edge/connections.ts';
import { form, paragraphs } from './fake-service.ts';
import { startTestService, type TestService } from './running-service.ts';

/** Beyond so many Node takes it for a leak. */
const MOST = 10;
const EMITTERS = ['request', 'response', 'socket'] as const;

let service: TestService;
let stopCounting = (): void => undefined;
afterEach(async () => {
  stopCounting();
  await service.stop();
});

/** The most listeners of one event that anything of a request has had, by `response close`. */
function countListeners(): Map<string, number> {
  const most = new Map<string, number>();
  const watched = new WeakSet<EventEmitter>();
  const started = channel('http.server.request.start');
  const watch = (message: unknown): void => {
    for (const name of EMITTERS) {
      const emitter = (message as Record<typeof name, EventEmitter>)[name];
      if (watched.has(emitter)) continue;
      watched.add(emitter);
      emitter.on('newListener', (event: string) => {
        const key = `${name} ${event}`;
        most.set(key, Math.max(most.get(key) ?? 0, emitter.listenerCount(event) + 1));
      });
    }
  };
  started.subscribe(watch);
  stopCounting = () => started.unsubscribe(watch);
  return most;
}

const most = (counts: ReadonlyMap<string, number>): number => Math.max(...counts.values());

it('an answer of many pieces has no more listeners than one of one piece', async () => {
  service = await startTestService();
  const counted = async (answer: () => Promise<Response>): Promise<number> => {
    const counts = countListeners();
    const response = await answer();
    expect(response.status).toBe(200);
    await response.text();
    stopCounting();
    return counts.get('response close') ?? 0;
  };
  const upload = (content: string) => (): Promise<Response> =>
    fetch(`${service.url}/chunk/demo`, {
      method: 'POST',
      body: form(content, 'a.txt', { chunk_size: '90000' }),
    });
  const short = await counted(upload('Text.'));
  expect(await counted(upload('lorem ipsum '.repeat(500_000)))).toBeLessThanOrEqual(short);
  expect(short).toBeLessThan(MOST / 2);
});

it('a result, whole, in ranges and decompressed, has few', async () => {
  service = await startTestService();
  const counts = countListeners();
  const uploaded = await fetch(`${service.url}/chunk/demo`, { method: 'POST', body: form(paragraphs(3000)) });
  const { download_url: link } = (await uploaded.json()) as { download_url: string };
  for (const headers of [{}, { 'Accept-Encoding': 'identity' }, { Range: 'bytes=0-99999' }])
    await (await fetch(link, { headers })).arrayBuffer();
  expect(most(counts)).toBeLessThan(MOST);
});

it('requests one after the other on one connection, and at once, leave none behind on it', async () => {
  service = await startTestService();
  const counts = countListeners();
  const { hostname, port } = new URL(service.url);
  const socket = connect({ host: hostname, port: Number(port) });
  let received = '';
  socket.on('data', (piece) => (received += piece.toString()));
  const ask = async (times: number): Promise<void> => {
    const answered = received.split('"healthy"').length + times;
    socket.write('GET /health HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(times));
    while (received.split('"healthy"').length < answered) await once(socket, 'data');
  };
  await ask(MAX_UNANSWERED);
  for (let count = 0; count < 30; count++) await ask(1);
  socket.destroy();
  expect(most(counts)).toBeLessThan(MOST);
});

it('a body of many pieces, read or refused unread, has few', async () => {
  service = await startTestService({ MAX_UPLOAD_BYTES: '8MiB' });
  const counts = countListeners();
  const statuses = [];
  for (const bytes of [6_000_000, 9_000_000]) {
    const body = form('x'.repeat(bytes));
    statuses.push((await fetch(`${service.url}/chunk/demo`, { method: 'POST', body })).status);
  }
  expect(statuses).toEqual([200, 413]);
  expect(most(counts)).toBeLessThan(MOST);
});
