import { describe, expect, it } from 'vitest';
import { framedRows, framesOf, heightsBeside, levelRulesOf, type LevelRules } from './level-rules.ts';
import type { Row } from './rows.ts';
import type { Rule } from '../pdfium/rules.ts';

const rule = (at: number, from = 50, to = 400): Rule => ({ isLevel: true, at, from, to });
const row = (at: number): Row => ({
  pieces: [],
  spans: [
    { left: 60, right: 160 },
    { left: 200, right: 390 },
  ],
  top: at,
  bottom: at,
  size: 10,
});

describe('frames', () => {
  it('are three level rules of one length, shorter ones between them aside', () => {
    const upright: Rule = { ...rule(600), isLevel: false };
    const rules = [
      rule(640),
      rule(690),
      upright,
      rule(710),
      rule(670, 100, 200),
      rule(620, 40),
      rule(610, 40),
    ];
    const frames = framesOf(levelRulesOf(rules)).map(({ rules }) => rules.map(({ at }) => at));
    expect(frames).toEqual([[710, 690, 640]]);
  });

  it('have the rows that stand within them, and none with a frame that is far above', () => {
    const frames = framesOf(
      levelRulesOf([rule(790), rule(780), rule(300), ...[250, 235, 200].map((at) => rule(at, 40))]),
    );
    const rows = [...[600, 588, 576].map(row), ...[240, 228, 216].map(row), row(190)];
    expect(frames).toHaveLength(2);
    expect(framedRows(rows, frames).map(({ rows }) => rows.map(({ top }) => top))).toEqual([[240, 228, 216]]);
  });

  it('are not compared one by one for each row', () => {
    const count = 512;
    // Three at one place, three further right, and so on.
    const rules = Array.from({ length: 6 * count }, (_, at) => {
      const x = at % 6 < 3 ? 40 : 50;
      return rule(100_000 - 10 * at, x, x + 350);
    });
    let calls = 0;
    const counted = framesOf(levelRulesOf(rules)).map((frame): LevelRules => ({
      isFrame: true,
      get rules() {
        calls++;
        return frame.rules;
      },
    }));
    const rows = rules.map(({ at }) => row(at - 5));
    expect(counted).toHaveLength(2 * count);
    expect(framedRows(rows, counted).flatMap(({ rows }) => rows)).toHaveLength(4 * count);
    expect(calls).toBeLessThan(20 * rows.length);
  });
});

it('heights of rules are told from above, of those that reach over most of the rows', () => {
  const rules = levelRulesOf([rule(590), rule(615), rule(605, 60, 200), rule(700), rule(500)]);
  expect(heightsBeside([row(600), row(588)], rules)).toEqual([615, 590]);
});
