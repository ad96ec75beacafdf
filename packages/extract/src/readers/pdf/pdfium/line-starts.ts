// The lines of a page as PDFium breaks them.

/** 0 and the offset after each line break or dividing hyphen with text behind it. */
export function lineStarts(characters: string): number[] {
  const starts = characters === '' ? [] : [0];
  for (const { index, 0: end } of characters.matchAll(
    /\uFFFE?(?:\r\n|[\n\v\f\r\u0085\u2028\u2029])|\uFFFE/g,
  )) {
    const next = index + end.length;
    if (next < characters.length && !isLigature(end, characters[index - 1], characters[next]))
      starts.push(next);
  }
  return starts;
}

const LETTER = /\p{L}/u;

/** True if a break is a ligature of TeX's first fonts, which stands beside letters (see text.ts). */
function isLigature(end: string, before = '', after = ''): boolean {
  return (end === '\v' || end === '\f') && (LETTER.test(before) || LETTER.test(after));
}
