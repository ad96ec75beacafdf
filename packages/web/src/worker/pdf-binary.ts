// The browser's variant of the file in packages/extract: fetches PDFium's WebAssembly over the network.
import address from '@embedpdf/pdfium/pdfium.wasm?url';

/** The WebAssembly binary of PDFium. */
export async function readBinary(): Promise<Uint8Array> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`The PDF reader could not be loaded (${response.status}).`);
  return new Uint8Array(await response.arrayBuffer());
}
