// The real files of each kind with their words, and the cells of sheets, by independent readers: Python's standard
// library (truth.py), LibreOffice, and msgconvert of libemail-outlook-message-perl.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import type { BenchDocument } from './documents.ts';
import { CACHE, filesOf } from './kind-files.ts';
import type { BenchKind } from './readers.ts';
import { type Table, textOfHtml, type Truth } from './scores.ts';

/** Programs that read a kind, and the words of its files. */
export interface IndependentReader {
  readonly kind: BenchKind;
  readonly programs: readonly string[];
  /** In the order of the files; undefined for a file that it cannot read. */
  readonly truthsOf: (files: readonly string[]) => readonly (Truth | undefined)[];
}

export const INDEPENDENT_READERS: readonly IndependentReader[] = [
  { kind: 'eml', programs: ['python3'], truthsOf: (files) => pythonTruths('eml', files) },
  {
    kind: 'msg',
    programs: ['msgconvert', 'python3'],
    truthsOf: (files) => pythonTruths('eml', files.map(mailOfOutlook)),
  },
  { kind: 'epub', programs: ['python3'], truthsOf: (files) => pythonTruths('epub', files) },
  { kind: 'ipynb', programs: ['python3'], truthsOf: (files) => pythonTruths('ipynb', files) },
  {
    kind: 'rtf',
    programs: ['soffice', 'python3'],
    truthsOf: (files) => pythonTruths('odf', converted(files, 'fodt')),
  },
  { kind: 'odt', programs: ['python3'], truthsOf: (files) => pythonTruths('odf', files) },
  { kind: 'odp', programs: ['python3'], truthsOf: (files) => pythonTruths('odf', files) },
  { kind: 'ods', programs: ['python3'], truthsOf: (files) => pythonTruths('odf', files) },
  {
    kind: 'pptx',
    programs: ['soffice', 'python3'],
    truthsOf: (files) => pythonTruths('odf', converted(files, 'fodp')),
  },
  {
    kind: 'xlsx',
    programs: ['soffice', 'python3'],
    truthsOf: (files) => pythonTruths('odf', converted(files, 'fods')),
  },
  { kind: 'csv', programs: ['python3'], truthsOf: (files) => pythonTruths('csv', files) },
];

/** The documents of a reader's kind with their truth, and the reasons why some are missing. */
export function kindDocuments({ kind, programs, truthsOf }: IndependentReader): {
  readonly documents: readonly BenchDocument[];
  readonly missing: readonly string[];
} {
  const absent = programs.filter((program) => !isThere(program));
  if (absent.length > 0)
    return { documents: [], missing: [`${absent.join(', ')} is missing; install it for ${kind}.`] };
  const { files, missing } = filesOf(kind);
  const truths = truthsOf(files);
  const documents = files.flatMap((file, at) => {
    const truth = truths[at];
    return truth === undefined || (truth.text ?? '').trim().length < FEW_UNITS ? [] : [{ file, truth }];
  });
  return { documents, missing };
}

/** A text with fewer words says nothing of a reader. */
const FEW_UNITS = 40;

function isThere(program: string): boolean {
  try {
    execFileSync('which', [program], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function outputOf(program: string, options: readonly string[], timeout = 120_000): string {
  try {
    return execFileSync(program, options, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 1 << 29,
      timeout,
    });
  } catch {
    return '';
  }
}

interface PythonTruth {
  readonly text?: string;
  readonly tables?: readonly Table[];
  readonly sheets?: readonly Table[];
  /** The parts of a message in HTML and plain text. */
  readonly pieces?: readonly (readonly [subtype: string, content: string])[];
}

function pythonTruths(form: string, files: readonly (string | undefined)[]): (Truth | undefined)[] {
  return batches(files).flatMap((batch) => {
    const output = outputOf('python3', [
      path.join(import.meta.dirname, 'truth.py'),
      form,
      ...batch.map((file) => file ?? ''),
    ]);
    const truths = JSON.parse(output === '' ? '[]' : output) as (PythonTruth | null)[];
    return batch.map((_, at) => truthOf(truths[at] ?? undefined));
  });
}

function truthOf(python: PythonTruth | undefined): Truth | undefined {
  if (python?.pieces === undefined) return python;
  const texts = python.pieces.map(([subtype, text]) => (subtype === 'html' ? textOfHtml(text) : text));
  return { text: texts.join('\n\n') };
}

/** Files of one call of a program. */
const BATCH = 25;

function batches<Item>(items: readonly Item[]): (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / BATCH) }, (_, at) =>
    items.slice(at * BATCH, (at + 1) * BATCH),
  );
}

const CONVERTED = path.join(CACHE, 'converted');

/** Files in another format of LibreOffice, from the cache where they are there. It starts for seconds. */
function converted(files: readonly string[], ending: string): (string | undefined)[] {
  mkdirSync(CONVERTED, { recursive: true });
  const copyOf = (file: string): string => path.join(CONVERTED, `${path.parse(file).name}.${ending}`);
  const profile = `-env:UserInstallation=file://${CONVERTED}/profile`;
  for (const batch of batches(files.filter((file) => !existsSync(copyOf(file)))))
    outputOf(
      'soffice',
      [profile, '--headless', '--convert-to', ending, '--outdir', CONVERTED, ...batch],
      300_000,
    );
  return files.map((file) => (existsSync(copyOf(file)) ? copyOf(file) : undefined));
}

/** A message of Outlook as one of the internet. */
function mailOfOutlook(file: string): string | undefined {
  mkdirSync(CONVERTED, { recursive: true });
  const copy = path.join(CONVERTED, `${path.parse(file).name}.eml`);
  if (!existsSync(copy)) outputOf('msgconvert', ['--outfile', copy, file]);
  return existsSync(copy) ? copy : undefined;
}
