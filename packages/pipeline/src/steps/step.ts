// A step: plain JSON that a queue carries. Its key names its result, and derives from everything that the result
// depends on, so that any worker may run any step at any time, twice if need be.
import { hex, sha256 } from '@grainline/core/formats';
import { COUNT, objectOf, oneOf, TEXT } from './shape.ts';

/** A document in the queue. Its bytes are in the blob store. */
export interface QueuedDocument {
  /** Name of the document in the vector store; unique there, and stable from one revision to the next. */
  readonly documentId: string;
  /**
   * Order of the versions of one document: a whole number from 0, greater for a later version, such as the time of the
   * last change in milliseconds. A lower revision never replaces a higher one, however late it is written.
   */
  readonly revision: number;
  /** SHA-256 of the bytes in hexadecimal; empty to remove the document. */
  readonly sha256: string;
  /** Hints of the kind, and the address, as `extract` takes them. */
  readonly filename?: string;
  readonly contentType?: string;
  readonly url?: string;
}

/** The kinds of step, in their order. */
export type StepKind = 'plan' | 'read' | 'cut' | 'embed' | 'write';

/** One step of loading a document. At most some kilobytes of JSON. */
export interface Step {
  readonly kind: StepKind;
  /** Name of its result, `read/5f0c…`: equal keys have equal results. */
  readonly key: string;
  readonly document: QueuedDocument;
  /** Number of pages of a PDF that is read in ranges; absent before the plan and for other documents. */
  readonly pages?: number;
  /** Pages of one range; the last may have fewer. Present with `pages`. */
  readonly pagesPerRead?: number;
  /** The first page of a `read` of a range. */
  readonly first?: number;
}

/** The kind of an error of a step. */
export type StepErrorCode =
  /** The value is no step, or its key is not that of its contents. */
  | 'invalid_step'
  /** The step was planned by a program with other versions or settings. A worker like that one can run it. */
  | 'other_settings'
  /** The blob store has no bytes of the document. */
  | 'missing_source'
  /** The results of a revision are gone whose chunks must be repaired. A run of its own steps makes them again. */
  | 'missing_results';

/** An error of a step that is neither the document's nor a store's. */
export class StepError extends Error {
  readonly code: StepErrorCode;

  constructor(code: StepErrorCode, message: string) {
    super(message);
    this.name = 'StepError';
    this.code = code;
  }
}

const STEP = objectOf(
  {
    kind: oneOf('plan', 'read', 'cut', 'embed', 'write'),
    key: TEXT,
    document: objectOf(
      { documentId: TEXT, revision: COUNT, sha256: TEXT },
      { filename: TEXT, contentType: TEXT, url: TEXT },
    ),
  },
  { pages: COUNT, pagesPerRead: COUNT, first: COUNT },
);

/** The step of a message. @throws StepError `invalid_step`, which names the first member that is wrong */
export function parseStep(json: unknown): Step {
  const issue = STEP(json, 'step');
  if (issue !== undefined) throw new StepError('invalid_step', issue);
  return json as Step;
}

/** A key of what a result depends on: plain data, in a fixed order. */
export function keyOf(kind: string, ...parts: readonly unknown[]): string {
  return `${kind}/${hex(sha256(JSON.stringify(parts))).slice(0, 40)}`;
}

/**
 * The id of a step's job: 32 hexadecimal digits. Two documents with one content share results, not jobs, and so do two
 * revisions.
 */
export function jobIdOf({ key, document: { documentId, revision } }: Step): string {
  return hex(sha256(JSON.stringify([key, documentId, revision]))).slice(0, 32);
}

/** The first pages of the ranges of a step's document; none for a document that is read at once. */
export function firstPagesOf({
  pages = 0,
  pagesPerRead = pages,
}: Pick<Step, 'pages' | 'pagesPerRead'>): number[] {
  const count = pages === 0 ? 0 : Math.ceil(pages / pagesPerRead);
  return Array.from({ length: count }, (_, index) => 1 + index * pagesPerRead);
}
