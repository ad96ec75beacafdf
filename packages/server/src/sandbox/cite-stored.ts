// Finds a quotation in a stored answer. It runs in a child process, because an answer may have many megabytes.
import { gunzipSync } from 'node:zlib';
import { citeRecords } from '@grainline/pipeline';
import type { CiteResult, CiteTask } from './task.ts';

/** The place of the quotation in the chunks of the answer. */
export function citeStored({ gzip, quote, bound }: CiteTask): CiteResult {
  const { chunks } = JSON.parse(gunzipSync(gzip).toString()) as { readonly chunks: readonly object[] };
  try {
    return { citation: citeRecords(chunks, quote, { bound }) };
  } catch (cause) {
    // The request was checked, so the stored answer is none of this service.
    throw new Error('The stored answer cannot be searched.', { cause });
  }
}
