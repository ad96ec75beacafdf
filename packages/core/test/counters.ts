// Counters that no tokenizer is as bad as: what the laws must survive. Their ranges are counted by slicing.
import type { TokenCounter } from '../src/measure.ts';

const counterOf = (name: string, count: (text: string) => number): TokenCounter => ({
  name,
  count: (text) => (text === '' ? 0 : count(text)),
  measure(text) {
    const countRange = (start: number, end: number): number => this.count(text.slice(start, end));
    return {
      text,
      count: countRange,
      longestPrefix(start, end, maxTokens) {
        let at = start;
        while (at < end) {
          const next = Math.min(end, at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1));
          if (countRange(start, next) > maxTokens) break;
          at = next;
        }
        return at;
      },
    };
  },
});

const encoder = new TextEncoder();
const edges = (text: string): number => text.charCodeAt(0) + text.charCodeAt(text.length - 1);

/** Counters by what is wrong with them. */
export const NASTY: readonly TokenCounter[] = [
  counterOf('bytes of UTF-8', (text) => encoder.encode(text).length),
  // A longer range is often cheaper, and a part dearer than the whole.
  counterOf('by first and last unit', (text) => Math.ceil(text.length / (1 + (edges(text) % 4)))),
  counterOf('dear ends', (text) => Math.ceil(text.length / 4) + (edges(text) % 7) + 1),
  counterOf('one for anything', () => 1),
  counterOf('many for anything', (text) => 3 + text.length),
];
