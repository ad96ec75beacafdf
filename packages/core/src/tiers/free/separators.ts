// The separators of one call as levels, each with its last hit in the text.

/**
 * One separator of the list, linked to the next. The last one has none below it; longer text below is cut by
 * characters.
 */
export interface Level {
  readonly separator: string;
  readonly below: Level | undefined;
  /** The first hit at or after the offset of the last search; those offsets never decrease. */
  hit: number;
}

/** Stands for no further occurrence in this text. */
const NONE = Number.MAX_SAFE_INTEGER;

/** The levels of one call. */
export interface Levels {
  readonly top: Level | undefined;
  /** True when the list of separators contains ''. */
  readonly endInCharacters: boolean;
}

/** Makes levels of a list of separators, best first, up to ''. */
export function levelsOf(separators: readonly string[]): Levels {
  const characters = separators.indexOf('');
  const strings = characters === -1 ? separators : separators.slice(0, characters);
  const top = strings.reduceRight<Level | undefined>(
    (below, separator) => ({ separator, below, hit: -1 }),
    undefined,
  );
  return { top, endInCharacters: characters !== -1 };
}

/** The first hit of a level's separator at or after `least`. */
export function nextHit(text: string, level: Level, least: number): number {
  if (level.hit < least) {
    const hit = text.indexOf(level.separator, least);
    level.hit = hit === -1 ? NONE : hit;
  }
  return level.hit;
}

/** The first level, from the given one down, whose separator occurs in [start, end). */
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
