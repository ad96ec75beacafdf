// MSG → message: the property streams of an OLE compound file, by msgreader.
import { decompressRTF } from '@kenjiuno/decompressrtf';
import msgReader, { type FieldsData } from '@kenjiuno/msgreader';
import { indexOf } from '../../bytes.ts';
import { lenient, strict } from '../../encoding/decoder.ts';
import { ExtractError } from '../../errors.ts';
import { metaCharset } from '../html/charset.ts';
import { encodingOfPage } from '../rtf/state.ts';
import { isSoundCompoundFile } from './compound-file.ts';
import { readEml } from './eml.ts';
import type { Attachment, MailMessage } from './message.ts';

/** In Node the default export of a CommonJS module is the whole module; bundlers give the module's own default. */
const MsgReader = 'default' in msgReader ? msgReader.default : msgReader;

/** Opens a message of Outlook. Its body in RTF is read when there is no other. */
export async function readMsg(bytes: Uint8Array): Promise<MailMessage> {
  if (!isSoundCompoundFile(bytes)) throw damaged('its sectors or entries are broken');
  const reader = new MsgReader(new DataView(bytes.slice().buffer));
  const fields = guarded(() => reader.getFileData());
  if (fields.error !== undefined) throw damaged(fields.error);
  const ansi = ansiDecoder(bytes, fields);
  const html = ansi(textOf(fields.bodyHtml)) || htmlOf(fields.html);
  const text = ansi(textOf(fields.body));
  const { clientSubmitTime, messageDeliveryTime, creationTime } = fields;
  const sent = await headAsSent(ansi(textOf(fields.headers)));
  const head: MailMessage['head'] = [
    ['From', addressOf(fields.senderName, fields.senderSmtpAddress ?? fields.senderEmail)],
    ['To', recipientsOf(fields, 'to')],
    ['Cc', recipientsOf(fields, 'cc')],
    ['Date', [clientSubmitTime, messageDeliveryTime, creationTime].map(textOf).find(Boolean) ?? ''],
  ];
  return {
    subject: ansi(textOf(fields.subject)),
    head: head.map(([name, value]) => [name, sent.get(name) ?? ansi(value)]),
    html,
    text,
    attachments: [
      ...(html.trim() === '' && text.trim() === '' ? richBody(fields.compressedRtf) : []),
      ...(fields.attachments ?? [])
        .filter(({ attachmentHidden }) => attachmentHidden !== true)
        // The signed form of the body, which Outlook has read already.
        .filter(({ attachMimeTag }) => textOf(attachMimeTag).toLowerCase() !== 'multipart/signed')
        .map((attachment): Attachment => {
          const names = [attachment.fileName, attachment.fileNameShort, attachment.name];
          const filename = ansi(names.map(textOf).find((name) => name !== '') ?? '');
          const bytes = guarded(() => reader.getAttachment(attachment).content);
          return { filename, mediaType: textOf(attachment.attachMimeTag), bytes };
        }),
    ],
  };
}

/**
 * The lines of the head as the message came from the internet; none for one that never left Exchange. Its addresses
 * and time zone are the sender's, where the properties may have addresses of Exchange.
 */
async function headAsSent(headers: string): Promise<ReadonlyMap<string, string>> {
  if (headers.trim() === '') return new Map();
  try {
    const { head } = await readEml(new TextEncoder().encode(`${headers.trim()}\r\n\r\n`));
    return new Map(head.filter(([, value]) => value.trim() !== ''));
  } catch {
    return new Map();
  }
}

/** A string in UTF-16 ([MS-OXMSG], section 2.1.2.1): a message has all of its strings in UTF-16, or none. */
const UNICODE_STREAM = '001F'.replace(/./g, '$&\0') + '\0\0';

/**
 * Decodes the strings of a message in ANSI, which msgreader reads as one character a byte, by the code page that the
 * message names. Leaves those of other messages as they are.
 */
function ansiDecoder(
  bytes: Uint8Array,
  { messageCodepage, internetCodepage }: FieldsData,
): (text: string) => string {
  const page: unknown = messageCodepage ?? internetCodepage;
  if (typeof page !== 'number' || indexOf(bytes, UNICODE_STREAM) !== -1) return (text) => text;
  const encoding = encodingOfPage(page);
  return (text) =>
    lenient(
      Uint8Array.from(text, (character) => character.charCodeAt(0)),
      encoding,
    )?.text ?? text;
}

function recipientsOf({ recipients = [] }: FieldsData, type: 'to' | 'cc'): string {
  return recipients
    .filter(({ recipType = 'to' }) => recipType === type)
    .map(({ name, smtpAddress, email }) => addressOf(name, smtpAddress ?? email))
    .filter((shown) => shown !== '')
    .join(', ');
}

/** `Ada Reed <ada@sea.example>`; an address inside Exchange (`/O=…`) says nothing to people. */
function addressOf(shown: unknown, mailbox: unknown): string {
  const [name, email] = [textOf(shown), textOf(mailbox)];
  const address = email.startsWith('/') ? '' : email;
  if (name === '' || name === address) return address;
  return address === '' ? name : `${name} <${address}>`;
}

function htmlOf(bytes: unknown): string {
  if (!(bytes instanceof Uint8Array)) return '';
  const declared = metaCharset(bytes) ?? 'windows-1252';
  const reading = strict(bytes, 'utf-8') ?? lenient(bytes, declared) ?? lenient(bytes, 'windows-1252');
  return reading?.text ?? '';
}

function richBody(compressed: unknown): Attachment[] {
  if (!(compressed instanceof Uint8Array)) return [];
  const bytes = guarded(() => Uint8Array.from(decompressRTF([...compressed])));
  return [{ filename: 'body.rtf', mediaType: 'application/rtf', bytes, isBody: true }];
}

/** A property of a damaged or hostile message has any type. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The library reports a broken structure by whatever its code runs into. */
function guarded<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (cause) {
    throw damaged('its streams are broken', cause);
  }
}

function damaged(detail: string, cause?: unknown): ExtractError {
  return new ExtractError('corrupted', { detail, ...(cause === undefined ? undefined : { cause }) });
}
