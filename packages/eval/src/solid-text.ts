// Text without its blanks, so that texts can be found again whatever became of the blanks between their words.

/** A text without blanks, and the offset of each of its units in the text. */
export interface SolidText {
  readonly solid: string;
  readonly offsets: Uint32Array;
}

/** Leaves out all blanks of a text. Linear. */
export function withoutBlanks(text: string): SolidText {
  const offsets = new Uint32Array(text.length);
  let length = 0;
  for (const { index, 0: run } of text.matchAll(/\S+/g))
    for (let unit = 0; unit < run.length; unit++) offsets[length++] = index + unit;
  return { solid: text.replaceAll(/\s+/g, ''), offsets };
}
