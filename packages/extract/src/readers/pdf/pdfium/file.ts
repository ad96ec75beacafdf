// Bytes → PDFium's data of each page. layout.ts makes paragraphs and Markdown of them. This file releases every handle
// and buffer that it takes.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ExtractError } from '../../../errors.ts';
import type { Source } from '../../../reader.ts';
import { joinAccents, LEFT_OUT } from './accents.ts';
import { turnDots, type Dot } from './dots.ts';
import { closing, closingLater, withBuffer, type Pdfium } from './engine.ts';
import { readLines, type Fence, type PdfLine, type TaggedLine } from './text-lines.ts';
import { readDrawn, turnRules, type Rule } from './rules.ts';
import { limitTags, readTags, tagReading, type TagElement, type TagReading } from './tags.ts';

/** An entry of the file's outline. */
export interface OutlineEntry {
  readonly title: string;
  /** From 1. */
  readonly depth: number;
  /** Index of the page it points to; -1 when it points nowhere. */
  readonly page: number;
}

/** One page as PDFium reads it. */
export interface PdfPage {
  /** Characters in the order of the content stream, with the blanks and line breaks (CR LF) that PDFium adds. */
  readonly characters: string;
  /** The starts of the lines of `characters`; also after a hyphen (U+FFFE) that PDFium found to divide a word. */
  readonly lines: readonly PdfLine[];
  /** Horizontal and vertical lines drawn on it, in the coordinates of its lines of text. */
  readonly rules: readonly Rule[];
  /** Small drawings, which may be bullets, in the same coordinates. */
  readonly dots: readonly Dot[];
  /** Its structure tree and the text of each leaf; `undefined` when it has none. */
  readonly tags?: PdfTags | undefined;
  /** Values of the page's form fields, in the order of its annotations. */
  readonly fieldValues: readonly string[];
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
  /** `undefined` stands for a page that does not load. The last page loads. */
  readonly pages: readonly (PdfPage | undefined)[];
  /** Number of further pages after the last loadable one, by the file's own count. */
  readonly claimedAfter: number;
  readonly title: string;
  /** The author's table of contents, in order. */
  readonly outline: readonly OutlineEntry[];
  /** Number of form fields without a value, because there are too many. */
  readonly fieldsLeftOut: number;
}

/** A page of text has more words than this; only other pages are searched for pictures. */
export const FEW_WORDS = 5;
/**
 * A page count is only a claim. After this many missing pages in a row the rest is missing too; a file that lost more
 * than this in its middle has lost its end as well.
 */
const MAX_MISSING_IN_ROW = 1000;
/** No file has more pages that are readable in acceptable time; a page tree can name one page a million times. */
const MAX_PAGES = 50_000;
/** Most text of a file in memory with its copies. A 50 MB file of ordinary pages holds a tenth. */
const MAX_CHARACTERS = 100_000_000;

/** PDFium finds a field by a walk over the others: 5000 take 0.5 s, 16,000 over 3 s. Real forms have some hundred. */
export const MAX_FIELDS = 5000;

/** `FPDF_GetLastError`: the password is missing or wrong, or the security scheme is unknown. */
const LOCKED = [4, 5];

/**
 * Reads a PDF page by page, letting the event loop have a turn between pages.
 * Rejects with `encrypted`, `corrupted`, `too_large`, `too_complex`, or the signal's reason.
 */
export async function readPdf(
  pdfium: Pdfium,
  bytes: Uint8Array,
  signal?: AbortSignal,
  onPage?: Source['onPage'],
  tags = tagReading(),
): Promise<PdfFile> {
  const { call } = pdfium;
  const source = pdfium.allocate(bytes.length);
  pdfium.view(source, bytes.length).set(bytes);
  return closingLater(
    () => {
      pdfium.free(source);
    },
    async () => {
      const document = call.FPDF_LoadMemDocument64(source, bytes.length, '');
      if (document === 0) throw loadError(call.FPDF_GetLastError());
      limitTags(pdfium, document, bytes, tags);
      return closingLater(
        () => {
          call.FPDF_CloseDocument(document);
        },
        () =>
          withForm(pdfium, document, (form) =>
            readDocument(
              {
                pdfium,
                document,
                form,
                fields: { met: 0 },
                tags,
              },
              signal,
              onPage,
            ),
          ),
      );
    },
  );
}

function loadError(code: number): ExtractError {
  if (LOCKED.includes(code)) return new ExtractError('encrypted');
  return new ExtractError('corrupted', { detail: 'its page tree cannot be found' });
}

/** Handles that stay open while a file is read; `form` is 0 when it has no form. */
interface Handles {
  readonly pdfium: Pdfium;
  readonly document: number;
  readonly form: number;
  /** Form fields met so far, in the whole file. */
  readonly fields: { met: number };
  readonly tags: TagReading;
}

async function withForm<T>(pdfium: Pdfium, document: number, work: (form: number) => Promise<T>): Promise<T> {
  const { call } = pdfium;
  if (call.FPDF_GetFormType(document) === 0) return work(0);
  const callbacks = call.PDFiumExt_OpenFormFillInfo();
  const form = call.PDFiumExt_InitFormFillEnvironment(document, callbacks);
  return closingLater(
    () => {
      if (form !== 0) call.PDFiumExt_ExitFormFillEnvironment(form);
      call.PDFiumExt_CloseFormFillInfo(callbacks);
    },
    () => work(form),
  );
}

async function readDocument(
  handles: Handles,
  signal: AbortSignal | undefined,
  onPage: Source['onPage'],
): Promise<PdfFile> {
  const { pdfium, document } = handles;
  const claimed = pdfium.call.FPDF_GetPageCount(document);
  const pages: (PdfPage | undefined)[] = [];
  let characters = 0;
  let readable = 0;
  while (pages.length < claimed && pages.length - readable < MAX_MISSING_IN_ROW) {
    signal?.throwIfAborted();
    const page = readPage(handles, pages.length);
    pages.push(page);
    if (page !== undefined) readable = pages.length;
    characters += page?.characters.length ?? 0;
    checkSize(readable, characters);
    onPage?.({ done: pages.length, total: claimed });
    await nextTurn();
  }
  const title = readUtf16(pdfium, (buffer, size) =>
    pdfium.call.FPDF_GetMetaText(document, 'Title', buffer, size),
  );
  const fieldsLeftOut = Math.max(0, handles.fields.met - MAX_FIELDS);
  return {
    pages: pages.slice(0, readable),
    claimedAfter: claimed - readable,
    title,
    outline: readOutline(pdfium, document),
    fieldsLeftOut,
  };
}

/** Entries of an outline that are read; books have some hundred, and a hostile one runs in circles. */
const MAX_OUTLINE = 5000;
/** Deeper entries name no headings. */
const MAX_OUTLINE_DEPTH = 6;

/** Walks the outline in its order, without recursion. */
function readOutline(pdfium: Pdfium, document: number): OutlineEntry[] {
  const { call } = pdfium;
  const entries: OutlineEntry[] = [];
  const waiting = [{ bookmark: call.FPDFBookmark_GetFirstChild(document, 0), depth: 1 }];
  for (let next = waiting.pop(); next !== undefined && entries.length < MAX_OUTLINE; next = waiting.pop()) {
    const { bookmark, depth } = next;
    if (bookmark === 0) continue;
    const title = readUtf16(pdfium, (buffer, size) => call.FPDFBookmark_GetTitle(bookmark, buffer, size));
    const destination = call.FPDFBookmark_GetDest(document, bookmark);
    const page = destination === 0 ? -1 : call.FPDFDest_GetDestPageIndex(document, destination);
    entries.push({ title, depth, page });
    waiting.push({ bookmark: call.FPDFBookmark_GetNextSibling(document, bookmark), depth });
    if (depth < MAX_OUTLINE_DEPTH)
      waiting.push({ bookmark: call.FPDFBookmark_GetFirstChild(document, bookmark), depth: depth + 1 });
  }
  return entries;
}

function checkSize(pages: number, characters: number): void {
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
      const text = readText(handles, page);
      const fieldValues = handles.form === 0 ? [] : readFieldValues(handles, page);
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

type PageText = Pick<PdfPage, 'characters' | 'lines' | 'rules' | 'dots' | 'tags'>;

function readText({ pdfium, tags: reading }: Handles, page: number): PageText {
  const { call } = pdfium;
  const text = call.FPDFText_LoadPage(page);
  if (text === 0) return { characters: '', lines: [], rules: [], dots: [] };
  return closing(
    () => {
      call.FPDFText_ClosePage(text);
    },
    () => {
      const characters = joinAccents(pdfium, text, readCharacters(pdfium, text));
      const drawn = readDrawn(pdfium, page);
      const turnedRules = (quarterTurns: number): Rule[] => turnRules(drawn.rules, quarterTurns);
      const tags = readTags(pdfium, page, reading);
      const { lines, quarterTurns, voids, tagged } = readLines(
        pdfium,
        text,
        characters,
        (turns) => fencesOf(turnedRules(turns)),
        tags?.leafOf,
      );
      return {
        characters: leaveOut(characters, voids),
        lines,
        rules: turnedRules(quarterTurns),
        dots: turnDots(drawn.dots, quarterTurns),
        tags:
          tags === undefined || tagged.length === 0 ? undefined : { elements: tags.elements, lines: tagged },
      };
    },
  );
}

/** Removes marked characters from a text, with their offsets in order. */
function leaveOut(characters: string, offsets: readonly number[]): string {
  if (offsets.length === 0) return characters;
  const pieces = offsets.map((at, index) => characters.slice((offsets[index - 1] ?? -1) + 1, at));
  return [...pieces, characters.slice((offsets.at(-1) ?? -1) + 1)].join(LEFT_OUT);
}

/** The vertical lines, ordered from the left. */
function fencesOf(rules: readonly Rule[]): Fence[] {
  return rules
    .filter(({ isLevel }) => !isLevel)
    .map(({ at, from, to }) => ({ x: at, bottom: from, top: to }))
    .sort((a, b) => a.x - b.x);
}

function readCharacters(pdfium: Pdfium, text: number): string {
  const count = pdfium.call.FPDFText_CountChars(text);
  // Room for a pair of surrogates for each character, and the terminator.
  return withBuffer(pdfium, (2 * count + 1) * 2, (buffer) =>
    decodeUtf16(pdfium, buffer, pdfium.call.FPDFText_GetText(text, 0, count, buffer) * 2),
  );
}

/** `length` counts bytes and the terminator. Lone surrogates become U+FFFD; a mark inside is kept for layout. */
function decodeUtf16(pdfium: Pdfium, buffer: number, length: number): string {
  const bytes = pdfium.view(buffer, Math.max(0, length - 2));
  return new TextDecoder('utf-16le', { ignoreBOM: true }).decode(bytes);
}

/** Longer values are neither titles nor field values. */
const MAX_STRING_BYTES = 1 << 20;

/** Reads a string by PDFium's convention: called without a buffer, a function returns the length in bytes. */
function readUtf16(pdfium: Pdfium, read: (buffer: number, size: number) => number): string {
  const size = read(0, 0);
  if (size <= 2 || size > MAX_STRING_BYTES) return '';
  return withBuffer(pdfium, size, (buffer) =>
    decodeUtf16(pdfium, buffer, Math.min(size, read(buffer, size))),
  );
}

/** Subtype and field types of fpdf_annot.h and fpdf_formfill.h. The content of buttons is no text. */
const WIDGET = 20;
const FIELDS_WITH_TEXT = [4, 5, 6]; // combo box, list box, text field
const HIDDEN = 1 << 1;
const PASSWORD = 1 << 13;

function readFieldValues({ pdfium, form, fields }: Handles, page: number): string[] {
  const values: string[] = [];
  for (let index = 0; index < pdfium.call.FPDFPage_GetAnnotCount(page); index++) {
    const annotation = pdfium.call.FPDFPage_GetAnnot(page, index);
    if (annotation === 0) continue;
    const value = closing(
      () => {
        pdfium.call.FPDFPage_CloseAnnot(annotation);
      },
      () => {
        if (!isShownField(pdfium, annotation) || ++fields.met > MAX_FIELDS) return '';
        return readFieldValue(pdfium, form, annotation);
      },
    );
    if (value.trim() !== '') values.push(value);
  }
  return values;
}

function isShownField({ call }: Pdfium, annotation: number): boolean {
  return (
    call.FPDFAnnot_GetSubtype(annotation) === WIDGET && (call.FPDFAnnot_GetFlags(annotation) & HIDDEN) === 0
  );
}

function readFieldValue(pdfium: Pdfium, form: number, annotation: number): string {
  const { call } = pdfium;
  if (!FIELDS_WITH_TEXT.includes(call.FPDFAnnot_GetFormFieldType(form, annotation))) return '';
  if ((call.FPDFAnnot_GetFormFieldFlags(form, annotation) & PASSWORD) !== 0) return '';
  return readUtf16(pdfium, (buffer, size) =>
    call.FPDFAnnot_GetFormFieldValue(form, annotation, buffer, size),
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
