// Turns code into atoms, by splitting and then merging: a part of the outline that fits becomes one atom, a longer part
// is split into its own parts, and the packer joins neighbours. The outline comes from a grammar if there is one for
// the language, else from indentation. A chunk that begins inside a declaration gets the signatures around it as
// context, counted in the budget.
import { lineStart, skipBlank, skipBlankBack } from '../../blocks/lines.ts';
import { type Atoms, FLAG, STRENGTH } from '../../pack/atoms.ts';
import type { Measure } from '../../pack/measure.ts';
import type { Prose } from '../../pack/prose.ts';
import type { Grammars, Outline, ScopeContext } from '../../syntax.ts';
import { outlineByLines } from './indentation.ts';

const FENCE = /^(?:`{3}|~{3})/;
/** Largest share of a chunk that signatures may take as context. */
const CONTEXT_SHARE = 0.25;

/** The strength of the gap before a part, by its `GAP` and, within that, by its depth (0, 1, more). */
const STRENGTHS = [
  [0, 0, 0],
  [2, 1, 1],
  [3, 2, 2],
  [5, 4, 3],
] as const;

/** The target of code: the atoms, and the document around it. */
export interface CodeTarget {
  readonly atoms: Atoms;
  readonly prose: Prose;
  readonly text: string;
  /** The maximum of a chunk, in the unit of the measure. */
  readonly size: number;
  readonly measure: Measure;
  readonly grammars: Grammars | undefined;
}

/** True if a range may stay whole. */
type Fits = (start: number, end: number) => boolean;

/**
 * Adds the code in [start, end), which has no blanks at its edges. The line that opens a fence never ends a chunk, and
 * the line that closes it never begins one. Linear.
 */
export function addCode(
  target: CodeTarget,
  start: number,
  end: number,
  strength: number,
  language: string | undefined,
): void {
  const { prose, text } = target;
  const feed = text.indexOf('\n', start);
  if (feed === -1 || feed >= end || !FENCE.test(text.slice(start, start + 3))) {
    addBody(target, start, end, end, strength, language);
    return;
  }
  const last = text.lastIndexOf('\n', end - 1);
  const mark = skipBlank(text, last, end);
  const closing = last > feed && FENCE.test(text.slice(mark, mark + 3)) ? last + 1 : end;
  prose.addPiece(start, skipBlankBack(text, start, feed), strength, FLAG.keepWithNext, prose.roomAt(start));
  addBody(target, feed + 1, closing, end, STRENGTH.clause, language);
  if (closing < end) prose.addPiece(closing, end, STRENGTH.character, 0);
}

/** Adds code without its fence. Its last piece leaves room for the closing line, up to `stop`. */
function addBody(
  target: CodeTarget,
  start: number,
  end: number,
  stop: number,
  strength: number,
  language = '',
): void {
  const { prose, text, size, measure, grammars } = target;
  const begin = prose.settled(skipBlank(text, start, end));
  const last = skipBlankBack(text, begin, end);
  const room = prose.roomAt(begin);
  const length = (from: number, to: number): number => measure.length(from, to);
  const fits: Fits = (from, to) => length(from, to < last ? to : stop) <= (from <= begin ? room : size);
  const contextLength = CONTEXT_SHARE * size;
  const outline = grammars?.outline({ text, start, end, language, fits, length, contextLength });
  const parts = outline?.starts.length ? outline : outlineByLines(text, start, end);
  addOutline(target, parts, begin, end, strength, fits);
}

/** Adds the parts of an outline. The first part begins at `begin`, with a gap of `strength` before it. */
function addOutline(
  target: CodeTarget,
  { starts, depths, bodies, gaps, contexts = [] }: Outline,
  begin: number,
  end: number,
  strength: number,
  fits: Fits,
): void {
  const { atoms, prose, text } = target;
  const next = nextOf(depths);
  let context: ScopeContext | undefined;
  let contextIndex = 0;
  const offset = (list: readonly number[], index: number): number =>
    prose.settled(lineStart(text, list[index] ?? end, atoms.end));
  for (let index = 0; index < starts.length;) {
    if (contexts[index] !== context) {
      context = contexts[index];
      contextIndex = context === undefined ? 0 : atoms.contexts.push(context) - 1;
    }
    atoms.context = contextIndex;
    const gap =
      index === 0 ? strength : (STRENGTHS[gaps[index] ?? 0]?.[Math.min(2, depths[index] ?? 0)] ?? 0);
    const after = next[index] ?? 0;
    const from = index === 0 ? begin : offset(starts, index);
    const to = skipBlankBack(text, from, offset(starts, after));
    const body = offset(bodies, index);
    if (fits(from, to)) {
      prose.addPiece(from, to, gap, 0);
      index = after;
    } else if (body > from && fits(body, to)) {
      addLines(target, from, body, gap, 0, fits);
      prose.addPiece(body, to, STRENGTH.character, 0);
      index = after;
    } else {
      index++;
      addLines(target, from, offset(starts, index), gap, after > index ? FLAG.introduces : 0, fits);
    }
  }
  atoms.context = 0;
}

/** Adds [start, end) as one atom if it fits, else line by line. */
function addLines(
  { prose, text }: CodeTarget,
  start: number,
  end: number,
  strength: number,
  flags: number,
  fits: Fits,
): void {
  const stop = skipBlankBack(text, start, end);
  const whole = fits(start, stop);
  let gap = strength;
  for (let at = start; at < stop;) {
    const feed = whole ? -1 : text.indexOf('\n', at);
    const lineEnd = feed === -1 ? stop : Math.min(feed, stop);
    const last = skipBlankBack(text, at, lineEnd);
    if (last > at) {
      prose.addPiece(at, last, gap, lineEnd === stop ? flags : 0, prose.roomAt(at));
      gap = STRENGTH.clause;
    }
    at = lineEnd + 1;
  }
}

/** For each part the index of the next part that is not deeper. */
function nextOf(depths: readonly number[]): Int32Array {
  const next = new Int32Array(depths.length);
  for (let index = depths.length - 1; index >= 0; index--) {
    let at = index + 1;
    while (at < depths.length && (depths[at] ?? 0) > (depths[index] ?? 0)) at = next[at] ?? at;
    next[index] = at;
  }
  return next;
}
