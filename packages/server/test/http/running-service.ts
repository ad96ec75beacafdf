// A service on a real socket, its parts in memory unless given; and a client that writes raw bytes.
import { connect } from 'node:net';
import { startService, type RunningService, type ServiceOverrides } from '../../src/main/server.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { inlineWorkerPool, memoryDownloader, memoryStore } from './fake-service.ts';

export interface TestService extends RunningService {
  /** Lines of the log, parsed. */
  readonly logged: Record<string, unknown>[];
}

export async function startTestService(
  environment: Readonly<Record<string, string>> = {},
  parts: ServiceOverrides = {},
): Promise<TestService> {
  const logged: Record<string, unknown>[] = [];
  const log = { write: (line: string) => void logged.push(JSON.parse(line) as Record<string, unknown>) };
  const settings = readSettings({
    PORT: '0',
    RATE_LIMIT: 'off',
    FREE_PAGES_PER_DAY: '100000',
    ...environment,
  });
  const service = await startService(settings, {
    store: memoryStore(Date.now),
    workerPool: inlineWorkerPool,
    downloader: memoryDownloader(),
    log,
    ...parts,
    connection: { quietMs: 50, ...parts.connection },
  });
  await service.ready;
  return { ...service, logged };
}

/** The bytes of a raw connection until its end, parsed. */
export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly json: Record<string, unknown>;
}

/** Sends the pieces, closes its own side when asked to, and waits until the other side is closed. */
export function sendRaw(
  url: string,
  pieces: readonly (string | Uint8Array)[],
  { halfClose = false } = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const received: Buffer[] = [];
    socket.on('data', (piece) => received.push(piece));
    socket.on('error', reject);
    socket.on('end', () => {
      socket.end();
      const text = Buffer.concat(received).toString();
      const [head = '', body = ''] = text.split('\r\n\r\n');
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0);
      resolve({
        status,
        head,
        json: body.startsWith('{') ? (JSON.parse(body) as Record<string, unknown>) : {},
      });
    });
    for (const piece of pieces) socket.write(piece);
    if (halfClose) socket.end();
  });
}
