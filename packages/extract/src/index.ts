/** Grainline's extraction: bytes of a file of any kind in docs/kinds.md in, one Document out. */
export { extract } from './extract.ts';
export type { ExtractOptions, ReadingOptions } from './extract.ts';
export type { BlobInput, ByteStream, ExtractInput } from './input.ts';
export { declaredEncoding, detectKind } from './kind.ts';
export type { Ocr, OcrImage, OcrRequest, OcrWord } from './ocr.ts';
export type { KindHints } from './reader.ts';
export { IMAGES, kindNames, READERS } from './readers/index.ts';
export type { KindEntry } from './readers/index.ts';
export { ExtractError } from './errors.ts';
export type { ExtractErrorCode, ExtractErrorDetails } from './errors.ts';
export type { Kind, PageProgress, PdfiumSource, Reader, Source } from './reader.ts';
