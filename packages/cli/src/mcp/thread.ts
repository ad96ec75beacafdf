// What a thread runs: orders in, one after another; for each how far it is, then the document or what was wrong.
import { parentPort } from 'node:worker_threads';
import type { CutDocument, CutOptions, Source } from '@grainline/mcp';
import { countHere, type Readable } from '../count.ts';
import { codeOf } from '../errors.ts';
import { cut } from './cut.ts';

/** A document to cut, or one whose characters are to be counted. */
export type Order =
  { readonly cut: { readonly source: Source; readonly options: CutOptions } } | { readonly count: Readable };

/** What a thread says of its order; all but progress is the last word. */
export type Reply =
  | { readonly progress: readonly [share: number, message: string] }
  | { readonly document: CutDocument }
  | { readonly characters: number }
  | { readonly fault: { readonly message: string; readonly code: string } };

const port = parentPort;
const reply = (message: Reply): void => port?.postMessage(message);

port?.on('message', (order: Order) => {
  answer(order).then(reply, (error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    reply({ fault: { message, code: codeOf(error) ?? 'internal' } });
  });
});

async function answer(order: Order): Promise<Reply> {
  // Work that is taken back ends with the thread.
  if ('count' in order) return { characters: await countHere(order.count, new AbortController().signal) };
  const { source, options } = order.cut;
  return { document: await cut(source, options, (...progress) => reply({ progress })) };
}
