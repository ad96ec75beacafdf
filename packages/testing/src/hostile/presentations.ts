// Presentations of PowerPoint: references in circles, shapes without number, values beyond all numbers.
import { writeZip } from '../docx-writer.ts';
import {
  pptxEntries,
  slideFrame,
  slideGroup,
  slidePara,
  slideRun,
  slideShape,
  slideTitle,
  writePptx,
} from '../pptx-writer.ts';
import { type DocumentRow, nested, series } from './row.ts';

const slide = (shapes: string, relationships = ''): Uint8Array =>
  writePptx({ slides: [{ shapes: slideTitle('hello') + shapes, relationships }] });
const CHART = 'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"';
const chartFrame = slideFrame(`<c:chart ${CHART} r:id="c"/>`);
const external = (type: string, target: string): string =>
  `<Relationship Id="c" Type="x/${type}" TargetMode="External" Target="${target}"/>`;

/** A presentation of one slide that shows a chart some times. */
function charted(frames: number, chart: string): Uint8Array {
  const relationships = '<Relationship Id="c" Type="x/chart" Target="../charts/chart1.xml"/>';
  const entries = [
    { name: 'ppt/charts/chart1.xml', content: `<c:chartSpace ${CHART}>${chart}</c:chartSpace>` },
  ];
  return writePptx({
    slides: [{ shapes: slideTitle('hello') + chartFrame.repeat(frames), relationships }],
    entries,
  });
}

const points = (count: number, text: string): string =>
  `<c:cat><c:strRef><c:strCache>${series(count, (at) => `<c:pt idx="${at}"><c:v>${text}</c:v></c:pt>`)}</c:strCache></c:strRef></c:cat>`;

/** The relationships of the first slide in place of its own. */
const looped = writeZip(
  pptxEntries({ slides: [{ shapes: slideTitle('hello') }] }).map((entry) =>
    entry.name === 'ppt/slides/_rels/slide1.xml.rels'
      ? {
          ...entry,
          content: `<Relationships xmlns="x">${['slideLayout', 'slideMaster', 'notesSlide', 'slide'].map((type) => `<Relationship Id="${type}" Type="x/${type}" Target="slide1.xml"/>`).join('')}</Relationships>`,
        }
      : entry,
  ),
);

export const PPTX: readonly DocumentRow[] = [
  { of: 'a slide that is its own layout, master and notes', bytes: () => looped, is: /hello/ },
  {
    of: 'a chart at an address',
    bytes: () => slide(chartFrame, external('chart', 'http://127.0.0.1:9/c')),
    is: /hello/,
  },
  {
    of: 'a chart outside the archive',
    bytes: () =>
      slide(chartFrame, '<Relationship Id="c" Type="x/chart" Target="../../../../../etc/passwd"/>'),
    is: /hello/,
  },
  {
    of: 'a picture from a share',
    bytes: () =>
      slide(
        '<p:pic><p:blipFill><a:blip r:link="c"/></p:blipFill></p:pic>',
        external('image', 'file://///127.0.0.1/share/a.png'),
      ),
    is: /hello/,
  },
  {
    of: 'one chart a hundred thousand times',
    bytes: () => charted(100_000, points(100, 'word')),
    is: '400 too_complex',
    isHeavy: true,
  },
  {
    of: 'a long name in a chart of many rows',
    bytes: () => charted(300, points(1, 'word '.repeat(200_000))),
    is: '413 too_large',
    isHeavy: true,
  },
  {
    of: 'series without names and a point in the last row',
    bytes: () =>
      charted(
        1,
        '<c:ser><c:val><c:numCache><c:pt idx="4294967295"><c:v>1</c:v></c:pt></c:numCache></c:val></c:ser>'.repeat(
          20_000,
        ),
      ),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'groups in groups',
    bytes: () => slide(nested('<p:grpSp>', slideShape('deep'), '</p:grpSp>', 100_000)),
    is: /deep/,
  },
  {
    of: 'shapes in stairs',
    bytes: () => slide(series(20_000, (n) => slideShape('x', { at: [n, n, 10, 10] }))),
    is: /hello/,
    marks: 20_000,
    isHeavy: true,
  },
  {
    of: 'shapes in one place',
    bytes: () => slide(slideShape('x', { at: [0, 0, 10, 10] }).repeat(20_000)),
    is: /hello/,
    marks: 20_000,
    isHeavy: true,
  },
  {
    of: 'cells that span everything',
    bytes: () =>
      slide(
        slideFrame(
          `<a:tbl>${`<a:tr>${'<a:tc gridSpan="2147483647" rowSpan="2147483647"><a:txBody><a:p><a:r><a:t>x</a:t></a:r></a:p></a:txBody></a:tc>'.repeat(3)}</a:tr>`.repeat(5000)}</a:tbl>`,
        ),
      ),
    is: /hello/,
    marks: 15_000,
    isHeavy: true,
  },
  {
    of: 'a list level and sizes beyond all numbers',
    bytes: () =>
      slide(
        `<p:sp><p:spPr><a:xfrm><a:off x="1e308" y="-1e308"/><a:ext cx="NaN" cy="99999999999999999999"/></a:xfrm></p:spPr><p:txBody><a:p><a:pPr lvl="999999999"><a:buChar char="x"/></a:pPr><a:r><a:t>deep</a:t></a:r></a:p></p:txBody></p:sp>`,
      ),
    is: /deep/,
  },
  {
    of: 'a hundred thousand links of two thousand characters',
    bytes: () =>
      slide(
        slideShape(slidePara((slideRun('x', '', '<a:hlinkClick r:id="c"/>') + slideRun('y')).repeat(50_000))),
        external('hyperlink', `https://example.org/${'a'.repeat(1900)}`),
      ),
    is: /hello/,
    marks: 50_000,
    isHeavy: true,
  },
  {
    of: 'five thousand slides of one part',
    bytes: () =>
      writeZip(
        pptxEntries({ slides: [{ shapes: slideTitle('hello') }] }).map((entry) =>
          entry.name === 'ppt/presentation.xml'
            ? {
                ...entry,
                content: entry.content.toString().replace(/<p:sldId [^>]*>/, (id) => id.repeat(200_000)),
              }
            : entry,
        ),
      ),
    is: /hello/,
  },
  {
    of: 'three thousand slides',
    bytes: () =>
      writePptx({
        slides: Array.from({ length: 3000 }, (_, at) => ({
          shapes: slideTitle(`hello ${at}`),
          notes: slideShape('note', { placeholder: 'body' }),
        })),
      }),
    is: /hello 2999/,
    isHeavy: true,
  },
  {
    of: 'groups beside one another at each depth',
    bytes: () =>
      slide(
        Array.from({ length: 5000 }).reduce<string>((inside) => slideGroup(slideShape('x') + inside), ''),
      ),
    is: /hello/,
    marks: 5000,
    isHeavy: true,
  },
];
