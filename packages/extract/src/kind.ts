// Detects the kind of a document from its bytes. Content decides; name and content type only choose between kinds of
// text and turn a broken file into the right error. Detection reads no more bytes than necessary.
import { indexOf, lastIndexOf, latin1 } from './bytes.ts';
import { encodingOf } from './encoding/decoder.ts';
import { detectEncoding } from './encoding/detect.ts';
import { ExtractError, type OptionRule, assertOptions } from './errors.ts';
import type { Kind, KindHints } from './reader.ts';
import { acceptedEndings, IMAGES, READERS, type KindEntry } from './readers/index.ts';
import { type FileType, mimetypeOf, typeOfFile, typeOfZip } from './signatures.ts';

const TEXT: OptionRule = { holds: (value) => typeof value === 'string', expected: 'a string' };

/** The types of the hints that a sender gives. */
export const HINT_RULES = { filename: TEXT, contentType: TEXT } as const;

const RULES: Readonly<Record<keyof KindHints, OptionRule>> = {
  ...HINT_RULES,
  images: { holds: (value) => typeof value === 'boolean', expected: 'true or false' },
};

/** Length in bytes of the sample that separates text from binary and HTML from text. */
const SAMPLE_BYTES = 64 * 1024;
/** PDF readers accept a header after this much junk (ISO 32000-1, implementation note 13). */
const PDF_HEADER_WITHIN = 1024;
/** A ZIP begins with an entry, or, when it has none, with its end record. */
const ZIP_ENTRY = 'PK\x03\x04';
const ZIP_SIGNATURES = [ZIP_ENTRY, 'PK\x05\x06'];
const OLE_SIGNATURE = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1';
/** A ZIP's end record is 22 bytes and a comment of at most 65535. */
const ZIP_END_WITHIN = 22 + 0xffff;
/** At most this share of a text's characters may be control characters or unreadable. */
const MAX_NOISE = { utf8: 0.1, detected: 0.02 };
/** NULs between letters are harmless, as they are dropped; a file of mostly NULs is binary. */
const MAX_NULS = 0.5;

/**
 * Finds the kind of a document from its bytes.
 *
 * Rejects with `empty_document` (no bytes), `encrypted` (a Word file in an encrypted container), `corrupted` (half a
 * DOCX), or `unsupported_type`, which names the actual kind and the accepted ones; with a TypeError for unknown hints.
 */
export async function detectKind(bytes: Uint8Array, hints: KindHints = {}): Promise<Kind> {
  assertOptions('detectKind', hints, RULES);
  if (bytes.length === 0) throw new ExtractError('empty_document');
  const claimed = claimedKinds(hints);
  if (isPdf(bytes, claimed)) return 'pdf';
  if (ZIP_SIGNATURES.some((signature) => startsWith(bytes, signature))) return kindOfZip(bytes, claimed);
  if (startsWith(bytes, OLE_SIGNATURE)) return kindOfOle(bytes);
  const begun = READERS.find(
    ({ signature }) => signature?.start !== undefined && startsWith(bytes, signature.start),
  );
  if (begun !== undefined) return begun.kind;
  if (hints.images === true && IMAGES.mediaTypes.includes(typeOfFile(bytes)?.mime ?? '')) return 'image';
  const look = await sampleText(bytes.subarray(0, SAMPLE_BYTES), declaredEncoding(hints.contentType));
  if (look !== undefined) return kindOfText(look, claimed);
  const mixed = kindOfMixed(latin1(bytes.subarray(0, SAMPLE_BYTES)), claimed);
  if (mixed === undefined) throw unsupported(binaryName(bytes));
  return mixed;
}

/** The media type and charset of a content type, both in lower case: `text/html; charset="UTF-8"`. */
export function parseContentType(contentType = ''): { mediaType: string; charset?: string } {
  const [mediaType = '', ...parameters] = contentType.toLowerCase().split(';');
  const charset = parameters
    .map((parameter) => /^\s*charset\s*=\s*"?([^\s"]+)/.exec(parameter)?.[1])
    .find(Boolean);
  return { mediaType: mediaType.trim(), ...(charset === undefined ? undefined : { charset }) };
}

/**
 * The encoding that a content type declares, by its name in the Encoding standard of the WHATWG: `windows-1252` for
 * `text/plain; charset=latin1`. `undefined` without a charset, and for an unknown charset or UTF-8: detection tries
 * UTF-8 anyway.
 */
export function declaredEncoding(contentType: string | undefined): string | undefined {
  const { charset } = parseContentType(contentType);
  const encoding = charset === undefined ? undefined : encodingOf(charset);
  return encoding === 'utf-8' ? undefined : encoding;
}

/** The kinds that the name and the content type claim: none, one, or two that disagree. */
function claimedKinds({ filename = '', contentType }: KindHints): readonly KindEntry[] {
  const extension = /\.([^./\\]+)$/.exec(filename)?.[1]?.toLowerCase() ?? '';
  const { mediaType } = parseContentType(contentType);
  return READERS.filter(
    (entry) => entry.extensions.includes(extension) || entry.mediaTypes.includes(mediaType),
  );
}

function claims(entries: readonly KindEntry[], kind: Kind): boolean {
  return entries.some((entry) => entry.kind === kind);
}

/**
 * A header at the start is enough. After junk it needs a second witness, because prose about PDF names the header too.
 * A file without header that is named a PDF and consists of PDF objects has lost its beginning.
 */
function isPdf(bytes: Uint8Array, claimed: readonly KindEntry[]): boolean {
  const header = indexOf(bytes.subarray(0, PDF_HEADER_WITHIN + 5), '%PDF-');
  if (header === 0) return true;
  if (header === -1 && !claims(claimed, 'pdf')) return false;
  return indexOf(bytes, 'endobj') !== -1;
}

/** A package is known by one of its parts, of which there may be many, or by the type that it names first. */
function kindOfZip(bytes: Uint8Array, claimed: readonly KindEntry[]): Kind {
  const listed = zipPartNames(bytes);
  const parts = listed.length > 0 ? listed : localPartNames(bytes);
  const named = mimetypeOf(bytes);
  const found = READERS.find(
    ({ signature, mediaTypes }) =>
      (named !== undefined && mediaTypes.includes(named)) ||
      (signature?.zip !== undefined && parts.some((name) => signature.zip?.part.test(name))),
  );
  if (found !== undefined) return found.kind;
  const type = typeOfZip(bytes, parts);
  const shown = claimed.find(({ signature }) => parts.some((name) => signature?.claimedPart?.test(name)));
  if (shown !== undefined && named === undefined) return shown.kind;
  if (type !== undefined) throw unsupported(nameOf(type));
  const claim = claimed.find(({ signature }) => signature?.zip !== undefined);
  if (claim?.signature?.zip === undefined) throw unsupported('it is a ZIP archive');
  if (parts.includes('[Content_Types].xml')) return claim.kind;
  throw new ExtractError('corrupted', {
    detail: `it is called ${withArticle(claim.name)}, but its ZIP archive holds no ${claim.signature.zip.holds}`,
  });
}

/** Names in the central directory, read only as far as they are sound; none when the archive is cut off. */
function zipPartNames(bytes: Uint8Array): string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const tail = Math.max(0, bytes.length - ZIP_END_WITHIN);
  const end = lastIndexOf(bytes.subarray(tail), 'PK\x05\x06');
  const names: string[] = [];
  if (end === -1 || tail + end + 22 > bytes.length) return names;
  let at = view.getUint32(tail + end + 16, true);
  // Each entry is at least 46 bytes, so the walk is linear in the file for any counts.
  while (at + 46 <= bytes.length && view.getUint32(at, true) === 0x02014b50) {
    const length = view.getUint16(at + 28, true);
    names.push(latin1(bytes.subarray(at + 46, at + 46 + length)));
    at += 46 + length + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return names;
}

/** Names before the entries themselves, for an archive that is cut off. */
function localPartNames(bytes: Uint8Array): string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const names: string[] = [];
  for (let at = indexOf(bytes, ZIP_ENTRY); at !== -1 && at + 30 <= bytes.length;) {
    names.push(latin1(bytes.subarray(at + 30, at + 30 + view.getUint16(at + 26, true))));
    at = indexOf(bytes, ZIP_ENTRY, at + 30);
  }
  return names;
}

/** Streams of the kinds that are not read. Names in the directory of an OLE compound file are UTF-16. */
const OLE_STREAMS = [
  ['WordDocument', 'it is a Word 97-2003 document (.doc); save it as .docx'],
  ['Workbook', 'it is an Excel 97-2003 workbook (.xls); save it as .xlsx'],
  ['PowerPoint Document', 'it is a PowerPoint 97-2003 presentation (.ppt)'],
] as const;

function kindOfOle(bytes: Uint8Array): Kind {
  const holds = (name: string): boolean => indexOf(bytes, utf16(name)) !== -1;
  if (holds('EncryptedPackage')) throw new ExtractError('encrypted');
  const entry = READERS.find(({ signature }) => signature?.ole !== undefined && holds(signature.ole));
  if (entry !== undefined) return entry.kind;
  const stream = OLE_STREAMS.find(([name]) => holds(name));
  throw unsupported(stream?.[1] ?? 'it is an OLE compound file (.doc, .xls, .msg)');
}

/** The start of a text as text without NULs; `undefined` when the bytes are not text. */
async function sampleText(bytes: Uint8Array, declared: string | undefined): Promise<string | undefined> {
  const utf8 = decodeSample(bytes, 'utf-8');
  if (utf8 !== undefined && isText(utf8, bytes)) return utf8.replaceAll('\0', '');
  const said = declared === undefined ? undefined : decodeSample(bytes, declared);
  if (said !== undefined && noiseShare(said) <= MAX_NOISE.detected) return said;
  const encoding = await detectEncoding(bytes, utf8 !== undefined);
  const detected = encoding === undefined ? undefined : decodeSample(bytes, encoding, false);
  return detected !== undefined && noiseShare(detected) <= MAX_NOISE.detected ? detected : undefined;
}

/** Archives of texts are full of NULs, too, but have a signature. */
function isText(utf8: string, bytes: Uint8Array): boolean {
  const letters = utf8.replaceAll('\0', '');
  if (noiseShare(letters) > MAX_NOISE.utf8 || letters.length < (1 - MAX_NULS) * utf8.length) return false;
  return letters.length === utf8.length || typeOfFile(bytes) === undefined;
}

/** Streaming, because the sample may end inside a character. */
function decodeSample(bytes: Uint8Array, encoding: string, fatal = true): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal }).decode(bytes, { stream: true });
  } catch {
    return undefined;
  }
}

/** Characters that text does not have: controls except blanks, backspace and escape; U+FFFD. */
// eslint-disable-next-line no-control-regex
const NOISE = /[\0-\x07\x0e-\x1a\x1c-\x1f\x7f-\x9f\uFFFD]/g;
/** The share of characters that are {@link NOISE}. */
function noiseShare(text: string): number {
  return (text.match(NOISE)?.length ?? 0) / Math.max(1, text.length);
}

/** A text whose parts are in encodings of their own. */
function kindOfMixed(look: string, claimed: readonly KindEntry[]): Kind | undefined {
  if (look.includes('\0')) return undefined;
  return claimed.find(({ signature }) => signature?.isMixed === true && signature.text?.(look, true))?.kind;
}

/** Beginnings of ASCII formats that are unreadable as text. */
const NOT_PROSE = [['%!PS', 'it is PostScript (.ps); convert it to PDF']] as const;

function kindOfText(look: string, claimed: readonly KindEntry[]): Kind {
  const foreign = NOT_PROSE.find(([start]) => look.startsWith(start));
  if (foreign !== undefined) throw unsupported(foreign[1]);
  const known = READERS.find(({ kind, signature }) => signature?.text?.(look, claims(claimed, kind)));
  if (known !== undefined) return known.kind;
  const textual = claimed.filter((entry) => !entry.binary);
  const contradicted = textual.length === 0 ? claimed[0] : undefined;
  if (contradicted !== undefined && look.trim() !== '') {
    throw unsupported(`it is called ${withArticle(contradicted.name)}, but holds plain text`);
  }
  return claims(textual, 'markdown') ? 'markdown' : 'txt';
}

/** Vowels, and letters whose names begin with one: an EPUB, an Outlook message, a PDF. */
function withArticle(name: string): string {
  return `${/^(?:[AEIOU]|[FHLMNRSX][A-Z])/.test(name) ? 'an' : 'a'} ${name}`;
}

function unsupported(found: string): ExtractError {
  return new ExtractError('unsupported_type', {
    detail: `${found}; accepted are ${acceptedEndings()}`,
    found,
  });
}

function binaryName(bytes: Uint8Array): string {
  const type = typeOfFile(bytes);
  return type === undefined ? 'it is binary' : nameOf(type);
}

function nameOf({ mime, ext, saveAs }: FileType): string {
  return `it is ${mime} (.${ext})${saveAs === undefined ? '' : `; save it as ${saveAs}`}`;
}

function startsWith(bytes: Uint8Array, ascii: string): boolean {
  return indexOf(bytes.subarray(0, ascii.length), ascii) === 0;
}

function utf16(ascii: string): string {
  return ascii.replace(/./g, '$&\0');
}
