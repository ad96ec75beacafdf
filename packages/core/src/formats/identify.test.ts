import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { type Chunk, chunkSync } from '../chunk.ts';
import { CHUNK_NAMESPACE, identify, storable, uuidsIn } from './identify.ts';

const piece = (text: string, start = 0, rest: Partial<Chunk> = {}): Chunk => ({
  text,
  start,
  end: start + text.length,
  overlap: 0,
  metadata: {},
  ...rest,
});
const idsOf = (chunks: readonly Chunk[], documentId = 'handbook.pdf'): string[] =>
  identify(chunks, { documentId }).map(({ id }) => id);

/** The formula of the doc comment, word for word, on the platform's digests. */
function byFormula(documentId: string, text: string, occurrence: number): string {
  const hash = createHash('sha256').update(text).digest('hex');
  const space = Buffer.from(CHUNK_NAMESPACE.replaceAll('-', ''), 'hex');
  const sum = createHash('sha1').update(space).update(`${hash}/${occurrence}/${documentId}`).digest();
  sum[6] = (sum[6]! & 0x0f) | 0x50;
  sum[8] = (sum[8]! & 0x3f) | 0x80;
  return sum.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

describe('UUIDs of version 5', () => {
  it('are that of RFC 9562, appendix A.4', () => {
    const dns = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
    expect(uuidsIn(dns)('www.example.com')).toBe('2ed6657d-e927-568b-95e1-2665a8aea6a2');
    expect(uuidsIn(dns.toUpperCase())(new TextEncoder().encode('www.example.com'))).toBe(
      '2ed6657d-e927-568b-95e1-2665a8aea6a2',
    );
    expect(uuidsIn(dns)('chunk.grainline')).toBe(CHUNK_NAMESPACE);
  });

  it('are refused in a namespace that is no UUID', () => {
    expect(() => uuidsIn('6ba7b810')).toThrow('namespace must be a UUID');
  });
});

describe('identify', () => {
  it('keeps these ids for ever', () => {
    expect(idsOf([piece('Hello.'), piece('World.'), piece('Hello.')])).toEqual([
      '1d791121-5de4-5ac2-8a7e-f3d6b4905f5f',
      'a6f7cc4e-5eb6-56a7-9f08-46771b0f7707',
      'd3484389-f3f1-5d43-9d08-8ed7c40ee816',
    ]);
    expect(idsOf([piece('漢字 👩‍👩‍👧 שלום')], 'https://example.com/a?b=c#d')).toEqual([
      'df1b93b1-25ee-5d6a-b933-81a017f25353',
    ]);
  });

  it('follows the documented formula', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 1 }),
        fc.string({ unit: 'grapheme' }),
        (documentId, text) => {
          const chunks = [piece(text), piece(text), piece(`${text}.`)];
          expect(idsOf(chunks, documentId)).toEqual([
            byFormula(documentId, text, 0),
            byFormula(documentId, text, 1),
            byFormula(documentId, `${text}.`, 0),
          ]);
        },
      ),
      cases(100),
    );
  });

  it('gives a thousand identical chunks a thousand ids', () => {
    const ids = idsOf(Array.from({ length: 1000 }, (_, index) => piece('same', 4 * index)));
    expect(new Set(ids).size).toBe(1000);
  });

  it('never gives two documents one id, even when their names look like parts of the formula', () => {
    const names = ['a', '0/a', '1/a', '/a', 'a/', 'a/0', `${'0'.repeat(64)}/0/a`];
    const ids = names.flatMap((name) => idsOf([piece('x'), piece('x'), piece('y')], name));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('depends on content, not on place: after an edit the other chunks keep their ids', () => {
    const paragraphs = Array.from(
      { length: 60 },
      (_, index) => `Paragraph ${index} says ${'this and that '.repeat(20)}${index}.`,
    );
    const before = identify(chunkSync(paragraphs.join('\n\n'), { size: 400 }), { documentId: 'd' });
    const edited = ['A paragraph that was not there.', ...paragraphs.with(0, 'Now short.')];
    const after = identify(chunkSync(edited.join('\n\n'), { size: 400 }), { documentId: 'd' });
    const kept = new Set(after.map(({ id }) => id));
    expect(before.filter(({ id }) => !kept.has(id)).length).toBeLessThanOrEqual(2);
    for (const { id, text } of after) {
      const twin = before.find((other) => other.text === text);
      if (twin !== undefined) expect(id).toBe(twin.id);
    }
  });

  it('counts the context, because it is part of what is indexed', () => {
    const context = [{ kind: 'title', text: 'Handbook', start: 0, end: 8 }] as const;
    expect(idsOf([piece('x', 0, { context })])).not.toEqual(idsOf([piece('x')]));
    expect(idsOf([piece('x', 0, { context })])).toEqual(idsOf([piece('Handbook\n\nx')]));
  });

  it('leaves the chunks as they are, and gives back all their other fields', () => {
    const chunks = Object.freeze([
      Object.freeze(piece('Hello.', 3, { metadata: { pageStart: 2, pageEnd: 2 } })),
    ]);
    const [identified] = identify(chunks, { documentId: 'd' });
    expect(identified).toEqual({ ...chunks[0], id: byFormula('d', 'Hello.', 0) });
  });

  it('follows the formula for numbers of two digits and for names of any length', () => {
    // From the eleventh on the number of an occurrence has two digits.
    const chunks = Array.from({ length: 25 }, () => piece('same'));
    for (const documentId of ['d', 'Größe 🙂', 'x'.repeat(2048)])
      expect(idsOf(chunks, documentId)).toEqual(
        chunks.map((_, index) => byFormula(documentId, 'same', index)),
      );
  });

  it('refuses a missing, empty or endless document id', () => {
    for (const documentId of ['', 'x'.repeat(2049), undefined, 7]) {
      expect(() => identify([], { documentId: documentId as string })).toThrow(
        expect.objectContaining({
          code: 'invalid_options',
          issues: [expect.objectContaining({ option: 'documentId' })],
        }),
      );
    }
  });
});

describe('storable', () => {
  it('replaces NUL and lone surrogates one for one and touches nothing else', () => {
    expect(storable('a\0b\uD800c\uDC00😀\n\t')).toBe('a\uFFFDb\uFFFDc\uFFFD😀\n\t');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const stored = storable(text);
        expect(stored.length).toBe(text.length);
        expect(stored.isWellFormed() && !stored.includes('\0')).toBe(true);
        expect(storable(stored)).toBe(stored);
      }),
      cases(100),
    );
  });
});
