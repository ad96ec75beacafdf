// Cleaning of file names from clients.

/** Longest file name, in UTF-16 units. A longer one is shortened. */
export const MAX_NAME_CHARACTERS = 200;
/** The ending of a name, which identifies the kind of document: a dot and up to 19 units. */
const ENDING = /\.[^.]{1,19}$/;

/**
 * The base name without control characters, directional marks included, at most {@link MAX_NAME_CHARACTERS} long;
 * undefined when it is empty. It is never a path. Memos contain it, and clients compute it the same way
 * (docs/payments.md).
 */
export function cleanName(name: string): string | undefined {
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  const clean = base.replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '').trim();
  const cut = shortened(clean).toWellFormed();
  return cut === '' || cut === '.' || cut === '..' ? undefined : cut;
}

/** Shortens a name before its ending, never within a character. */
function shortened(name: string): string {
  if (name.length <= MAX_NAME_CHARACTERS) return name;
  const [ending = ''] = ENDING.exec(name) ?? [];
  return name.slice(0, MAX_NAME_CHARACTERS - ending.length).replace(/[\ud800-\udbff]$/, '') + ending;
}
