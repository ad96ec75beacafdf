// A small page with its chunks, as a picture of what the web app shows. Screen readers skip it.

/** A drawn page: a heading, a paragraph, a list and a table, each in the colour of its chunk. */
export function Specimen() {
  return (
    <div class="specimen" aria-hidden="true">
      <div class="sheet">
        <p class="cut hue-0" data-number="1">
          <b class="chunk-0">{SPECIMEN.heading}</b>
          <span class="chunk-0">{SPECIMEN.prose}</span>
        </p>
        <p class="cut hue-1" data-number="2">
          <span class="chunk-1">{SPECIMEN.announcement}</span>
          {SPECIMEN.items.map((item) => (
            <span key={item} class="item chunk-1">
              {item}
            </span>
          ))}
        </p>
        <div class="cut hue-2" data-number="3">
          <table>
            <tbody>
              {SPECIMEN.rows.map(([section, march, june]) => (
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
          <span class="chunk-3">{SPECIMEN.after}</span>
        </p>
      </div>
    </div>
  );
}

/** Part of a made-up report. */
const SPECIMEN = {
  heading: 'Depths and volumes',
  prose: 'The channel kept its declared depth on all but eleven days of the season.',
  announcement: 'Three matters need a decision:',
  items: ['deepen the eastern basin,', 'sell the sandy sediment,', 'replace the survey boat.'],
  rows: [
    ['Section', 'March', 'June'],
    ['Outer channel', '11.8', '12.1'],
    ['Bar', '10.2', '11.0'],
    ['Eastern basin', '7.6', '8.9'],
  ],
  after: 'Ships of more than 7.5 metres draught were sent to the western basin meanwhile.',
} as const;
