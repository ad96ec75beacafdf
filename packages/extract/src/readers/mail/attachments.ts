// The attachments of a message as pieces of its document, each below its name, read by the reader of its kind.
import { latin1 } from '../../bytes.ts';
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

/** ASCII armour of OpenPGP (RFC 9580, section 6.2): keys, signatures and encrypted messages, without readable text. */
const ARMOUR = /^\s*-----BEGIN PGP (SIGNATURE|MESSAGE|PUBLIC KEY BLOCK)-----/;
const ARMOUR_WITHIN = 100;
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
    const armour =
      bytes === undefined ? undefined : ARMOUR.exec(latin1(bytes.subarray(0, ARMOUR_WITHIN)))?.[1];
    if (armour === 'SIGNATURE') continue;
    if (bytes === undefined || readInside === undefined || armour !== undefined) {
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
