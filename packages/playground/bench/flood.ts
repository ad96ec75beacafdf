// A worker that sends a server so many uploads a second, each from an address of its own: with a made-up signature, or
// without one, which is what any service has to bear. It counts the answers by status, and says so when it is told to stop.
import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import { getBase58Decoder } from '@solana/kit';
import { uploadOf } from './requests.ts';

const { url, perSecond, withProof } = workerData as {
  readonly url: string;
  readonly perSecond: number;
  readonly withProof: boolean;
};
const TICK_MS = 20;

const agent = new Agent({ keepAlive: true, maxSockets: 1000 });
let connections = 0;
const connect = agent.createConnection.bind(agent);
agent.createConnection = (...parameters) => {
  connections++;
  return connect(...parameters);
};
const answers = new Map<string, number>();
const began = performance.now();
let sent = 0;

const timer = setInterval(() => {
  const due = ((performance.now() - began) / 1000) * perSecond;
  for (; sent < due; sent++) show(sent);
}, TICK_MS);

parentPort?.on('message', () => {
  clearInterval(timer);
  agent.destroy();
  const seconds = (performance.now() - began) / 1000;
  parentPort?.postMessage({ sent, seconds, connections, answers: Object.fromEntries(answers) });
  parentPort?.close();
});

function show(index: number): void {
  const proof = withProof ? getBase58Decoder().decode(randomBytes(64)) : undefined;
  const { path, headers, body } = uploadOf('A document of nobody.', proof);
  const address = `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
  const outgoing = request(`${url}${path}`, {
    method: 'POST',
    agent,
    headers: { ...headers, 'x-forwarded-for': address },
  });
  outgoing.on('response', (incoming) => {
    // Those that are cut off at the end.
    incoming.on('error', () => undefined);
    count(String(incoming.statusCode));
    incoming.resume();
  });
  outgoing.on('error', () => count('broken'));
  outgoing.end(body);
}

function count(name: string): void {
  answers.set(name, (answers.get(name) ?? 0) + 1);
}
