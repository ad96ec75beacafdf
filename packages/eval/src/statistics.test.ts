import { describe, expect, it } from 'vitest';
import { compareWith, createRandom, meanOf, unitsOf, winnerOf } from './statistics.ts';

const next = createRandom(7);
const chance = (): number => next(1_000_000) / 1_000_000;
/** Scores like those of r1000: most answers are found wholly or not at all. */
const score = (found: number): number => (chance() < found ? 1 : chance() < 0.3 ? chance() : 0);

/** Each question is a unit. */
const single = (questions: number): number[] => [...Array(questions).keys()];

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
        if (compareWith(rows, baselines, single(questions)).some(({ verdict }) => verdict !== 0)) called++;
      }
      expect(called).toBeLessThanOrEqual(10);
    },
  );

  it('finds a difference of ten points over 300 questions, and its sign', () => {
    const baseline = Float64Array.from({ length: 300 }, () => score(0.6));
    const better = baseline.map((base) => (chance() < 0.25 ? 1 : base));
    const [gain, loss] = compareWith([better, baseline], [baseline, better], single(300));
    expect([gain?.verdict, loss?.verdict]).toEqual([1, -1]);
    expect(gain?.mean).toBeCloseTo(meanOf(better) - meanOf(baseline), 12);
    expect(gain?.low).toBeGreaterThan(0);
    expect(gain?.high).toBeGreaterThan(gain?.low ?? 1);
  });

  it('has an interval of the width that the normal approximation gives', () => {
    const gains = Float64Array.from({ length: 400 }, (_, index) => (index % 2 === 0 ? 1 : 0));
    const [found] = compareWith([gains], [new Float64Array(400)], single(400));
    expect((found?.high ?? 0) - (found?.low ?? 0)).toBeCloseTo(2 * 2.17 * (0.5 / 20), 2);
  });

  it('calls nothing by few questions, however equal their gains, and none that is shown as 0.0', () => {
    const of = (questions: number, gain: number) =>
      compareWith(
        [new Float64Array(questions).fill(gain)],
        [new Float64Array(questions)],
        single(questions),
      )[0]?.verdict;
    expect([of(19, 0.5), of(20, 0.5), of(20, 0.0004)]).toEqual([0, 1, 0]);
  });

  it('calls a difference where the interval excludes 0', () => {
    for (let run = 0; run < 20; run++) {
      const { rows, baselines } = equalPairs(50, 3);
      for (const { low, high, mean, verdict } of compareWith(rows, baselines, single(50))) {
        expect(low <= mean && mean <= high).toBe(true);
        expect(verdict !== 0).toBe(low > 0 || high < 0);
      }
    }
  });

  it('calls nothing where nothing differs', () => {
    const same = Float64Array.of(1, 0, 1);
    expect(compareWith([same], [same], single(3))).toEqual([{ mean: 0, low: 0, high: 0, verdict: 0 }]);
  });
});

/**
 * Gains of equal settings over documents of 4 to 81 questions, the small ones most often. In each document both
 * settings exchange their labels at random, and gains share a part: a splitter does well or badly on all of it.
 */
function equalByDocument(count: number, settings: number): { gains: number[][]; names: string[] } {
  const names: string[] = [];
  const gains = Array.from({ length: settings }, (): number[] => []);
  for (let document = 0; document < count; document++) {
    const questions = 1 + Math.floor(4 / (0.05 + chance()));
    const sign = chance() < 0.5 ? 1 : -1;
    const shared = gains.map(() => (chance() < 0.5 ? chance() - 0.3 : 0));
    for (let question = 0; question < questions; question++) {
      names.push(`${document}.md`);
      for (const [setting, row] of gains.entries())
        row.push(sign * ((shared[setting] ?? 0) + (chance() < 0.25 ? 1.4 * chance() - 0.7 : 0)));
    }
  }
  return { gains, names };
}

describe('the comparison by document', () => {
  it.each([
    [30, 1],
    [30, 6],
    [80, 1],
  ])(
    'of %d documents and %d equal settings calls a difference in at most one of twenty runs; by question it fails',
    (documents, settings) => {
      let [byDocument, byQuestion] = [0, 0];
      for (let run = 0; run < 200; run++) {
        const { gains, names } = equalByDocument(documents, settings);
        const zeros = gains.map(() => new Float64Array(names.length));
        const isCalled = (units: number[]): boolean =>
          compareWith(gains, zeros, units).some(({ verdict }) => verdict !== 0);
        if (isCalled(unitsOf(names))) byDocument++;
        if (run < 20 && isCalled(single(names.length))) byQuestion++;
      }
      expect(byDocument).toBeLessThanOrEqual(10);
      expect(byQuestion).toBeGreaterThan(3);
    },
  );

  it('calls a difference in at most one of twenty runs by five documents, as in halves of ten', () => {
    let called = 0;
    for (let run = 0; run < 200; run++) {
      const { gains, names } = equalByDocument(5, 1);
      const units = names.map((name) => names.indexOf(name));
      if (compareWith(gains, [new Float64Array(names.length)], units)[0]?.verdict !== 0) called++;
    }
    expect(called).toBeLessThanOrEqual(10);
  });

  it('finds a difference of ten points over 40 documents, and its sign', () => {
    const { gains, names } = equalByDocument(40, 1);
    const better = (gains[0] ?? []).map((gain) => gain / 4 + 0.1);
    const zeros = new Float64Array(names.length);
    expect(
      compareWith([better, zeros], [zeros, better], unitsOf(names)).map(({ verdict }) => verdict),
    ).toEqual([1, -1]);
  });

  it('has an interval of the width that the normal approximation gives for the means of documents', () => {
    const names = single(4000).map((index) => `${index % 400}.md`);
    const gains = Float64Array.from(names, (_, index) => Number(index % 400 < 200));
    const [found] = compareWith([gains], [new Float64Array(4000)], unitsOf(names));
    expect((found?.high ?? 0) - (found?.low ?? 0)).toBeCloseTo(2 * 2.17 * (0.5 / 20), 2);
  });

  it('is the comparison by question where each document has one', () => {
    const names = single(60).map((index) => `${index}.md`);
    expect(unitsOf(names)).toEqual(single(60));
  });

  it('resamples questions where documents are fewer than ten, or a few of them have most questions', () => {
    const spread = (sizes: number[]): string[] =>
      sizes.flatMap((size, document) => Array<string>(size).fill(`${document}.md`));
    const isByDocument = (sizes: number[]): boolean => new Set(unitsOf(spread(sizes))).size === sizes.length;
    expect(isByDocument(Array<number>(10).fill(5))).toBe(true);
    expect(isByDocument(Array<number>(9).fill(5))).toBe(false);
    expect(isByDocument([40, ...Array<number>(40).fill(1)])).toBe(false);
  });
});

describe('the winner', () => {
  it('is the best setting, with its share; equals share the resamples', () => {
    const low = Float64Array.from({ length: 100 }, (_, index) => (index % 10 < 5 ? 1 : 0));
    const high = Float64Array.from({ length: 100 }, (_, index) => (index % 10 < 8 ? 1 : 0));
    expect(winnerOf([low, high], single(100), 0.01)).toEqual({ row: 1, best: 1, near: 1 });
    expect(winnerOf([low, high, high], single(100), 0.01)).toEqual({ row: 1, best: 0.5, near: 1 });
  });

  it('is less sure where its questions are about few documents', () => {
    const names = single(100).map((index) => `${index % 10}.md`);
    const one = Float64Array.from({ length: 100 }, (_, index) => Number(index % 10 < 4));
    const other = Float64Array.from({ length: 100 }, (_, index) => Number(index % 10 >= 4));
    expect(winnerOf([one, other], single(100), 0.01).best).toBeGreaterThan(0.95);
    expect(winnerOf([one, other], unitsOf(names), 0.01).best).toBeLessThan(0.8);
  });

  it('by half of 60 documents is near the best in 95 % of the resamples of all of them', () => {
    const shares: number[] = [];
    for (let run = 0; run < 60; run++) {
      const { gains, names } = equalByDocument(60, 2);
      const rows = [gains[0] ?? [], (gains[1] ?? []).map((gain) => gain + 0.08)];
      const half = single(names.length).filter((index) => Number.parseInt(names[index] ?? '') % 2 === 0);
      const chosen = winnerOf(
        rows.map((row) => half.map((index) => row[index] ?? 0)),
        unitsOf(half.map((index) => names[index] ?? '')),
        0.01,
      );
      if (chosen.best < 0.9 || chosen.near < 0.95) continue;
      const all = winnerOf(rows, unitsOf(names), 0.01);
      shares.push(all.row === chosen.row ? all.near : 1 - all.best);
    }
    expect(shares.length).toBeGreaterThan(10);
    expect(meanOf(shares)).toBeGreaterThanOrEqual(0.95);
  });

  it('is no sure one where two settings are each best on half of the questions', () => {
    const one = Float64Array.from({ length: 100 }, (_, index) => index % 2);
    const other = one.map((value) => 1 - value);
    const { best, near } = winnerOf([one, other], single(100), 0.01);
    expect(best).toBeGreaterThan(0.4);
    expect(best).toBeLessThan(0.7);
    expect(near).toBeLessThan(0.7);
  });
});
