// An input of a run: a file, a link or standard input.

/** An input as plain data. */
export interface InputFacts {
  /** Name of the input in messages; safe to print. No other input of the run has it. */
  readonly shown: string;
  /**
   * Path from the working folder, or from the named folder, with `/`. It names the file in `--out` and the document.
   */
  readonly name: string;
  /** Base name, a hint of the kind; standard input may have none. */
  readonly filename: string | undefined;
  /** The address of a link. */
  readonly url?: string;
}

/** An input of a run. */
export interface Input extends InputFacts {
  /** Length of a file; undefined for other inputs. */
  readonly size?: number | undefined;
  /** Time of a file's last change, in milliseconds since 1970; undefined for other inputs. */
  readonly changedMs?: number | undefined;
  /** Rejects with `not_readable`, or with the signal's reason. */
  readonly read: (signal: AbortSignal) => Promise<InputContent>;
}

/** The content of an input. */
export interface InputContent {
  readonly bytes: Uint8Array;
  /** Content type by the host of a link. */
  readonly contentType?: string | undefined;
}
