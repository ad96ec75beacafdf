// The buttons in the page's head: the list of keys, and the theme.
import { type ThemeChoice, THEMES } from '../theme.ts';
import { HEAD } from '../../texts.ts';

export function Tools({ theme, onKeys }: { readonly theme: ThemeChoice; readonly onKeys: () => void }) {
  return (
    <div class="tools">
      <button type="button" class="quiet" aria-haspopup="dialog" aria-keyshortcuts="?" onClick={onKeys}>
        {HEAD.shortcuts} <kbd>?</kbd>
      </button>
      <label>
        {HEAD.theme}{' '}
        <select
          value={theme.theme.value}
          onChange={({ currentTarget: { value } }) => {
            const chosen = THEMES.find((name) => name === value);
            if (chosen !== undefined) theme.choose(chosen);
          }}
        >
          {THEMES.map((name) => (
            <option key={name} value={name}>
              {HEAD.themes[name]}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}
