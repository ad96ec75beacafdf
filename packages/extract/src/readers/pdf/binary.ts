// Where PDFium's WebAssembly comes from: the only file of this folder that touches the disk. A bundle for browsers puts
// one in its place that fetches it.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** The WebAssembly binary of PDFium. */
export function readBinary(): Promise<Uint8Array> {
  return readFile(createRequire(import.meta.url).resolve('@embedpdf/pdfium/pdfium.wasm'));
}
