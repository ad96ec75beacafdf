// The documents of workers.ts: notes of 4 kB in Markdown, and reports in PDF.
import { readFileSync } from 'node:fs';
import type { SubmittedDocument } from '@grainline/pipeline/steps';
import { setText, writePdf } from '@grainline/testing/pdf-writer';

const WORDS =
  'the tide returns with the moon and leaves what it carried far behind the wall of the harbour'.split(' ');

const line = (seed: number, at: number): string =>
  WORDS.map((_, word) => WORDS[Math.abs(word * (at + 3) + seed * 7 + at) % WORDS.length]).join(' ');

/** A note of 45 sentences below five headings. */
export function note(seed: number): SubmittedDocument {
  const documentId = `note-${seed}.md`;
  const parts = Array.from(
    { length: 45 },
    (_, at) => `${at % 9 === 0 ? `# Part ${at}\n\n` : ''}${line(seed, at)} ${seed}.`,
  );
  const bytes = new TextEncoder().encode(parts.join('\n\n'));
  return { documentId, revision: 1, filename: documentId, bytes };
}

/** A report with a running head, chapters of four pages and 45 lines on each page. */
export function report(seed: number, pages: number): SubmittedDocument {
  const documentId = `report-${seed}.pdf`;
  const linesOf = (page: number): Parameters<typeof setText>[0] => [
    { text: `Handbook ${page}`, x: 72, y: 770, size: 8 },
    ...(page % 4 === 1 ? [{ text: `Chapter ${page}`, x: 72, y: 730, size: 18 }] : []),
    ...Array.from({ length: 45 }, (_, at) => ({
      text: `${line(seed + page, at)}${at % 7 === 6 ? '.' : ''}`,
      x: 72,
      y: 700 - 14 * at,
    })),
  ];
  const bytes = writePdf({
    pages: Array.from({ length: pages }, (_, at) => ({ content: setText(linesOf(at + 1)) })),
  });
  return { documentId, revision: 1, filename: documentId, bytes };
}

/** A PDF of the machine. */
export function manual(path: string): SubmittedDocument {
  return { documentId: 'manual.pdf', revision: 1, filename: 'manual.pdf', bytes: readFileSync(path) };
}
