// Writes DOCX files for tests: a ZIP archive, entry by entry, of XML written by hand. Can lie about anything.
import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipEntry {
  readonly name: string;
  readonly content: string | Uint8Array;
  /** 0 stored, 8 deflated (default); others are written as stored. */
  readonly method?: number;
  /** Unpacked size to declare; default: the real one. */
  readonly declaredSize?: number;
  /** General purpose flags; 1 is encrypted. */
  readonly flags?: number;
}

/** Packs entries in their order. */
export function writeZip(entries: readonly ZipEntry[]): Uint8Array {
  const local: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, method = 8, declaredSize, flags = 0 } of entries) {
    const bytes = Buffer.from(content);
    const packed = method === 8 ? deflateRawSync(bytes) : bytes;
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(flags, 2);
    fields.writeUInt16LE(method, 4);
    fields.writeUInt32LE(crc32(bytes), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(declaredSize ?? bytes.length, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    local.push(Buffer.from('PK\x03\x04'), fields, Buffer.from(name), packed);
    directory.push(Buffer.from('PK\x01\x02\x14\0'), fields, rest, Buffer.from(name));
    offset += 30 + Buffer.byteLength(name) + packed.length;
  }
  const all = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(Math.min(entries.length, 0xffff), 8);
  end.writeUInt16LE(Math.min(entries.length, 0xffff), 10);
  end.writeUInt32LE(all.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...local, all, end]);
}

export interface DocxSpec {
  /** Content of `<w:body>`. */
  readonly body: string;
  /** Content of `<w:styles>`. */
  readonly styles?: string;
  /** Content of `<w:numbering>`. */
  readonly numbering?: string;
  /** Content of `<w:footnotes>`. */
  readonly footnotes?: string;
  /** `<Relationship>` elements of the document part. */
  readonly relationships?: string;
  /** Content of the extended properties. */
  readonly app?: string;
  /** Content of the core properties. */
  readonly core?: string;
  readonly documentPath?: string;
  /** Namespaces of the strict format instead of the transitional one. */
  readonly strict?: boolean;
}

const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const PROLOG = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';

/** The entries of a document; change them and pack them with {@link writeZip}. */
export function docxEntries(spec: DocxSpec): ZipEntry[] {
  const { documentPath = 'word/document.xml', strict = false } = spec;
  const office = strict
    ? 'http://purl.oclc.org/ooxml/officeDocument'
    : 'http://schemas.openxmlformats.org/officeDocument/2006';
  const word = strict
    ? 'http://purl.oclc.org/ooxml/wordprocessingml/main'
    : 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
  const root = (name: string, content: string): string =>
    `${PROLOG}<w:${name} xmlns:w="${word}" xmlns:r="${office}/relationships" xmlns:m="${office}/math" xmlns:a="urn:a">${content}</w:${name}>`;
  const part = (name: string, content: string | undefined): ZipEntry[] =>
    content === undefined ? [] : [{ name: `word/${name}.xml`, content: root(name, content) }];
  const slash = documentPath.lastIndexOf('/');
  return [
    {
      name: '[Content_Types].xml',
      content: `${PROLOG}<Types xmlns="${PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`,
    },
    {
      name: '_rels/.rels',
      content: `${PROLOG}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="d" Type="${office}/relationships/officeDocument" Target="${documentPath}"/></Relationships>`,
    },
    { name: documentPath, content: root('document', `<w:body>${spec.body}</w:body>`) },
    {
      name: `${documentPath.slice(0, slash)}/_rels${documentPath.slice(slash)}.rels`,
      content: `${PROLOG}<Relationships xmlns="${PACKAGE}/relationships">${spec.relationships ?? ''}</Relationships>`,
    },
    ...part('styles', spec.styles),
    ...part('numbering', spec.numbering),
    ...part('footnotes', spec.footnotes),
    ...(spec.app === undefined
      ? []
      : [
          {
            name: 'docProps/app.xml',
            content: `${PROLOG}<Properties xmlns="${office}/extended-properties">${spec.app}</Properties>`,
          },
        ]),
    ...(spec.core === undefined
      ? []
      : [
          {
            name: 'docProps/core.xml',
            content: `${PROLOG}<cp:coreProperties xmlns:cp="urn:cp" xmlns:dc="urn:dc">${spec.core}</cp:coreProperties>`,
          },
        ]),
  ];
}

export const writeDocx = (spec: DocxSpec): Uint8Array => writeZip(docxEntries(spec));

/** A run of text; `properties` stands in `<w:rPr>`. */
export const run = (text: string, properties = ''): string =>
  `<w:r>${properties === '' ? '' : `<w:rPr>${properties}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r>`;

/** A paragraph; `properties` stands in `<w:pPr>`. */
export const para = (content: string, properties = ''): string =>
  `<w:p>${properties === '' ? '' : `<w:pPr>${properties}</w:pPr>`}${content.startsWith('<') ? content : run(content)}</w:p>`;

export const styled = (style: string, text: string): string => para(text, `<w:pStyle w:val="${style}"/>`);

/** A paragraph of a list; levels count from 0. */
export const item = (numId: number, level: number, text: string): string =>
  para(text, `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${numId}"/></w:numPr>`);

/** Numbering 1 is bullets, numbering 2 is numbers, on three levels. */
export const LISTS = ['bullet', 'decimal']
  .map((format, id) => {
    const levels = [0, 1, 2]
      .map((level) => `<w:lvl w:ilvl="${level}"><w:numFmt w:val="${format}"/></w:lvl>`)
      .join('');
    return `<w:abstractNum w:abstractNumId="${id}">${levels}</w:abstractNum>`;
  })
  .concat([1, 2].map((id) => `<w:num w:numId="${id}"><w:abstractNumId w:val="${id - 1}"/></w:num>`))
  .join('');

/** A cell; `properties` stands in `<w:tcPr>`. */
export const cell = (text: string, properties = ''): string =>
  `<w:tc><w:tcPr>${properties}</w:tcPr>${para(text)}</w:tc>`;
export const row = (...cells: readonly string[]): string => `<w:tr>${cells.join('')}</w:tr>`;
