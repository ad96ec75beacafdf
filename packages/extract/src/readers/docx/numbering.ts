// Numbering of a DOCX: the list and level of a paragraph, and its label in Word: `4.2`, `(b)`, `Article IV.` Numbers go
// on after paragraphs between two items, and each list has its own.
import type { ListPlace } from '../../tree/flow.ts';
import { customFormat, numeral } from '../../numerals.ts';
import { attributeOf, isOn, nameOf, type XmlVisitor } from '../../package/xml.ts';

/** The lists of one document. Each lookup of a place counts on. */
export interface Numbering {
  /**
   * The place of the next paragraph of a list; `undefined` when there is no such list.
   *
   * @param styleId style that brings the numbering, for lists whose levels name styles; '' when the paragraph has it
   * itself
   */
  readonly place: (numId: string, level: string, styleId: string) => ListPlace | undefined;
}

interface Level {
  /** `decimal`, `bullet`, `none` and so on. */
  format: string;
  isCustom: boolean;
  /**
   * The label's template, such as `%1.`: `%` and a level from 1 stand for the number of that level; `undefined` for the
   * level's own default.
   */
  text: string | undefined;
  start: number;
  /**
   * Level, from 1, whose item restarts the numbers, as do all above that level; 0 for none, `undefined` for the level
   * above.
   */
  restart: number | undefined;
  /** True when all numbers are in figures in spite of their levels. */
  isLegal: boolean;
  /** The separator between number and text. */
  gap: '' | ' ';
  styleId: string;
  /** True when a picture is shown instead of the text. */
  hasPicture: boolean;
}

/** The shared part of lists: their levels, or the style whose list has the levels. */
interface Abstract {
  readonly levels: Map<number, Level>;
  /** Style whose numbering this is. */
  styleLink: string;
  /** Style whose numbering it uses instead of its own. */
  numStyleLink: string;
}

interface List {
  readonly abstractId: string;
  /** Levels of this list that replace the shared ones. */
  readonly levels: Map<number, Level>;
  /** First numbers of this list that replace those of the levels. */
  readonly starts: Map<number, number>;
}

/** The default for a level that the list does not define. */
const UNKNOWN_LEVEL: Level = {
  format: 'decimal',
  isCustom: false,
  text: undefined,
  start: 1,
  restart: undefined,
  isLegal: false,
  gap: ' ',
  styleId: '',
  hasPicture: false,
};

/** Word has nine levels. */
const LEVELS = 9;
const MAX_NUMBER = 999_999_999;

/** Reads `word/numbering.xml`. */
export function readNumbering(visit: (visitor: XmlVisitor) => unknown): Numbering {
  const abstracts = new Map<string, Abstract>();
  const lists = new Map<string, List>();
  visit(numberingVisitor(abstracts, lists));
  const byStyle = new Map(
    [...abstracts].flatMap(([id, { styleLink }]) => (styleLink === '' ? [] : [[styleLink, id] as const])),
  );
  /** The last number of each level, by abstract list: lists that share one count on together. */
  const counts = new Map<string, (number | undefined)[]>();
  const begun = new Set<string>();
  return {
    place: (numId, writtenLevel, styleId) => {
      const list = lists.get(numId);
      if (list === undefined) return undefined;
      const own = abstracts.get(list.abstractId);
      const abstractId = byStyle.get(own?.numStyleLink ?? '') ?? list.abstractId;
      const shared = abstracts.get(abstractId)?.levels;
      const level = levelOf(writtenLevel, styleId, shared);
      const levelAt = (at: number): Level => list.levels.get(at) ?? shared?.get(at) ?? UNKNOWN_LEVEL;
      const count = counts.get(abstractId) ?? [];
      counts.set(abstractId, count);
      const startAt = (at: number): number => list.starts.get(at) ?? levelAt(at).start;
      if (list.starts.has(level) && !begun.has(`${numId} ${level}`)) count[level] = undefined;
      begun.add(`${numId} ${level}`);
      const number = countOn(count, level, levelAt, startAt);
      return { level, number, ...labelAt(level, count, levelAt) };
    },
  };
}

/**
 * The next number of a level. Levels above without an item count as begun: behind a 1.1 without a 1 comes the 2. Levels
 * below restart, except those that restart at another level.
 */
function countOn(
  count: (number | undefined)[],
  level: number,
  levelAt: (at: number) => Level,
  startAt: (at: number) => number,
): number {
  for (let above = 0; above < level; above++) count[above] ??= startAt(above);
  const last = count[level];
  const number = last === undefined ? startAt(level) : Math.min(MAX_NUMBER, last + 1);
  count[level] = number;
  for (let below = level + 1; below < count.length; below++) {
    const { restart } = levelAt(below);
    if (restart === undefined || restart > below || level < restart) count[below] = undefined;
  }
  return number;
}

/** Longest label: "Schedule 12, Part 3" and more. Longer ones are hostile. */
const MAX_LABEL = 60;

/** The label of a paragraph of a level after counting. */
function labelAt(
  level: number,
  count: readonly (number | undefined)[],
  levelAt: (at: number) => Level,
): Pick<ListPlace, 'label' | 'isMarked'> {
  const { format, text = `%${level + 1}`, gap, isLegal, hasPicture } = levelAt(level);
  // U+F020 is a blank in the fonts of bullets.
  if (hasPicture || format === 'bullet')
    return { label: '', isMarked: hasPicture || text.replaceAll('\uf020', ' ').trim() !== '' };
  const shown = text
    .slice(0, MAX_LABEL)
    .replace(/%([1-9])/g, (_, digit: string) => {
      const at = Number(digit) - 1;
      return at > level ? '' : numeral(isLegal ? 'decimal' : levelAt(at).format, count[at] ?? 0);
    })
    .slice(0, MAX_LABEL)
    .replace(/\s+/g, ' ');
  const label = shown.trim();
  // A remainder of `%1.` without a number is a bullet at most.
  const isGap = gap !== '' || shown.endsWith(' ') || NEEDS_GAP.test(label);
  return { label: /[\p{L}\p{N}]/u.test(label) ? label + (isGap ? ' ' : '') : '', isMarked: label !== '' };
}

/** Ends in a letter or figure that would run together with the text behind it: `1.1Scope`, but `第一章总则`. */
const NEEDS_GAP = /[^\P{L}\p{Ideographic}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]$|\p{N}$/u;

function levelOf(written: string, styleId: string, levels: ReadonlyMap<number, Level> | undefined): number {
  const named =
    styleId === '' ? undefined : [...(levels ?? [])].find(([, level]) => level.styleId === styleId)?.[0];
  const level = named ?? (Number.parseInt(written, 10) || 0);
  return Math.min(LEVELS - 1, Math.max(0, level));
}

/** A custom format comes before the one for older programs, which its level ignores. */
function readFormat(level: Level, format: string, numbers: string): void {
  if (level.isCustom) return;
  level.isCustom = format === 'custom';
  level.format = level.isCustom ? customFormat(numbers) : format;
}

function numberingVisitor(abstracts: Map<string, Abstract>, lists: Map<string, List>): XmlVisitor {
  let abstract: Abstract | undefined;
  let list: List | undefined;
  let listId = '';
  let level: Level | undefined;
  let overridden = 0;
  return {
    open: (name, written) => {
      const value = (): string => nameOf(written);
      const number = (attribute: string): number => Number.parseInt(attributeOf(written, attribute), 10) || 0;
      const first = (): number => Math.min(MAX_NUMBER, Math.max(0, number('val')));
      if (name === 'w:abstractNum') {
        abstract = { levels: new Map(), styleLink: '', numStyleLink: '' };
        abstracts.set(nameOf(written, 'abstractNumId'), abstract);
      } else if (name === 'w:num') listId = nameOf(written, 'numId');
      else if (name === 'w:abstractNumId') {
        list = { abstractId: value(), levels: new Map(), starts: new Map() };
        lists.set(listId, list);
      } else if (name === 'w:lvl') {
        level = { ...UNKNOWN_LEVEL };
        const at = number('ilvl');
        // Levels are searched for each paragraph whose style has the numbering.
        if (at >= 0 && at < LEVELS) (list ?? abstract)?.levels.set(at, level);
      } else if (name === 'w:lvlOverride') overridden = number('ilvl');
      else if (name === 'w:startOverride') list?.starts.set(overridden, first());
      else if (name === 'w:styleLink' && abstract !== undefined) abstract.styleLink = value();
      else if (name === 'w:numStyleLink' && abstract !== undefined) abstract.numStyleLink = value();
      else if (level === undefined) return;
      else if (name === 'w:numFmt') readFormat(level, value(), attributeOf(written, 'format'));
      else if (name === 'w:lvlText') level.text = value();
      else if (name === 'w:start') level.start = first();
      else if (name === 'w:lvlRestart') level.restart = number('val');
      else if (name === 'w:isLgl') level.isLegal = isOn(written);
      else if (name === 'w:suff') level.gap = value() === 'nothing' ? '' : ' ';
      else if (name === 'w:pStyle') level.styleId = value();
      else if (name === 'w:lvlPicBulletId') level.hasPicture = true;
      else if (name === 'w:vanish' && isOn(written)) level.text = '';
    },
    close: (name) => {
      if (name === 'w:lvl') level = undefined;
      if (name === 'w:num') list = undefined;
      if (name === 'w:abstractNum') abstract = undefined;
    },
    text: () => undefined,
  };
}
