// `grainline eval`: reads the documents, and has `@grainline/eval` measure how well their chunks serve retrieval.
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { checkChunkOptions, type Embed, type TierId } from '@grainline/core';
import type * as Eval from '@grainline/eval';
import type { EvalDocument, EvalQuestion, EvalSetting, RetrieverId, SettingGrid } from '@grainline/eval';
import { loadCounter } from '@grainline/pipeline';
import type { EvalRequest } from '../args/request.ts';
import { chosen, collectIssues } from '../args/values.ts';
import { CliError, reasonOf, UsageError } from '../errors.ts';
import { followInputs, openOcr, readDocument, readPassword } from './documents.ts';
import { closeAll, counted, type Io, printable } from '../io.ts';
import { createDocumentReader } from '../local/threaded-reader.ts';
import { namedEmbedder } from '../local/embedder.ts';
import { createRunLog, type RunLog, type Sink } from '../output/terminal.ts';

type Library = typeof Eval;

const QUESTIONS_NOTE = '--save-questions FILE writes them down to add to, and --questions FILE takes them.';

/** The line of progress that stands for the measuring. */
const MEASURING = 'evaluation';

/**
 * Evaluates the documents of a request and writes the report to the sink. Resolves with true when every document could
 * be read. Rejects with a UsageError for options or questions that cannot be used, with an EvalError `peer_missing` or
 * `no_questions`, and with the errors of the embedder.
 */
export async function evaluateInputs(request: EvalRequest, io: Io, sink: Sink): Promise<boolean> {
  const library = await import('@grainline/eval');
  const settings = settingsOf(request, library);
  const searches = searchesOf(request.searches);
  const log = createRunLog(io.stderr, { quiet: request.quiet, showProgress: true, isPiped: io.isPiped });
  try {
    const { documents, failed } = await readDocuments(request, io, log);
    if (documents.length === 0) return false;
    const questions = await questionsOf(request, io, library, documents);
    // Without any question the evaluation rejects.
    const note = questions.length === 0 ? undefined : library.noteOnFewQuestions(questions);
    if (note !== undefined) log.note(`grainline: ${note} ${QUESTIONS_NOTE}`);
    log.follow([{ shown: MEASURING }]);
    log.begin(MEASURING);
    const { encoding, blends, top } = request;
    const report = await library.evaluate({
      documents,
      questions,
      settings,
      retrievers: searches,
      blends,
      k: top,
      measure: encoding === undefined ? undefined : await loadCounter(encoding),
      embed: await embedderOf(request, io, log),
      folder: io.cwd,
      signal: io.signal,
      onProgress: ({ done, total, name }) => log.step(MEASURING, done / total, name),
    });
    log.finish(MEASURING);
    await log.aside(() => sink.write([rendered(report, request.layout, library)], io.signal));
    return failed === 0;
  } finally {
    await log.close();
  }
}

function rendered(report: Eval.EvalReport, layout: EvalRequest['layout'], library: Library): string {
  if (layout === 'json') return `${JSON.stringify(report)}\n`;
  if (layout === 'html') return library.htmlReport(report);
  return layout === 'markdown' ? library.markdownReport(report) : library.textReport(report);
}

/** The settings to try; core's rules check each. @throws UsageError with every issue */
function settingsOf(request: EvalRequest, library: Library): EvalSetting[] {
  const { DEFAULT_TIERS, EVAL_TIERS, PEERS } = library;
  const { tiers = DEFAULT_TIERS, peers, sizes, encoding, blends = [] } = request;
  const issues: string[] = [];
  for (const tier of tiers) chosen('tier', tier, EVAL_TIERS, issues);
  for (const peer of peers) chosen('peers', peer, Object.keys(PEERS), issues);
  const wrong = blends.filter((blend) => blend < 0 || blend > 1);
  if (wrong.length > 0) issues.push(`--blend must be numbers from 0 to 1, but has ${wrong.join(', ')}.`);
  if (issues.length > 0) throw new UsageError(issues);
  // The words stand in the tables; core checks the values below.
  const grid = { tiers: [...tiers, ...peers], sizes, options: request.options } as SettingGrid;
  const settings = library.settingsOf({ ...grid, unit: encoding === undefined ? 'characters' : 'tokens' });
  for (const { tier, size, options } of settings)
    collectIssues(issues, () => {
      checkChunkOptions(isTier(tier, library) ? { tier, size, ...options } : { size });
    });
  if (issues.length > 0) throw new UsageError([...new Set(issues)]);
  return settings;
}

function isTier(tier: EvalSetting['tier'], { PEERS }: Library): tier is TierId {
  return !Object.hasOwn(PEERS, tier);
}

function searchesOf(words: readonly string[] | undefined): RetrieverId[] | undefined {
  const issues: string[] = [];
  for (const word of words ?? []) chosen('search', word, SEARCHES, issues);
  if (issues.length > 0) throw new UsageError(issues);
  return words === undefined ? undefined : SEARCHES.filter((search) => words.includes(search));
}

const SEARCHES: readonly RetrieverId[] = ['bm25', 'vectors'];

interface ReadDocuments {
  readonly documents: EvalDocument[];
  /** Inputs that are missing or cannot be read; they are reported. */
  readonly failed: number;
}

async function readDocuments(request: EvalRequest, io: Io, log: RunLog): Promise<ReadDocuments> {
  const { operands, ocr } = request;
  const password = await readPassword(request, operands, io);
  const { inputs, missing } = await followInputs(operands, io, log, ocr !== undefined);
  const engine = await openOcr(ocr);
  const reader = createDocumentReader(io, request.timeoutMs);
  const documents: EvalDocument[] = [];
  try {
    for (const input of inputs) {
      try {
        const document = await readDocument(input, request, io, log, { reader, ocr: engine?.ocr, password });
        documents.push({ name: input.name, document });
      } catch (error) {
        io.signal.throwIfAborted();
        log.failure(error, input.shown);
      }
    }
  } finally {
    await closeAll([reader.close, () => engine?.close()]);
  }
  return { documents, failed: missing + inputs.length - documents.length };
}

/** The questions of the file, else those made by rules; written down on request. */
async function questionsOf(
  { questions: file, saveQuestions }: EvalRequest,
  { cwd }: Io,
  library: Library,
  documents: readonly EvalDocument[],
): Promise<EvalQuestion[]> {
  const questions =
    file === undefined ? library.makeQuestions(documents) : await readFileOf(file, cwd, library, documents);
  if (saveQuestions !== undefined)
    await writeFile(resolve(cwd, saveQuestions), library.writeQuestions(questions, documents), {
      flag: 'wx',
    }).catch((cause: unknown) => {
      throw new CliError('questions_not_written', { detail: `${saveQuestions}: ${reasonOf(cause)}`, cause });
    });
  return questions;
}

/** Every wrong line is an issue of its own. */
async function readFileOf(
  file: string,
  cwd: string,
  library: Library,
  documents: readonly EvalDocument[],
): Promise<EvalQuestion[]> {
  const jsonl = await readFile(resolve(cwd, file), 'utf8').catch((cause: unknown) => {
    throw new UsageError([`The questions ${printable(file)} cannot be read: ${reasonOf(cause)}.`]);
  });
  try {
    return library.readQuestions(jsonl, documents);
  } catch (error) {
    if (!(error instanceof library.EvalError) || error.code !== 'invalid_questions') throw error;
    const shown = error.issues.slice(0, MOST_ISSUES).map((issue) => printable(`${file}, ${issue}.`));
    const more = error.issues.length - shown.length;
    throw new UsageError(more > 0 ? [...shown, `${file}: and ${counted(more, 'line')} more.`] : shown);
  }
}

/** Most lines of a file of questions that are reported. */
const MOST_ISSUES = 20;

/** The named embedder; undefined for the built-in one. */
async function embedderOf({ embedder }: EvalRequest, io: Io, log: RunLog): Promise<Embed | undefined> {
  if (embedder === undefined) return undefined;
  return namedEmbedder(embedder, io, log);
}
