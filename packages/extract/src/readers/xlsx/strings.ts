// The strings that cells share, and the text of one string: its runs, without the readings of East Asian characters.
import type { OfficePackage } from '../../package/office.ts';
import type { XmlVisitor } from '../../package/xml.ts';

/** Longest string of a cell in Excel; a longer one is cut. */
const MAX_STRING = 32_767;

/** Characters that XML cannot hold: `_x000D_` for a carriage return (ECMA-376 part 1, section 22.9.2.19). */
const ESCAPE = /_x([\dA-Fa-f]{4})_/g;

/** Collects the text of strings: `<si>` among those that are shared, `<is>` in a cell. */
export class StringText {
  #text = '';
  #isText = false;
  /** Open readings. */
  #readings = 0;

  open(name: string): void {
    if (name === 'x:t') this.#isText = true;
    else if (name === 'x:rPh') this.#readings++;
  }

  close(name: string): void {
    if (name === 'x:t') this.#isText = false;
    else if (name === 'x:rPh') this.#readings--;
  }

  text(text: string): void {
    if (this.#isText && this.#readings === 0 && this.#text.length < MAX_STRING) this.#text += text;
  }

  /** The text so far, and begins a new string. */
  take(): string {
    const text = unescape(this.#text.slice(0, MAX_STRING));
    this.#text = '';
    this.#readings = 0;
    return text;
  }
}

/** Text with its line ends as LF, and without the escapes of characters. */
export function unescape(text: string): string {
  const plain = text.includes('_x')
    ? text.replace(ESCAPE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text;
  return plain.includes('\r') ? plain.replace(/\r\n?/g, '\n') : plain;
}

/** The shared strings of a workbook, read when the first cell needs one. */
export class Strings {
  readonly #parts: OfficePackage;
  #strings: string[] | undefined;

  constructor(parts: OfficePackage) {
    this.#parts = parts;
  }

  /** The string with an index from 0; '' when there is none. */
  at(index: number): string {
    return (this.#strings ??= this.#read())[index] ?? '';
  }

  #read(): string[] {
    const strings: string[] = [];
    const string = new StringText();
    const visitor: XmlVisitor = {
      open: (name) => string.open(name),
      close: (name) => {
        string.close(name);
        if (name === 'x:si') strings.push(string.take());
      },
      text: (text) => string.text(text),
    };
    this.#parts.stream(this.#parts.related('sharedStrings'), visitor, () => false);
    return strings;
  }
}
