// The parts of a DOCX as texts, for mammoth and for us: only the XML that the text is in, only of a size and shape
// that mammoth reads in bounded time, and never a document type declaration.
import { ExtractError } from '../../errors.ts';
import type { Zip } from './zip.ts';

/** The parts of one document. */
export interface Parts {
  readonly has: (name: string) => boolean;
  /** The text of a part. Throws an ExtractError when it is damaged or beyond the limits. */
  readonly read: (name: string) => string;
}

/**
 * Tags in all parts that are read, together. mammoth builds three trees of them: measured on one core of a small
 * server, 30 µs and 8 kB for each paragraph of six tags, so some 1.6 s and 500 MB at this bound. Documents have one
 * tag for ten characters of text (median of the corpus), at worst one for two: this is a thousand pages, at worst
 * three hundred. Text between tags costs next to nothing and is not counted.
 */
const MAX_TAGS = 300_000;

/**
 * mammoth calls itself for every level, so that Node's stack ends between 1,500 and 2,100, and copies its results on
 * each. A text box in a table cell is at level 25.
 */
const MAX_NESTING = 200;

/**
 * Tables inside more tables than this lose their frames, and what they hold stays. At three levels a table they keep
 * below {@link MAX_NESTING}, and below what the tree takes.
 */
const MAX_TABLES_DEEP = 30;

/**
 * Different element names, and different style, symbol and break tags. mammoth compares each message about an unknown
 * one with every other, so the square of this counts; real documents have about a hundred.
 */
const MAX_DIFFERENT = 1000;

/** Fields open at once. mammoth looks through all of them at each run. */
const MAX_OPEN_FIELDS = 100;

/** Comments, CDATA sections and instructions. mammoth's parser looks for the end of each through the whole rest. */
const MAX_ASIDES = 1000;

/** Parts that hold text or say how to read it. Comments are notes about the text, not of it; images are never opened. */
const WANTED =
  /^(?:\[Content_Types\]\.xml|docProps\/(?:app|core)\.xml|(?!.*comments)(?:.*\/)?[^/]*\.(?:xml|rels))$/i;

const STRICT_RELATIONSHIPS = 'http://purl.oclc.org/ooxml/officeDocument/relationships/';
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/';

/** Opens the parts of an unpacked archive. */
export function openParts(zip: Zip): Parts {
  const texts = new Map<string, string>();
  const bound = createBound();
  const has = (name: string): boolean => WANTED.test(name) && zip.has(name);
  return {
    has,
    read: (name) => {
      const known = texts.get(name);
      if (known !== undefined) return known;
      if (!has(name))
        throw new ExtractError('corrupted', { detail: 'it refers to a part that it does not hold' });
      const text = readXml(zip.read(name));
      bound(text);
      texts.set(name, text);
      return text;
    },
  };
}

function readXml(bytes: Uint8Array): string {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const text = new TextDecoder(isUtf16 ? (bytes[0] === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8').decode(
    bytes,
  );
  if (text.includes('<!DOCTYPE') || text.includes('<!ENTITY')) {
    throw new ExtractError('corrupted', {
      detail: 'its XML declares a document type, which DOCX does not allow',
    });
  }
  // mammoth knows one of the two names that the standard gives to each relationship.
  return withEquations(withoutDeepTables(text.replaceAll(STRICT_RELATIONSHIPS, RELATIONSHIPS)));
}

/** `<w:tbl>`, `</w:tbl>` and the like for rows and cells; those without content frame nothing. */
const TABLE_TAG = /<(\/?)w:(tbl|tr|tc)(?:>|\s[^<>]*(?<!\/)>)/g;

function withoutDeepTables(xml: string): string {
  let depth = 0;
  return xml.replace(TABLE_TAG, (tag: string, slash: string, name: string) => {
    if (name === 'tbl' && slash === '') depth++;
    const isDeep = depth > MAX_TABLES_DEEP;
    if (name === 'tbl' && slash !== '') depth--;
    return isDeep ? '' : tag;
  });
}

const EQUATION_TEXT = /<m:t(?: [^<>]*)?>([^<]*)</g;
const EQUATION_END = '</m:oMath>';

/**
 * mammoth drops equations; their letters and numbers in a row are better than nothing, so they become runs of text:
 * `<m:oMath>…<m:t>x</m:t>…</m:oMath>`, with or without `<m:oMathPara>` around.
 */
function withEquations(xml: string): string {
  if (!xml.includes(EQUATION_END)) return xml;
  const pieces: string[] = [];
  let copied = 0;
  for (let start = xml.indexOf('<m:oMath'); start !== -1; start = xml.indexOf('<m:oMath', copied)) {
    pieces.push(xml.slice(copied, start));
    const isEquation = /[ >]/.test(xml[start + '<m:oMath'.length] ?? '');
    const end = xml.indexOf(isEquation ? EQUATION_END : '>', start);
    if (end === -1) return xml;
    if (isEquation) pieces.push(equationRun(xml.slice(start, end)));
    copied = end + (isEquation ? EQUATION_END.length : 1);
  }
  return pieces
    .join('')
    .concat(xml.slice(copied))
    .replaceAll('</m:oMathParaPr>', '')
    .replaceAll('</m:oMathPara>', '');
}

function equationRun(equation: string): string {
  const words = Array.from(equation.matchAll(EQUATION_TEXT), ([, word = '']) => word);
  return `<w:r><w:t xml:space="preserve">${words.join('')}</w:t></w:r>`;
}

/**
 * A check that adds up what it is shown. It also refuses XML that is not well-formed: mammoth's parser would read on
 * after a fault, for minutes where the root element is not closed, and mammoth refuse its result in the end.
 */
function createBound(): (xml: string) => void {
  let tags = 0;
  const different = new Set<string>();
  return (xml) => {
    const open: string[] = [];
    let roots = 0;
    let fields = 0;
    let asides = 0;
    for (let at = xml.indexOf('<'), end: number; at !== -1; at = xml.indexOf('<', end)) {
      const tag = tagAt(xml, at);
      end = tag.end;
      fields += tag.fields;
      if (tag.kind === 'aside') asides++;
      else if (tag.kind === 'end') closeElement(open, tag.name);
      else {
        if (open.length === 0 && ++roots > 1) throw malformed();
        if (tag.kind === 'start') open.push(tag.name);
        different.add(tag.signature);
      }
      if (++tags > MAX_TAGS) throw tooComplex(`more than ${MAX_TAGS} XML tags`);
      if (open.length > MAX_NESTING) throw tooComplex(`XML nested deeper than ${MAX_NESTING}`);
      if (fields > MAX_OPEN_FIELDS) throw tooComplex(`more than ${MAX_OPEN_FIELDS} fields open at once`);
      if (asides > MAX_ASIDES) throw tooComplex(`more than ${MAX_ASIDES} comments in its XML`);
      if (different.size > MAX_DIFFERENT)
        throw tooComplex(`more than ${MAX_DIFFERENT} XML elements and styles`);
    }
    if (open.length > 0) throw malformed();
  };
}

function closeElement(open: string[], name: string): void {
  if (open.pop() !== name) throw malformed();
}

/** What a tag does to the bounds. */
interface Tag {
  /** An aside is a comment, a CDATA section or an instruction, which are no tags but begin like one. */
  readonly kind: 'start' | 'end' | 'empty' | 'aside';
  readonly name: string;
  /** Offset after it. */
  readonly end: number;
  /** 1 where a field begins, -1 where one ends. */
  readonly fields: number;
  /** What mammoth's messages tell apart: the name, and for styles, symbols and breaks the whole tag. */
  readonly signature: string;
}

/** `<name a="…" b='…'>`, `</name >`, `<name/>`; no tag of Word has half as many attributes as may stand here. */
const TAG = /<(\/?)([^\s<>/="'!?]+)((?:\s+[^\s<>/="']+\s*=\s*(?:"[^"]*"|'[^']*')){0,100})\s*(\/?)>/y;
const ASIDE_ENDS = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const;
const TOLD_APART_WHOLE = /:(?:pStyle|rStyle|tblStyle|sym|br)$/;

function tagAt(xml: string, at: number): Tag {
  for (const [start, end] of ASIDE_ENDS) {
    if (!xml.startsWith(start, at)) continue;
    const found = xml.indexOf(end, at + start.length);
    if (found === -1) throw malformed();
    return { kind: 'aside', name: '', end: found + end.length, fields: 0, signature: '' };
  }
  TAG.lastIndex = at;
  const [whole = '', slash, name = '', attributes = '', isEmpty] = TAG.exec(xml) ?? [];
  if (whole === '') throw malformed();
  return {
    kind: slash === '/' ? 'end' : isEmpty === '/' ? 'empty' : 'start',
    name,
    end: TAG.lastIndex,
    fields: name.endsWith(':fldChar') ? fieldChange(attributes) : 0,
    signature: TOLD_APART_WHOLE.test(name) ? name + attributes : name,
  };
}

function fieldChange(attributes: string): number {
  if (/["']begin["']/.test(attributes)) return 1;
  return /["']end["']/.test(attributes) ? -1 : 0;
}

function malformed(): ExtractError {
  return new ExtractError('corrupted', { detail: 'its XML is broken or cut off' });
}

function tooComplex(detail: string): ExtractError {
  return new ExtractError('too_complex', { detail });
}
