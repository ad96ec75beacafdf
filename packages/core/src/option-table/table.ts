// The table of all options of chunking: the values that each accepts, and its name in the library, on the wire of the
// service, on the command line and in the tools for agents. Data only; the library checks the same bounds itself, and a
// test compares the two.
import type { TextKind } from '../blocks/index.ts';
import type { FormatId } from '../formats/index.ts';
import { DEFAULT_SIZE } from '../limits.ts';
import { type ContextMode, DEFAULT_TIER, type TierId, type TopicMode } from '../tiers/registry.ts';

/**
 * Interfaces at which options have names of their own. `library` is `chunk` of `@grainline/core`, `extract` is the
 * reading of documents by `@grainline/extract`.
 */
export type OptionSurface = 'library' | 'extract' | 'wire' | 'cli' | 'mcp';

/** The unit of sizes. */
export type Unit = 'characters' | 'tokens';

/** One option. Members that are absent make no restriction. */
export interface OptionEntry {
  /** A noun phrase without a full stop; for options of the library alone in Markdown. */
  readonly meaning: string;
  /** A clause that help texts leave out. */
  readonly note?: string;
  /** Absent for a function or an object, which only programs can give. */
  readonly type?: 'integer' | 'number' | 'flag' | 'choice' | 'text';
  /** Of an integer or a number: the least value. */
  readonly min?: number;
  /** Of an integer or a number: the greatest value, or the option whose value it must not exceed. */
  readonly max?: number | string;
  /** Of an integer: the option whose value it must stay below. */
  readonly below?: string;
  /** Of an integer: true when it counts UTF-16 units or tokens, as the option `unit` says. */
  readonly inUnit?: true;
  /** Of a text: the greatest length in UTF-16 units. */
  readonly maxLength?: number;
  /** Of a text: the pattern of all of it, and the same in words that continue "must be". */
  readonly pattern?: readonly [source: string, expected: string];
  /** True for a text that no log, error, store, payment or address may hold. */
  readonly secret?: true;
  /** Of a choice: the words. */
  readonly choices?: readonly string[];
  /** Of a choice: meanings of words that do not say it. */
  readonly about?: Readonly<Record<string, string>>;
  /** Further words that the wire takes, each with the choice that it stands for. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** The value when none is given, which may depend on the unit; where it is no fixed value, how it is found. */
  readonly default?: string | number | false | Readonly<Record<Unit, number>>;
  /** The option without which this one is refused, and the value that it must have. */
  readonly needs?: readonly [key: string, value: string];
  /** Tiers that take the option, when not all do. */
  readonly tiers?: readonly TierId[];
  /** The option's name on each surface that has it. */
  readonly names: Readonly<Partial<Record<OptionSurface, string>>>;
  /** Placeholder of the value in the help of the command line; a flag has none. */
  readonly placeholder?: string;
  /** Letter of the command line. */
  readonly short?: string;
  /**
   * The control of the page: a slider for an integer, a list for a choice, a field for a text. Only for an option with
   * a fixed default, or of reading.
   */
  readonly control?: OptionControl;
}

/** A control of the page. */
export interface OptionControl {
  /** Label, in which `{value}` and `{unit}` stand for what is chosen. */
  readonly label: string;
  /** Of a slider: the step, and the useful range where it is less than the option's own, by unit. */
  readonly range?: Readonly<Record<Unit, Partial<Record<'min' | 'max' | 'step', number>>>>;
  /** Of a slider: the greatest value as a share of the option that bounds it. Default 1. */
  readonly share?: number;
  /** Of a list: texts of words that differ from them. */
  readonly texts?: Readonly<Record<string, string>>;
  /**
   * Of an option of reading: the kinds of documents that it changes, by their names at the service. Mail passes it on
   * to its attachments.
   */
  readonly kinds?: readonly string[];
}

/** Options by their key in the library. */
export type OptionTable = Readonly<Record<string, OptionEntry>>;

/** A page or a range of pages, which may be open at its end. */
const RANGE = '[1-9][0-9]{0,5}(?:-(?:[1-9][0-9]{0,5})?)?';

/** Longest name that goes into records. */
const MAX_NAME = 512;

const MODEL_TIERS: readonly TierId[] = ['ai', 'ai-pro'];
const EMBEDDING: readonly TierId[] = ['semantic', ...MODEL_TIERS];
const BLOCKS: readonly TierId[] = ['structure', 'professional', ...EMBEDDING];
const PACKING: readonly TierId[] = ['standard', ...BLOCKS];

/** All options, in the order of help texts and documentation. */
export const OPTIONS = {
  tier: {
    meaning: 'how to cut',
    type: 'choice',
    choices: [
      'free',
      'standard',
      'structure',
      'professional',
      'semantic',
      'ai',
      'ai-pro',
    ] satisfies readonly TierId[],
    default: DEFAULT_TIER,
    names: { library: 'tier', wire: 'tier', cli: 'tier', mcp: 'tier' },
    placeholder: 'TIER',
  },
  size: {
    meaning: 'longest chunk',
    note: 'overlap and context included',
    type: 'integer',
    min: 1,
    inUnit: true,
    default: DEFAULT_SIZE,
    names: { library: 'size', wire: 'chunk_size', cli: 'size', mcp: 'size' },
    placeholder: 'N',
    control: {
      label: 'At most {value} {unit}',
      range: { characters: { min: 100, max: 4000, step: 50 }, tokens: { min: 32, max: 1024, step: 8 } },
    },
  },
  overlap: {
    meaning: 'most that is repeated of the chunk before',
    type: 'integer',
    min: 0,
    below: 'size',
    inUnit: true,
    default: 0,
    names: { library: 'overlap', wire: 'chunk_overlap', cli: 'overlap', mcp: 'overlap' },
    placeholder: 'N',
    control: {
      label: 'Overlap {value} {unit}',
      range: { characters: { step: 10 }, tokens: { step: 4 } },
      share: 1 / 2,
    },
  },
  measure: {
    meaning:
      'a token counter, or in `grainline` the name of an encoding or a model; all sizes are then tokens',
    default: 'none: sizes are UTF-16 code units',
    names: { library: 'measure' },
  },
  unit: {
    meaning: 'unit of sizes',
    type: 'choice',
    choices: ['characters', 'tokens'] satisfies readonly Unit[],
    about: { characters: 'UTF-16 code units' },
    default: 'characters',
    names: { wire: 'unit', cli: 'unit', mcp: 'unit' },
    placeholder: 'UNIT',
    control: { label: 'Count in', texts: { tokens: 'tokens (o200k)' } },
  },
  encoding: {
    meaning: 'whose tokens',
    type: 'choice',
    choices: ['o200k', 'cl100k'],
    about: { o200k: 'GPT-4o and later', cl100k: 'GPT-4, text-embedding-3' },
    aliases: { o200k_base: 'o200k', cl100k_base: 'cl100k' },
    default: 'o200k',
    needs: ['unit', 'tokens'],
    names: { wire: 'encoding', cli: 'encoding', mcp: 'encoding' },
    placeholder: 'NAME',
  },
  target: {
    meaning: 'length that chunks are drawn to',
    type: 'integer',
    min: 1,
    max: 'size',
    inUnit: true,
    default: '0.55 × size',
    tiers: PACKING,
    names: { library: 'target', wire: 'chunk_target', cli: 'target', mcp: 'target' },
    placeholder: 'N',
  },
  min: {
    meaning: 'shorter chunks are avoided',
    note: 'a value above the default target raises the target',
    type: 'integer',
    min: 0,
    max: 'target',
    inUnit: true,
    default: 'about 25 tokens',
    tiers: PACKING,
    names: { library: 'min', wire: 'chunk_min', cli: 'min', mcp: 'min' },
    placeholder: 'N',
  },
  separators: {
    meaning: 'where to cut, best first',
    default: 'paragraph, line, blank, character',
    tiers: ['free'],
    names: { library: 'separators' },
  },
  context: {
    meaning: 'injected context',
    type: 'choice',
    choices: ['corpus', 'in-document'] satisfies readonly ContextMode[],
    about: { corpus: 'for search across documents', 'in-document': 'without title and headings' },
    default: 'corpus',
    tiers: ['professional'],
    names: { library: 'context', wire: 'context', cli: 'context', mcp: 'context' },
    placeholder: 'NAME',
  },
  topics: {
    meaning: 'changes of topic at which it cuts',
    type: 'choice',
    choices: ['any', 'certain'] satisfies readonly TopicMode[],
    about: { any: 'near the target length, for search', certain: 'few, with size as the maximum' },
    default: 'any',
    tiers: ['semantic'],
    names: { library: 'topics', wire: 'topics', cli: 'topics', mcp: 'topics' },
    placeholder: 'NAME',
  },
  boundaries: {
    meaning: '`metadata.boundary` says why each chunk begins where it does',
    type: 'flag',
    default: false,
    tiers: PACKING,
    names: { library: 'boundaries' },
  },
  parents: {
    meaning: 'each chunk with the section that holds it and the one above',
    type: 'flag',
    default: false,
    tiers: BLOCKS,
    names: { library: 'parents', wire: 'parents', cli: 'parents' },
  },
  regions: {
    meaning: 'the places of the chunks: boxes on the pages of a PDF, anchors in DOCX and HTML',
    type: 'flag',
    default: false,
    names: { library: 'regions', extract: 'regions', wire: 'regions', cli: 'regions', mcp: 'regions' },
  },
  embed: {
    meaning:
      '[an embedder](tiers.md#semantic) of any library; semantic needs one, ai and ai-pro with `embeddings`',
    tiers: EMBEDDING,
    names: { library: 'embed' },
  },
  embedBatch: {
    meaning: 'number of texts that the embedder gets at once',
    type: 'integer',
    min: 1,
    default: 64,
    tiers: EMBEDDING,
    names: { library: 'embedBatch' },
  },
  embeddings: {
    meaning: 'a vector for every chunk',
    type: 'flag',
    default: false,
    tiers: EMBEDDING,
    names: { library: 'embeddings', wire: 'embeddings', cli: 'embeddings' },
  },
  blend: {
    meaning: "weight of the neighbours' vectors in each vector",
    note: 'with `embeddings` only',
    type: 'number',
    min: 0,
    max: 1,
    default: '0.4, with ai-pro 0',
    tiers: EMBEDDING,
    names: { library: 'blend', wire: 'blend', cli: 'blend' },
    placeholder: 'W',
  },
  complete: {
    meaning: '[a language model](tiers.md#ai), which both tiers need',
    tiers: MODEL_TIERS,
    names: { library: 'complete' },
  },
  completeAtOnce: {
    meaning: 'questions to the model at the same time',
    type: 'integer',
    min: 1,
    default: 4,
    tiers: MODEL_TIERS,
    names: { library: 'completeAtOnce' },
  },
  onDecisions: {
    meaning: 'called once with where the model cuts, for `recut` and for your records',
    tiers: MODEL_TIERS,
    names: { library: 'onDecisions' },
  },
  onEnriched: {
    meaning: 'called once with how describing the chunks went: chunks by status, model, tokens',
    tiers: ['ai-pro'],
    names: { library: 'onEnriched' },
  },
  grammars: {
    meaning: 'the result of [loadGrammars](tiers.md#code), for code cut along its syntax',
    default: 'none: by its lines',
    tiers: BLOCKS,
    names: { library: 'grammars' },
  },
  kind: {
    meaning: 'text kind',
    note: 'by the file name, else by how the text begins',
    type: 'choice',
    choices: ['markdown', 'text', 'code', 'csv'] satisfies readonly TextKind[],
    about: { csv: 'the first line names the columns' },
    default: 'guessed',
    names: { library: 'kind', cli: 'kind', mcp: 'kind' },
    placeholder: 'KIND',
  },
  language: {
    meaning: 'language of source code, as ts or python',
    note: 'text that has one is read as code; a document goes by its filename',
    type: 'text',
    maxLength: 40,
    names: { library: 'language', mcp: 'language' },
  },
  charset: {
    meaning: 'encoding of text that is not UTF-8, as windows-1252',
    type: 'text',
    maxLength: 40,
    names: { cli: 'charset', mcp: 'charset' },
    placeholder: 'NAME',
  },
  pages: {
    meaning: 'pages to read, as 3-7 or 1,4-6 or 9-',
    note: 'of a PDF, or of a text with form feeds; pages keep their numbers, and only those read are counted',
    type: 'text',
    maxLength: 200,
    pattern: [`^${RANGE}(?:, ?${RANGE})*$`, 'page numbers and ranges from 1, as 3-7 or 1,4-6 or 9-'],
    default: 'all',
    names: { extract: 'pages', wire: 'pages', cli: 'pages', mcp: 'pages' },
    placeholder: 'PAGES',
    control: { label: 'Pages', kinds: ['pdf', 'pptx', 'odp'] },
  },
  password: {
    meaning: 'password that opens an encrypted PDF',
    note: 'other documents ignore it; it is neither stored nor logged, and a payment does not depend on it',
    type: 'text',
    maxLength: 256,
    secret: true,
    names: { extract: 'password', wire: 'password', mcp: 'password' },
  },
  furniture: {
    meaning: 'running heads, page numbers, line numbers and stamps of a PDF',
    type: 'choice',
    choices: ['drop', 'keep'],
    about: { drop: 'out of the text', keep: 'in the text' },
    default: 'drop',
    names: { extract: 'furniture', wire: 'furniture', cli: 'furniture', mcp: 'furniture' },
    placeholder: 'NAME',
    control: {
      label: 'Headers, menus',
      texts: { drop: 'left out', keep: 'in the text' },
      kinds: ['pdf', 'html', 'pptx', 'odp', 'epub', 'eml', 'msg'],
    },
  },
  lines: {
    meaning: 'line breaks in the paragraphs of a PDF',
    type: 'choice',
    choices: ['join', 'keep'],
    about: { join: 'one line of text', keep: 'as on the page' },
    default: 'join',
    names: { extract: 'lines', wire: 'lines', cli: 'lines', mcp: 'lines' },
    placeholder: 'NAME',
    control: {
      label: 'Line breaks',
      texts: { join: 'joined', keep: 'as on the page' },
      kinds: ['pdf', 'eml', 'msg'],
    },
  },
  content: {
    meaning: 'part of a web page that is read',
    type: 'choice',
    choices: ['all', 'main'],
    about: { main: 'the article without what stands around it' },
    default: 'all',
    names: { extract: 'content', wire: 'content', cli: 'content', mcp: 'content' },
    placeholder: 'PART',
    control: {
      label: 'Part of the page',
      texts: { all: 'all', main: 'main content' },
      kinds: ['html', 'eml', 'msg'],
    },
  },
  links: {
    meaning: 'place of link targets',
    type: 'choice',
    choices: ['data', 'markdown'],
    about: { data: 'in the metadata', markdown: 'in the text' },
    default: 'data',
    names: { extract: 'links', wire: 'links', cli: 'links', mcp: 'links' },
    placeholder: 'PLACE',
    control: {
      label: 'Link targets',
      texts: { data: 'in the metadata', markdown: 'in the text' },
      kinds: ['html', 'docx', 'pptx', 'odp', 'odt', 'xlsx', 'ods', 'rtf', 'epub', 'eml', 'msg'],
    },
  },
  ocrPages: {
    meaning: 'pages of a PDF that OCR reads',
    type: 'choice',
    choices: ['missing', 'all'],
    about: { missing: 'those without readable text' },
    default: 'missing',
    names: { extract: 'ocrPages' },
  },
  format: {
    meaning: 'shape of the records',
    type: 'choice',
    choices: ['raw', 'pinecone', 'weaviate', 'chroma', 'qdrant'] satisfies readonly FormatId[],
    default: 'raw',
    names: { wire: 'output_format', cli: 'format' },
    placeholder: 'FORMAT',
    short: 'f',
  },
  documentId: {
    meaning: "the document's name in its records",
    note: 'the ids of the chunks are made from it',
    type: 'text',
    maxLength: MAX_NAME,
    default: 'its path',
    names: { wire: 'document_id', cli: 'document-id', mcp: 'document_id' },
    placeholder: 'ID',
  },
  collection: {
    meaning: 'collection in the records (weaviate)',
    type: 'text',
    maxLength: MAX_NAME,
    default: 'Chunk',
    names: { wire: 'collection', cli: 'collection' },
    placeholder: 'NAME',
  },
  textField: {
    meaning: 'key of the text (pinecone, weaviate, qdrant)',
    note: 'default text',
    type: 'text',
    maxLength: MAX_NAME,
    names: { wire: 'text_field', cli: 'text-field' },
    placeholder: 'NAME',
  },
  signal: { meaning: 'ends the work; the promise rejects with its reason', names: { library: 'signal' } },
  onProgress: {
    meaning: 'called with `{ stage, done, total }` as the work goes on',
    names: { library: 'onProgress' },
  },
  onCohesion: {
    meaning:
      'called once with `{ semantic, structure, gain }`, which says [whether embedding was worth it](tiers.md#semantic)',
    tiers: ['semantic'],
    names: { library: 'onCohesion' },
  },
} as const satisfies OptionTable;

type Entries = typeof OPTIONS;

/** Key of an option in {@link OPTIONS}. */
export type OptionName = keyof Entries;

interface ValueTypes {
  readonly integer: number;
  readonly number: number;
  readonly flag: boolean;
  readonly text: string;
}

type ValueOf<Entry> = Entry extends { readonly choices: readonly (infer Word)[] }
  ? Word
  : Entry extends { readonly type: infer Type extends keyof ValueTypes }
    ? ValueTypes[Type]
    : never;

/** Values of the options that can be written down, by the option's key. */
export type OptionValues = {
  readonly [Name in OptionName as Entries[Name] extends { readonly type: string } ? Name : never]?:
    ValueOf<Entries[Name]> | undefined;
};

/** Values of the options of one surface, by the option's name there. */
export type SurfaceValues<Surface extends OptionSurface> = {
  readonly [
    Name in OptionName as Entries[Name]['names'] extends Readonly<Record<Surface, infer Named extends string>>
      ? Named
      : never
  ]?: ValueOf<Entries[Name]> | undefined;
};
