// The tasks of a thread and the messages between the threads: plain data.
import type { Document, DocumentRegions, Embeddings } from '@grainline/core';
import type { OcrImage, OcrRequest, OcrWord, PageProgress } from '@grainline/extract';
import type { DocumentResult, ChunkerOptions, ChunkerSource } from '@grainline/mcp';
import type { BytesSource, ChunkSourceOptions, ReadOptions } from '@grainline/pipeline';
import type { CutRecords, DocumentToCut } from '@grainline/pipeline/load';
import type { ChunkFilesRequest, LocalChunking } from '../../args/request.ts';
import type { InputFacts } from '../../inputs/input.ts';
import type { ChunkedInput, DrawnPages, HashedContent, Screen } from '../../output/layout.ts';
import type { PictureOptions } from '../draw-pages.ts';

/** A file of a run, without models of the network. */
export interface FileTask {
  readonly request: ChunkFilesRequest & { readonly chunking: LocalChunking };
  readonly content: HashedContent;
  readonly input: InputFacts;
  readonly screen: Screen;
}

/** A rendered file. */
export interface FileResult extends Omit<ChunkedInput, 'render'> {
  /** Consecutive texts of the output. */
  readonly pieces: readonly string[];
}

/** A document of a load, and how to read and cut it. */
export interface CutTask {
  readonly document: DocumentToCut;
  /** Plain data. */
  readonly options: ChunkSourceOptions;
}

/** A document to read, and how. */
export interface ReadTask {
  readonly source: BytesSource;
  /** Plain data. */
  readonly options: Omit<ReadOptions, 'signal' | 'ocr' | 'onPage' | 'onOcrPage'>;
  /** True when the other thread reads pictures. */
  readonly hasOcr: boolean;
}

/** A PDF to draw. */
export interface DrawTask {
  readonly bytes: Uint8Array;
  readonly regions: DocumentRegions;
  readonly options: Omit<PictureOptions, 'signal' | 'onPage'>;
}

/** A picture for the other thread to read. */
export interface OcrCall {
  readonly id: number;
  readonly image: OcrImage;
  readonly request: Omit<OcrRequest, 'signal'>;
}

/** The words of a picture, or the error. */
export type OcrAnswer = { readonly ocrOf: number } & (
  | { readonly words: readonly OcrWord[] }
  | { readonly error: { readonly message: string; readonly code: string } }
);

/** A document to chunk for a tool, a file of a run, a document to load, to read or to draw, or texts to embed. */
export type ThreadTask =
  | { readonly chunk: { readonly source: ChunkerSource; readonly options: ChunkerOptions } }
  | { readonly file: FileTask }
  | { readonly cut: CutTask }
  | { readonly read: ReadTask }
  | { readonly draw: DrawTask }
  | { readonly embed: readonly string[] };

/** The result of a task. */
export type ThreadResult =
  DocumentResult | FileResult | CutRecords | Embeddings | Document | DrawnPages | undefined;

/** A message of a thread about its task; a result or an error is the last one. */
export type ThreadMessage =
  /** The code is loaded, and the document is read from now on. */
  | { readonly isReady: true }
  | { readonly progress: readonly [share: number, message: string] }
  | { readonly page: PageProgress; readonly isOcr: boolean }
  | { readonly ocr: OcrCall }
  | { readonly result: ThreadResult }
  | { readonly error: { readonly message: string; readonly code: string } };
