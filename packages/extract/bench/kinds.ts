// Real mail, books, notebooks and rich text, each with its words by an independent reader: Python's email package,
// pandoc, LibreOffice. Files come from the development corpus, from packages of Debian, and from the folder KINDS.
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  lstatSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type BenchDocument, CORPUS } from './documents.ts';
import { unpackPackage } from './manuals.ts';
import type { BenchKind } from './readers.ts';
import { textOfHtml } from './scores.ts';

const CACHE = path.resolve(import.meta.dirname, '../../../node_modules/.cache/grainline-kinds');

/** Packages with files of a kind, by the patterns of their paths. */
const PACKAGES: Readonly<Partial<Record<BenchKind, readonly (readonly [name: string, files: RegExp])[]>>> = {
  eml: [['libpython3.11-testsuite', /test_email\/data\/msg_\d+\.txt$/]],
  epub: [
    ['debian-policy', /\.epub$/],
    ['developers-reference', /\.epub$/],
    ['debmake-doc', /\.epub$/],
  ],
  ipynb: [
    ['python-nbsphinx-doc', /\.ipynb\.gz$/],
    ['python-xarray-doc', /\.ipynb\.gz$/],
  ],
};

/** A program that reads a kind, and how its words come. */
export interface IndependentReader {
  readonly kind: BenchKind;
  readonly program: string;
  /** Texts of files, in order; '' for a file that it cannot read. */
  readonly textsOf: (files: readonly string[]) => readonly string[];
}

/** Colours of terminals in outputs of notebooks. */
// eslint-disable-next-line no-control-regex
const ESCAPES = /\x1b\[[0-?]*[ -/]*[@-~]/g;

/** The words of pandoc, by way of HTML, which has no marks and no targets of links in its text. */
const pandoc = (kind: BenchKind, ...more: string[]): IndependentReader => ({
  kind,
  program: 'pandoc',
  textsOf: (files) =>
    files.map((file) =>
      textOfHtml(outputOf('pandoc', ['-f', kind, '-t', 'html', ...more, file])).replace(ESCAPES, ''),
    ),
});

export const INDEPENDENT_READERS: readonly IndependentReader[] = [
  { kind: 'eml', program: 'python3', textsOf: (files) => files.map(textOfMail) },
  pandoc('epub'),
  // HTML of outputs is not read, and pandoc shows it in place of their text.
  pandoc('ipynb', '--ipynb-output=best'),
  // Pandoc ignores the code pages of RTF.
  { kind: 'rtf', program: 'soffice', textsOf: textsByOffice },
  pandoc('odt'),
];

/** The documents of a reader's kind with its words, and the reasons why some are missing. */
export function kindDocuments({ kind, program, textsOf }: IndependentReader): {
  readonly documents: readonly BenchDocument[];
  readonly missing: readonly string[];
} {
  if (!isThere(program))
    return { documents: [], missing: [`${program} is missing; install it for ${kind}.`] };
  const { files, missing } = filesOf(kind);
  const texts = textsOf(files);
  const documents = files.flatMap((file, at) => {
    const text = texts[at] ?? '';
    return text.length < FEW_UNITS ? [] : [{ file, truth: { text } }];
  });
  return { documents, missing };
}

/** A text with fewer words says nothing of a reader. */
const FEW_UNITS = 40;

function filesOf(kind: BenchKind): {
  readonly files: readonly string[];
  readonly missing: readonly string[];
} {
  const missing = (PACKAGES[kind] ?? []).flatMap(([name, pattern]) => fetchFiles(kind, name, pattern));
  const folders = [path.join(CORPUS, 'office'), path.join(CACHE, kind), process.env['KINDS'] ?? ''];
  const files = folders
    .filter((folder) => folder !== '' && existsSync(folder))
    .flatMap((folder) => filesIn(folder).filter((file) => file.endsWith(`.${kind}`)));
  return { files, missing };
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => path.join(folder, name))
    .filter((file) => lstatSync(file).isFile());
}

/** Brings the files of a package into the cache; the reason when that fails. */
function fetchFiles(kind: BenchKind, name: string, pattern: RegExp): string[] {
  const target = path.join(CACHE, kind, name);
  if (existsSync(target)) return [];
  const unpacked = path.join(CACHE, `${name}.unpacked`);
  try {
    unpackPackage(name, unpacked);
    mkdirSync(target, { recursive: true });
    for (const file of filesIn(unpacked).filter((one) => pattern.test(one))) {
      const bytes = readFileSync(file);
      const base = path
        .basename(file)
        .replace(/\.gz$/, '')
        .replace(/\.\w+$/, '');
      writeFileSync(path.join(target, `${base}.${kind}`), file.endsWith('.gz') ? gunzipSync(bytes) : bytes);
    }
    return [];
  } catch (error) {
    return [`${name} is missing (${String((error as Partial<Error>).message).split('\n')[0]}).`];
  } finally {
    rmSync(unpacked, { recursive: true, force: true });
  }
}

function isThere(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore', timeout: 60_000 });
    return true;
  } catch {
    return false;
  }
}

function outputOf(program: string, options: readonly string[]): string {
  try {
    return execFileSync(program, options, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 1 << 28,
      timeout: 120_000,
    });
  } catch {
    return '';
  }
}

/** The lines of the head that people see, the body (HTML before plain text), and attached texts below their names. */
const MAIL_SCRIPT = `
import email, email.policy, json, sys
def head(message):
    for name in ('Subject', 'From', 'To', 'Cc'):
        if message[name] is not None: yield ('plain', ('' if name == 'Subject' else name + ': ') + str(message[name]))
    for name, value in message.raw_items():
        if name.lower() == 'date': yield ('plain', 'Date: ' + str(value))
def pieces(message):
    if message.get_content_type() == 'message/rfc822':
        for inner in message.get_payload(): yield from [*head(inner), *pieces(inner)]
        return
    body = message.get_body(preferencelist=('html', 'plain'))
    if body is not None: yield (body.get_content_subtype(), body.get_content())
    for part in message.iter_attachments():
        if part is body: continue
        yield ('plain', part.get_filename() or '')
        if part.get_content_maintype() == 'text': yield (part.get_content_subtype(), part.get_content())
        elif part.get_content_maintype() == 'multipart': yield from pieces(part)
        elif part.get_content_maintype() == 'message':
            for inner in part.get_payload():
                if part.get_content_type() == 'message/rfc822': yield from [*head(inner), *pieces(inner)]
                else: yield ('plain', inner.as_string())
message = email.message_from_binary_file(open(sys.argv[1], 'rb'), policy=email.policy.default)
json.dump([*head(message), *pieces(message)], sys.stdout)
`;

function textOfMail(file: string): string {
  const output = outputOf('python3', ['-c', MAIL_SCRIPT, file]);
  if (output === '') return '';
  const pieces = JSON.parse(output) as [subtype: string, content: string][];
  return pieces
    .map(([subtype, content]) => (subtype === 'html' ? textOfHtml(content) : content))
    .join('\n\n');
}

/** LibreOffice starts for seconds, so it gets all files at once. */
function textsByOffice(files: readonly string[]): string[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'grainline-office-'));
  try {
    const profile = `-env:UserInstallation=file://${folder}/profile`;
    outputOf('soffice', [
      profile,
      '--headless',
      '--convert-to',
      'txt:Text (encoded):UTF8',
      '--outdir',
      folder,
      ...files,
    ]);
    return files.map((file) => {
      const text = path.join(folder, `${path.parse(file).name}.txt`);
      const words = existsSync(text) ? readFileSync(text, 'utf8') : '';
      // A file that it takes for plain text was not read.
      return words.includes('\\pard') ? '' : words;
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
