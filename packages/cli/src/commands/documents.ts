// Inputs of commands that read whole documents: their search, the reading of each, the password.
import type { Document } from '@grainline/core';
import type { TesseractOcr } from '@grainline/ocr';
import type { ReadOptions } from '@grainline/pipeline';
import type { ReadingRequest } from '../args/request.ts';
import { UsageError } from '../errors.ts';
import type { Io } from '../io.ts';
import type { RunLog } from '../output/terminal.ts';
import type { Input } from '../inputs/input.ts';
import { findInputs } from '../inputs/inputs.ts';
import { type DocumentReader, pageProgress } from '../local/document-reader.ts';
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

/** The variable with the password of encrypted documents: arguments are visible to other users of the machine. */
export const PASSWORD_VARIABLE = 'GRAINLINE_PASSWORD';

/** The password of a run, from the terminal or the environment; undefined without one. @throws UsageError */
export async function readPassword(
  { asksPassword }: { readonly asksPassword: boolean },
  operands: readonly string[],
  { environment, readSecret }: Io,
): Promise<string | undefined> {
  const set = environment[PASSWORD_VARIABLE];
  const password = set === '' ? undefined : set;
  if (!asksPassword || password !== undefined) return password;
  if (readSecret === undefined || operands.includes('-'))
    throw new UsageError([
      `--password asks on the terminal, and there is none to ask on; set ${PASSWORD_VARIABLE}.`,
    ]);
  return (await readSecret('Password: ')) || undefined;
}

/**
 * Reads an input as the request says, with its progress and its warnings; with `regions` the places of a PDF's text
 * too, with `ocr` scanned pages. Rejects as reading does, or with the signal's reason.
 */
export async function readDocument(
  { shown, filename, read }: Input,
  { reading, contentType: declared }: ReadingRequest,
  { signal }: Io,
  log: RunLog,
  {
    reader,
    regions = false,
    ocr,
    password,
  }: Pick<ReadOptions, 'regions' | 'ocr' | 'password'> & { readonly reader: DocumentReader },
): Promise<Document> {
  log.begin(shown);
  try {
    const { bytes, contentType } = await read(signal);
    const document = await reader.read(
      { bytes, filename, contentType: declared ?? contentType },
      {
        ...reading,
        password,
        regions,
        ocr,
        signal,
        ...pageProgress(log, shown, ocr),
      },
    );
    for (const warning of document.warnings) log.warning(warning, shown);
    return document;
  } finally {
    log.finish(shown);
  }
}
