// Mail → Document: subject as heading, head as a small table, body, then each attachment below its name, read by the
// reader of its kind.
import type { Document } from '@grainline/core';
import { ExtractError } from '../../errors.ts';
import { leftOutWarnings } from '../../package/left-out.ts';
import type { Reader, Source } from '../../reader.ts';
import { titleOf } from '../../title.ts';
import { attachmentsOf } from './attachments.ts';
import { bodyOf } from './body.ts';
import { readEml } from './eml.ts';
import { joinPieces } from './join.ts';
import type { MailMessage } from './message.ts';

/** Reads messages as mail programs save them (RFC 5322). */
export const EML: Reader = {
  kind: 'eml',
  version: 2,
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
    return documentOf(await readMsg(source.bytes), source, MSG.mediaTypes[0]);
  },
};

/** Why attachments are left out, and how many of them a warning names. */
const REASON = 'Attachments that are damaged, too deep inside, or of a kind that is not read, and left out';
const MAX_NAMES = 5;

async function documentOf(message: MailMessage, source: Source, mediaType: string): Promise<Document> {
  source.signal?.throwIfAborted();
  const body = bodyOf(message, source);
  const attached = await attachmentsOf(message.attachments, source);
  const { text, blocks, links } = joinPieces([...body, ...attached.pieces]);
  if (text.trim() === '') throw new ExtractError('empty_document');
  return {
    text,
    blocks,
    pages: [],
    mediaType,
    ...(source.filename === undefined ? undefined : { filename: source.filename }),
    ...titleOf(message.subject.replace(/\s+/g, ' ')),
    ...(links.length > 0 && { links }),
    warnings: leftOutWarnings(attached.leftOut, REASON, MAX_NAMES),
  };
}
