// Where a paragraph of a page ends, by the distance, the length and the beginning of its lines.
import { isSameSize, isSmall, quantile, SENTENCE_END, SMALL_LETTER, type TextLine } from '../lines/text.ts';
import { isItem, type ParagraphRule } from './flow.ts';

/** A line shorter than this share of the page's usual line did not end for lack of room. */
const SHORT = 0.8;
/** A line lower by more than this many usual line distances begins a new paragraph. */
const WIDE = 1.35;

/** A note begins with its mark. */
const NOTE = /^(?:\d{1,2}|[*∗†‡§¶]{1,5})\s?\p{L}/u;

/** True if a line in smaller type than most begins the note behind another. */
function isNextNote(before: TextLine, line: TextLine, size: number): boolean {
  return isSmall(line, { size }) && SENTENCE_END.test(before.text);
}

/** True if a sentence may go on in a line elsewhere. */
function goesOn(before: TextLine, line: TextLine): boolean {
  return isSameSize(before.size, line.size) && !SENTENCE_END.test(before.text);
}

/** True if a line does not continue an item, but stands below its marker and begins a new paragraph. */
function isBehindItem(item: TextLine, line: TextLine): boolean {
  return line.left < item.left + item.size / 4 && !SMALL_LETTER.test(line.text) && isItem(item);
}

const CAPITAL = /^\p{Lu}/u;

/** True if a line begins a new paragraph behind a single line of code. */
function isBehindCode(code: TextLine, line: TextLine): boolean {
  return code.isFixedPitch && !line.isFixedPitch && CAPITAL.test(line.text);
}

/** This many lines of one size give their own usual distance; for fewer, all lines of the page do. */
const LEAST_DROPS = 5;

/** Finds the usual distance of a line from the next one below it: labels of a figure are closer than lines of text. */
function pitchesOf(lines: readonly TextLine[]): (line: TextLine) => number {
  const all: number[] = [];
  const drops = new Map<number, number[]>();
  const pitches = new Map<number, number>();
  let before: TextLine | undefined;
  for (const line of lines) {
    const drop = before === undefined ? 0 : before.baseline - line.baseline;
    if (drop > 1) {
      all.push(drop);
      const size = Math.round(line.size);
      if (Math.round(before?.size ?? 0) === size) {
        const known = drops.get(size);
        if (known === undefined) drops.set(size, [drop]);
        else known.push(drop);
      }
    }
    before = line;
  }
  return ({ size }) => {
    const key = Math.round(size);
    let pitch = pitches.get(key);
    if (pitch === undefined) {
      const own = drops.get(key) ?? [];
      pitches.set(key, (pitch = quantile(own.length < LEAST_DROPS ? all : own, 0.5)));
    }
    return pitch;
  };
}

/** Decides for the lines of one page if a paragraph ends between two of them. */
export function paragraphRule(lines: readonly TextLine[], hasCode: boolean): ParagraphRule {
  const texts = lines.filter(({ text }) => text !== '');
  // The length that nine of ten lines do not exceed: of a page of prose, its full line.
  const shortBelow =
    SHORT *
    quantile(
      texts.map(({ text }) => text.length),
      0.9,
    );
  const size = quantile(
    texts.map((line) => line.size),
    0.5,
  );
  const pitchOf = pitchesOf(texts);
  return (before, line) => {
    const wideAbove = WIDE * pitchOf(before);
    if (line.text === '') return true;
    if (NOTE.test(line.text) && (isSmall(line, before) || isNextNote(before, line, size))) return true;
    if (before.text.length < shortBelow && isBehindItem(before, line)) return true;
    // A line of code by itself, and not the last words of a sentence.
    if (hasCode && before.text.length < shortBelow && isBehindCode(before, line)) return true;
    // The head of the next column begins a new paragraph, unless a sentence goes on there in the same type.
    if (line.baseline > before.baseline + line.size && !goesOn(before, line)) return true;
    if (wideAbove > 0 && before.baseline - line.baseline > wideAbove) return true;
    return before.text.length < shortBelow && SENTENCE_END.test(before.text);
  };
}
