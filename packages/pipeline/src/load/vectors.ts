// Vectors of the chunks that are written. The embedder gives unblended ones, which a cache may keep by content; the
// share of the neighbours is added afterwards. So a chunk beside a new one has its neighbours' texts embedded as well,
// and no others.
import { type ChunkRecord, type Embed, embeddedText } from '@grainline/core';
import { blendVectors } from '@grainline/core/formats';

/** A document's texts, and the indices of those that need a vector, ascending. */
export interface WantedVectors {
  /** The texts of all chunks, in order. */
  readonly texts: readonly string[];
  /** Their sections, by the heading path. */
  readonly sections: readonly (string | undefined)[];
  readonly wanted: readonly number[];
}

/** The texts of all records of a document, and the indices of those that need a vector. */
export function wantedOf(records: readonly ChunkRecord[], wanted: readonly number[]): WantedVectors {
  return {
    texts: records.map(({ document }) => document),
    sections: records.map(({ metadata }) => metadata.heading_path),
    wanted,
  };
}

/** Options of {@link embedWanted}. */
export interface EmbedWantedOptions {
  readonly embed: Embed;
  /** Most texts of one call of the embedder. */
  readonly batch: number;
  /** Weight of both neighbours, from 0 to 1. */
  readonly blend: number;
  readonly dimensions: number;
  readonly signal: AbortSignal;
}

/** Consecutive wanted indices, from `first` to before `end`. */
interface Run {
  readonly first: number;
  readonly end: number;
}

/** The texts to embed for blended vectors: the wanted ones, and with a blend those beside them in their sections. */
export function textsToEmbed({ texts, sections, wanted }: WantedVectors, blend: number): string[] {
  const needed = runsOf(wanted).flatMap((run) => {
    const { first, end } = blend > 0 ? widened(run, sections) : run;
    return texts.slice(first, end);
  });
  return [...new Set(needed)];
}

/** The run with a neighbour on each side, if its section has one. */
function widened({ first, end }: Run, sections: WantedVectors['sections']): Run {
  return {
    first: first > 0 && sections[first - 1] === sections[first] ? first - 1 : first,
    end: end < sections.length && sections[end] === sections[end - 1] ? end + 1 : end,
  };
}

/**
 * The vectors of the wanted chunks of several documents, in the order of `wanted`: equal to those of `blendVectors`
 * over all chunks of the document. Each text is embedded once. Rejects with the embedder's error, with an Error when an
 * answer does not have a vector of the right length for each text, with a ChunkError for a vector without a direction.
 */
export async function embedWanted(
  documents: readonly WantedVectors[],
  options: EmbedWantedOptions,
): Promise<number[][][]> {
  const texts = [...new Set(documents.flatMap((document) => textsToEmbed(document, options.blend)))];
  const vectors = await embedTexts(texts, options);
  return documents.map((document) =>
    runsOf(document.wanted).flatMap((run) => blendRun(document, run, vectors, options.blend)),
  );
}

/** Blending a run needs its neighbours, whose own blended vectors are dropped. */
function blendRun(
  { texts, sections }: WantedVectors,
  run: Run,
  vectors: ReadonlyMap<string, ArrayLike<number>>,
  blend: number,
): number[][] {
  const { first, end } = blend > 0 ? widened(run, sections) : run;
  const own = texts.slice(first, end).map((text) => vectors.get(text) ?? []);
  return blendVectors(own, blend, sections.slice(first, end)).slice(run.first - first, run.end - first);
}

function runsOf(wanted: readonly number[]): Run[] {
  const runs: { first: number; end: number }[] = [];
  for (const index of wanted) {
    const last = runs.at(-1);
    // A run of one with a neighbour in common is embedded once too, so runs need not be joined over gaps.
    if (last?.end === index) last.end++;
    else runs.push({ first: index, end: index + 1 });
  }
  return runs;
}

/** An embedder that gets tables in words. Not for vectors that were made before, which are found by their texts. */
export function embedInWords(embed: Embed): Embed {
  return (texts, run) => embed(texts.map(embeddedText), run);
}

/** The vectors of texts. Rejects as {@link embedWanted} does. */
export async function embedTexts(
  texts: readonly string[],
  { embed, batch, dimensions, signal }: Omit<EmbedWantedOptions, 'blend'>,
): Promise<Map<string, ArrayLike<number>>> {
  const found = new Map<string, ArrayLike<number>>();
  for (let first = 0; first < texts.length; first += batch) {
    signal.throwIfAborted();
    const part = texts.slice(first, first + batch);
    const { vectors } = await embed(part, { signal });
    if (vectors.length !== part.length || vectors.some((vector) => vector.length !== dimensions))
      throw new Error(`The embedder did not give ${part.length} vectors of ${dimensions} numbers.`);
    for (const [index, text] of part.entries()) found.set(text, vectors[index] ?? []);
  }
  return found;
}
