// A worker that sends a server so many uploads a second, each from an address of its own: with a made-up signature, or
// without one, which is what any service has to bear. It counts the answers by status, and says so when it is told to
// stop. It writes and reads the bytes itself, since what the attacker spends here is missing to those who pay.
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { uploadOf } from './requests.ts';

const { url, perSecond, withProof } = workerData as {
  readonly url: string;
  readonly perSecond: number;
  readonly withProof: boolean;
};
const TICK_MS = 4;
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
/** Of a signature of 88 characters, the first ones with which it is 64 bytes whatever the others are. */
const FIRST = '2345';

const { hostname, port, host } = new URL(url);
const { path, headers, body } = uploadOf('A document of nobody.');
const head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\n${linesOf(headers)}`;
const idle: Socket[] = [];
const all = new Set<Socket>();
let connections = 0;
const answers = new Map<string, number>();
const began = performance.now();
let sent = 0;

const timer = setInterval(() => {
  const due = ((performance.now() - began) / 1000) * perSecond;
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
  const own = { 'x-forwarded-for': address, ...(withProof && { 'x-payment': signature() }) };
  (idle.pop() ?? open()).write(`${head}${linesOf(own)}\r\n${body}`);
}

/** Text of 64 bytes that nobody has seen, well formed: what is random about it are 87 of its 88 characters. */
function signature(): string {
  const [first = 0, ...others] = randomBytes(88);
  return others.reduce(
    (text, byte) => text + ALPHABET.charAt(byte % ALPHABET.length),
    FIRST.charAt(first % FIRST.length),
  );
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
