// A small page with its chunks, as a picture of what the web app shows. Screen readers skip it.

/** A drawn page: a heading, a paragraph, a list and a table, each in the colour of its chunk. */
export function Specimen() {
  return (
    <div class="specimen" aria-hidden="true">
      <div class="sheet">
        <p class="cut hue-0" data-number="1">
          <b class="chunk-0">Depths and volumes</b>
          <span class="chunk-0">
            The channel kept its declared depth on all but eleven days of the season.
          </span>
        </p>
        <p class="cut hue-1" data-number="2">
          <span class="chunk-1">Three matters need a decision:</span>
          <span class="item chunk-1">deepen the eastern basin,</span>
          <span class="item chunk-1">sell the sandy sediment,</span>
          <span class="item chunk-1">replace the survey boat.</span>
        </p>
        <div class="cut hue-2" data-number="3">
          <table>
            <tbody>
              {ROWS.map(([section, march, june]) => (
                <tr key={section} class="chunk-2">
                  <td>{section}</td>
                  <td>{march}</td>
                  <td>{june}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        <p class="cut hue-3" data-number="4">
          <span class="chunk-3">
            Ships of more than 7.5 metres draught were sent to the western basin meanwhile.
          </span>
        </p>
      </div>
    </div>
  );
}

const ROWS = [
  ['Section', 'March', 'June'],
  ['Outer channel', '11.8', '12.1'],
  ['Bar', '10.2', '11.0'],
  ['Eastern basin', '7.6', '8.9'],
] as const;
