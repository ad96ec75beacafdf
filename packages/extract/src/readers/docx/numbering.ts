// Numbering of a DOCX: which list and level a paragraph belongs to, and the number that Word shows before it. Numbers go on
// after what stands between two items, and each list has its own.
import type { ListPlace } from '../../tree/flow.ts';
import { attributeOf, type XmlVisitor } from './xml.ts';

/** The lists of one document. Asking for a place counts on. */
export interface Numbering {
  /**
   * The place of the next paragraph of a list; `undefined` when there is no such list.
   *
   * @param styleId style that brings the numbering, for lists whose levels name styles; '' when the paragraph has it itself
   */
  readonly place: (numId: string, level: string, styleId: string) => ListPlace | undefined;
}

interface Level {
  /** `decimal`, `bullet`, `none` and so on. */
  format: string;
  /** What is shown, as `%1.`. */
  text: string;
  start: number;
  styleId: string;
  /** True when a picture is shown instead of the text. */
  hasPicture: boolean;
}

/** What lists share: their levels, or the style that another one has its levels for. */
interface Abstract {
  readonly levels: Map<number, Level>;
  /** Style whose numbering this is. */
  styleLink: string;
  /** Style whose numbering it uses instead of its own. */
  numStyleLink: string;
}

interface List {
  readonly abstractId: string;
  /** Levels that this list has instead of the shared ones. */
  readonly levels: Map<number, Level>;
  /** First numbers that this list has instead of those of the levels. */
  readonly starts: Map<number, number>;
}

/** What a level is that the list does not describe. */
const UNKNOWN_LEVEL: Level = { format: 'decimal', text: '%1', start: 1, styleId: '', hasPicture: false };

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
      const levels = abstracts.get(abstractId)?.levels;
      const level = levelOf(writtenLevel, styleId, levels);
      const { format, text, start, hasPicture } =
        list.levels.get(level) ?? levels?.get(level) ?? UNKNOWN_LEVEL;
      // U+F020 is a blank in the fonts of bullets.
      const isMarked = hasPicture || text.replaceAll('\uf020', ' ').trim() !== '';
      if (!isMarked) return { level, ordered: false, number: 0, isMarked };
      const count = counts.get(abstractId) ?? [];
      counts.set(abstractId, count);
      const first = list.starts.get(level);
      if (first !== undefined && !begun.has(`${numId} ${level}`)) count[level] = undefined;
      begun.add(`${numId} ${level}`);
      const last = count[level];
      const number = last === undefined ? (first ?? start) : Math.min(MAX_NUMBER, last + 1);
      count[level] = number;
      count.length = level + 1;
      return { level, ordered: format !== 'bullet', number, isMarked };
    },
  };
}

function levelOf(written: string, styleId: string, levels: ReadonlyMap<number, Level> | undefined): number {
  const named =
    styleId === '' ? undefined : [...(levels ?? [])].find(([, level]) => level.styleId === styleId)?.[0];
  const level = named ?? (Number.parseInt(written, 10) || 0);
  return Math.min(LEVELS - 1, Math.max(0, level));
}

function numberingVisitor(abstracts: Map<string, Abstract>, lists: Map<string, List>): XmlVisitor {
  let abstract: Abstract | undefined;
  let list: List | undefined;
  let listId = '';
  let level: Level | undefined;
  let overridden = 0;
  return {
    open: (name, written) => {
      const value = (): string => attributeOf(written, 'val');
      const number = (attribute: string): number => Number.parseInt(attributeOf(written, attribute), 10) || 0;
      if (name === 'w:abstractNum') {
        abstract = { levels: new Map(), styleLink: '', numStyleLink: '' };
        abstracts.set(attributeOf(written, 'abstractNumId'), abstract);
      } else if (name === 'w:num') listId = attributeOf(written, 'numId');
      else if (name === 'w:abstractNumId') {
        list = { abstractId: value(), levels: new Map(), starts: new Map() };
        lists.set(listId, list);
      } else if (name === 'w:lvl') {
        level = { ...UNKNOWN_LEVEL };
        if (number('ilvl') < LEVELS) (list ?? abstract)?.levels.set(number('ilvl'), level);
      } else if (name === 'w:lvlOverride') overridden = number('ilvl');
      else if (name === 'w:startOverride') list?.starts.set(overridden, number('val'));
      else if (name === 'w:styleLink' && abstract !== undefined) abstract.styleLink = value();
      else if (name === 'w:numStyleLink' && abstract !== undefined) abstract.numStyleLink = value();
      else if (level === undefined) return;
      else if (name === 'w:numFmt') level.format = value();
      else if (name === 'w:lvlText') level.text = value();
      else if (name === 'w:start') level.start = number('val');
      else if (name === 'w:pStyle') level.styleId = value();
      else if (name === 'w:lvlPicBulletId') level.hasPicture = true;
    },
    close: (name) => {
      if (name === 'w:lvl') level = undefined;
      if (name === 'w:num') list = undefined;
      if (name === 'w:abstractNum') abstract = undefined;
    },
    text: () => undefined,
  };
}
