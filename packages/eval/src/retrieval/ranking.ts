// The best of many scores, in order.

/**
 * The positions of the highest scores, best first; of equal scores the first position. Linear in the number of scores
 * for a fixed `most`.
 *
 * @param most an integer from 1
 */
export function bestOf(scores: ArrayLike<number>, most: number): number[] {
  const best: number[] = [];
  for (let position = 0; position < scores.length; position++) {
    const score = scores[position] ?? 0;
    if (best.length === most && score <= (scores[best[most - 1] ?? 0] ?? 0)) continue;
    let low = 0;
    let high = best.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((scores[best[middle] ?? 0] ?? 0) >= score) low = middle + 1;
      else high = middle;
    }
    best.splice(low, 0, position);
    if (best.length > most) best.pop();
  }
  return best;
}
