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
import {
  chunkSource,
  type ChunkSourceOptions,
  loadCounter,
  type PipelinePorts,
  recordsFor,
} from '@grainline/pipeline';
import type { Io } from '../io.ts';
import { documentIdOf, type Input } from '../inputs/inputs.ts';
import type { MeteredModel } from './language-model.ts';
import type { ChunkFn, LayoutInput, Layout } from '../output/layout.ts';
import { countsOf, LAYOUTS, warningsOf } from '../output/layouts.ts';
import { namedEmbedder } from './embedder.ts';
import type { ChunkRequest, LocalChunking, EmbedderName } from '../args/request.ts';
import type { RunLog } from '../output/terminal.ts';

/** Dependencies of local chunking. */
export interface ChunkDeps {
  readonly io: Io;
  readonly report: RunLog;
  /** The language model of the tier; undefined for other tiers. */
  readonly model: MeteredModel | undefined;
}

/** The tier of a dry run in place of a tier with a language model. */
const DRY_TIER = 'structure' as const;

/** The local chunker. Counter and embedder load at their first use, once for all files. */
export function chunkHere(
  request: ChunkRequest,
  chunking: LocalChunking,
  { io, report, model }: ChunkDeps,
): ChunkFn {
  const { tier } = chunking.options;
  const layout: Layout = LAYOUTS[request.layout];
  const hasReasons = layout.hasReasons === true && TIERS[tier].options.includes('boundaries');
  const own: ChunkSourceOptions = {
    ...chunking.options,
    encoding: chunking.encoding,
    boundaries: hasReasons ? true : undefined,
  };
  // A dry run requests no model. It counts the chunks of a tier without vectors.
  const cutBy =
    model?.isDry === true ? { ...own, tier: DRY_TIER, embeddings: undefined, blend: undefined } : own;
  const ports: PipelinePorts = {
    loadEmbedder: loaderOf(chunking.embedder, io, report),
    complete: model?.complete,
  };
  return async (bytes, inputHash, input) => {
    const modelWarnings: Warning[] = [];
    const source = { bytes, filename: input.filename, contentType: request.contentType };
    // The model's account includes the usage of documents that fail later.
    const chunked = await chunkSource(
      source,
      {
        ...cutBy,
        signal: io.signal,
        onDecisions: (decisions) => void modelWarnings.push(...(model?.noted(decisions) ?? [])),
        onEnriched: (enriched) => void modelWarnings.push(...(model?.described(enriched) ?? [])),
        onProgress: (progress) => showProgress(report, progress, input),
      },
      ports,
    );
    if (model?.isDry === true) model.foreseen(await planSource(chunked.document, own));
    const documentId = documentIdOf(input, inputHash, request.documentId);
    const finished: LayoutInput = {
      shown: input.shown,
      sizeBytes: bytes.length,
      document: chunked.document,
      chunks: chunked.chunks,
      modelWarnings,
      cohesion: chunked.report.cohesion,
      tier,
      documentId,
      recordsNameDocument: request.format !== WITHOUT_DOCUMENT,
      formatted: layout.hasRecords
        ? recordsFor(chunked, request.format, { documentId, tier, ...request.names })
        : NO_RECORDS,
    };
    return {
      render: (screen) => layout.render(finished, screen),
      warnings: warningsOf(finished),
      counts: countsOf(finished),
    };
  };
}

/** The planned requests to the language model. */
async function planSource(
  document: Document,
  { encoding, ...options }: ChunkSourceOptions,
): Promise<CompletionPlan> {
  const measure = encoding === undefined ? undefined : await loadCounter(encoding);
  return planCompletions(document, { ...options, measure });
}

/** Loads the named embedder once for all documents; undefined without a name. */
function loaderOf(name: EmbedderName | undefined, io: Io, report: RunLog): PipelinePorts['loadEmbedder'] {
  if (name === undefined) return undefined;
  let embedder: Promise<Embed> | undefined;
  return () => (embedder ??= namedWithReport(name, io, report));
}

/** The named embedder; its first answer is reported with model and dimensions. */
async function namedWithReport(name: EmbedderName, io: Io, report: RunLog): Promise<Embed> {
  const embed = await namedEmbedder(name, io, (file, loaded, total) =>
    report.progress(loaded, total, `bytes of ${file}`),
  );
  let isReported = false;
  return async (texts, run) => {
    const answer = await embed(texts, run);
    if (!isReported) report.note(`embedding with ${answer.model}, ${answer.dimensions} dimensions`);
    isReported = true;
    return answer;
  };
}

/** Units of the stages with progress. Other stages take no noticeable time. */
const STAGES: Readonly<Partial<Record<Progress['stage'], string>>> = {
  embed: 'pieces embedded',
  complete: 'parts answered',
  outline: 'outlines made',
  enrich: 'sections described',
};

function showProgress(report: RunLog, { stage, done, total }: Progress, { shown }: Input): void {
  const counted = STAGES[stage];
  if (counted !== undefined) report.progress(done, total, `${counted} of ${shown}`);
}

/** The only format whose records do not name their document. */
const WITHOUT_DOCUMENT: FormatId = 'raw';
const NO_RECORDS: LayoutInput['formatted'] = { records: [], extras: {}, warnings: [] };
