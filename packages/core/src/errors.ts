// The one error class of this package. Programs branch on `code`, people read `message`. Aborting is not an error of
// ours: it throws the signal's own reason.

/** What went wrong. A code that has been released keeps its meaning. */
export type ChunkErrorCode =
  /** One or more options are wrong; `faults` lists them all. */
  | 'invalid_options'
  /** The text holds a surrogate without its partner, which no vector database accepts. */
  | 'ill_formed_text'
  /** `chunkSync` was asked for a tier that has to wait: for a model, or in a browser for its code (`loadTiers`). */
  | 'tier_needs_promise'
  /** A record is larger than its store takes, however few stand in a request. */
  | 'record_too_large'
  /** The chunks are not all of the text that they are said to be of. */
  | 'not_covered'
  /** A grammar or its runtime is not installed, or could not be read. */
  | 'grammar_unavailable'
  /** The embedder rejected; `batch` says at which texts, `cause` why. */
  | 'embedding_failed'
  /** The embedder answered with what is not one sound vector a text; `batch` says for which texts. */
  | 'wrong_embeddings'
  /** The language model cannot be asked, now or later: a wrong key, a cost over the limit; `cause` says why. */
  | 'completion_failed'
  /** The language model gave no usable answer about more than half of the text; `cause` says why the last time. */
  | 'too_many_fallbacks'
  /** The decisions are of another document, or no decisions. */
  | 'wrong_decisions';

/** A wrong option: its name, what was expected, and what came. */
export interface OptionFault {
  readonly option: string;
  readonly expected: string;
  readonly received: string;
}

/**
 * What this package throws when it cannot do what was asked.
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
  /** The texts of one call that an embedder failed at: the batch from 0, of how many, its first text, and how many. */
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

/** The fault of an option, unless what was asked of its value holds. */
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
 * Faults of options that a call does not take: an option without effect is a misunderstanding. One that is undefined is
 * left out, as everywhere.
 *
 * @param call as the message names it
 */
export function unknownOptionFaults(options: object, known: readonly string[], call: string): OptionFault[] {
  const expected = `left out, because ${call} takes only ${known.join(', ')}`;
  return Object.entries(options).flatMap(([name, value]) =>
    faultUnless(value === undefined || known.includes(name), name, expected, value),
  );
}

/** A value as it stands in an error message: short, on one line, never the whole text of a document. */
export function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'number' || typeof value === 'boolean' || value == null) return String(value);
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'function') return 'a function';
  // The classes that are mistaken for what they hold, Promise and Uint8Array among them, name themselves.
  const name = Object.prototype.toString.call(value).slice(8, -1);
  return name === 'Object' ? 'an object' : `of the class ${name}${name === 'Promise' ? ': await it' : ''}`;
}
