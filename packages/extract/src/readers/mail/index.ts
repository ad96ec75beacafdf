// Mail → Document: subject as heading, head as a small table, body, then each attachment below its name, read by the
// reader of its kind.
import type { Document, Warning } from '@grainline/core';
import { ExtractError } from '../../errors.ts';
import type { Reader, Source } from '../../reader.ts';
import { attachmentsOf } from './attachments.ts';
import { bodyOf } from './body.ts';
import { readEml } from './eml.ts';
import { joinPieces } from './join.ts';
import type { MailMessage } from './message.ts';

/** Reads messages as mail programs save them (RFC 5322). */
export const EML: Reader = {
  kind: 'eml',
  version: 1,
  extensions: ['eml'],
  mediaTypes: ['message/rfc822'],
  read: async (source) => documentOf(await readEml(source.bytes), source, EML.mediaTypes[0]),
};

/** Reads messages of Outlook ([MS-OXMSG]). */
export const MSG: Reader = {
  kind: 'msg',
  version: 1,
  extensions: ['msg'],
  mediaTypes: ['application/vnd.ms-outlook'],
  read: async (source) => {
    const { readMsg } = await import('./msg.ts');
    return documentOf(readMsg(source.bytes), source, MSG.mediaTypes[0]);
  },
};

/** Longest title, in UTF-16 units, as in other kinds. */
const MAX_TITLE = 300;

async function documentOf(message: MailMessage, source: Source, mediaType: string): Promise<Document> {
  source.signal?.throwIfAborted();
  const body = bodyOf(message, source);
  const attached = await attachmentsOf(message.attachments, source);
  const { text, blocks, links } = joinPieces([...body, ...attached.pieces]);
  if (text.trim() === '') throw new ExtractError('empty_document');
  const title = message.subject.replace(/\s+/g, ' ').trim().slice(0, MAX_TITLE).toWellFormed();
  return {
    text,
    blocks,
    pages: [],
    mediaType,
    ...(source.filename === undefined ? undefined : { filename: source.filename }),
    ...(title === '' ? undefined : { title }),
    ...(links.length > 0 && { links }),
    warnings: warningsOf(attached.leftOut),
  };
}

/** Number of names in a warning, and the longest part of each. */
const MAX_NAMES = 5;
const MAX_NAME = 80;

function warningsOf(leftOut: readonly string[]): Warning[] {
  if (leftOut.length === 0) return [];
  const names = leftOut.slice(0, MAX_NAMES).map((name) => name.slice(0, MAX_NAME).toWellFormed());
  const list = `${names.join(', ')}${leftOut.length > MAX_NAMES ? ', …' : ''}`;
  return [
    {
      code: 'parts_left_out',
      message: `Attachments that are damaged, too deep inside, or of a kind that is not read, and left out: ${list}.`,
    },
  ];
}
