// Records and vectors for the contract, the same in every run.
import { createHash } from 'node:crypto';
import { type ChunkRecord, type ChunkVectorRecord, chunkSync, type StoreSpec } from '@grainline/core';
import { toRecords } from '@grainline/core/formats';

export const DIMENSIONS = 16;

export const SPEC: StoreSpec = {
  embedding: { model: 'contract-model', dimensions: DIMENSIONS, distance: 'cosine', blend: 0.4 },
  versions: { cutter: 'structure-1', pdf: '3' },
};

/** A vector of length 1 that its text determines, in numbers of 32 bits. */
export function vectorOf(text: string): number[] {
  const bytes = createHash('sha512').update(text).digest();
  const numbers = Array.from({ length: DIMENSIONS }, (_, at) => bytes.readInt32BE(4 * at) / 2 ** 31);
  const length = Math.hypot(...numbers);
  return numbers.map((value) => Math.fround(value / length));
}

export const withVector = (record: ChunkRecord): ChunkVectorRecord => ({
  ...record,
  embedding: vectorOf(record.id),
});

/** Texts that databases have stumbled over: marks of their query languages, every script, long words, emoji. */
const HOSTILE = [
  `It's "quoted", \\escaped\\, 100 % {of} [all] $signs & <tags>; -- comment /* not */`,
  '漢字仮名交じり文。한국어 문장입니다. Привет, мир! مرحبا بالعالم',
  '👩‍👩‍👧‍👦 family, 🇧🇪 flag, e\u0301 combining, ﬁ ligature, \u200Bzero width',
  'NULL null true 1e9 0x1F 2024-05-01T10:00:00Z 123e4567-e89b-12d3-a456-426614174000',
  `${'longword'.repeat(80)} AND OR NOT (title:x^2) ~fuzzy* ?wild`,
];

const SUBJECTS = [
  ['tides', 'High water follows the moon by some hours, and spring tides follow the full moon.'],
  ['pilots', 'Pilots board ships outside the bar and guide them to the quay.'],
  ['ledgers', 'A ledger has two columns, and the clerk adds both of them every evening.'],
  ['orchards', 'An orchard is pruned in winter, when the sap rests in the roots.'],
  ['bridges', 'A bridge of stone carries more than its builders ever planned.'],
] as const;

/** A document of so many paragraphs; each has words of its own. */
export function textOf(name: string, paragraphs: number): string {
  return Array.from({ length: paragraphs }, (_, at) => {
    const [subject, sentence] = SUBJECTS[at % SUBJECTS.length]!;
    return `Paragraph number${at} of ${name} is about ${subject}. ${sentence} ${HOSTILE[at % HOSTILE.length]!}`;
  }).join('\n\n');
}

/** The records of a document, without vectors. */
export function recordsOf(documentId: string, text: string): ChunkRecord[] {
  const chunks = chunkSync(text, { tier: 'standard', size: 400 });
  return toRecords(chunks, 'chroma', {
    documentId,
    filename: `${documentId}.md`,
    tier: 'standard',
    metadata: { tenant: `o'brien & "co"`, year: 1998, draft: false, ratio: 0.25 },
  });
}
