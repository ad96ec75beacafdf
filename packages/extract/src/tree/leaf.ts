// The open paragraph, heading or code: takes text, line breaks and images until it ends, and then becomes a node of the
// tree where it began, unless it stayed blank.
import type { Containers } from './containers.ts';
import type { WithGlyphs } from './glyphs.ts';
import { InlineText, type Mark } from './inline.ts';
import type { LinkTargets } from './links.ts';
import type { TreeNode } from './node.ts';

/** Preformatted text while it is being collected. */
interface Code {
  readonly pieces: string[];
  language: string;
  readonly mark: WithGlyphs | undefined;
}

/** A line that has begun, and its target. */
interface OpenLine {
  readonly inline: InlineText;
  readonly into: TreeNode[];
  readonly mark: WithGlyphs | undefined;
}

const HEADING_DEPTHS = 6;

/** Word and PowerPoint describe a picture without a description by its path, and add a remark to their own words. */
const FILE_NAME = /^(?:[a-z]:\\.{0,300}|\S{0,300})\.(?:bmp|emf|gif|jpe?g|pict|png|svg|tiff?|webp|wmf)$/i;
const GENERATED =
  /\s(?:Description (?:automatically )?generated(?: with \w+ confidence)?|AI-generated content may be incorrect\.?)$/i;

/** The leaf at the current position. It begins anew after each {@link end}. */
export class Leaf {
  readonly #containers: Containers;
  readonly #targets: LinkTargets;
  /** Depth of the heading that is open, else 0. */
  #heading = 0;
  #line: OpenLine | undefined;
  #code: Code | undefined;
  /** True when the last thing on the line was a line break: a second one ends the paragraph. */
  #broken = false;
  #beside: TreeNode[] = [];

  constructor(containers: Containers, targets: LinkTargets) {
    this.#containers = containers;
    this.#targets = targets;
  }

  /** True while a line, a heading or code has begun. */
  get isBegun(): boolean {
    return this.#line !== undefined || this.#code !== undefined || this.#heading > 0;
  }

  get isInCode(): boolean {
    return this.#code !== undefined;
  }

  get isInHeading(): boolean {
    return this.#heading > 0;
  }

  /** True while a heading is open that has text already. */
  get isFilledHeading(): boolean {
    return this.#heading > 0 && this.#line !== undefined && !this.#line.inline.isBlank;
  }

  /** Takes blocks that stand beside the current leaf, and come behind it. */
  get beside(): TreeNode[] {
    return this.#beside;
  }

  /** Turns the next text into a heading; depth is clamped to 1 to 6. */
  openHeading(depth: number): void {
    this.#heading = Math.min(HEADING_DEPTHS, Math.max(1, Math.trunc(depth)));
  }

  /** Turns the next text into preformatted text. */
  openCode(language: string): void {
    this.#code = { pieces: [], language, mark: this.#containers.mark };
  }

  /** Sets the language of the open code, unless it is known already. */
  nameLanguage(language: string): void {
    if (this.#code?.language === '') this.#code.language = language;
  }

  /** Ends a paragraph; in a heading and in code only the line. */
  boundary(): void {
    if (this.#code !== undefined) {
      if (this.#code.pieces.at(-1)?.endsWith('\n') === false) this.#code.pieces.push('\n');
    } else if (this.#heading > 0) this.#line?.inline.space();
    else this.end();
  }

  /** Adds text; begins a paragraph where nothing is open. */
  text(text: string): void {
    if (this.#code !== undefined) {
      this.#code.pieces.push(text);
      return;
    }
    if (this.#line === undefined && !VISIBLE.test(text)) return;
    if (this.#broken && VISIBLE.test(text)) this.#broken = false;
    this.inline().text(text);
  }

  /** A line break of the author; two in a row end the paragraph. */
  lineBreak(): void {
    if (this.#code !== undefined) this.#code.pieces.push('\n');
    else if (this.#broken) this.boundary();
    else if (this.#line !== undefined) {
      this.#line.inline.lineBreak();
      this.#broken = true;
    }
  }

  /** An image by its description; an image without description, and any in code, is left out. */
  image(alt: string, source: string): void {
    const text = alt.trim().replace(GENERATED, '').trimEnd();
    if (text === '' || FILE_NAME.test(text) || this.#code !== undefined) return;
    this.#broken = false;
    this.inline().image(text, source);
  }

  openMark(mark: Mark): void {
    this.#line?.inline.open(mark);
  }

  closeMark(mark: Mark): void {
    this.#line?.inline.close(mark);
  }

  /** The open line; begins one if there is none. */
  inline(): InlineText {
    this.#line ??= {
      into: this.#containers.place(),
      mark: this.#containers.mark,
      inline: new InlineText({
        inCell: this.#containers.isInCell,
        plain: this.#heading > 0,
        marks: this.#containers.marks.all,
        targets: this.#targets,
      }),
    };
    return this.#line.inline;
  }

  /** Puts the open leaf into the tree, and behind it the blocks beside it. */
  end(): void {
    if (this.#code !== undefined) this.#endCode(this.#code);
    const line = this.#line;
    const depth = this.#heading;
    this.#line = undefined;
    this.#heading = 0;
    this.#broken = false;
    if (line !== undefined && !line.inline.isBlank) endLine(line, depth);
    if (this.#beside.length === 0) return;
    const into = line?.into ?? this.#containers.place();
    for (const node of this.#beside) into.push(node);
    this.#beside = [];
  }

  #endCode({ pieces, language, mark }: Code): void {
    this.#code = undefined;
    const text = pieces
      .join('')
      .replace(/\r\n?/g, '\n')
      .replace(/[\0\ufeff]/g, '')
      .replace(/^(?:[\t ]*\n)+/, '')
      .trimEnd();
    if (text !== '') this.#containers.place().push({ kind: 'code', text, language, ...mark });
  }
}

function endLine({ inline, into, mark }: OpenLine, depth: number): void {
  const { isImage } = inline;
  const text = inline.finish();
  if (text === '') return;
  if (depth > 0) into.push({ kind: 'heading', depth, text, ...mark });
  else into.push({ kind: isImage ? 'image' : 'paragraph', text, ...mark });
}

/** The beginning of a paragraph: any character but white space that collapses. */
const VISIBLE = /[^\t\n\f\r ]/;
