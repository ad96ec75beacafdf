// The position in a text under a point of the window.

/** The text node under a point and the offset in it, by the call that the browser has. */
export function caretAt(
  page: Document,
  x: number,
  y: number,
): { readonly node: Node; readonly offset: number } | undefined {
  if (typeof page.caretPositionFromPoint === 'function') {
    const caret = page.caretPositionFromPoint(x, y);
    return caret === null ? undefined : { node: caret.offsetNode, offset: caret.offset };
  }
  // Safari's name for it before the standard's.
  const range = (
    page as { caretRangeFromPoint?: (x: number, y: number) => Range | null }
  ).caretRangeFromPoint?.(x, y);
  return range == null ? undefined : { node: range.startContainer, offset: range.startOffset };
}
