// The histogram of chunk sizes with its scales, drawn as SVG, and the same numbers as a table.
import { useMemo } from 'preact/hooks';
import { countOf } from '../../document/cut-table.ts';
import { type Bar, scaleOf, sizesOf } from '../../document/sizes.ts';
import type { TierResult } from '../../state/signals.ts';
import { counted, shortened, whole } from '../../wording.ts';
import { SIZES } from '../../texts.ts';

const WIDTH = 264;
const HEIGHT = 108;
/** The field of the bars; around it stand the scales. */
const FIELD = { left: 28, right: 244, top: 8, bottom: 78 };
const GAP = 1.5;

/** The distribution of the chunks' lengths. */
export function Sizes({ result: { cuts, options, ms } }: { readonly result: TierResult }) {
  const size = options.unit === 'characters' ? options.size : 0;
  const { bars, least, median, most } = useMemo(() => sizesOf(cuts, size), [cuts, size]);
  return (
    <figure class="histogram" data-size={options.size} data-ms={ms}>
      <figcaption>
        <strong>{counted(countOf(cuts), 'chunk')}</strong>
        {least === most ? SIZES.all(most) : SIZES.range(least, most, median)}
      </figcaption>
      <Chart bars={bars} size={size} median={median} />
      <p class="legend" aria-hidden="true">
        <span>
          <i class="median" />
          {SIZES.median}
        </span>
        {size > 0 && (
          <span>
            <i class="limit" />
            {SIZES.limit}
          </span>
        )}
      </p>
      <details>
        <summary>{SIZES.table}</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">{SIZES.characters}</th>
              <th scope="col">{SIZES.chunks}</th>
            </tr>
          </thead>
          <tbody>
            {bars
              .filter(({ count }) => count > 0)
              .map(({ least: from, below, count }) => (
                <tr key={from}>
                  <td>{SIZES.between(from, below - 1)}</td>
                  <td>{whole(count)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}

interface ChartProps {
  readonly bars: readonly Bar[];
  /** The longest allowed chunk in characters; 0 when the sizes count tokens. */
  readonly size: number;
  readonly median: number;
}

function Chart({ bars, size, median }: ChartProps) {
  const end = bars.at(-1)?.below ?? 1;
  const highest = Math.max(1, ...bars.map(({ count }) => count));
  const { left, right, top, bottom } = FIELD;
  const x = (characters: number): number => left + (characters / end) * (right - left);
  const y = (chunks: number): number => bottom - (chunks / highest) * (bottom - top);
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      {scaleOf(highest, 2).map((chunks) => (
        <g key={chunks}>
          <line class="grid" x1={left} x2={right} y1={y(chunks)} y2={y(chunks)} />
          <text x={left - 5} y={y(chunks) + 3.5} text-anchor="end">
            {shortened(chunks)}
          </text>
        </g>
      ))}
      {bars.map(({ count, least, below }) => (
        <rect
          key={least}
          x={x(least)}
          y={count === 0 ? bottom : Math.min(bottom - 1, y(count))}
          width={Math.max(0.5, x(below) - x(least) - GAP)}
          height={count === 0 ? 0 : Math.max(1, bottom - y(count))}
        />
      ))}
      <line class="axis" x1={left} x2={right} y1={bottom} y2={bottom} />
      {scaleOf(end, 4).map((characters) => (
        <text key={characters} x={x(characters)} y={bottom + 13} text-anchor="middle">
          {whole(characters)}
        </text>
      ))}
      <line class="median" x1={x(median)} x2={x(median)} y1={top} y2={bottom} />
      {size > 0 && <line class="limit" x1={x(size)} x2={x(size)} y1={top} y2={bottom} />}
      <text x={(left + right) / 2} y={HEIGHT - 3} text-anchor="middle">
        {SIZES.axis}
      </text>
    </svg>
  );
}
