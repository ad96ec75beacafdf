// What went wrong, as people read it.

/** How Chromium, Firefox and Safari say that they could not fetch a module, and then anything else. */
const NOT_FETCHED =
  /dynamically imported module|Importing a module script failed|Failed to fetch|NetworkError|Load failed/;

/** A sentence of an error: our own messages are made for people, and those of a browser that is offline are not. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error) || error.message === '') return 'Something went wrong.';
  return error instanceof TypeError && NOT_FETCHED.test(error.message)
    ? 'The service could not be reached. Try again when you are online.'
    : error.message;
}
