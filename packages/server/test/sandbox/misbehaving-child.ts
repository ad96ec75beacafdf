// A child process that follows its task, as a document might force it to. The act stands in the tier's name.
import { getPriority } from 'node:os';
import type { WorkerReply } from '../../src/sandbox/reply.ts';
import type { WorkerTask } from '../../src/sandbox/task.ts';

/** A request like those of tiers. */
const REQUEST = {
  messages: [{ role: 'user', content: 'Where?' }],
  schema: { type: 'array', items: { type: 'integer' } },
  maxTokens: 100,
};

let tasks = 0;
const held: unknown[] = [];

export default async function misbehave(task: WorkerTask): Promise<WorkerReply> {
  const word = task.records.tierName;
  if (word === 'die before it starts') process.exit(7);
  tasks++;
  await new Promise((written) => process.send?.({ started: true, pid: process.pid, tasks }, written));
  return ACTS[word]?.() ?? reply({ word });
}

const ACTS: Readonly<Record<string, () => WorkerReply | Promise<WorkerReply>>> = {
  'loop for ever': () => {
    for (;;) held.length = 0;
  },
  'wait for ever': () => new Promise(() => setInterval(() => undefined, 1000)),
  'ignore the polite signal': () => {
    process.on('SIGTERM', () => undefined);
    return new Promise(() => setInterval(() => undefined, 1000));
  },
  'fill the heap with one array': () => {
    const numbers: number[] = [];
    for (;;) numbers.push(numbers.length);
  },
  'fill memory with buffers': async () => {
    for (;;) {
      held.push(Buffer.alloc(16 * 1024 * 1024, 1));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  },
  'ask nonsense': () => {
    process.send?.({ call: 0, request: { messages: 'all your money' } });
    return new Promise(() => setInterval(() => undefined, 1000));
  },
  'ask without waiting': () => {
    for (let call = 0; call < 100; call++) process.send?.({ call, request: REQUEST });
    return new Promise(() => setInterval(() => undefined, 1000));
  },
  'ask for ever': () =>
    new Promise((resolve) => {
      let call = 0;
      process.on('message', (message) => {
        const { failure } = Object(message) as { failure?: { code: string } };
        if (failure?.code === 'too_expensive') resolve(reply({}));
        else if (Object.hasOwn(Object(message) as object, 'call'))
          process.send?.({ call: ++call, request: REQUEST });
      });
      process.send?.({ call, request: REQUEST });
    }),
  exit: () => process.exit(3),
  abort: () => process.abort(),
  throw: () => {
    throw new TypeError('a defect');
  },
  'throw later': () => {
    setImmediate(() => {
      throw new TypeError('a late defect');
    });
    return new Promise(() => undefined);
  },
  'describe itself': () =>
    reply({
      pid: process.pid,
      tasks,
      environment: process.env,
      nice: getPriority(),
      argv: process.execArgv,
    }),
};

function reply(about: object): WorkerReply {
  const metadata = { filename: '', content_type: '', size_bytes: 0, estimated_pages: 1 };
  return { result: { metadata, totalChunks: 0, members: JSON.stringify(about), warnings: [] } };
}
