// Inputs of commands that read whole documents in this thread: their search, and the reading of each.
import type { Document } from '@grainline/core';
import type { TesseractOcr } from '@grainline/ocr';
import { type ReadOptions, readSource } from '@grainline/pipeline';
import type { Io } from '../io.ts';
import type { RunLog } from '../output/terminal.ts';
import type { Input } from '../inputs/input.ts';
import { findInputs } from '../inputs/inputs.ts';
import { loadOcr } from '../local/ocr.ts';

/** The engine of a request with `--ocr`; undefined without. Rejects as `loadOcr` does. */
export async function openOcr(languages: string | undefined): Promise<TesseractOcr | undefined> {
  return languages === undefined ? undefined : loadOcr(languages);
}

/**
 * Finds the inputs of operands, reports missing ones, and begins the line of progress over the others.
 *
 * @param pictures true when folders give pictures too, because OCR reads them
 */
export async function followInputs(
  operands: readonly string[],
  io: Io,
  log: RunLog,
  pictures: boolean,
): Promise<{ inputs: readonly Input[]; missing: number }> {
  const search = { io, stdinName: undefined, skip: undefined, pictures, onStdin: () => undefined };
  const { inputs, missing } = await findInputs(operands, search);
  for (const { shown, error } of missing) log.failure(error, shown);
  log.follow(inputs.map(({ shown, size }) => ({ shown, bytes: size })));
  return { inputs, missing: missing.length };
}

/**
 * Reads an input with its progress and its warnings; with `regions` the places of a PDF's text too, with `ocr` scanned
 * pages. Rejects as reading does, or with the signal's reason.
 */
export async function readDocument(
  { shown, filename, read }: Input,
  { signal }: Io,
  log: RunLog,
  { regions = false, ocr }: Pick<ReadOptions, 'regions' | 'ocr'> = {},
): Promise<Document> {
  log.begin(shown);
  try {
    const { bytes, contentType } = await read(signal);
    const document = await readSource(
      { bytes, filename, contentType },
      {
        regions,
        ocr,
        signal,
        // Pages of text take milliseconds, scanned ones seconds.
        onPage: ({ done, total }) =>
          log.step(shown, ocr === undefined ? done / total : 0, `page ${done} of ${total}`),
        onOcrPage: ({ done, total }) => log.step(shown, done / total, `scanned page ${done} of ${total}`),
      },
    );
    for (const warning of document.warnings) log.warning(warning, shown);
    return document;
  } finally {
    log.finish(shown);
  }
}
