// What is taken from an answer about chunks. Nothing is believed: texts are made plain and short, lists are bounded,
// ids that were not asked about are left alone. Whatever a document has made a model say, it is plain text in these six
// fields.
import type { Enrichment } from '../../cut.ts';
import { estimateTokens } from '../ai/estimate.ts';
import { commonWords, type Facts } from './facts.ts';

/** What is known of one chunk so far: the fields that could be kept, and why the others could not. */
export interface Draft {
  fields: Partial<Enrichment>;
  /** Fields to ask for once more, with the reason. Empty when all is there. */
  lacks: Map<Field, string>;
  /** What the model named that the document does not hold, to tell it. */
  inventions: string[];
}

/** What is asked about every chunk. */
export type Field = keyof Enrichment;

/** Fields that every chunk has; entities it need not have. */
export const FIELDS = ['title', 'summary', 'context', 'keywords', 'questions'] as const;
/** The longest, in UTF-16 units; what is longer is cut at the end of a sentence or word. */
const LONGEST = { title: 120, summary: 600, context: 600 } as const;
/** The most tokens of a context, by our estimate. */
const CONTEXT_TOKENS = 100;
/**
 * The most items of a list, and the longest, in UTF-16 units; longer ones are left out, for half a name is another
 * name.
 */
const LISTS = {
  keywords: { most: 8, longest: 60 },
  questions: { most: 3, longest: 200 },
  entities: { most: 12, longest: 80 },
} as const;

/** A draft of which nothing is known. */
export function emptyDraft(): Draft {
  return { fields: {}, lacks: new Map(FIELDS.map((field) => [field, 'missing'])), inventions: [] };
}

/** Whether a value is an answer at all. */
export function isAnswer(value: unknown): value is { readonly chunks: readonly unknown[] } {
  return Array.isArray((Object(value) as { chunks?: unknown }).chunks);
}

/**
 * Fills drafts, by id, from an answer: the fields that they lack, no others.
 *
 * @returns how many chunks the answer was about
 */
export function readAnswer(
  answer: { readonly chunks: readonly unknown[] },
  drafts: ReadonlyMap<number, Draft>,
  facts: Facts,
): number {
  const entries = new Map<number, Readonly<Record<string, unknown>>>();
  for (const entry of answer.chunks) {
    const { id } = Object(entry) as { id?: unknown };
    if (drafts.has(id as number) && !entries.has(id as number))
      entries.set(id as number, entry as Readonly<Record<string, unknown>>);
  }
  const common = commonWords(Array.from(entries.values(), wordsOf));
  for (const [id, entry] of entries) {
    const draft = drafts.get(id);
    if (draft !== undefined) fill(draft, entry, facts, common);
  }
  return entries.size;
}

function wordsOf({ title, summary, context, keywords }: Readonly<Record<string, unknown>>): string {
  return [title, summary, context, ...listOf(keywords)].map(plainText).join('\n');
}

function fill(
  draft: Draft,
  entry: Readonly<Record<string, unknown>>,
  facts: Facts,
  common: ReadonlySet<string>,
): void {
  draft.inventions = [];
  for (const field of ['title', 'summary', 'context'] as const) {
    if (!draft.lacks.has(field)) continue;
    const text = shortened(plainText(entry[field]), LONGEST[field]);
    const bounded = field === 'context' ? withinTokens(text) : text;
    const inventions = facts.inventionsIn(bounded, common);
    if (bounded !== '' && inventions.length === 0) {
      draft.fields = { ...draft.fields, [field]: bounded };
      draft.lacks.delete(field);
    } else {
      draft.lacks.set(field, bounded === '' ? 'missing' : 'invented');
      draft.inventions.push(...inventions);
    }
  }
  const isKnown = (text: string): boolean => facts.inventionsIn(text, common).length === 0;
  const checks = { keywords: isKnown, questions: isKnown, entities: facts.holds } as const;
  for (const field of ['keywords', 'questions', 'entities'] as const) {
    if (field in draft.fields) continue;
    const { most, longest } = LISTS[field];
    const items = listOf(entry[field])
      .map(plainText)
      .filter((item) => item !== '' && item.length <= longest && checks[field](item));
    const kept = [...new Map(items.map((item) => [item.toLowerCase(), item])).values()].slice(0, most);
    if (kept.length === 0 && field !== 'entities') continue;
    draft.fields = { ...draft.fields, [field]: kept };
    draft.lacks.delete(field);
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Controls, the marks that turn the direction of text, and letters that nobody sees. */
const UNSEEN =
  /[\p{Cc}\u00AD\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]+/gu;

/** A text of one line without anything that is not seen; '' for what is no text. */
export function plainText(value: unknown): string {
  if (typeof value !== 'string') return '';
  const head = value.slice(0, MOST_READ).toWellFormed();
  return head.replaceAll(UNSEEN, ' ').replaceAll(/\s+/g, ' ').trim();
}

const MOST_READ = 4000;

/**
 * A text that is no longer than `most` UTF-16 units: cut at the end of a sentence in its second half, or else of a
 * word.
 */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = text
    .slice(0, Math.max(0, most))
    .toWellFormed()
    .replace(/\uFFFD$/, '');
  const sentence = /^.*[.!?。！？](?=\s|$)/su.exec(head)?.[0] ?? '';
  if (sentence.length > most / 2) return sentence;
  // A letter behind the end means that it is inside a word.
  const isWhole = /^\s/.test(text.slice(head.length));
  const word = isWhole ? head : head.replace(/\s\S*$/, '');
  return word.trim();
}

function withinTokens(text: string): string {
  let bounded = text;
  while (estimateTokens(bounded) > CONTEXT_TOKENS)
    bounded = shortened(bounded, Math.floor(bounded.length * 0.85));
  return bounded;
}
