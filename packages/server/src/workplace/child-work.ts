// What a child process does: one document at a time, from a task to a reply. It may touch nothing but its code
// (permissions.ts, confine.ts); whatever a document does to it, the server lives on.
import type { Progress } from '@grainline/core';
import { confine } from './confine.ts';
import { runLine } from './line.ts';
import { askingModels } from './questions.ts';
import { type Reply, replyOf, type Started } from './reply.ts';
import type { Task } from './task.ts';

confine();
// The server is gone, killed perhaps: nobody waits for an answer any more.
process.on('disconnect', () => process.exit());

/** Models that are elsewhere. A process that cannot write is about to end with its server. */
const server = askingModels({
  send: (question) => void process.send?.(question),
  onMessage: (listener) => void process.on('message', listener),
});

const tell = (progress: Progress): void => void process.send?.({ progress });

let tasks = 0;

/** Called by the pool for each task. What is wrong with a document is a value; what is thrown is a defect. */
export async function work(task: Task): Promise<Reply> {
  tasks++;
  await announce({ started: true, pid: process.pid, tasks });
  return replyOf(() =>
    runLine(task, {
      ...(task.asksForVectors === true ? { embed: server.embed } : {}),
      complete: server.complete,
      ...(task.tellsProgress === true ? { onProgress: tell } : {}),
    }),
  );
}

/** Waits until it is written: afterwards this process may be too busy to write anything. */
function announce(message: Started): Promise<void> {
  return new Promise((resolve, reject) => {
    if (process.send === undefined) throw new Error('This file is run by the pool, as a child process.');
    process.send(message, undefined, {}, (error: Error | null) =>
      error === null ? resolve() : reject(error),
    );
  });
}
