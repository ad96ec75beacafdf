// The one error class of this package. Programs branch on `code`, people read `message`. An aborted call rejects with
// the signal's own reason instead.

import { optionBehind } from './foreign-names.ts';

/** The kind of an error. A released code keeps its meaning. */
export type ChunkErrorCode =
  /** One or more options are wrong; `issues` lists them all. */
  | 'invalid_options'
  /** The text holds a surrogate without its partner, which no vector database accepts. */
  | 'ill_formed_text'
  /** `chunkSync` cannot run a tier that waits: for a model or, in a browser, for its code (see `loadTiers`). */
  | 'tier_needs_promise'
  /** A single record is larger than its store accepts. */
  | 'record_too_large'
  /** The chunks do not cover their text. */
  | 'not_covered'
  /** A grammar or its runtime is not installed or could not be loaded. */
  | 'grammar_unavailable'
  /** The embedder rejected; `batch` says for which texts, `cause` why. */
  | 'embedding_failed'
  /** The embedder did not answer with one sound vector for each text; `batch` says for which texts. */
  | 'wrong_embeddings'
  /** The language model is unusable, because of a wrong key or a cost over the limit; `cause` has the reason. */
  | 'completion_failed'
  /** The language model gave no usable answer for more than half of the text; `cause` is the last error. */
  | 'too_many_fallbacks'
  /** The decisions belong to another document, or are malformed. */
  | 'wrong_decisions';

/** A wrong option: its name, the expected value, and the actual one. */
export interface OptionIssue {
  readonly option: string;
  readonly expected: string;
  readonly received: string;
}

/**
 * The error that this package throws.
 *
 * @example
 * try {
 *   chunkSync(text, { size: 0 });
 * } catch (error) {
 *   if (error instanceof ChunkError && error.code === 'invalid_options') console.error(error.issues);
 * }
 */
export class ChunkError extends Error {
  readonly code: ChunkErrorCode;
  /** Every wrong option, when `code` is `invalid_options`; else empty. */
  readonly issues: readonly OptionIssue[];
  /** The offset of the error in the text, in UTF-16 units, when the code is about the text. */
  readonly offset?: number;
  /**
   * The batch of texts at which an embedder failed: its index from 0, the number of batches, the index of its first
   * text in the call, and the number of its texts.
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
      issues?: readonly OptionIssue[];
      offset?: number;
      batch?: NonNullable<ChunkError['batch']>;
      cause?: unknown;
    } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'ChunkError';
    this.code = code;
    this.issues = details.issues ?? [];
    if (details.offset !== undefined) this.offset = details.offset;
    if (details.batch !== undefined) this.batch = details.batch;
  }
}

/** Throws `invalid_options` naming every issue at once; returns when there is none. */
export function assertNoIssues(issues: readonly OptionIssue[]): void {
  if (issues.length === 0) return;
  const lines = issues.map((issue) => `${issue.option} must be ${issue.expected}, but is ${issue.received}`);
  throw new ChunkError('invalid_options', `Wrong options: ${lines.join('; ')}.`, { issues: issues });
}

/** An empty list when the value of an option is valid; otherwise one issue with the expectation. */
export function issueUnless(
  holds: boolean,
  option: string,
  expected: string,
  value: unknown,
): readonly OptionIssue[] {
  return holds ? [] : [{ option, expected, received: show(value) }];
}

/** Throws `invalid_options` unless the options of a call are an object. */
export function assertObject(options: unknown): void {
  const holds = typeof options === 'object' && options !== null && !Array.isArray(options);
  assertNoIssues(issueUnless(holds, 'options', 'an object', options));
}

/**
 * Issues for unknown options, since an option without effect is a misunderstanding. An option that is undefined counts
 * as left out, as everywhere. A name of another library is answered with the name used here.
 *
 * @param call name of the call, for the message
 * @param takersOf the calls that take an option which this one does not; undefined for words that none takes
 */
export function unknownOptionIssues(
  options: object,
  known: readonly string[],
  call: string,
  takersOf: (name: string) => string | undefined = () => undefined,
): OptionIssue[] {
  const expectedFor = (name: string): string => {
    const own = optionBehind(name);
    if (own !== undefined && known.includes(own)) return `given as ${own}`;
    return `left out, because ${takersOf(name) ?? `${call} takes only ${known.join(', ')}`}`;
  };
  return Object.entries(options).flatMap(([name, value]) =>
    value === undefined || known.includes(name) ? [] : issueUnless(false, name, expectedFor(name), value),
  );
}

/** A value as error messages show it: short, on one line, never the whole text of a document. */
export function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'number' || typeof value === 'boolean' || value == null) return String(value);
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'function') return 'a function';
  // An object that is often passed by mistake for its content, such as a Promise or a Uint8Array, appears as the name
  // of its class.
  const name = Object.prototype.toString.call(value).slice(8, -1);
  return name === 'Object' ? 'an object' : `of the class ${name}${name === 'Promise' ? ': await it' : ''}`;
}
