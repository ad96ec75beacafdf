// Cutting in this process: the bytes of one input → document → chunks → records, with what the embedder and the
// language model of the run have to say.
import {
  type Chunk,
  type ChunkOptions,
  type CohesionGain,
  type Document,
  type Embed,
  needsEmbedder,
  planCompletions,
  type Progress,
  TIERS,
  type Warning,
} from '@grainline/core';
import { type FormatId, formatChunks, type RecordOptions, vectorsOf } from '@grainline/core/formats';
import { documentIdOf, type Input } from './inputs.ts';
import type { Asked } from './language.ts';
import type { Cut, Finished, Layout } from './layout.ts';
import { countsOf, LAYOUTS, warningsOf } from './layouts.ts';
import { chunkBytes, type ChunkFileOptions } from './line.ts';
import { type EmbedderName, namedEmbedder, staticEmbedder, tokenCounter } from './models.ts';
import type { ChunkRequest, Cutting } from './request.ts';
import type { Io, Report } from './terminal.ts';

/** What cutting takes from its run. */
export interface CuttingParts {
  readonly io: Io;
  readonly report: Report;
  /** The language model, when the tier asks one. */
  readonly model: Asked | undefined;
}

/** Cuts in a dry run in place of tiers that ask a language model. */
const DRY_TIER = 'structure' as const;

/** Cuts here. Counter and embedder are loaded at their first use, and once for all files. */
export function cutHere(request: ChunkRequest, cutting: Cutting, { io, report, model }: CuttingParts): Cut {
  let embedder: Promise<Embed> | undefined;
  const embed = (name: EmbedderName): Promise<Embed> => (embedder ??= namedWithReport(name, io, report));
  const declared = request.contentType === undefined ? {} : { contentType: request.contentType };
  const layout: Layout = LAYOUTS[request.layout];
  const hasReasons = layout.hasReasons === true && TIERS[cutting.options.tier].options.includes('boundaries');
  const reasons = hasReasons ? { boundaries: true } : {};
  return async (bytes, inputHash, input) => {
    const heard = listen(model, (progress) => showProgress(report, progress, input));
    const own = { ...(await chunkOptions(cutting, embed)), ...reasons };
    // What would be asked is foreseen without asking; the chunks are counted as the tier below makes them.
    const cutBy = model?.isDry === true ? { ...own, tier: DRY_TIER } : own;
    const options = { ...cutBy, ...heard.options, ...declared, signal: io.signal };
    const { document, chunks } = await chunkBytes(bytes, input.filename, options);
    if (model?.isDry === true) model.foreseen(await planCompletions(document, own));
    const documentId = documentIdOf(input, inputHash, request.documentId);
    const finished: Finished = {
      shown: input.shown,
      sizeBytes: bytes.length,
      document,
      chunks,
      ...heard.outcome(),
      tier: cutting.options.tier,
      documentId,
      recordsNameDocument: request.format !== WITHOUT_DOCUMENT,
      formatted: recordsOf(document, chunks, documentId, request, cutting),
    };
    return {
      render: (screen) => layout.render(finished, screen),
      warnings: warningsOf(finished),
      counts: countsOf(finished),
    };
  };
}

/** The embedder of a name; what its model is called and how long its vectors are is told once. */
async function namedWithReport(name: EmbedderName, io: Io, report: Report): Promise<Embed> {
  const embed = await namedEmbedder(name, io, (file, loaded, total) =>
    report.progress(loaded, total, `bytes of ${file}`),
  );
  let isTold = false;
  return async (texts, run) => {
    const answer = await embed(texts, run);
    if (!isTold) report.note(`embedding with ${answer.model}, ${answer.dimensions} dimensions`);
    isTold = true;
    return answer;
  };
}

/** Options by which one document is cut, and what there is to say of it afterwards. */
function listen(
  model: Asked | undefined,
  onProgress: (progress: Progress) => void,
): {
  readonly options: Pick<
    ChunkOptions,
    'complete' | 'onDecisions' | 'onEnriched' | 'onCohesion' | 'onProgress'
  >;
  readonly outcome: () => Pick<Finished, 'modelWarnings' | 'cohesion'>;
} {
  const modelWarnings: Warning[] = [];
  let cohesion: CohesionGain | undefined;
  return {
    options: {
      ...(model === undefined || model.isDry ? {} : { complete: model.complete }),
      onDecisions: (decisions) => void modelWarnings.push(...(model?.noted(decisions) ?? [])),
      onEnriched: (enriched) => void modelWarnings.push(...(model?.described(enriched) ?? [])),
      onCohesion: (gain) => void (cohesion = gain),
      onProgress,
    },
    outcome: () => ({ modelWarnings, ...(cohesion === undefined ? {} : { cohesion }) }),
  };
}

/** What is counted at each stage that lasts. Cutting takes no time that anybody would watch; asking a model does. */
const STAGES: Readonly<Partial<Record<Progress['stage'], string>>> = {
  embed: 'pieces embedded',
  complete: 'parts answered',
  outline: 'outlines made',
  enrich: 'sections described',
};

function showProgress(report: Report, { stage, done, total }: Progress, { shown }: Input): void {
  const counted = STAGES[stage];
  if (counted !== undefined) report.progress(done, total, `${counted} of ${shown}`);
}

async function chunkOptions(
  { options, encoding, kind, embedder: name }: Cutting,
  embed: (name: EmbedderName) => Promise<Embed>,
): Promise<ChunkFileOptions> {
  const embeds = needsEmbedder(options.tier, options.embeddings);
  const embedder = embeds ? { embed: await (name === undefined ? staticEmbedder() : embed(name)) } : {};
  const all = { ...options, ...(kind === undefined ? {} : { kind }), ...embedder };
  return encoding === undefined ? all : { ...all, measure: await tokenCounter(encoding) };
}

/** The only format whose records do not say which document they belong to. */
const WITHOUT_DOCUMENT: FormatId = 'raw';
const NO_RECORDS: Finished['formatted'] = { records: [], extras: {}, warnings: [] };

/** Records, with the vectors that the chunks have, and what those are; none for a layout that prints none. */
function recordsOf(
  { filename, mediaType }: Document,
  chunks: readonly Chunk[],
  documentId: string,
  { format, names, layout }: ChunkRequest,
  { options: { tier } }: Cutting,
): Finished['formatted'] {
  if (!LAYOUTS[layout].hasRecords) return NO_RECORDS;
  const options: RecordOptions = {
    documentId,
    contentType: mediaType,
    tier,
    ...(filename === undefined ? {} : { filename }),
    ...names,
  };
  const found = vectorsOf(chunks);
  if (found === undefined) return formatChunks(chunks, format, options);
  const { extras, ...formatted } = formatChunks(chunks, format, { ...options, vectors: found.vectors });
  const beside = { ...extras, embedding: found.embedding };
  return { ...formatted, extras: beside };
}
