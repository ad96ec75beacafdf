// The opening of documents: a file is read with the options of reading, with its password, and by OCR on request.
import { isPicture } from '../document/kinds.ts';
import { isSameReading, type ReadingValues } from '../document/reading-options.ts';
import type { WorkerClient } from '../worker/worker-client.ts';
import type { OpenDocument, ScannedFile, Signals, WorkTerms } from './signals.ts';

/** Only these open by a password; a protected Word file has to be saved without one. */
const PDF_NAME = /\.pdf$/i;

/** What OCR could read of a file that has failed; undefined for other failures. */
function scanKind(code: unknown, { name }: File): ScannedFile['kind'] | undefined {
  if (code === 'no_text') return 'scan';
  return code === 'unsupported_type' && isPicture(name) ? 'picture' : undefined;
}

/** Pages of a rejected scan; a picture is one. */
function countOf(error: unknown): number {
  return error instanceof Error && 'count' in error && typeof error.count === 'number' ? error.count : 1;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** The functions that open documents. */
export function createOpening(signals: Signals, ask: WorkerClient) {
  const { source, reading, locked, scanned } = signals;

  function open(name: string, read: (terms: WorkTerms) => Promise<OpenDocument>): Promise<void> {
    return signals.whileBusy(
      { what: 'reading', name },
      async (terms) => signals.setSource(await read(terms)),
      signals.beginDocument(),
    );
  }

  function readFile(file: File, password: string | undefined, by: ReadingValues, ocr = false): Promise<void> {
    return open(file.name, async (terms) => {
      locked.value = undefined;
      scanned.value = undefined;
      try {
        const read = await ask('read', { file, password, by, ocr }, terms);
        const readAgain = (next: ReadingValues): Promise<void> => readFile(file, password, next, ocr);
        reading.value = by;
        const origin =
          password === undefined && !ocr ? ({ kind: 'file', file } as const) : ({ kind: 'text' } as const);
        const readScans = read.hasScans && !ocr ? () => readFile(file, password, by, true) : undefined;
        return { reading: read, origin, by, readAgain, ...(readScans && { readScans }) };
      } catch (error) {
        const isWrong = codeOf(error) === 'wrong_password';
        if (isWrong || (codeOf(error) === 'encrypted' && PDF_NAME.test(file.name)))
          locked.value = { file, isWrong };
        const kind = scanKind(codeOf(error), file);
        if (kind !== undefined && !ocr) scanned.value = { file, password, kind, pages: countOf(error) };
        throw error;
      }
    });
  }

  /** Reads the open file again with options; the former ones stay with the former text when that fails. */
  async function readBy(next: ReadingValues): Promise<void> {
    reading.value = next;
    const { by = {}, readAgain } = source.peek() ?? {};
    if (readAgain === undefined) return;
    // Back at those of the text, no other reading is wanted.
    if (isSameReading(next, by)) signals.beginDocument();
    else await readAgain(next);
    if (reading.peek() === next && source.peek()?.by !== next) reading.value = by;
  }

  return { open, readFile, readBy };
}
