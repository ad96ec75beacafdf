// XML of a part → its tags and text, in order. Reads the subset of Office Open XML: no document types, no entities but
// the five and numbers. One pass forward without recursion: time and memory are linear at any depth.
import { ExtractError } from '../errors.ts';

/**
 * The receiver of a part's content. Names carry the usual prefix of their namespace (`w:p`), whatever prefix the part
 * uses.
 */
export interface XmlVisitor {
  /** A start tag with its attributes in raw form, for {@link attributesOf}. */
  readonly open: (name: string, attributes: string) => void;
  /** The end of an element; comes for empty elements, too. */
  readonly close: (name: string) => void;
  /** Text between two tags, its references decoded. */
  readonly text: (text: string) => void;
}

/** Counts the tags of all parts of one document. */
export interface TagCount {
  tags: number;
}

/**
 * Most tags in all parts that are read, together. Measured: 1 µs a tag, and 300 bytes for a paragraph of six tags and a
 * word. Documents have one tag for ten characters of text (median of the corpus), at worst one for two: this is some
 * ten thousand pages.
 */
const MAX_TAGS = 3_000_000;

/** Reads a part. Throws `corrupted` when it is not well-formed, `too_complex` when it has too many tags. */
export function readXml(xml: string, visitor: XmlVisitor, count: TagCount): void {
  new XmlReader(visitor, count).read(xml, true);
}

/** Reads a part that comes in pieces. Throws as {@link readXml} does. */
export class XmlReader {
  readonly #visitor: XmlVisitor;
  readonly #count: TagCount;
  readonly #names = new Names();
  /** The open elements: names as written, and names with the usual prefixes. */
  readonly #open: string[] = [];
  readonly #openNames: string[] = [];
  #roots = 0;

  constructor(visitor: XmlVisitor, count: TagCount) {
    this.#visitor = visitor;
    this.#count = count;
  }

  /**
   * Reads a piece up to its last tag. Returns the offset of the rest, which the next piece begins with; a tag is never
   * cut, because the last `<` of a piece and what follows it stay in the rest.
   */
  read(xml: string, isLast: boolean): number {
    const limit = isLast ? xml.length : xml.lastIndexOf('<');
    let at = 0;
    for (let tag = xml.indexOf('<'); tag !== -1 && tag < limit; tag = xml.indexOf('<', at)) {
      if (tag > at && this.#open.length > 0) this.#visitor.text(decodeReferences(xml.slice(at, tag)));
      const end = this.#readTag(xml, tag, isLast);
      if (end === -1) return tag;
      at = end;
    }
    if (isLast && (this.#open.length > 0 || this.#roots === 0)) throw malformed();
    return at;
  }

  /** Reads the tag at an offset. Returns the offset behind it; -1 when its end is not in this piece. */
  #readTag(xml: string, at: number, isLast: boolean): number {
    if (++this.#count.tags > MAX_TAGS)
      throw new ExtractError('too_complex', { detail: `more than ${MAX_TAGS} XML tags` });
    const sign = xml.charCodeAt(at + 1);
    if (sign === EXCLAMATION_MARK || sign === QUESTION_MARK) {
      const aside = asideAt(xml, at, isLast);
      if (aside.text !== '' && this.#open.length > 0) this.#visitor.text(aside.text);
      return aside.end;
    }
    if (sign !== SLASH) return this.#readStart(xml, at, isLast);
    const end = endOfEndTag(xml, at, this.#open.pop());
    this.#visitor.close(this.#openNames.pop() ?? '');
    this.#names.leave(this.#open.length);
    return end;
  }

  #readStart(xml: string, at: number, isLast: boolean): number {
    const { nameEnd, attributesEnd, declares, isEmpty, end } = tagAt(xml, at);
    const open = this.#open;
    if (open.length === 0 && ++this.#roots > 1) throw malformed();
    const attributes = attributesEnd === nameEnd ? '' : xml.slice(nameEnd, attributesEnd);
    if (declares) this.#names.enter(open.length, attributes);
    const { written, name } = this.#names.at(xml, at + 1, nameEnd);
    const behind = name === UNREAD && !isEmpty ? xml.indexOf(`</${written}`, end) : end;
    if (behind === -1 && !isLast) return -1;
    this.#visitor.open(name, attributes);
    if (isEmpty) {
      this.#visitor.close(name);
      this.#names.leave(open.length);
      return end;
    }
    open.push(written);
    this.#openNames.push(name);
    if (behind === -1) throw malformed();
    return behind;
  }
}

/** Defaults of Word's own styles, which say nothing of a document and are half of most style sheets. */
const UNREAD = 'w:latentStyles';

/** Offsets in the text: most tags need no copy of their parts. */
interface XmlTag {
  readonly nameEnd: number;
  readonly attributesEnd: number;
  /** True when an attribute declares a namespace. */
  readonly declares: boolean;
  readonly isEmpty: boolean;
  /** Offset behind it. */
  readonly end: number;
}

/** Blanks, and control characters, which are in no name. */
const BLANK = 0x20;
/** No tag of Word has half as many. */
const MAX_ATTRIBUTES = 100;

/** Reads `<name a="…" b='…'>` or `<name/>`: a regular expression takes three times as long. */
function tagAt(xml: string, start: number): XmlTag {
  const nameStart = start + 1;
  const nameEnd = endOfName(xml, nameStart);
  let attributesEnd = nameEnd;
  let declares = false;
  let at = endOfBlanks(xml, nameEnd);
  for (let count = 0; xml.charCodeAt(at) !== SLASH && xml.charCodeAt(at) !== MORE; count++) {
    const equals = endOfBlanks(xml, endOfName(xml, at));
    const quote = endOfBlanks(xml, equals + 1);
    const isAttribute = at > attributesEnd && equals > at && xml[equals] === '=' && count < MAX_ATTRIBUTES;
    if (!isAttribute || !isQuote(xml.charCodeAt(quote))) throw malformed();
    if (xml.startsWith('xmlns', at)) declares = true;
    attributesEnd = xml.indexOf(xml.charAt(quote), quote + 1) + 1;
    if (attributesEnd === 0) throw malformed();
    at = endOfBlanks(xml, attributesEnd);
  }
  const isEmpty = xml.charCodeAt(at) === SLASH;
  if (isEmpty) at++;
  if (nameEnd === nameStart || xml.charCodeAt(at) !== MORE) throw malformed();
  return { nameEnd, attributesEnd, declares, isEmpty, end: at + 1 };
}

/** Reads `</name >`, which must close the element that is open; returns the offset behind it. */
function endOfEndTag(xml: string, start: number, name: string | undefined): number {
  if (name === undefined || !xml.startsWith(name, start + 2)) throw malformed();
  const end = endOfBlanks(xml, start + 2 + name.length);
  if (xml.charCodeAt(end) !== MORE) throw malformed();
  return end + 1;
}

const SLASH = 0x2f;
const COLON = 0x3a;
const MORE = 0x3e;
const EXCLAMATION_MARK = 0x21;
const QUESTION_MARK = 0x3f;
const DOUBLE_QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;

const isQuote = (code: number): boolean => code === DOUBLE_QUOTE || code === SINGLE_QUOTE;

/** The ASCII characters inside names; others are letters. */
const IN_NAME = Uint8Array.from({ length: 0x80 }, (_, code) =>
  code > BLANK && !'<>/="\''.includes(String.fromCharCode(code)) ? 1 : 0,
);

/** Behind the end of the text the code is NaN, which ends every loop. */
function endOfName(xml: string, from: number): number {
  let at = from;
  for (let code = xml.charCodeAt(at); code >= 0x80 || IN_NAME[code] === 1; code = xml.charCodeAt(at)) at++;
  return at;
}

function endOfBlanks(xml: string, from: number): number {
  let at = from;
  while (xml.charCodeAt(at) <= BLANK) at++;
  return at;
}

/** Comments, CDATA sections and instructions, which begin like tags. */
const ASIDES = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const;

/** The end is -1 when it is not in this piece. */
function asideAt(xml: string, at: number, isLast: boolean): { readonly text: string; readonly end: number } {
  for (const [start, end] of ASIDES) {
    if (!xml.startsWith(start, at)) continue;
    const found = xml.indexOf(end, at + start.length);
    if (found === -1 && !isLast) return { text: '', end: -1 };
    if (found === -1) throw malformed();
    const text = start === '<![CDATA[' ? xml.slice(at + start.length, found) : '';
    return { text, end: found + end.length };
  }
  if (xml.startsWith('<!DOCTYPE', at))
    throw new ExtractError('corrupted', {
      detail: 'its XML declares a document type, which its format does not allow',
    });
  throw malformed();
}

/** Known namespaces, by the last words of their addresses in the transitional and in the strict format. */
const PREFIXES: ReadonlyMap<string, string> = new Map([
  ['http://schemas.openxmlformats.org/wordprocessingml/2006/main', 'w'],
  ['http://purl.oclc.org/ooxml/wordprocessingml/main', 'w'],
  ['http://schemas.openxmlformats.org/officeDocument/2006/math', 'm'],
  ['http://purl.oclc.org/ooxml/officeDocument/math', 'm'],
  ['http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing', 'wp'],
  ['http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing', 'wp'],
  ['http://schemas.openxmlformats.org/drawingml/2006/main', 'a'],
  ['http://purl.oclc.org/ooxml/drawingml/main', 'a'],
  ['http://schemas.openxmlformats.org/drawingml/2006/diagram', 'dgm'],
  ['http://purl.oclc.org/ooxml/drawingml/diagram', 'dgm'],
  ['http://schemas.openxmlformats.org/drawingml/2006/chart', 'c'],
  ['http://purl.oclc.org/ooxml/drawingml/chart', 'c'],
  ['http://schemas.openxmlformats.org/spreadsheetml/2006/main', 'x'],
  ['http://purl.oclc.org/ooxml/spreadsheetml/main', 'x'],
  ['http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing', 'xdr'],
  ['http://purl.oclc.org/ooxml/drawingml/spreadsheetDrawing', 'xdr'],
  ['http://schemas.openxmlformats.org/markup-compatibility/2006', 'mc'],
  ['http://schemas.microsoft.com/office/word/2010/wordml', 'w14'],
  ['urn:schemas-microsoft-com:vml', 'v'],
  ['http://schemas.openxmlformats.org/presentationml/2006/main', 'p'],
  ['http://purl.oclc.org/ooxml/presentationml/main', 'p'],
  ['urn:oasis:names:tc:opendocument:xmlns:office:1.0', 'office'],
  ['urn:oasis:names:tc:opendocument:xmlns:style:1.0', 'style'],
  ['urn:oasis:names:tc:opendocument:xmlns:text:1.0', 'text'],
  ['urn:oasis:names:tc:opendocument:xmlns:table:1.0', 'table'],
  ['urn:oasis:names:tc:opendocument:xmlns:drawing:1.0', 'draw'],
  ['urn:oasis:names:tc:opendocument:xmlns:presentation:1.0', 'presentation'],
  ['urn:oasis:names:tc:opendocument:xmlns:chart:1.0', 'chart'],
  ['urn:oasis:names:tc:opendocument:xmlns:meta:1.0', 'meta'],
  ['urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0', 'svg'],
  ['http://www.w3.org/1998/Math/MathML', 'math'],
  ['http://purl.org/dc/elements/1.1/', 'dc'],
]);

interface KnownName {
  readonly written: string;
  readonly name: string;
}

/** A number below 256 by the letters in which names of elements differ; a name displaces the one in its slot. */
function slotOf(xml: string, start: number, end: number): number {
  const middle = xml.charCodeAt((start + end) >> 1);
  return (xml.charCodeAt(end - 1) + 5 * middle + 31 * xml.charCodeAt(start + 2) + 131 * (end - start)) & 255;
}

/** Names in a part → names with the usual prefixes. Declarations hold for their element. */
class Names {
  /** Prefixes that differ from the usual ones. */
  readonly #prefixes = new Map<string, string>();
  /** Names resolved since the last change of {@link #prefixes}, by {@link slotOf}. */
  #known: KnownName[] = [];
  /** Prefixes that declarations have shadowed, with the depth. */
  readonly #undo: { readonly depth: number; readonly prefix: string; readonly before: string | undefined }[] =
    [];

  enter(depth: number, attributes: string): void {
    for (const [, name = '', address = ''] of attributes.matchAll(WRITTEN)) {
      if (name !== 'xmlns' && !name.startsWith('xmlns:')) continue;
      const prefix = name.slice('xmlns:'.length);
      const usual = PREFIXES.get(address.slice(1, -1)) ?? prefix;
      const before = this.#prefixes.get(prefix);
      if (usual === (before ?? prefix)) continue;
      this.#undo.push({ depth, prefix, before });
      this.#set(prefix, usual);
    }
  }

  leave(depth: number): void {
    for (let last = this.#undo.at(-1); last !== undefined && last.depth >= depth; last = this.#undo.at(-1)) {
      this.#undo.pop();
      this.#set(last.prefix, last.before ?? last.prefix);
    }
  }

  #set(prefix: string, usual: string): void {
    if (usual === prefix) this.#prefixes.delete(prefix);
    else this.#prefixes.set(prefix, usual);
    this.#known = [];
  }

  /** The name between two offsets. */
  at(xml: string, start: number, end: number): KnownName {
    const slot = slotOf(xml, start, end);
    const known = this.#known[slot];
    if (known?.written.length === end - start && xml.startsWith(known.written, start)) return known;
    const written = xml.slice(start, end);
    return (this.#known[slot] = { written, name: this.#read(written) });
  }

  #read(written: string): string {
    const colon = written.indexOf(':');
    const prefix = this.#prefixes.get(colon === -1 ? '' : written.slice(0, colon));
    return prefix === undefined || prefix === '' ? written : `${prefix}:${written.slice(colon + 1)}`;
  }
}

/** Every attribute, whole: text inside a value is never a declaration. */
const WRITTEN = /\s([^\s=]+)\s*=\s*("[^"]*"|'[^']*')/g;

/** Attributes of a start tag by their names without prefix. */
export function attributesOf(written: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  for (let equals = written.indexOf('='), from = 0; equals !== -1; equals = written.indexOf('=', from)) {
    const name = written.slice(from, equals).trim();
    const quote = endOfBlanks(written, equals + 1);
    from = written.indexOf(written.charAt(quote), quote + 1) + 1;
    attributes.set(name.slice(name.indexOf(':') + 1), decodeReferences(written.slice(quote + 1, from - 1)));
  }
  return attributes;
}

/** One attribute of a start tag, by its name without prefix, as {@link attributesOf} has it; '' when absent. */
export function attributeOf(written: string, name: string): string {
  if (!written.includes(name)) return '';
  let [start, end] = [0, 0];
  for (let equals = written.indexOf('='), from = 0; equals !== -1; equals = written.indexOf('=', from)) {
    const quote = endOfBlanks(written, equals + 1);
    const isNamed = isNamedAt(written, name, from, equals);
    from = written.indexOf(written.charAt(quote), quote + 1) + 1;
    if (isNamed) [start, end] = [quote + 1, from - 1];
  }
  return decodeReferences(written.slice(start, end));
}

/** True when what stands between two offsets is a name behind its prefix, if any, with blanks around. */
function isNamedAt(written: string, name: string, from: number, to: number): boolean {
  let end = to;
  while (end > from && written.charCodeAt(end - 1) <= BLANK) end--;
  const start = end - name.length;
  if (start < from || !written.startsWith(name, start)) return false;
  if (start === from || written.charCodeAt(start - 1) <= BLANK) return true;
  return written.charCodeAt(start - 1) === COLON && written.indexOf(':', from) === start - 1;
}

/**
 * Longest name of a style, number of a list and the like, in UTF-16 units: Word's are no longer than 253. References
 * repeat them, so that longer ones would cost unbounded time.
 */
const MAX_NAME = 255;

/** A name or number by which parts of the document refer to one another; '' when absent. */
export function nameOf(written: string, attribute = 'val'): string {
  return attributeOf(written, attribute).slice(0, MAX_NAME);
}

/** Properties of an element by name, each in raw form. */
export type Properties = ReadonlyMap<string, string>;

/** The properties of an element without any. */
export const NO_PROPERTIES: Properties = new Map();

/** The `w:val` of one of the properties that were collected by name, which is a name or a number; '' when absent. */
export function valueOf(properties: Properties, name: string): string {
  return nameOf(properties.get(name) ?? '');
}

/** A property that is present is on, unless its value is off (ECMA-376 part 1, section 17.17.4). */
export function isOn(written: string | undefined): boolean {
  return written !== undefined && !/^(?:0|false|off|none)$/.test(attributeOf(written, 'val'));
}

const REFERENCE = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([\da-f]{1,6}));/gi;
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
const MAX_CODE_POINT = 0x10ffff;

/** Text with its character references decoded; unknown ones stay unchanged. */
function decodeReferences(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(REFERENCE, (whole, entity?: string, decimal?: string, hex?: string) => {
    if (entity !== undefined) return ENTITIES[entity.toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    return code <= MAX_CODE_POINT ? String.fromCodePoint(code) : whole;
  });
}

/** The error of XML that is not well-formed. */
export function malformed(): ExtractError {
  return new ExtractError('corrupted', { detail: 'its XML is broken or cut off' });
}
