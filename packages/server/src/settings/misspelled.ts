// Names in the environment that somebody probably meant as settings. Other programs have names of their own there, so
// only what is one slip away from a setting that is not set is told, and nothing is refused for it.

/** Shorter names are too near to those of other programs: `POST`, `HOSTS`. */
const SHORTEST = 6;

/** A name that is no setting, and the setting that it is taken for. */
export interface Misspelled {
  readonly name: string;
  readonly meant: string;
}

/**
 * The names that are one letter more, less, other or out of place from a setting that is not among them, or the first
 * words of one, in any case of letters.
 */
export function misspelled(names: readonly string[], settings: readonly string[]): Misspelled[] {
  const known = new Set(settings);
  const given = new Set(names);
  const missing = settings.filter((setting) => setting.length >= SHORTEST && !given.has(setting));
  return names
    .filter((name) => !known.has(name))
    .flatMap((name) => {
      const upper = name.toUpperCase();
      const meant = missing.find((setting) => isOneSlip(upper, setting) || isCutShort(upper, setting));
      return meant === undefined ? [] : [{ name, meant }];
    });
}

/** Whether it is the first words of a setting, two at least: one alone may be anybody's (`FETCH`, `MAX`). */
function isCutShort(name: string, setting: string): boolean {
  return name.includes('_') && setting.startsWith(`${name}_`);
}

/** Compares what is left between the beginning and the end that two words share. */
function isOneSlip(a: string, b: string): boolean {
  const least = Math.min(a.length, b.length);
  let start = 0;
  while (start < least && a[start] === b[start]) start++;
  let end = 0;
  while (end < least - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && right === `${left.charAt(1)}${left.charAt(0)}`;
}
