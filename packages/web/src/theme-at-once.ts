// The theme that was chosen, before anything is painted: a script of its own that the browser waits for, because the
// page's policy allows none inside the document, and a module comes after the first paint. The build puts it into the
// head.
{
  try {
    const theme = localStorage.getItem('grainline.theme');
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme;
  } catch {
    // Storage is forbidden: the theme is the system's.
  }
}
