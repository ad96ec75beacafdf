// Writes PPTX files for tests: a ZIP archive, entry by entry, of XML written by hand. Can lie about anything.
import { writeZip, type ZipEntry } from './docx-writer.ts';

/** A slide, and the notes of its speaker. */
export interface SlideSpec {
  /** Content of `<p:spTree>`. */
  readonly shapes: string;
  /** Content of the notes page's `<p:spTree>`. */
  readonly notes?: string;
  /** `<Relationship>` elements of the slide. */
  readonly relationships?: string;
  /** Attributes of `<p:sld>`. */
  readonly attributes?: string;
}

export interface PptxSpec {
  readonly slides: readonly SlideSpec[];
  /** Type and content of the layout's `<p:spTree>`, which all slides share. */
  readonly layout?: { readonly type?: string; readonly shapes: string };
  /** Content of the master's `<p:spTree>`, and of its `<p:txStyles>`. */
  readonly master?: { readonly shapes?: string; readonly styles?: string };
  /** Content of the core properties. */
  readonly core?: string;
  /** Further entries. */
  readonly entries?: readonly ZipEntry[];
  /** Namespaces of the strict format instead of the transitional one. */
  readonly strict?: boolean;
}

const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const PROLOG = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';

/** The entries of a presentation; change them and pack them with `writeZip`. */
export function pptxEntries({
  slides,
  layout,
  master,
  core,
  entries = [],
  strict = false,
}: PptxSpec): ZipEntry[] {
  const office = strict
    ? 'http://purl.oclc.org/ooxml/officeDocument'
    : 'http://schemas.openxmlformats.org/officeDocument/2006';
  const [p, a] = ['presentationml', 'drawingml'].map((name) =>
    strict
      ? `http://purl.oclc.org/ooxml/${name}/main`
      : `http://schemas.openxmlformats.org/${name}/2006/main`,
  );
  const root = (name: string, content: string, attributes = ''): string =>
    `${PROLOG}<p:${name} xmlns:p="${p}" xmlns:a="${a}" xmlns:r="${office}/relationships"${attributes}>${content}</p:${name}>`;
  const tree = (shapes: string): string => `<p:cSld><p:spTree>${shapes}</p:spTree></p:cSld>`;
  const related = (id: string, type: string, target: string): string =>
    `<Relationship Id="${id}" Type="${office}/relationships/${type}" Target="${target}"/>`;
  const relationships = (part: string, content: string): ZipEntry => {
    const slash = part.lastIndexOf('/') + 1;
    return {
      name: `${part.slice(0, slash)}_rels/${part.slice(slash)}.rels`,
      content: `${PROLOG}<Relationships xmlns="${PACKAGE}/relationships">${content}</Relationships>`,
    };
  };
  const layoutName = 'ppt/slideLayouts/slideLayout1.xml';
  const numbered = slides.map((slide, index) => ({ ...slide, number: index + 1 }));
  const ids = numbered.map(({ number }) => `<p:sldId id="${255 + number}" r:id="s${number}"/>`).join('');
  return [
    {
      name: '[Content_Types].xml',
      content: `${PROLOG}<Types xmlns="${PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`,
    },
    relationships('', related('d', 'officeDocument', 'ppt/presentation.xml')),
    { name: 'ppt/presentation.xml', content: root('presentation', `<p:sldIdLst>${ids}</p:sldIdLst>`) },
    relationships(
      'ppt/presentation.xml',
      numbered.map(({ number }) => related(`s${number}`, 'slide', `slides/slide${number}.xml`)).join(''),
    ),
    ...numbered.flatMap(({ number, shapes, notes, attributes = '', relationships: own = '' }) => [
      { name: `ppt/slides/slide${number}.xml`, content: root('sld', tree(shapes), attributes) },
      relationships(
        `ppt/slides/slide${number}.xml`,
        own +
          related('layout', 'slideLayout', '../slideLayouts/slideLayout1.xml') +
          (notes === undefined
            ? ''
            : related('notes', 'notesSlide', `../notesSlides/notesSlide${number}.xml`)),
      ),
      ...(notes === undefined
        ? []
        : [{ name: `ppt/notesSlides/notesSlide${number}.xml`, content: root('notes', tree(notes)) }]),
    ]),
    {
      name: layoutName,
      content: root(
        'sldLayout',
        tree(layout?.shapes ?? ''),
        layout?.type === undefined ? '' : ` type="${layout.type}"`,
      ),
    },
    relationships(layoutName, related('master', 'slideMaster', '../slideMasters/slideMaster1.xml')),
    {
      name: 'ppt/slideMasters/slideMaster1.xml',
      content: root(
        'sldMaster',
        `${tree(master?.shapes ?? '')}<p:txStyles>${master?.styles ?? ''}</p:txStyles>`,
      ),
    },
    ...(core === undefined
      ? []
      : [
          {
            name: 'docProps/core.xml',
            content: `${PROLOG}<cp:coreProperties xmlns:cp="urn:cp" xmlns:dc="urn:dc">${core}</cp:coreProperties>`,
          },
        ]),
    ...entries,
  ];
}

export const writePptx = (spec: PptxSpec): Uint8Array => writeZip(pptxEntries(spec));

/** A paragraph of DrawingML; `properties` is the content of `<a:pPr>`, `level` counts from 0. */
export function slidePara(text: string, { level = 0, properties = '' } = {}): string {
  const runs = text.startsWith('<') ? text : slideRun(text);
  return `<a:p><a:pPr lvl="${level}">${properties}</a:pPr>${runs}</a:p>`;
}

/** A run; `attributes` and `content` are those of `<a:rPr>`. */
export const slideRun = (text: string, attributes = '', content = ''): string =>
  `<a:r><a:rPr${attributes === '' ? '' : ` ${attributes}`}>${content}</a:rPr><a:t>${text}</a:t></a:r>`;

/** The place of a shape: left, top, width, height. */
export type SlidePlace = readonly [number, number, number, number];

const transform = (at: SlidePlace | undefined): string =>
  at === undefined
    ? ''
    : `<a:xfrm><a:off x="${at[0]}" y="${at[1]}"/><a:ext cx="${at[2]}" cy="${at[3]}"/></a:xfrm>`;

/** A shape with text: paragraphs, or words of one; `placeholder` is its type, `idx` its index. */
export function slideShape(
  text: string,
  {
    at,
    placeholder,
    idx,
    list = '',
    name = '',
  }: {
    at?: SlidePlace;
    placeholder?: string;
    idx?: string;
    /** Content of `<a:lstStyle>`. */
    list?: string;
    /** Attributes of `<p:cNvPr>`. */
    name?: string;
  } = {},
): string {
  const ph =
    placeholder === undefined
      ? ''
      : `<p:ph type="${placeholder}"${idx === undefined ? '' : ` idx="${idx}"`}/>`;
  const paragraphs = text.startsWith('<a:p>') ? text : slidePara(text);
  return (
    `<p:sp><p:nvSpPr><p:cNvPr id="1" name="" ${name}/><p:cNvSpPr/><p:nvPr>${ph}</p:nvPr></p:nvSpPr>` +
    `<p:spPr>${transform(at)}</p:spPr><p:txBody><a:bodyPr/><a:lstStyle>${list}</a:lstStyle>${paragraphs}</p:txBody></p:sp>`
  );
}

export const slideTitle = (text: string): string => slideShape(text, { placeholder: 'title' });

/** A frame around a table, a chart or a diagram. */
export const slideFrame = (content: string, at: SlidePlace = [0, 0, 1, 1]): string =>
  `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="2" name=""/><p:nvPr/></p:nvGraphicFramePr>` +
  `<p:xfrm><a:off x="${at[0]}" y="${at[1]}"/><a:ext cx="${at[2]}" cy="${at[3]}"/></p:xfrm>` +
  `<a:graphic><a:graphicData>${content}</a:graphicData></a:graphic></p:graphicFrame>`;

/** A table of words; the attributes of its properties, such as `firstRow="1"`. */
export function slideTable(rows: readonly (readonly string[])[], properties = ''): string {
  const cells = (row: readonly string[]): string => row.map((text) => slideCell(text)).join('');
  return `<a:tbl><a:tblPr ${properties}/><a:tblGrid/>${rows.map((row) => `<a:tr h="1">${cells(row)}</a:tr>`).join('')}</a:tbl>`;
}

export const slideCell = (text: string, attributes = ''): string =>
  `<a:tc ${attributes}><a:txBody><a:bodyPr/>${slidePara(text)}</a:txBody><a:tcPr/></a:tc>`;

export const slidePicture = (description: string, at?: SlidePlace): string =>
  `<p:pic><p:nvPicPr><p:cNvPr id="3" name="" descr="${description}"/><p:nvPr/></p:nvPicPr><p:spPr>${transform(at)}</p:spPr></p:pic>`;

/** A group at a place. */
export const slideGroup = (shapes: string, at: SlidePlace = [0, 0, 1, 1]): string =>
  `<p:grpSp><p:nvGrpSpPr/><p:grpSpPr>${transform(at)}</p:grpSpPr>${shapes}</p:grpSp>`;
