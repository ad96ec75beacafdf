// Errors → sentences for the visitor.
import { ClientError } from '@grainline/client';

/**
 * Messages of Chromium, Firefox and Safari for a module, and then for any other resource, that could not be fetched.
 */
const NOT_FETCHED =
  /dynamically imported module|Importing a module script failed|Failed to fetch|NetworkError|Load failed/;

/** The service also serves the page's parts; parts of an older page may be gone. */
export const NOT_REACHED =
  'The service could not be reached. Try again when you are online; if you are, reload the page.';

/** The sentence for an answer of another service, or one that the page cannot show. */
export const NOT_UNDERSTOOD = 'The service gave an answer that this page does not understand.';

/**
 * Names of browser errors for an unreadable file: a folder, or a file that was moved or changed since its choice.
 */
const UNREADABLE = ['NotReadableError', 'NotFoundError'];

/**
 * The sentence of an error. Messages of this project are written for visitors; those of a browser are replaced.
 */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error) || error.message === '') return 'Something went wrong.';
  if (UNREADABLE.includes(error.name))
    return 'The file could not be read: it is a folder, or was moved or changed. Choose it once more.';
  if (error instanceof ClientError) return sentenceOfService(error);
  const isNotFetched = error instanceof TypeError && NOT_FETCHED.test(error.message);
  // Extraction advises the author of a page, who is not its visitor.
  return isNotFetched || error.name === 'PdfiumLoadError' ? NOT_REACHED : error.message;
}

/** The service's own message, if it has one. */
function sentenceOfService({ code, status = 200, message }: ClientError): string {
  if (code === 'unreachable') return NOT_REACHED;
  if (code === 'bad_answer' && status >= 400) return `The service answered ${status}.`;
  return code === 'bad_answer' ? NOT_UNDERSTOOD : message;
}
