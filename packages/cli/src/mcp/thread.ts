// What a thread runs: orders in, one after another; for each how far it is, then the document or what was wrong.
import { parentPort } from 'node:worker_threads';
import type { CutDocument, CutOptions, Source } from '@grainline/mcp';
import { codeOf } from '../errors.ts';
import { cut } from './cut.ts';

/** A document to cut. */
export interface Order {
  readonly source: Source;
  readonly options: CutOptions;
}

/** What a thread says of its order; `document` and `fault` are the last word. */
export type Reply =
  | { readonly progress: readonly [share: number, message: string] }
  | { readonly document: CutDocument }
  | { readonly fault: { readonly message: string; readonly code: string } };

const port = parentPort;
const reply = (message: Reply): void => port?.postMessage(message);

port?.on('message', ({ source, options }: Order) => {
  cut(source, options, (...progress) => reply({ progress })).then(
    (document) => reply({ document }),
    (error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      reply({ fault: { message, code: codeOf(error) ?? 'internal' } });
    },
  );
});
