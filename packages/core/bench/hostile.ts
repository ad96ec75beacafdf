// Inputs that make a careless splitter quadratic, by their length in UTF-16 units.

const fill = (part: string, units: number): string =>
  Buffer.from(
    part
      .repeat(Math.ceil(units / part.length))
      .slice(0, units)
      .toWellFormed(),
  ).toString();

export const HOSTILE: Readonly<Record<string, (units: number) => string>> = {
  'one letter': (units) => fill('a', units),
  newlines: (units) => fill('\n', units),
  'tiny paragraphs': (units) => fill('x\n\n', units),
  'one line of words': (units) => fill('word ', units),
  'blanks between letters': (units) => fill(`x${' '.repeat(900)}`, units),
  'separator at the far end': (units) => `${fill('a', units - 4)}\n\nb `,
  'nested brackets': (units) => fill('[{(', units / 2) + fill(')}]', units / 2),
  'joined emoji': (units) => fill('👨‍👩‍👧‍👦', units),
  flags: (units) => fill('🇩🇪🇫🇷', units),
  'one endless grapheme': (units) => fill(`e${'\u0301'.repeat(units - 1)}`, units),
};
