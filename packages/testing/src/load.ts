// Clients: requests at once, or at a pace, over connections that are kept.
import { Agent, request } from 'node:http';

/** A request, its bytes ready before the clock runs. */
export interface Sendable {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** `refused`: the port is closed. `lost`: the connection broke before an answer. */
export type Outcome = number | 'refused' | 'lost';

export interface Answer {
  readonly outcome: Outcome;
  readonly ms: number;
  /** Of what broke. */
  readonly why?: string;
  /** Empty when nothing, or not all of it, has come. */
  readonly text: string;
}

export interface Client {
  send(sendable: Sendable): Promise<Answer>;
  close(): void;
}

export const HEALTH: Sendable = { method: 'GET', path: '/health', headers: {}, body: Buffer.alloc(0) };

/** A form with one file, for a tier's path. */
export function uploadOf(content: Uint8Array | string, name: string, tier = 'demo'): Sendable {
  const head = `--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`;
  const body = Buffer.concat([Buffer.from(head), Buffer.from(content), Buffer.from('\r\n--b--\r\n')]);
  const headers = {
    'Content-Type': 'multipart/form-data; boundary=b',
    'Content-Length': String(body.length),
  };
  return { method: 'POST', path: `/chunk/${tier}`, headers, body };
}

export function createClient(url: string, connections: number): Client {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return {
    send({ method, path, headers, body }) {
      const startedMs = performance.now();
      return new Promise((resolve) => {
        const end = (outcome: Outcome, rest: { readonly why?: string; readonly text: string }): void =>
          resolve({ outcome, ms: performance.now() - startedMs, ...rest });
        const fail = (error: NodeJS.ErrnoException): void =>
          end(error.code === 'ECONNREFUSED' ? 'refused' : 'lost', { why: error.message, text: '' });
        const sent = request({ hostname, port, method, path, headers, agent }, (response) => {
          const pieces: Buffer[] = [];
          response.on('data', (piece: Buffer) => pieces.push(piece)).on('error', fail);
          response.on('end', () => end(response.statusCode ?? 0, { text: Buffer.concat(pieces).toString() }));
        });
        sent.on('error', fail).end(body);
      });
    },
    close: () => agent.destroy(),
  };
}

/** The value below which so great a share of the others lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
