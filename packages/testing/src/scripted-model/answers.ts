// Answers of the scripted model: a rule of a few lines for each schema, which depends on the request alone. It is no
// model. It cuts at headings and between neighbours without a common longer word (where there are empty lines, at these
// alone; elsewhere behind three units or more), and describes a passage in the passage's own words.
import type { ModelCall, Schema } from './model-call.ts';

type CallContent = Pick<ModelCall, 'texts' | 'schema'>;

/** The answer of a model that follows its instructions. */
export function answerTo({ texts, schema }: CallContent): unknown {
  const shape = schema?.properties ?? {};
  if ('cuts' in shape || (schema === undefined && markIn(texts) !== undefined))
    return { cuts: cutsOf(unitsIn(texts)) };
  if ('chunks' in shape) return { chunks: chunksIn(texts).map(described) };
  if ('sections' in shape)
    return {
      summary: `This document is about ${namedWords(unitsIn(texts).join(' '), 3)}.`,
      sections: unitsIn(texts).map((unit, at) => ({ id: at + 1, gist: firstSentence(unit, 80) })),
    };
  return anythingOf(schema ?? { type: 'object', properties: { number: { type: 'integer' } } });
}

const MARK = /^=====[0-9a-f]{16}=====/m;

/** The line between which a document stands; undefined when the question has none. */
export function markIn(texts: readonly string[]): string | undefined {
  for (const text of texts) {
    const found = MARK.exec(text)?.[0];
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The numbered units of a question, the first having number 1. */
export function unitsIn(texts: readonly string[]): string[] {
  const mark = markIn(texts);
  if (mark === undefined) return [];
  const text = texts.find((one) => one.includes(mark)) ?? '';
  const from = text.indexOf('\n', text.indexOf(`${mark}\n`)) + 1;
  const shown = text.slice(from, text.indexOf(`\n${mark}`, from));
  const units: string[] = [];
  let at = 0;
  for (let number = 1; at !== -1; number++) {
    const next = shown.indexOf(`\n[${number + 1}] `, at);
    units.push(shown.slice(at, next === -1 ? undefined : next).replace(/^\n?\[\d+\] /, ''));
    at = next;
  }
  return units;
}

/** A chunk that a question shows. */
export interface ShownChunk {
  readonly id: number;
  readonly text: string;
}

/** The chunks of a question. */
export function chunksIn(texts: readonly string[]): ShownChunk[] {
  const mark = markIn(texts);
  if (mark === undefined) return [];
  const text = texts.find((one) => one.includes(mark)) ?? '';
  return text
    .split(`\n${mark} `)
    .map((part) => /^chunk (\d+)[^\n]*\n(.*)$/s.exec(part))
    .flatMap((found) => (found === null ? [] : [{ id: Number(found[1]), text: found[2] ?? '' }]));
}

/** Shared words of at least so many letters speak for one topic. */
const LEAST_LETTERS = 5;
/** Units on either side of a gap that are looked at. */
const SIDE = 2;
/** Fewest units of a passage that no heading or empty line begins: the items of a list are no passages. */
const LEAST_UNITS = 3;

function cutsOf(units: readonly string[]): number[] {
  // An empty line behind a unit is the author's.
  const isOpen = (at: number): boolean => /\n\s*$/.test(units[at] ?? '');
  const isParted = units.some((unit, at) => /^#{1,6} /.test(unit) || isOpen(at));
  const words = units.map((unit) => longWords(unit));
  const cuts: number[] = [];
  for (let at = 1; at < units.length; at++) {
    const before = new Set(words.slice(Math.max(0, at - SIDE), at).flat());
    const after = words.slice(at, at + SIDE).flat();
    const differs = !after.some((word) => before.has(word));
    const isLong = at + 1 - (cuts.at(-1) ?? 1) >= LEAST_UNITS;
    const begins = /^#{1,6} /.test(units[at] ?? '') || (differs && (isParted ? isOpen(at - 1) : isLong));
    if (begins) cuts.push(at + 1);
  }
  return cuts;
}

function longWords(text: string): string[] {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  return words.filter(({ length }) => length >= LEAST_LETTERS);
}

function described({ id, text }: ShownChunk): object {
  const keywords = topWords(text, 5);
  return {
    id,
    context: `This passage is about ${namedWords(text, 3)}.`,
    title: firstSentence(text, 50),
    summary: firstSentence(text, 200),
    keywords,
    questions: keywords.slice(0, 3).map((word) => `What is said of ${word}?`),
    entities: entitiesIn(text),
  };
}

/** The most frequent longer words, of equals the first. */
function topWords(text: string, most: number): string[] {
  const counts = new Map<string, number>();
  for (const word of longWords(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const words = [...counts].sort(([, one], [, other]) => other - one).map(([word]) => word);
  return words.length === 0 ? ['text'] : words.slice(0, most);
}

function namedWords(text: string, most: number): string {
  return topWords(text, most).join(', ');
}

/** The beginning of a text up to the end of a sentence, or of a word where that is too long. */
function firstSentence(text: string, most: number): string {
  const plain = text
    .replaceAll(/[#*_`|>]+/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const sentence = /^.*?[.!?](?=\s|$)/.exec(plain)?.[0] ?? plain;
  if (sentence.length <= most) return sentence === '' ? 'text' : sentence;
  return sentence.slice(0, Math.max(1, sentence.lastIndexOf(' ', most))).toWellFormed();
}

/** Words with a capital behind one without. */
function entitiesIn(text: string): string[] {
  const found = text.matchAll(/(?<=\p{Ll} )\p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+)*/gu);
  return [...new Set([...found].map(([name]) => name))].slice(0, 5);
}

/** Something of a shape that has no rule of its own: its numbers are seven. */
function anythingOf({ type, properties, enum: allowed }: Schema): unknown {
  switch (type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(properties ?? {}).map(([name, schema]) => [name, anythingOf(schema)]),
      );
    case 'array':
      return [];
    case 'boolean':
      return true;
    case 'string':
      return allowed?.[0] ?? 'scripted';
    default:
      return 7;
  }
}
