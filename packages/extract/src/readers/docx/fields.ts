// Fields of a DOCX: calculated text, such as a table of contents or a cross reference. A field has a hidden code and a
// result, which stands in the text; fields nest.
import { shownByCode } from './field-codes.ts';
import { attributeOf } from '../../package/xml.ts';

interface Field {
  /** The index of its begin among all elements of the part. */
  readonly index: number;
  code: string;
  isResult: boolean;
  isLink: boolean;
  /** The kind of a form field and its choice. */
  form: ReadonlyMap<string, string> | undefined;
}

/** Open fields, the outermost first. */
export class Fields {
  readonly #open: Field[] = [];
  /** Number of open fields that have not reached their result. */
  #codes = 0;
  /** Number of open fields that list and show the document's content. */
  #listings = 0;

  /** True where text is part of a code. */
  get isHidden(): boolean {
    return this.#codes > 0;
  }

  /** True in the entries of a list of contents or an index: their styles may be based on those of headings. */
  get isListing(): boolean {
    return this.#listings > 0;
  }

  /** Fields that showed nothing, because neither their result nor their end has come. */
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

  /** The field's `w:ffData`. */
  form(properties: ReadonlyMap<string, string>): void {
    const field = this.#open.at(-1);
    if (field !== undefined) field.form = properties;
  }

  /** Begins the field's result. Returns the address when the result is a link. */
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

  /**
   * Ends the field. The result's `text` is that of a field without a result of its own: a choice in a form, or text
   * from its code.
   */
  end(): { readonly isLink: boolean; readonly text: string } {
    const field = this.#open.pop();
    if (field === undefined) return { isLink: false, text: '' };
    if (!field.isResult) this.#codes--;
    else if (LISTING.test(field.code)) this.#listings--;
    if (field.form !== undefined) return { isLink: field.isLink, text: chosenText(field.form) };
    return { isLink: field.isLink, text: field.isResult ? '' : shownByCode(field.code) };
  }
}

/** A check box as Word shows it, or the chosen entry of a list. */
function chosenText(form: ReadonlyMap<string, string>): string {
  if (form.has('w:checkBox')) {
    const state = form.get('w:checkBox w:checked') ?? form.get('w:checkBox w:default');
    return state !== undefined && !/^(?:0|false|off)$/.test(attributeOf(state, 'val')) ? '☒ ' : '☐ ';
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

/** The address of a link field; `undefined` for other fields, '#…' for positions in the document itself. */
export function hyperlinkOf(code: string): string | undefined {
  const found = HYPERLINK.exec(code);
  if (found === null) return undefined;
  const place = PLACE.exec(code)?.[1];
  const address = found[1] ?? found[2] ?? '';
  return place === undefined ? address : `${address}#${place}`;
}
