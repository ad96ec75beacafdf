// Documents of joined topics (Choi 2000), and how far cuts lie from where one topic ends and the next begins. Read by
// the test of the tier `ai` and by `npm run eval:ai`, which asks a real model.
import { readFileSync } from 'node:fs';

export interface Joined {
  readonly text: string;
  /** Where each sentence ends. */
  readonly ends: readonly number[];
  /** For the gap behind each sentence but the last, whether a topic ends there. */
  readonly truth: readonly boolean[];
}

/** Reads a file of a sentence a line, in which a line of `=` stands where a topic ends. */
export function readJoined(file: string): Joined {
  const sentences: string[] = [];
  const truth: boolean[] = [];
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (/^=+$/.test(line.trim())) {
      if (truth.length > 0) truth[truth.length - 1] = true;
    } else if (line.trim() !== '') {
      sentences.push(line.trim());
      truth.push(false);
    }
  }
  let end = -1;
  return {
    text: sentences.join(' '),
    ends: sentences.map(({ length }) => (end += length + 1)),
    truth: truth.slice(0, -1),
  };
}

/** Share of windows of half a mean topic's length of which only one of both says that they lie inside one topic. */
export function pk({ ends, truth }: Joined, chunks: readonly { readonly end: number }[]): number {
  const found = truth.map(() => false);
  for (const { end } of chunks.slice(0, -1)) {
    const away = (at: number): number => Math.abs((ends[at] ?? 0) - end);
    let nearest = 0;
    for (const at of truth.keys()) if (away(at) < away(nearest)) nearest = at;
    found[nearest] = true;
  }
  const topics = truth.filter(Boolean).length + 1;
  const width = Math.max(2, Math.round((truth.length + 1) / topics / 2));
  let [wrong, all] = [0, 0];
  for (let at = 0; at + width <= truth.length; at++, all++)
    if (truth.slice(at, at + width).includes(true) !== found.slice(at, at + width).includes(true)) wrong++;
  return wrong / all;
}
