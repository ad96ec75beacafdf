// Chunks as files: JSON, JSONL, CSV, and Markdown with the boundaries drawn in.
import { countOf, type Cuts, leadOf, pathOf, placeOf } from './cuts.ts';

/** A file to be saved. */
export interface Download {
  readonly filename: string;
  readonly mediaType: string;
  readonly content: string;
}

export type DownloadKind = 'json' | 'jsonl' | 'csv' | 'markdown';

/** What is saved. */
export interface Downloaded {
  readonly filename: string;
  readonly tier: string;
  readonly text: string;
  readonly cuts: Cuts;
  /** Records of the format that is chosen; JSON and JSONL hold them. */
  readonly records: readonly unknown[];
}

/** Makes the file. */
export function downloadOf(kind: DownloadKind, of: Downloaded): Download {
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

/** RFC 4180: lines end in CR LF, and what needs it stands in quotes. */
function csv({ text, cuts }: Downloaded): string {
  const rows = Array.from({ length: countOf(cuts) }, (_, index) => {
    const { start, end, overlap } = placeOf(cuts, index);
    const context = leadOf(cuts, index).trimEnd();
    return [index, start, end, overlap, pathOf(cuts, index) ?? '', context, text.slice(start, end)];
  });
  return [COLUMNS, ...rows].map((row) => `${row.map((value) => cell(String(value))).join(',')}\r\n`).join('');
}

/**
 * A cell. Spreadsheets run what begins like a formula, and documents may come from anybody: an apostrophe before it
 * makes it a text to them.
 */
function cell(value: string): string {
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function markdown({ text, cuts }: Downloaded): string {
  const parts = Array.from({ length: countOf(cuts) }, (_, index) => {
    const { start, end } = placeOf(cuts, index);
    return `<!-- chunk ${index + 1}: ${start} to ${end} -->\n\n${leadOf(cuts, index)}${text.slice(start, end)}\n`;
  });
  return parts.join('\n');
}

/** Hands a file to the browser to save. */
export function save({ filename, mediaType, content }: Download): void {
  const address = URL.createObjectURL(new Blob([content], { type: mediaType }));
  const link = document.createElement('a');
  link.href = address;
  link.download = filename;
  link.click();
  // The browser has taken hold of it by the next turn.
  setTimeout(() => URL.revokeObjectURL(address), 0);
}
