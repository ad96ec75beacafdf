// Splitters of other libraries to compare with, loaded from where the user has them installed. They give texts without
// offsets, so each text is searched for in its document.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Span } from '@grainline/core';
import { EvalError } from '../errors.ts';
import { withoutBlanks } from '../solid-text.ts';

/** A splitter of another library. */
interface PeerEntry {
  /** Its name in reports. */
  readonly title: string;
  /** The package that has it. */
  readonly package: string;
  /** Further packages that it needs. */
  readonly needs: readonly string[];
  readonly create: (module: PeerModule) => PeerSplit;
}

/** Splits a text into pieces of at most so many characters. */
export type PeerSplit = (text: string, size: number) => Promise<readonly string[]>;

/** The used part of the peers' modules; a module has its own part only. */
interface PeerModule {
  readonly RecursiveCharacterTextSplitter: LangChainSplitter & {
    fromLanguage(language: 'python', options: LangChainOptions): InstanceType<LangChainSplitter>;
  };
  readonly MarkdownTextSplitter: LangChainSplitter;
  readonly RecursiveChunker: {
    create(options: { readonly chunkSize: number }): Promise<{
      chunk(text: string): Promise<readonly { readonly text: string }[]>;
    }>;
  };
}

interface LangChainOptions {
  readonly chunkSize: number;
  readonly chunkOverlap: number;
}

type LangChainSplitter = new (options: LangChainOptions) => { splitText(text: string): Promise<string[]> };

const langChain =
  (name: 'RecursiveCharacterTextSplitter' | 'MarkdownTextSplitter') =>
  (module: PeerModule): PeerSplit =>
  (text, size) =>
    new module[name]({ chunkSize: size, chunkOverlap: 0 }).splitText(text);

const LANGCHAIN = { package: '@langchain/textsplitters', needs: ['@langchain/core'] };

/** The splitters that an evaluation can compare with. */
export const PEERS = {
  langchain: {
    ...LANGCHAIN,
    title: 'LangChain recursive',
    create: langChain('RecursiveCharacterTextSplitter'),
  },
  'langchain-markdown': {
    ...LANGCHAIN,
    title: 'LangChain Markdown',
    create: langChain('MarkdownTextSplitter'),
  },
  'langchain-python': {
    ...LANGCHAIN,
    title: 'LangChain Python',
    create:
      ({ RecursiveCharacterTextSplitter }) =>
      (text, size) =>
        RecursiveCharacterTextSplitter.fromLanguage('python', {
          chunkSize: size,
          chunkOverlap: 0,
        }).splitText(text),
  },
  chonkie: {
    title: 'Chonkie recursive',
    package: '@chonkiejs/core',
    needs: [],
    create:
      ({ RecursiveChunker }) =>
      async (text, size) => {
        const chunker = await RecursiveChunker.create({ chunkSize: size });
        return (await chunker.chunk(text)).map((chunk) => chunk.text);
      },
  },
} as const satisfies Readonly<Record<string, PeerEntry>>;

/** Name of a splitter of another library. */
export type PeerId = keyof typeof PEERS;

/**
 * Loads a splitter from a folder's packages, else from those beside this package.
 *
 * Rejects with `peer_missing`.
 */
export async function loadPeer(id: PeerId, folder: string): Promise<PeerSplit> {
  const entry: PeerEntry = PEERS[id];
  const bases = [join(folder, 'package.json'), import.meta.url];
  for (const base of bases) {
    let path: string;
    try {
      path = createRequire(base).resolve(entry.package);
    } catch {
      continue;
    }
    return entry.create((await import(pathToFileURL(path).href)) as PeerModule);
  }
  const packages = [entry.package, ...entry.needs].join(' ');
  throw new EvalError(
    'peer_missing',
    `${entry.title} is not installed; install it with: npm install ${packages}`,
  );
}

/**
 * Finds pieces in their text, in order, and gives the span of each. Blanks do not count, because splitters trim and
 * join them. A piece that is not found is left out.
 */
export function locatePieces(text: string, pieces: readonly string[]): Span[] {
  const { solid, offsets } = withoutBlanks(text);
  const spans: Span[] = [];
  let from = 0;
  for (const piece of pieces) {
    const wanted = withoutBlanks(piece).solid;
    const at = wanted === '' ? -1 : solid.indexOf(wanted, from);
    if (at === -1) continue;
    spans.push({ start: offsets[at] ?? 0, end: (offsets[at + wanted.length - 1] ?? 0) + 1 });
    from = at + 1;
  }
  return spans;
}
