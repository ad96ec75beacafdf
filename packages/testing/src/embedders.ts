// Embedders for tests, whose vectors follow from the texts alone.
import type { Embed } from '@grainline/core';

const DIMENSIONS = 48;

/** Texts with words in common point the same way: each word has a direction of its own, drawn by its hash. */
export const wordEmbedder: Embed = (texts) =>
  Promise.resolve({ model: 'words', dimensions: DIMENSIONS, vectors: texts.map(bagOfWords) });

/** Directions that have nothing to do with the texts, and lengths from almost nothing to almost too much. */
export function hostileEmbedder(seed: number): Embed {
  return (texts) =>
    Promise.resolve({
      model: 'noise',
      dimensions: 3,
      vectors: texts.map((text) => {
        const length = 10 ** ((hashOf(`${seed} length ${text}`) % 600) - 300);
        return [0, 1, 2].map((part) => length * ((hashOf(`${seed} ${part} ${text}`) % 2001) - 1000.5));
      }),
    });
}

function bagOfWords(text: string): Float64Array {
  const vector = new Float64Array(DIMENSIONS);
  for (const word of ['', ...(text.toLowerCase().match(/\p{L}{3,}/gu) ?? [])])
    for (let part = 0; part < DIMENSIONS; part++)
      vector[part] = (vector[part] ?? 0) + (hashOf(`${word} ${part}`) / 2 ** 31 - 1) / (word === '' ? 20 : 1);
  return vector;
}

/** FNV-1a of a text's units with a last stir, from 0 to 2³² - 1. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
