// EML → message: MIME by postal-mime, which decodes every part and its charset.
import PostalMime, { type Address, type Email } from 'postal-mime';
import { latin1 } from '../../bytes.ts';
import { ExtractError } from '../../errors.ts';
import type { MailMessage } from './message.ts';

/** Parts that only prove the others, or say how one is encrypted. */
const PROOF = /^application\/(?:(?:pgp|(?:x-)?pkcs7)-signature|pgp-encrypted)$/i;
/** Nested parts and bytes of heads; mail has some ten levels and a few kilobytes. */
const LIMITS = { maxNestingDepth: 64, maxHeadersSize: 2 << 20 } as const;

/** Parses a message (RFC 5322, MIME). Messages inside it are attachments. */
export async function readEml(bytes: Uint8Array): Promise<MailMessage> {
  const email = await parse(bytes);
  return {
    subject: email.subject ?? '',
    head: [
      ['From', addressesOf(email.from === undefined ? [] : [email.from])],
      ['To', addressesOf(email.to)],
      ['Cc', addressesOf(email.cc)],
      ['Date', email.headers.find(({ key }) => key === 'date')?.value ?? ''],
    ],
    html: email.html ?? '',
    text: FLOWED.test(latin1(bytes)) ? unflowed(email.text ?? '') : (email.text ?? ''),
    attachments: email.attachments
      .filter(({ mimeType }) => !PROOF.test(mimeType))
      .filter(({ related, mimeType }) => related !== true || !mimeType.startsWith('image/'))
      .map(({ filename, mimeType, content }) => ({
        filename: filename ?? '',
        mediaType: mimeType,
        bytes:
          content instanceof Uint8Array
            ? content
            : typeof content === 'string'
              ? undefined
              : new Uint8Array(content),
      })),
  };
}

/** A parameter of plain bodies whose lines may go on in the next one (RFC 3676). */
const FLOWED = /^content-type:\s*text\/plain\b.*(?:\r?\n[\t ].*)*format\s*=\s*"?flowed/im;
/** The join of two quoted lines by the library, which keeps the marks of the second. */
const JOINED = / (?=>)/;
const MARKS = /^>+/;
/** The line above a quotation, joined to it: `Ada wrote: > Which?` */
const WROTE = /^(?!>)(.*?:) (?=>)/gm;

/** A flowed body without the marks of quoted lines that the library has joined to the line before. */
function unflowed(body: string): string {
  return body
    .replace(WROTE, '$1\n')
    .split('\n')
    .map((line) => (line.startsWith('>') ? partedByDepth(line.split(JOINED)) : line))
    .join('\n');
}

/** Joins quoted lines of one depth; an empty one ends its paragraph. */
function partedByDepth(lines: readonly string[]): string {
  let [text, last] = ['', ''];
  for (const line of lines) {
    const marks = MARKS.exec(line)?.[0] ?? '';
    const words = line.slice(marks.length);
    if (text === '') text = line;
    else text += marks === last && words.trim() !== '' ? words : `\n${line}`;
    last = words.trim() === '' ? '' : marks;
  }
  return text;
}

/** Parts of a message; each takes a kilobyte of memory, and mail has some ten. */
const MAX_PARTS = 20_000;
/** Lines of text; each takes two kilobytes while the library collects them. */
const MAX_LINES = 150_000;
/** Lines of base64 are cheap, and all but the last of a part have 76 characters. */
const BASE64 = /^[A-Za-z\d+/=]{60,}\r?$/;
/** Longest boundary (RFC 2046, section 5.1.1). */
const BOUNDARY = /boundary\s*=\s*(?:"([^"\r\n]{1,70})"|([^\s";]{1,70}))/gi;

/** Throws `too_complex` for a message beyond the bounds, which the library does not have. Linear. */
function assertBounds(bytes: Uint8Array): void {
  const text = latin1(bytes);
  const boundaries = new Set([...text.matchAll(BOUNDARY)].map(([, quoted, plain]) => quoted ?? plain));
  let [parts, lines] = [0, 0];
  for (let at = 0; at < text.length;) {
    const found = text.indexOf('\n', at);
    const end = found === -1 ? text.length : found;
    const line = text.slice(at, Math.min(end, at + MAX_LINE));
    if (!BASE64.test(line)) lines++;
    if (line.startsWith('--') && boundaries.has(line.slice(2).trimEnd())) parts++;
    if (parts > MAX_PARTS || lines > MAX_LINES)
      throw new ExtractError('too_complex', {
        detail: `more than ${MAX_PARTS} parts, or ${MAX_LINES} lines of text`,
      });
    at = end + 1;
  }
}

/** Characters of a line that are looked at. */
const MAX_LINE = 80;

async function parse(bytes: Uint8Array): Promise<Email> {
  assertBounds(bytes);
  try {
    return await PostalMime.parse(bytes, { ...LIMITS, forceRfc822Attachments: true });
  } catch (cause) {
    throw new ExtractError('too_complex', {
      detail: 'its parts are nested too deep, or its head is too long',
      cause,
    });
  }
}

/** `Ada Reed <ada@sea.example>, …`; a group by its name and its members. */
function addressesOf(addresses: readonly Address[] = []): string {
  return addresses
    .map(({ name, address, group }) => {
      if (group !== undefined) return `${name}: ${addressesOf(group)}`;
      if (name === '' || name === address) return address;
      return address === '' ? name : `${name} <${address}>`;
    })
    .filter((shown) => shown !== '')
    .join(', ');
}
