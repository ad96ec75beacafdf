// The port of @grainline/extract by Tesseract: one picture at a time, in a thread that an abort ends.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Ocr, OcrWord } from '@grainline/extract';
import { createEngine, type RecognitionJob } from './engine.ts';
import { OcrError } from './errors.ts';
import { engineFiles } from './files.ts';
import { languagesOf, readLanguage } from './languages.ts';
import type { Reply } from './thread.ts';

/** Options of {@link createOcr}. */
export interface OcrOptions {
  /**
   * Languages of the text, the most frequent first: `'eng'`, `'deu+fra'`. Each is a package
   * `@tesseract.js-data/NAME`, or a file of `folder`. Default `'eng'`, which comes with this package.
   */
  readonly languages?: string | undefined;
  /** Folder with the files `NAME.traineddata` or `NAME.traineddata.gz`. Default: the installed packages. */
  readonly folder?: string | undefined;
  /**
   * Where Tesseract works: `'thread'` (the default) is a thread of its own, so that the program goes on and an abort
   * ends a page at once. `'here'` is the calling thread, which a page blocks for seconds: for processes that may not
   * start threads, as those of Node's permission model.
   */
  readonly runs?: 'thread' | 'here' | undefined;
}

/** OCR that is ready for documents. */
export interface TesseractOcr {
  /** The option `ocr` of `extract`. Reads one picture at a time, in the order of the calls. */
  readonly ocr: Ocr;
  /** Ends the thread. A program may also leave it: an idle thread keeps no process alive. */
  readonly close: () => Promise<void>;
}

/**
 * Makes OCR by Tesseract.
 *
 * Rejects with an {@link OcrError}: `language_missing` when data of a language is not there, which says what to
 * install, `invalid_options` for names that are none.
 *
 * @example
 * const { ocr, close } = await createOcr();
 * const document = await extract(await readFile('scan.pdf'), { ocr });
 * await close();
 */
export async function createOcr({
  languages = 'eng',
  folder,
  runs = 'thread',
}: OcrOptions = {}): Promise<TesseractOcr> {
  const known = languagesOf(languages);
  // Found missing here and not with the first scan.
  await Promise.all(known.map((name) => readLanguage(name, folder)));
  const engine =
    runs === 'here'
      ? { ...createEngine(engineFiles(folder)), close: () => Promise.resolve() }
      : inThread(folder);
  let queue: Promise<unknown> = Promise.resolve();
  const ocr: Ocr = ({ bytes }, { dpi, language, signal }) => {
    const wanted = language === undefined ? known : languagesOf(language);
    const turn = queue.then(() => {
      signal?.throwIfAborted();
      return engine.read({ bytes, dpi, languages: wanted }, signal);
    });
    queue = turn.catch(() => undefined);
    return turn;
  };
  return { ocr, close: () => engine.close() };
}

interface ThreadedOcr {
  read(job: RecognitionJob, signal: AbortSignal | undefined): Promise<readonly OcrWord[]>;
  close(): Promise<void>;
}

/** An engine in a thread, which starts with the first job and anew after an abort. */
function inThread(folder: string | undefined): ThreadedOcr {
  let worker: Worker | undefined;

  async function end(): Promise<void> {
    const ended = worker;
    worker = undefined;
    await ended?.terminate();
  }

  return {
    async read(job, signal) {
      const thread = (worker ??= new Worker(threadFile(), { workerData: { folder } }));
      // A thread at work keeps the process alive, an idle one does not.
      thread.ref();
      try {
        return await answer(thread, job, signal);
      } catch (error) {
        // The memory of Tesseract never shrinks, and a thread at work does not listen.
        if (!(error instanceof OcrError) || error.code === 'too_complex') await end();
        throw error;
      } finally {
        thread.unref();
      }
    },
    close: end,
  };
}

/** Rejects with the signal's reason at once, although the thread goes on. */
function answer(
  thread: Worker,
  job: RecognitionJob,
  signal: AbortSignal | undefined,
): Promise<readonly OcrWord[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly OcrWord[]>();
  const onMessage = (reply: Reply): void => {
    if ('words' in reply) resolve(reply.words);
    else
      reject(reply.code === undefined ? new Error(reply.message) : new OcrError(reply.code, reply.message));
  };
  const onError = (error: unknown): void => reject(error);
  const onExit = (): void => reject(new OcrError('too_complex', 'its thread ended'));
  const onAbort = (): void => reject(signal?.reason as Error);
  thread.on('message', onMessage).on('error', onError).on('exit', onExit);
  signal?.addEventListener('abort', onAbort);
  thread.postMessage(job);
  return promise.finally(() => {
    thread.off('message', onMessage).off('error', onError).off('exit', onExit);
    signal?.removeEventListener('abort', onAbort);
  });
}

/** The thread's entry beside this source file, and in the published package beside the bundle of this file. */
function threadFile(): string {
  const files = ['./thread.ts', './thread.js'].map((name) => fileURLToPath(new URL(name, import.meta.url)));
  const existing = files.find((file) => existsSync(file));
  if (existing === undefined) throw new Error(`The file of the thread is missing: ${files.join(', ')}.`);
  return existing;
}
