import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { READERS } from './index.ts';

describe('the registry', () => {
  it.each(READERS)('says of $name what its reader says', async ({ kind, extensions, mediaTypes, load }) => {
    expect(await load()).toMatchObject({ kind, extensions, mediaTypes });
  });

  it('claims no ending and no media type twice', () => {
    const claims = READERS.flatMap(({ extensions, mediaTypes }) => [...extensions, ...mediaTypes]);
    expect(new Set(claims).size).toBe(claims.length);
  });
});

it('loads no library before a document needs it', () => {
  const modules = [...reachable(new URL('../index.ts', import.meta.url))];
  expect(modules.some((name) => name.endsWith('src/kind.ts'))).toBe(true);
  expect(modules.filter((name) => !name.startsWith('file:'))).toEqual([]);
});

/** Every module that a static import leads to: files by their address, packages by name. Types are not loaded. */
function reachable(start: URL, found = new Set<string>()): Set<string> {
  if (found.has(start.href) || !existsSync(start)) return found;
  found.add(start.href);
  const source = readFileSync(start, 'utf8');
  for (const [, name = ''] of source.matchAll(/^(?:import|export) (?!type)[^;]*? from '([^']+)';/gm)) {
    if (name.startsWith('.')) reachable(new URL(name, start), found);
    else found.add(name);
  }
  return found;
}
