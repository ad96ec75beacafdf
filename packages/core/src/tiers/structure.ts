// The tier `structure`: cuts between the blocks of a document. Headings stay with what follows them, lists with their
// lead-in, tables and code whole where they fit, else by rows and by lines. Longer text is cut by sentences, then
// clauses, words and characters. The packer chooses; this file defines the pieces and the strength of the gaps between
// them.
import { lineEnd, skipBlank, skipBlankBack } from '../blocks/lines.ts';
import { BACKTICK, BRACKET_OPEN, HASH, LESS, skipRun, skipSpaces, SPACE } from '../blocks/marks.ts';
import { plainBlocks } from '../blocks/plain.ts';
import type { Cut } from '../cut.ts';
import type { Block, BlockKind, Document } from '../document.ts';
import { Atoms, FLAG, STRENGTH } from '../pack/atoms.ts';
import { cutsOf } from '../pack/cuts.ts';
import { type Measure, measureOf } from '../pack/measure.ts';
import { packLimits, wholeShare } from '../pack/options.ts';
import { pack, type PackLimits } from '../pack/pack.ts';
import type { HeadingLine } from '../pack/heading-line.ts';
import { LineReader } from '../pack/line-reader.ts';
import { Prose } from '../pack/prose.ts';
import { sentences } from '../sentences/scan.ts';
import { isBlank } from '../unicode.ts';
import {
  announcement,
  isCaption,
  isFormula,
  isUnfinished,
  standBelow,
  tableEnd,
} from './structure/announce.ts';
import { addCode, type CodeTarget } from './structure/code.ts';
import { Tables } from './structure/table.ts';
import { type StructureOptions, TIERS } from './registry.ts';
import type { Tier } from './tier.ts';

/** The tier `structure`. */
export const STRUCTURE: Tier<StructureOptions> = {
  ...TIERS.structure,
  cut(document: Document, options: StructureOptions): Cut[] {
    return packBlocks(document, options, packLimits(options), measureOf(document.text, options.measure)).cuts;
  },
};

/** The atoms of a document, and its cuts within `limits`, which are no wider than those of the options. */
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

/** A list of sibling blocks, laid out in part. */
interface Level {
  readonly blocks: readonly Block[];
  /** The kind that all their atoms get, when a list, quote or footnote holds them; otherwise each block has its own. */
  readonly group: BlockKind | undefined;
  /** Strength of the gap before the first block: that of the gap before its container. */
  readonly strength: number;
  /** Strength of the gaps between the blocks. */
  readonly inner: number;
  /** True when no container around the blocks gives them its kind. */
  readonly isOutermost: boolean;
  next: number;
}

/** Turns the blocks of one document into atoms. */
class Layout {
  readonly #text: string;
  readonly #blocks: readonly Block[];
  readonly #atoms: Atoms;
  readonly #prose: Prose;
  readonly #lines: LineReader;
  readonly #tables: Tables;
  readonly #measure: Measure;
  readonly #target: CodeTarget;
  #hasCaptionsBelow: boolean | undefined;
  #at = 0;

  /**
   * @param size the maximum of a chunk, less the room for its overlap
   */
  constructor({ text, blocks }: Document, size: number, options: StructureOptions, measure: Measure) {
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
    this.#target = {
      atoms: this.#atoms,
      prose: this.#prose,
      text,
      size,
      measure,
      grammars: options.grammars,
    };
  }

  /** The atoms of all blocks in order. */
  atomsOf(): Atoms {
    this.#addBlocks();
    this.#coverTo(this.#text.length);
    return this.#atoms;
  }

  /** Walks the tree by a stack of its own, so that no nesting is too deep. */
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
    let wasFormula = false;
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
      // Each key is read once: blocks come in so many shapes that the engine looks up every access.
      const { kind, start, end } = block;
      const children = kind === 'code' ? this.#pageIn(block) : block.children;
      const of = group ?? kind;
      const isBehind =
        next > 0 && wasFormula && kind === 'paragraph' && GOES_ON.test(this.#text.charAt(start));
      wasFormula = isFormula(this.#text, start);
      if (isBehind || (wasFormula && isUnfinished(this.#text, blocks[next - 1]))) {
        strength = STRENGTH.clause;
        this.#keepLast(0, FLAG.introduces);
      }
      if (kind === 'table' || children === undefined || children.length === 0) {
        const rest = isBehind ? this.#sentenceEnd(start, end) : start;
        if (rest > start) this.#addLeaf(block, kind, start, rest, of, strength);
        this.#addLeaf(block, kind, rest, end, of, rest > start ? STRENGTH.sentence : strength);
        const below = blocks[next + 1];
        if (
          (kind === 'paragraph' || kind === 'image') &&
          below !== undefined &&
          !this.#isOfAbove(blocks, next)
        )
          this.#keepLast(start, announcement(this.#text, blocks[next - 1], block, below));
        if (
          kind === 'table' &&
          below?.kind === 'paragraph' &&
          (blocks[next + 2]?.kind !== 'table' || this.#isOfAbove(blocks, next + 1))
        )
          this.#keepLast(
            start,
            tableEnd(this.#text, below, this.#measure.length(start, below.end) <= this.#target.size),
          );
      } else {
        const held = isGroup(of) ? of : undefined;
        const only = children.length === 1 ? children[0] : undefined;
        // An item mostly holds one paragraph, which needs no level of its own.
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

  /** True for a caption between two tables in a document whose captions stand below their tables. */
  #isOfAbove(blocks: readonly Block[], index: number): boolean {
    const [above, caption, below] = [blocks[index - 1], blocks[index], blocks[index + 1]];
    if (above?.kind !== 'table' || below?.kind !== 'table' || caption === undefined) return false;
    return (
      isCaption(this.#text, caption) && (this.#hasCaptionsBelow ??= standBelow(this.#text, this.#blocks))
    );
  }

  /** The end of the first sentence: the paragraph may be cut there rather than before it. */
  #sentenceEnd(start: number, end: number): number {
    return sentences(this.#text, start, end).offsets[0] ?? end;
  }

  /**
   * The blocks of a fence that holds a page of prose, as mails, manuals and RFCs in HTML are, when it is longer than a
   * chunk. Its headings are below those above it.
   */
  #pageIn({ start, end, language }: Block): readonly Block[] | undefined {
    if (language !== undefined || this.#text.charCodeAt(start) !== BACKTICK) return undefined;
    if (this.#measure.length(start, end) <= this.#target.size) return undefined;
    if (!isWrapped(this.#text, start, end)) return undefined;
    const { sections, section } = this.#atoms;
    const above = sections[section]?.depth ?? 0;
    return plainBlocks(this.#text, start, end).map((block) =>
      block.depth === undefined ? block : { ...block, depth: above + block.depth },
    );
  }

  /**
   * Lays out a leaf.
   *
   * @param of the kind that its atoms get
   */
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

  /**
   * Sets a flag on the atom added last, which must begin behind `start`: no chunk should end with the atom, because it
   * introduces the next block.
   */
  #keepLast(start: number, flag: number): void {
    const { flags, count, end } = this.#atoms;
    if (end > start) flags[count - 1] = (flags[count - 1] ?? 0) | flag;
  }

  /** Adds text before `start` that no leaf covers; in a sound tree that text is blank. */
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
    else if (block.kind === 'code') addCode(this.#target, first, end, strength, block.language);
    else this.#tables.add({ ...block, start: first, end }, strength);
  }

  /** Opens the section of a heading. Its parent is the last open section of less depth. */
  #openSection({ start, end, depth, title }: HeadingLine): void {
    const { sections } = this.#atoms;
    let parent = this.#atoms.section;
    while (parent !== -1 && (sections[parent]?.depth ?? 0) >= depth) parent = sections[parent]?.parent ?? -1;
    this.#atoms.section = sections.push({ start, end, depth, title, parent }) - 1;
  }
}

/** First letters of a paragraph in whose sentence the formula above it stands. */
const GOES_ON = /[\p{Ll},;]/u;

/** Units and words of a line that was wrapped, … */
const WRAPPED = { least: 50, most: 160, words: 5 };
/** … and the least share of such lines in prose. Code has them in comments, where they are fewer. */
const LEAST_WRAPPED = 1 / 6;

/** True where lines of words go on in the next one with a small letter, as those of wrapped prose do. Linear. */
function isWrapped(text: string, start: number, end: number): boolean {
  let [lines, wrapped, isOpen] = [0, 0, false];
  for (let at = start; at < end;) {
    const feed = lineEnd(text, at, end);
    const from = skipBlank(text, at, feed);
    const last = skipBlankBack(text, from, feed);
    if (from < last) {
      lines++;
      if (isOpen && isSmall(text.charCodeAt(from))) wrapped++;
      isOpen =
        last - from >= WRAPPED.least &&
        last - from <= WRAPPED.most &&
        /[a-z,]/.test(text.charAt(last - 1)) &&
        (text.slice(from, last).match(/[a-z] /g)?.length ?? 0) >= WRAPPED.words;
    }
    at = feed + 1;
  }
  return wrapped >= lines * LEAST_WRAPPED;
}

function isSmall(code: number): boolean {
  return code >= 0x61 && code <= 0x7a;
}

/** The strength of the gaps inside a block. The blocks of one item are nearer to one another than to the next item. */
function innerStrength(kind: BlockKind, group: BlockKind | undefined): number {
  if (group === undefined) return STRENGTH.paragraph;
  return kind === 'item' ? STRENGTH.sentence : STRENGTH.line;
}

/** True when the gap is beside an item that holds a list: it is then stronger than the gaps in that list. */
function isBesideList({ blocks, isOutermost, next }: Level): boolean {
  return isOutermost && next > 0 && (holdsList(blocks[next]) || holdsList(blocks[next - 1]));
}

function holdsList(item: Block | undefined): boolean {
  return item?.children?.at(-1)?.kind === 'list';
}

/** True for blocks that give their kind to all blocks inside. */
function isGroup(kind: BlockKind): boolean {
  return kind === 'list' || kind === 'quote' || kind === 'footnote';
}

/**
 * The title in a heading, at most {@link LONGEST_TITLE} units long: `Title` of `## Title ##`, of `<h2>Title</h2>`, of
 * `Title` over a line of `=`, and of `== Title`.
 */
function titleOf(text: string, start: number, end: number): string {
  const hashes = skipRun(text, start, end, HASH);
  const behind = skipSpaces(text, hashes, end);
  const first = behind > hashes && hashes - start <= 6 ? behind : start;
  if (end - start <= LONGEST_TITLE && isPlainTitle(text, first, end)) return text.slice(first, end);
  let title = text.slice(start, Math.min(end, start + LONGEST_HEADING));
  if (title.includes('\n'))
    title = title.replace(OVERLINE, '').replace(/\n[ \t>]*([-=~^"'*+#`])\1*[ \t]*$/, '');
  if (/^<h\d/i.test(title)) title = htmlTitleOf(title);
  title = title.replace(/^(?:#{1,6}|={1,6}|=head\d|\*{2,6})[ \t]+/, '').replace(/[ \t]+#+[ \t]*$/, '');
  if (title.startsWith('\\')) title = title.replace(/^\\\w+\*?(?:\[[^\]]*\])?\{|\}.*$/g, '');
  if (title.includes('[') || title.includes('<')) title = wordsOf(title);
  return title.replaceAll(/\s+/g, ' ').trim().slice(0, LONGEST_TITLE).toWellFormed();
}

/** Matches a line of marks above a title. */
const OVERLINE = /^([-=~^"'*+#`])\1{3,}[ \t]*\n/;

/** True for words with single spaces between them and no mark, as nearly all titles are. */
function isPlainTitle(text: string, start: number, end: number): boolean {
  if (MARKS.includes(text.charAt(start))) return false;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === HASH || code === LESS || code === BRACKET_OPEN) return false;
    if (isBlank(code) && (code !== SPACE || isBlank(text.charCodeAt(at + 1)))) return false;
  }
  return true;
}

/** First characters of titles in HTML and in other markup languages. */
const MARKS = '<=*\\';

/**
 * The words of a Markdown title: without badges, anchors and the addresses of links, but with code unchanged. The
 * alternative text of a picture when there is nothing else.
 */
function wordsOf(title: string): string {
  const words = title
    .replaceAll(PICTURE, (_, code: string | undefined) => code ?? '')
    .replaceAll(LINK, (_, code: string | undefined, name: string | undefined) => code ?? name ?? '');
  return words.trim() === '' ? (/!\[([^[\]]+)\]/.exec(title)?.[1] ?? title) : words;
}

/** Code, which stays; a picture, even one that the end of the title truncates; a tag of HTML with a name or style. */
const PICTURE =
  /(`[^`]*`)|!\[[^[\]]*(?:$|\](?:$|\([^()]*(?:\)|$)|\[[^[\]]*(?:\]|$)))|<(?:[a-z]+\s[^<>]*=[^<>]*|\/(?:a|font|span)|br ?\/?)>/gi;
/** Code, which stays; a link, whose name may become empty. */
const LINK = /(`[^`]*`)|\[([^[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*)?(?:\)|$)|\[\s*(?:$|\]\[[^[\]]*(?:\]|$))/g;

/** The text of a heading in HTML; for a heading that is a picture, its alternative text. */
function htmlTitleOf(heading: string): string {
  return heading.replaceAll(/<[^<>]*>/g, '').trim() || (/\balt=["']([^"'<>]+)/i.exec(heading)?.[1] ?? '');
}

const LONGEST_TITLE = 300;
/** Most units of a heading to search for its title: badges take more of them than words. */
const LONGEST_HEADING = 2 * LONGEST_TITLE;
