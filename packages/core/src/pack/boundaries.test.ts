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

  it('never score less than another place, by what the packer counts', () => {
    const text = Array.from(
      { length: 400 },
      (_, at) => `So ${words(3 + ((at * at * 7) % 11))}. But it ${words((at * 13) % 17)}.`,
    ).join(' ');
    for (const tier of ['standard', 'structure', 'professional'] as const) {
      for (const limits of [{ size: 150 }, { size: 400, overlap: 90 }, { size: 300, target: 40 }]) {
        const chunks = chunkSync(text, { tier, ...limits, boundaries: true });
        const margins = chunks.flatMap(({ metadata }) => metadata.boundary?.runnerUp?.margin ?? []);
        expect(margins.length).toBeGreaterThan(20);
        expect(Math.min(...margins)).toBeGreaterThanOrEqual(-1e-9);
      }
    }
  });

  it('say nothing of another place where the chosen one is too long by its lengths', () => {
    const odd = (text: string): number => (text.length % 2 === 1 ? 2 * text.length : text.length / 2);
    const measure = {
      name: 'odd',
      count: odd,
      measure: (text: string) => ({
        text,
        count: (start: number, end: number) => odd(text.slice(start, end)),
        longestPrefix: (start: number) => start,
      }),
    };
    const chunks = chunkSync('Both are here. '.repeat(40), {
      tier: 'standard',
      measure,
      size: 2,
      boundaries: true,
    });
    const margins = chunks.flatMap(({ metadata }) => metadata.boundary?.runnerUp?.margin ?? []);
    expect(margins.length).toBeGreaterThan(20);
    for (const margin of margins) expect(margin).toSatisfy(Number.isFinite);
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
