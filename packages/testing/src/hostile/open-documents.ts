// OpenDocument texts, spreadsheets and presentations: repetitions without number, elements in one another.
import { writeZip } from '../docx-writer.ts';
import {
  openCell,
  openDocumentEntries,
  openFrame,
  openList,
  openPage,
  openPara,
  openRow,
  writeFlatDocument,
  writeOpenDocument,
} from '../open-document-writer.ts';
import { type DocumentRow, LONG, nested, series } from './row.ts';

const EVERYWHERE = 'table:number-columns-repeated="99999999"';
const ALWAYS = 'table:number-rows-repeated="99999999"';
const table = (content: string, name = 'S'): string =>
  `<table:table table:name="${name}">${content}</table:table>`;
const odt = (body: string, more: { automatic?: string } = {}): Uint8Array =>
  writeOpenDocument({ kind: 'text', body: openPara('hello') + body, ...more });
const ods = (body: string): Uint8Array =>
  writeOpenDocument({
    kind: 'spreadsheet',
    body:
      table(openRow([openCell('hello'), openCell('b')]) + openRow([openCell('c'), openCell('d')]), 'A') +
      body,
  });
const odp = (body: string): Uint8Array =>
  writeOpenDocument({ kind: 'presentation', body: openPage(openFrame(openPara('hello')) + body) });

export const ODT: readonly DocumentRow[] = [
  {
    of: 'rows and cells without number',
    bytes: () => odt(table(openRow([openCell('x', EVERYWHERE)], ALWAYS))),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'a long text in rows without number',
    bytes: () => odt(table(openRow([openCell(LONG, EVERYWHERE)], ALWAYS))),
    is: '413 too_many_characters',
    isHeavy: true,
  },
  {
    of: 'repeated tables in one another',
    bytes: () =>
      odt(
        Array.from({ length: 200 }).reduce<string>(
          (inside) =>
            table(openRow([`<table:table-cell ${EVERYWHERE}>${inside}</table:table-cell>`], ALWAYS)),
          openPara('x'),
        ),
      ),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'lists in one another',
    bytes: () =>
      odt(nested('<text:list><text:list-item>', openPara('deep'), '</text:list-item></text:list>', 50_000)),
    is: /deep/,
  },
  {
    of: 'notes in one another',
    bytes: () =>
      odt(
        nested(
          '<text:p>x<text:note><text:note-body>',
          'deep',
          '</text:note-body></text:note></text:p>',
          5000,
        ),
      ),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'frames in one another',
    bytes: () =>
      odt(
        openPara(
          nested('<draw:frame><draw:text-box>', openPara('deep'), '</draw:text-box></draw:frame>', 5000),
        ),
      ),
    is: /deep/,
  },
  {
    of: 'styles in a circle',
    bytes: () =>
      odt(
        series(10_000, (n) => openPara('x', `P${n}`)),
        {
          automatic: series(
            10_000,
            (n) =>
              `<style:style style:family="paragraph" style:name="P${n}" style:parent-style-name="P${(n + 1) % 10_000}"/>`,
          ),
        },
      ),
    is: /hello/,
    marks: 10_000,
    isHeavy: true,
  },
  {
    of: 'objects outside the archive',
    bytes: () =>
      odt(
        ['http://127.0.0.1:9/a', '../../etc/passwd', './', 'file:///etc/passwd']
          .map((name) =>
            openPara(
              `<draw:frame><draw:object xlink:href="${name}"/><draw:image xlink:href="${name}"/></draw:frame>`,
            ),
          )
          .join(''),
      ),
    is: /hello/,
  },
  {
    of: 'one object many times',
    bytes: () =>
      writeZip([
        ...openDocumentEntries({
          kind: 'text',
          body:
            openPara('hello') +
            openPara('<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>').repeat(100_000),
        }),
        {
          name: 'Object 1/content.xml',
          content: `<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><table:table-row><table:table-cell><text:p>${LONG}</text:p></table:table-cell></table:table-row></office:document-content>`,
        },
      ]),
    is: '413 too_large',
    isHeavy: true,
  },
  {
    of: 'spaces without end',
    bytes: () => odt(openPara('a<text:s text:c="2147483647"/>b').repeat(100)),
    is: /hello/,
  },
  {
    of: 'flat XML of two million paragraphs',
    bytes: () => writeFlatDocument({ kind: 'text', body: '<text:p/>'.repeat(2_000_000) }),
    filename: 'a.fodt',
    is: '400 too_complex',
    isHeavy: true,
  },
  {
    of: 'macros and scripts',
    bytes: () =>
      writeZip([
        ...openDocumentEntries({
          kind: 'text',
          body: `<office:scripts><office:script>evil()</office:script></office:scripts><office:event-listeners/>${openPara('hello')}`,
        }),
        { name: 'Basic/Standard/a.xml', content: 'evil' },
      ]),
    is: /^(?!.*evil).*hello/s,
  },
];

export const ODS: readonly DocumentRow[] = [
  {
    of: 'cells and rows without number',
    bytes: () => ods(table(openRow([openCell('7', EVERYWHERE)], ALWAYS))),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'empty cells and rows without number',
    bytes: () => ods(table(openRow([openCell('', EVERYWHERE)], ALWAYS).repeat(1000))),
    is: /hello/,
  },
  {
    of: 'a long text in rows without number',
    bytes: () => ods(table(openRow([openCell(LONG, EVERYWHERE)], ALWAYS))),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'spans over everything',
    bytes: () =>
      ods(
        table(
          openRow([
            openCell('x', 'table:number-columns-spanned="2147483647" table:number-rows-spanned="2147483647"'),
          ]).repeat(50_000),
        ),
      ),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'numbers that are none',
    bytes: () =>
      ods(
        table(
          openRow([openCell('x', 'table:number-columns-repeated="-1"')], 'table:number-rows-repeated="NaN"'),
        ),
      ),
    is: /x/,
  },
  {
    of: 'columns hidden without number',
    bytes: () =>
      ods(
        table(
          `<table:table-column ${EVERYWHERE} table:visibility="collapse"/>`.repeat(10_000) +
            openRow([openCell('x')]),
        ),
      ),
    is: /hello/,
  },
  {
    of: 'hidden rows without number',
    bytes: () => ods(table(openRow([openCell('x')], `${ALWAYS} table:visibility="collapse"`).repeat(100))),
    is: /hello/,
  },
  {
    of: 'tables in cells',
    bytes: () =>
      ods(
        nested(
          '<table:table><table:table-row><table:table-cell>',
          openPara('deep'),
          '</table:table-cell></table:table-row></table:table>',
          50_000,
        ),
      ),
    is: /hello/,
  },
  {
    of: 'a hundred thousand sheets',
    bytes: () => ods(series(100_000, (at) => table(openRow([openCell('x')]), `s${at}`))),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'filters without number',
    bytes: () =>
      ods(
        `<table:database-ranges>${'<table:database-range table:target-range-address="A.A1:A.XFD1048576" table:display-filter-buttons="true"/>'.repeat(200_000)}</table:database-ranges>`,
      ),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'a million paragraphs in a cell',
    bytes: () =>
      ods(table(openRow([`<table:table-cell>${'<text:p>x</text:p>'.repeat(400_000)}</table:table-cell>`]))),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'links to programs',
    bytes: () =>
      ods(
        table(openRow([openCell('<text:a xlink:href="file:///etc/passwd">x</text:a>')])) +
          '<table:dde-links><table:dde-link><office:dde-source office:dde-application="cmd"/></table:dde-link></table:dde-links>',
      ),
    is: /x/,
  },
  {
    of: 'tables apart, below titles and filters without number',
    bytes: () =>
      ods(
        table(
          `<table:table-header-rows>${openRow([openCell('x')])}</table:table-header-rows>${openRow([''], 'table:number-rows-repeated="3" table:visibility="collapse"')}${openRow([''], 'table:number-rows-repeated="3"')}`.repeat(
            50_000,
          ),
          'B',
        ) +
          `<table:database-ranges>${series(50_000, (at) => `<table:database-range table:target-range-address="B.A${at}:B.C${at}" table:display-filter-buttons="true"/>`)}</table:database-ranges>`,
      ),
    is: /hello/,
    isHeavy: true,
  },
];

export const ODP: readonly DocumentRow[] = [
  {
    of: 'frames in one another',
    bytes: () =>
      odp(nested('<draw:frame><draw:text-box>', openPara('deep'), '</draw:text-box></draw:frame>', 50_000)),
    is: /hello/,
  },
  {
    of: 'groups in one another',
    bytes: () => odp(nested('<draw:g>', openFrame(openPara('deep')), '</draw:g>', 100_000)),
    is: /deep/,
  },
  {
    of: 'frames in stairs',
    bytes: () => odp(series(20_000, (at) => openFrame(openPara('x'), { at: [at, at, 2, 2] }))),
    is: /hello/,
    marks: 20_000,
    isHeavy: true,
  },
  {
    of: 'places beyond all numbers',
    bytes: () =>
      odp(
        '<draw:frame svg:x="1e999cm" svg:y="-1e999in" svg:width="NaNmm" svg:height="9999999999999999999999cm"><draw:text-box><text:p>deep</text:p></draw:text-box></draw:frame>',
      ),
    is: /deep/,
  },
  {
    of: 'a table without number',
    bytes: () => odp(`<draw:frame>${table(openRow([openCell('x', EVERYWHERE)], ALWAYS))}</draw:frame>`),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'a table of a long text without number',
    bytes: () => odp(`<draw:frame>${table(openRow([openCell(LONG, EVERYWHERE)], ALWAYS))}</draw:frame>`),
    is: '413 too_many_characters',
    isHeavy: true,
  },
  {
    of: 'ten thousand pages',
    bytes: () =>
      writeOpenDocument({
        kind: 'presentation',
        body: series(10_000, (at) => openPage(openFrame(openPara(`hello ${at}`)))),
      }),
    is: /hello 9999/,
    isHeavy: true,
  },
  {
    of: 'notes in notes',
    bytes: () =>
      odp(nested('<presentation:notes>', openFrame(openPara('deep')), '</presentation:notes>', 10_000)),
    is: /hello/,
  },
  {
    of: 'a page in a page',
    bytes: () => odp(nested('<draw:page>', openFrame(openPara('deep')), '</draw:page>', 10_000)),
    is: /hello/,
  },
  {
    of: 'pictures and films elsewhere',
    bytes: () =>
      odp(
        '<draw:frame><draw:image xlink:href="http://127.0.0.1:9/a.png"/><draw:plugin xlink:href="http://127.0.0.1:9/a.mp4"/></draw:frame>',
      ),
    is: /hello/,
  },
  {
    of: 'lists in one another',
    bytes: () =>
      odp(
        openFrame(
          Array.from({ length: 3000 }).reduce<string>((inside) => openList([openPara('x') + inside]), ''),
        ),
      ),
    is: /hello/,
    isHeavy: true,
  },
];
