// The text of one leaf while a reader fills it: white space collapsed as browsers do, marks (emphasis, code, links)
// written as Markdown; links are marked (links.ts).
//
// Output rules: strong, emphasis, strike-through and inline code stay, as in every converter for models: a bold lead-in
// is part of the author's text. Left out: marks inside a word (drop caps, coloured syllables), because they would tear
// the word apart for search and embedding; links without a target of their own (fragments, scripts, embedded files);
// everything but code in headings, which serve as paths. Prose gets no backslash escapes: the text is read, not
// rendered.
import { asPicture, linkTarget, markLink, withoutEndMark, withoutMarks, type LinkTargets } from './links.ts';

/** A kind of inline mark. `raised` is an index above the line: an exponent, the mark of a note, the end of `1st`. */
export type MarkKind = 'strong' | 'emphasis' | 'strike' | 'code' | 'link' | 'raised';

/** An open mark. */
export interface Mark {
  readonly kind: MarkKind;
  /** Target of a link. */
  readonly target: string;
  /**
   * A link is written once, around its text in the first leaf that has any, so that a target never multiplies; and once
   * in a heading or in code before, where Markdown has no link.
   */
  written: false | 'bare' | 'link';
}

/** The opening of each mark; that of emphasis is also its end, the others are placeholders until their end. */
const MARKS = { strong: '**', emphasis: '*', strike: '~~', code: '`', link: '', raised: '' } as const;
/** Marks that are left out inside a word. */
const EMPHASIS: ReadonlySet<MarkKind> = new Set(['strong', 'emphasis', 'strike']);

/** A mark whose opening is written, or waits for its text. */
interface OpenMark {
  readonly mark: Mark;
  /** Index in `pieces` of its opening; -1 while there is no text in it yet. */
  at: number;
  /** That of a link here. */
  readonly form: 'bare' | 'link';
  /** Left out, although open: inside code, or a link that is written. */
  readonly silent: boolean;
}

/** Word characters on both sides of a mark make it a mark inside a word. */
const WORD_START = /^[\p{L}\p{N}]/u;
const WORD_END = /[\p{L}\p{N}]$/u;
const endsInWord = (text = ''): boolean => WORD_END.test(withoutEndMark(text).slice(-2));

/** Collects the text of one leaf. Linear in its input. */
export class InlineText {
  readonly #pieces: string[] = [];
  readonly #open: OpenMark[] = [];
  /** Marks just closed with no text after them: a letter behind them shows that they end inside a word. */
  #closed: { readonly from: number; readonly to: number }[] = [];
  /** An index just closed with no text after it, which a letter behind it would cancel: the `A` of `LATEX`. */
  #mayBeLetter = -1;
  #space = false;
  #lineStart = true;
  #images = 0;
  /** True when the line ends in an image: a further image is separated from it, even in a link of its own. */
  #endsWithImage = false;
  #words = false;
  /** True when the last thing written is the description of an image. */
  #afterDescription = false;
  /** Backticks of prose are escaped where the leaf may become a table cell. */
  readonly #inCell: boolean;
  /** One line, marks other than code and links left out. */
  readonly #plain: boolean;
  readonly #targets: LinkTargets;

  constructor(options: {
    readonly inCell: boolean;
    readonly plain: boolean;
    readonly marks: readonly Mark[];
    readonly targets: LinkTargets;
  }) {
    this.#targets = options.targets;
    this.#inCell = options.inCell;
    this.#plain = options.plain;
    for (const mark of options.marks) this.open(mark);
  }

  /** True without any text; white space does not count. */
  get isBlank(): boolean {
    return !this.#words && this.#images === 0;
  }

  /** True when the leaf is one image and nothing else. */
  get isImage(): boolean {
    return !this.#words && this.#images === 1;
  }

  /** Adds text; runs of blanks, tabs and line ends become one blank. */
  text(raw: string): void {
    if (raw === '') return;
    let text = INVISIBLE.test(raw) ? raw.replace(INVISIBLES, '') : raw;
    if (COLLAPSIBLE.test(text)) text = text.replace(BLANKS, ' ');
    if (text.startsWith(' ')) {
      this.space();
      text = text.slice(1);
    }
    if (text === '') return;
    const spaceAfter = text.endsWith(' ');
    if (spaceAfter) text = text.slice(0, -1);
    this.#words ||= NOT_BLANK.test(text);
    this.#write(this.#inCell && !this.#inCode() ? text.replaceAll('`', '\\`') : text);
    if (spaceAfter) this.space();
  }

  /** A blank, unless one is there already. */
  space(): void {
    if (!this.#lineStart) this.#space = true;
  }

  /** A line break of the author. In a heading, a blank. */
  lineBreak(): void {
    if (this.#plain) {
      this.space();
      return;
    }
    this.#closed = [];
    this.#space = false;
    if (this.#pieces.length > 0) this.#pieces.push('\n');
    this.#lineStart = true;
  }

  /**
   * An image by its description. Only that is written inside a link or a heading; without a source it stands in
   * brackets, or alone when it is all of the leaf.
   */
  image(alt: string, source: string): void {
    const text = alt.replace(INVISIBLES, '').replace(BLANKS, ' ').replace(/[[\]]/g, '').trim();
    if (text === '') return;
    if (this.#endsWithImage) this.space();
    if (this.#plain || this.#open.some(({ mark, silent }) => mark.kind === 'link' && !silent)) {
      this.#writeDescription(text);
    } else {
      const target = linkTarget(source);
      this.#images++;
      this.#write(target === '' ? `[${text}]` : markLink(text, 'image', this.#targets.add(target)));
    }
    this.#endsWithImage = true;
  }

  /**
   * A description without marks of its own. It stands apart from the words beside it, unless it is one sign, as a drop
   * cap is.
   */
  #writeDescription(text: string): void {
    const isPart = text.length === 1;
    if (!isPart && WORD_START.test(text) && endsInWord(this.#pieces.at(-1))) this.space();
    this.text(text);
    this.#afterDescription = !isPart;
  }

  /** Begins a mark; it is written when text comes. */
  open(mark: Mark): void {
    const { kind, written } = mark;
    const form = this.#plain || this.#inCode() ? 'bare' : 'link';
    const isLeftOut =
      kind === 'link'
        ? written === 'link' || written === form
        : this.#inCode() || (this.#plain && kind !== 'code');
    this.#open.push({ mark, at: -1, form, silent: isLeftOut && kind !== 'raised' });
  }

  /** Ends a mark and, for the moment, the marks opened inside it. */
  close(mark: Mark): void {
    const position = this.#open.findLastIndex((open) => open.mark === mark);
    if (position === -1) return;
    const inside = this.#open.splice(position);
    for (const open of inside.reverse()) this.#closeWritten(open);
    for (const open of inside.reverse().slice(1)) this.open(open.mark);
  }

  /** The finished Markdown. The object must not be used afterwards. */
  finish(): string {
    for (const open of this.#open.splice(0).reverse()) this.#closeWritten(open);
    const text = this.#pieces.join('').trim();
    if (!this.isImage) return text;
    return text.startsWith('[') ? text.slice(1, -1) : asPicture(text);
  }

  #inCode(): boolean {
    return this.#open.some(({ mark, silent }) => mark.kind === 'code' && !silent);
  }

  #isRaised(): boolean {
    return this.#open.some(({ mark, at }) => mark.kind === 'raised' && at !== -1);
  }

  #write(text: string): void {
    if (this.#afterDescription) {
      this.#afterDescription = false;
      if (WORD_START.test(text) && endsInWord(this.#pieces.at(-1))) this.#space = true;
    }
    if (this.#closed.length > 0) {
      if (!this.#space && WORD_START.test(text)) this.#unwriteMarks();
      this.#closed = [];
    }
    if (this.#mayBeLetter !== -1) {
      if (!this.#space && WORD_START.test(text))
        this.#pieces[this.#mayBeLetter] = this.#pieces[this.#mayBeLetter]?.slice(1) ?? '';
      this.#mayBeLetter = -1;
    }
    // A bracket behind a bracket would be a link.
    if (this.#endsWithImage && text.startsWith('(')) this.#space = true;
    if (this.#space) this.#pieces.push(' ');
    this.#space = false;
    this.#lineStart = false;
    this.#endsWithImage = false;
    if (this.#open.length === 0) {
      this.#pieces.push(text);
      return;
    }
    const waiting = this.#open.filter(({ at, silent }) => at === -1 && !silent);
    // A no-break space stands outside the marks, or they would not be read as marks.
    const blanks = waiting.length === 0 ? 0 : text.length - text.trimStart().length;
    if (blanks > 0) this.#pieces.push(text.slice(0, blanks));
    for (const open of waiting) this.#openWritten(open, blanks > 0 ? text.slice(blanks) : text);
    this.#pieces.push(text.slice(blanks));
  }

  /** True behind a letter or figure, also where a link begins behind it. */
  #endsInWord(): boolean {
    const [before, last] = [this.#pieces.at(-2), this.#pieces.at(-1)];
    return endsInWord(last === '' ? before : last);
  }

  #openWritten(open: OpenMark, text: string): void {
    const { kind } = open.mark;
    const isInWord =
      EMPHASIS.has(kind) && (this.#isRaised() || (WORD_START.test(text) && this.#endsInWord()));
    open.at = this.#pieces.length;
    if (kind === 'link') open.mark.written = open.form;
    this.#pieces.push(isInWord ? '' : MARKS[kind]);
  }

  #closeWritten(open: OpenMark): void {
    const { mark, at, silent } = open;
    if (silent || at === -1) return;
    if (mark.kind === 'code') this.#fenceCode(at);
    else if (mark.kind === 'link') this.#closeLink(open);
    else if (mark.kind === 'raised') this.#closeRaised(at);
    else if (this.#pieces[at] !== '') {
      const blank = this.#takeBlankEnd(at);
      if (blank === '') this.#closed.push({ from: at, to: this.#pieces.length });
      this.#pieces.push(MARKS[mark.kind]);
      if (blank !== '') this.#pieces.push(blank);
    }
  }

  /** Removes the no-break spaces and line breaks at the end of a mark: it must end with its last word. */
  #takeBlankEnd(at: number): string {
    let blank = '';
    for (
      let last = this.#pieces.at(-1) ?? '';
      this.#pieces.length > at + 1;
      last = this.#pieces.at(-1) ?? ''
    ) {
      const text = last.trimEnd();
      blank = last.slice(text.length) + blank;
      this.#pieces.pop();
      if (text === '') continue;
      this.#pieces.push(text);
      break;
    }
    return blank;
  }

  /** `**D**rop` → `Drop`: the marks before a letter go when a letter stands before them too. */
  #unwriteMarks(): void {
    const before = this.#closed[0];
    if (before === undefined || !endsInWord(this.#pieces[before.to - 1])) return;
    for (const { from, to } of this.#closed) this.#pieces[from] = this.#pieces[to] = '';
  }

  /** Code that holds backticks gets a longer fence (CommonMark 0.31.2 section 6.1). */
  #fenceCode(at: number): void {
    this.#closed = [];
    const code = this.#pieces.splice(at + 1).join('');
    const fence = '`'.repeat(longestRun(code, '`') + 1);
    const pad = code.startsWith('`') || code.endsWith('`') ? ' ' : '';
    this.#pieces[at] = fence + pad + code + pad + fence;
  }

  #closeRaised(at: number): void {
    this.#closed = [];
    const text = this.#pieces.splice(at + 1).join('');
    const words = withoutMarks(text);
    // The figures of a link are raised already.
    const index =
      words !== text && RAISED_FIGURE.test(words) ? words : raisedText(words, this.#endBefore(at));
    this.#pieces[at] = words === text ? index : index.replace(words, () => text);
    if (CAPITAL_INDEX.test(index)) this.#mayBeLetter = at;
  }

  /** The last letters before a piece, without the marks between. */
  #endBefore(at: number): string {
    const before = this.#pieces
      .slice(Math.max(0, at - LOOK_BACK), at)
      .map((piece) => withoutEndMark(piece).slice(-LOOK_BACK));
    return before.join('').replace(/[*~`]+$/, '');
  }

  #closeLink({ at, form, mark: { target } }: OpenMark): void {
    this.#closed = [];
    const raw = this.#pieces.splice(at + 1).join('');
    const text = target !== '' && this.#isRaised() ? (raisedFigures(raw) ?? raw) : raw;
    this.#pieces[at] = target === '' ? text : markLink(text, form, this.#targets.add(target));
  }
}

/** Runs that are not one blank already: replacing each blank of a long text takes thirty times its memory. */
const BLANKS = /[\t\n\f\r][\t\n\f\r ]*| [\t\n\f\r ]+/g;
const COLLAPSIBLE = /[\t\n\f\r]|^ | $| {2}/;
const NOT_BLANK = /\S/;

/** NUL, soft hyphen, byte order mark: invisible characters that would hide a word from every search. */
const INVISIBLE = /[\0\u00ad\ufeff]/;
const INVISIBLES = /[\0\u00ad\ufeff]/g;

/** Length of the longest run of one character. */
export function longestRun(text: string, character: string): number {
  let longest = 0;
  for (let at = text.indexOf(character); at !== -1;) {
    let end = at + 1;
    while (text[end] === character) end++;
    longest = Math.max(longest, end - at);
    at = text.indexOf(character, end);
  }
  return longest;
}

const RAISABLE = /^[\d+\-−–()=]+(?:[,;] ?[\d+\-−–()=]+)*$/;
const RAISED: Readonly<Record<string, string>> = {
  '0': '⁰',
  '1': '¹',
  '2': '²',
  '3': '³',
  '4': '⁴',
  '5': '⁵',
  '6': '⁶',
  '7': '⁷',
  '8': '⁸',
  '9': '⁹',
  '+': '⁺',
  '-': '⁻',
  '−': '⁻',
  '–': '⁻',
  '=': '⁼',
  '(': '⁽',
  ')': '⁾',
};

const RAISED_FIGURE = /[⁰¹²³⁴-⁹]/;

/** Figures and signs as raised ones: 10⁶ is not 106. `undefined` where there is anything else. */
function raisedFigures(text: string): string | undefined {
  const figures = text.trim();
  if (!RAISABLE.test(figures)) return undefined;
  return text.replace(figures, () => figures.replace(/./gu, (sign) => RAISED[sign] ?? sign));
}

/** The base of an index: a word, a figure or a closing bracket. */
const BASE = /[\p{L}\p{N})\]}|]$/u;
/** Beginnings of an index that is part of a formula or a note's name, unlike a sign such as `[1]`, `*` and `®`. */
const INDEX = /^[\p{L}\p{N}+\-−±√∞(]/u;
/** Ends of words that are raised by convention: 1st, Mme, Cie, TM. */
const WORD_ENDING = /^\p{L}{2,}\.?$/u;
/** A number or a title, and the one letter that is its end: 1ª, XIXe, No, Mr. */
const ORDINAL = /(?:^|[^\p{L}\p{N}.,])(?:(?:\d+|[IVXLCDM]+)[aeoªº]|[\p{Lu}n][eorº])\.?$/u;
/** An index that would merge with its neighbours without brackets. */
const COMPOSED = /[+\-−–±×·*/=<>\s]|\p{N}\p{L}|\p{L}\p{N}/u;

const CAPITAL_INDEX = /^\^\p{Lu}$/u;

/** Longer ones are text in small type, beside the word before. */
const MAX_INDEX = 30;

/** So many pieces and letters before an index show its base: no number of a century or chapter is longer. */
const LOOK_BACK = 10;

/**
 * Raised text in plain characters: figures as raised figures; any other index behind a caret, as in LaTeX, with
 * brackets around several parts (`x^(n+1)`, `2^n`, `Smith^a`), since `xn+1` differs in meaning and `Smitha` is no name.
 * Ends of words stay as they are, because readers search for `1st`.
 */
function raisedText(text: string, before: string): string {
  const figures = raisedFigures(text);
  if (figures !== undefined) return figures;
  const index = text.trim();
  if (!BASE.test(before) || !INDEX.test(index) || text.startsWith(' ')) return text;
  if (index.length > MAX_INDEX) return ` ${text}`;
  if (WORD_ENDING.test(index) || ORDINAL.test(before + index)) return text;
  const isWhole = !COMPOSED.test(index) || (index.startsWith('(') && index.indexOf(')') === index.length - 1);
  return isWhole ? `^${text}` : `^(${text})`;
}
