// Clients that request large answers and do not read them. The memory of these answers is bounded, and other clients
// are served as usual.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { WorkerPool } from '../../src/sandbox/index.ts';
import { form, inlineWorkerPool } from './fake-service.ts';
import { startTestService, type TestService } from './running-service.ts';

const MIB = 1024 ** 2;
/** More than the buffers of both sockets take in. */
const ANSWER_BYTES = 12 * MIB;
const MOST_BYTES = 5.5 * ANSWER_BYTES;

let service: TestService;
const readers: Socket[] = [];
afterEach(async () => {
  for (const reader of readers.splice(0)) reader.destroy();
  await service.stop();
});

/** Makes one chunk of many characters of whatever it gets. */
const largePool: WorkerPool = {
  ...inlineWorkerPool,
  run: () =>
    Promise.resolve({
      metadata: { filename: 'a.txt', content_type: 'text/plain', size_bytes: 1, estimated_pages: 1 },
      totalChunks: 1,
      members: `"chunks":[{"text":"${'x'.repeat(ANSWER_BYTES)}"}]`,
      warnings: [],
    }),
  close: () => Promise.resolve(),
};

const requestFor = (text: string): string => {
  const body = JSON.stringify({ tier: 'free', text });
  return `POST /chunk HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};

/** Asks, and reads no more than what the system does by itself, from now on. */
async function askWithoutReading(): Promise<Socket> {
  const { hostname, port } = new URL(service.url);
  const socket = connect({ host: hostname, port: Number(port) });
  readers.push(socket);
  socket.on('error', () => undefined);
  socket.write(requestFor('Text.'));
  await once(socket, 'readable');
  return socket;
}

/** Number of ended requests: the log has a line for each. */
const over = (): number => service.logged.filter((line) => line['route'] === '/chunk').length;

const fetchAll = async (): Promise<number> => {
  const response = await fetch(`${service.url}/chunk/demo`, { method: 'POST', body: form('Text.') });
  return (await response.text()).length;
};

describe('answers that are not read', () => {
  it('are ended beyond the limit, the oldest first, while all others get theirs', async () => {
    service = await startTestService(
      {},
      {
        workerPool: largePool,
        connection: { maxOutgoingBytes: MOST_BYTES },
      },
    );
    for (let count = 0; count < 12; count++) await askWithoutReading();
    // Each answer that begins ends older ones; most of them are older than a second by now, or soon will be.
    while (over() < 8) expect(await fetchAll()).toBeGreaterThan(ANSWER_BYTES);
    const ended = service.logged.filter((line) => line['broke_off'] === 'memory');
    expect(ended.length).toBeGreaterThan(0);
    expect(ended).toEqual(
      ended.map(() => expect.objectContaining({ route: '/chunk', status: 200 }) as unknown),
    );
  });

  it('stay while there is room', async () => {
    service = await startTestService({}, { workerPool: largePool });
    const slow = [];
    for (let count = 0; count < 4; count++) slow.push(await askWithoutReading());
    expect(await fetchAll()).toBeGreaterThan(ANSWER_BYTES);
    for (const socket of slow) expect(await readRest(socket)).toBeGreaterThan(ANSWER_BYTES);
  });
});

/** Reads one answer to its end; resolves with how many bytes came. */
async function readRest(socket: Socket): Promise<number> {
  let length = 0;
  while (length <= ANSWER_BYTES) {
    const piece = socket.read() as Buffer | null;
    if (piece === null) await once(socket, 'readable');
    else length += piece.length;
  }
  return length;
}
