// The tier `structure`: cuts between the blocks of a document. Headings stay with what follows them, lists with their
// lead-in, tables and code whole where they fit, else by rows and by lines. What is too long goes by sentences, then
// clauses, words and characters. The packer chooses; this file says what the pieces are and how they hang together.
import { skipBlank, skipBlankBack } from '../blocks/lines.ts';
import type { Cut } from '../cut.ts';
import type { Block, BlockKind, Document } from '../document.ts';
import { type OptionFault, show } from '../errors.ts';
import { Atoms, STRENGTH } from '../pack/atoms.ts';
import { cutsOf } from '../pack/cuts.ts';
import { type Measure, measureOf } from '../pack/measure.ts';
import { PACK_OPTIONS, type PackOptions, packFaults, packLimits } from '../pack/options.ts';
import { pack, type PackLimits } from '../pack/pack.ts';
import { type HeadingLine, Prose } from '../pack/prose.ts';
import { addCode, type CodeSite } from './structure/code.ts';
import { Tables } from './structure/table.ts';
import type { Grammars } from '../syntax.ts';
import type { Tier } from './tier.ts';

/** A paragraph no longer than this share of the maximum stays whole, unless overlap needs its sentences. */
const WHOLE_SHARE = 0.35;

/** Options of the tier. */
export interface StructureOptions extends PackOptions {
  /** Grammars of the languages whose code is to be cut along its syntax. Default: none. */
  readonly grammars?: Grammars;
}

/** The tier `structure`. */
export const STRUCTURE: Tier<StructureOptions> = {
  id: 'structure',
  summary: 'Headings, lists, tables and code as their author set them, packed by a dynamic program.',
  options: [...PACK_OPTIONS, 'grammars'],
  check: structureFaults,
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
  const atoms = new Layout(document, limits.size, options, measure).atomsOf();
  return { atoms, cuts: cutsOf(atoms, pack(atoms, limits), options, limits, measure) };
}

function structureFaults(options: Readonly<Record<string, unknown>>): OptionFault[] {
  const { grammars } = options;
  const faults = packFaults(options);
  if (grammars !== undefined && typeof (grammars as Grammars | null)?.outline !== 'function')
    faults.push({ option: 'grammars', expected: 'the result of loadGrammars', received: show(grammars) });
  return faults;
}

/** A block still to be laid out. */
interface Pending {
  readonly block: Block;
  /** The kind that its atoms are of: the outermost list, table or quote, else its own. */
  readonly kind: BlockKind;
  /** Of the gap before it. */
  readonly strength: number;
}

/** Turns the blocks of one document into atoms. */
class Layout {
  private readonly text: string;
  private readonly blocks: readonly Block[];
  private readonly atoms: Atoms;
  private readonly prose: Prose;
  private readonly tables: Tables;
  private readonly measure: Measure;
  private readonly site: CodeSite;
  private at = 0;

  /** @param size the maximum of a chunk without its overlap */
  constructor({ text, blocks }: Document, size: number, options: StructureOptions, measure: Measure) {
    this.text = text;
    this.blocks = blocks;
    this.measure = measure;
    this.atoms = new Atoms(size, measure);
    const whole = options.overlap > 0 ? 0 : WHOLE_SHARE * size;
    this.prose = new Prose(this.atoms, text, { size, longest: options.size, whole }, measure);
    this.tables = new Tables(this.atoms, this.prose, text, size, measure);
    const { atoms, prose } = this;
    this.site = { atoms, prose, text, size, measure, grammars: options.grammars };
  }

  /** The atoms of all blocks in order. Goes by a stack of its own, so that no nesting is too deep. */
  atomsOf(): Atoms {
    const pending: Pending[] = [];
    pushAll(pending, this.blocks, undefined, STRENGTH.paragraph);
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const { block, kind, strength } = next;
      if (block.kind !== 'table' && block.children !== undefined && block.children.length > 0)
        pushAll(pending, block.children, isGroup(kind) ? kind : undefined, strength, block.kind === 'item');
      else this.addLeaf(block, kind, strength);
    }
    this.coverTo(this.text.length);
    return this.atoms;
  }

  private addLeaf(block: Block, kind: BlockKind, strength: number): void {
    this.coverTo(block.start);
    const start = skipBlank(this.text, Math.max(this.at, block.start), block.end);
    const end = skipBlankBack(this.text, start, block.end);
    this.at = Math.max(this.at, block.end);
    if (start >= end) return;
    this.atoms.enter(kind);
    if (block.kind === 'heading') this.addHeading(start, end, block.depth ?? 1);
    else if (block.kind === 'code' || block.kind === 'table') this.addFigure(block, start, end, strength);
    else this.prose.addText(start, end, strength, (heading) => this.openSection(heading));
  }

  /** What stands before `start` in no leaf: nothing but blanks in a sound tree. */
  private coverTo(start: number): void {
    const from = skipBlank(this.text, this.at, start);
    if (from < start) {
      this.atoms.enter('paragraph');
      this.prose.addSentences(from, skipBlankBack(this.text, from, start), STRENGTH.paragraph);
    }
    this.at = Math.max(this.at, start);
  }

  private addHeading(start: number, end: number, depth: number): void {
    this.openSection({ start, end, depth, title: titleOf(this.text.slice(start, end)) });
    this.prose.addHeading(start, end);
  }

  /** Adds a table or code in one piece if it fits behind its heading, else in parts. */
  private addFigure(block: Block, start: number, end: number, strength: number): void {
    const first = this.prose.settled(start);
    if (this.measure.length(first, end) <= this.prose.roomAt(first)) this.atoms.add(first, end, strength, 0);
    else if (block.kind === 'code') addCode(this.site, first, end, strength, block.language);
    else this.tables.add({ ...block, start: first, end }, strength);
  }

  /** From here on stands what the heading is over. The section around it is the last one open that is less deep. */
  private openSection({ start, end, depth, title }: HeadingLine): void {
    const { sections } = this.atoms;
    let parent = this.atoms.section;
    while (parent !== -1 && (sections[parent]?.depth ?? 0) >= depth) parent = sections[parent]?.parent ?? -1;
    this.atoms.section = sections.push({ start, end, depth, title, parent }) - 1;
  }
}

/** Puts blocks on the stack, the first on top. The gap before the first of them is that before what holds them. */
function pushAll(
  pending: Pending[],
  blocks: readonly Block[],
  group: BlockKind | undefined,
  strength: number,
  isItem = false,
): void {
  for (let index = blocks.length - 1; index >= 0; index--) {
    const block = blocks[index];
    if (block === undefined) continue;
    // What an item goes on with is nearer to it than the next item.
    const inner = group === undefined ? STRENGTH.paragraph : isItem ? STRENGTH.sentence : STRENGTH.line;
    pending.push({ block, kind: group ?? block.kind, strength: index === 0 ? strength : inner });
  }
}

/** Blocks that give their kind to all that is in them. */
function isGroup(kind: BlockKind): boolean {
  return kind === 'list' || kind === 'quote' || kind === 'footnote';
}

/** `## Title ##`, `<h2>Title</h2>`, `Title` over a line of `=` or `-` → `Title`; at most {@link LONGEST_TITLE} units of it. */
function titleOf(heading: string): string {
  const line = heading.slice(0, LONGEST_TITLE).replace(/\n[ \t>]*(?:=+|-+)[ \t]*$/, '');
  const marked = /^<h\d/i.test(line) ? line.replaceAll(/<[^<>]*>/g, '') : line;
  const bare = marked.replace(/^#{1,6}[ \t]+/, '').replace(/[ \t]+#+[ \t]*$/, '');
  return bare.trim().replaceAll(/\s+/g, ' ').toWellFormed();
}

const LONGEST_TITLE = 300;
