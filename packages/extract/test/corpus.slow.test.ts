// Every document of the development corpus ends in a lawful Document or a coded error.
// Skipped, with a message, where the corpus is not there.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { detectKind, ExtractError, extract } from '../src/index.ts';
import { sampleOf } from '@grainline/testing/cases';
import { expectLawful } from './laws.ts';

const CORPUS = join(import.meta.dirname, '../../../../shared/corpus');
const KINDS = ['pdf', 'docx', 'html', 'txt'];
const TIME_LIMIT_MS = 30_000;

if (!existsSync(CORPUS))
  console.warn('The development corpus (../shared/corpus) is absent: its tests are skipped.');

function filesOf(kind: string): string[] {
  const folder = join(CORPUS, kind);
  if (!existsSync(folder)) return [];
  return readdirSync(folder).map((name) => join(folder, name));
}

describe.skipIf(!existsSync(CORPUS))('the development corpus', () => {
  describe.each(KINDS)('%s', (kind) => {
    it.each(sampleOf(filesOf(kind)).map((path) => [path.split('/').at(-1) ?? path, path]))(
      '%s is read or refused with a code',
      async (filename, path) => {
        const bytes = readFileSync(path);
        const outcome: unknown = await extract(bytes, { filename }).catch((error: unknown) => error);
        if (outcome instanceof Error) {
          if (!(outcome instanceof ExtractError)) throw outcome;
          expect(outcome.code).not.toBe('');
          return;
        }
        const document = outcome as Awaited<ReturnType<typeof extract>>;
        expectLawful(document);
        expect(document.filename).toBe(filename);
        if ((await detectKind(bytes, { filename })) === 'pdf')
          expect(document.pages.length).toBeGreaterThan(0);
      },
      TIME_LIMIT_MS,
    );
  });

  it('is read in its texts exactly', async () => {
    const references = readReferences();
    const wrong: string[] = [];
    for (const path of filesOf('txt')) {
      const name = path.split('/').at(-1) ?? path;
      const reference = references.get(name);
      if (reference === undefined) continue;
      const { text } = await extract(readFileSync(path), { filename: name });
      if (text.trim() !== reference.trim()) wrong.push(name);
    }
    expect(references.size).toBeGreaterThan(20);
    expect(wrong).toEqual([]);
  });
});

interface Reference {
  readonly text: string;
  /** False when the file's text is unknown. */
  readonly truth?: boolean;
}

/** Reference texts of the corpus by file name; files without text have none. */
function readReferences(): Map<string, string> {
  const all = JSON.parse(readFileSync(join(CORPUS, 'references.json'), 'utf8')) as Record<string, Reference>;
  const texts = Object.entries(all).filter(([path]) => path.startsWith('txt/'));
  const known = texts.filter(([, { truth }]) => truth !== false);
  return new Map(known.map(([path, { text }]) => [path.slice('txt/'.length), text]));
}
