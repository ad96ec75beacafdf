// What a tool is: how a model knows it, what it takes and answers, and what it does. A tool is a file in this folder
// and a line in its registry.
import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type * as z from 'zod';
import type { Answer } from '../answer.ts';
import type { Ports, Run } from '../ports.ts';
import type { Results } from '../results.ts';
import type { Limiter } from '../limiter.ts';

/** What all tools of one server share. */
export interface Session {
  readonly ports: Ports;
  readonly results: Results;
  /** Runs work of this process in turn. */
  readonly inTurn: Limiter;
  /** Runs work that a service does in turn. */
  readonly inTurnThere: Limiter;
}

/** A tool. */
export interface Tool<Input extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly title: string;
  /** Description for a model that chooses among tools. */
  readonly description: string;
  readonly input: Input;
  readonly output: z.ZodObject;
  readonly annotations: ToolAnnotations;
  /** Rejects with an error for `describe`, or with the signal's reason. */
  run(given: z.output<Input>, run: Run): Promise<Answer & { readonly result?: string }>;
}

/** A tool among others: what it takes is checked by its own schema before it runs. */
export function tool<Input extends z.ZodType>(definition: Tool<Input>): Tool {
  return definition;
}

/** Hints of a tool that reads what is here and changes nothing. */
export const READS_HERE: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Hints of a tool that sends a document to a service. Money that is spent does not come back. */
export function sendsThere(maxCost: string | undefined): ToolAnnotations {
  const spends = maxCost !== undefined;
  return { readOnlyHint: !spends, destructiveHint: spends, idempotentHint: true, openWorldHint: true };
}
