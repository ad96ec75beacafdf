// The names of files that are no document, by the bytes that each begins with, so that an error says what a file is.
// The table holds what people put into folders of documents. Any other binary file is "binary".
import { latin1 } from './bytes.ts';

/** A kind of file: its usual ending and media type. */
export interface FileType {
  readonly ext: string;
  readonly mime: string;
  /** Ending of a kind that is read, and that its program offers. */
  readonly saveAs?: string | undefined;
}

/** An ending, a media type, and the bytes of a file of that type, one character each, from an offset. */
type Signature = readonly [ext: string, mime: string, bytes: string, at?: number];

const SIGNATURES: readonly Signature[] = [
  ['png', 'image/png', '\x89PNG\r\n\x1a\n'],
  ['jpg', 'image/jpeg', '\xff\xd8\xff'],
  ['gif', 'image/gif', 'GIF8'],
  ['tif', 'image/tiff', 'II*\0'],
  ['tif', 'image/tiff', 'MM\0*'],
  ['bmp', 'image/bmp', 'BM'],
  ['webp', 'image/webp', 'WEBP', 8],
  ['ico', 'image/x-icon', '\0\0\x01\0'],
  ['psd', 'image/vnd.adobe.photoshop', '8BPS'],
  ['jp2', 'image/jp2', '\0\0\0\x0cjP  \r\n\x87\n'],
  ['avif', 'image/avif', 'ftypavif', 4],
  ['heic', 'image/heic', 'ftyphei', 4],
  ['heic', 'image/heic', 'ftypmif1', 4],
  ['djvu', 'image/vnd.djvu', 'AT&TFORM'],
  ['dwg', 'image/vnd.dwg', 'AC10'],
  ['mov', 'video/quicktime', 'ftypqt', 4],
  ['m4a', 'audio/x-m4a', 'ftypM4A', 4],
  ['mp4', 'video/mp4', 'ftyp', 4],
  ['mkv', 'video/matroska', '\x1aE\xdf\xa3'],
  ['avi', 'video/vnd.avi', 'AVI ', 8],
  ['wav', 'audio/wav', 'WAVE', 8],
  ['mp3', 'audio/mpeg', 'ID3'],
  ['mp3', 'audio/mpeg', '\xff\xfb'],
  ['ogg', 'application/ogg', 'OggS'],
  ['flac', 'audio/flac', 'fLaC'],
  ['gz', 'application/gzip', '\x1f\x8b'],
  ['bz2', 'application/x-bzip2', 'BZh'],
  ['xz', 'application/x-xz', '\xfd7zXZ\0'],
  ['zst', 'application/zstd', '\x28\xb5\x2f\xfd'],
  ['7z', 'application/x-7z-compressed', "7z\xbc\xaf'\x1c"],
  ['rar', 'application/x-rar-compressed', 'Rar!\x1a\x07'],
  ['cab', 'application/vnd.ms-cab-compressed', 'MSCF'],
  ['deb', 'application/x-deb', '!<arch>'],
  ['tar', 'application/x-tar', 'ustar', 257],
  ['exe', 'application/x-msdownload', 'MZ'],
  ['elf', 'application/x-elf', '\x7fELF'],
  ['macho', 'application/x-mach-binary', '\xcf\xfa\xed\xfe'],
  ['class', 'application/java-vm', '\xca\xfe\xba\xbe'],
  ['wasm', 'application/wasm', '\0asm'],
  ['sqlite', 'application/x-sqlite3', 'SQLite format 3\0'],
  ['parquet', 'application/vnd.apache.parquet', 'PAR1'],
  ['woff', 'font/woff', 'wOFF'],
  ['woff2', 'font/woff2', 'wOF2'],
  ['otf', 'font/otf', 'OTTO'],
  ['ttf', 'font/ttf', '\0\x01\0\0\0'],
  ['mobi', 'application/x-mobipocket-ebook', 'BOOKMOBI', 60],
  ['chm', 'application/vnd.ms-htmlhelp', 'ITSF'],
  ['pst', 'application/vnd.ms-outlook', '!BDN'],
];

/** Bytes that the table looks at. */
const HEAD_BYTES = 512;

/** The type of a file by its first bytes; undefined for all others, text among them. */
export function typeOfFile(bytes: Uint8Array): FileType | undefined {
  const head = latin1(bytes.subarray(0, HEAD_BYTES));
  const found = SIGNATURES.find(([, , signature, at = 0]) => head.startsWith(signature, at));
  return found && { ext: found[0], mime: found[1] };
}

/** Parts by which archives of other programs are known. */
const ZIP_PARTS: readonly (readonly [part: RegExp, ext: string, mime: string, saveAs?: string])[] = [
  [/^xl\/workbook\.bin$/, 'xlsb', 'application/vnd.ms-excel.sheet.binary.macroenabled.12', '.xlsx'],
  [/^xl\//, 'xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  [/^ppt\//, 'pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
  [/^visio\//, 'vsdx', 'application/vnd.visio'],
  [/^AndroidManifest\.xml$/, 'apk', 'application/vnd.android.package-archive'],
  [/^META-INF\/MANIFEST\.MF$/, 'jar', 'application/java-archive'],
];

/** Stored first and unpacked in OpenDocument files and in EPUB: the type of the file. */
const MIMETYPE = /^mimetype(application\/[\w.+-]+)/;
/** Length of a local header before the name of its entry. */
const LOCAL_HEADER = 30;
const OPEN_DOCUMENT = /^application\/vnd\.oasis\.opendocument\.(text|spreadsheet|presentation|graphics)/;
const OPEN_DOCUMENT_ENDINGS: Readonly<Record<string, string>> = {
  text: 'odt',
  spreadsheet: 'ods',
  presentation: 'odp',
  graphics: 'odg',
};

/** The media type that a ZIP archive names in its first entry; undefined when it names none. */
export function mimetypeOf(bytes: Uint8Array): string | undefined {
  return MIMETYPE.exec(latin1(bytes.subarray(LOCAL_HEADER, HEAD_BYTES)).replace('PK\x03\x04', ' '))?.[1];
}

/** The type of a ZIP archive by the names of its parts; undefined for an archive of no known program. */
export function typeOfZip(bytes: Uint8Array, parts: readonly string[]): FileType | undefined {
  const [mime = '', word = ''] = OPEN_DOCUMENT.exec(mimetypeOf(bytes) ?? '') ?? [];
  const open = OPEN_DOCUMENT_ENDINGS[word];
  if (open !== undefined) return { ext: open, mime };
  const found = ZIP_PARTS.find(([part]) => parts.some((name) => part.test(name)));
  return found && { ext: found[1], mime: found[2], saveAs: found[3] };
}
