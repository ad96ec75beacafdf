// Concurrent work with results in the order of its items.

/**
 * Works on up to `limit` items at once and yields the results in the order of the items. A result waits for its
 * consumer, so that at most `limit` results are in memory.
 *
 * @param work must not reject; it returns failures as results
 */
export async function* inOrder<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item, index: number) => Promise<Result>,
): AsyncGenerator<Result, void, undefined> {
  const running: Promise<Result>[] = [];
  for (const [index, item] of items.entries()) {
    running.push(work(item, index));
    if (running.length === limit) yield (await running.shift()) as Result;
  }
  for (const result of running) yield await result;
}
