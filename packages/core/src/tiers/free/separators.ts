// The separators of one call as levels, each with the hit that was last found in the text.

/** One separator of the list. Below the last one stands nothing: there the text goes by characters. */
export interface Level {
  readonly separator: string;
  readonly below: Level | undefined;
  /** Its first hit at or after the offset last asked for. The offsets asked for never decrease. */
  hit: number;
}

/** No further hit in this text. */
const NONE = Number.MAX_SAFE_INTEGER;

/** The levels of one call. */
export interface Levels {
  readonly top: Level | undefined;
  /** Whether the list of separators has ''. */
  readonly endInCharacters: boolean;
}

/** The levels of separators, best first, up to ''. */
export function levelsOf(separators: readonly string[]): Levels {
  const characters = separators.indexOf('');
  const strings = characters === -1 ? separators : separators.slice(0, characters);
  const top = strings.reduceRight<Level | undefined>(
    (below, separator) => ({ separator, below, hit: -1 }),
    undefined,
  );
  return { top, endInCharacters: characters !== -1 };
}

/** The first hit of a level in the text at or after `least`. */
export function nextHit(text: string, level: Level, least: number): number {
  if (level.hit < least) {
    const hit = text.indexOf(level.separator, least);
    level.hit = hit === -1 ? NONE : hit;
  }
  return level.hit;
}

/** The first level, from the given one down, that occurs in [start, end). */
export function occurring(
  text: string,
  highest: Level | undefined,
  start: number,
  end: number,
): Level | undefined {
  let level = highest;
  while (level !== undefined && nextHit(text, level, start) + level.separator.length > end)
    level = level.below;
  return level;
}
