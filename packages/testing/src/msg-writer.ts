// Writes messages of Outlook for tests ([MS-OXMSG]): property streams in an OLE compound file.
import { burn, type Entry } from '@kenjiuno/msgreader/lib/Burner.js';
import { TypeEnum } from '@kenjiuno/msgreader/lib/Reader.js';

/** A folder of property streams, and folders of recipients and attachments in it. */
export interface MsgFolder {
  /** Values by tag and type, as `0037001F`; strings are written in UTF-16. */
  readonly streams: Readonly<Record<string, string | Uint8Array>>;
  readonly folders?: Readonly<Record<string, MsgFolder>>;
  /** Numbers of the stream of properties, by tag and type, as `3FFD0003`. */
  readonly numbers?: Readonly<Record<string, number>>;
}

/** Bytes before the properties: at the top, in a message inside, and in a recipient or an attachment. */
const TOP_HEADER = 32;
const INSIDE_HEADER = 24;
const HEADER = 8;

/** A message as a file. */
export function writeMsg(top: MsgFolder): Uint8Array {
  const entries: Entry[] = [];
  const add = (
    name: string,
    type: TypeEnum,
    { streams, folders = {}, numbers = {} }: MsgFolder,
    header = HEADER,
  ): number => {
    const own: Entry = { name, type, length: 0, children: [] };
    const at = entries.push(own) - 1;
    const stream = (title: string, bytes: Uint8Array): void => {
      const document = { name: title, type: TypeEnum.DOCUMENT, length: bytes.length };
      own.children?.push(entries.push({ ...document, binaryProvider: () => bytes }) - 1);
    };
    stream('__properties_version1.0', propertiesOf(numbers, header));
    for (const [tag, value] of Object.entries(streams))
      stream(
        `__substg1.0_${tag}`,
        // A copy, because the library takes the whole memory behind a buffer.
        Uint8Array.from(typeof value === 'string' ? Buffer.from(value, 'utf16le') : value),
      );
    for (const [title, folder] of Object.entries(folders))
      own.children?.push(
        add(title, TypeEnum.DIRECTORY, folder, title.endsWith('3701000D') ? INSIDE_HEADER : HEADER),
      );
    return at;
  };
  add('Root Entry', TypeEnum.ROOT, top, TOP_HEADER);
  return burn(entries);
}

/** A compound file with one stream, which is no message. */
export function writeCompoundFile(stream: string, bytes: Uint8Array): Uint8Array {
  return burn([
    { name: 'Root Entry', type: TypeEnum.ROOT, length: 0, children: [1] },
    { name: stream, type: TypeEnum.DOCUMENT, length: bytes.length, binaryProvider: () => bytes },
  ]);
}

/** Entries of 16 bytes: tag and type, flags, value ([MS-OXMSG], section 2.4.2). */
function propertiesOf(numbers: Readonly<Record<string, number>>, header: number): Uint8Array {
  const entries = Object.entries(numbers);
  const view = new DataView(new ArrayBuffer(header + 16 * entries.length));
  for (const [at, [tag, value]] of entries.entries()) {
    view.setUint32(header + 16 * at, Number.parseInt(tag, 16), true);
    view.setUint32(header + 16 * at + 8, value, true);
  }
  return new Uint8Array(view.buffer);
}
