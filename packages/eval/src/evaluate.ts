// The evaluation: documents, questions and settings → measures by setting and retriever, and a recommendation.
import {
  DEFAULT_SIZE,
  DEFAULT_TIER,
  type Embed,
  embeddedText,
  type Embedder,
  toEmbed,
  type TokenCounter,
} from '@grainline/core';
import { createCutter, type CutDocument } from './cutting/cutter.ts';
import { cutAlike, type CutIndex, cutPlainly, meanTokens, middleSize } from './cutting/equal-tokens.ts';
import { loadPeer, type PeerId, type PeerSplit } from './cutting/peers.ts';
import { EvalError } from './errors.ts';
import { makeQuestions } from './questions/make.ts';
import type { EvalDocument, EvalQuestion, QuestionOrigin } from './questions/question.ts';
import { halvesOf, recommend, resamplingOf, type ScoredRow, scoreReports } from './recommend.ts';
import type { EvalReport, RetrieverId, SettingReport } from './report.ts';
import { indexWords } from './retrieval/bm25.ts';
import { embedTexts, indexVectors } from './retrieval/vectors.ts';
import { scoreAll, targetsOf } from './scoring.ts';
import { type EvalSetting, isPeer, nameOfSetting, settingsOf } from './settings.ts';

/** Options of {@link evaluate}. */
export interface EvaluateOptions {
  /** At least one. */
  readonly documents: readonly EvalDocument[];
  /** Default: made by rules from the documents, as `makeQuestions` does. */
  readonly questions?: readonly EvalQuestion[] | undefined;
  /** Default: the tiers without a language model, in three sizes. */
  readonly settings?: readonly EvalSetting[] | undefined;
  /** Default: both. */
  readonly retrievers?: readonly RetrieverId[] | undefined;
  /** Weights of the neighbours in each vector, from 0 to 1. Default 0 and 0.4. */
  readonly blends?: readonly number[] | undefined;
  /** Chunks of `recall` and `iou`: an integer from 1. Default 5. */
  readonly k?: number | undefined;
  /** A counter makes sizes tokens; its tokens are those of all measures. Default: sizes are characters. */
  readonly measure?: TokenCounter | undefined;
  /** The embedder of the vectors and of `semantic`. Default: the built-in one, which knows English only. */
  readonly embed?: Embedder | undefined;
  /** Folder whose installed packages have the other libraries' splitters. Default: the working folder. */
  readonly folder?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called before each setting, and once at the end. */
  readonly onProgress?: ((progress: EvalProgress) => void) | undefined;
}

/** Progress of an evaluation. */
export interface EvalProgress {
  /** Settings that are done, and all. */
  readonly done: number;
  readonly total: number;
  /** Name of the setting at work; '' at the end. */
  readonly name: string;
}

const BLENDS = [0, 0.4];
const K = 5;

/**
 * Measures how well chunks serve retrieval: every setting over all documents together, by keywords (BM25) and by
 * vectors. In each document, the chunks of all settings of one size have the same mean tokens, those of a reference,
 * because longer chunks alone move every measure. Differences have intervals from a paired bootstrap over the
 * documents, each with its questions; over the questions where the documents are few. A setting is recommended only
 * where it is the best in 90 % of the resamples of one half of the questions; the other half judges it. Questions made
 * from headings decide nothing.
 *
 * Nothing is sent over a network by the default options. Takes time linear in the text for each setting, plus chunks
 * times questions.
 *
 * Rejects with an EvalError, with a ChunkError as `chunk` does, and with the signal's reason.
 *
 * @example
 * const report = await evaluate({ documents: [{ name: 'handbook.md', document: documentFromText(text) }] });
 * console.log(textReport(report));
 */
export async function evaluate(options: EvaluateOptions): Promise<EvalReport> {
  return (await measureAll(options)).report;
}

/** The report of {@link evaluate}, and the scores by question that it is made of. */
export async function measureAll(
  options: EvaluateOptions,
): Promise<{ readonly report: EvalReport; readonly rows: readonly ScoredRow[] }> {
  assertUsable(options);
  const { documents, retrievers = ['bm25', 'vectors'], blends = BLENDS, k = K, measure, signal } = options;
  const { questions = makeQuestions(documents) } = options;
  if (questions.length === 0)
    throw new EvalError(
      'no_questions',
      'The documents hold no table cell, definition or heading to make a question from; give questions.',
    );
  const unit = measure === undefined ? 'characters' : 'tokens';
  const counter = measure ?? (await defaultCounter());
  const embed = remembering(options.embed === undefined ? await defaultEmbedder() : toEmbed(options.embed));
  const { settings = settingsOf({ unit }) } = options;
  const peers = await loadPeers(settings, options.folder ?? process.cwd());
  const texts = documents.map(({ document }) => document);
  const cut = createCutter(texts, { counter, measure, embed, peers, signal });
  const targets = targetsOf(questions, documents);
  const queries = retrievers.includes('vectors') ? await embedQueries(questions, embed, signal) : undefined;

  const rows: ScoredRow[] = [];
  const reports: SettingReport[] = [];
  for await (const { setting, reference, index } of cutEach(settings, texts.length, cut, options)) {
    reports.push(settingReport(setting, reference, index));
    const { chunks } = index;
    const contents = chunks.map(({ text }) => text);
    const base = { setting: nameOfSetting(setting), reference: nameOfSetting(reference) };
    if (retrievers.includes('bm25'))
      rows.push({ ...base, retriever: 'bm25', scores: scoreAll(targets, chunks, indexWords(contents), k) });
    if (queries === undefined) continue;
    const embedded = isPeer(setting.tier) ? contents : contents.map(embeddedText);
    const vectors = await embedTexts(embed, embedded, signal);
    for (const blend of blends) {
      const scorer = indexVectors(chunks, vectors, blend, queries.vectors);
      rows.push({ ...base, retriever: 'vectors', blend, scores: scoreAll(targets, chunks, scorer, k) });
    }
  }
  const halves = halvesOf(questions);
  const report: EvalReport = {
    documents: documents.map(({ name, document: { text } }) => ({
      name,
      characters: text.length,
      tokens: counter.count(text),
    })),
    tokenizer: counter.name,
    ...(queries === undefined ? {} : { embedder: queries.model }),
    questions: countOrigins(questions),
    resampling: resamplingOf(questions),
    k,
    unit,
    settings: reports,
    scores: scoreReports(rows, questions),
    recommendations: retrievers.map((retriever) =>
      recommend(
        retriever,
        rows.filter((row) => row.retriever === retriever),
        halves,
        reports,
        baselineOf(settings, measure),
      ),
    ),
    unanswered: questions
      .filter((_, index) => rows.every(({ scores }) => scores.r2000[index] === 0))
      .map(({ question, document }) => ({ question, document })),
  };
  return { report, rows };
}

interface CutSetting {
  readonly setting: EvalSetting;
  readonly reference: EvalSetting;
  readonly index: CutIndex;
}

/** Cuts by each setting; the reference of each size comes first. */
async function* cutEach(
  settings: readonly EvalSetting[],
  documents: number,
  cut: CutDocument,
  { signal, onProgress }: EvaluateOptions,
): AsyncGenerator<CutSetting, void, undefined> {
  let done = 0;
  const progress = (name: string): void => onProgress?.({ done, total: settings.length, name });
  for (const sized of Map.groupBy(settings, ({ size }) => size).values()) {
    const reference = referenceOf(sized);
    progress(nameOfSetting(reference));
    const plain = await cutPlainly(documents, reference, cut);
    for (const setting of [reference, ...sized.filter((other) => other !== reference)]) {
      signal?.throwIfAborted();
      progress(nameOfSetting(setting));
      const index = setting === reference ? plain : await cutAlike(setting, plain, cut);
      yield { setting, reference, index };
      done++;
      // A turn for the signal and for the progress.
      await new Promise(setImmediate);
    }
  }
  progress('');
}

/** The default tier, best without further options; else a tier of ours; else the first setting. */
function referenceOf(sized: readonly EvalSetting[]): EvalSetting {
  const rank = ({ tier, options = {} }: EvalSetting): number => {
    if (tier === DEFAULT_TIER) return Object.keys(options).length === 0 ? 0 : 1;
    return isPeer(tier) ? 3 : 2;
  };
  return sized.reduce((best, setting) => (rank(setting) < rank(best) ? setting : best));
}

/** The setting that a user has without a choice, where it is tried; else the first reference. */
function baselineOf(settings: readonly EvalSetting[], measure: TokenCounter | undefined): string {
  const sizes = [...new Set(settings.map(({ size }) => size))];
  const usual = DEFAULT_SIZE[measure === undefined ? 'characters' : 'tokens'];
  const size = sizes.includes(usual) ? usual : sizes[0];
  return nameOfSetting(referenceOf(settings.filter((setting) => setting.size === size)));
}

function settingReport(setting: EvalSetting, reference: EvalSetting, index: CutIndex): SettingReport {
  const sizes = index.sizes.map(({ size }) => size).sort((a, b) => a - b);
  return {
    ...setting,
    name: nameOfSetting(setting),
    reference: nameOfSetting(reference),
    chunks: index.chunks.length,
    tokens: meanTokens(index.chunks),
    sizes: { low: sizes[0] ?? 0, middle: middleSize(index), high: sizes.at(-1) ?? 0 },
  };
}

function countOrigins(questions: readonly EvalQuestion[]): Record<QuestionOrigin, number> {
  const counts = { given: 0, cell: 0, definition: 0, heading: 0 };
  for (const { origin } of questions) counts[origin]++;
  return counts;
}

async function loadPeers(settings: readonly EvalSetting[], folder: string): Promise<Map<PeerId, PeerSplit>> {
  const peers = new Map<PeerId, PeerSplit>();
  for (const { tier } of settings)
    if (isPeer(tier) && !peers.has(tier)) peers.set(tier, await loadPeer(tier, folder));
  return peers;
}

async function defaultCounter(): Promise<TokenCounter> {
  const { tokenCounter } = await import('@grainline/models/tokens');
  return tokenCounter('o200k');
}

async function defaultEmbedder(): Promise<Embed> {
  const { staticEmbedder } = await import('@grainline/models/embeddings');
  return staticEmbedder();
}

interface Queries {
  readonly model: string;
  readonly vectors: ReadonlyMap<string, ArrayLike<number>>;
}

async function embedQueries(
  questions: readonly EvalQuestion[],
  embed: Embed,
  signal: AbortSignal | undefined,
): Promise<Queries> {
  const texts = [...new Set(questions.map(({ question }) => question))];
  const vectors = await embedTexts(embed, texts, signal);
  const { model } = await embed(texts.slice(0, 1), signal === undefined ? {} : { signal });
  return { model, vectors: new Map(texts.map((text, index) => [text, vectors[index] ?? []])) };
}

/** An embedder that embeds no text twice: the tier `semantic` has the same pieces at every size. */
function remembering(embed: Embed): Embed {
  const known = new Map<string, ArrayLike<number>>();
  let facts = { model: '', dimensions: 0 };
  return async (texts, run) => {
    const missing = [...new Set(texts.filter((text) => !known.has(text)))];
    if (missing.length > 0) {
      const { vectors, ...others } = await embed(missing, run);
      facts = others;
      for (const [index, text] of missing.entries()) known.set(text, vectors[index] ?? []);
    }
    return { ...facts, vectors: texts.map((text) => known.get(text) ?? []) };
  };
}

function assertUsable({
  documents,
  questions = [],
  settings,
  retrievers,
  blends = [],
  k = K,
}: EvaluateOptions): void {
  const issues: string[] = [];
  if (documents.length === 0) issues.push('documents must have at least one.');
  const names = documents.map(({ name }) => name);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) issues.push(`Two documents have the name ${JSON.stringify(repeated)}.`);
  const texts = new Map(documents.map(({ name, document }) => [name, document.text]));
  const wrong = questions.find(({ document, spans }) => {
    const length = texts.get(document)?.length ?? -1;
    return spans.length === 0 || !spans.every(({ start, end }) => start >= 0 && start < end && end <= length);
  });
  if (wrong !== undefined)
    issues.push(
      `The question ${JSON.stringify(wrong.question)} has no span, or one outside of its document.`,
    );
  if (settings?.length === 0) issues.push('settings must have at least one.');
  if (retrievers?.length === 0) issues.push('retrievers must be bm25, vectors or both.');
  if (!Number.isInteger(k) || k < 1) issues.push(`k must be an integer from 1, but is ${k}.`);
  if (!blends.every((blend) => blend >= 0 && blend <= 1)) issues.push('blends must be numbers from 0 to 1.');
  if (issues.length > 0) throw new EvalError('invalid_options', issues.join(' '), { issues });
}
