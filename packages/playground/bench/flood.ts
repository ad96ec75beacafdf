// A worker that floods a server with uploads, each from its own address: with a made-up signature, of random bytes or
// well formed, or without one. It reports its begin, counts the answers by status, and sends the counts on a stop
// message. It writes and reads raw bytes, since its own work slows the honest payers down.
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { getBase58Decoder } from '@solana/kit';
import { uploadOf } from './requests.ts';

const { url, perSecond, seconds, proofs } = workerData as FloodOrder;
const TICK_MS = 4;

/** Message that starts a flood. */
export interface FloodOrder {
  readonly url: string;
  readonly perSecond: number;
  /** The longest duration. */
  readonly seconds: number;
  /** `well formed` signatures pass the check of Ed25519's group order. */
  readonly proofs: 'none' | 'random' | 'well formed';
}

/** Made beforehand, for the same reason. */
const signatures = proofs === 'none' ? [] : Array.from({ length: perSecond * seconds }, signature);
const { hostname, port, host } = new URL(url);
const { path, headers, body } = uploadOf('A document of nobody.');
const head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\n${linesOf(headers)}`;
const idle: Socket[] = [];
const all = new Set<Socket>();
let connections = 0;
const answers = new Map<string, number>();
const began = performance.now();
let sent = 0;

parentPort?.postMessage('begun');

const timer = setInterval(() => {
  const due = Math.min(((performance.now() - began) / 1000) * perSecond, perSecond * seconds);
  for (; sent < due; sent++) show(sent);
}, TICK_MS);

parentPort?.on('message', () => {
  clearInterval(timer);
  const seconds = (performance.now() - began) / 1000;
  parentPort?.postMessage({ sent, seconds, connections, answers: Object.fromEntries(answers) });
  parentPort?.close();
  for (const socket of all) socket.destroy();
});

function show(index: number): void {
  const address = `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
  const own = {
    'x-forwarded-for': address,
    ...(proofs !== 'none' && { 'x-payment': signatures[index] ?? '' }),
  };
  (idle.pop() ?? open()).write(`${head}${linesOf(own)}\r\n${body}`);
}

/** A random signature of 64 bytes, in base58. */
function signature(): string {
  const bytes = randomBytes(64);
  // The second half is a number, the lowest byte first; below 2²⁵² a signature may have it.
  if (proofs === 'well formed') bytes[63] = (bytes[63] ?? 0) & 0x0f;
  return getBase58Decoder().decode(bytes);
}

function open(): Socket {
  connections++;
  const socket = connect(Number(port), hostname);
  all.add(socket);
  let read = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on('data', (piece) => {
    read = read.length === 0 ? piece : Buffer.concat([read, piece]);
    const bodyAt = read.indexOf('\r\n\r\n') + 4;
    if (bodyAt < 4) return;
    const text = read.toString('latin1', 0, bodyAt);
    const length = Number(/^content-length: *(\d+)/im.exec(text)?.[1] ?? Number.NaN);
    if (read.length < bodyAt + length) return;
    read = Buffer.alloc(0);
    count(text.slice('HTTP/1.1 '.length, 'HTTP/1.1 402'.length));
    if (/^connection: *close/im.test(text)) socket.destroy();
    else idle.push(socket);
  });
  socket.on('error', () => count('broken'));
  socket.on('close', () => {
    all.delete(socket);
    const place = idle.indexOf(socket);
    if (place >= 0) idle.splice(place, 1);
  });
  return socket;
}

function linesOf(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
}

function count(name: string): void {
  answers.set(name, (answers.get(name) ?? 0) + 1);
}
