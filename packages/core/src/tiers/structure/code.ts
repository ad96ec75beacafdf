// Code → atoms, by split-then-merge: a part of the outline that fits is an atom, else its parts are, and the packer
// joins neighbours. The outline comes from a grammar where there is one for the language, else from indentation.
// A chunk that begins inside a declaration has the signatures around it as context, counted in the budget.
import { skipBlank, skipBlankBack } from '../../blocks/lines.ts';
import type { ContextPart } from '../../cut.ts';
import { type AtomContext, type Atoms, FLAG, STRENGTH } from '../../pack/atoms.ts';
import type { Measure } from '../../pack/measure.ts';
import type { Prose } from '../../pack/prose.ts';
import { GAP, type Grammars, type Outline } from '../../syntax.ts';
import { outlineByLines } from './indentation.ts';

const FENCE = /^(?:`{3,}|~{3,})/;
/** The most of a chunk that signatures may take as context, and the most of them; the innermost stay. */
const SCOPE_SHARE = 0.25;
const MOST_SCOPES = 8;
/** Line ends between the context and the text of a chunk, as `indexedText` has them. */
const JOINT = 2;

/** What the gap before a part is worth by how far it stands and how deep: at most 2 counts. */
const STRENGTHS: Readonly<Record<number, readonly number[]>> = {
  [GAP.tied]: [STRENGTH.character, STRENGTH.character, STRENGTH.character],
  [GAP.inline]: [STRENGTH.clause, STRENGTH.word, STRENGTH.word],
  [GAP.near]: [STRENGTH.sentence, STRENGTH.clause, STRENGTH.clause],
  [GAP.apart]: [STRENGTH.paragraph, STRENGTH.line, STRENGTH.sentence],
};

/** A part that is open, with its signature as context. */
interface Scope {
  readonly depth: number;
  /** Index into `Atoms.contexts`, or -1. */
  readonly context: number;
}

/** Adds the atoms of code of one text. */
export class Code {
  private readonly atoms: Atoms;
  private readonly prose: Prose;
  private readonly text: string;
  private readonly size: number;
  private readonly measure: Measure;
  private readonly grammars: Grammars | undefined;

  /** @param size the maximum of a chunk */
  constructor(
    atoms: Atoms,
    prose: Prose,
    text: string,
    size: number,
    measure: Measure,
    grammars: Grammars | undefined,
  ) {
    this.atoms = atoms;
    this.prose = prose;
    this.text = text;
    this.size = size;
    this.measure = measure;
    this.grammars = grammars;
  }

  /**
   * Adds the code in [start, end), which is not blank at its edges. The line that opens a fence never ends a chunk,
   * and the one that closes it never begins one. Linear.
   */
  add(start: number, end: number, strength: number, language: string | undefined): void {
    const { prose, text } = this;
    const feed = text.indexOf('\n', start);
    const fenced = feed !== -1 && feed < end && FENCE.test(text.slice(start, start + 3));
    const last = fenced ? text.lastIndexOf('\n', end - 1) + 1 : end;
    const mark = skipBlank(text, last, end);
    const closed = last > feed && FENCE.test(text.slice(mark, end));
    let gap = strength;
    let from = start;
    if (fenced) {
      prose.addPiece(start, skipBlankBack(text, start, feed), gap, FLAG.leads, prose.roomAt(start));
      gap = STRENGTH.clause;
      from = feed + 1;
    }
    this.addBody(from, closed ? last : end, end, gap, language);
    if (closed) prose.addPiece(last, end, STRENGTH.character, 0);
  }

  /** The piece that ends the code has to leave room for what closes the fence, up to `stop`. */
  private addBody(
    start: number,
    end: number,
    stop: number,
    strength: number,
    language: string | undefined,
  ): void {
    const { text, measure } = this;
    const begin = skipBlank(text, start, end);
    if (begin === end) return;
    const room = this.prose.roomAt(begin);
    const last = skipBlankBack(text, begin, end);
    const fits = (from: number, to: number): boolean =>
      measure.length(from, to < last ? to : stop) <= (from <= begin ? room : this.size);
    const syntax =
      language === undefined
        ? undefined
        : this.grammars?.outline(text.slice(start, end), language, (from, to) =>
            fits(start + from, start + to),
          );
    if (syntax === undefined) this.addParts(outlineByLines(text, start, end), 0, end, strength, fits);
    else this.addParts(syntax, start, end, strength, fits);
  }

  /** Adds the parts of an outline whose offsets count from `base`; the first stands in a gap of `strength`. */
  private addParts(
    { starts, depths, bodies, signatures, gaps }: Outline,
    base: number,
    end: number,
    strength: number,
    fits: (start: number, end: number) => boolean,
  ): void {
    const { atoms, text } = this;
    const next = nextOf(depths);
    const open: Scope[] = [];
    const startAt = (index: number): number => {
      const at = starts[index];
      return at === undefined ? end : this.lineStart(base + at);
    };
    for (let index = 0; index < starts.length;) {
      const depth = depths[index] ?? 0;
      while ((open.at(-1)?.depth ?? -1) >= depth) open.pop();
      atoms.context = open.at(-1)?.context ?? -1;
      const gap = index === 0 ? strength : (STRENGTHS[gaps[index] ?? 0]?.[Math.min(2, depth)] ?? 0);
      const from = index === 0 ? base + (starts[0] ?? 0) : startAt(index);
      const after = next[index] ?? 0;
      const to = skipBlankBack(text, from, startAt(after));
      const body = this.lineStart(base + (bodies[index] ?? 0));
      if (fits(from, to)) {
        this.prose.addPiece(from, to, gap, 0);
        index = after;
      } else if (body > from && fits(body, to)) {
        this.addLines(from, body, gap, 0, fits);
        this.prose.addPiece(body, to, STRENGTH.character, 0);
        index = after;
      } else {
        const holds = after > index + 1;
        this.addLines(from, startAt(index + 1), gap, holds ? FLAG.introduces : 0, fits);
        const stop = base + (signatures[index] ?? 0);
        if (holds)
          open.push({ depth, context: this.contextOf(base + (bodies[index] ?? 0), stop, atoms.context) });
        index++;
      }
    }
    atoms.context = -1;
  }

  /** Adds [start, end) in one atom if it fits, else its lines. */
  private addLines(
    start: number,
    end: number,
    strength: number,
    flags: number,
    fits: (start: number, end: number) => boolean,
  ): void {
    const { prose, text } = this;
    const stop = skipBlankBack(text, start, end);
    if (fits(start, stop)) {
      if (start < stop) prose.addPiece(start, stop, strength, flags);
      return;
    }
    let gap = strength;
    for (let at = start; at < stop;) {
      const feed = text.indexOf('\n', at);
      const lineEnd = feed === -1 ? stop : Math.min(feed, stop);
      const last = skipBlankBack(text, at, lineEnd);
      if (last > at) {
        prose.addPiece(at, last, gap, lineEnd === stop ? flags : 0, prose.roomAt(at));
        gap = STRENGTH.clause;
      }
      at = lineEnd + 1;
    }
  }

  /** Where the line starts, when nothing but its indentation stands before an offset; else the offset. */
  private lineStart(at: number): number {
    let from = at;
    while (from > this.atoms.end && isIndent(this.text.charCodeAt(from - 1))) from--;
    return from === 0 || this.text.charCodeAt(from - 1) === NEWLINE ? from : at;
  }

  /** The context inside a declaration whose signature is [start, end): that around it and the signature. */
  private contextOf(start: number, end: number, around: number): number {
    if (end <= start) return around;
    const { atoms, measure } = this;
    const own: ContextPart = { kind: 'scope', start, end, text: this.text.slice(start, end) };
    const parts = [...(atoms.contexts[around]?.parts ?? []), own].slice(-MOST_SCOPES);
    const lengthOf = (): number =>
      parts.reduce((sum, part) => sum + measure.length(part.start, part.end) + 1, JOINT - 1);
    while (parts.length > 0 && lengthOf() > SCOPE_SHARE * this.size) parts.shift();
    if (parts.length === 0) return -1;
    const context: AtomContext = { parts, length: lengthOf() };
    return atoms.contexts.push(context) - 1;
  }
}

const NEWLINE = 0x0a;

function isIndent(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** For each part the index of the next that is no deeper. */
function nextOf(depths: readonly number[]): Int32Array {
  const next = new Int32Array(depths.length);
  for (let index = depths.length - 1; index >= 0; index--) {
    let at = index + 1;
    while (at < depths.length && (depths[at] ?? 0) > (depths[index] ?? 0)) at = next[at] ?? depths.length;
    next[index] = at;
  }
  return next;
}
