// Word files with the headings that a reader of the page sees, by hand (docx-headings.txt). Pandoc and others know only
// headings with a style.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type BenchDocument, CORPUS } from './documents.ts';
import { filesOf } from './kind-files.ts';
import type { Outline } from './scores.ts';

/** The files of one origin, and the reasons why some are missing. */
export function outlinedFiles(origin: 'corpus' | 'poi'): {
  readonly documents: readonly BenchDocument[];
  readonly missing: readonly string[];
} {
  const { files, missing } = origin === 'poi' ? filesOf('docx') : { files: [], missing: [] };
  const fileOf = (name: string): string =>
    files.find((file) => file.endsWith(`-${name}`)) ?? path.join(CORPUS, 'docx', name);
  const text = readFileSync(path.join(import.meta.dirname, 'docx-headings.txt'), 'utf8');
  const documents = text.split('\n\n').flatMap((entry): BenchDocument[] => {
    const [head = '', ...lines] = entry.trim().split('\n');
    const [, itsOrigin, name = ''] = /^(corpus|poi) (.+)$/.exec(head) ?? [];
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
  const marked = (mark: RegExp): string[] =>
    lines.filter((line) => mark.test(line)).map((line) => line.replace(mark, ''));
  return { headings: marked(/^#+ /), maybe: marked(/^\? /) };
}
