// File names as strangers write them.

/** Longest file name that is kept, in UTF-16 units. */
export const MAX_NAME_CHARACTERS = 200;

/**
 * The base name without control characters (those that turn the writing direction included), at most
 * {@link MAX_NAME_CHARACTERS} long, of which a longer name keeps its ending; undefined when nothing is left. Never used as a path.
 */
export function cleanName(name: string): string | undefined {
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  const clean = base.replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '').trim();
  const cut = shortened(clean).toWellFormed();
  return cut === '' || cut === '.' || cut === '..' ? undefined : cut;
}

/** Longer than any ending that tells a kind. */
const MAX_ENDING = 20;

/** Cut in the middle: the ending says how a text is to be read. */
function shortened(name: string): string {
  if (name.length <= MAX_NAME_CHARACTERS) return name;
  const dot = name.lastIndexOf('.');
  const ending = dot > 0 && name.length - dot <= MAX_ENDING ? name.slice(dot) : '';
  return name.slice(0, MAX_NAME_CHARACTERS - ending.length) + ending;
}
