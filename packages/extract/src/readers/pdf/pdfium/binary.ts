// The source of PDFium's WebAssembly: the only file of this folder with access to disk and network.
import type * as FileSystem from 'node:fs/promises';
import type * as NodeModule from 'node:module';
import { builtin } from '../../../builtin.ts';
import { asBytes } from '../../../bytes.ts';
import type { PdfiumSource } from '../../../reader.ts';

const FILE = '@embedpdf/pdfium/pdfium.wasm';

/**
 * The WebAssembly binary of PDFium: the given one, in Node else that of the installed package. Undefined elsewhere,
 * where PDFium's own loader knows the address: bundlers copy the file for its `new URL`.
 */
export async function readBinary(source: PdfiumSource | undefined): Promise<Uint8Array | undefined> {
  const bytes = asBytes(source);
  if (bytes !== undefined) return bytes;
  const files = builtin('node:fs/promises') as typeof FileSystem | undefined;
  if (source === undefined) return files && readInstalled(files);
  // An address of bytes has been returned above.
  const address = source as string | URL;
  if (files === undefined || /^(?:https?|data|blob):/i.test(String(address))) return fetchBytes(address);
  return files.readFile(/^file:/i.test(String(address)) ? new URL(address) : address);
}

/** Undefined in a bundle: the package is not beside it. */
async function readInstalled(files: typeof FileSystem): Promise<Uint8Array | undefined> {
  const { createRequire } = builtin('node:module') as typeof NodeModule;
  try {
    return await files.readFile(createRequire(import.meta.url).resolve(FILE));
  } catch {
    return undefined;
  }
}

async function fetchBytes(address: string | URL): Promise<Uint8Array> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${String(address)} answers ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** A `PdfiumLoadError`: the binary does not load or start. Its message has the remedy for this environment. */
export function loadingError(cause: unknown): Error {
  const message =
    builtin('node:fs/promises') === undefined
      ? `PDFs are read by PDFium's WebAssembly, which could not be loaded: ${String(cause)}. ` +
        `Serve the file pdfium.wasm of the installed @embedpdf/pdfium with the page and pass its address, extract(file, { pdfium: '/pdfium.wasm' }). ` +
        "A Content-Security-Policy must allow it: script-src 'wasm-unsafe-eval'."
      : `PDFs are read by the file ${FILE}, which cannot be found from here. In a bundle, leave @grainline/extract out as a package beside it: ` +
        '--external:@grainline/extract (esbuild), ssr.external (Vite), serverExternalPackages (Next.js). ' +
        `Or pass its path, extract(file, { pdfium: 'pdfium.wasm' }). The cause: ${String(cause)}`;
  return Object.assign(new Error(message, { cause }), { name: 'PdfiumLoadError' });
}
