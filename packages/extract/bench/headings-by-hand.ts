// Word files and tagged PDFs with the headings that a reader of the page sees, by hand (docx-headings.txt,
// pdf-headings.txt). Pandoc and others know only headings with a style, and a structure tree is its author's word.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type BenchDocument, CORPUS, written } from './documents.ts';
import { filesOf } from './kind-files.ts';
import type { Outline } from './scores.ts';

/** The files of one origin, and the reasons why some are missing. */
export function outlinedFiles(
  kind: 'docx' | 'pdf',
  origin: 'corpus' | 'debian',
): {
  readonly documents: readonly BenchDocument[];
  readonly missing: readonly string[];
} {
  const { files, missing } = origin === 'debian' ? filesOf(kind) : { files: [], missing: [] };
  const fileOf = (name: string): string =>
    files.find((file) => file.endsWith(`-${name}`)) ?? path.join(CORPUS, kind, name);
  const text = readFileSync(path.join(import.meta.dirname, `${kind}-headings.txt`), 'utf8');
  const documents = text.split('\n\n').flatMap((entry): BenchDocument[] => {
    const [head = '', ...lines] = entry.trim().split('\n');
    const [, itsOrigin, name = ''] = /^(corpus|debian) (.+)$/.exec(head) ?? [];
    return itsOrigin === origin ? [{ file: fileOf(name), truth: { outline: outlineOf(lines) } }] : [];
  });
  const present = documents.filter(({ file }) => existsSync(file));
  const absent = documents.length - present.length;
  return {
    documents: present,
    missing: [...missing, ...(absent > 0 ? [`${absent} files are missing.`] : [])],
  };
}

function outlineOf(lines: readonly string[]): Outline {
  const headings = lines.flatMap((line) => {
    const [, marks = '', text = ''] = /^(#+) (.+)$/.exec(line) ?? [];
    return marks === '' ? [] : [{ level: marks.length, text }];
  });
  const maybe = lines.flatMap((line) => /^\? (.+)$/.exec(line)?.[1] ?? []);
  return { headings, maybe };
}

/** Our reader uses no tree in a file with more objects than its limit (pdfium/tags.ts): a comment names that many. */
const MANY_OBJECTS = '\n% /Size 60001\n';

/** Copies of PDFs with the same pages, whose trees our reader ignores. */
export function ignoringTrees(documents: readonly BenchDocument[]): BenchDocument[] {
  return written(
    documents.map(({ file, truth }) => ({
      bytes: Buffer.concat([readFileSync(file), Buffer.from(MANY_OBJECTS)]),
      truth,
    })),
    'pdf',
  );
}
