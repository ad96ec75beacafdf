// Several things at the same time, their results one after another.

/**
 * Works on up to `limit` items at once and yields the results in the order of the items. Each result waits until it
 * is asked for, so that no more than `limit` are ever held.
 *
 * @param work must not reject: failures are results too
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
