// Chunks as files: JSON, JSONL, CSV, and Markdown with boundaries as comments.
import { countOf, type CutTable, contextBefore, pathOf, spanOf } from '../document/cut-table.ts';

/** A file to save. */
export interface Download {
  readonly filename: string;
  readonly mediaType: string;
  readonly content: string;
}

export type DownloadKind = 'json' | 'jsonl' | 'csv' | 'markdown';

/** The content of a download. */
export interface DownloadSource {
  readonly filename: string;
  readonly tier: string;
  readonly text: string;
  readonly cuts: CutTable;
  /** Records of the chosen format; JSON and JSONL hold them. */
  readonly records: readonly unknown[];
}

/** Makes the file. */
export function downloadOf(kind: DownloadKind, of: DownloadSource): Download {
  const name = `${of.filename.replace(/\.[^.]*$/, '') || 'document'}.${of.tier}`;
  switch (kind) {
    case 'json':
      return {
        filename: `${name}.json`,
        mediaType: 'application/json',
        content: JSON.stringify(of.records, null, 2),
      };
    case 'jsonl': {
      const content = of.records.map((record) => `${JSON.stringify(record)}\n`).join('');
      return { filename: `${name}.jsonl`, mediaType: 'application/jsonl', content };
    }
    case 'csv':
      return { filename: `${name}.csv`, mediaType: 'text/csv', content: csv(of) };
    case 'markdown':
      return { filename: `${name}.chunks.md`, mediaType: 'text/markdown', content: markdown(of) };
  }
}

const COLUMNS = ['chunk', 'start_offset', 'end_offset', 'overlap_chars', 'heading_path', 'context', 'text'];

/** RFC 4180: lines end in CR LF, and special values stand in quotes. */
function csv({ text, cuts }: DownloadSource): string {
  const rows = Array.from({ length: countOf(cuts) }, (_, index) => {
    const { start, end, overlap } = spanOf(cuts, index);
    const context = contextBefore(cuts, index).trimEnd();
    return [index, start, end, overlap, pathOf(cuts, index) ?? '', context, text.slice(start, end)];
  });
  return [COLUMNS, ...rows].map((row) => `${row.map((value) => cell(String(value))).join(',')}\r\n`).join('');
}

/**
 * A cell. Spreadsheets run a text that begins like a formula, and documents come from any source; an apostrophe turns
 * it into a text.
 */
function cell(value: string): string {
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function markdown({ text, cuts }: DownloadSource): string {
  const parts = Array.from({ length: countOf(cuts) }, (_, index) => {
    const { start, end } = spanOf(cuts, index);
    return `<!-- chunk ${index + 1}: ${start} to ${end} -->\n\n${contextBefore(cuts, index)}${text.slice(start, end)}\n`;
  });
  return parts.join('\n');
}

/** Saves a file through the browser. */
export function save({ filename, mediaType, content }: Download): void {
  const address = URL.createObjectURL(new Blob([content], { type: mediaType }));
  const link = document.createElement('a');
  link.href = address;
  link.download = filename;
  link.click();
  // The browser has opened the address by the next turn.
  setTimeout(() => URL.revokeObjectURL(address), 0);
}
