// The theme: light, dark, or the system's. The choice is stored in localStorage, and theme-at-once.ts applies it before
// the first paint.
import { signal } from '@preact/signals';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** The same key as in theme-at-once.ts, which imports nothing. */
const KEY = 'grainline.theme';

/** The storage of the choice, and the element with its attribute. */
export interface ThemeDeps {
  readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  readonly root: { readonly dataset: DOMStringMap };
}

/** The stored choice, and its setter. */
export function createTheme({ storage, root }: ThemeDeps) {
  const kept = storage.getItem(KEY);
  const theme = signal<Theme>(THEMES.find((name) => name === kept) ?? 'system');
  return {
    theme,
    choose: (next: Theme): void => {
      theme.value = next;
      if (next === 'system') {
        delete root.dataset['theme'];
        storage.removeItem(KEY);
      } else {
        root.dataset['theme'] = next;
        storage.setItem(KEY, next);
      }
    },
  };
}

export type ThemeChoice = ReturnType<typeof createTheme>;
