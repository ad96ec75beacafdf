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
  return withEquations(text.replaceAll(STRICT_RELATIONSHIPS, RELATIONSHIPS));
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

/** A check that adds up what it is shown. */
function createBound(): (xml: string) => void {
  let tags = 0;
  const different = new Set<string>();
  return (xml) => {
    let nesting = 0;
    let fields = 0;
    let asides = 0;
    let end = -1;
    for (let at = xml.indexOf('<'); at !== -1; at = xml.indexOf('<', at + 1)) {
      if (end < at) end = xml.indexOf('>', at);
      if (end === -1) throw new ExtractError('corrupted', { detail: 'its XML is cut off inside a tag' });
      const tag = tagAt(xml, at, end);
      nesting += tag.nesting;
      fields += tag.fields;
      asides += tag.asides;
      if (tag.nesting >= 0) different.add(tag.signature);
      if (++tags > MAX_TAGS) throw tooComplex(`more than ${MAX_TAGS} XML tags`);
      if (nesting > MAX_NESTING) throw tooComplex(`XML nested deeper than ${MAX_NESTING}`);
      if (fields > MAX_OPEN_FIELDS) throw tooComplex(`more than ${MAX_OPEN_FIELDS} fields open at once`);
      if (asides > MAX_ASIDES) throw tooComplex(`more than ${MAX_ASIDES} comments in its XML`);
      if (different.size > MAX_DIFFERENT)
        throw tooComplex(`more than ${MAX_DIFFERENT} XML elements and styles`);
    }
  };
}

/** What a tag does to the bounds. */
interface Tag {
  /** 1 for a start tag, -1 for an end tag, 0 for one without content. */
  readonly nesting: number;
  /** 1 for a comment, a CDATA section or an instruction, which are no tags but begin like one. */
  readonly asides: number;
  /** 1 where a field begins, -1 where one ends. */
  readonly fields: number;
  /** What mammoth's messages tell apart: the name, and for styles, symbols and breaks the whole tag. */
  readonly signature: string;
}

/** The characters of a name, at most a hundred of them. */
const NAME = /[^\s/>]{0,100}/y;
const TOLD_APART_WHOLE = /:(?:pStyle|rStyle|tblStyle|sym|br)$/;

function tagAt(xml: string, at: number, end: number): Tag {
  const next = xml[at + 1];
  const isAside = next === '?' || next === '!';
  NAME.lastIndex = at + 1;
  const name = NAME.exec(xml)?.[0] ?? '';
  return {
    nesting: next === '/' ? -1 : isAside || xml[end - 1] === '/' ? 0 : 1,
    asides: isAside ? 1 : 0,
    fields: name.endsWith(':fldChar') ? fieldChange(xml.slice(at, end)) : 0,
    signature: TOLD_APART_WHOLE.test(name) ? xml.slice(at, end) : name,
  };
}

function fieldChange(tag: string): number {
  if (tag.includes('"begin"') || tag.includes("'begin'")) return 1;
  return tag.includes('"end"') || tag.includes("'end'") ? -1 : 0;
}

function tooComplex(detail: string): ExtractError {
  return new ExtractError('too_complex', { detail });
}
