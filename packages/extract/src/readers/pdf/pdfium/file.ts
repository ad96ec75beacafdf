// Bytes → PDFium's data of each page. layout.ts makes paragraphs and Markdown of them. This file releases every handle
// and buffer that it takes.
import { ExtractError } from '../../../errors.ts';
import { choosePages, pagesIn } from '../../../pages.ts';
import type { Source } from '../../../reader.ts';
import { nextTurn } from '../../../turn.ts';
import type { PageGlyphs } from '../../../tree/glyphs.ts';
import { joinAccents, LEFT_OUT } from './accents.ts';
import { turnDots, type Dot } from './dots.ts';
import { mendLetters } from './letters.ts';
import { mendUnmapped } from './unmapped.ts';
import { boxOfPage } from './unseen.ts';
import { readAttachments } from './attachments.ts';
import { readBookmarks, type Bookmark } from './bookmarks.ts';
import { MAX_PAGES, MAX_MISSING_IN_ROW, openDocument } from './document.ts';
import { ligaturesOf, type Ligatures } from './glyph-names.ts';
import { pageSizeOf, unplacedGlyphs, type PageView } from './glyphs.ts';
import { readLinks } from './links.ts';
import { closing, closingLater, withBuffer, type Pdfium } from './engine.ts';
import { readFieldValues, turnFields, type FieldValue, type FormHandles } from './form.ts';
import { decodeUtf16, readUtf16 } from './strings.ts';
import { restoreSupplementary } from './supplementary.ts';
import { readLines, type Fence, type Gap, type PdfLine, type TaggedLine } from './text-lines.ts';
import { readDrawn, turnRules, turnShapes, type Rule, type Shape } from './rules.ts';
import { userUnitsOf } from './user-units.ts';
import { limitTags, readTags, tagReading, type TagElement, type TagReading } from './tags.ts';

/** One page as PDFium reads it. */
export interface PdfPage {
  /** Characters in the order of the content stream, with the blanks and line breaks (CR LF) that PDFium adds. */
  readonly characters: string;
  /** Number of characters in fonts that do not say which letters they show, or say others. */
  readonly unreadable: number;
  /** The starts of the lines of `characters`; also after a hyphen (U+FFFE) that PDFium found to divide a word. */
  readonly lines: readonly PdfLine[];
  /** Horizontal and vertical lines drawn on it, in the coordinates of its lines of text. */
  readonly rules: readonly Rule[];
  /** Small drawings, which may be bullets, in the same coordinates. */
  readonly dots: readonly Dot[];
  /** The extents of its drawings and pictures, in the same coordinates. */
  readonly shapes: readonly Shape[];
  /** Its structure tree and the text of each leaf; `undefined` when it has none. */
  readonly tags?: PdfTags | undefined;
  /** Its characters with their links, if there are any, and their places, when they are wanted. */
  readonly glyphs?: PageGlyphs | undefined;
  /** The part that is shown, in the coordinates of its lines. */
  readonly box?: Shape | undefined;
  /** Its width and height in hundredths of a point, when places are wanted. */
  readonly size?: readonly [width: number, height: number] | undefined;
  /** Values of the page's form fields, in the order of its annotations. */
  readonly fieldValues: readonly FieldValue[];
  /** True if anything is drawn on it; known only for pages with few words, else true. */
  readonly isDrawn: boolean;
  /** Share of the page that pictures cover, 0 to 1; known only for pages with few words, else 0. */
  readonly pictureShare: number;
}

/** The structure tree of a page. */
export interface PdfTags {
  readonly elements: readonly TagElement[];
  /** The lines of the page parted by their leaves. */
  readonly lines: readonly TaggedLine[];
}

/** A whole file. */
export interface PdfFile {
  /** `undefined` stands for a page that does not load, and for one that is not read. The last page loads. */
  readonly pages: readonly (PdfPage | undefined)[];
  /** Numbers, from 1, of the chosen pages that do not load. */
  readonly lost: readonly number[];
  /** Number of pages that were chosen; undefined when all were read. */
  readonly pagesRead: number | undefined;
  /** Number of pages by the file's own count. */
  readonly claimed: number;
  /** Number of further pages after the last loadable one, by that count. */
  readonly claimedAfter: number;
  readonly title: string;
  /** The author's table of contents, in order. */
  readonly bookmarks: readonly Bookmark[];
  /** Names of attached files, which are not read. */
  readonly attachments: readonly string[];
  /** Number of form fields; those behind the first `MAX_FIELDS` have no value. */
  readonly fieldsMet: number;
}

/** A page of text has more words than this; only other pages are searched for pictures. */
export const FEW_WORDS = 5;
/** Most text of a file in memory with its copies. A 50 MB file of ordinary pages holds a tenth. */
const MAX_CHARACTERS = 100_000_000;

/** The options of reading that concern the file. */
export interface PdfReading extends Pick<Source, 'password' | 'pages' | 'regions' | 'signal' | 'onPage'> {
  /**
   * False leaves out bookmarks and attachments, which can take as long as twenty pages. Default true.
   */
  readonly facts?: boolean | undefined;
}

/**
 * Reads a PDF page by page, letting the event loop have a turn between pages.
 * Rejects with `encrypted`, `corrupted`, `too_large`, `too_complex`, or the signal's reason.
 */
export async function readPdf(
  pdfium: Pdfium,
  bytes: Uint8Array,
  reading: PdfReading = {},
  tags = tagReading(),
): Promise<PdfFile> {
  const { document, form, close } = openDocument(pdfium, bytes, reading.password);
  let ligatures: ReadonlyMap<string, Ligatures> | undefined;
  return closingLater(close, () => {
    limitTags(pdfium, document, bytes, tags);
    return readDocument(
      {
        pdfium,
        document,
        form,
        fields: { met: 0 },
        links: new Map(),
        units: reading.regions === true ? userUnitsOf(bytes) : undefined,
        // Few files have characters without letters.
        ligaturesOf: (font) => (ligatures ??= ligaturesOf(bytes)).get(font),
        tags,
      },
      reading,
    );
  });
}

/** Handles that stay open while a file is read. */
interface Handles extends FormHandles {
  readonly document: number;
  readonly tags: TagReading;
  /** The addresses of links so far. */
  readonly links: Map<string, string>;
  /** Points of a unit by the object numbers of pages; `undefined` when the places of characters are not wanted. */
  readonly units: ReadonlyMap<number, number> | undefined;
  /** The ligatures of a font by its name. */
  readonly ligaturesOf: (font: string) => Ligatures | undefined;
}

async function readDocument(
  handles: Handles,
  { pages: wanted, signal, onPage, facts = true }: PdfReading,
): Promise<PdfFile> {
  const { pdfium, document } = handles;
  const claimed = pdfium.call.FPDF_GetPageCount(document);
  // A file without pages is damaged, whatever was asked for.
  const chosen = claimed === 0 ? [] : choosePages(wanted, claimed);
  const total = chosen.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  const pages: (PdfPage | undefined)[] = [];
  const lost: number[] = [];
  let [characters, done, read, missing] = [0, 0, 0, 0];
  for (const number of pagesIn(chosen)) {
    if (missing >= MAX_MISSING_IN_ROW) break;
    signal?.throwIfAborted();
    const page = readPage(handles, number - 1);
    done++;
    if (page === undefined) {
      missing++;
      lost.push(number);
    } else {
      while (pages.length < number - 1) pages.push(undefined);
      pages.push(page);
      [read, missing] = [done, 0];
    }
    characters += page?.characters.length ?? 0;
    checkSize(pages.length, characters);
    onPage?.({ done, total });
    await nextTurn();
  }
  const title = readUtf16(pdfium, (buffer, size) =>
    pdfium.call.FPDF_GetMetaText(document, 'Title', buffer, size),
  );
  return {
    pages,
    lost: wanted === undefined ? lost.slice(0, lost.length - missing) : lost,
    pagesRead: wanted === undefined ? undefined : read,
    claimed,
    claimedAfter: wanted === undefined ? total - read : 0,
    title,
    bookmarks: facts ? readBookmarks(pdfium, document) : [],
    attachments: facts ? readAttachments(pdfium, document) : [],
    fieldsMet: handles.fields.met,
  };
}

/** @throws ExtractError `too_complex` for a file that is too large to be laid out */
export function checkSize(pages: number, characters: number): void {
  if (pages > MAX_PAGES) throw new ExtractError('too_complex', { detail: `more than ${MAX_PAGES} pages` });
  if (characters > MAX_CHARACTERS) {
    throw new ExtractError('too_complex', { detail: `more than ${MAX_CHARACTERS} characters` });
  }
}

function readPage(handles: Handles, index: number): PdfPage | undefined {
  const { call } = handles.pdfium;
  const page = call.FPDF_LoadPage(handles.document, index);
  if (page === 0) return undefined;
  return closing(
    () => {
      call.FPDF_ClosePage(page);
    },
    () => {
      const fields = handles.form === 0 ? [] : readFieldValues(handles, page);
      const { quarterTurns, ...text } = readText(handles, page, index + 1, fields);
      const fieldValues = turnFields(fields, quarterTurns);
      if (hasWords(text.characters, FEW_WORDS))
        return { ...text, fieldValues, isDrawn: true, pictureShare: 0 };
      return { ...text, fieldValues, ...readPictures(handles.pdfium, page) };
    },
  );
}

/** True if a text has at least `count` words. Reads no further than necessary. */
export function hasWords(text: string, count: number): boolean {
  const word = /\S+/g;
  for (let found = 0; found < count; found++) if (!word.test(text)) return false;
  return true;
}

interface PageText extends Pick<
  PdfPage,
  'characters' | 'unreadable' | 'lines' | 'rules' | 'dots' | 'shapes' | 'tags' | 'glyphs' | 'box' | 'size'
> {
  readonly quarterTurns: number;
}

function readText(handles: Handles, page: number, number: number, fields: readonly FieldValue[]): PageText {
  const { pdfium, tags: reading, units } = handles;
  const { call } = pdfium;
  const text = call.FPDFText_LoadPage(page);
  if (text === 0)
    return { characters: '', unreadable: 0, lines: [], rules: [], dots: [], shapes: [], quarterTurns: 0 };
  return closing(
    () => {
      call.FPDFText_ClosePage(text);
    },
    () => {
      const whole = restoreSupplementary(pdfium, text, readCharacters(pdfium, text));
      const mended = mendUnmapped(whole.pdfium, text, whole.characters, handles.ligaturesOf);
      const letters = mendLetters(mended.pdfium, text, mended.characters);
      const characters = joinAccents(mended.pdfium, text, letters);
      const drawn = readDrawn(pdfium, page);
      const turnedRules = (quarterTurns: number): Rule[] => turnRules(drawn.rules, quarterTurns);
      const tags = readTags(pdfium, page, reading);
      const box = boxOfPage(pdfium, page);
      const view = units && viewOf(pdfium, page, box, units);
      const frame = {
        box,
        view,
        links: readLinks(pdfium, handles.document, page, handles.links),
        fencesOf: (turns: number) => fencesOf(turnedRules(turns), turnFields(fields, turns)),
        picturesOf: (turns: number) =>
          turnShapes(
            drawn.shapes.filter(({ isPicture }) => isPicture),
            turns,
          ),
      };
      const { lines, quarterTurns, gaps, unreadable, tagged, glyphs, links } = readLines(
        mended.pdfium,
        text,
        characters,
        frame,
        tags?.leafOf,
      );
      const shown = leaveOut(characters, gaps);
      return {
        characters: shown,
        glyphs: glyphs?.finish(number, shown, links) ?? unplacedGlyphs(number, shown, links),
        box: box && turnShapes([box], quarterTurns)[0],
        size: view && pageSizeOf(view),
        unreadable: unreadable + mended.unreadable,
        lines,
        quarterTurns,
        rules: turnedRules(quarterTurns),
        dots: turnDots(drawn.dots, quarterTurns),
        shapes: turnShapes(drawn.shapes, quarterTurns),
        tags:
          tags === undefined || tagged.length === 0 ? undefined : { elements: tags.elements, lines: tagged },
      };
    },
  );
}

/** The part of a page that is shown. */
function viewOf(
  { call }: Pdfium,
  page: number,
  box: Shape | undefined,
  units: ReadonlyMap<number, number>,
): PageView {
  const quarterTurns = call.FPDFPage_GetRotation(page);
  const [width, height] = [call.FPDF_GetPageWidthF(page), call.FPDF_GetPageHeightF(page)];
  const [right, top] = quarterTurns % 2 === 0 ? [width, height] : [height, width];
  const unit = units.size === 0 ? 1 : (units.get(call.EPDFPage_GetObjectNumber(page)) ?? 1);
  return { box: box ?? { left: 0, bottom: 0, right, top }, quarterTurns, unit };
}

/** Replaces gaps of a text, in their order, by placeholders. */
function leaveOut(characters: string, gaps: readonly Gap[]): string {
  if (gaps.length === 0) return characters;
  let end = 0;
  const pieces = gaps.map(({ from, to, isBlank }) => {
    const filler = isBlank === true ? ' ' : LEFT_OUT;
    const piece = characters.slice(end, from) + filler.repeat(to - Math.max(end, from));
    end = to;
    return piece;
  });
  return [...pieces, characters.slice(end)].join('');
}

/** The vertical lines and the boxes to check, which part the words beside them, ordered from the left. */
function fencesOf(rules: readonly Rule[], fields: readonly FieldValue[]): Fence[] {
  const lines = rules
    .filter(({ isLevel }) => !isLevel)
    .map(({ at, from, to }) => ({ x: at, bottom: from, top: to }));
  const boxes = fields
    .filter(({ isMark }) => isMark === true)
    .map(({ left, right, bottom, top }) => ({
      x: (left + right) / 2,
      bottom: bottom - REACH,
      top: top + REACH,
    }));
  return [...lines, ...boxes].sort((a, b) => a.x - b.x);
}

/** Points that a box to check may stand above or below the line of its label. */
const REACH = 4;

function readCharacters(pdfium: Pdfium, text: number): string {
  const count = pdfium.call.FPDFText_CountChars(text);
  // Room for a pair of surrogates for each character, and the terminator.
  return withBuffer(pdfium, (2 * count + 1) * 2, (buffer) =>
    decodeUtf16(pdfium, buffer, pdfium.call.FPDFText_GetText(text, 0, count, buffer) * 2),
  );
}

/** Kinds of page objects (fpdfview.h). */
const IMAGE = 3;
const FORM = 5;
/** A scan is one picture or a few strips; the first objects are enough for a drawing with thousands. */
const MAX_OBJECTS = 1000;
/** Scanners wrap their picture once or twice. */
const MAX_FORM_DEPTH = 3;

function readPictures(pdfium: Pdfium, page: number): Pick<PdfPage, 'isDrawn' | 'pictureShare'> {
  const { call } = pdfium;
  const objects = Math.min(call.FPDFPage_CountObjects(page), MAX_OBJECTS);
  const pageArea = call.FPDF_GetPageWidthF(page) * call.FPDF_GetPageHeightF(page);
  let area = 0;
  for (let index = 0; index < objects; index++) {
    const object = call.FPDFPage_GetObject(page, index);
    if (isPicture(pdfium, object, MAX_FORM_DEPTH)) area += areaOf(pdfium, object);
  }
  return { isDrawn: objects > 0, pictureShare: Math.min(1, area / Math.max(1, pageArea)) };
}

/** An image, or a form (a piece of page that may be drawn many times) whose first objects hold one. */
function isPicture(pdfium: Pdfium, object: number, depth: number): boolean {
  const { call } = pdfium;
  const type = call.FPDFPageObj_GetType(object);
  if (type !== FORM || depth === 0) return type === IMAGE;
  const first = Math.min(call.FPDFFormObj_CountObjects(object), 10);
  for (let index = 0; index < first; index++) {
    if (isPicture(pdfium, call.FPDFFormObj_GetObject(object, index), depth - 1)) return true;
  }
  return false;
}

function areaOf(pdfium: Pdfium, object: number): number {
  return withBuffer(pdfium, 4 * Float32Array.BYTES_PER_ELEMENT, (box) => {
    const found = pdfium.call.FPDFPageObj_GetBounds(object, box, box + 4, box + 8, box + 12);
    const bytes = pdfium.view(box, 4 * Float32Array.BYTES_PER_ELEMENT).slice();
    const [left = 0, bottom = 0, right = 0, top = 0] = new Float32Array(bytes.buffer);
    return found ? Math.abs(right - left) * Math.abs(top - bottom) : 0;
  });
}
