// A hostile document: its bytes, and the outcome that a service must have.

/** A file made to break a reader. */
export interface HostileDocument {
  readonly kind: string;
  readonly name: string;
  readonly filename: string;
  readonly bytes: () => Uint8Array;
  /** Status and code of an error, or a pattern of the chunks' text in an answer of 200. */
  readonly expected: string | RegExp;
  /** Number of times that `x` stands in the text, of documents whose every `x` must be kept. */
  readonly marks: number | undefined;
  /** True for documents that take seconds. */
  readonly isHeavy: boolean;
}

/** A row of a kind's table. The file is named `a` with the ending of the kind unless the row says another name. */
export interface DocumentRow {
  readonly of: string;
  readonly bytes: () => Uint8Array | string;
  readonly is: string | RegExp;
  readonly filename?: string;
  readonly marks?: number;
  readonly isHeavy?: true;
}

export function documentsOf(kind: string, rows: readonly DocumentRow[]): HostileDocument[] {
  return rows.map(({ of: name, bytes, is: expected, filename = `a.${kind}`, marks, isHeavy = false }) => ({
    kind,
    name,
    filename,
    expected,
    marks,
    isHeavy,
    bytes: () => {
      const content = bytes();
      return typeof content === 'string' ? Buffer.from(content) : content;
    },
  }));
}

/** Something inside itself. */
export function nested(open: string, inside: string, close: string, times: number): string {
  return open.repeat(times) + inside + close.repeat(times);
}

/** Pieces by their numbers from 0. */
export function series(count: number, piece: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => piece(at)).join('');
}

/** A text of 30,000 characters. */
export const LONG = 'word '.repeat(6000);
