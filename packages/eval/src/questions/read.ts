// A file of questions: one JSON object a line. Every line is checked against the documents before anything is measured,
// and all issues are reported together with their lines.
import type { Span } from '@grainline/core';
import { EvalError } from '../errors.ts';
import { type SolidText, withoutBlanks } from '../solid-text.ts';
import { mergeSpans } from '../metrics.ts';
import { type EvalDocument, type EvalQuestion, keyOf, type QuestionOrigin } from './question.ts';

/** Most issues in one message. */
const MOST_ISSUES = 20;
/** Wrong lines after which the rest is not checked: the search for a missing answer reads a whole document. */
const MOST_WRONG = 200;
/** Names of the members, for messages. */
const MEMBERS = ['question', 'document', 'answer', 'span', 'made'];
const MADE: readonly QuestionOrigin[] = ['cell', 'definition', 'heading'];

/**
 * Reads a file of questions. A line has these members:
 *
 * - `question`: the text;
 * - `document`: the name of the document with the answer, or the end of its path; not needed for a single document;
 * - `answer`: the answer's text, or a list of texts, as they stand in the document but for blanks; each occurs once;
 * - `span`: in place of `answer` or beside it, `[start, end]` of the answer in the document's text, or a list of those,
 *   in UTF-16 units as the offsets of chunks;
 * - `made`: `cell`, `definition` or `heading` for a question that `makeQuestions` made.
 *
 * @param jsonl the content of the file
 * @throws EvalError `invalid_questions`: a line that is no such object, a document that is not there, a span outside of
 * its document or with another text than the answer, an answer that does not occur or occurs more than once, and a
 * question that stands there twice. `no_questions` for a file without a question.
 * @example
 * readQuestions('{"question":"When is high water?","answer":"at six"}', [{ name: 'tides.md', document }]);
 */
export function readQuestions(jsonl: string, documents: readonly EvalDocument[]): EvalQuestion[] {
  const issues: string[] = [];
  const questions: EvalQuestion[] = [];
  const lines = new Map<string, number>();
  const solids = new Map<EvalDocument, SolidText>();
  const solidOf = (document: EvalDocument): SolidText => {
    const known = solids.get(document) ?? withoutBlanks(document.document.text);
    solids.set(document, known);
    return known;
  };
  for (const [index, line] of jsonl
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue;
    const number = index + 1;
    try {
      const question = readRow(line, documents, solidOf);
      const key = keyOf(question);
      const earlier = lines.get(key);
      if (earlier !== undefined) throw new LineError(`the question stands in line ${earlier} already`);
      lines.set(key, number);
      questions.push(question);
    } catch (error) {
      if (!(error instanceof LineError)) throw error;
      issues.push(`line ${number}: ${error.message}`);
      if (issues.length < MOST_WRONG) continue;
      issues.push(`the lines behind line ${number} are not checked`);
      break;
    }
  }
  if (issues.length > 0) {
    const more = issues.length > MOST_ISSUES ? [`and ${issues.length - MOST_ISSUES} more`] : [];
    const message = [...issues.slice(0, MOST_ISSUES), ...more].join('; ');
    throw new EvalError('invalid_questions', `The questions cannot be used: ${message}.`, { issues });
  }
  if (questions.length === 0) throw new EvalError('no_questions', 'The file holds no question.');
  return questions;
}

/** The lines of a file that {@link readQuestions} reads back. */
export function writeQuestions(
  questions: readonly EvalQuestion[],
  documents: readonly EvalDocument[],
): string {
  const texts = new Map(documents.map(({ name, document }) => [name, document.text]));
  const rows = questions.map(({ question, document, spans, origin }) => {
    const answer = spans.map(({ start, end }) => texts.get(document)?.slice(start, end) ?? '');
    const span = spans.map(({ start, end }) => [start, end]);
    const made = origin === 'given' ? {} : { made: origin };
    return JSON.stringify(
      spans.length === 1
        ? { question, document, answer: answer[0], span: span[0], ...made }
        : { question, document, answer, span, ...made },
    );
  });
  return rows.map((row) => `${row}\n`).join('');
}

/** An issue of one line; the reader of the file adds its number. */
class LineError extends Error {}

function readRow(
  line: string,
  documents: readonly EvalDocument[],
  solidOf: (document: EvalDocument) => SolidText,
): EvalQuestion {
  const { question, document, answer, span, made } = objectOf(line);
  if (typeof question !== 'string' || question.trim() === '') throw new LineError('question must be a text');
  if (made !== undefined && !MADE.includes(made as QuestionOrigin))
    throw new LineError(`made must be ${MADE.join(', ')} or absent`);
  const found = documentOf(document, documents);
  const { text } = found.document;
  const answers = answer === undefined ? undefined : textsOf(answer);
  if (answers === undefined && span === undefined) throw new LineError('there is neither answer nor span');
  const spans =
    span === undefined ? answers?.map((each) => occurrenceOf(solidOf(found), each)) : spansOf(span, text);
  if (span !== undefined && answers !== undefined) assertSame(text, spans ?? [], answers);
  return {
    question: question.trim(),
    document: found.name,
    spans: mergeSpans(spans ?? []),
    origin: (made as QuestionOrigin | undefined) ?? 'given',
  };
}

function objectOf(line: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new LineError('it is no JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new LineError('it is no JSON object');
  const unknown = Object.keys(value).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined)
    throw new LineError(`there is no member ${shown(unknown)}; a line has ${MEMBERS.join(', ')}`);
  return value as Readonly<Record<string, unknown>>;
}

/** The document of a name, else the only one whose path ends with it. */
function documentOf(name: unknown, documents: readonly EvalDocument[]): EvalDocument {
  const [only] = documents;
  if (name === undefined && documents.length === 1 && only !== undefined) return only;
  if (typeof name !== 'string') throw new LineError('document must be the name of a document');
  const exact = documents.find((document) => document.name === name);
  const ends = documents.filter((document) => `/${document.name}`.endsWith(`/${name}`));
  const found = exact ?? (ends.length === 1 ? ends[0] : undefined);
  if (found !== undefined) return found;
  throw new LineError(
    `${ends.length > 1 ? 'several documents end with' : 'there is no document'} ${shown(name)}`,
  );
}

function textsOf(answer: unknown): readonly string[] {
  const texts: unknown[] = Array.isArray(answer) ? answer : [answer];
  if (texts.length === 0 || !texts.every((text) => typeof text === 'string' && text.trim() !== ''))
    throw new LineError('answer must be a text or a list of texts');
  return texts as readonly string[];
}

function spansOf(span: unknown, text: string): readonly Span[] {
  const list: unknown[] = Array.isArray(span) && Array.isArray(span[0]) ? span : [span];
  return list.map((each) => {
    const [start, end] = Array.isArray(each) ? (each as unknown[]) : [];
    const isPair =
      Array.isArray(each) && each.length === 2 && Number.isInteger(start) && Number.isInteger(end);
    if (!isPair) throw new LineError('span must be [start, end] or a list of those, in integers');
    const [from, to] = [start as number, end as number];
    if (from < 0 || to > text.length || from >= to)
      throw new LineError(
        `the span [${from}, ${to}] is not in the document, which has ${text.length} characters`,
      );
    if (text.slice(from, to).trim() === '') throw new LineError(`the span [${from}, ${to}] is blank`);
    return { start: from, end: to };
  });
}

function assertSame(text: string, spans: readonly Span[], answers: readonly string[]): void {
  const isSame =
    spans.length === answers.length &&
    spans.every(
      ({ start, end }, index) =>
        withoutBlanks(text.slice(start, end)).solid === withoutBlanks(answers[index] ?? '').solid,
    );
  if (!isSame) throw new LineError('the answer is not the text of the span');
}

/** The only place of an answer in a text. Blanks do not count. */
function occurrenceOf({ solid, offsets }: SolidText, answer: string): Span {
  const wanted = withoutBlanks(answer).solid;
  const at = solid.indexOf(wanted);
  if (at === -1) throw new LineError(`the answer ${shown(answer)} does not occur in the document`);
  if (solid.includes(wanted, at + 1))
    throw new LineError(`the answer ${shown(answer)} occurs more than once; give more of it, or its span`);
  return { start: offsets[at] ?? 0, end: (offsets[at + wanted.length - 1] ?? 0) + 1 };
}

/** The beginning of a text of the file, for a message. */
function shown(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
