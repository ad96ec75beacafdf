// The probable correction of a misspelt word.

/** Words with more edits between them are unrelated. */
const MAX_EDITS = 2;

/** The nearest candidate within the limit of edits; undefined without one. */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  const near = candidates
    .map((candidate) => ({ candidate, edits: editsBetween(word.toLowerCase(), candidate) }))
    .filter(({ candidate, edits }) => edits <= MAX_EDITS && edits < candidate.length / 2);
  return near.sort((a, b) => a.edits - b.edits)[0]?.candidate;
}

/** ` Did you mean …?`, or an empty text. */
export function suggestion(word: string, candidates: readonly string[]): string {
  const meant = closest(word, candidates);
  return meant === undefined ? '' : ` Did you mean ${meant}?`;
}

/** Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment). Words are short. */
function editsBetween(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const at = (line: number[], index: number): number => line[index] ?? Infinity;
      const same = a[row - 1] === b[column - 1] ? 0 : 1;
      let edits = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + same);
      if (a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        edits = Math.min(edits, at(beforeLast, column - 2) + 1);
      }
      current.push(edits);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? Infinity;
}
