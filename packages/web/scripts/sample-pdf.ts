// Prints src/document/samples/harbour-handbook.pdf, the sample PDF of the start view, by Chromium.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openBrowser } from '../test/flows/browser.ts';

const SAMPLE = join(import.meta.dirname, '../src/document/samples/harbour-handbook.pdf');

const STYLE = `
  @page { size: A4; margin: 20mm 18mm }
  body { font: 10.5pt/1.42 'Liberation Serif', 'DejaVu Serif', serif; text-align: justify; margin: 0 }
  h1 { font-size: 20pt; margin: 0 0 3mm; text-align: left }
  h2 { font-size: 13pt; margin: 5mm 0 2mm; text-align: left }
  p { margin: 0 0 2.5mm }
  .columns { columns: 2; column-gap: 8mm }
  table { border-collapse: collapse; width: 100%; margin: 2mm 0 4mm; font-size: 9.5pt }
  td, th { border: 0.3mm solid #777; padding: 1mm 2mm; text-align: left }`;

const ROWS = [
  ['Bar, North', '12.4 m', '10 minutes before', 'Two pilots in fog'],
  ['Old Basin', '7.1 m', 'At high water', 'No ships over 90 m'],
  ['Coal Quay', '9.8 m', 'Any time', 'Tug from 120 m on'],
  ['South Mole', '11.0 m', '1 hour after', 'Closed above wind force 8'],
];

const PAGE = `<!doctype html><html lang="en"><title>Harbour handbook</title><style>${STYLE}</style>
<h1>Harbour handbook</h1>
<p>This handbook is for masters and pilots who enter the harbour for the first time. It gives the depths at the lowest
tide of the year, the times at which a ship may pass the bar, and the signals of the harbour master.</p>
<h2>1 Entering the harbour</h2>
<div class="columns"><p>Ships of more than 40 m take a pilot aboard at the outer buoy. The pilot boat lies there from one
hour before high water until two hours after it; at other times a pilot is called by radio on channel 12, and comes within
90 minutes. A ship that waits anchors west of the buoy, where the ground is sand.</p>
<p>The bar is passed in one file, and no ship overtakes another between the buoy and the mole. The ebb sets across the
channel with up to three knots, so ships steer five degrees to the north of the leading lights until both lights stand
over the mole.</p></div>
<h2>2 Depths and times</h2>
<table><tr><th>Berth</th><th>Depth</th><th>Time to enter</th><th>Limits</th></tr>
${ROWS.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n')}</table>
<p>Depths are those at the lowest tide. After storms from the west the bar changes within days; the harbour master then
publishes a new depth each morning, and it holds in place of this table.</p>
<h2>3 Signals</h2>
<ul><li>Two red lights, one above the other: the harbour is closed to all ships.</li>
<li>Green over white: ships may enter, and those inside wait at their berths.</li>
<li>White over green: ships may leave, and those outside wait at the buoy.</li></ul>
<p>By day the same signals are shown by black cones and balls. A ship that does not answer a signal within ten minutes
loses its turn.</p>
<h2 style="break-before: page">4 Fees</h2>
<p>Fees are paid in advance, by length and by day. A ship that shelters from a storm pays nothing for its first night.</p>
</html>`;

const browser = await openBrowser();
try {
  const page = await browser.newPage();
  await page.setContent(PAGE);
  await writeFile(SAMPLE, await page.pdf({ preferCSSPageSize: true }));
} finally {
  await browser.close();
}
