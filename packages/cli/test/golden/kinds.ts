// Documents of the kinds that have no fixture: sheets, mail, books, notebooks, rich text.
import { bookContents, writeBook } from '@grainline/testing/epub-writer';
import { writeMail } from '@grainline/testing/mail-writer';
import { writeMsg } from '@grainline/testing/msg-writer';
import { openCell, openRow, writeOpenDocument } from '@grainline/testing/open-document-writer';
import { writeXlsx } from '@grainline/testing/xlsx-writer';

const SOUNDINGS = [
  ['East beacon', 6.1, 46146],
  ['West beacon', 5.7, 46146],
  ['Pier head', 8.25, 46147],
  ['Inner basin', 4.9, 46149],
  ['Coal quay', 7.4, 46149],
  ['Old lock', 3.05, 46150],
] as const;

/** Depths and dates by their number formats, a formula with its cached result, and a second sheet. */
export function soundings(): Uint8Array {
  const rows = SOUNDINGS.map(([place, depth, date]) => [
    place,
    { value: depth, style: 1 },
    { value: date, style: 2 },
  ]);
  const mean = { value: 5.9, style: 1, formula: 'AVERAGE(B2:B7)' };
  return writeXlsx({
    title: 'Soundings in May',
    styles: [{ format: '0.00" m"' }, { format: 'd mmm yyyy' }],
    sheets: [
      { name: 'Soundings', rows: [['Place', 'Depth', 'Date'], ...rows, ['Mean', mean, null]] },
      {
        name: 'Boats',
        rows: [
          ['Boat', 'Crew'],
          ['Alma', 3],
          ['Marta', 7],
        ],
      },
    ],
  });
}

/** The same places as displayed values. */
export function openSoundings(): Uint8Array {
  const row = (...cells: string[]): string => openRow(cells.map((text) => openCell(text)));
  const rows = SOUNDINGS.map(([place, depth]) => row(place, `${depth.toFixed(2)} m`));
  const table = `<table:table table:name="Soundings">${row('Place', 'Depth')}${rows.join('')}</table:table>`;
  return writeOpenDocument({ kind: 'spreadsheet', body: table });
}

export function soundingsText(): string {
  const rows = SOUNDINGS.map(([place, depth]) => `"${place}";${String(depth).replace('.', ',')}`);
  return ['sep=;', 'Place;Depth in m', ...rows, ''].join('\r\n');
}

const LETTER = [
  'The dredger Marta works east of the channel until 30 June. Please tell the pilots of the morning watch.',
  'Ben Hall wrote:',
  '> Which side do we pass her on?',
  'On the side of the green lights, and slowly. The soundings are below.',
];

export function letter(): Uint8Array {
  return writeMail([
    { type: 'text/plain; charset=utf-8', body: LETTER.join('\r\n\r\n') },
    {
      type: 'text/csv',
      filename: 'soundings.csv',
      body: 'Place,Depth\r\nEast beacon,6.1\r\nWest beacon,5.7',
    },
  ]);
}

export function outlookLetter(): Uint8Array {
  return writeMsg({
    streams: {
      '0037001F': 'Dredging east of the channel',
      '0C1A001F': 'Ada Reed',
      '5D01001F': 'ada@sea.example',
      '1000001F': LETTER.join('\r\n\r\n'),
    },
    folders: {
      '__recip_version1.0_#00000000': { streams: { '3001001F': 'Ben Hall', '39FE001F': 'ben@sea.example' } },
      '__attach_version1.0_#00000000': {
        streams: {
          '3707001F': 'lights.md',
          '37010102': new TextEncoder().encode('# Lights\n\nEast beacon Fl 4s, pier head Q R.'),
        },
      },
    },
  });
}

export function pilotBook(): Uint8Array {
  return writeBook({
    chapters: {
      'a.xhtml': '<p>The harbour lies on the south bank, two miles from the bar.</p>',
      'b.xhtml':
        '<p>Ships of more than 80 m take a pilot. He boards one mile outside the bar, by day and by night.</p><ul><li>Call on channel 12.</li><li>Rig the ladder on the lee side.</li></ul>',
      'c.xhtml':
        '<table><tr><th>Light</th><th>Range</th></tr><tr><td>East beacon</td><td>8 M</td></tr><tr><td>Pier head</td><td>5 M</td></tr></table>',
    },
    nav: bookContents(
      '<ol><li><a href="a.xhtml">The harbour</a></li><li><a href="b.xhtml">Pilots</a><ol><li><a href="c.xhtml">Lights</a></li></ol></li></ol>',
    ),
  });
}

export function driftNotebook(): string {
  const markdown = (source: string) => ({ cell_type: 'markdown', metadata: {}, source });
  const code = (source: string, ...outputs: object[]) => ({
    cell_type: 'code',
    execution_count: 1,
    metadata: {},
    source,
    outputs,
  });
  return JSON.stringify({
    nbformat: 4,
    nbformat_minor: 5,
    metadata: { language_info: { name: 'python' } },
    cells: [
      markdown('# Drift of the bank\n\nThe bank moves towards the channel.'),
      code('depths = [6.4, 6.1]\nprint(depths[0] - depths[1])', {
        output_type: 'stream',
        name: 'stdout',
        text: '0.3\n',
      }),
      markdown('## Forecast\n\nAt this rate it reaches the line of the beacons in **two years**.'),
      code('forecast(years=2)', {
        output_type: 'execute_result',
        execution_count: 2,
        metadata: {},
        data: { 'text/plain': "{'depth': 5.5, 'unit': 'm'}" },
      }),
    ],
  });
}

export function memorandum(): string {
  const row = (...cells: string[]): string =>
    String.raw`\trowd\cellx3000\cellx6000 ${cells.map((text) => String.raw`\intbl ${text}\cell`).join(' ')}\row`;
  return [
    String.raw`{\rtf1\ansi\ansicpg1252{\stylesheet{\s1\outlinelevel0 heading 1;}}`,
    String.raw`\pard\s1\outlinelevel0 Memorandum\par`,
    String.raw`\pard The pilots' room stays closed on 4 May. Watches begin in the {\b harbour office}.\par`,
    row('Watch', 'Begins'),
    row('Morning', '05:00'),
    row('Evening', '17:00'),
    String.raw`\pard Questions go to the duty officer; caf\'e9 and beds are in the annexe.\par}`,
  ].join('\n');
}
