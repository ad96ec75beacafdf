// The help texts, computed from the tables of options, tiers, formats and readers.
import type { TierId } from '@grainline/core';
import { FORMATS } from '@grainline/core/formats';
import { READERS } from '@grainline/extract';
import { IMAGES } from '@grainline/extract/kinds';
import {
  CHUNK_OPTIONS,
  CITE_OPTIONS,
  DOCTOR_OPTIONS,
  EVAL_OPTIONS,
  LOAD_OPTIONS,
  MCP_OPTIONS,
  SEARCH_OPTIONS,
  SERVE_OPTIONS,
} from './options.ts';
import type { CliOption } from './words.ts';

/** Text of `grainline --help`. */
export function helpText(options: Readonly<Record<string, CliOption>> = CHUNK_OPTIONS): string {
  return `Usage: grainline [options] FILE | DIR | GLOB | - …
       grainline serve [options]
       grainline mcp [options]
       grainline doctor [options]
       grainline eval [options] FILE | DIR | GLOB …
       grainline cite [options] FILE QUOTATION …
       grainline load [options] SOURCE … --to URL
       grainline search [options] --from URL QUESTION

${wrap(`Splits documents (${READERS.map((reader) => reader.name).join(', ')}) into chunks for retrieval, and writes a line of JSON for each chunk to standard output.`, COLUMNS).join('\n')}
DIR stands for the documents below it (--list), - for standard input; source
code and other text are read when a file or a pattern names them.

Options:
${optionRows(options)}

Examples:
  grainline report.pdf --size 800 > chunks.jsonl
  grainline report.pdf --unit tokens --size 400 --overlap 40 --view
  grainline docs/ 'notes/**/*.md' --format qdrant --out chunks/
  grainline 'src/**/*.ts' --size 1500 --view
  cat notes.md | grainline - --view
  grainline report.pdf --html > chunks.html
  grainline scans/ --ocr=deu+eng --out chunks/
  grainline report.pdf --remote https://chunks.example --tier free
  grainline a.pdf --remote https://chunks.example --keypair id.json --max-cost 1
  grainline serve --port 9000
  grainline mcp --root docs/
  grainline eval docs/ --questions questions.jsonl --html > report.html
  grainline cite report.pdf "its words ... and more of them"
  grainline load docs/ --to lancedb:./vectors
  grainline search --from lancedb:./vectors "When is high water?"
  AI_MODEL=gpt-4.1-mini AI_API_KEY=… grainline report.pdf --tier ai
  AI_MODEL=gpt-4.1-mini grainline docs/ --tier ai-pro --dry-run

Exit codes:
  0    all done, or the reader of the output needs no more
  1    some file failed; the others are done
  2    wrong use; nothing was done
  130  interrupted (143 by SIGTERM); no file is left half-written

Payments are written down below XDG_STATE_HOME (~/.local/state) before they are
made: a run that dies goes on with them, and no document is paid for twice.

The tiers ai and ai-pro ask the language model that AI_MODEL names; with
--dry-run they say what they would ask and what that costs at most, and ask
nothing.
grainline doctor --help lists the settings.

NO_COLOR takes the colours from --view, FORCE_COLOR keeps them in a pipe.
`;
}

/** Text of `grainline serve --help`. */
export function serveHelpText(): string {
  return `Usage: grainline serve [options]

Starts the service (of the package @grainline/server) and runs until it is
interrupted. All its settings come from the environment; the options below go
before PORT, HOST and PAYMENTS there.

Options:
${optionRows(SERVE_OPTIONS)}
`;
}

/** Text of `grainline mcp --help`. */
export function mcpHelpText(): string {
  return `Usage: grainline mcp [options]

Serves tools to coding agents and assistants by the Model Context Protocol (with
the package @grainline/mcp): to chunk texts, and files below the folders named.
It speaks on standard input and output, and is started by the client:

  npx -y -p grainline -p @grainline/mcp grainline mcp --root DIR

Give --root as often as there are folders. Nothing leaves this machine without
--remote, and nothing is paid without --keypair and --max-cost.

Options:
${optionRows(MCP_OPTIONS)}
`;
}

/**
 * Text of `grainline doctor --help`. Its settings load with the models, so that other commands start without them.
 */
export async function doctorHelpText(): Promise<string> {
  const { AI_SETTINGS } = await import('@grainline/models/language');
  const width = Math.max(...Object.keys(AI_SETTINGS).map((name) => name.length));
  const rows = Object.entries(AI_SETTINGS).map(([name, meaning]) => `  ${name.padEnd(width)}  ${meaning}`);
  return `Usage: grainline doctor [options]

Tries Node, the PDF reader, the tokenizers, the optional packages, the embedder,
a service, and the language model that the environment names: it is asked one small
question, for --tier ai and ai-pro, which send the text of documents there.

Environment:
${rows.join('\n')}

Options:
${optionRows(DOCTOR_OPTIONS)}
`;
}

/** Text of `grainline eval --help`. The tables of the evaluation load with it. */
export async function evalHelpText(): Promise<string> {
  const { EVAL_TIERS, METRICS, PEERS } = await import('@grainline/eval');
  const measures = Object.values(METRICS).map(({ title, meaning }) => [title, meaning]);
  const peers = Object.entries(PEERS).map(([id, { title, package: name }]) => [id, `${title}, of ${name}`]);
  return `Usage: grainline eval [options] FILE | DIR | GLOB …

Measures how well chunks serve retrieval on your documents: by tier, size and
option, by keywords (BM25) and by vectors, at equal tokens in each document. It
recommends a setting only where it is the best in 90 % of the resamples of one
half of the questions, and judges it by the other half. Resamples draw documents
with their questions, or questions where the documents are few.

A line of the file of questions:
  {"question": "High water?", "document": "tides.md", "answer": "comes at six"}

In place of "answer", "span": [start, end] in the document's text, as offsets of
chunks count. Without a file, questions are made by rules from table cells and
definitions; those made from headings are reported apart.

Options (LIST: values with commas between them):
${optionRows(EVAL_OPTIONS)}

Tiers (--tier): ${EVAL_TIERS.join(', ')}

${section('Splitters of other libraries (--peers), where you have them installed', peers)}
${section('Measures', measures)}
Examples:
  grainline eval docs/ --questions questions.jsonl
  grainline eval docs/ --save-questions questions.jsonl
  grainline eval docs/ --tier structure,free --size 800,1200 --html > a.html
  grainline eval docs/ --peers langchain,chonkie --json > report.json
`;
}

/** Text of `grainline cite --help`. */
export function citeHelpText(): string {
  return `Usage: grainline cite [options] FILE QUOTATION …

Finds quotations in a document as language models write them: with other quotes,
dashes, blanks and case, a word more or less, and ... for what was left out. It
prints the score of each, its pages and offsets, and the words that stand there.
With --json also its boxes on the pages of a PDF, or its anchor in HTML and DOCX.
The exit code is 1 when one is not found.

Options:
${optionRows(CITE_OPTIONS)}

Examples:
  grainline cite handbook.pdf "the limit is ten requests ... a minute"
  grainline cite --json handbook.pdf "the first" "and the second"
`;
}

/** Text of `grainline load --help`. */
export function loadHelpText(): string {
  return `Usage: grainline load [options] SOURCE … --to URL

Loads documents into a vector database, and keeps them in step: a second run
reads what has changed, and embeds what an edit concerns. SOURCE is a file, a
folder, a pattern, a link, a sitemap (https://example.com/sitemap.xml) or
s3://bucket/prefix, with the environment variables of AWS. A run that was
interrupted or killed is completed by the next one.

The databases, their addresses and the packages they need stand in
docs/stores.md. Passwords and keys belong into the environment, or into a file
for --credentials; all output masks them.

Options:
${optionRows(LOAD_OPTIONS)}

Examples:
  grainline load docs/ --to lancedb:./vectors
  grainline load docs/ --to postgres://localhost/docs --prune
  grainline load docs/ --to lancedb:./vectors --dry-run --price 0.02
  grainline load https://example.com/sitemap.xml --to qdrant://localhost
  grainline load s3://bucket/reports --to lancedb:./vectors --watch

${STORE_EXIT_CODES}`;
}

/** Text of `grainline search --help`. */
export function searchHelpText(): string {
  return `Usage: grainline search [options] --from URL QUESTION

Finds the chunks that answer a question in a database that grainline load has
filled, by vectors and by keywords, and prints each with its score, document,
pages and offsets.

Options:
${optionRows(SEARCH_OPTIONS)}

Examples:
  grainline search --from lancedb:./vectors "When is high water?"
  grainline search --from postgres://localhost/docs --by keywords --json "tide"

${STORE_EXIT_CODES}`;
}

const STORE_EXIT_CODES = `Exit codes:
  0    all done; for search: something was found
  1    some document failed, or nothing was found; the others are done
  2    wrong use; nothing was done
  3    the database does not answer
  4    the database refuses the credentials
  5    the database's client or extension is missing
  6    the database holds another embedder, length, blend or layout, or a
       collection that grainline did not make
  7    another process loads the source
  8    nothing has been loaded into the database
  130  interrupted (143 by SIGTERM); the next run goes on
`;

/** The summaries of core, which clients of a service know by their text, for people who choose a tier. */
const TIERS_IN_PLAIN_WORDS: Readonly<Record<TierId, string>> = {
  free: 'As many paragraphs, lines or words as fit, as LangChain splits.',
  standard: 'Whole sentences, in chunks of even size that begin at paragraphs where they can.',
  structure: 'Headings stay with their text, table rows with their header, code and lists in one piece.',
  professional: 'As structure; each chunk begins with its title, headings and other context, for search.',
  semantic: 'As structure; cuts where the topic changes, for text without headings.',
  ai: 'As structure; a language model says where each passage begins.',
  'ai-pro': 'As ai; the model also gives each chunk a title, a summary, keywords, questions and names.',
};

/** Text of `grainline --list`: the kinds of documents, the tiers and the formats. */
export function listText(): string {
  const pictures = { ...IMAGES, name: `${IMAGES.name}, with --ocr` };
  const kinds = [...READERS, pictures].map(({ name, extensions }) => [
    name,
    extensions.map((extension) => `.${extension}`).join(' '),
  ]);
  const formats = Object.values(FORMATS).map(({ id, summary }) => [id, summary]);
  return [
    section('Document kinds', kinds),
    section('Tiers (--tier)', Object.entries(TIERS_IN_PLAIN_WORDS)),
    section('Formats (--format)', [...formats, ['text', 'the text of the chunks alone, for reading']]),
  ].join('\n');
}

function section(title: string, rows: readonly (readonly string[])[]): string {
  const width = Math.max(...rows.map(([first = '']) => first.length));
  const lines = rows.map(([first = '', second = '']) => `  ${first.padEnd(width)}  ${second}\n`);
  return `${title}:\n${lines.join('')}`;
}

/** Width of the help, as terminals have it. */
const COLUMNS = 80;

function optionRows(table: Readonly<Record<string, CliOption>>): string {
  const rows = Object.entries(table).map(([name, { short, value, optional, meaning }]) => {
    const letter = short === undefined ? '    ' : `-${short}, `;
    const placeholder = value === undefined ? (optional === undefined ? '' : `[=${optional}]`) : ` ${value}`;
    return { left: `${letter}--${name}${placeholder}`, meaning };
  });
  const width = Math.max(...rows.map(({ left }) => left.length)) + '    '.length;
  const indent = `\n${' '.repeat(width)}`;
  return rows
    .map(({ left, meaning }) => `  ${left}`.padEnd(width) + wrap(meaning, COLUMNS - width).join(indent))
    .join('\n');
}

/** Splits a text between words into lines of at most so many characters; a longer word has a line of its own. */
function wrap(text: string, columns: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + 1 + word.length > columns) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}
