// Chunks that make trouble, from the real chunker wherever it can make them, and vectors for them.
import { type Chunk, chunkSync } from '../../src/index.ts';

/** Text that has broken stores before: joiners, marks, right to left, quotes, markup, dates, ids, giant rows. */
const HOSTILE_TEXT = [
  '# Grüße 👩‍👩‍👧‍👦 und 🏳️‍🌈',
  'Zalgo: H̸̡̪̯ͨ͊̽̅̾̎Ȩ̬̩̾͛ͪ̈́̀́͘ ̶̧̨̱̹̭̯ͧ̾ͬC̷̙̲̝͖ͭ̏ͥͮ͟Oͮ͏̮̪̝͍M̲̖͊̒ͪͩͬ̚̚͜Ȇ̴̟̟͙̞ͩ͌͝S̨̥̫͎̭ͯ̿̔̀ͅ',
  'שלום עולם \u202Eright to left\u202C مرحبا بالعالم \u200F\u200E',
  '"quotes" \'single\' `ticks` \\back\\slash\\ {json: [null]} <b>&amp;</b> $where {{mustache}} %s \u2028\u2029',
  '2024-05-01T10:00:00Z',
  '123e4567-e89b-12d3-a456-426614174000',
  'null',
  'NaN',
  '-0',
  '漢字かな交じり文。'.repeat(40),
  '| a | b |\n| - | - |\n| ' + 'cell '.repeat(8000) + '| x |',
  'tab\tand\u0001control\u001F\u007F and \uFFFD and \uFEFF and \u00AD',
  '👍🏽'.repeat(200),
].join('\n\n');

/** Names a user may give a file. */
export const HOSTILE_NAMES = [
  'lone \uD800 high.pdf',
  '\uDC00low',
  'nul\0inside',
  '  ',
  '👩‍👩‍👧.pdf',
  '../../etc/passwd',
  '"; drop',
  '\u202Efdp.exe',
];

/** Several pages of {@link HOSTILE_TEXT}, cut small, with overlap, and with identical chunks at the end. */
export function hostileChunks(size = 300, overlap = 40): Chunk[] {
  const text = `${HOSTILE_TEXT}\n\n${'The same line again and again.\n\n'.repeat(12)}`;
  const pages = [0, 500, 5000, 20_000];
  return chunkSync(
    { text, blocks: [], pages, mediaType: 'text/plain', warnings: [] },
    { tier: 'free', size, overlap },
  );
}

/** A vector a chunk, of unit length, the same on every run, no two alike. */
export function vectorsFor(count: number, dimensions = 8): number[][] {
  return Array.from({ length: count }, (_, index) => {
    const angles = Array.from({ length: dimensions }, (_, dimension) =>
      Math.sin(1 + index * 0.7 + dimension * 1.3),
    );
    const norm = Math.hypot(...angles);
    return angles.map((angle) => Number((angle / norm).toPrecision(6)));
  });
}

/**
 * Two versions of one document: paragraphs with headings, of which the second lacks some, has others, and moves one.
 */
export const VERSIONS: readonly [string, string] = (() => {
  const section = (number: number): string =>
    `## Section ${number}\n\n${`In section ${number} the tide 🌊 turns ${number} times. `.repeat(9)}\n\nThe same footer.`;
  const before = Array.from({ length: 60 }, (_, index) => section(index));
  const after = before
    .with(0, before[0]!.replace('## Section 0', 'Section zero'))
    .with(7, before[7]!.replace('turns', 'turned'))
    .with(11, before[11]!.replace('## Section 11\n\n', ''))
    .toSpliced(20, 1)
    .toSpliced(33, 0, 'A paragraph that was not there.', before[0]!);
  return [before.join('\n\n'), after.join('\n\n')];
})();

/** The chunks of a version, with headings and overlap, so that metadata differ where the text does not. */
export function versionChunks(text: string): Chunk[] {
  return chunkSync(text, { tier: 'structure', size: 300, overlap: 60 });
}

/** A vector that depends on the text alone, as an embedder's does. */
export function vectorOf(text: string, dimensions = 8): number[] {
  const sums = Array.from({ length: dimensions }, () => 0.5);
  for (let at = 0; at < text.length; at++) sums[at % dimensions]! += text.charCodeAt(at) / (1 + at);
  const norm = Math.hypot(...sums);
  return sums.map((sum) => Number((sum / norm).toPrecision(6)));
}
