import { describe, expect, it } from 'vitest';
import { chunkSync } from '../chunk.ts';
import type { ChosenBoundary } from '../cut.ts';

const boundariesOf = (text: string, size: number): (ChosenBoundary | undefined)[] =>
  chunkSync(text, { tier: 'structure', kind: 'markdown', size, boundaries: true }).map(
    ({ metadata }) => metadata.boundary,
  );

const words = (count: number): string => 'word '.repeat(count).trim();

describe('the reasons of boundaries', () => {
  it('tell where a chunk begins and why, of all but the first', () => {
    const text = `# One\n\n${words(30)}.\n\n# Two\n\n${words(30)}.`;
    const [first, second, ...more] = boundariesOf(text, 200);
    expect(first).toBeUndefined();
    expect(second).toMatchObject({ at: text.indexOf('# Two'), strength: 6, reason: 'heading' });
    expect(more).toEqual([]);
  });

  it('name the best other place, and what it scores less', () => {
    const text = Array.from({ length: 8 }, () => `${words(7)}.`).join('\n\n');
    const [, { at, runnerUp } = { at: 0 }] = boundariesOf(text, 150);
    expect(runnerUp?.at).not.toBe(at);
    expect(runnerUp?.margin).toBeGreaterThan(0);
    expect(runnerUp?.reason).toBe('paragraph');
  });

  it('know rows of a table and lines of code', () => {
    const table = ['| a | b |', '|---|---|', ...Array.from({ length: 20 }, () => '| one | two |')].join('\n');
    expect(boundariesOf(table, 100)[1]?.reason).toBe('table-row');
    const code = ['```js', ...Array.from({ length: 20 }, (_, line) => `  call(${line}, 'x');`), '```'].join(
      '\n',
    );
    expect(boundariesOf(code, 100)[1]?.reason).toMatch(/^code-/);
  });

  it('are absent unless asked for', () => {
    const [, second] = chunkSync(`${words(30)}.\n\n${words(30)}.`, { tier: 'standard', size: 160 });
    expect(second?.metadata).not.toHaveProperty('boundary');
  });
});
