// The way of the inputs, one after another: bytes → document → chunks → records → layout → standard output or a folder.
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { TIERS } from '@grainline/core';
import manifest from '../package.json' with { type: 'json' };
import { cutHere, type CuttingParts } from './cut-here.ts';
import { CliError, UsageError } from './errors.ts';
import { openFolder, type Origin, type OutputFolder } from './folder.ts';
import { inOrder } from './in-order.ts';
import { findInputs, type Input } from './inputs.ts';
import { type Asked, languageModel } from './language.ts';
import type { Cut, Layout, Result, Screen, Totals } from './layout.ts';
import { LAYOUTS } from './layouts.ts';
import type { Remote } from './remote.ts';
import type { ChunkRequest } from './request.ts';
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
  /** Folder that results are written to. Default: everything goes to the sink. */
  readonly folder: OutputFolder | undefined;
  readonly cut: Cut;
  /** The language model, when the tier asks one. */
  readonly model: Asked | undefined;
}

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
  const { cut, summary } = await cutter(request, { io, report, model });
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
      cut,
      model,
    });
    tally.failed += missing.length;
    if (folder !== undefined) report.note(summaryOf(tally));
    const account = model?.account();
    if (account !== undefined) report.note(account);
    return tally.failed === 0;
  } finally {
    for (const line of summary()) report.note(line);
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
  const isStream = all.folder === undefined;
  if (isStream && layout.head !== undefined)
    await sink.write([layout.head(inputs.map(({ shown }) => shown))], signal);
  for await (const outcome of inOrder(inputs, request.concurrency, work)) {
    signal.throwIfAborted();
    await deliver(outcome, all, tally);
    report.progress(++done, inputs.length, outcome.input.shown);
  }
  if (isStream && layout.foot !== undefined) {
    const foot = layout.foot(tally);
    await report.aside(() => sink.write([foot], signal));
  }
  return tally;
}

/**
 * What cuts, and what it has to say at the end. Loads what pays only where a service is named: its libraries double the
 * time to start.
 */
async function cutter(request: ChunkRequest, parts: CuttingParts): Promise<Remote> {
  const { cutting } = request;
  if (!('remote' in cutting)) return { cut: cutHere(request, cutting, parts), summary: () => [] };
  if (cutting.dryRun !== undefined) {
    const { dryRun } = await import('./dry-run.ts');
    return dryRun(request, cutting, cutting.dryRun, parts);
  }
  const { connect } = await import('./remote.ts');
  return connect(request, cutting, parts);
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
      if (folder === undefined) await report.aside(() => sink.write(pieces, signal));
      else {
        const file = wholeFile(all.layout, input, result, pieces);
        await folder.write(originOf(input, outcome.inputHash, all.request, all.model), file, signal);
      }
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

/** What is one stream on standard output stands in each file of a folder by itself. */
function* wholeFile(
  { head, foot }: Layout,
  input: Input,
  { counts }: Result,
  pieces: Iterable<string>,
): Generator<string> {
  if (head !== undefined) yield head([input.shown]);
  yield* pieces;
  if (foot !== undefined) yield foot({ documents: 1, ...counts });
}

function originOf(input: Input, inputHash: string, request: ChunkRequest, model: Asked | undefined): Origin {
  const { cutting, contentType, format, names, documentId, layout } = request;
  // Who pays, and how much at most, makes no difference to what is written.
  const how = 'remote' in cutting ? { ...cutting, wallet: null } : cutting;
  const asked = model === undefined ? [] : [model.recipe];
  const contentTypes = contentType === undefined ? [] : [contentType];
  const recipe = [
    manifest.version,
    input.name,
    how,
    format,
    names,
    documentId ?? null,
    layout,
    ...asked,
    ...contentTypes,
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
function summaryOf({ documents, chunks, unchanged, failed }: Tally): string {
  const total = counted(documents + unchanged + failed, 'file');
  return `${total}: ${documents} written (${counted(chunks, 'chunk')}), ${unchanged} unchanged, ${failed} failed`;
}
