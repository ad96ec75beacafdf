// The way of the inputs, one after another: bytes → document → chunks → records → layout → standard output or a folder.
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import {
  type Chunk,
  type CohesionGain,
  type Decisions,
  type Embed,
  type EnrichmentReport,
  planCompletions,
  type Progress,
  needsEmbedder,
  TIERS,
  type Warning,
} from '@grainline/core';
import { type FormatId, formatChunks, type RecordOptions, vectorsOf } from '@grainline/core/formats';
import manifest from '../package.json' with { type: 'json' };
import type { ChunkRequest, Cutting, RemoteCutting } from './arguments.ts';
import { CliError, UsageError } from './errors.ts';
import { openFolder, type Origin, type OutputFolder } from './folder.ts';
import { documentIdOf, findInputs, type Input } from './inputs.ts';
import { type Asked, languageModel } from './language.ts';
import type { Finished, Layout, Result, Screen, Totals } from './layout.ts';
import { countsOf, LAYOUTS, warningsOf } from './layouts.ts';
import { chunkBytes, type ChunkFileOptions } from './line.ts';
import { type EmbedderName, namedEmbedder, staticEmbedder, tokenCounter } from './models.ts';
import { inOrder } from './order.ts';
import type { Remote } from './remote.ts';
import {
  columnsOf,
  counted,
  createReport,
  type Io,
  type Report,
  type Sink,
  wantsColour,
} from './terminal.ts';

/** One run over some files: everything that its steps need. */
interface Work {
  readonly request: ChunkRequest;
  readonly report: Report;
  readonly signal: AbortSignal;
  readonly layout: Layout;
  readonly screen: Screen;
  readonly sink: Sink;
  /** When absent, everything goes to the sink. */
  readonly folder: OutputFolder | undefined;
  readonly cut: Cut;
  /** Where the tier asks a language model. */
  readonly model: Asked | undefined;
}

/** From the bytes of an input to what there is to write. */
type Cut = (bytes: Uint8Array, inputHash: string, input: Input) => Promise<Result>;

/** What became of one input. */
type Outcome =
  | {
      readonly state: 'finished';
      readonly input: Input;
      readonly inputHash: string;
      readonly result: Result;
    }
  | { readonly state: 'unchanged'; readonly input: Input }
  | { readonly state: 'failed'; readonly input: Input; readonly error: unknown };

/**
 * Chunks the inputs of a request and writes the results to the sink or to the request's folder.
 *
 * Resolves with whether every one of them went well; what did not is reported. Rejects with what ends the whole
 * run: UsageError, CliError, an error of the sink, the signal's reason.
 */
export async function chunkInputs(request: ChunkRequest, io: Io, sink: Sink): Promise<boolean> {
  const { operands, stdinName, quiet, force } = request;
  const out = request.out === undefined ? undefined : resolve(io.cwd, request.out);
  const model = asksModel(request.cutting)
    ? await languageModel(io.environment, request.layout === 'dry-run')
    : undefined;
  const { inputs, missing } = await findInputs(operands, { io, stdinName, skip: out });
  refuseSharedId(request, inputs);
  const folder = out === undefined ? undefined : await openFolder(out, force);
  // Progress between lines of chunks on the same screen would be in their way.
  const showProgress = folder !== undefined || io.stdout.isTTY !== true;
  const report = createReport(io.stderr, { quiet, showProgress });
  const screen = { colour: wantsColour(io), columns: columnsOf(io.stdout) };
  const layout = LAYOUTS[request.layout];
  const remote = 'remote' in request.cutting ? await openRemote(request, request.cutting, io) : undefined;
  try {
    for (const { shown, error } of missing) report.failure(error, shown);
    const tally = await chunkEach(inputs, {
      request,
      report,
      signal: io.signal,
      layout,
      screen,
      sink,
      folder,
      cut: remote?.cut ?? cutterHere(request, io, report, model),
      model,
    });
    tally.failed += missing.length;
    if (folder !== undefined) report.note(summary(tally));
    const account = model?.account();
    if (account !== undefined) report.note(account);
    return tally.failed === 0;
  } finally {
    if (remote !== undefined) for (const line of remote.summary()) report.note(line);
    await report.close();
  }
}

/** A service has its own. */
function asksModel(cutting: ChunkRequest['cutting']): boolean {
  return !('remote' in cutting) && TIERS[cutting.options.tier].options.includes('complete');
}

function refuseSharedId({ documentId }: ChunkRequest, inputs: readonly Input[]): void {
  if (documentId === undefined || inputs.length < 2) return;
  throw new UsageError([`--document-id names one document, but there are ${inputs.length} inputs.`]);
}

/** Counts of a run, as they grow. */
interface Tally extends Totals {
  documents: number;
  pages: number;
  characters: number;
  chunks: number;
  unchanged: number;
  failed: number;
}

async function chunkEach(inputs: readonly Input[], all: Work): Promise<Tally> {
  const { request, report, signal, layout, sink } = all;
  const tally: Tally = { documents: 0, pages: 0, characters: 0, chunks: 0, unchanged: 0, failed: 0 };
  let done = 0;
  const work = (input: Input): Promise<Outcome> => {
    report.progress(done, inputs.length, input.shown);
    return prepare(input, all);
  };
  if (layout.head !== undefined) await sink.write([layout.head], signal);
  for await (const outcome of inOrder(inputs, request.concurrency, work)) {
    signal.throwIfAborted();
    await deliver(outcome, all, tally);
    report.progress(++done, inputs.length, outcome.input.shown);
  }
  if (layout.foot !== undefined) await sink.write([layout.foot(tally)], signal);
  return tally;
}

/** Only who pays carries what paying takes: its libraries would double the time to start. */
async function openRemote(request: ChunkRequest, cutting: RemoteCutting, io: Io): Promise<Remote> {
  const { connect } = await import('./remote.ts');
  return connect(request, cutting, io);
}

async function prepare(input: Input, { request, signal, folder, cut, model }: Work): Promise<Outcome> {
  try {
    const bytes = await input.read(signal);
    const inputHash = sha256(bytes);
    const isCurrent = !request.force && (await folder?.isCurrent(originOf(input, inputHash, request, model)));
    if (isCurrent === true) return { state: 'unchanged', input };
    return {
      state: 'finished',
      input,
      inputHash,
      result: await cut(bytes, inputHash, input),
    };
  } catch (error) {
    return { state: 'failed', input, error };
  }
}

/** Writes what is finished. An output file that cannot be written fails alone; a broken stream ends the run. */
async function deliver(outcome: Outcome, all: Work, tally: Tally): Promise<void> {
  const { report, signal, folder, sink, screen } = all;
  const { input } = outcome;
  try {
    if (outcome.state === 'failed') throw outcome.error;
    if (outcome.state === 'finished') {
      const { result } = outcome;
      const pieces = result.render(screen);
      if (folder === undefined) await sink.write(pieces, signal);
      else await folder.write(originOf(input, outcome.inputHash, all.request, all.model), pieces, signal);
      for (const warning of result.warnings) report.warning(warning, input.shown);
      addTo(tally, result);
    } else tally.unchanged++;
  } catch (error) {
    const concernsInput = outcome.state === 'failed' || (folder !== undefined && error instanceof CliError);
    if (!concernsInput) throw error;
    tally.failed++;
    report.failure(error, input.shown);
  }
}

/** The only format whose records do not say which document they belong to. */
const WITHOUT_DOCUMENT: FormatId = 'raw';
const NO_RECORDS: Finished['formatted'] = { records: [], extras: {}, warnings: [] };

/** Cuts here. A named embedder is loaded at its first use, and once for all files. */
function cutterHere(request: ChunkRequest, io: Io, report: Report, model: Asked | undefined): Cut {
  let embedder: Promise<Embed> | undefined;
  const help: Help = {
    signal: io.signal,
    embed: (name) => (embedder ??= named(name, io, report)),
    model,
    report,
  };
  return async (bytes, inputHash, input) => {
    const finished = await finish(bytes, inputHash, input, { ...request, ...help });
    return {
      render: (screen) => LAYOUTS[request.layout].render(finished, screen),
      warnings: warningsOf(finished),
      counts: countsOf(finished),
    };
  };
}

/** The embedder of a name; what its model is called and how long its vectors are is told once. */
async function named(name: EmbedderName, io: Io, report: Report): Promise<Embed> {
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

/** Cuts in a dry run in place of tiers that ask a language model. */
const DRY_TIER = 'structure' as const;

/** What cutting takes from its run. */
interface Help {
  readonly signal: AbortSignal;
  readonly embed: (name: EmbedderName) => Promise<Embed>;
  /** Where the tier asks a language model. */
  readonly model: Asked | undefined;
  readonly report: Report;
}

async function finish(
  bytes: Uint8Array,
  inputHash: string,
  input: Input,
  {
    cutting,
    contentType: declared,
    format,
    names,
    layout,
    signal,
    embed,
    model,
    report,
    ...request
  }: ChunkRequest & Help,
): Promise<Finished> {
  if ('remote' in cutting) throw new TypeError('A service cuts these, not this process.');
  const { tier } = cutting.options;
  let modelWarnings: readonly Warning[] = [];
  let cohesion: CohesionGain | undefined;
  const own = await chunkOptions(cutting, embed);
  // What would be asked is foreseen without asking; the chunks are counted as the tier below makes them.
  const counted = model?.isDry === true ? { ...own, tier: DRY_TIER } : own;
  const options = {
    ...counted,
    ...(model === undefined || model.isDry ? {} : { complete: model.complete }),
    onDecisions: (decisions: Decisions) => (modelWarnings = model?.noted(decisions) ?? []),
    onEnriched: (enriched: EnrichmentReport) =>
      (modelWarnings = [...modelWarnings, ...(model?.described(enriched) ?? [])]),
  };
  const onCohesion = (gain: CohesionGain): void => void (cohesion = gain);
  // Cutting takes no time that anybody would watch; asking a model does.
  const onProgress = ({ stage, done, total }: Progress): void => {
    if (stage === 'embed') report.progress(done, total, `pieces embedded of ${input.shown}`);
    if (stage === 'complete') report.progress(done, total, `parts answered of ${input.shown}`);
    if (stage === 'outline') report.progress(done, total, `outlines made of ${input.shown}`);
    if (stage === 'enrich') report.progress(done, total, `sections described of ${input.shown}`);
  };
  const hearing = { signal, onCohesion, onProgress };
  const { document, chunks } = await chunkBytes(bytes, input.filename, {
    ...options,
    ...hearing,
    ...(declared === undefined ? {} : { contentType: declared }),
  });
  if (model?.isDry === true) model.foreseen(await planCompletions(document, own));
  const documentId = documentIdOf(input, inputHash, request.documentId);
  const { filename, mediaType: contentType } = document;
  const about = {
    documentId,
    contentType,
    tier,
    ...(filename === undefined ? {} : { filename }),
  };
  return {
    shown: input.shown,
    sizeBytes: bytes.length,
    document,
    chunks,
    modelWarnings,
    tier,
    ...(cohesion === undefined ? {} : { cohesion }),
    documentId,
    recordsNameDocument: format !== WITHOUT_DOCUMENT,
    formatted: LAYOUTS[layout].hasRecords ? records(chunks, format, { ...about, ...names }) : NO_RECORDS,
  };
}

/** Records, with the vectors that the chunks have, and what those are. */
function records(
  chunks: readonly Chunk[],
  format: FormatId,
  options: Omit<RecordOptions, 'vectors'>,
): Finished['formatted'] {
  const found = vectorsOf(chunks);
  if (found === undefined) return formatChunks(chunks, format, options);
  const { extras, ...formatted } = formatChunks(chunks, format, { ...options, vectors: found.vectors });
  const beside = { ...extras, embedding: found.embedding };
  return { ...formatted, extras: beside };
}

/** Counter and embedder are loaded at their first use, and once. */
async function chunkOptions(
  { options, encoding, kind, embedder: name }: Cutting,
  embed: Help['embed'],
): Promise<ChunkFileOptions> {
  const embeds = needsEmbedder(options.tier, options.embeddings);
  const embedder = embeds ? { embed: await (name === undefined ? staticEmbedder() : embed(name)) } : {};
  const all = { ...options, ...(kind === undefined ? {} : { kind }), ...embedder };
  return encoding === undefined ? all : { ...all, measure: await tokenCounter(encoding) };
}

function originOf(input: Input, inputHash: string, request: ChunkRequest, model: Asked | undefined): Origin {
  const { cutting, contentType, format, names, documentId, layout } = request;
  // Who pays, and how much at most, makes no difference to what is written.
  const how = 'remote' in cutting ? { ...cutting, wallet: null } : cutting;
  const asked = model === undefined ? [] : [model.recipe];
  const told = contentType === undefined ? [] : [contentType];
  const recipe = [
    manifest.version,
    input.name,
    how,
    format,
    names,
    documentId ?? null,
    layout,
    ...asked,
    ...told,
  ];
  const output = `${input.name}${LAYOUTS[layout].ending}`;
  return { output, input: inputHash, recipe: sha256(JSON.stringify(recipe)) };
}

function sha256(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}

function addTo(tally: Tally, { counts: { pages, characters, chunks } }: Result): void {
  tally.documents++;
  tally.pages += pages;
  tally.characters += characters;
  tally.chunks += chunks;
}

/** `12 files: 7 written (340 chunks), 4 unchanged, 1 failed` */
function summary({ documents, chunks, unchanged, failed }: Tally): string {
  const total = counted(documents + unchanged + failed, 'file');
  return `${total}: ${documents} written (${counted(chunks, 'chunk')}), ${unchanged} unchanged, ${failed} failed`;
}
