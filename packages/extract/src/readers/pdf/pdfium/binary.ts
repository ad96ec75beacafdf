// The source of PDFium's WebAssembly: the only file of this folder with disk access. A bundle for browsers replaces it
// by one that fetches the binary.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const FILE = '@embedpdf/pdfium/pdfium.wasm';

/** The WebAssembly binary of PDFium. Rejects with the remedy when it is missing, as in a bundle. */
export async function readBinary(): Promise<Uint8Array> {
  try {
    return await readFile(createRequire(import.meta.url).resolve(FILE));
  } catch (cause) {
    const message =
      `PDFs are read by the file ${FILE}, which cannot be found from here. In a bundle, leave @grainline/extract out as a package beside it: ` +
      '--external:@grainline/extract (esbuild), ssr.external (Vite), serverExternalPackages (Next.js).';
    throw new Error(message, { cause });
  }
}
