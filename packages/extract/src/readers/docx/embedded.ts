// Content of a DOCX in other parts: chunks of HTML, mail archives, plain text or whole documents, which server programs
// assemble, the words of diagrams, and charts.
import { LAST_RESORT, lenient, strict } from '../../encoding/decoder.ts';
import { ExtractError } from '../../errors.ts';
import type { TreeBuilder } from '../../tree/builder.ts';
import type { TreeNode } from '../../tree/node.ts';
import { metaCharset } from '../html/charset.ts';
import type { addPage } from '../html/page.ts';
import { addChart } from '../../package/charts.ts';
import { addDiagram } from '../../package/diagram.ts';
import type { OfficePackage } from '../../package/office.ts';
import type { Parts } from '../../package/parts.ts';
import type { WordSource } from './word-source.ts';

/** The callbacks of {@link readEmbedded} outside the document's own parts. */
export interface EmbeddedCallbacks {
  /** Reads an embedded document: its blocks, and its notes behind them. `undefined` when it is nested too deep. */
  readonly readDocument: (bytes: Uint8Array) => readonly TreeNode[] | undefined;
  /** Adds a page of HTML; `undefined` when its reader is not loaded, see {@link holdsChunks}. */
  readonly addPage: typeof addPage | undefined;
  /**
   * Called with the names of parts that are damaged, missing, or in an unsupported format: the document itself is read
   * all the same.
   */
  readonly leaveOut: (name: string) => void;
}

/**
 * True when the document or one of its notes refers to chunks, so that it may need the reader of HTML. That takes as
 * long to load as the rest of this reader, and hardly any document has chunks.
 */
export function holdsChunks({ main, related, relationshipsOf }: OfficePackage): boolean {
  return [main, related('footnotes'), related('endnotes')].some(
    (name) =>
      name !== undefined && [...relationshipsOf(name).values()].some(({ type }) => type === 'aFChunk'),
  );
}

/** Adds the content of another part to a builder, after that part was read to its end. */
export function readEmbedded(
  parts: Parts,
  { readDocument, addPage, leaveOut }: EmbeddedCallbacks,
): WordSource['embedded'] {
  return (kind, name, builder) => {
    const add = (): boolean => {
      if (kind === 'chunk') return addChunk(parts.bytes(name), builder, { readDocument, addPage });
      return kind === 'diagram' ? addDiagram(parts, name, builder) : addChart(parts, name, builder);
    };
    try {
      if (!add()) leaveOut(name);
    } catch (error) {
      if (!(error instanceof ExtractError && NOT_READ.has(error.code))) throw error;
      leaveOut(name);
    }
  };
}

const NOT_READ: ReadonlySet<string> = new Set(['corrupted', 'encrypted']);

/** `<w:altChunk>`, which Word imports on opening. Returns false when the chunk is not read. */
function addChunk(
  bytes: Uint8Array | undefined,
  builder: TreeBuilder,
  { readDocument, addPage }: Pick<EmbeddedCallbacks, 'readDocument' | 'addPage'>,
): boolean {
  if (bytes === undefined) return false;
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) return addDocument(readDocument(bytes), builder);
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, SAMPLE_BYTES));
  if (start.startsWith('{\\rtf')) return false;
  if (/^(?:mime-version|from|content-type)\s*:/im.test(start) && !/^\s*</.test(start)) {
    const page = pageOfMail(new TextDecoder('latin1').decode(bytes));
    if (page === undefined || addPage === undefined) return false;
    addPage(page, builder);
  } else if (/<(?:!doctype|html|head|body|p|div|table|h[1-6]|ul|ol|span|b|strong)\b/i.test(start)) {
    if (addPage === undefined) return false;
    addPage(textOf(bytes, metaCharset(bytes)), builder);
  } else
    for (const line of textOf(bytes).split(/\r\n?|\n/)) {
      builder.text(line);
      builder.boundary();
    }
  return true;
}

function addDocument(nodes: readonly TreeNode[] | undefined, builder: TreeBuilder): boolean {
  for (const node of nodes ?? [])
    if (node.kind === 'footnote') builder.footnote(node.label, node.children);
    else builder.add(node);
  return nodes !== undefined;
}

/** Length in bytes of the part of a chunk that shows its kind. */
const SAMPLE_BYTES = 4096;

/** A mail archive (MHTML, RFC 2557) → its first page. `archive` has one character for each byte. */
function pageOfMail(archive: string): string | undefined {
  const boundary = /boundary\s*=\s*"?([^"\r\n;]+)/i.exec(archive.slice(0, SAMPLE_BYTES))?.[1];
  const parts = boundary === undefined ? [archive] : archive.split(`--${boundary.trim()}`);
  for (const part of parts) {
    const end = /\r?\n\r?\n/.exec(part);
    if (end === null) continue;
    const head = part.slice(0, end.index);
    if (!/content-type\s*:\s*text\/html/i.test(head)) continue;
    const charset = /charset\s*=\s*"?([\w.:-]+)/i.exec(head)?.[1];
    const bytes = bytesOfBody(part.slice(end.index + end[0].length), head);
    return textOf(bytes, charset ?? metaCharset(bytes));
  }
  return undefined;
}

/** The body of a part, its transfer encoding undone (RFC 2045, section 6). */
function bytesOfBody(body: string, head: string): Uint8Array {
  const encoding = /content-transfer-encoding\s*:\s*([\w-]+)/i.exec(head)?.[1]?.toLowerCase();
  const plain =
    encoding === 'base64'
      ? atob(body.replace(/[^A-Za-z0-9+/]/g, '').replace(/^((?:.{4})*).$/s, '$1'))
      : encoding === 'quoted-printable'
        ? body
            .replace(/=[\t ]*\r?\n/g, '')
            .replace(/=([\dA-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
        : body;
  return Uint8Array.from(plain, (character) => character.charCodeAt(0));
}

/** UTF-8, else the declared encoding, else that of old programs. */
function textOf(bytes: Uint8Array, charset = LAST_RESORT): string {
  const reading =
    strict(bytes, 'utf-8') ??
    (charset === 'utf-8' ? undefined : lenient(bytes, charset)) ??
    lenient(bytes, LAST_RESORT);
  return reading?.text ?? '';
}
