// The pitch of fonts without a name, by the places of letters.
import { distance, originOf, type Glyphs } from './blanks.ts';

/** The pitch of a font, and if it is still unknown. */
interface Pitch {
  isFixedPitch: boolean;
  isUnmeasured: boolean;
}

/**
 * Letters that are narrow and wide but in a fixed pitch; and by which share of a letter's width the others may differ
 * there.
 */
const NARROW = /[iljtf]/;
const WIDE = /[mwMW]/;
const SAME_WIDTH = 0.03;
const MEASURED = /^[!-~]{4,60}$/;

/**
 * Decides if all letters of a word with narrow and wide ones have one width: the fonts of old TeX files have no name.
 */
export function measurePitch(page: Glyphs, font: Pitch, word: string, first: number): void {
  if (!NARROW.test(word) || !WIDE.test(word) || !MEASURED.test(word)) return;
  const origins = Array.from(word, (_, at) => originOf(page, first + at));
  const widths = origins.slice(1).map((place, at) => distance(origins[at] ?? place, place));
  const [width = 0] = widths;
  font.isFixedPitch = width > 0 && widths.every((other) => Math.abs(other - width) <= SAME_WIDTH * width);
  font.isUnmeasured = false;
}
