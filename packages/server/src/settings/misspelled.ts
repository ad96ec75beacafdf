// Misspelled settings in the environment. Other programs have variables there too, so only a name at edit distance 1
// from an unset setting is reported, and the start continues.

/** Shorter names resemble variables of other programs: `POST`, `HOSTS`. */
const SHORTEST = 6;

/** An unknown name and the setting that it probably means. */
export interface Misspelled {
  readonly name: string;
  readonly meant: string;
}

/**
 * Finds names that differ from an unset setting by one inserted, removed, replaced or swapped letter, or that are its
 * first words. Upper and lower case are equal.
 */
export function findMisspelled(names: readonly string[], settings: readonly string[]): Misspelled[] {
  const known = new Set(settings);
  const given = new Set(names);
  const missing = settings.filter((setting) => setting.length >= SHORTEST && !given.has(setting));
  return names
    .filter((name) => !known.has(name))
    .flatMap((name) => {
      const upper = name.toUpperCase();
      const meant = missing.find((setting) => isOneEdit(upper, setting) || isTruncated(upper, setting));
      return meant === undefined ? [] : [{ name, meant }];
    });
}

/** Detects the first words of a setting, at least two: single words such as `FETCH` and `MAX` are too common. */
function isTruncated(name: string, setting: string): boolean {
  return name.includes('_') && setting.startsWith(`${name}_`);
}

/** Compares the rest of two words between their common start and end. */
function isOneEdit(a: string, b: string): boolean {
  const least = Math.min(a.length, b.length);
  let start = 0;
  while (start < least && a[start] === b[start]) start++;
  let end = 0;
  while (end < least - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && right === `${left.charAt(1)}${left.charAt(0)}`;
}
