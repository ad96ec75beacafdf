// The error of a rejected promise, for tests of every package: an error of one class, or the test fails.

/**
 * The error that some work ends with.
 *
 * @throws Error when it ends well, or with an error of another class
 */
export async function rejectionOf<Kind extends Error>(
  work: Promise<unknown>,
  kind: abstract new (...parts: never[]) => Kind,
): Promise<Kind> {
  const error: unknown = await work.then(
    () => 'nothing was wrong',
    (reason: unknown) => reason,
  );
  if (error instanceof kind) return error;
  throw new Error(`Not a ${kind.name}: ${String(error)}`);
}
