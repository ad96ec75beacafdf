// Checks docs/architecture.md against the tree: every path exists, and every package has a row.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const PAGE = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');

/** Targets of links to files, relative to the root of the repository. */
function linkedPaths(page: string): string[] {
  return [...page.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, target = '']) => join('docs', target));
}

/** Rows of the table below a heading, without the table's head. */
function rowsBelow(heading: string): string[] {
  const section = PAGE.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2);
}

describe('docs/architecture.md', () => {
  it('names only paths that exist', () => {
    const paths = linkedPaths(PAGE);
    expect(paths.length).toBeGreaterThan(60);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('leads to at most two files in each row of "Where is …?"', () => {
    const rows = rowsBelow('Where is …?');
    expect(rows.length).toBeGreaterThanOrEqual(10);
    const counts = rows.map((row) => ({ row, files: linkedPaths(row).length }));
    expect(counts.filter(({ files }) => files < 1 || files > 2)).toEqual([]);
  });

  it('has a drawing for the whole and for each package', () => {
    const drawn = PAGE.split(/^## /m)
      .filter((part) => part.includes('```text'))
      .map((part) => part.split('\n')[0] ?? '');
    expect(drawn.sort()).toEqual(['The whole', ...readdirSync(join(ROOT, 'packages'))].sort());
  });

  it('has every package in its table', () => {
    const listed = rowsBelow('The whole').flatMap((row) => /\[([\w-]+)\]/.exec(row)?.[1] ?? []);
    expect(listed.sort()).toEqual(readdirSync(join(ROOT, 'packages')).sort());
  });

  it('has the imports that lint enforces, of every package in TypeScript', async () => {
    const { MAY_IMPORT } = (await import(join(ROOT, '.ci/layers.mjs'))) as {
      readonly MAY_IMPORT: Readonly<Record<string, readonly string[]>>;
    };
    const names = Object.keys(MAY_IMPORT);
    expect([...names, 'python'].sort()).toEqual(readdirSync(join(ROOT, 'packages')).sort());
    const rows = rowsBelow('Imports between packages').map((row) => row.split('|').slice(1, 3));
    const listed = rows.map(([name = '', allowed = '']) => [
      name.trim(),
      [...allowed.matchAll(/[\w-]+/g)].flatMap(([word]) => (names.includes(word) ? [word] : [])).sort(),
    ]);
    const allowed = names.map((name) => [name, [...(MAY_IMPORT[name] ?? [])].sort()]);
    expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(allowed));
  });
});
