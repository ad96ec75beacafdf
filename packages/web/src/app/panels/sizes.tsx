// The histogram of chunk sizes, drawn as SVG, with the same numbers as a table.
import { useMemo } from 'preact/hooks';
import { countOf } from '../../document/cut-table.ts';
import { sizesOf } from '../../document/sizes.ts';
import type { TierResult } from '../../state/signals.ts';
import { counted, whole } from '../../wording.ts';

const WIDTH = 240;
const HEIGHT = 40;
const GAP = 2;

/** The distribution of the chunks' lengths. */
export function Sizes({ result: { cuts, options, ms } }: { readonly result: TierResult }) {
  const size = options.unit === 'characters' ? options.size : 0;
  const { bars, least, median, most } = useMemo(() => sizesOf(cuts, size), [cuts, size]);
  const highest = Math.max(1, ...bars.map(({ count }) => count));
  const width = WIDTH / bars.length;
  return (
    <figure class="histogram" data-size={options.size} data-ms={ms}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} aria-hidden="true">
        {bars.map(({ count, least: from }, index) => {
          const height = count === 0 ? 0 : Math.max(1, (count / highest) * HEIGHT);
          return (
            <rect key={from} x={index * width} y={HEIGHT - height} width={width - GAP} height={height} />
          );
        })}
      </svg>
      <figcaption>
        {counted(countOf(cuts), 'chunk')}
        {least === most
          ? ` of ${counted(most, 'character')}`
          : `, ${whole(least)} to ${whole(most)} characters, median ${whole(median)}`}
        <details>
          <summary>Table</summary>
          <table>
            <thead>
              <tr>
                <th scope="col">Characters</th>
                <th scope="col">Chunks</th>
              </tr>
            </thead>
            <tbody>
              {bars
                .filter(({ count }) => count > 0)
                .map(({ least: from, below, count }) => (
                  <tr key={from}>
                    <td>
                      {whole(from)} to {whole(below - 1)}
                    </td>
                    <td>{whole(count)}</td>
                  </tr>
                ))}
            </tbody>
          </table>
        </details>
      </figcaption>
    </figure>
  );
}
