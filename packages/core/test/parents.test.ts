// The sections around chunks: spans that hold them, ids that survive edits of the text, the same in every format.
import {
  chunk,
  type Chunk,
  type ChunkOptions,
  chunkSync,
  type Document,
  documentFromText,
  type ParentSection,
} from '@grainline/core';
import { FORMATS, type FormatId, formatChunks, sectionId } from '@grainline/core/formats';
import { cases } from '@grainline/testing/cases';
import { anyDocument } from '@grainline/testing/documents';
import { wordEmbedder } from '@grainline/testing/embedders';
import { scripted } from '@grainline/testing/language-models';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const TEXT = [
  'Before all headings.',
  '# Tides',
  'High water follows the moon, and the moon is late each day.',
  '## Springs',
  'The large tides come at new moon and at full moon.',
  '## Neaps',
  'The small tides come between the springs.',
  '### Examples',
  'A neap of two metres.',
  '# Winds',
  '## Examples',
  'A breeze at noon.',
  '## Examples',
  'A gale at night.',
].join('\n\n');
const options = { size: 70, min: 0, target: 30, parents: true } as const;
const chunksOf = (text: string | Document, more: Partial<ChunkOptions> = {}): Chunk[] =>
  chunkSync(text, { kind: 'markdown', ...options, tier: 'structure', ...(more as object) });
const holding = (chunks: readonly Chunk[], text: string): Chunk =>
  chunks.find((piece) => piece.text.includes(text))!;
const slice = (text: string, { start, end }: ParentSection): string => text.slice(start, end);

describe('the section of a chunk', () => {
  it('reaches from its heading to the last text before the next heading of its depth', () => {
    const { section, parent } = holding(chunksOf(TEXT), 'two metres').metadata;
    expect(slice(TEXT, section!)).toBe('### Examples\n\nA neap of two metres.');
    expect(section).toMatchObject({ headingPath: ['Tides', 'Neaps', 'Examples'], occurrence: 0 });
    expect(slice(TEXT, parent!)).toMatch(/^## Neaps[^]*metres\.$/);
    const above = holding(chunksOf(TEXT), 'small tides').metadata.parent!;
    expect(slice(TEXT, above)).toMatch(/^# Tides[^]*metres\.$/);
  });

  it('is the document before the first heading, which has nothing above it', () => {
    const { section, parent } = holding(chunksOf(TEXT), 'Before').metadata;
    expect(section).toEqual({ start: 0, end: TEXT.length, headingPath: [], occurrence: 0 });
    expect(parent).toBeUndefined();
    expect(holding(chunksOf(TEXT), 'High water').metadata.parent).toEqual(section);
  });

  it('has another number for each of two headings of one name', () => {
    const numbers = ['noon', 'night'].map((word) => holding(chunksOf(TEXT), word).metadata.section);
    expect(numbers.map((section) => section?.occurrence)).toEqual([0, 1]);
    expect(numbers[0]?.headingPath).toEqual(numbers[1]?.headingPath);
  });

  it('holds the text of each chunk behind its headings, for any document', () => {
    const holds = fc.property(anyDocument, fc.integer({ min: 20, max: 300 }), (text, size) => {
      const document = documentFromText(text);
      const plain = chunkSync(document, { tier: 'structure', size });
      const chunks = chunkSync(document, { tier: 'structure', size, parents: true });
      for (const [index, { metadata, ...rest }] of plain.entries())
        expect(chunks[index]).toMatchObject({ ...rest, metadata });
      expect(chunks).toHaveLength(plain.length);
      for (const { text: own, start, end, metadata } of chunks) {
        const { section, parent, headingPath = [] } = metadata;
        // Headings without text, at the end of a document, may stand in the chunk of the text above them.
        const textEnd = start + own.replace(/(?:\n\s*#+[^\n]*)+$/, '').trimEnd().length;
        expect(section?.headingPath).toEqual(headingPath);
        expect(section!.start).toBeLessThan(end);
        expect(section!.end).toBeGreaterThanOrEqual(textEnd);
        if (parent === undefined) continue;
        expect(parent.start).toBeLessThanOrEqual(section!.start);
        expect(parent.end).toBeGreaterThanOrEqual(section!.end);
      }
    });
    fc.assert(holds, cases(100));
  });

  it('comes with every tier that reads blocks, and only on request', async () => {
    const models = { professional: {}, semantic: { embed: wordEmbedder }, ai: { complete: scripted } };
    for (const [tier, more] of Object.entries(models)) {
      const given = { ...options, ...more, kind: 'markdown', tier } as ChunkOptions;
      const sections = (await chunk(TEXT, given)).map(({ metadata }) => metadata.section);
      expect(sections.every((section) => section !== undefined)).toBe(true);
      const without = await chunk(TEXT, { ...given, parents: false });
      expect(without.some(({ metadata }) => 'section' in metadata)).toBe(false);
    }
    expect(() => chunkSync(TEXT, { ...options, tier: 'standard' })).toThrow('parents');
    expect(() => chunksOf(TEXT, { parents: 'yes' as never })).toThrow('parents must be true or false');
  });
});

describe('the id of a section', () => {
  const about = { documentId: 'tides.md' };

  it('comes from the document, the path and the occurrence, never from the text', () => {
    const idsOf = (text: string) =>
      chunksOf(text).map(({ metadata }) => [
        metadata.section!.headingPath.join('/'),
        metadata.section!.occurrence,
        sectionId(metadata.section!, about),
      ]);
    const before = new Map(idsOf(TEXT).map(([path, number, id]) => [`${path} ${number}`, id]));
    const edited = idsOf(TEXT.replace('two metres', 'three metres').replace('Before all headings.\n\n', ''));
    expect(edited.length).toBeGreaterThan(5);
    for (const [path, number, id] of edited) expect(before.get(`${path} ${number}`)).toBe(id);
    expect(new Set(before.values()).size).toBe(before.size);
    expect(sectionId({ headingPath: ['Tides'], occurrence: 0 }, about)).toBe(
      '46bd45c1-b16c-522e-8ba8-3a34c1f2b8fe',
    );
    expect(sectionId({ headingPath: ['Tides'], occurrence: 0 }, { documentId: 'b' })).not.toBe(
      '46bd45c1-b16c-522e-8ba8-3a34c1f2b8fe',
    );
    expect(() => sectionId({ headingPath: [], occurrence: 0 }, { documentId: '' })).toThrow('documentId');
  });

  it.each(Object.keys(FORMATS) as FormatId[])('stands in the records with the ranges: %s', (format) => {
    const chunks = chunksOf(TEXT);
    const records = JSON.stringify(formatChunks(chunks, format, about).records);
    const { section, parent } = holding(chunks, 'two metres').metadata;
    for (const [name, { start, end, ...named }] of Object.entries({ section: section!, parent: parent! })) {
      expect(records).toContain(`"${name}_id":"${sectionId(named, about)}"`);
      expect(records).toContain(`"${name}_start":${start},"${name}_end":${end}`);
    }
  });
});
