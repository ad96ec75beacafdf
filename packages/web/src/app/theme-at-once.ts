// Applies the chosen theme before the first paint. The page's policy forbids inline scripts, and a module runs after
// the first paint, so this is a classic script in the head.
{
  try {
    const theme = localStorage.getItem('grainline.theme');
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme;
  } catch {
    // Without storage the system decides the theme.
  }
}
