// The promises of a recommendation, on the development data beside the repository: questions by people over corpora of
// reports, tables and documentation. Without the data the tests are skipped. EVAL_SETS=reports,tables,documentation and
// EVAL_SPLITS=20 measure more than the suite has time for.
import { describe, expect, it } from 'vitest';
import { hasStructuredSets, readStructuredSet, STRUCTURED_SETS } from '../bench/structured-sets.ts';
import { measureAll } from '../src/evaluate.ts';
import { type Halves, halvesOf, recommend, type ScoredRow } from '../src/recommend.ts';
import { settingsOf } from '../src/settings.ts';
import { compareWith, createRandom, meanOf } from '../src/statistics.ts';

const SETS = (process.env['EVAL_SETS'] ?? 'reports').split(',');
/** Splits into halves by chance, and resamples for each. */
const [SPLITS, SAMPLES] = [Number(process.env['EVAL_SPLITS'] ?? 4), 200];
if (!hasStructuredSets)
  console.warn(`SKIPPED: recommendations on the development data; there is no ${STRUCTURED_SETS}.`);

async function measure(name: string) {
  const { documents, questions: all } = readStructuredSet(name);
  const questions = all.filter(({ origin }) => origin !== 'heading');
  return {
    questions,
    ...(await measureAll({ documents, questions, settings: settingsOf({ sizes: [500, 1000] }) })),
  };
}

/** Share of resamples of all units in which a row is at most a point below the best. */
function nearShare(
  rows: readonly ScoredRow[],
  chosen: ScoredRow,
  units: readonly (readonly number[])[],
  next: (bound: number) => number,
): number {
  let near = 0;
  for (let sample = 0; sample < SAMPLES; sample++) {
    const drawn = units.flatMap(() => units[next(units.length)] ?? []);
    const meanIn = ({ scores: { r1000 } }: ScoredRow): number =>
      meanOf(drawn.map((index) => r1000[index] ?? 0));
    if (meanIn(chosen) >= Math.max(...rows.map(meanIn)) - 0.01) near++;
  }
  return near / SAMPLES;
}

/** Halves by chance; a unit is in one of them. */
function drawHalves(
  units: readonly (readonly number[])[],
  next: (bound: number) => number,
): Pick<Halves, 'choosing' | 'judging'> {
  const order = units.map((unit) => ({ unit, at: next(1e9) })).sort((a, b) => a.at - b.at);
  const [choosing, judging]: [number[], number[]] = [[], []];
  for (const { unit } of order) (choosing.length <= judging.length ? choosing : judging).push(...unit);
  return { choosing, judging };
}

describe.skipIf(!hasStructuredSets).each(SETS)('on the development set %s', (name) => {
  it('a recommended setting is within a point of the best in 95 % of resamples, and equals are no difference', async () => {
    const { questions, rows, report } = await measure(name);
    const next = createRandom(5);
    const byHash = halvesOf(questions);
    const units = [...Map.groupBy(questions.keys(), (index) => byHash.units[index]).values()];
    const halves = [
      byHash,
      ...Array.from({ length: SPLITS }, () => ({ ...byHash, ...drawHalves(units, next) })),
    ];
    const shares: number[] = [];
    for (const retriever of ['bm25', 'vectors'] as const) {
      const own = rows.filter((row) => row.retriever === retriever);
      for (const half of halves) {
        const { isRecommended, leader } = recommend(retriever, own, half, report.settings, 'structure 1000');
        const chosen = own.find(
          (row) =>
            leader?.name ===
            [row.setting, ...((row.blend ?? 0) > 0 ? [`blend ${row.blend ?? 0}`] : [])].join(' '),
        );
        if (isRecommended && chosen !== undefined) shares.push(nearShare(own, chosen, units, next));
      }
    }
    console.log(
      `${name}, ${units.length} units: ${shares.length} of ${2 * halves.length} recommend; within a point in ${(100 * meanOf(shares)).toFixed(1)} % of resamples`,
    );
    if (shares.length > 0) expect(meanOf(shares)).toBeGreaterThanOrEqual(0.95);

    const base = rows.find((row) => row.setting === 'structure 1000' && row.retriever === 'bm25');
    const other = rows.find((row) => row.setting === 'standard 1000' && row.retriever === 'bm25');
    let called = 0;
    for (let run = 0; run < 200; run++) {
      const isSwapped = new Map(
        units.flatMap((unit) => {
          const isUnitSwapped = next(2) === 1;
          return unit.map((index) => [index, isUnitSwapped]);
        }),
      );
      const pick = (one: ScoredRow | undefined, two: ScoredRow | undefined): Float64Array =>
        Float64Array.from(
          questions,
          (_, index) => (isSwapped.get(index) === true ? two : one)?.scores.r1000[index] ?? 0,
        );
      if (compareWith([pick(base, other)], [pick(other, base)], byHash.units)[0]?.verdict !== 0) called++;
    }
    console.log(`${name}: ${called} of 200 comparisons of equals call a difference`);
    expect(called).toBeLessThanOrEqual(10);
  }, 600_000);
});
