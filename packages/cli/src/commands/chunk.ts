// `grainline FILE`: the inputs in order, each bytes → document → chunks → records → layout → standard output or a
// folder.
import { hash } from 'node:crypto';
import { resolve } from 'node:path';
import { needsLanguageModel } from '@grainline/core';
import manifest from '../../package.json' with { type: 'json' };
import { closeAll, type Io, printable } from '../io.ts';
import { CliError, codeOf, UsageError } from '../errors.ts';
import { openFolder, type OutputOrigin, type OutputFolder } from '../output/folder.ts';
import { createChunker } from './chunker.ts';
import { PASSWORD_VARIABLE, readPassword } from './documents.ts';
import { inOrder } from './in-order.ts';
import type { Input } from '../inputs/input.ts';
import { findInputs, type Missing } from '../inputs/inputs.ts';
import { type MeteredModel, languageModel } from '../local/language-model.ts';
import type { ChunkFn, Layout, ChunkedInput, Screen, Totals } from '../output/layout.ts';
import { LAYOUTS, outputNameOf } from '../output/layouts.ts';
import type { ChunkFilesRequest } from '../args/request.ts';
import {
  countsOfKind,
  type FileCounts,
  ignoredOptions,
  type KindCounts,
  summaryOf,
} from '../output/summary.ts';
import { columnsOf, createRunLog, type RunLog, type Sink, wantsColour } from '../output/terminal.ts';

/** The dependencies of one run over some files. */
interface Work {
  readonly request: ChunkFilesRequest;
  readonly report: RunLog;
  readonly signal: AbortSignal;
  readonly layout: Layout;
  readonly screen: Screen;
  readonly sink: Sink;
  /** Output folder. By default the results go to the sink. */
  readonly folder: OutputFolder | undefined;
  readonly chunk: ChunkFn;
  /** Most inputs in work at the same time. */
  readonly atOnce: number;
  /** The language model of the tier; undefined for other tiers. */
  readonly model: MeteredModel | undefined;
}

/** The outcome of one input. */
type Outcome =
  | {
      readonly state: 'finished';
      readonly input: Input;
      readonly inputHash: string;
      readonly result: ChunkedInput;
    }
  | { readonly state: 'unchanged'; readonly input: Input }
  | { readonly state: 'failed'; readonly input: Input; readonly error: unknown };

/**
 * Chunks the inputs of a request and writes the results to the sink or to the request's folder.
 *
 * Resolves with true when every input succeeded; failures are reported. Rejects with an error that ends the whole run:
 * UsageError, CliError, an error of the sink, the signal's reason.
 */
export async function chunkInputs(given: ChunkFilesRequest, io: Io, sink: Sink): Promise<boolean> {
  const request = { ...given, password: await readPassword(given, given.operands, io) };
  const { operands, stdinName, quiet, force } = request;
  const out = request.out === undefined ? undefined : resolve(io.cwd, request.out);
  const model = needsModel(request.chunking)
    ? await languageModel(io.environment, request.layout === 'dry-run')
    : undefined;
  // Progress would stand between the lines of chunks on one screen.
  const showProgress = out !== undefined || io.stdout.isTTY !== true;
  const report = createRunLog(io.stderr, { quiet, showProgress, isPiped: io.isPiped && out === undefined });
  const onStdin = (): void => {
    if (io.stdin.isTTY === true) report.note(STDIN_NOTE);
  };
  const { inputs, missing } = await findInputs(operands, {
    io,
    stdinName,
    skip: out,
    pictures: request.ocr !== undefined,
    onStdin,
  });
  rejectMisspeltCommand(request, missing);
  rejectSharedId(request, inputs);
  if (out !== undefined) rejectSharedOutput(request, inputs);
  const folder = out === undefined ? undefined : await openFolder(out, force);
  const screen = { colour: wantsColour(io), columns: columnsOf(io.stdout) };
  const layout = LAYOUTS[request.layout];
  const { signal } = io;
  const { chunk, atOnce, summary, close } = await createChunker(request, inputs, {
    io,
    report,
    model,
    screen,
  });
  try {
    for (const { shown, error } of missing) report.failure(error, shown);
    const work = { request, report, signal, layout, screen, sink, folder, chunk, atOnce, model };
    const tally = await chunkEach(inputs, work);
    tally.failed += missing.length;
    if (folder !== undefined) for (const line of summaryOf(tally, tally.kinds)) report.note(line);
    if ('reading' in request.chunking)
      for (const line of ignoredOptions(request.chunking.reading, tally.kinds)) report.note(line);
    if (tally.encrypted > 0 && request.password === undefined) report.note(PASSWORD_NOTE);
    const account = model?.account();
    if (account !== undefined) report.note(account);
    return tally.failed === 0;
  } finally {
    await closeAll([close, () => summary().forEach((line) => report.note(line)), () => report.close()]);
  }
}

/** Stops where the first operand reads like a command: its own operands would be chunked in place of loaded. */
function rejectMisspeltCommand({ operands }: ChunkFilesRequest, [first]: readonly Missing[]): void {
  if (first?.isCommand !== true || operands.length < 2 || first.shown !== printable(operands[0] ?? ''))
    return;
  throw new UsageError([`${first.shown}: ${first.error.message}`]);
}

const PASSWORD_NOTE = `grainline: --password asks for the password of a PDF; ${PASSWORD_VARIABLE} can hold it.`;

/** A terminal gives no sign that a program waits for it. */
const STDIN_NOTE = `grainline: Reading standard input, which is this terminal; end the text with ${process.platform === 'win32' ? 'Ctrl-Z and Enter' : 'Ctrl-D'}.`;

/** A service has its own model. */
function needsModel(chunking: ChunkFilesRequest['chunking']): boolean {
  return !('remote' in chunking) && needsLanguageModel(chunking.options.tier);
}

function rejectSharedId({ documentId }: ChunkFilesRequest, inputs: readonly Input[]): void {
  if (documentId === undefined || inputs.length < 2) return;
  throw new UsageError([`--document-id names one document, but there are ${inputs.length} inputs.`]);
}

/** Two names can give one: `a.chunks` and `a.html` with `--html`. */
function rejectSharedOutput({ layout }: ChunkFilesRequest, inputs: readonly Input[]): void {
  const byOutput = Map.groupBy(inputs, ({ name }) => outputNameOf(name, layout));
  const shared = [...byOutput].find(([, group]) => group.length > 1);
  if (shared === undefined) return;
  const [output, group] = shared;
  throw new UsageError([
    `${group.map(({ shown }) => shown).join(' and ')} would both be written to ${output}.`,
  ]);
}

/** Counts of a run, updated with each input. */
interface Tally extends Totals, FileCounts {
  documents: number;
  pages: number;
  characters: number;
  chunks: number;
  readonly kinds: KindCounts;
  /** Failures for want of a password. */
  encrypted: number;
}

async function chunkEach(inputs: readonly Input[], all: Work): Promise<Tally> {
  const { report, signal, layout, sink } = all;
  const tally: Tally = {
    documents: 0,
    pages: 0,
    characters: 0,
    chunks: 0,
    unchanged: 0,
    failed: 0,
    encrypted: 0,
    kinds: new Map(),
  };
  report.follow(inputs.map(({ shown, size }) => ({ shown, bytes: size })));
  const work = async (input: Input): Promise<Outcome> => {
    report.begin(input.shown);
    const outcome = await prepare(input, all);
    report.finish(input.shown);
    return outcome;
  };
  const isStream = all.folder === undefined;
  if (isStream && layout.head !== undefined)
    await sink.write([layout.head(inputs.map(({ shown }) => shown))], signal);
  for await (const outcome of inOrder(inputs, all.atOnce, work)) {
    signal.throwIfAborted();
    await deliver(outcome, all, tally);
  }
  if (isStream && layout.foot !== undefined) {
    const foot = layout.foot(tally);
    await report.aside(() => sink.write([foot], signal));
  }
  return tally;
}

async function prepare(input: Input, { request, signal, folder, chunk, model }: Work): Promise<Outcome> {
  try {
    const content = await input.read(signal);
    const inputHash = hash('sha256', content.bytes);
    const isCurrent = !request.force && (await folder?.isCurrent(originOf(input, inputHash, request, model)));
    if (isCurrent === true) return { state: 'unchanged', input };
    return {
      state: 'finished',
      input,
      inputHash,
      result: await chunk({ ...content, hash: inputHash }, input),
    };
  } catch (error) {
    return { state: 'failed', input, error };
  }
}

/** Writes a finished result. A failed output file fails its input; a broken stream ends the run. */
async function deliver(outcome: Outcome, all: Work, tally: Tally): Promise<void> {
  const { report, signal, folder, sink, screen } = all;
  const { input } = outcome;
  const ofKind = countsOfKind(input.name, tally.kinds);
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
      ofKind.documents++;
      ofKind.chunks += result.counts.chunks;
    } else {
      tally.unchanged++;
      ofKind.unchanged++;
    }
  } catch (error) {
    const concernsInput = outcome.state === 'failed' || (folder !== undefined && error instanceof CliError);
    if (!concernsInput) throw error;
    tally.failed++;
    ofKind.failed++;
    if (codeOf(error) === 'encrypted') tally.encrypted++;
    report.failure(error, input.shown);
  }
}

/** Adds the head and the foot of a stream to the file of one input. */
function* wholeFile(
  { head, foot }: Layout,
  input: Input,
  { counts }: ChunkedInput,
  pieces: Iterable<string>,
): Generator<string> {
  if (head !== undefined) yield head([input.shown]);
  yield* pieces;
  if (foot !== undefined) yield foot({ documents: 1, ...counts });
}

function originOf(
  input: Input,
  inputHash: string,
  request: ChunkFilesRequest,
  model: MeteredModel | undefined,
): OutputOrigin {
  const { chunking, contentType, ocr, format, names, documentId, layout } = request;
  // The wallet and its limit do not change the output.
  const how = 'remote' in chunking ? { ...chunking, wallet: null } : chunking;
  const modelRecipe = model === undefined ? [] : [model.recipe];
  const contentTypes = contentType === undefined ? [] : [contentType];
  const recipe = [
    manifest.version,
    input.name,
    how,
    format,
    names,
    documentId ?? null,
    layout,
    ...modelRecipe,
    ...contentTypes,
    ...(ocr === undefined ? [] : [{ ocr }]),
  ];
  const output = outputNameOf(input.name, layout);
  return { output, input: inputHash, recipe: hash('sha256', JSON.stringify(recipe)) };
}

function addTo(tally: Tally, { counts: { pages, characters, chunks } }: ChunkedInput): void {
  tally.documents++;
  tally.pages += pages;
  tally.characters += characters;
  tally.chunks += chunks;
}
