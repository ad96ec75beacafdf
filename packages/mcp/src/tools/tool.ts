// The interface of a tool: its description for the model, its schemas and its call. A tool is a file in this folder and
// a line in its registry.
import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type * as z from 'zod';
import type { ToolAnswer } from '../answer.ts';
import type { Ports, CallContext } from '../ports.ts';
import type { ResultCache } from '../result-cache.ts';
import type { CallQueue } from '../call-queue.ts';

/** Shared state of the tools of one server. */
export interface Session {
  readonly ports: Ports;
  readonly results: ResultCache;
  /** Queue of the local work. */
  readonly localQueue: CallQueue;
  /** Queue of the service's work. */
  readonly serviceQueue: CallQueue;
}

/** A tool. */
export interface Tool<Input extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly title: string;
  /** Description for the model. */
  readonly description: string;
  readonly input: Input;
  readonly output: z.ZodObject;
  readonly annotations: ToolAnnotations;
  /** Rejects with an error for `describe`, or with the signal's reason. */
  run(given: z.output<Input>, run: CallContext): Promise<ToolAnswer & { readonly result?: string }>;
}

/** A tool in the registry. Its own schema checks the input before `run`. */
export function tool<Input extends z.ZodType>(definition: Tool<Input>): Tool {
  return definition;
}

/** Hints of a tool that reads local data and changes nothing. */
export const READS_HERE: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Hints of a tool that sends a document to a service. A payment cannot be undone. */
export function sendsThere(maxCost: string | undefined): ToolAnnotations {
  const spends = maxCost !== undefined;
  return { readOnlyHint: !spends, destructiveHint: spends, idempotentHint: true, openWorldHint: true };
}
