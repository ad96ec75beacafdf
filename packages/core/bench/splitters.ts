// The compared splitters: our two built entry points, and the peers. Each is loaded by name in a process of its own.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Free from '../src/free.ts';
import type * as Main from '../src/index.ts';

export interface Limits {
  readonly size: number;
  readonly overlap: number;
}

/** Splits once; what it returns is counted, and compared when it is a list of texts. */
export type Split = (text: string) => unknown[] | Promise<unknown[]>;

export interface Splitter {
  readonly name: string;
  /** The module to import, for the start-up figures. */
  readonly module: string | undefined;
  /** False for peers that have no overlap option. */
  readonly takesOverlap: boolean;
  readonly load: (limits: Limits) => Promise<Split>;
}

const PACKAGE = path.resolve(import.meta.dirname, '..');
const PEERS = path.join(PACKAGE, 'peers');

const built = (entry: string): string => pathToFileURL(path.join(PACKAGE, 'dist', `${entry}.js`)).href;

/** The address of an installed peer, or `undefined` when it is not there. */
export function resolvePeer(name: string, from = PEERS): string | undefined {
  try {
    return pathToFileURL(createRequire(path.join(from, 'package.json')).resolve(name)).href;
  } catch {
    // The peers have no CommonJS entry, which is what resolve looks for.
    const main = path.join(from, 'node_modules', name);
    const entry = ['dist/index.js', 'index.js'].map((file) => path.join(main, file)).find(existsSync);
    return entry === undefined ? undefined : pathToFileURL(entry).href;
  }
}

const LANGCHAIN = resolvePeer('@langchain/textsplitters', PACKAGE);
const CHONKIE_CHUNK = resolvePeer('@chonkiejs/chunk');
const CHONKIE_CORE = resolvePeer('@chonkiejs/core');

interface LangChain {
  readonly RecursiveCharacterTextSplitter: new (options: object) => {
    splitText: (text: string) => Promise<string[]>;
  };
}

interface ChonkieChunk {
  readonly init: () => Promise<void>;
  readonly chunk: (text: string, options: object) => Iterable<string>;
}

interface ChonkieCore {
  readonly RecursiveChunker: {
    create: (options: object) => Promise<{ chunk: (text: string) => Promise<unknown[]> }>;
  };
}

export const SPLITTERS: readonly Splitter[] = [
  {
    name: 'grainline chunkSync',
    module: built('index'),
    takesOverlap: true,
    load: async (limits) => {
      const { chunkSync } = (await import(built('index'))) as typeof Main;
      return (text) => chunkSync(text, { tier: 'free', ...limits });
    },
  },
  {
    name: 'grainline chunkFree',
    module: built('free'),
    takesOverlap: true,
    load: async (limits) => {
      const { chunkFree } = (await import(built('free'))) as typeof Free;
      return (text) => chunkFree(text, limits);
    },
  },
  {
    name: '@langchain/textsplitters',
    module: LANGCHAIN,
    takesOverlap: true,
    load: async ({ size, overlap }) => {
      const { RecursiveCharacterTextSplitter } = (await import(String(LANGCHAIN))) as LangChain;
      const splitter = new RecursiveCharacterTextSplitter({ chunkSize: size, chunkOverlap: overlap });
      return (text) => splitter.splitText(text);
    },
  },
  {
    name: '@chonkiejs/chunk',
    module: CHONKIE_CHUNK,
    takesOverlap: false,
    load: async ({ size }) => {
      const { init, chunk } = (await import(String(CHONKIE_CHUNK))) as ChonkieChunk;
      await init();
      return (text) => [...chunk(text, { size })];
    },
  },
  {
    name: '@chonkiejs/core Recursive',
    module: CHONKIE_CORE,
    takesOverlap: false,
    load: async ({ size }) => {
      const { RecursiveChunker } = (await import(String(CHONKIE_CORE))) as ChonkieCore;
      const chunker = await RecursiveChunker.create({ chunkSize: size });
      return (text) => chunker.chunk(text);
    },
  },
];

export const BASELINE = '@langchain/textsplitters';

export function splitterNamed(name: string): Splitter {
  const splitter = SPLITTERS.find((candidate) => candidate.name === name);
  if (splitter === undefined) throw new Error(`No splitter is called ${name}.`);
  return splitter;
}
