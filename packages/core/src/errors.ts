// The one error class of this package. Programs branch on `code`, people read `message`. An aborted call is no error of
// this class: it rejects with the signal's own reason.

/** What went wrong. A code that has been released keeps its meaning. */
export type ChunkErrorCode =
  /** One or more options are wrong; `faults` lists them all. */
  | 'invalid_options'
  /** The text holds a surrogate without its partner, which no vector database accepts. */
  | 'ill_formed_text'
  /**
   * `chunkSync` was asked for a tier that has to wait: for a model or, in a browser, for its code (see `loadTiers`).
   */
  | 'tier_needs_promise'
  /** A single record is larger than its store accepts. */
  | 'record_too_large'
  /** The chunks do not cover the text that they are said to come from. */
  | 'not_covered'
  /** A grammar or its runtime is not installed or could not be loaded. */
  | 'grammar_unavailable'
  /** The embedder rejected; `batch` says for which texts, `cause` why. */
  | 'embedding_failed'
  /** The embedder did not answer with one sound vector for each text; `batch` says for which texts. */
  | 'wrong_embeddings'
  /** The language model cannot be asked at all, because of a wrong key or a cost over the limit; `cause` says why. */
  | 'completion_failed'
  /** The language model gave no usable answer for more than half of the text; `cause` is the last error. */
  | 'too_many_fallbacks'
  /** The decisions belong to another document, or are no decisions. */
  | 'wrong_decisions';

/** A wrong option: its name, what was expected, and what came. */
export interface OptionFault {
  readonly option: string;
  readonly expected: string;
  readonly received: string;
}

/**
 * The error that this package throws when it cannot do what was asked.
 *
 *
 * @example
 * try {
 *   chunkSync(text, { size: 0 });
 * } catch (error) {
 *   if (error instanceof ChunkError && error.code === 'invalid_options') console.error(error.faults);
 * }
 */
export class ChunkError extends Error {
  readonly code: ChunkErrorCode;
  /** Every wrong option, when `code` is `invalid_options`; else empty. */
  readonly faults: readonly OptionFault[];
  /** Where in the text it went wrong, in UTF-16 units, when the code is about the text. */
  readonly offset?: number;
  /**
   * The batch of texts that an embedder failed at: its index from 0, how many batches there are, the index of its first
   * text in the call, and how many texts it has.
   */
  readonly batch?: {
    readonly index: number;
    readonly of: number;
    readonly first: number;
    readonly count: number;
  };

  constructor(
    code: ChunkErrorCode,
    message: string,
    details: {
      faults?: readonly OptionFault[];
      offset?: number;
      batch?: NonNullable<ChunkError['batch']>;
      cause?: unknown;
    } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'ChunkError';
    this.code = code;
    this.faults = details.faults ?? [];
    if (details.offset !== undefined) this.offset = details.offset;
    if (details.batch !== undefined) this.batch = details.batch;
  }
}

/** Throws `invalid_options` naming every fault at once; returns when there is none. */
export function refuse(faults: readonly OptionFault[]): void {
  if (faults.length === 0) return;
  const lines = faults.map((fault) => `${fault.option} must be ${fault.expected}, but is ${fault.received}`);
  throw new ChunkError('invalid_options', `Wrong options: ${lines.join('; ')}.`, { faults });
}

/** An empty list when the value of an option holds what was expected; otherwise one fault that says so. */
export function faultUnless(
  holds: boolean,
  option: string,
  expected: string,
  value: unknown,
): readonly OptionFault[] {
  return holds ? [] : [{ option, expected, received: show(value) }];
}

/** Throws `invalid_options` unless the options of a call are an object. */
export function refuseNonObject(options: unknown): void {
  const holds = typeof options === 'object' && options !== null && !Array.isArray(options);
  refuse(faultUnless(holds, 'options', 'an object', options));
}

/**
 * Faults for options that a call does not know, since an option without effect is a misunderstanding. An option that is
 * undefined counts as left out, as everywhere.
 *
 * @param call name of the call, for the message
 */
export function unknownOptionFaults(options: object, known: readonly string[], call: string): OptionFault[] {
  const expected = `left out, because ${call} takes only ${known.join(', ')}`;
  return Object.entries(options).flatMap(([name, value]) =>
    faultUnless(value === undefined || known.includes(name), name, expected, value),
  );
}

/** A value as error messages show it: short, on one line, never the whole text of a document. */
export function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'number' || typeof value === 'boolean' || value == null) return String(value);
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'function') return 'a function';
  // Objects that are often passed by mistake for what they contain, such as a Promise or a Uint8Array, are shown by the
  // name of their class.
  const name = Object.prototype.toString.call(value).slice(8, -1);
  return name === 'Object' ? 'an object' : `of the class ${name}${name === 'Promise' ? ': await it' : ''}`;
}
