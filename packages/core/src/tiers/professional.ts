// The tier `professional`: chunks as `structure` makes them, a little smaller, each after the context that the chunk
// alone lacks: the document's title, the headings above it, the line that announces its list, the sentence that its
// first word refers to, the definition of an acronym. It needs no model: every injected word is a slice of the text,
// with its span.
import { skipBlankBack } from '../blocks/lines.ts';
import { type ContextPart, type Cut, contextPrefix } from '../cut.ts';
import type { Document, Span } from '../document.ts';
import { type Atoms, FLAG } from '../pack/atoms.ts';
import { ChunkLocator } from '../pack/cuts.ts';
import { type Measure, measureOf } from '../pack/measure.ts';
import { packLimits } from '../pack/options.ts';
import { isBlank, isSettledBoundary } from '../unicode.ts';
import { acronymUses, definitionsIn } from './professional/acronyms.ts';
import { leadIns } from './professional/lead-ins.ts';
import { lastSentence, refersBack } from './professional/references.ts';
import { documentTitle, titlePath } from './professional/titles.ts';
import { type ContextMode, type ProfessionalOptions, TIERS } from './registry.ts';
import { packBlocks } from './structure.ts';
import type { Tier } from './tier.ts';

/** Kinds of context in the order of their output before a chunk. */
const KINDS: readonly ContextPart['kind'][] = [
  'title',
  'heading-path',
  'table-header',
  'scope',
  'lead-in',
  'antecedent',
  'definition',
];
/** Share of a chunk's maximum that context may take. */
const BUDGET_SHARE = 0.25;
/**
 * Most tokens, or UTF-16 units, that context may take. A table header may exceed this, because rows mean nothing
 * without it.
 */
const MOST_TOKENS = 64;
const MOST_UNITS = 320;
/**
 * Share of the context's budget that is kept free in every chunk by a smaller maximum. Most chunks are shorter than the
 * maximum and leave the rest free as well.
 */
const KEPT_SHARE = 0.5;
/** Share of the budget that a title may take. */
const TITLE_SHARE = 0.5;
/**
 * A part that is too long is shortened to the rest of the budget, unless the rest is less than this share of the
 * budget.
 */
const LEAST_SHARE = 0.125;
/** A part of at least so many UTF-16 units is left out when the chunk or another part contains it already. */
const SHORTEST_REPEATED = 24;
/** Matches the end of a sentence that a chunk may refer to; keeps out diagrams and commands. */
const SENTENCE = /[.!?:;…。！？؟।۔]["'”’»)\]*_]*$/;
/** Scripts above this code put no blanks between words, or are rare. */
const FIRST_WITHOUT_BLANKS = 0xe00;

/** The tier `professional`. */
export const PROFESSIONAL: Tier<ProfessionalOptions> = {
  ...TIERS.professional,
  cut(document: Document, options: ProfessionalOptions): Cut[] {
    const { size } = options;
    const measure = measureOf(document.text, options.measure);
    const most = measure.unit === 'token' ? MOST_TOKENS : MOST_UNITS;
    const budget = Math.min(Math.floor(BUDGET_SHARE * size), most);
    const limits = packLimits({ ...options, size: size - Math.floor(KEPT_SHARE * budget) });
    const { atoms, cuts } = packBlocks(document, options, limits, measure);
    const candidates = candidatesOf(document, atoms, options.context);
    return cuts.map((cut, index) => {
      const room = Math.min(size - measure.length(cut.start, cut.end), budget);
      const found = candidates(cut, cuts[index - 1]);
      const context = choose(document.text, cut, found, room, budget, measure);
      return withContext(cut, context, size, measure);
    });
  },
};

/** A piece of context that may be injected. */
interface Candidate extends Span {
  readonly kind: ContextPart['kind'];
  /** True when the candidate must be left out rather than shortened. */
  readonly whole?: boolean;
}

/**
 * Returns a function that lists the candidates for a cut's context, most valuable first. Callers pass the cuts in
 * order, which makes all calls together linear.
 */
function candidatesOf(
  document: Document,
  atoms: Atoms,
  mode: ContextMode = 'corpus',
): (cut: Cut, previous: Cut | undefined) => Iterable<Candidate> {
  const { text } = document;
  const { starts, ends, flags, sections } = atoms;
  const title = documentTitle(document, sections);
  const description = new ChunkLocator(atoms);
  const announcing = leadIns(text, document.blocks);
  const definitions = definitionsIn(text);
  const used = acronymUses(text, definitions);
  let next = 0;
  return function* ({ start, end }, previous) {
    let first = next;
    while (next < atoms.count && (ends[next] ?? 0) <= end) next++;
    if (mode === 'corpus') {
      if (title !== undefined) yield { kind: 'title', ...title };
      const section = description.sectionOf(first, next - 1);
      yield* levels('heading-path', titlePath(text, sections, section));
    }
    const sentences = announcing(start).map((block) => lastSentence(text, block.start, block.end));
    yield* levels(
      'lead-in',
      sentences.filter((span) => span !== undefined),
    );
    while (first > 0 && (starts[first] ?? 0) > start) first--;
    // A heading stands between prose of two sections; a table or code may stand between two pieces of prose.
    const isProse = ((flags[first] ?? 0) & (flags[first - 1] ?? 0) & FLAG.repeatable) !== 0;
    if (isProse && previous !== undefined && refersBack(text, start)) {
      const sentence = lastSentence(text, previous.start, ends[first - 1] ?? 0);
      if (sentence !== undefined && SENTENCE.test(text.slice(sentence.start, sentence.end)))
        yield { kind: 'antecedent', ...sentence };
    }
    for (const name of used(start, end)) {
      const definition = definitions.get(name);
      if (definition !== undefined) yield { kind: 'definition', whole: true, ...definition };
    }
  };
}

/**
 * Candidates for levels of one kind, given outermost first: the innermost is the most valuable, those in the middle the
 * least.
 */
function levels(kind: Candidate['kind'], spans: readonly Span[]): Candidate[] {
  // A single level comes twice in this list; the second is dropped later as a duplicate.
  const order = [...spans.slice(-1), ...spans.slice(0, 1), ...spans.slice(1, -1).reverse()];
  return order.map((span, index) => ({ kind, whole: index > 0, ...span }));
}

/** The context of a cut: its own parts, then the candidates with new content, as far as they fit. */
function choose(
  text: string,
  cut: Cut,
  candidates: Iterable<Candidate>,
  most: number,
  budget: number,
  measure: Measure,
): ContextPart[] {
  const own = text.slice(cut.start, cut.end);
  const parts = [...(cut.context ?? [])];
  // Each part takes a line end behind it, and the last part two.
  let room = parts.reduce((left, { start, end }) => left - measure.length(start, end) - 1, most - 1);
  for (const { kind, whole, start, end: stop } of candidates) {
    if (room < 2) break;
    const longest = Math.min(room - 1, kind === 'title' ? Math.floor(TITLE_SHARE * budget) : room);
    const isShort = measure.length(start, stop) <= longest;
    if (!isShort && (whole === true || longest < LEAST_SHARE * budget)) continue;
    const end = isShort ? stop : wordEnd(text, start, measure.reach(start, longest, stop));
    if (end <= start || (start < cut.end && end > cut.start)) continue;
    const part = text.slice(start, end);
    const says = (said: string): boolean =>
      said === part || (end - start >= SHORTEST_REPEATED && said.includes(part));
    if (says(own) || parts.some((other) => other.start === start || says(other.text))) continue;
    room -= measure.length(start, end) + 1;
    parts.push({ kind, text: part, start, end });
  }
  return parts.sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || a.start - b.start);
}

/** The last end of a word up to `reach`; `start` when no word ends in the second half of [start, reach]. */
function wordEnd(text: string, start: number, reach: number): number {
  for (let at = reach; at > (start + reach) / 2; at--) {
    const isEnd = isBlank(text.charCodeAt(at)) || text.charCodeAt(at - 1) >= FIRST_WITHOUT_BLANKS;
    if (isEnd && isSettledBoundary(text, at)) return skipBlankBack(text, start, at);
  }
  return start;
}

/**
 * A cut with its context. Drops the last parts of the context while the chunk exceeds `size` by its true token count,
 * which may be more than the sum of its parts.
 */
function withContext(cut: Cut, context: readonly ContextPart[], size: number, measure: Measure): Cut {
  const given = cut.context ?? [];
  if (context.length <= given.length) return cut;
  if (measure.unit === 'utf16') return { ...cut, context };
  const tokenCount = measure.withPrefix(contextPrefix(context), cut.start, cut.end);
  if (tokenCount <= size) return { ...cut, context, tokenCount };
  const last = context.findLastIndex((part) => !given.includes(part));
  return withContext(cut, context.toSpliced(last, 1), size, measure);
}
