// EML → message: MIME by postal-mime, which decodes every part and its charset.
import PostalMime, { type Address, type Email } from 'postal-mime';
import { ExtractError } from '../../errors.ts';
import type { MailMessage } from './message.ts';

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
    text: email.text ?? '',
    attachments: email.attachments
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

async function parse(bytes: Uint8Array): Promise<Email> {
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
      return name === '' || name === address ? address : `${name} <${address}>`;
    })
    .filter((shown) => shown !== '')
    .join(', ');
}
