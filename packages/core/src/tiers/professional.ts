// The tier `professional`: chunks as `structure` makes them, a little smaller, and before each what a reader of it alone
// would miss: the document's title, the headings over it, the line that announces its list, the sentence that its first
// word leans on, the definition of an acronym. No model: every word injected is a slice of the text, with its span.
import { skipBlankBack } from '../blocks/lines.ts';
import type { ContextPart, Cut } from '../cut.ts';
import type { Document, Span } from '../document.ts';
import { type OptionFault, show } from '../errors.ts';
import { type Atoms, FLAG, STRENGTH } from '../pack/atoms.ts';
import { Description } from '../pack/cuts.ts';
import { type Measure, UTF16 } from '../pack/measure.ts';
import { PACK_OPTIONS, type PackOptions, packFaults, packLimits } from '../pack/options.ts';
import { isBlank, isSettledBoundary } from '../unicode.ts';
import { Acronyms } from './professional/acronyms.ts';
import { LeadIns } from './professional/lead-ins.ts';
import { lastSentence, refersBack } from './professional/references.ts';
import { Titles } from './professional/titles.ts';
import { packBlocks } from './structure.ts';
import type { Tier } from './tier.ts';

/** What the chunks are for: search across many documents, or inside one, which title and headings would blur. */
export type ContextMode = 'corpus' | 'in-document';

/** Options of the tier `professional`. */
export interface ProfessionalOptions extends PackOptions {
  /** `in-document` leaves out title and headings. Default `corpus`. */
  readonly context?: ContextMode;
}

const MODES: readonly unknown[] = ['corpus', 'in-document', undefined];
/** The most of a chunk that context may take: this share of its maximum … */
const BUDGET_SHARE = 0.25;
/** … and no more than 64 tokens of about 5 units. A table header, without which rows mean nothing, may exceed it. */
const MOST_CONTEXT = 320;
/** Share of the budget that the maximum keeps free in every chunk; most chunks are shorter and leave the rest too. */
const KEPT_SHARE = 0.5;
/** The most of the budget that a title takes. */
const TITLE_SHARE = 0.5;
/** A part is shortened to what is left of the budget, unless that is less than this share of it. */
const LEAST_SHARE = 0.125;
/** One character and the line ends behind it. */
const LEAST_ROOM = 3;
/** A part this long that the chunk's own text has as well is left out. */
const TELLING = 24;
/** Scripts from here on put no blanks between words, or are rare. */
const FIRST_WITHOUT_BLANKS = 0xe00;

/** The tier `professional`. */
export const PROFESSIONAL: Tier<ProfessionalOptions> = {
  id: 'professional',
  summary: 'As structure, with title, headings, lead-ins and definitions injected before each chunk.',
  options: [...PACK_OPTIONS, 'context'],
  check: (options) => [...packFaults(options), ...modeFaults(options['context'])],
  cut(document: Document, options: ProfessionalOptions): Cut[] {
    const { size } = options;
    const budget = Math.min(Math.floor(BUDGET_SHARE * size), MOST_CONTEXT);
    const limits = packLimits({ ...options, size: size - Math.floor(KEPT_SHARE * budget) });
    const { atoms, firsts, cuts } = packBlocks(document, options, limits);
    const injection = new Injection(document, atoms, options, budget, UTF16);
    return cuts.map((cut, index) => {
      const last = (firsts[index + 1] ?? atoms.count) - 1;
      return injection.into(cut, cuts[index - 1], firsts[index] ?? 0, last);
    });
  },
};

function modeFaults(mode: unknown): OptionFault[] {
  if (MODES.includes(mode)) return [];
  return [{ option: 'context', expected: 'corpus or in-document', received: show(mode) }];
}

/** Injects context into the cuts of one document, given in order. Linear in the text. */
class Injection {
  private readonly text: string;
  private readonly atoms: Atoms;
  private readonly size: number;
  private readonly budget: number;
  private readonly measure: Measure;
  private readonly description: Description;
  private readonly titles: Titles | undefined;
  private readonly leadIns: LeadIns;
  private readonly acronyms: Acronyms;

  constructor(
    document: Document,
    atoms: Atoms,
    { size, context }: ProfessionalOptions,
    budget: number,
    measure: Measure,
  ) {
    this.text = document.text;
    this.atoms = atoms;
    this.size = size;
    this.budget = budget;
    this.measure = measure;
    this.description = new Description(atoms);
    this.titles = context === 'in-document' ? undefined : new Titles(document, atoms.sections);
    this.leadIns = new LeadIns(document.text, document.blocks);
    this.acronyms = new Acronyms(document.text);
  }

  /** The cut that reaches from one atom to another, with its context. */
  into(cut: Cut, previous: Cut | undefined, first: number, last: number): Cut {
    const room = this.size - this.measure.length(cut.start, cut.end);
    if (room < LEAST_ROOM) return cut;
    const parts = new Parts(this.text, cut, Math.min(room, this.budget), this.budget, this.measure);
    if (this.titles !== undefined) {
      const { title } = this.titles;
      if (title !== undefined) parts.add('title', title, TITLE_SHARE * this.budget);
      parts.addLevels('heading-path', this.titles.pathTo(this.description.sectionOf(first, last)));
    }
    parts.addGiven();
    const announcing = this.leadIns.over(cut.start).filter(({ end }) => end <= cut.start);
    parts.addLevels(
      'lead-in',
      announcing.flatMap(({ start, end }) => lastSentence(this.text, start, end) ?? []),
    );
    const antecedent = previous && this.antecedentOf(cut, previous, first);
    if (antecedent !== undefined) parts.add('antecedent', antecedent);
    for (const definition of this.acronyms.usedIn(cut.start, cut.end))
      parts.addWhole('definition', definition);
    return parts.list.length === 0 ? cut : { ...cut, context: parts.list };
  }

  /** The sentence before a chunk of prose, when the chunk leans on it. */
  private antecedentOf(cut: Cut, previous: Cut, first: number): Span | undefined {
    const { starts, ends, flags, strengths, sectionOf } = this.atoms;
    let at = first;
    while (at > 0 && (starts[at] ?? 0) > cut.start) at--;
    const isProse = ((flags[at] ?? 0) & (flags[at - 1] ?? 0) & FLAG.repeats) !== 0;
    if (!isProse || sectionOf[at] !== sectionOf[at - 1] || strengths[at] === STRENGTH.heading)
      return undefined;
    if (!refersBack(this.text, cut.start)) return undefined;
    return lastSentence(this.text, previous.start, ends[at - 1] ?? 0);
  }
}

/** The context of one chunk, added in the order of its worth while the budget lasts. */
class Parts {
  readonly list: ContextPart[] = [];
  private readonly text: string;
  private readonly cut: Cut;
  private readonly own: string;
  private readonly least: number;
  private readonly measure: Measure;
  /** What is left of the budget. */
  private room: number;

  constructor(text: string, cut: Cut, room: number, budget: number, measure: Measure) {
    this.text = text;
    this.cut = cut;
    this.own = text.slice(cut.start, cut.end);
    this.measure = measure;
    this.least = LEAST_SHARE * budget;
    // Each part takes a line end behind it, and the last of them two.
    this.room = room - 1;
    for (const { start, end } of cut.context ?? []) this.room -= measure.length(start, end) + 1;
  }

  /** Adds what the cut came with: a table header, the scope of code. */
  addGiven(): void {
    this.list.push(...(this.cut.context ?? []));
  }

  /** Adds a part, cut at a word to what is left of the budget. */
  add(kind: ContextPart['kind'], { start, end }: Span, most = Infinity): void {
    const room = Math.min(most, this.room - 1);
    if (this.measure.length(start, end) <= room) this.addWhole(kind, { start, end });
    else if (room >= this.least) this.addWhole(kind, { start, end: this.shortened(start, room, end) });
  }

  /** Adds a part if it fits as it is and is news. */
  addWhole(kind: ContextPart['kind'], { start, end }: Span): void {
    const length = this.measure.length(start, end);
    if (start >= end || length >= this.room || this.isOwn(start)) return;
    const text = this.text.slice(start, end);
    const says = (said: string): boolean => said === text || (end - start >= TELLING && said.includes(text));
    if (says(this.own) || this.list.some((part) => part.start === start || says(part.text))) return;
    this.room -= length + 1;
    this.list.push({ kind, text, start, end });
  }

  /** Adds nested levels, outermost first: the innermost counts most, then the outermost; those between go first. */
  addLevels(kind: ContextPart['kind'], levels: readonly Span[]): void {
    const from = this.list.length;
    const innermost = levels.at(-1);
    if (innermost !== undefined) this.add(kind, innermost);
    for (const level of [...levels.slice(0, 1), ...levels.slice(1, -1).reverse()]) this.addWhole(kind, level);
    this.list.push(...this.list.splice(from).sort((one, other) => one.start - other.start));
  }

  /** True for what stands in the chunk itself. */
  private isOwn(at: number): boolean {
    return at >= this.cut.start && at < this.cut.end;
  }

  /** The last end of a word from which it is no longer than `most` back to `start`; `start` when there is none. */
  private shortened(start: number, most: number, end: number): number {
    const reach = this.measure.reach(start, Math.floor(most), end);
    const least = start + (reach - start) / 2;
    for (let at = reach; at > least; at--) {
      const isEnd = isBlank(this.text.charCodeAt(at)) || this.text.charCodeAt(at - 1) >= FIRST_WITHOUT_BLANKS;
      if (isEnd && isSettledBoundary(this.text, at)) return skipBlankBack(this.text, start, at);
    }
    return start;
  }
}
