// The title of a document, as every reader gives it.

/** Longest title, in UTF-16 units. */
const MAX_TITLE = 300;

/** A title as the field of a Document: cut at the bound; no field for a blank one. */
export function titleOf(words: string): { readonly title?: string } {
  const title = words.trim().slice(0, MAX_TITLE).trim().toWellFormed();
  return title === '' ? {} : { title };
}
