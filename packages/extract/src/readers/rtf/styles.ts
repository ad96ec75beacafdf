// The style sheet of an RTF file: which styles are headings, code and quotations, by their names as in a DOCX, or by an
// outline level.
import { CODE_RUN_STYLES, CODE_STYLES, QUOTE_STYLES } from '../docx/styles.ts';

/** Characters of a name that are kept. */
const MAX_NAME = 4000;

/** The part of a text that a paragraph style makes. */
export type ParagraphRole = 'code' | 'quote';

/** Takes the words and texts of the style sheet, and knows the meaning of each style by its number. */
export class RtfStyles {
  /** Levels of headings. */
  readonly #headings = new Map<number, number>();
  readonly #roles = new Map<number, ParagraphRole>();
  /** Character styles of code. */
  readonly #code = new Set<number>();
  #open = newStyle();

  /** Level of the headings in a paragraph style, from 1; 0 for text. */
  headingOf(style: number): number {
    return this.#headings.get(style) ?? 0;
  }

  roleOf(style: number): ParagraphRole | undefined {
    return this.#roles.get(style);
  }

  /** True for a character style of code. */
  isCode(style: number): boolean {
    return this.#code.has(style);
  }

  /** A control word of the style sheet. */
  word(name: string, value: number | undefined): void {
    if (name === 's') this.#open = newStyle('paragraph', value);
    else if (name === 'cs') this.#open = newStyle('run', value);
    else if (name === 'ds' || name === 'ts') this.#open = newStyle('none');
    else if (name === 'outlinelevel') this.#open.outline = value ?? -1;
  }

  /** Text of the style sheet. A style ends with a semicolon: `heading 2;`. */
  name(text: string): void {
    this.#open.name = `${this.#open.name}${text}`.slice(0, MAX_NAME);
    if (text.includes(';')) this.#end();
  }

  #end(): void {
    const { of, number, outline, ...open } = this.#open;
    const name = open.name.replace(/;.*/s, '').trim();
    this.#open = newStyle();
    if (of === 'run' && CODE_RUN_STYLES.test(name)) this.#code.add(number);
    if (of !== 'paragraph') return;
    const [, level] = /^heading (\d)$/i.exec(name) ?? [];
    const depth = level === undefined ? outline + 1 : Number(level);
    if (depth >= 1 && depth <= 9) this.#headings.set(number, depth);
    else if (CODE_STYLES.test(name)) this.#roles.set(number, 'code');
    else if (QUOTE_STYLES.test(name)) this.#roles.set(number, 'quote');
  }
}

function newStyle(of: 'paragraph' | 'run' | 'none' = 'paragraph', number = 0) {
  return { of, number, name: '', outline: -1 };
}
