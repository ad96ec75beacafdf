// The tier `structure`: cuts between the blocks of a document. Headings stay with what follows them, lists with their
// lead-in, tables and code whole where they fit, else by rows and by lines. What is too long goes by sentences, then
// clauses, words and characters. The packer chooses; this file says what the pieces are and how they hang together.
import { skipBlank, skipBlankBack } from '../blocks/lines.ts';
import { HASH, skipRun, skipSpaces, SPACE } from '../blocks/marks.ts';
import type { Cut } from '../cut.ts';
import type { Block, BlockKind, Document } from '../document.ts';
import { Atoms, FLAG, STRENGTH } from '../pack/atoms.ts';
import { cutsOf } from '../pack/cuts.ts';
import { type Measure, measureOf, UTF16 } from '../pack/measure.ts';
import { packLimits, wholeShare } from '../pack/options.ts';
import { pack, type PackLimits } from '../pack/pack.ts';
import type { HeadingLine } from '../pack/heading-line.ts';
import { LineReader } from '../pack/line-reader.ts';
import { Prose } from '../pack/prose.ts';
import { isBlank } from '../unicode.ts';
import { announcement, isCaption } from './structure/announce.ts';
import { addCode, type CodeSite } from './structure/code.ts';
import { Tables } from './structure/table.ts';
import { type StructureOptions, TIERS } from './index.ts';
import type { Tier } from './tier.ts';

/** The tier `structure`. */
export const STRUCTURE: Tier<StructureOptions> = {
  ...TIERS.structure,
  cut(document: Document, options: StructureOptions): Cut[] {
    return packBlocks(document, options, packLimits(options), measureOf(document.text, options.measure)).cuts;
  },
};

/** The atoms of a document, and its cuts within limits that are no wider than the options. */
export function packBlocks(
  document: Document,
  options: StructureOptions,
  limits: PackLimits,
  measure: Measure,
): { readonly atoms: Atoms; readonly cuts: Cut[] } {
  const atoms = layOut(document, options, limits, measure);
  return { atoms, cuts: cutsOf(atoms, pack(atoms, limits), options, limits, measure) };
}

/** The atoms of a document, none longer than the limits. */
export function layOut(
  document: Document,
  options: StructureOptions,
  { size }: PackLimits,
  measure: Measure,
): Atoms {
  return new Layout(document, size, options, measure).atomsOf();
}

/** Blocks side by side, of which some are still to be laid out. */
interface Level {
  readonly blocks: readonly Block[];
  /** The kind of all their atoms, when a list, quote or footnote holds them; else each has its own. */
  readonly group: BlockKind | undefined;
  /** Of the gap before the first of them: that before what holds them. */
  readonly strength: number;
  /** Of the gaps between them. */
  readonly inner: number;
  /** Whether nothing around gives its kind to them. */
  readonly isOutermost: boolean;
  next: number;
}

/** Turns the blocks of one document into atoms. */
class Layout {
  /** A small one that stays, as of {@link Prose}. */
  static kept: Layout | undefined;
  readonly #text: string;
  readonly #blocks: readonly Block[];
  readonly #atoms: Atoms;
  readonly #prose: Prose;
  readonly #lines: LineReader;
  readonly #tables: Tables;
  readonly #measure: Measure;
  readonly #site: CodeSite;
  #at = 0;

  /** @param size the maximum of a chunk without its overlap */
  constructor(
    { text, blocks }: Pick<Document, 'text' | 'blocks'>,
    size: number,
    options: StructureOptions,
    measure: Measure,
  ) {
    this.#text = text;
    this.#blocks = blocks;
    this.#measure = measure;
    this.#atoms = new Atoms(size, measure, text.length);
    const whole = wholeShare(options) * size;
    this.#prose = new Prose(this.#atoms, text, { size, longest: options.size, whole }, measure);
    this.#lines = new LineReader(this.#prose, text, (heading) => {
      this.#openSection(heading);
    });
    this.#tables = new Tables(this.#atoms, this.#prose, text, size, measure);
    this.#site = {
      atoms: this.#atoms,
      prose: this.#prose,
      text,
      size,
      measure,
      grammars: options.grammars,
    };
    if (text === '') Layout.kept = this;
    else Layout.kept ??= new Layout({ text: '', blocks: [] }, size, { size, overlap: 0 }, UTF16);
  }

  /** The atoms of all blocks in order. */
  atomsOf(): Atoms {
    this.#addBlocks();
    this.#coverTo(this.#text.length);
    return this.#atoms;
  }

  /** Goes by a stack of its own, so that no nesting is too deep. */
  #addBlocks(): void {
    const first: Level = {
      blocks: this.#blocks,
      group: undefined,
      strength: STRENGTH.paragraph,
      inner: STRENGTH.paragraph,
      isOutermost: true,
      next: 0,
    };
    const open = [first];
    for (let level: Level | undefined = first; level !== undefined; level = open.at(-1)) {
      const { blocks, group, next } = level;
      const block = next < blocks.length ? blocks[next] : undefined;
      if (block === undefined) {
        open.pop();
        continue;
      }
      let strength = next === 0 ? level.strength : level.inner;
      if (group === 'list' && isBesideList(level)) strength = STRENGTH.paragraph;
      level.next++;
      // Read once: blocks come in so many shapes that the engine looks up each key.
      const { kind, start, end, children } = block;
      const of = group ?? kind;
      if (kind === 'table' || children === undefined || children.length === 0) {
        this.#addLeaf(block, kind, start, end, of, strength);
        const below = blocks[next + 1];
        if ((kind === 'paragraph' || kind === 'image') && below !== undefined)
          this.#keepLast(start, announcement(this.#text, blocks[next - 1], block, below));
        if (kind === 'table' && blocks[next + 2]?.kind !== 'table') this.#keepForCaption(below);
      } else {
        const held = isGroup(of) ? of : undefined;
        const only = children.length === 1 ? children[0] : undefined;
        // What most items hold needs no level of its own.
        if (only?.kind === 'paragraph')
          this.#addLeaf(only, only.kind, only.start, only.end, held ?? only.kind, strength);
        else
          open.push({
            blocks: children,
            group: held,
            strength,
            inner: innerStrength(kind, held),
            isOutermost: group === undefined,
            next: 0,
          });
      }
    }
  }

  /** @param of the kind of its atoms */
  #addLeaf(block: Block, kind: BlockKind, from: number, to: number, of: BlockKind, strength: number): void {
    this.#coverTo(from);
    const start = skipBlank(this.#text, Math.max(this.#at, from), to);
    const end = skipBlankBack(this.#text, start, to);
    this.#at = Math.max(this.#at, to);
    if (start >= end) return;
    this.#atoms.enter(of);
    if (kind === 'heading') this.#addHeading(start, end, block.depth ?? 1);
    else if (kind === 'code' || kind === 'table') this.#addFigure(block, start, end, strength);
    else this.#lines.add(start, end, strength);
  }

  /** A chunk should not end with the atom added last, which began behind an offset: it announces what follows. */
  #keepLast(start: number, flag: number): void {
    const { flags, count, end } = this.#atoms;
    if (end > start) flags[count - 1] = (flags[count - 1] ?? 0) | flag;
  }

  /**
   * The end of a table ends no chunk that its caption below could stand in as well: one that no other table follows.
   */
  #keepForCaption(below: Block | undefined): void {
    const { flags, count } = this.#atoms;
    if (count > 0 && below?.kind === 'paragraph' && isCaption(this.#text, below))
      flags[count - 1] = (flags[count - 1] ?? 0) | FLAG.introduces;
  }

  /** What stands before `start` in no leaf: nothing but blanks in a sound tree. */
  #coverTo(start: number): void {
    const from = skipBlank(this.#text, this.#at, start);
    if (from < start) {
      this.#atoms.enter('paragraph');
      this.#prose.addSentences(from, skipBlankBack(this.#text, from, start), STRENGTH.paragraph);
    }
    this.#at = Math.max(this.#at, start);
  }

  #addHeading(start: number, end: number, depth: number): void {
    this.#openSection({ start, end, depth, title: titleOf(this.#text, start, end) });
    this.#prose.addHeading(start, end);
  }

  /** Adds a table or code in one piece if it fits behind its heading, else in parts. */
  #addFigure(block: Block, start: number, end: number, strength: number): void {
    const first = this.#prose.settled(start);
    if (this.#measure.length(first, end) <= this.#prose.roomAt(first))
      this.#atoms.add(first, end, strength, 0);
    else if (block.kind === 'code') addCode(this.#site, first, end, strength, block.language);
    else this.#tables.add({ ...block, start: first, end }, strength);
  }

  /** From here on stands what the heading is over. The section around it is the last one open that is less deep. */
  #openSection({ start, end, depth, title }: HeadingLine): void {
    const { sections } = this.#atoms;
    let parent = this.#atoms.section;
    while (parent !== -1 && (sections[parent]?.depth ?? 0) >= depth) parent = sections[parent]?.parent ?? -1;
    this.#atoms.section = sections.push({ start, end, depth, title, parent }) - 1;
  }
}

/** The strength of the gaps inside a block; what an item goes on with is nearer to it than the next item. */
function innerStrength(kind: BlockKind, group: BlockKind | undefined): number {
  if (group === undefined) return STRENGTH.paragraph;
  return kind === 'item' ? STRENGTH.sentence : STRENGTH.line;
}

/** Whether a gap between items is beside one that holds a list: then it is stronger than the gaps in that list. */
function isBesideList({ blocks, isOutermost, next }: Level): boolean {
  return isOutermost && next > 0 && (holdsList(blocks[next]) || holdsList(blocks[next - 1]));
}

function holdsList(item: Block | undefined): boolean {
  return item?.children?.at(-1)?.kind === 'list';
}

/** Blocks that give their kind to all that is in them. */
function isGroup(kind: BlockKind): boolean {
  return kind === 'list' || kind === 'quote' || kind === 'footnote';
}

/**
 * `## Title ##`, `<h2>Title</h2>`, `Title` over a line of `=`, `== Title` → `Title`; at most {@link LONGEST_TITLE}
 * units of it.
 */
function titleOf(text: string, start: number, end: number): string {
  const hashes = skipRun(text, start, end, HASH);
  const behind = skipSpaces(text, hashes, end);
  const first = behind > hashes && hashes - start <= 6 ? behind : start;
  if (end - start <= LONGEST_TITLE && isPlainTitle(text, first, end)) return text.slice(first, end);
  let title = text.slice(start, Math.min(end, start + LONGEST_TITLE));
  if (title.includes('\n'))
    title = title.replace(OVERLINE, '').replace(/\n[ \t>]*([-=~^"'*+#`])\1*[ \t]*$/, '');
  if (/^<h\d/i.test(title)) title = htmlTitleOf(title);
  title = title.replace(/^(?:#{1,6}|={1,6}|=head\d|\*{2,6})[ \t]+/, '').replace(/[ \t]+#+[ \t]*$/, '');
  if (title.startsWith('\\')) title = title.replace(/^\\\w+\*?(?:\[[^\]]*\])?\{|\}.*$/g, '');
  return title.trim().replaceAll(/\s+/g, ' ').toWellFormed();
}

/** A line of marks above a title. */
const OVERLINE = /^([-=~^"'*+#`])\1{3,}[ \t]*\n/;

/** True for words with single spaces between them and no mark, as nearly all titles are. */
function isPlainTitle(text: string, start: number, end: number): boolean {
  if (MARKS.includes(text.charAt(start))) return false;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === HASH || (isBlank(code) && (code !== SPACE || isBlank(text.charCodeAt(at + 1)))))
      return false;
  }
  return true;
}

/** What titles in HTML and in other markups begin with. */
const MARKS = '<=*\\';

/** The text of a heading in HTML; of one that is a picture, what stands there in its place. */
function htmlTitleOf(heading: string): string {
  return heading.replaceAll(/<[^<>]*>/g, '').trim() || (/\balt=["']([^"'<>]+)/i.exec(heading)?.[1] ?? '');
}

const LONGEST_TITLE = 300;
