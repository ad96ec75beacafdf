// The body of a request for chunks: the document, and the options by their wire names.
import type { ContextMode, TopicMode } from '@grainline/core';
import type { FormatId } from '@grainline/core/formats';
import type { SurfaceValues } from '@grainline/core/options';

/** A document: a text, a file, its bytes, or a link that the service fetches. */
export type DocumentInput =
  | {
      readonly text: string;
      /** `.md` makes it Markdown. Default `text.txt`. */
      readonly filename?: string | undefined;
    }
  | {
      readonly file: Blob;
      /** Default the name of a `File`, else `document`. */
      readonly filename?: string | undefined;
    }
  | {
      readonly bytes: Uint8Array;
      readonly filename?: string | undefined;
      /** Declares the encoding of a text: `text/plain; charset=windows-1252`. */
      readonly contentType?: string | undefined;
    }
  | { readonly url: string };

/** Options of the reading of documents, by their names on the wire, which are those of the library. */
type ReadingOptions = Pick<
  SurfaceValues<'wire'>,
  keyof SurfaceValues<'wire'> & keyof SurfaceValues<'extract'>
>;

/**
 * Options of chunking, by the names of the library. The service checks the values and has the defaults. It neither
 * stores nor logs a `password`, and tiers with jobs refuse it.
 */
export interface ChunkRequestOptions<Format extends FormatId = FormatId> extends ReadingOptions {
  /** A tier of the deployment: {@link Overview.tiers} lists them. */
  readonly tier?: string | undefined;
  /** Shape of the records. Default `raw`. */
  readonly format?: Format | undefined;
  /** The longest chunk, in `unit`. */
  readonly size?: number | undefined;
  /** The longest repetition of the previous chunk, in `unit`. */
  readonly overlap?: number | undefined;
  readonly unit?: 'characters' | 'tokens' | undefined;
  /** The tokens' encoding: `o200k` or `cl100k`. */
  readonly encoding?: string | undefined;
  /** The preferred length of chunks, in `unit`. */
  readonly target?: number | undefined;
  /** Shorter chunks are avoided, in `unit`. */
  readonly min?: number | undefined;
  /** Tier `professional`: the context before a chunk's own text. */
  readonly context?: ContextMode | undefined;
  /** Tier `semantic`: the changes of topic at which it cuts. */
  readonly topics?: TopicMode | undefined;
  /** True for records with the ids and ranges of the sections around them. */
  readonly parents?: boolean | undefined;
  /** True for records with vectors. */
  readonly embeddings?: boolean | undefined;
  /** With `embeddings`: the weight of the neighbours' vectors, from 0 to 1. Default: that of the tier. */
  readonly blend?: number | undefined;
  /** Name of the document in the ids of its chunks. */
  readonly documentId?: string | undefined;
  /** Weaviate's class. */
  readonly collection?: string | undefined;
  /** Key of the text in records of databases. */
  readonly textField?: string | undefined;
}

/** Options with other names on the wire. */
const WIRE_NAMES: Readonly<Record<string, string>> = {
  format: 'output_format',
  size: 'chunk_size',
  overlap: 'chunk_overlap',
  target: 'chunk_target',
  min: 'chunk_min',
  documentId: 'document_id',
  textField: 'text_field',
} satisfies Partial<Record<keyof ChunkRequestOptions, string>>;

const DEFAULT_NAME = 'document';

/**
 * The body of `POST /chunk`: JSON for a text or a link, a form for a file.
 *
 * The options, `tier` among them, stand before the file, so that the service checks them before it names a price.
 */
export function bodyFor(
  source: DocumentInput,
  options: ChunkRequestOptions,
  webhookUrl?: string,
): FormData | Blob {
  // Unknown names pass unchanged: the service rejects them by name, or is newer.
  const fields = Object.entries<string | number | boolean | undefined>({
    ...options,
    webhook_url: webhookUrl,
  }).flatMap(([name, value]) => (value === undefined ? [] : [[WIRE_NAMES[name] ?? name, value] as const]));
  if ('text' in source || 'url' in source) {
    const json = JSON.stringify({ ...source, ...Object.fromEntries(fields) });
    return new Blob([json], { type: 'application/json' });
  }
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, String(value));
  form.append('file', ...fileOf(source));
  return form;
}

function fileOf(source: Extract<DocumentInput, { file: Blob } | { bytes: Uint8Array }>): [Blob, string] {
  const { filename } = source;
  if ('file' in source)
    return [source.file, filename ?? (source.file instanceof File ? source.file.name : DEFAULT_NAME)];
  const { bytes, contentType: type = '' } = source;
  // The types of browsers exclude memory that threads share, which Blob itself refuses.
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-assertion
  return [new Blob([bytes as Uint8Array<ArrayBuffer>], { type }), filename ?? DEFAULT_NAME];
}
