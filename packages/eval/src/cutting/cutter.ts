// Documents → chunks of an index, by a tier or by a splitter of another library, with the tokens of every chunk.
import {
  chunk,
  type Document,
  type Embed,
  indexedText,
  type Span,
  type TokenCounter,
  type MeasuredText,
} from '@grainline/core';
import type { IndexedChunk } from '../metrics.ts';
import { type EvalSetting, isPeer } from '../settings.ts';
import { locatePieces, type PeerId, type PeerSplit } from './peers.ts';

/** Cuts one document, by its position, with a setting of another size. */
export type CutDocument = (document: number, setting: EvalSetting, size: number) => Promise<IndexedChunk[]>;

/** Dependencies of cutting. */
export interface CutterDeps {
  readonly counter: TokenCounter;
  /** Counts the sizes of tiers; characters when absent. */
  readonly measure: TokenCounter | undefined;
  readonly embed: Embed;
  readonly peers: ReadonlyMap<PeerId, PeerSplit>;
  readonly signal: AbortSignal | undefined;
}

/** Characters of a token in English text; only the first guess of a peer's size depends on it. */
const CHARACTERS_PER_TOKEN = 4;

/** The cutter of some documents. It measures each document once. */
export function createCutter(
  documents: readonly Document[],
  { counter, measure, embed, peers, signal }: CutterDeps,
): CutDocument {
  const measured: MeasuredText[] = documents.map(({ text }) => counter.measure(text));
  return async (position, { tier, options }, size) => {
    const document = documents[position];
    if (document === undefined) throw new RangeError(`There is no document ${position}.`);
    const { text } = document;
    if (isPeer(tier)) {
      const units = measure === undefined ? size : size * CHARACTERS_PER_TOKEN;
      const pieces = (await peers.get(tier)?.(text, units)) ?? [];
      return indexed(position, locatePieces(text, pieces), () => ({ context: '' }));
    }
    const needsEmbedder = tier === 'semantic' ? { embed } : {};
    const chunks = await chunk(document, { tier, size, ...options, measure, signal, ...needsEmbedder });
    return indexed(position, chunks, (index) => ({
      context: contextOf(chunks[index]),
      section: chunks[index]?.metadata.headingPath?.join(' > '),
    }));
  };

  function indexed(
    position: number,
    spans: readonly Span[],
    factsAt: (index: number) => { readonly context: string; readonly section?: string | undefined },
  ): IndexedChunk[] {
    const text = documents[position]?.text ?? '';
    return spans.flatMap((span, index) => {
      const trimmed = withoutOuterBlanks(text, span);
      if (trimmed === undefined) return [];
      const { start, end } = trimmed;
      const { context, section } = factsAt(index);
      const contextTokens = context === '' ? 0 : counter.count(context);
      const tokens = contextTokens + (measured[position]?.count(start, end) ?? 0);
      return [
        {
          document: position,
          start,
          end,
          text: context + text.slice(start, end),
          tokens,
          contextTokens,
          section,
        },
      ];
    });
  }
}

type CutChunk = Awaited<ReturnType<typeof chunk>>[number];

/** The context before the text of a chunk. */
function contextOf(cut: CutChunk | undefined): string {
  if (cut === undefined) return '';
  const whole = indexedText(cut);
  return whole.slice(0, whole.length - cut.text.length);
}

/** Blanks at the ends would count as retrieved text. */
function withoutOuterBlanks(text: string, { start, end }: Span): Span | undefined {
  const content = text.slice(start, end);
  const before = content.search(/\S/);
  if (before === -1) return undefined;
  return { start: start + before, end: start + content.trimEnd().length };
}
