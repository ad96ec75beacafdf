// The files of Tesseract in Node: those of the installed packages, or of a folder.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { CoreFactory, EngineFiles } from './engine.ts';
import { readLanguage } from './languages.ts';

/**
 * The build with fixed vectors. The one with relaxed vectors is 3 % faster, and its results differ by processor; the
 * one without takes five times as long.
 */
const CORE = 'tesseract.js-core/tesseract-core-simd-lstm';

/** @param folder of languages; undefined for the installed packages */
export function engineFiles(folder: string | undefined): EngineFiles {
  const require = createRequire(import.meta.url);
  return {
    loadCore: () => Promise.resolve(require(CORE) as CoreFactory),
    readBinary: () => readFile(require.resolve(`${CORE}.wasm`)),
    readLanguage: (name) => readLanguage(name, folder),
  };
}
