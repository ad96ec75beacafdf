// Writes OpenDocument files for tests: a ZIP archive of XML written by hand, or one flat document. Can lie about
// anything.
import { writeZip, type ZipEntry } from './docx-writer.ts';

/** The word of a kind in its media type and in its body's name. */
export type OpenDocumentKind = 'text' | 'presentation' | 'spreadsheet';

export interface OpenDocumentSpec {
  readonly kind: OpenDocumentKind;
  /** Content of the body, such as `<office:text>`. */
  readonly body: string;
  /** Content of `<office:automatic-styles>` of the content. */
  readonly automatic?: string;
  /** Content of `<office:styles>`. */
  readonly styles?: string;
  /** Content of `<office:meta>`. */
  readonly meta?: string;
  /** Content of the manifest. */
  readonly manifest?: string;
  /** Further entries. */
  readonly entries?: readonly ZipEntry[];
  /** The form of the kind in its media type, such as `-template`. */
  readonly form?: string;
}

const PROLOG = '<?xml version="1.0" encoding="UTF-8"?>';
const OASIS = 'urn:oasis:names:tc:opendocument:xmlns:';
const NAMESPACES = [
  ...['office', 'style', 'text', 'table', 'presentation', 'chart', 'meta', 'manifest'].map(
    (name) => `xmlns:${name}="${OASIS}${name}:1.0"`,
  ),
  `xmlns:draw="${OASIS}drawing:1.0"`,
  `xmlns:svg="${OASIS}svg-compatible:1.0"`,
  `xmlns:fo="${OASIS}xsl-fo-compatible:1.0"`,
  'xmlns:xlink="http://www.w3.org/1999/xlink"',
  'xmlns:dc="http://purl.org/dc/elements/1.1/"',
  'xmlns:math="http://www.w3.org/1998/Math/MathML"',
].join(' ');

const root = (name: string, content: string, attributes = ''): string =>
  `${PROLOG}<office:${name} ${NAMESPACES}${attributes}>${content}</office:${name}>`;

const mimetype = ({ kind, form = '' }: OpenDocumentSpec): string =>
  `application/vnd.oasis.opendocument.${kind}${form}`;

/** The entries of a document; change them and pack them with `writeZip`. */
export function openDocumentEntries(spec: OpenDocumentSpec): ZipEntry[] {
  const { kind, body, automatic = '', styles, meta, manifest = '', entries = [] } = spec;
  return [
    { name: 'mimetype', content: mimetype(spec), method: 0 },
    {
      name: 'content.xml',
      content: root(
        'document-content',
        `<office:automatic-styles>${automatic}</office:automatic-styles><office:body><office:${kind}>${body}</office:${kind}></office:body>`,
      ),
    },
    ...(styles === undefined
      ? []
      : [
          {
            name: 'styles.xml',
            content: root('document-styles', `<office:styles>${styles}</office:styles>`),
          },
        ]),
    ...(meta === undefined
      ? []
      : [{ name: 'meta.xml', content: root('document-meta', `<office:meta>${meta}</office:meta>`) }]),
    {
      name: 'META-INF/manifest.xml',
      content: `${PROLOG}<manifest:manifest ${NAMESPACES}>${manifest}</manifest:manifest>`,
    },
    ...entries,
  ];
}

export const writeOpenDocument = (spec: OpenDocumentSpec): Uint8Array => writeZip(openDocumentEntries(spec));

/** The same document as one XML file. */
export function writeFlatDocument(spec: OpenDocumentSpec): Uint8Array {
  const { kind, body, automatic = '', styles = '', meta = '' } = spec;
  return new TextEncoder().encode(
    root(
      'document',
      `<office:meta>${meta}</office:meta><office:styles>${styles}</office:styles><office:automatic-styles>${automatic}</office:automatic-styles><office:body><office:${kind}>${body}</office:${kind}></office:body>`,
      ` office:mimetype="${mimetype(spec)}"`,
    ),
  );
}

/** A paragraph; `style` is the name of its style. */
export const openPara = (content: string, style = 'Standard'): string =>
  `<text:p text:style-name="${style}">${content}</text:p>`;

export const openHeading = (level: number, content: string): string =>
  `<text:h text:outline-level="${level}">${content}</text:h>`;

/** A list of items, each the content of a `<text:list-item>`. */
export const openList = (items: readonly string[], attributes = ''): string =>
  `<text:list ${attributes}>${items.map((item) => `<text:list-item>${item}</text:list-item>`).join('')}</text:list>`;

export const openCell = (content: string, attributes = ''): string =>
  `<table:table-cell ${attributes}>${content === '' ? '' : openPara(content)}</table:table-cell>`;

export const openRow = (cells: readonly string[], attributes = ''): string =>
  `<table:table-row ${attributes}>${cells.join('')}</table:table-row>`;

/** A style; `properties` are its elements, `attributes` the further ones. */
export const openStyle = (family: string, name: string, properties = '', attributes = ''): string =>
  `<style:style style:family="${family}" style:name="${name}" ${attributes}>${properties}</style:style>`;

/** A drawing of a slide with its place in centimetres. */
export const openFrame = (
  content: string,
  {
    at: [left, top, width, height] = [0, 0, 1, 1],
    placeholder = '',
  }: { at?: readonly number[]; placeholder?: string } = {},
): string =>
  `<draw:frame svg:x="${left}cm" svg:y="${top}cm" svg:width="${width}cm" svg:height="${height}cm"` +
  `${placeholder === '' ? '' : ` presentation:class="${placeholder}"`}><draw:text-box>${content}</draw:text-box></draw:frame>`;

export const openPage = (content: string): string => `<draw:page draw:name="page">${content}</draw:page>`;
