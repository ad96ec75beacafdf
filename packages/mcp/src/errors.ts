// The error class of this package. Models read its messages: the cause, the limit, the way out.

/** The sentence of each code. `{detail}` stands for the details. */
const MESSAGES = {
  no_roots:
    'No folder is open to this server. Pass the text to chunk_text instead, or have the server started with --root DIR.',
  outside_roots:
    'Only files below these folders may be read: {detail}. Name one of them, or pass the text to chunk_text.',
  file_missing: 'There is no such file below {detail}.',
  not_a_file: 'It is no file but {detail}. Name a file; each is chunked by a call of its own.',
  not_readable: 'The file cannot be read: {detail}.',
  file_changed: 'The file was replaced while it was opened. Call again.',
  file_too_large:
    'The file has {detail}. The command line takes larger ones and writes the chunks to a file: npx grainline FILE > chunks.jsonl',
  result_gone:
    'There is no result {detail} here: only the latest are kept, and none outlives the server. Call the tool that made it again with the same arguments; equal arguments give equal chunks.',
  from_beyond: '{detail}',
  wrong_source: 'Give either path or text, and not both.',
  busy: '{detail} calls are at work or waiting already. Wait for some of them, and call again.',
  result_too_long:
    'The result has {detail} characters, too many for one resource. Read it in parts with the tool read_chunks.',
} as const;

/** Code of an {@link McpError}. */
export type McpErrorCode = keyof typeof MESSAGES;

/** A rejection by this package. Errors of documents and options come from its ports. */
export class McpError extends Error {
  readonly code: McpErrorCode;

  constructor(code: McpErrorCode, detail = '', cause?: unknown) {
    super(
      MESSAGES[code].replace('{detail}', () => detail),
      cause === undefined ? undefined : { cause },
    );
    this.name = 'McpError';
    this.code = code;
  }
}
