// The latest results, so that a further page or a repeated call neither chunks nor pays again.
import { hash } from 'node:crypto';
import { McpError } from './errors.ts';
import type { DocumentResult } from './ports.ts';

/** A result under its name. */
export interface CachedResult {
  /** Name of the result; equal documents and options have equal names. */
  readonly result: string;
  readonly document: DocumentResult;
}

/** The latest results of one server. */
export interface ResultCache {
  /** The cached result of a recipe, or a new one. */
  of(recipe: readonly unknown[], make: () => Promise<DocumentResult>): Promise<CachedResult>;
  /** @throws McpError `result_gone` */
  get(result: string): CachedResult;
  /** Names of the cached results, the oldest first. */
  names(): string[];
}

/** Limits of the cache. */
export interface ResultLimits {
  readonly count: number;
  /** UTF-16 units of the texts of all chunks together. The latest result stays in the cache at any length. */
  readonly characters: number;
}

const NAME_LENGTH = 16;

/** An empty cache. */
export function createResultCache(limits: ResultLimits): ResultCache {
  const kept = new Map<string, { readonly document: DocumentResult; readonly characters: number }>();
  let characters = 0;

  const remove = (name: string): void => {
    characters -= kept.get(name)?.characters ?? 0;
    kept.delete(name);
  };
  const keep = (name: string, document: DocumentResult): void => {
    const known = kept.get(name)?.characters;
    const own = known ?? document.records.reduce((sum, { text }) => sum + String(text).length, 0);
    remove(name);
    kept.set(name, { document, characters: own });
    characters += own;
    for (const oldest of kept.keys()) {
      const isOver = kept.size > limits.count || characters > limits.characters;
      if (!isOver || oldest === name) break;
      remove(oldest);
    }
  };

  return {
    async of(recipe, make) {
      const result = nameOf(recipe);
      const document = kept.get(result)?.document ?? (await make());
      keep(result, document);
      return { result, document };
    },
    get(result) {
      const document = kept.get(result)?.document;
      if (document === undefined) throw new McpError('result_gone', JSON.stringify(result));
      keep(result, document);
      return { result, document };
    },
    names: () => [...kept.keys()],
  };
}

function nameOf(recipe: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(recipe)).slice(0, NAME_LENGTH);
}
