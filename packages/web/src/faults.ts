// What went wrong, as people read it.

/** How Chromium, Firefox and Safari say that they could not fetch a module, and then anything else. */
const NOT_FETCHED =
  /dynamically imported module|Importing a module script failed|Failed to fetch|NetworkError|Load failed/;

/** The page's parts and the service come from one place; a part of an older page may not be there any more. */
export const NOT_REACHED =
  'The service could not be reached. Try again when you are online; if you are, reload the page.';

/** How browsers name that a file cannot be read: it is a folder, was moved, or was changed since it was chosen. */
const UNREADABLE = ['NotReadableError', 'NotFoundError'];

/** A sentence of an error: our own messages are made for people, and those of a browser are not. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error) || error.message === '') return 'Something went wrong.';
  if (UNREADABLE.includes(error.name))
    return 'The file could not be read: it is a folder, or was moved or changed. Choose it once more.';
  return error instanceof TypeError && NOT_FETCHED.test(error.message) ? NOT_REACHED : error.message;
}
