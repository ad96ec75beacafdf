// Inputs of commands that read whole documents in this thread: their search, and the reading of each.
import type { Document } from '@grainline/core';
import { readSource } from '@grainline/pipeline';
import type { Io } from '../io.ts';
import type { RunLog } from '../output/terminal.ts';
import type { Input } from '../inputs/input.ts';
import { findInputs } from '../inputs/inputs.ts';

/** Finds the inputs of operands, reports missing ones, and begins the line of progress over the others. */
export async function followInputs(
  operands: readonly string[],
  io: Io,
  log: RunLog,
): Promise<{ inputs: readonly Input[]; missing: number }> {
  const search = { io, stdinName: undefined, skip: undefined, onStdin: () => undefined };
  const { inputs, missing } = await findInputs(operands, search);
  for (const { shown, error } of missing) log.failure(error, shown);
  log.follow(inputs.map(({ shown, size }) => ({ shown, bytes: size })));
  return { inputs, missing: missing.length };
}

/**
 * Reads an input with its progress and its warnings; with `regions` the places of a PDF's text too. Rejects as reading
 * does, or with the signal's reason.
 */
export async function readDocument(
  { shown, filename, read }: Input,
  { signal }: Io,
  log: RunLog,
  regions = false,
): Promise<Document> {
  log.begin(shown);
  try {
    const { bytes, contentType } = await read(signal);
    const document = await readSource(
      { bytes, filename, contentType },
      {
        regions,
        signal,
        onPage: ({ done, total }) => log.step(shown, done / total, `page ${done} of ${total}`),
      },
    );
    for (const warning of document.warnings) log.warning(warning, shown);
    return document;
  } finally {
    log.finish(shown);
  }
}
