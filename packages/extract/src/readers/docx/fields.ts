// Fields of a DOCX: what is calculated, such as a table of contents or a cross reference. A field has a code, which
// nobody sees, and a result, which stands in the text; fields nest.
import { shownByCode } from './field-codes.ts';
import { attributeOf } from './xml.ts';

interface Field {
  /** The place of its begin among all elements of the part. */
  readonly index: number;
  code: string;
  isResult: boolean;
  isLink: boolean;
  /** Of a field of a form: what it is and what is chosen. */
  form: ReadonlyMap<string, string> | undefined;
}

/** Fields that are open, the outermost first. */
export class Fields {
  readonly #open: Field[] = [];
  /** How many of them have not come to their result. */
  #codes = 0;
  /** How many of them list what the document holds, and show it. */
  #listings = 0;

  /** True where text is part of a code. */
  get isHidden(): boolean {
    return this.#codes > 0;
  }

  /** True in the entries of a list of contents or an index: styles of theirs may be based on those of headings. */
  get isListing(): boolean {
    return this.#listings > 0;
  }

  /** Fields of which nothing was shown, because neither their result nor their end has come. */
  get unended(): number[] {
    return this.#open.filter(({ isResult }) => !isResult).map(({ index }) => index);
  }

  begin(index: number): void {
    this.#open.push({ index, code: '', isResult: false, isLink: false, form: undefined });
    this.#codes++;
  }

  /** Adds to the code of the field that was opened last. */
  code(text: string): void {
    const field = this.#open.at(-1);
    if (field?.isResult === false) field.code += text;
  }

  /** What `w:ffData` says about it. */
  form(properties: ReadonlyMap<string, string>): void {
    const field = this.#open.at(-1);
    if (field !== undefined) field.form = properties;
  }

  /** Its result begins. The address when the result is a link. */
  separate(): string | undefined {
    const field = this.#open.at(-1);
    if (field === undefined || field.isResult) return undefined;
    field.isResult = true;
    this.#codes--;
    if (LISTING.test(field.code)) this.#listings++;
    const address = this.isHidden ? undefined : hyperlinkOf(field.code);
    field.isLink = address !== undefined;
    return address;
  }

  /** It ends. `text` is what a field shows that has no result: a choice in a form, or what its code says. */
  end(): { readonly isLink: boolean; readonly text: string } {
    const field = this.#open.pop();
    if (field === undefined) return { isLink: false, text: '' };
    if (!field.isResult) this.#codes--;
    else if (LISTING.test(field.code)) this.#listings--;
    if (field.form !== undefined) return { isLink: field.isLink, text: chosen(field.form) };
    return { isLink: field.isLink, text: field.isResult ? '' : shownByCode(field.code) };
  }
}

/** A check box as task lists show it, or the entry that is chosen from a list. */
function chosen(form: ReadonlyMap<string, string>): string {
  if (form.has('w:checkBox')) {
    const state = form.get('w:checkBox w:checked') ?? form.get('w:checkBox w:default');
    return state !== undefined && !/^(?:0|false|off)$/.test(attributeOf(state, 'val')) ? '[x] ' : '[ ] ';
  }
  if (!form.has('w:ddList')) return '';
  const entries = [...form].filter(([name]) => name.startsWith('w:ddList w:listEntry'));
  const index = Number.parseInt(attributeOf(form.get('w:ddList w:result') ?? '', 'val'), 10) || 0;
  return attributeOf(entries[index]?.[1] ?? '', 'val');
}

/** Tables of contents, of authorities, and indices. */
const LISTING = /^\s*(?:TOC|TOA|INDEX)\b/i;

/** `HYPERLINK "http://x.example/" \l "place" \o "shown beside it"` */
const HYPERLINK = /^\s*HYPERLINK\s+(?:"([^"]*)"|([^\s\\"]+))?/i;
const PLACE = /\\l\s+"([^"]*)"/i;

/** The address of a field that is a link; `undefined` when it is none, '#…' for places in the document itself. */
export function hyperlinkOf(code: string): string | undefined {
  const found = HYPERLINK.exec(code);
  if (found === null) return undefined;
  const place = PLACE.exec(code)?.[1];
  const address = found[1] ?? found[2] ?? '';
  return place === undefined ? address : `${address}#${place}`;
}
