// What was cut lately, so that the next page of a result, and a call that is made once more, neither cut nor pay again.
import { createHash } from 'node:crypto';
import { McpError } from './errors.ts';
import type { CutDocument } from './ports.ts';

/** A result, and the name under which it is kept. */
export interface Kept {
  /** Name of the result; it is the same for equal documents and options. */
  readonly result: string;
  readonly document: CutDocument;
}

/** Results of one server, the latest of them. */
export interface Results {
  /** The result that is kept for a recipe, or a new one. */
  of(recipe: readonly unknown[], make: () => Promise<CutDocument>): Promise<Kept>;
  /** @throws McpError `result_gone` */
  get(result: string): Kept;
  /** Names of what is kept, the oldest first. */
  names(): string[];
}

/** Bounds on what is kept. */
export interface ResultLimits {
  readonly count: number;
  /** UTF-16 units of the texts of all chunks together; the latest result is kept whatever it has. */
  readonly characters: number;
}

const NAME_LENGTH = 16;

/** An empty store. */
export function createResults(limits: ResultLimits): Results {
  const kept = new Map<string, { readonly document: CutDocument; readonly characters: number }>();
  let characters = 0;

  const remove = (name: string): void => {
    characters -= kept.get(name)?.characters ?? 0;
    kept.delete(name);
  };
  const keep = (name: string, document: CutDocument): void => {
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
  return sha256(JSON.stringify(recipe)).slice(0, NAME_LENGTH);
}

/** SHA-256 in hexadecimal digits. */
export function sha256(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}
