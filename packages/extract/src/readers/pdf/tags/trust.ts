// Decides on which pages the author's structure tree is used (ADR 0032). Many programs write trees that say nothing, or
// the wrong thing: such a page is read by its layout.
import { SENTENCE_END, SMALL_LETTER, type TextLine } from '../lines/text.ts';
import { paragraphRule } from '../structure/paragraphs.ts';
import type { TaggedPage } from './page.ts';
import { roleOf, type TagRole } from './roles.ts';
import { elementsOf, leavesOf } from './tree.ts';

/** Least share of a page's characters, apart from artifacts, in the tree; and most of all characters in artifacts. */
const LEAST_TAGGED = 0.85;
const MOST_ARTIFACTS = 0.3;
/** Artifacts on at least so many pages are running heads, which do not count. */
const LEAST_RUNNING = 3;

/** The pages of a document that are read by their trees. */
export interface TrustedTags {
  readonly pages: ReadonlySet<TaggedPage>;
  /** Those of them whose tree has no tables: tables that their layout shows are right. */
  readonly untabled: ReadonlySet<TaggedPage>;
  /** Pages whose layout gives all but the headings, which come from the tree. */
  readonly titled: ReadonlySet<TaggedPage>;
  /** True if their headings are to be used, and if they have lists. */
  readonly hasHeadings: boolean;
  readonly hasLists: boolean;
}

/** Chooses the pages whose tree can be trusted; none when no tree of the document has more than paragraphs. */
export function trustTags(all: readonly (TaggedPage | undefined)[]): TrustedTags {
  const tagged = all.filter((page) => page !== undefined);
  const isRunning = runningArtifacts(tagged);
  const trust = new Map(tagged.map((page) => [page, trustOf(page, isRunning)]));
  const pages = tagged.filter((page) => trust.get(page) === 'all');
  const roles = new Map(pages.map((page) => [page, rolesOf(page)]));
  const has = (role: string): boolean => [...roles.values()].some((known) => known.has(role));
  const hasHeadings = has('heading') && !isMostlyHeadings(pages);
  const hasLists = has('list');
  const isUseful = hasHeadings || hasLists || has('row');
  return {
    pages: new Set(isUseful ? pages : []),
    titled: new Set(
      tagged.filter((page) => hasHeadings && trust.get(page) === 'headings' && rolesOf(page).has('heading')),
    ),
    untabled: new Set(pages.filter((page) => roles.get(page)?.has('row') !== true)),
    hasHeadings,
    hasLists,
  };
}

const STRUCTURE = new Set(['heading', 'list', 'row']);

/** The kinds of structure that have text on a page. */
function rolesOf({ elements, leaves }: TaggedPage): Set<string> {
  const roles = new Set<string>();
  for (const element of elementsOf(elements)) {
    const role = roleOf(element.type);
    if (
      STRUCTURE.has(role) &&
      !roles.has(role) &&
      leavesOf(element.children).some((leaf) => leaves.has(leaf))
    )
      roles.add(role);
  }
  return roles;
}

/** A document with more than this share of its characters in headings uses them for their type. */
const MOST_IN_HEADINGS = 0.4;

function isMostlyHeadings(pages: readonly TaggedPage[]): boolean {
  let [all, inHeadings] = [0, 0];
  for (const page of pages) {
    all += lengthOfAll(page.leaves);
    for (const { type, children } of elementsOf(page.elements))
      if (roleOf(type) === 'heading')
        inHeadings += lengthOf(leavesOf(children).flatMap((leaf) => page.leaves.get(leaf) ?? []));
  }
  return inHeadings > MOST_IN_HEADINGS * all;
}

/** The part of a page's tree that can be used. */
function trustOf(page: TaggedPage, isRunning: (line: TextLine) => boolean): 'all' | 'headings' | 'none' {
  const tagged = lengthOfAll(page.leaves);
  const loose = lengthOfAll(page.loose);
  const artifacts = lengthOf(page.artifacts.filter((line) => !isRunning(line)));
  if (tagged < LEAST_TAGGED * (tagged + loose) || tagged === 0) return 'none';
  if (artifacts > MOST_ARTIFACTS * (tagged + loose + artifacts)) return 'none';
  const texts = textsOf(page);
  if (!isInOrder(texts) || areSingleLines(texts) || !areFilled(page)) return 'none';
  const longest = longestOf(texts);
  if (!isOneParagraph(longest, tagged)) return 'all';
  return areLabels(longest) ? 'headings' : 'none';
}

/** Finds the artifacts that stand on several pages, figures aside: they are running heads however short a page is. */
function runningArtifacts(pages: readonly TaggedPage[]): (line: TextLine) => boolean {
  const keyOf = ({ text }: TextLine): string => text.replace(/\d+/g, '0');
  const counts = new Map<string, number>();
  for (const { artifacts } of pages)
    for (const key of new Set(artifacts.map(keyOf))) counts.set(key, (counts.get(key) ?? 0) + 1);
  return (line) => (counts.get(keyOf(line)) ?? 0) >= LEAST_RUNNING;
}

function lengthOf(lines: readonly TextLine[]): number {
  return lines.reduce((sum, { text }) => sum + text.length, 0);
}

function lengthOfAll(lines: ReadonlyMap<number, readonly TextLine[]>): number {
  let sum = 0;
  for (const some of lines.values()) sum += lengthOf(some);
  return sum;
}

/** Notes and figures stand where there is room. */
const APART: ReadonlySet<TagRole> = new Set(['note', 'figure', 'caption', 'artifact']);

/** The texts of a page in the order of its tree, each with its lines. */
function textsOf({ elements, leaves }: TaggedPage): (readonly TextLine[])[] {
  const texts = leavesOf(elements, APART).flatMap((leaf) => [leaves.get(leaf) ?? []]);
  return texts.filter(([first]) => first?.isTurned === false);
}

/** The parts of a page that are no running text. */
const NO_PROSE: ReadonlySet<TagRole> = new Set([
  ...APART,
  'heading',
  'list',
  'table',
  'rows',
  'row',
  'contents',
  'code',
]);

/** The leaves of the running text of a page in the order of its tree. */
export function proseOf({ elements }: TaggedPage): readonly number[] {
  return leavesOf(elements, NO_PROSE);
}

/** A page of which more than this share of texts, and at least so many, stand above the text before is out of order. */
const MOST_JUMPS = 0.2;
const LEAST_JUMPS = 3;

function isInOrder(texts: readonly (readonly TextLine[])[]): boolean {
  let jumps = 0;
  for (const [index, [first]] of texts.entries()) {
    const before = texts[index - 1]?.at(-1);
    if (first === undefined || before === undefined) continue;
    const isOver = first.baseline > before.baseline + 2 * first.size;
    if (isOver && first.left < before.right && before.left < first.right) jumps++;
  }
  return jumps < LEAST_JUMPS || jumps <= MOST_JUMPS * texts.length;
}

/** A page has no paragraphs when one of them holds this share of it, and its layout parts that so many times. */
const MOST_IN_ONE = 0.6;
const MOST_PARTS = 4;

function isOneParagraph(longest: readonly TextLine[], all: number): boolean {
  if (longest.length <= MOST_PARTS || lengthOf(longest) < MOST_IN_ONE * all) return false;
  const isEnd = paragraphRule(longest, false);
  const ends = longest.filter((line, index) => index > 0 && isEnd(longest[index - 1] ?? line, line));
  return ends.length >= MOST_PARTS;
}

function longestOf(texts: readonly (readonly TextLine[])[]): readonly TextLine[] {
  return texts.reduce<readonly TextLine[]>((most, lines) => (lines.length > most.length ? lines : most), []);
}

/** The labels of a drawing are on average narrower than this share of it: no columns of prose are. */
const LABEL_WIDTH = 0.25;

/** True if lines are the labels of a drawing, which are one text in the trees of word processors. */
export function areLabels(lines: readonly TextLine[]): boolean {
  let [left, right, widths] = [Infinity, -Infinity, 0];
  for (const line of lines) {
    left = Math.min(left, line.left);
    right = Math.max(right, line.right);
    widths += line.right - line.left;
  }
  return widths < LABEL_WIDTH * (right - left) * lines.length;
}

/** Where more than this share of the texts, and at least so many, go on in the next one, they are lines. */
const MOST_CUT = 0.3;
const LEAST_CUT = 4;

function areSingleLines(texts: readonly (readonly TextLine[])[]): boolean {
  let cut = 0;
  for (const [index, [first, second]] of texts.entries()) {
    const before = texts[index - 1];
    const last = before?.at(-1);
    if (first === undefined || last === undefined || second !== undefined || before?.length !== 1) continue;
    const isBelow = last.baseline > first.baseline && last.baseline - first.baseline < 2 * last.size;
    if (isBelow && SMALL_LETTER.test(first.text) && !SENTENCE_END.test(last.text) && last.right > first.left)
      cut++;
  }
  return cut >= LEAST_CUT && cut > MOST_CUT * texts.length;
}

/** A table of so many cells with a smaller share of filled ones was drawn for something else. */
const LEAST_CELLS = 6;
const LEAST_FILLED = 0.3;

function areFilled({ elements, leaves }: TaggedPage): boolean {
  for (const table of elementsOf(elements)) {
    if (table.type !== 'Table') continue;
    let [cells, filled] = [0, 0];
    for (const { type, children } of elementsOf(table.children)) {
      if (type === 'TR') cells += children.filter((child) => child === undefined).length;
      if (roleOf(type) !== 'cell') continue;
      cells++;
      if (leavesOf(children).some((leaf) => leaves.has(leaf))) filled++;
    }
    if (cells >= LEAST_CELLS && filled < LEAST_FILLED * cells) return false;
  }
  return true;
}
