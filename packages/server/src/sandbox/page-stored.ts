// Some chunks of a stored answer. It runs in a child process, because an answer may have many megabytes.
import { gunzipSync } from 'node:zlib';
import type { PageResult, PageTask } from './task.ts';

/** Consecutive chunks within the limits, whole or absent. The first one is there however long it is. */
export function pageStored({ gzip, from, limit, maxCharacters }: PageTask): PageResult {
  const { chunks } = JSON.parse(gunzipSync(gzip).toString()) as { readonly chunks: readonly object[] };
  const page: string[] = [];
  let length = 0;
  for (const chunk of chunks.slice(from, from + limit)) {
    const json = JSON.stringify(chunk);
    length += json.length;
    if (page.length > 0 && length > maxCharacters) break;
    page.push(json);
  }
  const next = from + page.length;
  return { chunks: `[${page.join(',')}]`, total: chunks.length, ...(next < chunks.length && { next }) };
}
