import { describe, expect, it } from 'vitest';
import { compareWith, createRandom, meanOf, winnerOf } from './statistics.ts';

const next = createRandom(7);
const chance = (): number => next(1_000_000) / 1_000_000;
/** Scores like those of r1000: most answers are found wholly or not at all. */
const score = (found: number): number => (chance() < found ? 1 : chance() < 0.3 ? chance() : 0);

/** Two settings whose labels are exchanged at random, question by question: no difference but by chance. */
function equalPairs(
  questions: number,
  settings: number,
): { rows: Float64Array[]; baselines: Float64Array[] } {
  const baseline = Float64Array.from({ length: questions }, () => score(0.7));
  const rows = Array.from({ length: settings }, () =>
    baseline.map((base) => (chance() < 0.75 ? base : score(0.7))),
  );
  const isSwapped = Array.from({ length: questions }, () => chance() < 0.5);
  const pick = (one: Float64Array, other: Float64Array): Float64Array =>
    one.map((value, index) => (isSwapped[index] === true ? (other[index] ?? 0) : value));
  return {
    rows: rows.map((row) => pick(row, baseline)),
    baselines: rows.map((row) => pick(baseline, row)),
  };
}

describe('the comparison of settings', () => {
  it.each([
    [40, 1],
    [100, 1],
    [100, 6],
  ])(
    'of %d questions and %d equal settings calls a difference in at most one of twenty runs',
    (questions, settings) => {
      let called = 0;
      for (let run = 0; run < 200; run++) {
        const { rows, baselines } = equalPairs(questions, settings);
        if (compareWith(rows, baselines).some(({ verdict }) => verdict !== 0)) called++;
      }
      expect(called).toBeLessThanOrEqual(10);
    },
  );

  it('finds a difference of ten points over 300 questions, and its sign', () => {
    const baseline = Float64Array.from({ length: 300 }, () => score(0.6));
    const better = baseline.map((base) => (chance() < 0.25 ? 1 : base));
    const [gain, loss] = compareWith([better, baseline], [baseline, better]);
    expect([gain?.verdict, loss?.verdict]).toEqual([1, -1]);
    expect(gain?.mean).toBeCloseTo(meanOf(better) - meanOf(baseline), 12);
    expect(gain?.low).toBeGreaterThan(0);
    expect(gain?.high).toBeGreaterThan(gain?.low ?? 1);
  });

  it('has an interval of the width that the normal approximation gives', () => {
    const gains = Float64Array.from({ length: 400 }, (_, index) => (index % 2 === 0 ? 1 : 0));
    const [found] = compareWith([gains], [new Float64Array(400)]);
    expect((found?.high ?? 0) - (found?.low ?? 0)).toBeCloseTo(2 * 2.17 * (0.5 / 20), 2);
  });

  it('calls nothing by few questions, however equal their gains, and none that is shown as 0.0', () => {
    const of = (questions: number, gain: number) =>
      compareWith([new Float64Array(questions).fill(gain)], [new Float64Array(questions)])[0]?.verdict;
    expect([of(19, 0.5), of(20, 0.5), of(20, 0.0004)]).toEqual([0, 1, 0]);
  });

  it('calls a difference where the interval excludes 0', () => {
    for (let run = 0; run < 20; run++) {
      const { rows, baselines } = equalPairs(50, 3);
      for (const { low, high, mean, verdict } of compareWith(rows, baselines)) {
        expect(low <= mean && mean <= high).toBe(true);
        expect(verdict !== 0).toBe(low > 0 || high < 0);
      }
    }
  });

  it('calls nothing where nothing differs', () => {
    const same = Float64Array.of(1, 0, 1);
    expect(compareWith([same], [same])).toEqual([{ mean: 0, low: 0, high: 0, verdict: 0 }]);
  });
});

describe('the winner', () => {
  it('is the best setting, with its share; equals share the resamples', () => {
    const low = Float64Array.from({ length: 100 }, (_, index) => (index % 10 < 5 ? 1 : 0));
    const high = Float64Array.from({ length: 100 }, (_, index) => (index % 10 < 8 ? 1 : 0));
    expect(winnerOf([low, high], 0.01)).toEqual({ row: 1, best: 1, near: 1 });
    expect(winnerOf([low, high, high], 0.01)).toEqual({ row: 1, best: 0.5, near: 1 });
  });

  it('is no sure one where two settings are each best on half of the questions', () => {
    const one = Float64Array.from({ length: 100 }, (_, index) => index % 2);
    const other = one.map((value) => 1 - value);
    const { best, near } = winnerOf([one, other], 0.01);
    expect(best).toBeGreaterThan(0.4);
    expect(best).toBeLessThan(0.7);
    expect(near).toBeLessThan(0.7);
  });
});
