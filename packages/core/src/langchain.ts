// The tiers as a text splitter of LangChain.js: `@grainline/core/langchain`. This entry imports LangChain's own
// packages, which its users have installed.
import { Document } from '@langchain/core/documents';
import { TextSplitter, type TextSplitterChunkHeaderOptions } from '@langchain/textsplitters';
import { checkAdapterOptions } from './adapter-options.ts';
import { type Chunk, chunk, indexedText } from './chunk.ts';
import type { ChunkOptions } from './chunk-options.ts';
import { documentIdIssues, identify } from './formats/identify.ts';
import { enrichmentFieldsOf, fieldsOf } from './formats/source.ts';
import { defaultSize } from './limits.ts';

/** Options of `chunk`, with the limits under LangChain's names. */
export interface GrainlineTextSplitterOptions extends Omit<ChunkOptions, 'size' | 'overlap'> {
  /**
   * The longest a chunk may be: an integer from 1. Default 1000 UTF-16 units, or with `measure` 512 tokens, as `chunk`
   * has it.
   */
  readonly chunkSize?: number;
  /** The most that a chunk repeats of the one before. Default 0, where LangChain has 200. */
  readonly chunkOverlap?: number;
}

/**
 * A LangChain text splitter that splits by any tier. The constructor throws for wrong options; `splitText` and the like
 * reject as `chunk` does. The metadata of the results are those of the document together with those of our records,
 * flat as every store takes them: `chunk_index`, `start_offset`, `end_offset`, `heading_path` and so on, and with the
 * tier `ai-pro` also `title`, `summary` and the like. There is no `loc.lines` of LangChain's. Documents whose metadata
 * name their `source` give chunks with the ids of `identify`.
 *
 * @example
 * const splitter = new GrainlineTextSplitter({ tier: 'structure', chunkSize: 800 });
 * const documents = await splitter.splitDocuments(await loader.load());
 */
export class GrainlineTextSplitter extends TextSplitter {
  private readonly options: ChunkOptions;

  constructor(given: GrainlineTextSplitterOptions = {}) {
    // LangChain's own check comes later and blames the overlap, whatever is wrong.
    checkAdapterOptions(given, { size: 'chunkSize', overlap: 'chunkOverlap' });
    const { chunkSize = defaultSize(given.measure), chunkOverlap = 0, ...options } = given;
    super({ chunkSize, chunkOverlap });
    this.options = { ...options, size: chunkSize, overlap: chunkOverlap };
  }

  static override lc_name(): string {
    return 'GrainlineTextSplitter';
  }

  /** Returns the text to embed for each chunk: the context that its tier injects, then its own text. */
  override async splitText(text: string): Promise<string[]> {
    return (await chunk(text, this.options)).map(indexedText);
  }

  override async createDocuments(
    texts: string[],
    metadatas: Record<string, unknown>[] = [],
    { chunkHeader = '', ...repeated }: TextSplitterChunkHeaderOptions = {},
  ): Promise<Document[]> {
    const { chunkOverlapHeader = "(cont'd) ", appendChunkOverlapHeader = false } = repeated;
    const made: { piece: Chunk; document: Document }[] = [];
    for (const [at, text] of texts.entries()) {
      for (const [index, piece] of (await chunk(text, this.options)).entries()) {
        const header = index > 0 && appendChunkOverlapHeader ? chunkHeader + chunkOverlapHeader : chunkHeader;
        const pageContent = header + indexedText(piece);
        const fields = fieldsOf(piece, index, pageContent.length);
        const metadata = { ...metadatas[at], ...fields, ...enrichmentFieldsOf(piece) };
        made.push({ piece, document: new Document<Record<string, unknown>>({ pageContent, metadata }) });
      }
    }
    // A loader may give a file page by page: equal chunks are counted over all pages of one source.
    for (const [source, group] of Map.groupBy(made, ({ document }): unknown => document.metadata['source'])) {
      if (typeof source !== 'string' || documentIdIssues(source).length > 0) continue;
      const named = identify(
        group.map(({ piece }) => piece),
        { documentId: source },
      );
      for (const [index, { document }] of group.entries()) Object.assign(document, { id: named[index]?.id });
    }
    return made.map(({ document }) => document);
  }
}
