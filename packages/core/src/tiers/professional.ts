// The tier `professional`: chunks as `structure` makes them, a little smaller, and before each what a reader of it alone
// would miss: the document's title, the headings over it, the line that announces its list, the sentence that its first
// word leans on, the definition of an acronym. No model: every word injected is a slice of the text, with its span.
import { skipBlankBack } from '../blocks/lines.ts';
import { type ContextPart, type Cut, leadOf } from '../cut.ts';
import type { Document, Span } from '../document.ts';
import { show } from '../errors.ts';
import { type Atoms, FLAG, STRENGTH } from '../pack/atoms.ts';
import { Description } from '../pack/cuts.ts';
import { type Measure, measureOf } from '../pack/measure.ts';
import { PACK_OPTIONS, type PackOptions, packFaults, packLimits } from '../pack/options.ts';
import { isBlank, isSettledBoundary } from '../unicode.ts';
import { acronymsIn, definitionsIn } from './professional/acronyms.ts';
import { LeadIns } from './professional/lead-ins.ts';
import { lastSentence, refersBack } from './professional/references.ts';
import { documentTitle, titlePath } from './professional/titles.ts';
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
/** … and no more tokens, or units, than this. A table header, without which rows mean nothing, may exceed it. */
const MOST_TOKENS = 64;
const MOST_UNITS = 320;
/** Share of the budget that the maximum keeps free in every chunk; most chunks are shorter and leave the rest too. */
const KEPT_SHARE = 0.5;
/** The most of the budget that a title takes. */
const TITLE_SHARE = 0.5;
/** A part is shortened to what is left of the budget, unless that is less than this share of it. */
const LEAST_SHARE = 0.125;
/** A part this long, in UTF-16 units, that the chunk or another part says as well is left out. */
const TELLING = 24;
/** Scripts from here on put no blanks between words, or are rare. */
const FIRST_WITHOUT_BLANKS = 0xe00;

/** The tier `professional`. */
export const PROFESSIONAL: Tier<ProfessionalOptions> = {
  id: 'professional',
  summary: 'As structure, with title, headings, lead-ins and definitions injected before each chunk.',
  options: [...PACK_OPTIONS, 'context'],
  check: (options) => [
    ...packFaults(options),
    ...(MODES.includes(options['context'])
      ? []
      : [{ option: 'context', expected: 'corpus or in-document', received: show(options['context']) }]),
  ],
  cut(document: Document, options: ProfessionalOptions): Cut[] {
    const { size } = options;
    const measure = measureOf(document.text, options.measure);
    const most = measure.unit === 'token' ? MOST_TOKENS : MOST_UNITS;
    const budget = Math.min(Math.floor(BUDGET_SHARE * size), most);
    const limits = packLimits({ ...options, size: size - Math.floor(KEPT_SHARE * budget) });
    const { atoms, cuts } = packBlocks(document, options, limits, measure);
    const injection = new Injection(document, atoms, options, budget, measure);
    return cuts.map((cut, index) => injection.into(cut, cuts[index - 1]));
  },
};

/** Injects context into the cuts of one document, asked for in order. Linear in the text. */
class Injection {
  private readonly text: string;
  private readonly atoms: Atoms;
  private readonly options: ProfessionalOptions;
  private readonly budget: number;
  private readonly measure: Measure;
  private readonly description: Description;
  private readonly title: Span | undefined;
  private readonly leadIns: LeadIns;
  /** The first atom of the next cut. */
  private atom = 0;
  private readonly definitions: ReadonlyMap<string, Span>;

  constructor(
    document: Document,
    atoms: Atoms,
    options: ProfessionalOptions,
    budget: number,
    measure: Measure,
  ) {
    this.text = document.text;
    this.atoms = atoms;
    this.options = options;
    this.budget = budget;
    this.measure = measure;
    this.description = new Description(atoms);
    this.title = documentTitle(document, atoms.sections);
    this.leadIns = new LeadIns(document.text, document.blocks);
    this.definitions = definitionsIn(document.text);
  }

  /** A cut with its context. */
  into(cut: Cut, previous: Cut | undefined): Cut {
    const { text, definitions, atoms, measure } = this;
    const first = this.atom;
    while ((atoms.ends[this.atom] ?? cut.end) < cut.end) this.atom++;
    const last = this.atom++;
    const parts = new Parts(text, cut, this.roomIn(cut), LEAST_SHARE * this.budget, measure);
    if (parts.isFull) return cut;
    if (this.options.context !== 'in-document') {
      if (this.title !== undefined) parts.add('title', this.title, TITLE_SHARE * this.budget);
      const section = this.description.sectionOf(first, last);
      parts.addLevels('heading-path', titlePath(text, atoms.sections, section));
    }
    parts.list.push(...(cut.context ?? []));
    const announcing = this.leadIns.over(cut.start).filter(({ end }) => end <= cut.start);
    parts.addLevels(
      'lead-in',
      announcing.flatMap(({ start, end }) => lastSentence(text, start, end) ?? []),
    );
    const antecedent = this.antecedentOf(cut, previous, first);
    if (antecedent !== undefined) parts.add('antecedent', antecedent);
    for (const name of definitions.size > 0 ? acronymsIn(parts.own) : []) {
      const definition = definitions.get(name);
      if (definition !== undefined) parts.addWhole('definition', definition);
    }
    return this.withinSize(cut, parts.list);
  }

  /** A cut with all its parts but the last, if by the true count of tokens, which is no sum, they are too many. */
  private withinSize(cut: Cut, list: ContextPart[]): Cut {
    const { measure, options } = this;
    const given = cut.context ?? [];
    if (list.length <= given.length) return cut;
    if (measure.unit === 'utf16') return { ...cut, context: list };
    const tokenCount = measure.behind(leadOf(list), cut.start, cut.end);
    if (tokenCount <= options.size) return { ...cut, context: list, tokenCount };
    const last = list.findLastIndex((part) => !given.includes(part));
    return this.withinSize(cut, list.toSpliced(last, 1));
  }

  /** What is left for context: each part takes a line end behind it, the last of them two. */
  private roomIn({ start, end, context = [] }: Cut): number {
    let room = Math.min(this.options.size - this.measure.length(start, end), this.budget) - 1;
    for (const part of context) room -= this.measure.length(part.start, part.end) + 1;
    return room;
  }

  /** The sentence before a chunk of prose that leans on it. */
  private antecedentOf({ start }: Cut, previous: Cut | undefined, first: number): Span | undefined {
    const { starts, ends, flags, strengths, sectionOf } = this.atoms;
    let at = first;
    while (at > 0 && (starts[at] ?? 0) > start) at--;
    const isProse = ((flags[at] ?? 0) & (flags[at - 1] ?? 0) & FLAG.repeats) !== 0;
    const follows = isProse && sectionOf[at] === sectionOf[at - 1] && strengths[at] !== STRENGTH.heading;
    if (!follows || previous === undefined || !refersBack(this.text, start)) return undefined;
    return lastSentence(this.text, previous.start, ends[at - 1] ?? 0);
  }
}

/** The context of one chunk, added in the order of its worth while the room lasts. */
class Parts {
  readonly list: ContextPart[] = [];
  /** The chunk's own text. */
  readonly own: string;
  private readonly text: string;
  private readonly cut: Cut;
  private readonly measure: Measure;
  private readonly least: number;
  private room: number;

  /** @param least a part is shortened to no less than this */
  constructor(text: string, cut: Cut, room: number, least: number, measure: Measure) {
    this.text = text;
    this.cut = cut;
    this.own = text.slice(cut.start, cut.end);
    this.room = room;
    this.least = least;
    this.measure = measure;
  }

  /** True when not even one character has room, with the line end behind it. */
  get isFull(): boolean {
    return this.room < 2;
  }

  /** Adds a part, cut at the end of a word to what there is room for. */
  add(kind: ContextPart['kind'], { start, end }: Span, most = Infinity): void {
    const room = Math.floor(Math.min(most, this.room - 1));
    const isShort = this.measure.length(start, end) <= room;
    if (isShort || room >= this.least)
      this.addWhole(kind, { start, end: isShort ? end : this.shortened(start, room, end) });
  }

  /** Adds a part if it has room as it is, and says something new. */
  addWhole(kind: ContextPart['kind'], { start, end }: Span): void {
    const { cut } = this;
    const length = this.measure.length(start, end);
    if (start >= end || length >= this.room || (start >= cut.start && start < cut.end)) return;
    const text = this.text.slice(start, end);
    const says = (said: string): boolean => said === text || (end - start >= TELLING && said.includes(text));
    if (says(this.own) || this.list.some((part) => part.start === start || says(part.text))) return;
    this.room -= length + 1;
    this.list.push({ kind, text, start, end });
  }

  /** Adds nested levels, outermost first: the innermost counts most, then the outermost; those between go first. */
  addLevels(kind: ContextPart['kind'], levels: readonly Span[]): void {
    const from = this.list.length;
    for (const level of levels.slice(-1)) this.add(kind, level);
    for (const level of [...levels.slice(0, 1), ...levels.slice(1, -1).reverse()]) this.addWhole(kind, level);
    this.list.push(...this.list.splice(from).sort((one, other) => one.start - other.start));
  }

  /** The last end of a word no further than `most` from `start`; `start` when there is none in the second half of it. */
  private shortened(start: number, most: number, end: number): number {
    const reach = this.measure.reach(start, most, end);
    for (let at = reach; at > (start + reach) / 2; at--) {
      const isEnd = isBlank(this.text.charCodeAt(at)) || this.text.charCodeAt(at - 1) >= FIRST_WITHOUT_BLANKS;
      if (isEnd && isSettledBoundary(this.text, at)) return skipBlankBack(this.text, start, at);
    }
    return start;
  }
}
