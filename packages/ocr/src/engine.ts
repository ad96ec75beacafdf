// Tesseract as WebAssembly: the bytes of a picture in, words out. It runs where it is called, also in browsers; the
// entry `@grainline/ocr/engine`. In Node thread.ts gives it a thread of its own, and files.ts its files. The package
// tesseract.js-core holds it; tesseract.js around it would fetch data and code.
import type { OcrWord } from '@grainline/extract';
import { OcrError } from './errors.ts';
import { orientationOf } from './orientation.ts';

/** Trained data of one language, as Tesseract's file NAME.traineddata has it. */
export interface LanguageData {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The files of Tesseract. The engine loads each once, at the first picture. */
export interface EngineFiles {
  /** Loads the function that `tesseract.js-core/tesseract-core-simd-lstm` exports. */
  readonly loadCore: () => Promise<CoreFactory>;
  /** Reads `tesseract-core-simd-lstm.wasm` of the same version. */
  readonly readBinary: () => Promise<Uint8Array>;
  /** Reads the data of a language. */
  readonly readLanguage: (name: string) => Promise<LanguageData>;
}

/** One picture to read. */
export interface RecognitionJob {
  readonly bytes: Uint8Array;
  /** Pixels in an inch, if they are known. */
  readonly dpi: number | undefined;
  /** Names of Tesseract's, the most frequent first. */
  readonly languages: readonly string[];
}

/** Tesseract with the data of its languages. */
export interface OcrEngine {
  /**
   * Reads a picture. Blocks the thread while Tesseract works.
   * Rejects with an OcrError `corrupted`, `too_complex` or `language_missing`.
   */
  read(job: RecognitionJob): Promise<OcrWord[]>;
}

/** The used part of Tesseract's interface, whose types are not published. */
interface Tesseract {
  readonly Init: (path: null, languages: string, mode: number, config: undefined) => number;
  readonly SetVariable: (name: string, value: string) => boolean;
  readonly SetImageFile: (orientation: number, angle: number) => number;
  readonly Recognize: (progress: null) => number;
  readonly GetJSONText: () => string;
  readonly Clear: () => void;
  readonly End: () => void;
}

interface Core {
  readonly TessBaseAPI: new () => Tesseract;
  readonly FS: {
    readonly writeFile: (path: string, bytes: Uint8Array) => void;
    readonly unlink: (path: string) => void;
  };
}

/** Creates Tesseract from its WebAssembly. */
export type CoreFactory = (settings: object) => Promise<unknown>;

/** The parts of the WebAssembly API that are used; Node's types do not have them. */
declare const WebAssembly: {
  readonly compile: (binary: Uint8Array) => Promise<object>;
  readonly instantiate: (module: object, imports: object) => Promise<{ readonly exports: object }>;
  readonly Memory: abstract new () => { grow: (pages: number) => number; readonly buffer: ArrayBuffer };
};

/** Sheets at 200 dpi take 130 MB, the largest pictures that are let in some 700. */
const MAX_BYTES = 1024 * 1024 * 1024;
const PAGE_BYTES = 64 * 1024;
/** `OEM_LSTM_ONLY`: the other engine is not in this build. */
const NETWORK_ONLY = 1;
/** `PSM_AUTO`: columns, tables and pictures are told apart. */
const AUTO = '3';
/** The path that `SetImageFile` of this build reads. */
const PICTURE = '/input';

/** An engine for one job after another. */
export function createEngine(files: EngineFiles): OcrEngine {
  let ready: { readonly core: Core; readonly tesseract: Tesseract; readonly languages: string } | undefined;
  const data = new Map<string, Promise<LanguageData>>();

  async function prepare(languages: readonly string[]): Promise<NonNullable<typeof ready>> {
    const names = languages.join('+');
    if (ready?.languages === names) return ready;
    const read = await Promise.all(languages.map((name) => dataOf(name)));
    const core = ready?.core ?? (await loadCore(files));
    ready?.tesseract.End();
    for (const { name, bytes } of read) core.FS.writeFile(`${name}.traineddata`, bytes);
    const tesseract = new core.TessBaseAPI();
    if (tesseract.Init(null, names, NETWORK_ONLY, undefined) !== 0)
      throw new OcrError('language_missing', `The data of ${names} is not that of Tesseract 4 or 5.`);
    tesseract.SetVariable('tessedit_pageseg_mode', AUTO);
    ready = { core, tesseract, languages: names };
    return ready;
  }

  function dataOf(name: string): Promise<LanguageData> {
    const known = data.get(name) ?? files.readLanguage(name);
    data.set(name, known);
    known.catch(() => data.delete(name));
    return known;
  }

  return {
    async read({ bytes, dpi, languages }) {
      const { core, tesseract } = await prepare(languages);
      try {
        core.FS.writeFile(PICTURE, bytes);
        // 0 lets Tesseract estimate it by the letters.
        tesseract.SetVariable('user_defined_dpi', String(Math.round(dpi ?? 0)));
        if (tesseract.SetImageFile(orientationOf(bytes), 0) !== 0) throw new OcrError('corrupted');
        if (tesseract.Recognize(null) !== 0) throw new OcrError('corrupted');
        const words = wordsOf(JSON.parse(tesseract.GetJSONText()) as Page);
        tesseract.Clear();
        core.FS.unlink(PICTURE);
        return words;
      } catch (error) {
        // Whatever Tesseract has thrown, its state is lost.
        ready = undefined;
        if (error instanceof OcrError) throw error;
        throw new OcrError(
          'too_complex',
          `Tesseract gave up, with at most ${MAX_BYTES / 1024 / 1024} MiB`,
          error,
        );
      }
    },
  };
}

async function loadCore({ loadCore: load, readBinary }: EngineFiles): Promise<Core> {
  const [create, binary] = await Promise.all([load(), readBinary()]);
  const module = await WebAssembly.compile(binary);
  // The types of the core are not published.
  const core = await create({
    print: discard,
    printErr: discard,
    instantiateWasm(imports: object, done: (instance: object) => void): object {
      void WebAssembly.instantiate(module, imports).then((instance) => {
        limitMemory(instance.exports);
        done(instance);
      });
      return {};
    },
  });
  return core as Core;
}

function discard(): void {
  // Discards what Tesseract prints for its developers.
}

/** Emscripten grows the memory by a call of this object, and then reports no memory. */
function limitMemory(exports: object): void {
  const memory = Object.values(exports).find((value) => value instanceof WebAssembly.Memory);
  if (memory === undefined) throw new Error('Tesseract has no memory of its own.');
  const grow = memory.grow.bind(memory);
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * PAGE_BYTES > MAX_BYTES) throw new RangeError('Too much memory.');
    return grow(pages);
  };
}

/** Tesseract's JSON. */
interface Page {
  readonly blocks: readonly { readonly paragraphs: readonly { readonly lines: readonly TextLine[] }[] }[];
}

interface TextLine {
  readonly words: readonly {
    readonly text: string;
    readonly confidence: number;
    readonly bbox: { readonly x0: number; readonly y0: number; readonly x1: number; readonly y1: number };
  }[];
}

function wordsOf({ blocks }: Page): OcrWord[] {
  const lines = blocks.flatMap(({ paragraphs }) => paragraphs.flatMap((paragraph) => paragraph.lines));
  return lines.flatMap(({ words }, line) =>
    words.map(({ text, confidence, bbox: { x0, y0, x1, y1 } }) => ({
      text,
      left: x0,
      top: y0,
      right: x1,
      bottom: y1,
      confidence: confidence / 100,
      line,
    })),
  );
}
