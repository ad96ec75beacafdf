// A child process that does what its task says, as a document might make it do. The word stands in the tier's name.
import { getPriority } from 'node:os';
import type { Reply } from '../../src/workplace/reply.ts';
import type { Task } from '../../src/workplace/task.ts';

/** As tiers ask. */
const REQUEST = {
  messages: [{ role: 'user', content: 'Where?' }],
  schema: { type: 'array', items: { type: 'integer' } },
  maxTokens: 100,
};

let tasks = 0;
const kept: unknown[] = [];

export default async function misbehave(task: Task): Promise<Reply> {
  const word = task.records.tierName;
  if (word === 'die before it starts') process.exit(7);
  tasks++;
  await new Promise((written) => process.send?.({ started: true, pid: process.pid, tasks }, written));
  return ACTS[word]?.() ?? answer({ word });
}

const ACTS: Readonly<Record<string, () => Reply | Promise<Reply>>> = {
  'loop for ever': () => {
    for (;;) kept.length = 0;
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
      kept.push(Buffer.alloc(16 * 1024 * 1024, 1));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  },
  'ask nonsense': () => {
    process.send?.({ question: 0, request: { messages: 'all your money' } });
    return new Promise(() => setInterval(() => undefined, 1000));
  },
  'ask without waiting': () => {
    for (let question = 0; question < 100; question++) process.send?.({ question, request: REQUEST });
    return new Promise(() => setInterval(() => undefined, 1000));
  },
  'ask for ever': () =>
    new Promise((resolve) => {
      let question = 0;
      process.on('message', (message) => {
        const { failure } = Object(message) as { failure?: { code: string } };
        if (failure?.code === 'too_expensive') resolve(answer({}));
        else if (Object.hasOwn(Object(message) as object, 'question'))
          process.send?.({ question: ++question, request: REQUEST });
      });
      process.send?.({ question, request: REQUEST });
    }),
  exit: () => process.exit(3),
  abort: () => process.abort(),
  throw: () => {
    throw new TypeError('a defect');
  },
  'throw later': () => {
    setImmediate(() => {
      throw new TypeError('a defect nobody waits for');
    });
    return new Promise(() => undefined);
  },
  'tell about itself': () =>
    answer({
      pid: process.pid,
      tasks,
      environment: process.env,
      nice: getPriority(),
      argv: process.execArgv,
    }),
};

function answer(about: object): Reply {
  const metadata = { filename: '', content_type: '', size_bytes: 0, estimated_pages: 1 };
  return { finished: { metadata, totalChunks: 0, members: JSON.stringify(about), warnings: [] } };
}
