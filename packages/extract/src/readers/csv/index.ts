// CSV and TSV → Document: decoded, and otherwise as typed. Core finds the delimiter, the records and their cells, so
// that every cell is a part of the file.
import { documentFromText } from '@grainline/core';
import { decodeText } from '../../encoding/decode.ts';
import type { Reader } from '../../reader.ts';

/** Reads delimited values. A file of that name without any delimiter is plain text. */
export const CSV: Reader = {
  kind: 'csv',
  version: 1,
  extensions: ['csv', 'tsv'],
  mediaTypes: ['text/csv', 'text/tab-separated-values'],
  read: async ({ bytes, charset, filename }) => {
    const { text, warnings } = await decodeText(bytes, charset);
    return documentFromText(text, { kind: 'csv', filename, warnings });
  },
};
