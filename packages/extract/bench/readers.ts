// The compared readers: our built package, and the peers, each with the settings that give the most text without OCR,
// pictures or links. Each is loaded by name in a process of its own.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Ours from '../src/index.ts';

export type BenchKind =
  | 'pdf'
  /** PDFs as our reader reads them by default, without running heads and page numbers. */
  | 'pdf-default'
  | 'docx'
  | 'html'
  | 'eml'
  | 'msg'
  | 'epub'
  | 'ipynb'
  | 'rtf'
  | 'odt'
  | 'odp'
  | 'ods'
  | 'pptx'
  | 'xlsx'
  | 'csv';

/** Reads one document: Markdown, or plain text from readers that give no other. */
export type Read = (bytes: Uint8Array) => Promise<string | Output>;

/** The text of a PDF with its number of pages, for figures by the page. */
export interface Output {
  readonly text: string;
  readonly pages: number;
}

export interface BenchReader {
  readonly name: string;
  /** Packages that must be installed; the first is the one whose version is printed. */
  readonly packages: readonly string[];
  /** The loader of each kind that it reads. */
  readonly kinds: Readonly<Partial<Record<BenchKind, () => Promise<Read>>>>;
  /** Reads the main content of a page alone, where it has such a mode. */
  readonly main?: () => Promise<Read>;
  /** True when it gives HTML in place of Markdown. */
  readonly givesHtml?: boolean;
}

export const OURS = '@grainline/extract';
const PACKAGE = path.resolve(import.meta.dirname, '..');
export const PEERS = path.join(PACKAGE, 'peers');
const require = createRequire(path.join(PEERS, 'package.json'));

/** Imports a peer; their types are not installed where this file is checked. */
export function importPeer<Module>(name: string): Promise<Module> {
  return import(pathToFileURL(require.resolve(name)).href) as Promise<Module>;
}

export function isInstalled({ name, packages }: BenchReader): boolean {
  return (
    name === OURS ||
    packages.every((peer) => existsSync(path.join(PEERS, 'node_modules', peer, 'package.json')))
  );
}

export function versionOf({ name, packages: [first = ''] }: BenchReader): string {
  const folder = name === OURS ? PACKAGE : path.join(PEERS, 'node_modules', first);
  return (JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as { version: string }).version;
}

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

async function ours(options: Ours.ExtractOptions): Promise<Read> {
  const built = pathToFileURL(path.join(PACKAGE, 'dist/index.js')).href;
  const { extract } = (await import(built)) as typeof Ours;
  return async (bytes) => {
    const { text, pages } = await extract(bytes, options);
    return { text, pages: pages.length };
  };
}

interface PdfJs {
  readonly getDocument: (options: object) => {
    readonly promise: Promise<{
      readonly numPages: number;
      readonly getPage: (number: number) => Promise<{
        readonly getTextContent: () => Promise<{ items: { str?: string; hasEOL?: boolean }[] }>;
        readonly cleanup: () => void;
      }>;
    }>;
    readonly destroy: () => Promise<void>;
  };
}

async function pdfJs(): Promise<Read> {
  const entry = require.resolve('pdfjs-dist/legacy/build/pdf.mjs');
  const root = `${path.resolve(entry, '../../..')}/`;
  const { getDocument } = (await import(pathToFileURL(entry).href)) as PdfJs;
  return async (bytes) => {
    const options = {
      data: Uint8Array.from(bytes),
      verbosity: 0,
      cMapUrl: `${root}cmaps/`,
      cMapPacked: true,
      standardFontDataUrl: `${root}standard_fonts/`,
      wasmUrl: `${root}wasm/`,
    };
    const task = getDocument(options);
    try {
      const document = await task.promise;
      const pages: string[] = [];
      for (let number = 1; number <= document.numPages; number++) {
        const page = await document.getPage(number);
        const { items } = await page.getTextContent();
        pages.push(items.map(({ str = '', hasEOL }) => str + (hasEOL === true ? '\n' : '')).join(''));
        page.cleanup();
      }
      return pages.join('\n\n');
    } finally {
      await task.destroy();
    }
  };
}

interface PdfParse {
  readonly PDFParse: new (options: object) => {
    readonly getText: (options: object) => Promise<{ text: string }>;
    readonly destroy: () => Promise<void>;
  };
}

async function pdfParse(): Promise<Read> {
  const { PDFParse } = await importPeer<PdfParse>('pdf-parse');
  return async (bytes) => {
    const parser = new PDFParse({ data: Uint8Array.from(bytes), verbosity: 0 });
    try {
      return (await parser.getText({ pageJoiner: '' })).text;
    } finally {
      await parser.destroy();
    }
  };
}

interface OfficeParserPackage {
  readonly OfficeParser: {
    readonly parseOffice: (
      bytes: Buffer,
      options: object,
    ) => Promise<{ to: (format: 'md') => Promise<{ value: string }> }>;
  };
}

async function officeParser(fileType: BenchKind): Promise<Read> {
  const { OfficeParser } = await importPeer<OfficeParserPackage>('officeparser');
  return async (bytes) => {
    const tree = await OfficeParser.parseOffice(Buffer.from(bytes), {
      fileType,
      extractAttachments: false,
      ocr: false,
    });
    return (await tree.to('md')).value;
  };
}

interface LiteParsePackage {
  readonly LiteParse: new (options: object) => {
    readonly parse: (bytes: Buffer) => Promise<{ text: string }>;
  };
}

async function liteParse(): Promise<Read> {
  const { LiteParse } = await importPeer<LiteParsePackage>('@llamaindex/liteparse');
  const parser = new LiteParse({
    outputFormat: 'markdown',
    ocrEnabled: false,
    imageMode: 'off',
    extractLinks: false,
    keepHeadersFooters: true,
    quiet: true,
  });
  return async (bytes) => (await parser.parse(Buffer.from(bytes))).text;
}

interface PdfInspector {
  readonly processPdf: (bytes: Buffer) => { markdown?: string };
}

async function pdfInspector(): Promise<Read> {
  const { processPdf } = await importPeer<PdfInspector>('@firecrawl/pdf-inspector');
  return (bytes) => Promise.resolve(processPdf(Buffer.from(bytes)).markdown ?? '');
}

interface Turndown {
  readonly use: (plugin: unknown) => void;
  readonly remove: (names: readonly string[]) => void;
  readonly turndown: (html: string) => string;
}

async function turndownGfm(): Promise<Turndown> {
  const { default: Service } = await importPeer<{ default: new (options: object) => Turndown }>('turndown');
  const { gfm } = await importPeer<{ gfm: unknown }>('@joplin/turndown-plugin-gfm');
  const service = new Service({ headingStyle: 'atx', codeBlockStyle: 'fenced' });
  service.use(gfm);
  service.remove(['script', 'style', 'noscript', 'title']);
  return service;
}

interface Mammoth {
  readonly default: {
    readonly convertToHtml: (input: object, options: object) => Promise<{ value: string }>;
    readonly images: { readonly imgElement: (image: () => Promise<{ src: string }>) => unknown };
  };
}

async function mammoth(): Promise<Read> {
  const { default: library } = await importPeer<Mammoth>('mammoth');
  const service = await turndownGfm();
  const convertImage = library.images.imgElement(() => Promise.resolve({ src: '' }));
  return async (bytes) => {
    const { value } = await library.convertToHtml({ buffer: Buffer.from(bytes) }, { convertImage });
    return service.turndown(value);
  };
}

interface AnyDoc {
  readonly toMarkdownBytes: (bytes: Uint8Array, format: string) => Promise<string>;
}

async function anyDoc(format: BenchKind): Promise<Read> {
  const { toMarkdownBytes } = await importPeer<AnyDoc>('@firecrawl/anydoc');
  return (bytes) => toMarkdownBytes(bytes, format);
}

/** A document of linkedom, as far as the bench uses it. */
export interface PageElement {
  readonly textContent: string;
  readonly parentElement: PageElement | null;
  readonly getAttribute: (name: string) => string | null;
  readonly querySelectorAll: (selector: string) => Iterable<PageElement>;
  readonly closest: (selector: string) => PageElement | null;
}

export interface LinkeDom {
  readonly parseHTML: (html: string) => { readonly document: PageElement };
}

interface ReadabilityPackage {
  readonly Readability: new (page: PageElement) => { parse: () => { content: string } | null };
}

async function readability(): Promise<Read> {
  const { parseHTML } = await importPeer<LinkeDom>('linkedom');
  const { Readability } = await importPeer<ReadabilityPackage>('@mozilla/readability');
  return (bytes) =>
    Promise.resolve(new Readability(parseHTML(decode(bytes)).document).parse()?.content ?? '');
}

type Unfluff = (html: string) => { readonly text: string };

async function unfluff(): Promise<Read> {
  const { default: read } = await importPeer<{ default: Unfluff }>('unfluff');
  return (bytes) => Promise.resolve(read(decode(bytes)).text);
}

function eachOf(kinds: readonly BenchKind[], load: (kind: BenchKind) => Promise<Read>): BenchReader['kinds'] {
  return Object.fromEntries(kinds.map((kind) => [kind, () => load(kind)]));
}

/** Ours first. */
export const READERS: readonly BenchReader[] = [
  {
    name: OURS,
    packages: [],
    kinds: {
      pdf: () => ours({ furniture: 'keep' }),
      'pdf-default': () => ours({}),
      docx: () => ours({ furniture: 'keep' }),
      html: () => ours({ furniture: 'keep' }),
      eml: () => ours({ filename: 'a.eml' }),
      msg: () => ours({}),
      epub: () => ours({ furniture: 'keep' }),
      ipynb: () => ours({ filename: 'a.ipynb' }),
      rtf: () => ours({ filename: 'a.rtf' }),
      odt: () => ours({ filename: 'a.odt' }),
      odp: () => ours({ furniture: 'keep' }),
      ods: () => ours({}),
      pptx: () => ours({ furniture: 'keep' }),
      xlsx: () => ours({}),
      csv: () => ours({ filename: 'a.csv' }),
    },
    main: () => ours({ content: 'main' }),
  },
  { name: '@llamaindex/liteparse', packages: ['@llamaindex/liteparse'], kinds: { pdf: liteParse } },
  { name: '@firecrawl/pdf-inspector', packages: ['@firecrawl/pdf-inspector'], kinds: { pdf: pdfInspector } },
  { name: 'pdfjs-dist', packages: ['pdfjs-dist'], kinds: { pdf: pdfJs } },
  { name: 'pdf-parse', packages: ['pdf-parse'], kinds: { pdf: pdfParse } },
  {
    name: '@firecrawl/anydoc',
    packages: ['@firecrawl/anydoc'],
    kinds: eachOf(['docx', 'epub', 'rtf', 'odt', 'odp', 'ods', 'pptx', 'xlsx', 'csv'], anyDoc),
  },
  {
    name: 'mammoth + turndown',
    packages: ['mammoth', 'turndown', '@joplin/turndown-plugin-gfm'],
    kinds: { docx: mammoth },
  },
  {
    name: 'turndown + gfm',
    packages: ['turndown', '@joplin/turndown-plugin-gfm'],
    kinds: {
      html: async () => {
        const service = await turndownGfm();
        return (bytes) => Promise.resolve(service.turndown(decode(bytes)));
      },
    },
  },
  {
    name: 'officeparser',
    packages: ['officeparser'],
    kinds: eachOf(
      ['pdf', 'docx', 'html', 'epub', 'rtf', 'odt', 'odp', 'ods', 'pptx', 'xlsx', 'csv'],
      officeParser,
    ),
  },
  {
    name: '@mozilla/readability',
    packages: ['@mozilla/readability', 'linkedom'],
    kinds: {},
    main: readability,
    givesHtml: true,
  },
  { name: 'unfluff', packages: ['unfluff'], kinds: {}, main: unfluff },
];

export function readerNamed(name: string): BenchReader {
  const reader = READERS.find((candidate) => candidate.name === name);
  if (reader === undefined) throw new Error(`No reader is called ${name}.`);
  return reader;
}
