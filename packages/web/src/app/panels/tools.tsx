// The buttons in the page's head: the list of keys, and the theme.
import { type Theme, type ThemeChoice, THEMES } from '../theme.ts';

const NAMES: Readonly<Record<Theme, string>> = { system: 'System', light: 'Light', dark: 'Dark' };

export function Tools({ theme, onKeys }: { readonly theme: ThemeChoice; readonly onKeys: () => void }) {
  return (
    <div class="tools">
      <button type="button" class="quiet" aria-haspopup="dialog" aria-keyshortcuts="?" onClick={onKeys}>
        Shortcuts <kbd>?</kbd>
      </button>
      <label>
        Theme{' '}
        <select
          value={theme.theme.value}
          onChange={({ currentTarget: { value } }) => {
            const chosen = THEMES.find((name) => name === value);
            if (chosen !== undefined) theme.choose(chosen);
          }}
        >
          {THEMES.map((name) => (
            <option key={name} value={name}>
              {NAMES[name]}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}
