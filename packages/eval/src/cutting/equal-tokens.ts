// Chunks of equal size. At one setting, splitters differ by half in the mean length of their chunks, and differently on
// each document; that alone moves every measure. So each setting is cut at the size that gives the mean tokens of a
// reference: document by document, small documents together.
import type { IndexedChunk } from '../metrics.ts';
import { meanOf } from '../statistics.ts';
import type { EvalSetting } from '../settings.ts';
import type { CutDocument } from './cutter.ts';

/** The chunks of all documents by one setting. */
export interface CutIndex {
  /** In the order of the documents. */
  readonly chunks: readonly IndexedChunk[];
  /** The size of the setting for each group of documents, and the number of chunks there. */
  readonly sizes: readonly { readonly size: number; readonly chunks: number }[];
}

/** Documents with fewer chunks are matched together: a mean of a few chunks moves in steps. */
const LEAST_CHUNKS = 20;
/** The mean tokens are equal within this share. */
const TOLERANCE = 0.01;
/** Most cuts of a group of documents. */
const MOST_TRIES = 7;

/** Cuts all documents with a setting as it is. */
export async function cutPlainly(
  documents: number,
  setting: EvalSetting,
  cut: CutDocument,
): Promise<CutIndex> {
  const chunks = await cutGroup(range(documents), setting, setting.size, cut);
  return { chunks, sizes: [{ size: setting.size, chunks: chunks.length }] };
}

/** Cuts all documents with a setting so that the mean tokens of the chunks are those of the reference. */
export async function cutAlike(
  setting: EvalSetting,
  reference: CutIndex,
  cut: CutDocument,
): Promise<CutIndex> {
  const wanted = Map.groupBy(reference.chunks, ({ document }) => document);
  const found: { readonly chunks: IndexedChunk[]; readonly size: number }[] = [];
  for (const group of groupsOf(wanted)) {
    const tokens = meanTokens(group.flatMap((document) => wanted.get(document) ?? []));
    found.push(await nearest(group, setting, tokens, cut));
  }
  const chunks = found.flatMap((group) => group.chunks).sort((a, b) => a.document - b.document);
  return { chunks, sizes: found.map((group) => ({ size: group.size, chunks: group.chunks.length })) };
}

/** The size in the middle of all chunks: that of a group weighs as much as the group has chunks. */
export function middleSize({ sizes }: CutIndex): number {
  const sorted = [...sizes].sort((a, b) => a.size - b.size);
  let left = sorted.reduce((sum, { chunks }) => sum + chunks, 0) / 2;
  for (const { size, chunks } of sorted) {
    left -= chunks;
    if (left <= 0) return size;
  }
  return sorted.at(-1)?.size ?? 0;
}

/** The mean tokens of some chunks; 0 for none. */
export function meanTokens(chunks: readonly IndexedChunk[]): number {
  return meanOf(chunks.map(({ tokens }) => tokens));
}

/** Each large document alone, the small ones together. */
function groupsOf(chunks: ReadonlyMap<number, readonly IndexedChunk[]>): number[][] {
  const documents = [...chunks.keys()];
  const isSmall = (document: number): boolean => (chunks.get(document)?.length ?? 0) < LEAST_CHUNKS;
  const small = documents.filter(isSmall);
  const large = documents.filter((document) => !isSmall(document)).map((document) => [document]);
  return small.length === 0 ? large : [...large, small];
}

/** Searches the size whose chunks have a mean nearest to `wanted`; the mean is nearly proportional to the size. */
async function nearest(
  group: readonly number[],
  setting: EvalSetting,
  wanted: number,
  cut: CutDocument,
): Promise<{ readonly chunks: IndexedChunk[]; readonly size: number }> {
  const tried = new Map<
    number,
    { readonly chunks: IndexedChunk[]; readonly mean: number; readonly size: number }
  >();
  let size = setting.size;
  for (let attempt = 0; attempt < MOST_TRIES && !tried.has(size); attempt++) {
    const chunks = await cutGroup(group, setting, size, cut);
    const mean = meanTokens(chunks);
    tried.set(size, { chunks, mean, size });
    if (mean === 0 || Math.abs(mean / wanted - 1) <= TOLERANCE) break;
    size = nextSize([...tried.values()], wanted, leastSize(setting));
  }
  const [best] = [...tried.values()].sort((a, b) => Math.abs(a.mean - wanted) - Math.abs(b.mean - wanted));
  return best ?? { chunks: [], size };
}

/** Between the nearest sizes below and above `wanted` once there are both, else in proportion. */
function nextSize(
  tried: readonly { readonly mean: number; readonly size: number }[],
  wanted: number,
  least: number,
): number {
  const below = tried.filter(({ mean }) => mean < wanted).sort((a, b) => b.mean - a.mean)[0];
  const above = tried.filter(({ mean }) => mean >= wanted).sort((a, b) => a.mean - b.mean)[0];
  if (below === undefined || above === undefined) {
    const { size, mean } = (below ?? above) as { size: number; mean: number };
    return Math.max(least, Math.round((size * wanted) / mean));
  }
  const share = (wanted - below.mean) / (above.mean - below.mean);
  return Math.max(least, Math.round(below.size + share * (above.size - below.size)));
}

/** Overlap and target must fit into the size. */
function leastSize({ options = {} }: EvalSetting): number {
  return Math.max(1, (options.overlap ?? 0) + 1, options.target ?? 1, options.min ?? 1);
}

async function cutGroup(
  group: readonly number[],
  setting: EvalSetting,
  size: number,
  cut: CutDocument,
): Promise<IndexedChunk[]> {
  const chunks: IndexedChunk[] = [];
  for (const document of group) for (const each of await cut(document, setting, size)) chunks.push(each);
  return chunks;
}

function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}
