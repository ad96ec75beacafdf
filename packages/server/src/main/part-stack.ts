// The open parts of a service. A part may use those below it until it is closed itself.

/** An open part. */
export interface Part {
  close(): Promise<void>;
}

/** Open parts in the order of their opening. */
export interface PartStack {
  /** Adds an open part and returns it. */
  add<Opened extends Part | undefined>(part: Opened): Opened;
  /** Closes the parts, the last one first. Rejects with the first error, after all are closed. */
  close(): Promise<void>;
}

/** Opens parts. When that fails, the parts that are open by then are closed. */
export async function openInOrder<Opened>(open: (stack: PartStack) => Promise<Opened>): Promise<Opened> {
  const stack = createPartStack();
  try {
    return await open(stack);
  } catch (error) {
    // The reason of the failed start counts, not the errors of parts that follow from it.
    await stack.close().catch(() => undefined);
    throw error;
  }
}

function createPartStack(): PartStack {
  const parts: Part[] = [];
  return {
    add(part) {
      if (part !== undefined) parts.push(part);
      return part;
    },
    async close() {
      const errors: unknown[] = [];
      for (const part of parts.toReversed()) await part.close().catch((error: unknown) => errors.push(error));
      if (errors.length > 0) throw errors[0];
    },
  };
}
