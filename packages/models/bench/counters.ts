// The counters that are measured, each behind the same call. A peer that is not installed is left out.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

export type EncodingName = 'o200k' | 'cl100k';
export type Count = (text: string) => number;

export interface Counter {
  readonly name: string;
  /** True when one unbroken run takes it quadratic time, so that a long one is not tried. */
  readonly quadratic: boolean;
  /** Address of the module to import, or undefined when it is not installed. */
  readonly module: (encoding: EncodingName) => string | undefined;
  readonly create: (module: unknown, encoding: EncodingName) => Promise<Count> | Count;
}

export const OURS = '@grainline/models';
export const BASELINE = 'gpt-tokenizer';

interface OurModule {
  tokenCounter(name: EncodingName): Promise<{ count: Count }>;
}
interface GptTokenizer {
  readonly countTokens: (text: string, options: { disallowedSpecial: ReadonlySet<string> }) => number;
}
interface JsTiktoken {
  getEncoding(name: string): { encode(text: string, allowed: string[], disallowed: string[]): number[] };
}
interface Tiktoken {
  get_encoding(name: string): {
    encode(text: string, allowed: string[], disallowed: string[]): Uint32Array;
  };
}

const NONE: ReadonlySet<string> = new Set();

export const COUNTERS: readonly Counter[] = [
  {
    name: OURS,
    quadratic: false,
    module: () => new URL('../dist/tokens.js', import.meta.url).href,
    create: async (module, encoding) => {
      const counter = await (module as OurModule).tokenCounter(encoding);
      return (text) => counter.count(text);
    },
  },
  {
    name: BASELINE,
    quadratic: true,
    module: (encoding) => resolvePeer(`gpt-tokenizer/encoding/${encoding}_base`),
    create: (module) => {
      const { countTokens } = module as GptTokenizer;
      return (text) => countTokens(text, { disallowedSpecial: NONE });
    },
  },
  {
    name: 'js-tiktoken',
    quadratic: true,
    module: () => resolvePeer('js-tiktoken'),
    create: (module, encoding) => {
      const encoder = (module as JsTiktoken).getEncoding(`${encoding}_base`);
      return (text) => encoder.encode(text, [], []).length;
    },
  },
  {
    name: 'tiktoken (wasm)',
    quadratic: true,
    module: () => resolvePeer('tiktoken'),
    create: (module, encoding) => {
      const encoder = (module as Tiktoken).get_encoding(`${encoding}_base`);
      return (text) => encoder.encode(text, [], []).length;
    },
  },
];

export function counterNamed(name: string): Counter {
  const counter = COUNTERS.find((each) => each.name === name);
  if (counter === undefined) throw new Error(`There is no counter ${name}.`);
  return counter;
}

/** Looks in packages/models/peers first, then where a plain import would. */
export function resolvePeer(name: string): string | undefined {
  for (const from of ['../peers/package.json', '../package.json']) {
    try {
      return pathToFileURL(createRequire(new URL(from, import.meta.url)).resolve(name)).href;
    } catch {
      // Not there; the next place may have it.
    }
  }
  return undefined;
}
