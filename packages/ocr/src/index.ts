/** OCR for Grainline by Tesseract: `createOcr()` gives the option `ocr` of `extract`. Works offline. */
export { createOcr } from './ocr.ts';
export type { OcrOptions, TesseractOcr } from './ocr.ts';
export { OcrError } from './errors.ts';
export type { OcrErrorCode } from './errors.ts';
