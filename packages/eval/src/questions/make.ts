// Questions made by rules, for documents without a file of questions. A question from a table cell or a definition has
// its answer in the text, whatever the splitter; one from a heading favours splitters that put headings into the index,
// so it never decides. The rules are made for English; README.md of this folder has their reasons.
import type { Block, Document, Span } from '@grainline/core';
import { contentOf } from '@grainline/core/blocks';
import {
  type EvalDocument,
  type EvalQuestion,
  keyOf,
  plainWords,
  type QuestionOrigin,
  spread,
} from './question.ts';

/** Limits of {@link makeQuestions}. */
export interface MakeOptions {
  /** Most questions from cells and definitions together. Default 200. */
  readonly most?: number | undefined;
  /** Most questions from headings. Default 100. */
  readonly mostHeadings?: number | undefined;
}

/** A question before its document is known. */
type Draft = Omit<EvalQuestion, 'document'>;

const MOST = 200;
const MOST_HEADINGS = 100;
/** Most questions of one table: a long one would fill the file. */
const MOST_PER_TABLE = 5;

/**
 * Makes questions from the cells of tables with a header, from definitions, and from headings. Of more than enough it
 * takes an even choice, the same for equal documents. A question that two places answer is left out.
 *
 * @example
 * const questions = makeQuestions([{ name: 'handbook.md', document }]);
 */
export function makeQuestions(
  documents: readonly EvalDocument[],
  { most = MOST, mostHeadings = MOST_HEADINGS }: MakeOptions = {},
): EvalQuestion[] {
  const drafts = documents.flatMap(({ name, document }) =>
    draftsOf(document).map((draft): EvalQuestion => ({ ...draft, document: name })),
  );
  const times = timesOf(drafts.map(({ question }) => question));
  const clear = drafts.filter(({ question }) => times.get(plainWords(question)) === 1);
  const of = (origin: QuestionOrigin): EvalQuestion[] =>
    clear.filter((draft) => draft.origin === origin).sort((a, b) => spread(keyOf(a)) - spread(keyOf(b)));
  const [cells, definitions] = [of('cell'), of('definition')];
  // Half of each; the rest of one fills up the other.
  const half = Math.ceil(most / 2);
  const cellCount = Math.min(cells.length, Math.max(half, most - definitions.length));
  return [
    ...cells.slice(0, cellCount),
    ...definitions.slice(0, most - cellCount),
    ...of('heading').slice(0, mostHeadings),
  ];
}

/** How often each text occurs, by its plain words. */
function timesOf(texts: readonly string[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const words of texts.map(plainWords)) times.set(words, (times.get(words) ?? 0) + 1);
  return times;
}

function draftsOf(document: Document): Draft[] {
  const drafts: Draft[] = [];
  const visit = (blocks: readonly Block[]): void => {
    for (const [index, block] of blocks.entries()) {
      if (block.kind === 'table') drafts.push(...fromTable(document.text, block));
      else if (block.kind === 'heading') drafts.push(...fromHeading(document.text, block, blocks[index + 1]));
      else if (block.kind === 'paragraph' || (block.kind === 'item' && block.children === undefined))
        drafts.push(...fromDefinition(document.text, block));
      if (block.kind !== 'table') visit(block.children ?? []);
    }
  };
  visit(document.blocks);
  return drafts;
}

/** "What is the default of port?": the label of a row, the title of a column; the answer is the row. */
function fromTable(text: string, table: Block): Draft[] {
  const rows = (table.children ?? []).filter(({ kind }) => kind === 'row');
  const header = rows.findLast((row) => row.header === true);
  const columns = (header?.children ?? []).map((cell) => plainText(text, cell));
  const body = rows.filter((row) => row.header !== true);
  const labels = body.map((row) => (row.children?.[0] === undefined ? '' : plainText(text, row.children[0])));
  const times = timesOf(labels);
  const drafts = body.flatMap((row, index): Draft[] => {
    const label = labels[index] ?? '';
    const values = (row.children ?? []).map((cell) => plainText(text, cell));
    const usable = columns.flatMap((column, position) =>
      position > 0 && isName(column, 40) && isValue(values[position] ?? '') ? [column] : [],
    );
    const isClear = isName(label, 60) && times.get(plainWords(label)) === 1;
    const column = usable[spread(label) % Math.max(1, usable.length)];
    const spans = [trimmed(text, row)];
    return isClear && column !== undefined
      ? [{ question: `What is the ${column} of ${label}?`, spans, origin: 'cell' }]
      : [];
  });
  return drafts.sort((a, b) => spread(a.question) - spread(b.question)).slice(0, MOST_PER_TABLE);
}

/** `**Term**: meaning`, `term: meaning` in a list, `Term (n.) …` and "A term is a …". The answer is the sentence. */
function fromDefinition(text: string, block: Block): Draft[] {
  const span = trimmed(text, block);
  const content = text.slice(span.start, span.end);
  if (content.length > 2000) return [];
  const marks = /^(?:[-*+]|\d{1,3}[.)])?\s*/.exec(content)?.[0].length ?? 0;
  const body = content.slice(marks);
  const term = LABEL.exec(body)?.[2] ?? SENTENCE.exec(body)?.[1];
  if (term === undefined || !isName(term, 60) || NO_TERM.test(term)) return [];
  const end = sentenceEnd(body);
  if (end < 40) return [];
  const start = span.start + marks;
  return [
    { question: `What is ${plain(term)}?`, spans: [{ start, end: start + end }], origin: 'definition' },
  ];
}

/** A term in bold or as code, then a colon or a dash. */
const LABEL = /^(\*\*|__|`)([^\n*`]{2,60}?):?\1\s*(?::|[-–—]\s|\s(?=means\b|is\b))/;
/** "A term is a …": a noun phrase of at most five words before the verb. */
const SENTENCE =
  /^(?:An?\s|The\s)?((?:[\w'’-]+\s){0,4}?[\w'’-]+)\s+(?:is|are)\s+(?:an?|the|any|one|those|used|defined)\s/i;
/** Words that begin a sentence about something named before. */
const NO_TERM =
  /^(?:it|this|that|these|those|there|here|he|she|they|we|you|i|what|which|who|one|following|if|when|where|note|example|see|the|an?|and|but|or|so|as|in|on|at|for|to|of|some|all|most|each|such|another|today|now|my|your|his|her|their|our|its)\b/i;

/** The title of a section; the answer is the block below it. */
function fromHeading(text: string, heading: Block, next: Block | undefined): Draft[] {
  const title = plainText(text, heading);
  if (next?.kind !== 'paragraph' || !isName(title, 80) || !title.includes(' ')) return [];
  const span = trimmed(text, next);
  return span.end - span.start < 40 ? [] : [{ question: title, spans: [span], origin: 'heading' }];
}

/** The end of the first sentence that is not the term alone. */
function sentenceEnd(body: string): number {
  const rest = body.slice(40).search(/[.!?](?=\s|$)/);
  return rest === -1 ? body.length : 40 + rest + 1;
}

function plainText(text: string, block: Block): string {
  const { start, end } = contentOf(text, block);
  return plain(text.slice(start, end));
}

/** The longest text that is read without its marks: one of brackets alone takes quadratic time. */
const MAX_PLAIN = 2000;

/** A text without tags, links and marks. The names and values of questions are far shorter than the bound. */
function plain(marked: string): string {
  if (marked.length > MAX_PLAIN) return '';
  return marked
    .replaceAll(/<[^<>]*>/g, ' ')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[*`\\]+|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function isName(text: string, longest: number): boolean {
  return text.length >= 2 && text.length <= longest && /\p{L}{2}/u.test(text);
}

function isValue(text: string): boolean {
  return text.length <= 300 && /[\p{L}\p{N}]/u.test(text);
}

function trimmed(text: string, { start, end }: Span): Span {
  const content = text.slice(start, end);
  return {
    start: start + content.length - content.trimStart().length,
    end: start + content.trimEnd().length,
  };
}
