// Bytes of a PDF → pictures of its pages, drawn one by one. The entry `@grainline/extract/pages`: apart from the
// reader, so that programs that only read never load it.
import { ExtractError } from '../../../errors.ts';
import type { PdfiumSource } from '../../../reader.ts';
import { nextTurn } from '../../../turn.ts';
import { MAX_MISSING_IN_ROW, MAX_PAGES, openDocument, type OpenPdf } from './document.ts';
import { closingLater, isDeath, returnPdfium, takePdfium, withBuffer, type Pdfium } from './engine.ts';
import { picturePixels } from './pictures.ts';
import { attemptsAt } from './rebuild.ts';

/** Options of {@link openPages}. */
export interface OpenPagesOptions {
  /** Opens an encrypted file, as for `extract`. */
  readonly password?: string | undefined;
  /** The file `pdfium.wasm`, as for `extract`. */
  readonly pdfium?: PdfiumSource | undefined;
}

/** Size of a page as it is shown, turned and cut to its crop box, in points (1/72 inch). */
export interface PageSize {
  readonly width: number;
  readonly height: number;
}

/** A drawn page: rows of pixels from the top, each red, green, blue and alpha (255), as `ImageData` takes them. */
export interface PagePicture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8ClampedArray<ArrayBuffer>;
}

/** Options of drawing a page. */
export interface DrawOptions {
  readonly signal?: AbortSignal | undefined;
  /** Most pixels that the pictures on the page may have together, by their headers. Default: any number. */
  readonly maxPicturePixels?: number | undefined;
}

/** The pages of an open file. */
export interface PdfPages {
  /** Sizes in the order of the pages; undefined for a page that does not load. */
  readonly sizes: readonly (PageSize | undefined)[];
  /**
   * Draws a page on white, with its annotations and form fields. One page is drawn at a time, with a turn of the event
   * loop every 16 ms.
   *
   * Rejects with the signal's reason, with an ExtractError `too_complex` when the page takes more memory or time than
   * is allowed, or its pictures have more pixels than `maxPicturePixels`, and `corrupted` when it does not load; the
   * other pages stay drawable.
   *
   * @param number from 1
   * @param scale pixels a point, above 0; a picture never has more than {@link MAX_PIXELS}, and then is smaller
   */
  drawPage(number: number, scale: number, options?: DrawOptions): Promise<PagePicture>;
  /** Releases the file and PDFium's memory, after the page that is being drawn. */
  close(): Promise<void>;
}

/** The most pixels of a picture: 64 MB. */
export const MAX_PIXELS = 16_000_000;
/** Time between two turns of the event loop. */
const SLICE_MS = 16;
/** A page that takes longer is given up; maps with half a million paths take 5 s. */
const MAX_DRAW_MS = 30_000;

/**
 * Opens the pages of a PDF for drawing, beside any reading of the same or another file. The file stays in memory until
 * `close`. A damaged file is repaired as for `extract`.
 *
 * Rejects with an ExtractError as `extract` does: `encrypted`, `wrong_password`, `corrupted`, `too_large`,
 * `too_complex`.
 *
 * @example
 * const pages = await openPages(bytes);
 * const { width, height, pixels } = await pages.drawPage(1, 2);
 * await pages.close();
 */
export async function openPages(bytes: Uint8Array, options: OpenPagesOptions = {}): Promise<PdfPages> {
  const open = (): Promise<OpenFile> => openFile(bytes, options);
  let file: OpenFile | undefined = await open();
  const { sizes } = file;
  let isOver = false;
  let queue: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = queue.then(work);
    queue = turn.catch(() => undefined);
    return turn;
  };
  return {
    sizes,
    drawPage: (number, scale, options = {}) =>
      inTurn(async () => {
        if (isOver) throw new Error('These pages are closed.');
        options.signal?.throwIfAborted();
        // A page that has killed the instance has taken the file with it.
        file ??= await open();
        try {
          return await draw(file, number, scale, options);
        } catch (error) {
          if (!isDeath(error)) throw error;
          file = undefined;
          throw new ExtractError('too_complex', { detail: `page ${number}`, cause: error });
        }
      }),
    close: () =>
      inTurn(async () => {
        isOver = true;
        file?.close();
        file = undefined;
        await Promise.resolve();
      }),
  };
}

interface OpenFile extends OpenPdf {
  readonly pdfium: Pdfium;
  readonly sizes: readonly (PageSize | undefined)[];
}

async function openFile(
  bytes: Uint8Array,
  { password, pdfium: binary }: OpenPagesOptions,
): Promise<OpenFile> {
  const pdfium = await takePdfium(binary);
  try {
    const opened = openRepaired(pdfium, bytes, password);
    const close = (): void => {
      opened.close();
      returnPdfium(pdfium);
    };
    return { ...opened, pdfium, close };
  } catch (error) {
    if (isDeath(error))
      throw new ExtractError('too_complex', { detail: 'the PDF engine gave up', cause: error });
    returnPdfium(pdfium);
    throw error;
  }
}

function openRepaired(
  pdfium: Pdfium,
  bytes: Uint8Array,
  password: string | undefined,
): OpenPdf & Pick<OpenFile, 'sizes'> {
  let damage = new ExtractError('corrupted', { detail: 'none of its pages can be loaded' });
  for (const candidate of attemptsAt(bytes)) {
    try {
      const opened = openDocument(pdfium, candidate, password);
      const sizes = sizesOf(pdfium, opened.document);
      if (sizes.length > 0) return { ...opened, sizes };
      opened.close();
    } catch (error) {
      if (!(error instanceof ExtractError) || error.code !== 'corrupted') throw error;
      damage = error;
    }
  }
  throw damage;
}

/** `FS_SIZEF`: width and height as 32-bit floats. */
const SIZE_BYTES = 8;

function sizesOf(pdfium: Pdfium, document: number): (PageSize | undefined)[] {
  const sizes: (PageSize | undefined)[] = [];
  const count = Math.min(pdfium.call.FPDF_GetPageCount(document), MAX_PAGES);
  let last = 0;
  withBuffer(pdfium, SIZE_BYTES, (buffer) => {
    while (sizes.length < count && sizes.length - last < MAX_MISSING_IN_ROW) {
      const isFound = pdfium.call.FPDF_GetPageSizeByIndexF(document, sizes.length, buffer);
      const bytes = pdfium.view(buffer, SIZE_BYTES);
      const edges = new DataView(bytes.buffer, bytes.byteOffset, SIZE_BYTES);
      const [width, height] = [edges.getFloat32(0, true), edges.getFloat32(4, true)];
      const isSound = isFound && width > 0 && height > 0 && Number.isFinite(width * height);
      sizes.push(isSound ? { width, height } : undefined);
      if (isSound) last = sizes.length;
    }
  });
  return sizes.slice(0, last);
}

async function draw(
  file: OpenFile,
  number: number,
  scale: number,
  { signal, maxPicturePixels = Infinity }: DrawOptions,
): Promise<PagePicture> {
  const { pdfium, document, form, sizes } = file;
  const size = sizes[number - 1];
  const page = size === undefined ? 0 : pdfium.call.FPDF_LoadPage(document, number - 1);
  if (size === undefined || page === 0)
    throw new ExtractError('corrupted', { detail: `page ${number} cannot be loaded` });
  return closingLater(
    () => {
      if (form !== 0) pdfium.call.FORM_OnBeforeClosePage(page, form);
      pdfium.call.FPDF_ClosePage(page);
    },
    () => {
      if (form !== 0) pdfium.call.FORM_OnAfterLoadPage(page, form);
      if (maxPicturePixels < Infinity && picturePixels(pdfium, page) > maxPicturePixels)
        throw new ExtractError('too_complex', {
          detail: `the pictures of page ${number} have too many pixels`,
        });
      return drawOpen(file, page, pictureSize(size, scale), signal);
    },
  );
}

/** Whole pixels of a page, within the bound. */
function pictureSize({ width, height }: PageSize, scale: number): PageSize {
  const bounded = Math.min(scale, Math.sqrt(MAX_PIXELS / (width * height)));
  const pixels = (points: number): number => Math.min(MAX_PIXELS, Math.max(1, Math.floor(points * bounded)));
  // A page like a thread is one pixel wide and still within the bound.
  return width > height
    ? { width: Math.min(pixels(width), Math.floor(MAX_PIXELS / pixels(height))), height: pixels(height) }
    : { width: pixels(width), height: Math.min(pixels(height), Math.floor(MAX_PIXELS / pixels(width))) };
}

/** Pixel format, flags and states of fpdfview.h and fpdf_progressive.h. */
const BGRA = 4;
const ANNOTATIONS = 0x01;
const RED_FIRST = 0x10;
const WHITE = 0xffffffff;
const TO_BE_CONTINUED = 1;
const FAILED = 3;

async function drawOpen(
  { pdfium, form }: OpenFile,
  page: number,
  { width, height }: PageSize,
  signal: AbortSignal | undefined,
): Promise<PagePicture> {
  const { call } = pdfium;
  const length = 4 * width * height;
  const buffer = pdfium.allocate(length);
  return closingLater(
    () => {
      pdfium.free(buffer);
    },
    async () => {
      const bitmap = call.FPDFBitmap_CreateEx(width, height, BGRA, buffer, 4 * width);
      if (bitmap === 0) throw new ExtractError('too_large', { detail: `a picture of ${length} bytes` });
      await closingLater(
        () => {
          call.FPDFBitmap_Destroy(bitmap);
        },
        async () => {
          call.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE);
          const frame = [0, 0, width, height, 0, ANNOTATIONS | RED_FIRST] as const;
          await inSlices(pdfium, page, signal, (pause) =>
            call.FPDF_RenderPageBitmap_Start(bitmap, page, ...frame, pause),
          );
          if (form !== 0) call.FPDF_FFLDraw(form, bitmap, page, ...frame);
        },
      );
      return { width, height, pixels: new Uint8ClampedArray(pdfium.view(buffer, length).slice().buffer) };
    },
  );
}

/** Draws until a page is done, with turns of the event loop, the signal and the deadline between the slices. */
async function inSlices(
  pdfium: Pdfium,
  page: number,
  signal: AbortSignal | undefined,
  start: (pause: number) => number,
): Promise<void> {
  const { call } = pdfium;
  const pause = pauseOf(pdfium);
  const startMs = performance.now();
  await closingLater(
    () => {
      call.FPDF_RenderPage_Close(page);
    },
    async () => {
      let state = resume(pause, () => start(pause.pointer));
      while (state === TO_BE_CONTINUED) {
        await nextTurn();
        signal?.throwIfAborted();
        if (performance.now() - startMs > MAX_DRAW_MS)
          throw new ExtractError('too_complex', { detail: `a page takes more than ${MAX_DRAW_MS} ms` });
        state = resume(pause, () => call.FPDF_RenderPage_Continue(page, pause.pointer));
      }
      if (state === FAILED) throw new ExtractError('corrupted', { detail: 'a page cannot be drawn' });
    },
  );
}

interface Pause {
  /** `IFSDK_PAUSE` in PDFium's memory. */
  readonly pointer: number;
  untilMs: number;
}

function resume(pause: Pause, work: () => number): number {
  pause.untilMs = performance.now() + SLICE_MS;
  return work();
}

/** One for each instance, because functions of an instance cannot be taken back. */
const pauses = new WeakMap<Pdfium, Pause>();

/** `IFSDK_PAUSE`: the version 1, the function that decides, and a pointer without use. */
const PAUSE_BYTES = 12;

function pauseOf(pdfium: Pdfium): Pause {
  const known = pauses.get(pdfium);
  if (known !== undefined) return known;
  const pointer = pdfium.allocate(PAUSE_BYTES);
  const pause: Pause = { pointer, untilMs: 0 };
  const callback = pdfium.callback(() => (performance.now() > pause.untilMs ? 1 : 0));
  const { buffer, byteOffset } = pdfium.view(pointer, PAUSE_BYTES);
  new Uint32Array(buffer, byteOffset, PAUSE_BYTES / 4).set([1, callback, 0]);
  pauses.set(pdfium, pause);
  return pause;
}
