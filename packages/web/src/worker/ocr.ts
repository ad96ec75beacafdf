// Tesseract in the worker, with the data of English. The engine and the data, 6 MB, are files of the service that load
// with the first scanned page.
import type { Ocr } from '@grainline/extract';
import { createEngine, type CoreFactory } from '@grainline/ocr/engine';
import binaryAddress from 'tesseract.js-core/tesseract-core-simd-lstm.wasm?url';
import englishAddress from '@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz?url';

const ENGLISH = ['eng'];

const engine = createEngine({
  loadCore: async () =>
    (await import('tesseract.js-core/tesseract-core-simd-lstm.js')).default as CoreFactory,
  readBinary: async () => new Uint8Array(await (await fetched(binaryAddress)).arrayBuffer()),
  async readLanguage(name) {
    const { body } = await fetched(englishAddress);
    if (body === null) throw new TypeError('Failed to fetch the data of English.');
    const unpacked = new Response(body.pipeThrough(new DecompressionStream('gzip')));
    return { name, bytes: new Uint8Array(await unpacked.arrayBuffer()) };
  },
});

/** Reads the words of a picture. The worker is busy meanwhile; it ends when the visitor cancels. */
export const readPicture: Ocr = ({ bytes }, { dpi }) => engine.read({ bytes, dpi, languages: ENGLISH });

/** A failure has the words of a browser's, which the page explains. */
async function fetched(address: string): Promise<Response> {
  const response = await fetch(new URL(address, import.meta.url));
  if (!response.ok) throw new TypeError(`Failed to fetch ${address}: ${response.status}.`);
  return response;
}
