// Embedding models that run on this machine, by `@huggingface/transformers`, an optional peer: loaded from a folder, or
// from the hub and its cache.
import type { Embed } from '@grainline/core';
import { ModelError } from '../errors.ts';

/** Options of {@link transformersEmbedder}. */
export interface TransformersOptions {
  /** The model's name on the hub, or its folder below `localPath`. Default `Xenova/all-MiniLM-L6-v2`. */
  readonly model?: string;
  /** Folder that holds models by name. With it nothing is downloaded, unless `offline` is false. */
  readonly localPath?: string | undefined;
  /** True to use only files on this machine. Default true with `localPath`, else false. */
  readonly offline?: boolean;
  /** Folder where downloads are kept. Default the library's own. */
  readonly cacheDir?: string;
  /** Branch, tag or commit on the hub. Default `main`. */
  readonly revision?: string;
  /** Precision of the weights: `fp32`, `fp16`, `q8`, `q4`, … Default `q8`. */
  readonly dtype?: string | undefined;
  /** Device to run on: `cpu`, `webgpu`, `wasm`, … Default the library's own. */
  readonly device?: string;
  /** The function that makes one vector of the vectors of a text's tokens. Default `mean`. */
  readonly pooling?: 'mean' | 'cls' | 'last_token';
  /** Prefix of every text, as some models need it (`passage: `). Default none. */
  readonly prefix?: string;
  /** Number of texts that run at the same time: an integer from 1. Default 16. */
  readonly batch?: number;
  /**
   * The library itself, when it cannot be found by its name, as in a bundle: `import * as library from
   * '@huggingface/transformers'`.
   */
  readonly library?: object;
  /**
   * Called while files load, with bytes for each file; for files from the cache too, but not for those from
   * `localPath`.
   */
  readonly onDownload?: (file: string, loaded: number, total: number) => void;
}

/** The used part of the library. */
interface Transformers {
  readonly env: {
    allowRemoteModels: boolean;
    allowLocalModels: boolean;
    localModelPath: string;
    cacheDir: string | null;
  };
  readonly pipeline: (
    task: 'feature-extraction',
    model: string,
    options: Readonly<Record<string, unknown>>,
  ) => Promise<Extractor>;
}

type Extractor = (
  texts: readonly string[],
  options: { readonly pooling: string; readonly normalize: boolean },
) => Promise<{ readonly dims: readonly number[]; readonly data: ArrayLike<number> }>;

/** The name of the package, hidden from bundlers, because it is an optional peer. */
const PACKAGE = '@huggingface/transformers';

/**
 * Loads a model and returns its embedder. Texts of similar length run together in batches, always the same ones for the
 * same list of texts, because quantised models give slightly different vectors in other batches. The signal is checked
 * between batches. The library has a single setting for the source of models, so when two embedders load at once, the
 * `localPath`, `cacheDir` and `offline` of the later one hold for both.
 *
 * @throws ModelError `invalid_options`, `package_missing`, `model_unavailable`
 * @example
 * const embed = await transformersEmbedder({ localPath: './models', model: 'all-MiniLM-L6-v2' });
 */
export async function transformersEmbedder(options: TransformersOptions = {}): Promise<Embed> {
  const {
    model = 'Xenova/all-MiniLM-L6-v2',
    dtype = 'q8',
    pooling = 'mean',
    prefix = '',
    batch = 16,
  } = options;
  if (!Number.isSafeInteger(batch) || batch < 1)
    throw new ModelError('invalid_options', `batch must be an integer from 1, but is ${batch}.`);
  const library = (options.library as Transformers | undefined) ?? (await importLibrary());
  const extract = await load(library, { ...options, model, dtype });
  return async (texts, { signal }) => {
    const vectors: ArrayLike<number>[] = new Array<ArrayLike<number>>(texts.length);
    let dimensions = 1;
    const order = texts
      .map((_, index) => index)
      .sort((a, b) => lengthOf(texts, a) - lengthOf(texts, b) || a - b);
    for (let from = 0; from < order.length; from += batch) {
      signal?.throwIfAborted();
      const part = order.slice(from, from + batch);
      const { dims, data } = await extract(
        part.map((index) => prefix + (texts[index] ?? '')),
        { pooling, normalize: true },
      );
      const [rows = 0, width = 0] = dims;
      if (dims.length !== 2 || rows !== part.length || data.length !== rows * width)
        throw new ModelError(
          'wrong_answer',
          `${model} gave ${dims.join(' × ')} numbers for ${part.length} texts.`,
        );
      dimensions = width;
      for (const [row, index] of part.entries())
        vectors[index] = Array.prototype.slice.call(data, row * width, (row + 1) * width) as number[];
    }
    signal?.throwIfAborted();
    return { model, dimensions, vectors };
  };
}

function lengthOf(texts: readonly string[], index: number): number {
  return texts[index]?.length ?? 0;
}

async function importLibrary(): Promise<Transformers> {
  try {
    return (await import(/* webpackIgnore: true */ /* @vite-ignore */ PACKAGE)) as Transformers;
  } catch (cause) {
    const message = `${PACKAGE} is not installed, or cannot be loaded. Run: npm install ${PACKAGE}`;
    throw new ModelError('package_missing', message, { cause });
  }
}

async function load(
  { env, pipeline }: Transformers,
  options: TransformersOptions & { model: string; dtype: string },
): Promise<Extractor> {
  const { model, localPath, cacheDir, revision, dtype, device, onDownload } = options;
  const offline = options.offline ?? localPath !== undefined;
  env.allowRemoteModels = !offline;
  env.allowLocalModels = localPath !== undefined || offline;
  if (localPath !== undefined) env.localModelPath = localPath;
  if (cacheDir !== undefined) env.cacheDir = cacheDir;
  try {
    return await pipeline('feature-extraction', model, {
      dtype,
      device,
      revision,
      local_files_only: offline,
      ...(offline || onDownload === undefined
        ? {}
        : { progress_callback: downloadEvents(model, onDownload) }),
    });
  } catch (cause) {
    const here = localPath === undefined ? 'its cache on this machine' : path(localPath, model);
    const why = cause instanceof Error ? cause.message : String(cause);
    const message = `The model ${model} could not be loaded with the weights ${dtype} from ${offline ? here : 'the hub'}: ${why}`;
    throw new ModelError('model_unavailable', message, { cause });
  }
}

function path(folder: string, model: string): string {
  return `${folder.replace(/\/$/, '')}/${model}`;
}

/** Turns the library's events, which also count bytes, into calls of `onDownload`. */
function downloadEvents(
  model: string,
  onDownload: NonNullable<TransformersOptions['onDownload']>,
): (event: { status?: string; file?: string; loaded?: number; total?: number }) => void {
  return ({ status, file = model, loaded = 0, total = 0 }) => {
    if (status === 'progress') onDownload(file, loaded, total);
  };
}
