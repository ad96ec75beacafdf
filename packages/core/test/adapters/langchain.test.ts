// The text splitter among LangChain's own classes: as its documents, its runnables and its headers see it.
import { Document } from '@langchain/core/documents';
import { RecursiveCharacterTextSplitter, TextSplitter } from '@langchain/textsplitters';
import { chunkSync, DEFAULT_SIZE, indexedText, type TierId, type TokenCounter } from '@grainline/core';
import { identify } from '@grainline/core/formats';
import { GrainlineTextSplitter, type GrainlineTextSplitterOptions } from '@grainline/core/langchain';
import { describe, expect, it } from 'vitest';
import { SYNCHRONOUS_TIERS } from '@grainline/testing/tiers';

const TIDES = `# Tides\n\nHigh water follows the moon. It comes twice a day.\n\n## Springs\n\nLarge tides 🌊 after new moon.\n\n
| port | height |\n|---|---|\n${'| Ostend | 4.6 m |\n'.repeat(20)}`;

describe('GrainlineTextSplitter', () => {
  it.each(SYNCHRONOUS_TIERS)('splits by the tier %s as the library does', async (tier) => {
    const splitter = new GrainlineTextSplitter({ tier, chunkSize: 120, chunkOverlap: 20 });
    const chunks = chunkSync(TIDES, { tier, size: 120, overlap: 20 });
    expect(await splitter.splitText(TIDES)).toEqual(chunks.map(indexedText));
    const documents = await splitter.createDocuments([TIDES], [{ author: 'me' }]);
    expect(documents.map(({ pageContent }) => pageContent)).toEqual(chunks.map(indexedText));
    for (const [index, { pageContent, metadata }] of documents.entries()) {
      const { start_offset, end_offset, content_start, heading_path, ...rest } = metadata;
      expect(pageContent.slice(Number(content_start ?? 0))).toBe(
        TIDES.slice(Number(start_offset), Number(end_offset)),
      );
      expect(heading_path).toBe(chunks[index]!.metadata.headingPath?.join(' > '));
      expect(rest).toMatchObject({ author: 'me', chunk_index: index, char_count: pageContent.length });
      expect(Object.values(metadata).every((value) => typeof value !== 'object')).toBe(true);
    }
  });

  it('is one of LangChain’s: splits documents, alone and in a chain', async () => {
    const splitter = new GrainlineTextSplitter({ chunkSize: 40 });
    expect(splitter).toBeInstanceOf(TextSplitter);
    expect(GrainlineTextSplitter.lc_name()).toBe('GrainlineTextSplitter');
    const documents = [new Document({ pageContent: TIDES, metadata: { source: 'a.md', loc: { page: 2 } } })];
    const split = await splitter.splitDocuments(documents);
    expect(split[0]).toBeInstanceOf(Document);
    expect(split[0]!.metadata).toMatchObject({ source: 'a.md', loc: { page: 2 }, start_offset: 0 });
    expect(await splitter.invoke(documents)).toEqual(split);
    expect(await splitter.transformDocuments(documents)).toEqual(split);
  });

  it('gives the free tier’s chunks where LangChain’s own splitter is in its place', async () => {
    const text = 'Harbour pilots board ships beyond the bar.\n\nThey wait for high water.'.repeat(5);
    const limits = { chunkSize: 50, chunkOverlap: 10 };
    const ours = new GrainlineTextSplitter({ tier: 'free', ...limits });
    const theirs = new RecursiveCharacterTextSplitter(limits);
    expect(await ours.splitText(text)).toEqual(await theirs.splitText(text));
  });

  it('takes the default size of the library, in the unit of its counter', async () => {
    const measure: TokenCounter = {
      name: 'letters',
      count: ({ length }) => length,
      measure: (text) => ({
        text,
        count: (start, end) => end - start,
        longestPrefix: (start, end, most) => Math.min(end, start + most),
      }),
    };
    const text = 'Harbour pilots board ships beyond the bar. '.repeat(80);
    for (const options of [{}, { measure }]) {
      const splitter = new GrainlineTextSplitter(options);
      expect(await splitter.splitText(text)).toEqual(chunkSync(text, options).map(indexedText));
    }
    expect(new GrainlineTextSplitter({ measure }).chunkSize).toBe(DEFAULT_SIZE.tokens);
    expect(new GrainlineTextSplitter().chunkSize).toBe(DEFAULT_SIZE.characters);
  });

  it('names chunks by their source, over all pages of it, so that no two share an id', async () => {
    const splitter = new GrainlineTextSplitter({ chunkSize: 20 });
    const page = 'One.\n\nThe same footer.';
    const about = [{ source: 'a.pdf' }, { source: 'a.pdf' }, { source: 'b.pdf' }, {}, { source: '' }];
    const documents = await splitter.createDocuments(
      about.map(() => page),
      about,
    );
    const chunks = chunkSync(page, { size: 20 });
    const expected = identify([...chunks, ...chunks], { documentId: 'a.pdf' }).map(({ id }) => id);
    expect(documents.slice(0, 4).map(({ id }) => id)).toEqual(expected);
    expect(new Set(documents.slice(0, 6).map(({ id }) => id)).size).toBe(6);
    expect(documents.slice(6).map(({ id }) => id)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('puts headers before the text and says where the text begins', async () => {
    const splitter = new GrainlineTextSplitter({ chunkSize: 5 });
    const headers = { chunkHeader: 'DOC\n', appendChunkOverlapHeader: true };
    const documents = await splitter.createDocuments(['One. Two.'], [], headers);
    expect(documents.map(({ pageContent }) => pageContent)).toEqual(['DOC\nOne.', "DOC\n(cont'd) Two."]);
    expect(documents[1]!.metadata).toMatchObject({ content_start: 13, char_count: 17, start_offset: 5 });
  });

  it('refuses wrong options where it is made, all of them, by the names that they have here', () => {
    const wrong: GrainlineTextSplitterOptions = { chunkSize: 0, chunkOverlap: -1, tier: 'none' as TierId };
    const issues = [{ option: 'tier' }, { option: 'chunkSize', received: '0' }, { option: 'chunkOverlap' }];
    expect(() => new GrainlineTextSplitter(wrong)).toThrow(
      expect.objectContaining({
        code: 'invalid_options',
        issues: issues.map((issue) => expect.objectContaining(issue) as object),
      }),
    );
    expect(() => new GrainlineTextSplitter({ chunkSize: 0 })).toThrow('chunkSize must be an integer from 1');
    expect(() => new GrainlineTextSplitter({ chunkSize: 5, chunkOverlap: 5 })).toThrow('below chunkSize');
    const ofTheLibrary: object = { size: 5, lengthFunction: String, chunk_size: 7, colour: 'red' };
    expect(() => new GrainlineTextSplitter(ofTheLibrary)).toThrow(
      /size must be left out, because it is chunkSize here, but is 5; lengthFunction must be given as measure, but is a function; chunk_size must be given as chunkSize, but is 7; colour must be .* takes only chunkSize, chunkOverlap, measure/,
    );
    expect(
      () => new GrainlineTextSplitter({ tier: 'structure', signal: new AbortController().signal }),
    ).not.toThrow();
  });

  it('ends with its signal', async () => {
    const reason = new Error('enough');
    const aborted = new GrainlineTextSplitter({ signal: AbortSignal.abort(reason) });
    await expect(aborted.createDocuments(['x'])).rejects.toBe(reason);
    expect(() => new GrainlineTextSplitter({ chunkSize: 5, chunkOverlap: 5 })).toThrow('chunkOverlap');
  });
});
