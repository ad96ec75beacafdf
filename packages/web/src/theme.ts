// Light, dark, or as the system is: what a visitor chose, kept in localStorage. theme-at-once.ts applies it before the
// page is first painted.
import { signal } from '@preact/signals';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** Also in theme-at-once.ts, which imports nothing. */
const KEY = 'grainline.theme';

/** What the choice is kept in, and the element that has it. */
export interface ThemeParts {
  readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  readonly root: { readonly dataset: DOMStringMap };
}

/** The choice of an earlier visit, and a way to make another one. */
export function createTheme({ storage, root }: ThemeParts) {
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
