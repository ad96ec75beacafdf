// The attachments of a message as pieces of its document, each below its name, read by the reader of its kind.
import { ExtractError } from '../../errors.ts';
import type { Source } from '../../reader.ts';
import { lowered, type MailPiece } from './join.ts';
import type { Attachment } from './message.ts';

/** The pieces of the attachments that were read, and the names of the others. */
export interface Attached {
  readonly pieces: readonly MailPiece[];
  /** Names of those that were not read. */
  readonly leftOut: readonly string[];
}

/** Longest name in the text, in UTF-16 units. */
const MAX_NAME = 200;

/** Reads the attachments one after another. A damaged or foreign one is left out; the message is read all the same. */
export async function attachmentsOf(
  attachments: readonly Attachment[],
  { readInside }: Source,
): Promise<Attached> {
  const pieces: MailPiece[] = [];
  const leftOut: string[] = [];
  for (const [at, { filename, mediaType, bytes, isBody }] of attachments.entries()) {
    const name = oneLine(filename) || `Attachment ${at + 1}`;
    if (bytes === undefined || readInside === undefined) {
      leftOut.push(name);
      continue;
    }
    try {
      const document = await readInside(bytes, { filename: oneLine(filename), contentType: mediaType });
      if (document.text.trim() === '') continue;
      if (isBody !== true) pieces.push(headingOf(name));
      pieces.push(lowered(document));
    } catch (error) {
      if (!(error instanceof ExtractError)) throw error;
      // An empty file is no loss.
      if (error.code !== 'empty_document') leftOut.push(name);
    }
  }
  return { pieces, leftOut };
}

function headingOf(name: string): MailPiece {
  const text = `# ${name}`;
  return { text, blocks: [{ kind: 'heading', depth: 1, start: 0, end: text.length }] };
}

function oneLine(name: string): string {
  return name
    .replace(/[\s\p{Cc}\uFEFF]+/gu, ' ')
    .trim()
    .slice(0, MAX_NAME)
    .toWellFormed();
}
