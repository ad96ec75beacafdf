// File names as strangers write them.

/** Longest file name that is kept, in UTF-16 units. */
export const MAX_NAME_CHARACTERS = 200;
/** The ending of a longer one, which tells what kind of document it is: a dot and up to 19 units. */
const ENDING = /\.[^.]{1,19}$/;

/**
 * The base name without control characters (those that turn the writing direction included), at most
 * {@link MAX_NAME_CHARACTERS} long; undefined when nothing is left. Never used as a path. Memos name it: clients make
 * the same of a name (docs/payments.md).
 */
export function cleanName(name: string): string | undefined {
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  const clean = base.replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '').trim();
  const cut = shortened(clean).toWellFormed();
  return cut === '' || cut === '.' || cut === '..' ? undefined : cut;
}

/** A name that is too long loses what stands before its ending; never half a character. */
function shortened(name: string): string {
  if (name.length <= MAX_NAME_CHARACTERS) return name;
  const [ending = ''] = ENDING.exec(name) ?? [];
  return name.slice(0, MAX_NAME_CHARACTERS - ending.length).replace(/[\ud800-\udbff]$/, '') + ending;
}
