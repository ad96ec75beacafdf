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
