// Errors → sentences for the visitor.
import { ClientError } from '@grainline/client';
import { ERRORS } from './texts.ts';

/**
 * Messages of Chromium, Firefox and Safari for a module, and then for any other resource, that could not be fetched.
 */
const NOT_FETCHED =
  /dynamically imported module|Importing a module script failed|Failed to fetch|NetworkError|Load failed/;

/**
 * Names of browser errors for an unreadable file: a folder, or a file that was moved or changed since its choice.
 */
const UNREADABLE = ['NotReadableError', 'NotFoundError'];

/**
 * The sentence of an error. Messages of this project are written for visitors; those of a browser are replaced.
 */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error) || error.message === '') return ERRORS.unknown;
  if (UNREADABLE.includes(error.name)) return ERRORS.unreadable;
  if (error instanceof ClientError) return sentenceOfService(error);
  const isNotFetched = error instanceof TypeError && NOT_FETCHED.test(error.message);
  // Extraction advises the author of a page, who is not its visitor.
  return isNotFetched || error.name === 'PdfiumLoadError' ? ERRORS.notReached : error.message;
}

/** The service's own message, if it has one. */
function sentenceOfService({ code, status = 200, message }: ClientError): string {
  if (code === 'unreachable') return ERRORS.notReached;
  if (code === 'bad_answer' && status >= 400) return ERRORS.status(status);
  return code === 'bad_answer' ? ERRORS.notUnderstood : message;
}
