// Local chunking: the bytes of one input → document → chunks → records, with the run's embedder and language model.
import {
  type CompletionPlan,
  type Document,
  type Embed,
  planCompletions,
  type Progress,
  TIERS,
  type Warning,
} from '@grainline/core';
import type { FormatId } from '@grainline/core/formats';
import type { Ocr } from '@grainline/extract';
import {
  chunkSource,
  type ChunkSourceOptions,
  loadCounter,
  type PipelinePorts,
  recordsFor,
} from '@grainline/pipeline';
import type { Io } from '../io.ts';
import type { InputFacts } from '../inputs/input.ts';
import { documentIdOf } from '../inputs/inputs.ts';
import type { MeteredModel } from './language-model.ts';
import type { ChunkFn, DrawnPages, LayoutInput, Layout } from '../output/layout.ts';
import { countsOf, LAYOUTS, warningsOf } from '../output/layouts.ts';
import type { DocumentReader } from './document-reader.ts';
import { namedEmbedder } from './embedder.ts';
import type { ChunkFilesRequest, LocalChunking, EmbedderName } from '../args/request.ts';
import type { RunLog } from '../output/terminal.ts';

/** The part of a run's messages that chunking uses. */
export type StageLog = Pick<RunLog, 'note' | 'status' | 'step'>;

/** Dependencies of local chunking. */
export interface ChunkDeps {
  readonly io: Pick<Io, 'cwd' | 'environment' | 'signal'>;
  readonly report: StageLog;
  /** The language model of the tier; undefined for other tiers. */
  readonly model: MeteredModel | undefined;
  readonly reader: DocumentReader;
  /** Reads scanned pages and pictures; absent without `--ocr`. */
  readonly ocr?: Ocr | undefined;
}

/** The tier of a dry run in place of a tier with a language model. */
const DRY_TIER = 'structure' as const;

/** The local chunker. Counter and embedder load at their first use, once for all files. */
export function chunkHere(
  request: ChunkFilesRequest,
  chunking: LocalChunking,
  { io, report, model, reader, ocr }: ChunkDeps,
): ChunkFn {
  const { tier } = chunking.options;
  const layout: Layout = LAYOUTS[request.layout];
  const hasReasons = layout.hasReasons === true && TIERS[tier].options.includes('boundaries');
  const own: ChunkSourceOptions = {
    ...chunking.options,
    ...chunking.reading,
    password: request.password,
    encoding: chunking.encoding,
    boundaries: hasReasons ? true : undefined,
    ...(layout.showsPages === true && { regions: true }),
    ocr,
  };
  // A dry run requests no model. It counts the chunks of a tier without vectors.
  const cutBy =
    model?.isDry === true ? { ...own, tier: DRY_TIER, embeddings: undefined, blend: undefined } : own;
  const ports: PipelinePorts = {
    loadEmbedder: loaderOf(chunking.embedder, io, report),
    complete: model?.complete,
    readBytes: reader.read,
  };
  const draw: DrawFn = (bytes, document, input) => {
    const onPage = (progress: Pick<Progress, 'done' | 'total'>): void =>
      showProgress(report, { stage: 'draw', ...progress }, input);
    return reader.draw(bytes, document, { password: request.password, signal: io.signal, onPage });
  };
  return async ({ bytes, hash, contentType }, input) => {
    const modelWarnings: Warning[] = [];
    const source = {
      bytes,
      filename: input.filename,
      contentType: request.contentType ?? contentType,
      url: input.url,
    };
    // The model's account includes the usage of documents that fail later.
    const chunked = await chunkSource(
      source,
      {
        ...cutBy,
        signal: io.signal,
        onDecisions: (decisions) => void modelWarnings.push(...(model?.noted(decisions) ?? [])),
        onEnriched: (enriched) => void modelWarnings.push(...(model?.described(enriched) ?? [])),
        onProgress: (progress) => showProgress(report, progress, input),
        onPage: (progress) =>
          showProgress(report, { stage: ocr === undefined ? 'page' : 'text', ...progress }, input),
        onOcrPage: (progress) => showProgress(report, { stage: 'ocr', ...progress }, input),
      },
      ports,
    );
    if (model?.isDry === true) model.foreseen(await planSource(chunked.document, chunking));
    const drawn = layout.showsPages === true ? await draw(bytes, chunked.document, input) : undefined;
    const documentId = documentIdOf(input, hash, request.documentId);
    const finished: LayoutInput = {
      shown: input.shown,
      sizeBytes: bytes.length,
      document: chunked.document,
      chunks: chunked.chunks,
      modelWarnings,
      cohesion: chunked.report.cohesion,
      tier,
      drawn,
      documentId,
      recordsNameDocument: request.format !== WITHOUT_DOCUMENT,
      formatted: layout.hasRecords
        ? recordsFor(chunked, request.format, { documentId, sourceUrl: input.url, tier, ...request.names })
        : NO_RECORDS,
    };
    return {
      render: (screen) => layout.render(finished, screen),
      warnings: warningsOf(finished),
      counts: countsOf(finished),
    };
  };
}

type DrawFn = (bytes: Uint8Array, document: Document, input: InputFacts) => Promise<DrawnPages | undefined>;

/** The planned requests to the language model. */
async function planSource(
  document: Document,
  { options, encoding }: Pick<LocalChunking, 'options' | 'encoding'>,
): Promise<CompletionPlan> {
  const measure = encoding === undefined ? undefined : await loadCounter(encoding);
  return planCompletions(document, { ...options, measure });
}

/** Loads the named embedder once for all documents; undefined without a name. */
function loaderOf(
  name: EmbedderName | undefined,
  io: ChunkDeps['io'],
  report: StageLog,
): PipelinePorts['loadEmbedder'] {
  if (name === undefined) return undefined;
  let embedder: Promise<Embed> | undefined;
  return () => (embedder ??= namedWithReport(name, io, report));
}

/** The named embedder; its first answer is reported with model and dimensions. */
async function namedWithReport(name: EmbedderName, io: ChunkDeps['io'], report: StageLog): Promise<Embed> {
  const embed = await namedEmbedder(name, io, report);
  let isReported = false;
  return async (texts, run) => {
    const answer = await embed(texts, run);
    if (!isReported) report.note(`embedding with ${answer.model}, ${answer.dimensions} dimensions`);
    isReported = true;
    return answer;
  };
}

/** Units of the stages with progress, each with its part of the work. Other stages take no noticeable time. */
const STAGES = {
  page: { unit: 'page', from: 0, to: 0.7 },
  // A page takes OCR seconds, and its text layer milliseconds.
  text: { unit: 'page', from: 0, to: 0.05 },
  ocr: { unit: 'scanned page', from: 0.05, to: 0.7 },
  draw: { unit: 'picture', from: 0.7, to: 1 },
  embed: { unit: 'piece', from: 0.7, to: 1 },
  complete: { unit: 'part', from: 0.1, to: 0.5 },
  outline: { unit: 'outline', from: 0.5, to: 0.55 },
  enrich: { unit: 'section', from: 0.55, to: 1 },
} as const;

type Stage = Pick<Progress, 'done' | 'total'> & {
  readonly stage: Progress['stage'] | 'page' | 'text' | 'ocr' | 'draw';
};

function showProgress(report: StageLog, { stage, done, total }: Stage, { shown }: InputFacts): void {
  if (!(stage in STAGES)) return;
  const { unit, from, to } = STAGES[stage as keyof typeof STAGES];
  report.step(shown, from + ((to - from) * done) / Math.max(1, total), `${unit} ${done} of ${total}`);
}

/** The only format whose records do not name their document. */
const WITHOUT_DOCUMENT: FormatId = 'raw';
const NO_RECORDS: LayoutInput['formatted'] = { records: [], extras: {}, warnings: [] };
