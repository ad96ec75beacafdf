import { describe, expect, it } from 'vitest';
import { createTheme } from './theme.ts';

function parts(kept?: string) {
  const entries = new Map<string, string>(kept === undefined ? [] : [['grainline.theme', kept]]);
  const storage = {
    getItem: (key: string) => entries.get(key) ?? null,
    setItem: (key: string, value: string) => void entries.set(key, value),
    removeItem: (key: string) => void entries.delete(key),
  };
  return { entries, storage, root: { dataset: {} as DOMStringMap } };
}

describe('the theme', () => {
  it('is the system’s until another one is chosen, and nothing is kept of it', () => {
    const { entries, storage, root } = parts();
    const { theme, choose } = createTheme({ storage, root });
    expect(theme.value).toBe('system');
    choose('dark');
    expect([theme.value, root.dataset['theme'], [...entries.values()]]).toEqual(['dark', 'dark', ['dark']]);
    choose('system');
    expect([theme.value, root.dataset['theme'], entries.size]).toEqual(['system', undefined, 0]);
  });

  it('is what an earlier visit chose, and the system’s when that makes no sense', () => {
    expect(createTheme(parts('light')).theme.value).toBe('light');
    expect(createTheme(parts('<script>')).theme.value).toBe('system');
  });
});
