// Decides if a line begins an item of a list: with a bullet, or with the successor of the number at which the sentence
// before began (3. behind 2.; 3.2, 3.1.1 and 4 behind 3.1), as in lists and tables of contents. Only such a line ends
// the sentence before it without a mark or a blank line. The check runs on every line, so it slices no text.
import { isBlank } from '../unicode.ts';
import { isDigit, PERIOD } from './marks.ts';

/** True when the item of a list begins at `at`, the first unit of a line, where the sentence began at `from`. */
export function beginsItem(text: string, from: number, at: number, end: number): boolean {
  const code = text.charCodeAt(at);
  const after = at + 1 < end ? text.charCodeAt(at + 1) : 0;
  if (isBlank(after)) return isBullet(code);
  if (!isDigit(code) && !(isCapital(code) && after === PERIOD)) return false;
  // Checked first, because few sentences begin with a number.
  const count = readNumber(text, from, end, before);
  return count > 0 && comesAfter(count, readNumber(text, at, end, parts));
}

/** True for `-` `*` `+` and the bullets of Unicode. */
function isBullet(code: number): boolean {
  return code < 0x80
    ? code === 0x2d || code === 0x2a || code === 0x2b
    : BULLETS.includes(String.fromCharCode(code));
}

const BULLETS = '•◦▪‣●○■';

/** True for capitals of ASCII, with which the numbers of appendices begin. */
const isCapital = (code: number): boolean => code >= 0x41 && code <= 0x5a;

/** Most parts of a section's number, and most digits of a part. */
const MOST_PARTS = 6;
const MOST_DIGITS = 3;

/** The two numbers that are compared, part by part; shared by all calls. */
const before = new Uint16Array(MOST_PARTS);
const parts = new Uint16Array(MOST_PARTS);

/** Reads `3. `, `3) `, `3.2 `, `B.3.2. ` into its parts and returns their number; 0 without such a number. */
function readNumber(text: string, at: number, end: number, into: Uint16Array): number {
  let count = 0;
  const first = text.charCodeAt(at);
  if (isCapital(first) && text.charCodeAt(at + 1) === PERIOD) {
    into[count++] = first;
    at += 2;
  }
  while (count < MOST_PARTS) {
    const begin = at;
    let part = 0;
    for (; at < end && at - begin <= MOST_DIGITS; at++) {
      const digit = text.charCodeAt(at) - 0x30;
      if (digit < 0 || digit > 9) break;
      part = 10 * part + digit;
    }
    if (at === begin || at - begin > MOST_DIGITS) return 0;
    into[count++] = part;
    const mark = at < end ? text.charCodeAt(at) : 0;
    if (isBlank(mark)) return count > 1 ? count : 0;
    at++;
    if ((mark === PERIOD || mark === 0x29) && at < end && isBlank(text.charCodeAt(at))) return count;
    if (mark !== PERIOD) return 0;
  }
  return 0;
}

/** True when the number in `parts` follows the one in `before`, on the same level, a level below, or a level above. */
function comesAfter(countBefore: number, count: number): boolean {
  if (count === 0 || count > countBefore + 1) return false;
  const last = count - 1;
  for (let i = 0; i < last; i++) if (parts[i] !== before[i]) return false;
  return parts[last] === 1 + (last < countBefore ? (before[last] ?? 0) : 0);
}
