// Marks in the tier `standard`: code and rows, which no sentence crosses.
import { expect, it } from 'vitest';
import { chunkSync } from '../src/chunk.ts';

const said = (sentences: number): string => 'It was there in the morning, and it stayed. '.repeat(sentences);
const code = (functions: number): string => {
  const body = Array.from({ length: functions }, (_, at) => `function f${at}(a) {\n  return a + ${at};\n}`);
  return `\`\`\`js\n${body.join('\n\n')}\n\`\`\``;
};
const texts = (text: string): string[] =>
  chunkSync(text, { tier: 'standard', size: 320 }).map((chunk) => chunk.text);

it('keeps code whole that fits into a chunk, whatever stands around it', () => {
  const block = code(8);
  for (let sentences = 1; sentences < 14; sentences++) {
    const chunks = texts(`${said(sentences)}\n\n${block}\n\n${said(14 - sentences)}`);
    expect(chunks.filter((chunk) => chunk.includes(block))).toHaveLength(1);
  }
});

it('cuts longer code, and longer tables, between lines', () => {
  const rows = Array.from({ length: 60 }, (_, at) => `| port ${at} | ${at}.5 m at noon |`).join('\n');
  for (const text of [code(60), `| port | tide |\n|---|---|\n${rows}`]) {
    const lines = new Set(text.split('\n'));
    const chunks = texts(text);
    expect(chunks.length).toBeGreaterThan(3);
    expect(chunks.flatMap((chunk) => chunk.split('\n')).filter((line) => !lines.has(line))).toEqual([]);
  }
});

it('keeps rows together that fit into a chunk, whatever stands around them', () => {
  const rows = Array.from({ length: 9 }, (_, at) => `| port ${at} | ${at}.5 m at noon |`).join('\n');
  for (let sentences = 1; sentences < 14; sentences++) {
    const table = `| port | tide |\n|---|---|\n${rows}`;
    const chunks = texts(`${said(sentences)}\n\n${table}\n\n${said(14 - sentences)}`);
    expect(chunks.filter((chunk) => chunk.includes(table))).toHaveLength(1);
  }
});

it.each(['standard', 'structure'] as const)(
  '%s makes chunks of one length from paragraphs of any',
  (tier) => {
    const sentence = (at: number): string =>
      `Vessel ${at} came in ${'with the tide '.repeat(1 + ((at * 7) % 5))}.`;
    const means = [1, 2, 3, 5, 9, 16].map((sentences) => {
      const paragraphs = Array.from({ length: Math.ceil(900 / sentences) }, (_, at) =>
        Array.from({ length: 1 + ((at + sentences) % (2 * sentences)) }, (_, one) => sentence(at + one)).join(
          ' ',
        ),
      );
      const chunks = chunkSync(paragraphs.join('\n\n'), { tier, size: 1000 });
      return chunks.reduce((sum, { start, end }) => sum + end - start, 0) / chunks.length;
    });
    expect(Math.max(...means) / Math.min(...means)).toBeLessThan(1.15 / 0.85);
  },
);
