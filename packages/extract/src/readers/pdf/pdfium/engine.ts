// The PDFium instance: loads it, gives it to one document at a time, and discards it after a crash. The only file of
// this folder that outlives a document.
import { init, type Methods } from '@embedpdf/pdfium';
import { orAborted } from '../../../aborted.ts';
import { ExtractError } from '../../../errors.ts';
import type { PdfiumSource } from '../../../reader.ts';
import { loadingError, readBinary } from './binary.ts';

/** PDFium's functions and its memory. Valid only inside the call of {@link withPdfium} that provides it. */
export interface Pdfium {
  readonly call: Methods;
  /** Bytes that the instance holds; it only ever grows. */
  readonly memoryBytes: () => number;
  /** Takes `size` bytes of PDFium's memory; `too_large` when they do not fit. Release them by `free`. */
  readonly allocate: (size: number) => number;
  readonly free: (pointer: number) => void;
  /** Makes a function of one number callable for PDFium; it stays as long as the instance. */
  readonly callback: (called: (argument: number) => number) => number;
  /** A view of PDFium's memory. Any call into PDFium may move the memory: do not keep it. */
  readonly view: (pointer: number, length: number) => Uint8Array<ArrayBuffer>;
}

/**
 * Functions that are called for each word, font or path of a page. They are taken from the WebAssembly instance itself:
 * Emscripten's wrapper looks each call up by name and takes ten times as long. All take numbers only; where the
 * wrapper answers true and false, these answer 1 and 0.
 */
const DIRECT = [
  'FPDFText_GetCharIndexFromTextIndex',
  'FPDFText_GetCharOrigin',
  'FPDFText_GetCharAngle',
  'FPDFText_GetCharBox',
  'FPDFText_GetLooseCharBox',
  'FPDFText_GetTextObject',
  'FPDFText_IsGenerated',
  'FPDFText_GetMatrix',
  'FPDFText_HasUnicodeMapError',
  'FPDFText_GetTextIndexFromCharIndex',
  'FPDFText_GetFontSize',
  'FPDFTextObj_GetFont',
  'FPDFTextObj_GetTextRenderMode',
  'FPDFFont_GetFlags',
  'FPDFFont_GetBaseFontName',
  'FPDFFont_GetWeight',
  'FPDFFont_GetIsEmbedded',
  'FPDFFont_GetGlyphWidth',
  'FPDFPage_GetObject',
  'FPDFPageObj_GetType',
  'FPDFPageObj_GetBounds',
  'FPDFPageObj_GetMatrix',
  'FPDFPath_GetDrawMode',
  'FPDFPath_CountSegments',
  'FPDFPath_GetPathSegment',
  'FPDFPathSegment_GetPoint',
  'FPDFPathSegment_GetType',
  'FPDFPathSegment_GetClose',
  'FPDF_StructElement_CountChildren',
  'FPDF_StructElement_GetChildMarkedContentID',
  'FPDF_StructElement_GetChildAtIndex',
  'FPDF_StructElement_GetType',
  'FPDF_StructElement_GetAttributeCount',
  'FPDF_StructElement_GetAttributeAtIndex',
  'FPDF_StructElement_Attr_GetValue',
  'FPDF_StructElement_Attr_GetNumberValue',
  'FPDFPageObj_GetMarkedContentID',
  'FPDFPageObj_CountMarks',
  'FPDFPageObj_GetMark',
  'FPDFPageObjMark_GetName',
] as const satisfies readonly (keyof Methods)[];

/** The used part of the Emscripten module, whose own types are not published with it. */
interface EmscriptenModule {
  readonly HEAPU8: Uint8Array<ArrayBuffer>;
  readonly addFunction: (called: (argument: number) => number, signature: 'ii') => number;
  readonly wasmExports: Pick<Methods, (typeof DIRECT)[number]> & {
    readonly malloc: (size: number) => number;
    readonly free: (pointer: number) => void;
    readonly memory: { grow: (pages: number) => number; readonly buffer: ArrayBuffer };
  };
}

/** The parts of the WebAssembly API that are used; neither Node's types nor the ECMAScript ones have them. */
declare const WebAssembly: {
  readonly compile: (binary: Uint8Array) => Promise<object>;
  readonly instantiate: (module: object, imports: object) => Promise<object>;
  readonly RuntimeError: ErrorConstructor;
};

/**
 * 512 MiB. A bomb (nested Flate streams, forms that draw themselves twice) then aborts after 2 to 3 s; without the
 * limit it takes 2 GiB or never ends. No sound file of the corpus needs a tenth of the limit.
 */
const MAX_BYTES = 512 * 1024 * 1024;
/** Bytes of one WebAssembly page. */
const PAGE_BYTES = 64 * 1024;
/** An instance that a document has made larger than this is not kept, because its memory never shrinks. */
const KEEP_BYTES = 128 * 1024 * 1024;

/** Absent until a binary has started, so that the document after a failure tries again. */
let compiled: object | undefined;
let idle: Pdfium | undefined;
let queue: Promise<unknown> = Promise.resolve();

/**
 * Runs `work` with PDFium, one document at a time: so the memory limit holds for each, and a document that kills the
 * instance affects no other. An error thrown by PDFium (out of memory, stack overflow, a trap) becomes `too_complex`;
 * the next document gets a new instance.
 */
export function withPdfium<T>(
  work: (pdfium: Pdfium) => Promise<T>,
  signal?: AbortSignal,
  binary?: PdfiumSource,
): Promise<T> {
  const turn = queue.then(() => runAlone(work, signal, binary));
  queue = turn.catch(() => undefined);
  return orAborted(turn, signal);
}

async function runAlone<T>(
  work: (pdfium: Pdfium) => Promise<T>,
  signal: AbortSignal | undefined,
  binary: PdfiumSource | undefined,
): Promise<T> {
  signal?.throwIfAborted();
  const pdfium = idle ?? (await createPdfium(binary));
  idle = pdfium;
  try {
    return await work(pdfium);
  } catch (error) {
    if (!isDeath(error)) throw error;
    idle = undefined;
    throw new ExtractError('too_complex', { detail: 'the PDF engine gave up', cause: error });
  } finally {
    if (pdfium.memoryBytes() > KEEP_BYTES) idle = undefined;
  }
}

/**
 * Takes an instance out of the queue, for a document that stays open. Meanwhile another one reads, so each has the
 * memory limit for itself. Give it back by {@link returnPdfium}, unless it has crashed.
 */
export function takePdfium(binary?: PdfiumSource): Promise<Pdfium> {
  const turn = queue.then(async () => {
    const pdfium = idle ?? (await createPdfium(binary));
    idle = undefined;
    return pdfium;
  });
  queue = turn.catch(() => undefined);
  return turn;
}

/** Gives a sound instance without an open document back for the next one. */
export function returnPdfium(pdfium: Pdfium): void {
  if (pdfium.memoryBytes() <= KEEP_BYTES) idle ??= pdfium;
}

/** Errors that WebAssembly itself throws; our own and the signal's reason leave the instance sound. */
export function isDeath(error: unknown): boolean {
  return error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
}

async function createPdfium(binary: PdfiumSource | undefined): Promise<Pdfium> {
  const { pdfium, ...call } = await start(binary);
  call.PDFiumExt_Init();
  const module = pdfium as unknown as EmscriptenModule;
  limitMemory(module.wasmExports.memory);
  const direct = Object.fromEntries(DIRECT.map((name) => [name, module.wasmExports[name]]));
  // V8 looks a function up in a table at each call where an object has so many; it knows those of a prototype.
  return { call: Object.create({ ...call, ...direct }) as Methods, ...memoryOf(module) };
}

async function start(binary: PdfiumSource | undefined): ReturnType<typeof init> {
  try {
    const module = compiled ?? (await compile(binary));
    const made = await (module === undefined ? init(SILENT) : instantiate(module));
    compiled = module;
    return made;
  } catch (cause) {
    throw loadingError(cause);
  }
}

async function compile(binary: PdfiumSource | undefined): Promise<object | undefined> {
  const bytes = await readBinary(binary);
  return bytes && WebAssembly.compile(bytes);
}

/** Emscripten requests the instance by a callback without a way to report a failure, so this promise rejects. */
function instantiate(module: object): ReturnType<typeof init> {
  return new Promise((resolve, reject) => {
    const instantiateWasm = (imports: object, done: (instance: object) => void): object => {
      WebAssembly.instantiate(module, imports).then(done, reject);
      return {};
    };
    init({ ...SILENT, instantiateWasm }).then(resolve, reject);
  });
}

/** PDFium reports damage of documents by return values; its output is for its own developers. */
const SILENT = { print: discard, printErr: discard };

function discard(): void {
  // Discards the output.
}

/** Emscripten grows the memory by a call of this object, never inside the WebAssembly, and then reports no memory. */
function limitMemory(memory: EmscriptenModule['wasmExports']['memory']): void {
  const grow = memory.grow.bind(memory);
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * PAGE_BYTES > MAX_BYTES) throw new RangeError('Too much memory.');
    return grow(pages);
  };
}

function memoryOf(module: EmscriptenModule): Omit<Pdfium, 'call'> {
  const { malloc, free } = module.wasmExports;
  return {
    memoryBytes: () => module.HEAPU8.byteLength,
    allocate: (size) => {
      const pointer = size < MAX_BYTES ? malloc(size) : 0;
      if (pointer === 0)
        throw new ExtractError('too_large', { detail: `${size} bytes do not fit into the PDF engine` });
      return pointer;
    },
    free,
    callback: (called) => module.addFunction(called, 'ii'),
    view: (pointer, length) => module.HEAPU8.subarray(pointer, pointer + length),
  };
}

/** Runs `work` with `size` bytes of PDFium's memory. */
export function withBuffer<T>(pdfium: Pdfium, size: number, work: (buffer: number) => T): T {
  const buffer = pdfium.allocate(size);
  return closing(
    () => {
      pdfium.free(buffer);
    },
    () => work(buffer),
  );
}

/** Runs `work` and then `close`, even after an error, except on a crashed instance. */
export function closing<T>(close: () => void, work: () => T): T {
  let result: T;
  try {
    result = work();
  } catch (error) {
    if (!isDeath(error)) close();
    throw error;
  }
  close();
  return result;
}

/** {@link closing} for work that takes turns. */
export async function closingLater<T>(close: () => void, work: () => Promise<T>): Promise<T> {
  let result: T;
  try {
    result = await work();
  } catch (error) {
    if (!isDeath(error)) close();
    throw error;
  }
  close();
  return result;
}
