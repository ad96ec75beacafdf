// The errors of the command line, and the line that reports any error.
import { ChunkError } from '@grainline/core';
import { ExtractError } from '@grainline/extract';

/** The rule for a charset, as messages state it. */
export const CHARSET_RULE = 'must name an encoding, as windows-1252, koi8-r or shift_jis do';

/** The sentence of each code. `{detail}` stands for the details. */
const MESSAGES = {
  not_found: 'There is no such file or folder.{detail}',
  not_fetched: 'The link cannot be fetched: {detail}.',
  no_match: 'No file matches this pattern.',
  several_files: 'Quotations are found in one document, and this names {detail}; name one of them.',
  no_files: 'The folder holds no file of an accepted kind: {detail}.',
  not_readable: 'It cannot be read: {detail}.',
  same_name:
    '{detail} has the same name in the output; chunk them in separate runs, or from a folder above both.',
  output_exists: '{detail} exists already and is not as grainline wrote it; move it away, or add --force.',
  not_writable: 'The output cannot be written: {detail}.',
  questions_not_written: 'The questions cannot be written to {detail}; name another file.',
  manifest_damaged: 'The list of what was written there, {detail}, cannot be read; remove it to start over.',
  keypair_unusable: 'The key pair {detail}',
  keypair_exposed: 'Others on this machine may use the key pair {detail}',
  remote_unreachable: '{detail}',
  remote_refused: 'The service answers: {detail}',
  remote_strange: '{detail}',
  refused_though_paid:
    '{detail} It was paid for: the same again uses the same payment, and the operator can give it back.',
  not_paid: '{detail}',
  not_payable: '{detail}',
  payment_refused: '{detail}',
  redirected: '{detail}',
  tier_unknown: 'The service has no tier {detail}.',
  still_processing:
    'The service is still at work after {detail}. The same command later goes on from here, and what was paid is not paid again.',
  payment_needed:
    'This costs {detail}. To pay for it, name a key pair and the most that the run may cost: --keypair FILE --max-cost 0.10.',
  too_dear: 'This costs {detail}; it was not paid. Raise --max-cost if it is worth that.',
  no_state_folder:
    'Nothing is paid without a place to write payments down; set HOME or XDG_STATE_HOME to a folder.',
  server_missing: 'The server is a package of its own; install it with: npm install @grainline/server',
  mcp_missing:
    'The server for agents is a package of its own; install it with: npm install @grainline/mcp, or run both at once: npx -p grainline -p @grainline/mcp grainline mcp',
  ocr_missing:
    'OCR is a package of its own; install it with: npm install @grainline/ocr, or run both at once: npx -p grainline -p @grainline/ocr grainline … --ocr',
  language_missing: '{detail}',
  payments_missing:
    'Payments are a package of their own; install it with: npm install @grainline/x402, or run both at once: npx -p grainline -p @grainline/x402 grainline …',
  bucket_unusable: 'The bucket cannot be used: {detail}.',
  charset_unknown: `charset ${CHARSET_RULE}, but is {detail}.`,
  root_unusable: 'The folder {detail}',
  too_much_repeated:
    'The chunks would repeat one another so much that they have {detail} characters together; take a smaller overlap, at most half of size.',
  too_large_here:
    'The document needs more than {detail} of memory here; cut it into parts, or send it to a service.',
} as const;

/** Code of a {@link CliError}. */
export type CliErrorCode = keyof typeof MESSAGES;

/** Details of a {@link CliError} besides its code. */
export interface CliErrorDetails {
  readonly detail?: string;
  readonly signature?: string | undefined;
  readonly cause?: unknown;
}

/** An error of the command line itself. Errors of documents are ExtractError and ChunkError. */
export class CliError extends Error {
  readonly code: CliErrorCode;
  /** The value of `{detail}` in the message. */
  readonly detail: string;
  /** The transaction of the payment behind the error; undefined without one. */
  readonly signature: string | undefined;

  constructor(code: CliErrorCode, { detail = '', signature, cause }: CliErrorDetails = {}) {
    super(
      MESSAGES[code].replace('{detail}', () => detail),
      cause === undefined ? undefined : { cause },
    );
    this.name = 'CliError';
    this.code = code;
    this.detail = detail;
    this.signature = signature;
  }
}

/** A wrong call, with all issues, one sentence each. Nothing was done. */
export class UsageError extends Error {
  readonly issues: readonly string[];

  constructor(issues: readonly string[]) {
    super(issues.join(' '));
    this.name = 'UsageError';
    this.issues = issues;
  }
}

/**
 * An error on one line with one code; a code of the service, which says more, comes before that of the command line. An
 * error without a code is a defect: `internal`.
 *
 * @param inWords the words of messages; those of the command line by default
 */
export function describe(error: unknown, inWords: (message: string) => string = inPlainWords): string {
  const text = error instanceof Error ? error.message : String(error);
  const isOwn = error instanceof CliError || error instanceof ExtractError || error instanceof ChunkError;
  const [, message = text, code = codeOf(error) ?? 'internal'] =
    (isOwn ? /^(.*) \(([a-z_]+)\)$/s.exec(text) : null) ?? [];
  // An error of a thread has lost its class.
  return `${inWords(message)}${transactionOf(error)} (${code})`;
}

/** The advice of errors that the service shares, for a file that is not sent but named. */
const ADVICE = [
  ['Save or export it anew, and send that.', 'Save or export it anew.'],
  [
    'Give the password of a PDF; save any other document without one.',
    'Add --password to type that of a PDF; save any other document without one.',
  ],
  [/(a page took longer than \d+ s)\./, '$1; --timeout gives it more.'],
  ['it is a scan. Run OCR on it first.', 'it is a scan. Add --ocr to read it.'],
  [/Run OCR to read (it|them)\./, 'Add --ocr to read $1.'],
  [
    'to make a question from; give questions.',
    'to make a question from; write some, as grainline eval --help shows, and add --questions FILE.',
  ],
  [/the option (\w+): '(\w+)'/, '--$1 $2'],
  [/; embed with (?!\d+ dimensions).+?, or/, '; name that embedder with --embedder, or'],
  [/; use blend [\d.]+, or/, '; leave out --blend, or'],
  ['of the option pages: ', 'of --pages: '],
  ['by the option pages', 'by --pages'],
] as const;

/** A message of the reader or the service, in the words of the command line. */
export function inPlainWords(message: string): string {
  return ADVICE.reduce((text, [theirs, ours]) => text.replace(theirs, ours), message);
}

/** The transaction of the payment, so that the user can look it up. */
function transactionOf(error: unknown): string {
  if (!(error instanceof Error) || !('signature' in error)) return '';
  return typeof error.signature === 'string' ? ` Transaction: ${error.signature}` : '';
}

/** The code of a system error (`ENOENT`); undefined for other errors. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** True when the optional package is missing, false when one of its dependencies is. */
export function isMissing(name: string, error: unknown): boolean {
  return codeOf(error) === 'ERR_MODULE_NOT_FOUND' && String(error).includes(`package '${name}'`);
}

/** The reason for an input beyond the memory or without end. */
export const TOO_MUCH = 'it is larger than 2 GiB';

/** The reason for a file name that is no UTF-8. */
export const GARBLED = 'its name is not UTF-8; rename it, or give it on standard input, with - and --name';

/** Sentences for frequent codes of the system; its own messages hold whole paths and call names. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is not a folder',
  EEXIST: 'there is a file of that name',
  ENOSPC: 'the disk is full',
  EROFS: 'the disk is read-only',
  EMFILE: 'too many files are open',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'its name is too long',
  ERR_FS_FILE_TOO_LARGE: TOO_MUCH,
};

/** The reason of a system error without paths: `permission denied`. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error);
  return (code === undefined ? undefined : REASONS[code]) ?? code ?? String(error);
}
