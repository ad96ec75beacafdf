// Code without grammars, cut by its lines, and what core makes of the outlines that a grammar hands it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { chunkSync, indexedText } from '../src/chunk.ts';
import { verify } from '../src/verify.ts';
import { documentFromText } from '../src/blocks/index.ts';
import type { Chunk } from '../src/slice.ts';
import { type CodeRange, GAP, type Grammars, type Outline, type ScopeContext } from '../src/syntax.ts';
import { wordOf } from '@grainline/testing/generated-text';
import { anyDocument, limits, packageTexts } from '@grainline/testing/documents';
import { describeLaws } from './laws.ts';
import { countWork } from './work.ts';

describeLaws('structure on code', (text, given) =>
  chunkSync(text, { tier: 'structure', kind: 'code', ...given }),
);

const cut = (text: string, size: number): string[] =>
  chunkSync(text, { tier: 'structure', kind: 'code', size }).map((piece) => piece.text);

/** Six members of a class, of which one or two fit into 120 units. */
const members = (member: (index: number) => string): string =>
  Array.from({ length: 6 }, (_, index) => member(index)).join('\n\n');

describe('code without grammars', () => {
  it('is cut between the methods of a class that does not fit', () => {
    const text = `class A {\n${members((i) => `  f${i}() {\n    if (x) {\n      y();\n    } else {\n      z(${i});\n    }\n  }`)}\n}`;
    const chunks = cut(text, 120);
    for (const piece of chunks.slice(1)) expect(piece).toMatch(/^ {2}f\d/);
    expect(chunks.at(-1)).toMatch(/\n\}$/);
  });

  it('keeps comments and decorators with what they stand over', () => {
    const text = members(
      (i) => `# Comment ${i}\n# goes on.\n@decorated\ndef f${i}(x):\n    y(x)\n    return ${i} + x`,
    );
    for (const piece of cut(text, 120)) expect(piece).toMatch(/^# Comment/);
    const block = members((i) => `/*\n   Comment ${i}\n   goes on.\n*/\nint f${i}() {\n  return ${i};\n}`);
    for (const piece of cut(block, 120)) expect(piece).toMatch(/^\/\*/);
  });

  it('knows strings of several lines that begin within a line', () => {
    const defs = members(
      (i) => `def f${i}(x):\n    r"""Text ${i}.\n\nMore text at the margin.\n\n    """\n    return x`,
    );
    const chunks = cut(`a = r"""\n  Words.\n"""\n\nb = f('"""', """One."""  # "\n)\n\n${defs}`, 120);
    for (const piece of chunks.slice(1)) expect(piece).toMatch(/^def f\d[^]* return x$/);
  });

  it('takes no quotation mark of SQL for the beginning of such a string', () => {
    const text = members((i) => `insert into a values ('''b'' ${i}',\n  'c', 'd', 'e', 'f', 'g', 'h', 'i');`);
    for (const piece of cut(text, 120)) expect(piece).toMatch(/^insert[^]*;$/);
  });

  it('keeps a function whole that fits without its comment', () => {
    const body = `def f(x):\n${'    y = x + 1\n'.repeat(6)}    return y`;
    const chunks = cut(`import a\n\n# ${'Comment. '.repeat(8)}\n${body}\n\nz = 1`, 115);
    expect(chunks.some((piece) => piece.startsWith(body))).toBe(true);
  });

  it('keeps GNU functions whole, with the return type on a line of its own', () => {
    const text = members((i) => `static int\nf${i} (int x)\n{\n  y (x);\n\n  return ${i} + x;\n}`);
    for (const piece of cut(text, 120)) expect(piece).toMatch(/^static int\nf\d[^]*\}$/);
  });

  it('does not take a directive of the preprocessor inside a function for the end of it', () => {
    const text = members((i) => `int f${i}() {\n  a();\n#ifdef X\n  b();\n#endif\n  return ${i};\n}`);
    for (const piece of cut(text, 120)) expect(piece).toMatch(/^int f\d[^]*\}$/);
  });

  it('takes no more work for twice the code than twice the work', async () => {
    const shapes = [
      (i: number) => `/* never closed ${i}`,
      (i: number) => `""" ${i}`,
      (i: number) => `${' '.repeat(i % 50)}x`,
      () => '{',
      () => '}',
      () => '# c',
    ];
    for (const shape of shapes) {
      const make = (lines: number): string =>
        Array.from({ length: lines }, (_, index) => shape(index)).join('\n');
      const once = await countWork(() => cut(make(20_000), 1000));
      const twice = await countWork(() => cut(make(40_000), 1000));
      expect(twice).toBeLessThanOrEqual(2.2 * once + 2000);
    }
  });
});

it('takes no more work for twice the blocks of code than twice the work', async () => {
  const block = (index: number): string =>
    [
      '```',
      ...Array.from({ length: 8 }, (_, line) => `${wordOf(index + line)} = ${wordOf(line)}`),
      '```',
    ].join('\n');
  const cutBlocks = (blocks: number) =>
    countWork(() =>
      chunkSync(Array.from({ length: blocks }, (_, index) => block(index)).join('\n\n'), {
        tier: 'structure',
        kind: 'markdown',
        size: 60,
      }),
    );
  const once = await cutBlocks(300);
  expect(await cutBlocks(600)).toBeLessThanOrEqual(2.2 * once + 2000);
});

describe('the language of code', () => {
  /** Notes the languages that it is asked about, and has no outline for any. */
  function recorder(): { readonly requests: string[]; readonly grammars: Grammars } {
    const requests: string[] = [];
    return { requests, grammars: { outline: ({ language }) => void requests.push(language) } };
  }
  const long = 'x = 1\n'.repeat(300);

  it('is that of the option, of the fence, or of the ending of the file', () => {
    const { requests, grammars } = recorder();
    const options = { tier: 'structure', grammars } as const;
    chunkSync(long, { ...options, language: 'Python' });
    chunkSync(`Text.\n\n\`\`\`rb\n${long}\`\`\`\n`, { ...options, kind: 'markdown' });
    chunkSync(documentFromText(long, { kind: 'code', filename: 'a/b.test.TS' }), options);
    chunkSync(long, { ...options, kind: 'code' });
    chunkSync(long, { ...options, kind: 'text' });
    expect(requests).toEqual(['python', 'rb', 'ts', '']);
  });

  it('is refused when it is no string, and so are grammars that are none', () => {
    const wrong = { tier: 'structure', language: 5, grammars: {} } as never;
    expect(() => chunkSync('x', wrong)).toThrow(/language must be a string.*; grammars must be/);
  });
});

describe('an outline', () => {
  it('is asked for with what stands inside the fence', () => {
    const ranges: CodeRange[] = [];
    const grammars: Grammars = { outline: (range) => void ranges.push(range) };
    const text = `Text.\n\n\`\`\`js\n${'f();\n'.repeat(100)}\`\`\`\n`;
    chunkSync(text, { tier: 'structure', size: 200, grammars });
    expect(ranges.map(({ start, end }) => text.slice(start, end))).toEqual(['f();\n'.repeat(100)]);
    expect(ranges[0]?.contextLength).toBe(50);
    expect(ranges[0]?.fits(20, 220)).toBe(true);
    expect(ranges[0]?.fits(20, 221)).toBe(false);
  });

  it('cannot break a law, whatever it says', () => {
    const anyOutline = fc.record({
      steps: fc.array(fc.tuple(fc.nat({ max: 40 }), fc.nat({ max: 4 }), fc.nat({ max: 3 })), {
        maxLength: 30,
      }),
      signature: fc.nat({ max: 30 }),
    });
    fc.assert(
      fc.property(
        fc.oneof(
          anyDocument,
          fc.constantFrom(...packageTexts()).map(({ text }) => text.slice(0, 3000)),
        ),
        anyOutline,
        limits,
        (text, { steps, signature }, given) => {
          const grammars: Grammars = { outline: (range) => outlineOf(range, steps, signature) };
          const chunks = chunkSync(text, { tier: 'structure', kind: 'code', grammars, ...given, overlap: 0 });
          expect(covers(text, chunks)).toBe(true);
          for (const piece of chunks) {
            if (piece.metadata.oversize !== true)
              expect(indexedText(piece).length).toBeLessThanOrEqual(given.size);
          }
        },
      ),
      cases(500),
    );
  });
});

/** Parts at places between graphemes, as the port asks for, with contexts of any length that the budget allows. */
function outlineOf(
  { text, start, end, contextLength }: CodeRange,
  steps: readonly (readonly [number, number, number])[],
  signature: number,
): Outline {
  const outline = {
    starts: [] as number[],
    depths: [] as number[],
    bodies: [] as number[],
    gaps: [] as number[],
  };
  const contexts: (ScopeContext | undefined)[] = [];
  const boundaries = [...new Intl.Segmenter('en').segment(text.slice(start, end))].map(
    ({ index }) => start + index,
  );
  let at = 0;
  for (const [step, depth, gap] of steps) {
    const offset = boundaries[at];
    if (offset === undefined) break;
    outline.starts.push(offset);
    outline.depths.push(depth);
    outline.bodies.push(boundaries[Math.min(at + (step >> 1), boundaries.length - 1)] ?? offset);
    outline.gaps.push(gap);
    const length = Math.min(signature, Math.floor(contextLength) - 2, offset - start);
    contexts.push(
      length < 1 || splitsPair(text, start + length)
        ? undefined
        : {
            parts: [{ kind: 'scope', start, end: start + length, text: text.slice(start, start + length) }],
            length: length + 2,
          },
    );
    at += 1 + step;
  }
  return { ...outline, contexts };
}

function splitsPair(text: string, at: number): boolean {
  return !text.slice(0, at).isWellFormed();
}

function covers(text: string, chunks: readonly Chunk[]): boolean {
  let at = 0;
  for (const piece of chunks) {
    if (text.slice(at, piece.start).trim() !== '' || piece.start < at) return false;
    at = piece.end;
  }
  return text.slice(at).trim() === '';
}

it('names the gaps from the weakest to the strongest', () => {
  expect(Object.values(GAP)).toEqual([0, 1, 2, 3]);
});

it('makes no chunk of a part that is blank', () => {
  const text = 'one\n \ntwo\n\ufeff\nend';
  const starts = [0, 4, 6, 10, 12];
  const level = starts.map(() => 0);
  const grammars = { outline: () => ({ starts, depths: level, bodies: starts, gaps: level }) };
  for (let size = 1; size < 20; size++) {
    const chunks = chunkSync(text, { tier: 'structure', kind: 'code', size, grammars });
    for (const piece of chunks) expect(piece.text.trim()).not.toBe('');
    expect(verify(text, chunks).covered).toBe(true);
  }
});
