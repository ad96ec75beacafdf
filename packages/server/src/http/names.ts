// File names as strangers write them.

/** Longest file name that is kept, in UTF-16 units. */
export const MAX_NAME_CHARACTERS = 200;

/**
 * The base name without control characters (those that turn the writing direction included), at most
 * {@link MAX_NAME_CHARACTERS} long; undefined when nothing is left. Never used as a path.
 */
export function cleanName(name: string): string | undefined {
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  const clean = base.replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '').trim();
  const cut = clean.slice(0, MAX_NAME_CHARACTERS).toWellFormed();
  return cut === '' || cut === '.' || cut === '..' ? undefined : cut;
}
