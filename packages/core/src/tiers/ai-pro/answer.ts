// Reads a model's answer about chunks. It trusts nothing: it makes texts plain and short, bounds lists and ignores
// unknown ids. A prompt injection in a document can at most put plain text into these six fields.
import type { Enrichment } from '../../cut.ts';
import { estimateTokens } from '../ai/estimate.ts';
import { commonWords, type Facts } from './facts.ts';

/** The enrichment of one chunk so far: the usable fields, and the reasons for the missing ones. */
export interface EnrichmentDraft {
  fields: Partial<Enrichment>;
  /** Fields to request once more, each with the reason. Empty when none is missing. */
  lacks: Map<EnrichmentField, string>;
  /** Names and numbers from the model that the document does not contain; the retry quotes them. */
  inventions: string[];
}

/** A field that the model fills for every chunk. */
export type EnrichmentField = keyof Enrichment;

/** Fields that every chunk must have. A chunk may lack entities. */
export const FIELDS = ['title', 'summary', 'context', 'keywords', 'questions'] as const;
/** Longest texts, in UTF-16 units; a longer one is cut at the end of a sentence or word. */
const LONGEST = { title: 120, summary: 600, context: 600 } as const;
/** Most tokens of a context, as estimated. */
const CONTEXT_TOKENS = 100;
/**
 * For each list: most items, and the longest item in UTF-16 units. Longer items are left out, because half a name is
 * another name.
 */
const LISTS = {
  keywords: { most: 8, longest: 60 },
  questions: { most: 3, longest: 200 },
  entities: { most: 12, longest: 80 },
} as const;

/** A draft without any field. */
export function emptyDraft(): EnrichmentDraft {
  return { fields: {}, lacks: new Map(FIELDS.map((field) => [field, 'missing'])), inventions: [] };
}

/** True when a value has the shape of an answer. */
export function isChunkList(value: unknown): value is { readonly chunks: readonly unknown[] } {
  return Array.isArray((Object(value) as { chunks?: unknown }).chunks);
}

/**
 * Fills drafts, by id, with the fields of an answer that they lack.
 *
 * @returns how many chunks the answer was about
 */
export function fillDrafts(
  answer: { readonly chunks: readonly unknown[] },
  drafts: ReadonlyMap<number, EnrichmentDraft>,
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
  draft: EnrichmentDraft,
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

/** Matches control characters, marks that turn the direction of text, and invisible letters. */
const UNSEEN =
  /[\p{Cc}\u00AD\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]+/gu;

/** Reduces a value to one line of visible text; '' for a value that is no text. */
export function plainText(value: unknown): string {
  if (typeof value !== 'string') return '';
  const head = value.slice(0, MOST_READ).toWellFormed();
  return head.replaceAll(UNSEEN, ' ').replaceAll(/\s+/g, ' ').trim();
}

const MOST_READ = 4000;

/**
 * Shortens a text to `most` UTF-16 units: at the end of a sentence in its second half, or else at the end of a word.
 */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = text
    .slice(0, Math.max(0, most))
    .toWellFormed()
    .replace(/\uFFFD$/, '');
  const sentence = /^.*[.!?。！？](?=\s|$)/su.exec(head)?.[0] ?? '';
  if (sentence.length > most / 2) return sentence;
  // A letter right behind the cut means that it is inside a word.
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
