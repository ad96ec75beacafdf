// The structure tree of a tagged page (ISO 32000-1, 14.7): its elements in the author's order, and the marked content
// that belongs to them. The text itself stays with the lines: a leaf is a number that words carry (words.ts).
import { latin1 } from '../../../bytes.ts';
import { closing, withBuffer, type Pdfium } from './engine.ts';

/** An element of the tree, without the parts that stand on other pages. */
export interface TagElement {
  /** The standard type behind the file's own name: `P`, `H1`, `TD`. */
  readonly type: string;
  /** Its position in the file's tree: parts of one element on two pages have one key. */
  readonly key: string;
  /** The author's description of a figure. */
  readonly alt: string;
  /** Columns and rows that a cell covers. */
  readonly columns: number;
  readonly rows: number;
  readonly children: readonly TagChild[];
}

/** An element, the number of a leaf, or the place of an element that is empty or on another page. */
export type TagChild = TagElement | number | undefined;

/** The elements of a page and the leaf of each marked content. */
export interface PageTags {
  readonly elements: readonly TagElement[];
  readonly leafOf: LeafOf;
}

/** The leaf of a text object; 24 bytes at the pointer are overwritten. */
export type LeafOf = (object: number, pointer: number) => number;

/** Text that the author calls no part of the document: running heads, page numbers. */
export const ARTIFACT = -2;
/** Text outside the tree. */
export const UNTAGGED = -1;

/** Elements that are part of a line of text (ISO 32000-1, 14.8.4.4); their text belongs to the element around. */
const INLINE = new Set(
  'Span Quote Reference BibEntry Code Link Annot Ruby RB RT RP Warichu WT WP Em Strong Sub Form Formula Lbl'.split(
    ' ',
  ),
);
/** Elements with text of their own: a type that is unknown inside them is a part of that text. */
export const TEXTUAL = /^(?:P|H\d*|LBody|T[DH]|Caption|(?:FE|Foot|End)?[Nn]ote|TOCI|Title|Figure|Code|Lbl)$/;
const BLOCK =
  /^(?:P|H\d*|L|LI|LBody|Table|T[RDH]|THead|TBody|TFoot|Caption|Figure|(?:FE|Foot|End)?[Nn]ote|TOCI?|Title|Document|DocumentFragment|Part|Art|Sect|Div|BlockQuote|Index|Aside|Artifact)$/;
/** Elements inside a paragraph that stand elsewhere on the page: its sentence goes on behind them. */
const OUT_OF_LINE = /^(?:(?:FE|Foot|End)?[Nn]ote|Figure|Aside|Artifact)$/;

/** Deeper elements are not read. */
const MAX_DEPTH = 60;
/** A page with more elements is not read by its tree; the page of a large table has some thousand. */
const MAX_ELEMENTS = 20_000;
/**
 * PDFium looks for each element of a page among all children of its parent, on whatever page they are: the cost is that
 * product. This much takes some 1.5 s for one file; a report of 500 pages in a flat tree needs half of it.
 */
export const MAX_WORK = 1_000_000_000;
/** PDFium cannot be stopped within a page, so a file with more objects is read without tags. */
const MAX_OBJECTS = 60_000;

/** The reading of the trees of one file. */
export interface TagReading {
  /** The work that may still be done; minus infinity when the file is read without its tree. */
  work: number;
  /** True while PDFium holds a tree: when it ends then, the file can be read without. */
  isActive: boolean;
}

/** The reading of a file's tags before its beginning. */
export function tagReading(): TagReading {
  return { work: MAX_WORK, isActive: false };
}

/** Ends the reading of a file's tags when it has none, or is too large for them. */
export function limitTags({ call }: Pdfium, document: number, bytes: Uint8Array, reading: TagReading): void {
  const isReadable = call.FPDFCatalog_IsTagged(document) && objectsOf(bytes) <= MAX_OBJECTS;
  if (!isReadable) reading.work = -Infinity;
}

/** Number of objects by the file's own trailers; a pattern over the whole file takes ten times as long. */
function objectsOf(bytes: Uint8Array): number {
  let most = -1;
  for (let at = bytes.indexOf(SIZE_KEY[0]); at !== -1; at = bytes.indexOf(SIZE_KEY[0], at + 1)) {
    if (!SIZE_KEY.every((code, index) => bytes[at + index] === code)) continue;
    const behind = at + SIZE_KEY.length;
    most = Math.max(
      most,
      Number(/^[ \t\r\n]{0,3}(\d{1,9})/.exec(latin1(bytes.subarray(behind, behind + 12)))?.[1] ?? -1),
    );
  }
  return most;
}

/** `/Size` */
const SIZE_KEY = [0x2f, 0x53, 0x69, 0x7a, 0x65] as const;

/** Reads the tree of a page; `undefined` when the page has none within the limits. */
export function readTags(pdfium: Pdfium, page: number, reading: TagReading): PageTags | undefined {
  const { call } = pdfium;
  if (reading.work <= 0) return undefined;
  reading.isActive = true;
  const tree = call.FPDF_StructTree_GetForPage(page);
  if (tree === 0) {
    reading.isActive = false;
    return undefined;
  }
  return closing(
    () => {
      call.FPDF_StructTree_Close(tree);
      reading.isActive = false;
    },
    () =>
      withBuffer(pdfium, BUFFER_BYTES, (buffer) => {
        const reader = new TreeReader(pdfium, buffer, reading);
        const elements = reader.read(tree);
        return elements === undefined || reader.leaves.size === 0
          ? undefined
          : { elements, leafOf: leafReader(pdfium, page, reader.leaves, buffer) };
      }),
  );
}

/** Offsets in the buffer: what PDFium writes, a number, and the names of attributes. */
const BUFFER_BYTES = 256;
const NAME_BYTES = 128;
const NUMBER = 128;
const COL_SPAN = 160;
const ROW_SPAN = 192;

/** Consecutive text of one element; {@link UNTAGGED} before its first content. */
interface OpenLeaf {
  leaf: number;
}

class TreeReader {
  /** The leaf of each marked content, by its number on the page. */
  readonly leaves = new Map<number, number>();
  readonly #pdfium: Pdfium;
  readonly #buffer: number;
  readonly #reading: TagReading;
  /** Elements met: a damaged tree names one twice, or runs in circles. */
  readonly #met = new Set<number>();
  #next = 0;

  constructor(pdfium: Pdfium, buffer: number, reading: TagReading) {
    this.#pdfium = pdfium;
    this.#buffer = buffer;
    this.#reading = reading;
    const view = pdfium.view(buffer, BUFFER_BYTES);
    view.set(new TextEncoder().encode('ColSpan\0'), COL_SPAN);
    view.set(new TextEncoder().encode('RowSpan\0'), ROW_SPAN);
  }

  /** The elements at the top; `undefined` when there are too many. */
  read(tree: number): TagElement[] | undefined {
    const { call } = this.#pdfium;
    const elements: TagElement[] = [];
    const count = call.FPDF_StructTree_CountChildren(tree);
    for (let index = 0; index < count && this.#isWithin(); index++) {
      const handle = call.FPDF_StructTree_GetChildAtIndex(tree, index);
      if (handle === 0 || this.#met.has(handle)) continue;
      this.#met.add(handle);
      elements.push(this.#element(handle, this.#type(handle), `${index}`, 0));
    }
    this.#reading.work -= Math.max(0, count) * (1 + elements.length);
    return this.#isWithin() ? elements : undefined;
  }

  #isWithin(): boolean {
    return this.#met.size <= MAX_ELEMENTS;
  }

  #element(handle: number, type: string, key: string, depth: number): TagElement {
    const children: TagChild[] = [];
    this.#readChildren(handle, type, key, depth, { leaf: UNTAGGED }, children);
    const isCell = type === 'TD' || type === 'TH';
    return {
      type,
      key,
      alt: type === 'Figure' ? this.#alt(handle) : '',
      columns: isCell ? this.#span(handle, COL_SPAN) : 1,
      rows: isCell ? this.#span(handle, ROW_SPAN) : 1,
      children,
    };
  }

  /** Reads the children of an element, those of inline elements with the text around. */
  #readChildren(
    parent: number,
    around: string,
    key: string,
    depth: number,
    open: OpenLeaf,
    into: TagChild[],
  ): void {
    const { call } = this.#pdfium;
    const count = depth < MAX_DEPTH ? call.FPDF_StructElement_CountChildren(parent) : 0;
    let loaded = 1;
    for (let index = 0; index < count && this.#isWithin(); index++) {
      const content = call.FPDF_StructElement_GetChildMarkedContentID(parent, index);
      if (content >= 0) {
        if (open.leaf === UNTAGGED) into.push((open.leaf = this.#next++));
        if (!this.leaves.has(content)) this.leaves.set(content, open.leaf);
        continue;
      }
      const child = call.FPDF_StructElement_GetChildAtIndex(parent, index);
      if (child === 0) into.push(undefined);
      if (child === 0 || this.#met.has(child)) continue;
      this.#met.add(child);
      loaded++;
      const type = this.#type(child);
      const own = `${key}.${index}`;
      if (isPart(type, around)) this.#readChildren(child, around, own, depth + 1, open, into);
      else {
        into.push(this.#element(child, type, own, depth + 1));
        if (!OUT_OF_LINE.test(type)) open.leaf = UNTAGGED;
      }
    }
    this.#reading.work -= Math.max(0, count) * loaded;
  }

  #type(handle: number): string {
    const { call } = this.#pdfium;
    const length = call.FPDF_StructElement_GetType(handle, this.#buffer, NAME_BYTES);
    if (length <= 2 || length > NAME_BYTES) return '';
    // Types are in Latin letters, and a decoder takes longer than the rest of an element.
    const bytes = this.#pdfium.view(this.#buffer, length - 2);
    let type = '';
    for (let at = 0; at < bytes.length; at += 2) type += String.fromCharCode(bytes[at] ?? 0);
    return type;
  }

  #alt(handle: number): string {
    const { call } = this.#pdfium;
    const size = call.FPDF_StructElement_GetAltText(handle, 0, 0);
    if (size <= 2 || size > MAX_ALT_BYTES) return '';
    return withBuffer(this.#pdfium, size, (buffer) => {
      const length = Math.min(size, call.FPDF_StructElement_GetAltText(handle, buffer, size));
      return new TextDecoder('utf-16le').decode(this.#pdfium.view(buffer, Math.max(0, length - 2)));
    });
  }

  /** The number of a cell's attribute, 1 when it has none. */
  #span(handle: number, name: number): number {
    const { call } = this.#pdfium;
    const count = Math.min(MAX_ATTRIBUTES, call.FPDF_StructElement_GetAttributeCount(handle));
    for (let index = 0; index < count; index++) {
      const attributes = call.FPDF_StructElement_GetAttributeAtIndex(handle, index);
      const value = call.FPDF_StructElement_Attr_GetValue(
        attributes,
        // Called directly it takes a pointer.
        (this.#buffer + name) as unknown as string,
      );
      if (value === 0 || !call.FPDF_StructElement_Attr_GetNumberValue(value, this.#buffer + NUMBER)) continue;
      const bytes = this.#pdfium.view(this.#buffer + NUMBER, Float32Array.BYTES_PER_ELEMENT);
      const [span = 1] = new Float32Array(bytes.slice().buffer);
      return span >= 1 ? Math.trunc(span) : 1;
    }
    return 1;
  }
}

/** A longer description is no description. */
const MAX_ALT_BYTES = 4096;
const MAX_ATTRIBUTES = 8;

/** True if the text of an element belongs to the element around it. */
function isPart(type: string, around: string): boolean {
  if (type === 'Lbl') return around !== 'LI';
  if (type === 'Code') return around === 'LI' || TEXTUAL.test(around);
  return INLINE.has(type) || (TEXTUAL.test(around) && !BLOCK.test(type));
}

/** Kind of page object, and most objects in forms that are read (fpdfview.h). */
const FORM = 5;
const MAX_IN_FORMS = 20_000;
const MAX_FORM_DEPTH = 3;

/** Finds the leaf of a text object by its marked content; text in a form belongs to that of the form. */
function leafReader(
  pdfium: Pdfium,
  page: number,
  leaves: ReadonlyMap<number, number>,
  buffer: number,
): LeafOf {
  const { call } = pdfium;
  const known = new Map<number, number>();
  const leafOf: LeafOf = (object, pointer) => {
    let leaf = known.get(object);
    if (leaf === undefined) {
      leaf = leaves.get(call.FPDFPageObj_GetMarkedContentID(object));
      leaf ??= isArtifact(pdfium, object, pointer) ? ARTIFACT : UNTAGGED;
      known.set(object, leaf);
    }
    return leaf;
  };
  let inForms = 0;
  const readForm = (form: number, leaf: number, depth: number): void => {
    const count = call.FPDFFormObj_CountObjects(form);
    for (let index = 0; index < count && inForms < MAX_IN_FORMS; index++, inForms++) {
      const object = call.FPDFFormObj_GetObject(form, index);
      known.set(object, leaf);
      if (depth > 0 && call.FPDFPageObj_GetType(object) === FORM) readForm(object, leaf, depth - 1);
    }
  };
  const count = call.FPDFPage_CountObjects(page);
  for (let index = 0; index < count; index++) {
    const object = call.FPDFPage_GetObject(page, index);
    if (call.FPDFPageObj_GetType(object) === FORM) readForm(object, leafOf(object, buffer), MAX_FORM_DEPTH);
  }
  return leafOf;
}

const MAX_MARKS = 8;
const ARTIFACT_NAME = 'Artifact';
/** UTF-16 with a terminator. */
const ARTIFACT_BYTES = 2 * (ARTIFACT_NAME.length + 1);

/** True if one of an object's marks says that it is no part of the document. */
function isArtifact(pdfium: Pdfium, object: number, pointer: number): boolean {
  const { call } = pdfium;
  const count = Math.min(MAX_MARKS, call.FPDFPageObj_CountMarks(object));
  for (let index = 0; index < count; index++) {
    const mark = call.FPDFPageObj_GetMark(object, index);
    // A longer name is not written.
    if (!call.FPDFPageObjMark_GetName(mark, pointer + 4, ARTIFACT_BYTES, pointer)) continue;
    const bytes = pdfium.view(pointer, 4 + ARTIFACT_BYTES);
    if (bytes[0] !== ARTIFACT_BYTES) continue;
    let at = 0;
    while (at < ARTIFACT_NAME.length && bytes[4 + 2 * at] === ARTIFACT_NAME.charCodeAt(at)) at++;
    if (at === ARTIFACT_NAME.length) return true;
  }
  return false;
}
