import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { cases } from '@grainline/testing/cases';
import { expectLawful } from '../../../test/laws.ts';
import { extract } from '../../extract.ts';

/** A file of RTF; `head` stands before its text. */
const rtf = (body: string, head = ''): Uint8Array =>
  Uint8Array.from(
    `{\\rtf1\\ansi\\ansicpg1252\\uc1\\deff0{\\fonttbl{\\f0 Arial;}{\\f1\\fcharset204 Arial;}{\\f2 Symbol;}}${head}${body}}`,
    (character) => character.charCodeAt(0),
  );

async function read(bytes: Uint8Array): Promise<Awaited<ReturnType<typeof extract>>> {
  const document = await extract(bytes, { filename: 'a.rtf' });
  expectLawful(document);
  return document;
}

const textOf = async (body: string, head?: string): Promise<string> => (await read(rtf(body, head))).text;

describe('RTF', () => {
  it('is decoded by code page, by font and as Unicode', async () => {
    const body = String.raw`Gr\'fc\'dfe \f1 \'cf\'f0\f0  \u8364? \u-10179?\u-8704? a\emdash b\~c\-d \{x\}`;
    expect(await textOf(body)).toBe('Grüße Пр € 😀 a—b\u00a0cd {x}');
    expect(await textOf(String.raw`\uc2\u945 ab\u946 \'61\'62!`)).toBe('αβ!');
  });

  it('has headings by the names and the outline levels of styles', async () => {
    const styles = String.raw`{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 Kapitel;}{\s2 heading 2;}{\*\cs3 heading 3;}}`;
    const body = String.raw`\pard\s1 The {\b Tides}\par\pard\s2 Pier\par\pard Text.\par\pard\outlinelevel2 Below\par\pard\s3 Plain`;
    expect(await textOf(body, styles)).toBe('# The Tides\n\n## Pier\n\nText.\n\n### Below\n\nPlain');
  });

  it('has lists by their labels, nested by their indents', async () => {
    const item = (label: string, indent: number, text: string): string =>
      String.raw`\pard\li${indent}{\listtext\pard\plain ${label}\tab}${text}\par`;
    const body = [
      item('1.', 360, 'one'),
      item(String.raw`\'b7`, 720, 'a'),
      item(String.raw`\'b7`, 720, 'b'),
      item('2.', 360, 'two'),
      item('(i)', 360, 'first'),
      String.raw`\pard After.`,
    ].join('');
    expect(await textOf(body)).toBe('1. one\n   - a\n   - b\n2. two\n\n- (i) first\n\nAfter.');
  });

  it('has items whose bullets are typed before a tab where the first line hangs out', async () => {
    const hanging = String.raw`\pard\fi-360`;
    const body = [
      String.raw`${hanging}\li360 \bullet\tab one\par`,
      String.raw`${hanging}\li720 {\f2\'b7}\tab {\b a}\par`,
      String.raw`${hanging}\li360 -   \tab two\par`,
      String.raw`\pard \bullet\tab text\par`,
      String.raw`${hanging}\li360 \bullet  text\par`,
      String.raw`${hanging}\li360 Term\tab text\par`,
      String.raw`${hanging}\li360 \bullet`,
    ].join('');
    expect(await textOf(body)).toBe('- one\n  - **a**\n- two\n\n• text\n\n• text\n\nTerm text\n\n•');
  });

  it('has code and quotations by the names of their styles', async () => {
    const styles = String.raw`{\stylesheet{\s0 Normal;}{\s1 Source Code;}{\s2 Quote;}{\*\cs3 Verbatim Char;}}`;
    const body = [
      String.raw`\pard\li360{\listtext\tab o}Run {\cs3 go}:\par`,
      String.raw`\pard\s1\li360 if x:\par\pard\s1\li360   {\b # y}\line z\par`,
      String.raw`\pard\s1 a\par\par\pard\s1 b\par`,
      String.raw`\pard\s2 Said\par\pard\s2 she.\par\pard{\cs3\b t}\plain  End.`,
    ].join('');
    expect(await textOf(body, styles)).toBe(
      '- Run `go`:\n\n  ```\n  if x:\n    # y\n  z\n  a\n  \n  b\n  ```\n\n> Said\n>\n> she.\n\n`t` End.',
    );
  });

  it('has tables with cells over columns and rows', async () => {
    const row = (definition: string, ...cells: string[]): string =>
      String.raw`\trowd ${definition}\pard\intbl ${cells.map((cell) => `${cell}\\cell `).join('')}\row `;
    const body = [
      'Before.\\par ',
      row('\\trhdr\\cellx1000\\cellx2000\\cellx3000', 'A', 'B', 'C'),
      row('\\clvmgf\\cellx1010\\cellx3000', 'tall', 'wide'),
      row('\\clvmrg\\cellx1000\\cellx2000\\cellx3000', '', 'x\\par y', 'z'),
      '\\pard After.',
    ].join('');
    const document = await read(rtf(body));
    expect(document.text).toBe(
      'Before.\n\n| A | B | C |\n| --- | --- | --- |\n| tall | wide |  |\n|  | x<br>y | z |\n\nAfter.',
    );
    const cells = document.blocks[1]?.children?.flatMap((row) => row.children ?? []);
    const spans = cells?.map(({ start, end, rowSpan, columnSpan }) => [
      document.text.slice(start, end).replaceAll('|', '').trim(),
      rowSpan ?? 1,
      columnSpan ?? 1,
    ]);
    expect(spans).toContainEqual(['tall', 2, 1]);
    expect(spans).toContainEqual(['wide', 1, 2]);
  });

  it('has tables inside cells', async () => {
    const inner = String.raw`\pard\intbl\itap2 p\nestcell q\nestcell{\*\nesttableprops\trowd\cellx500\cellx900\nestrow}{\nonesttables\par}`;
    const body = String.raw`\trowd\cellx1000\cellx2000\pard\intbl a\cell ${inner}\pard\intbl\itap1 \cell\row\pard End.`;
    const { text } = await read(rtf(body));
    for (const word of ['a', 'p', 'q', 'End.']) expect(text).toContain(word);
  });

  it('has links, notes and marks', async () => {
    const body = String.raw`See {\field{\*\fldinst HYPERLINK "https://sea.example/a"}{\fldrslt the {\b page}}} here{\footnote\pard\chftn  A note.}. {\i Low} {\strike old}{\v hidden}`;
    const { text, links } = await read(rtf(body));
    expect(text).toBe('See the **page** here[^1]. *Low* ~~old~~\n\n[^1]: A note.');
    expect(links?.map(({ start, end, href }) => [text.slice(start, end), href])).toEqual([
      ['the **page**', 'https://sea.example/a'],
    ]);
  });

  it('has code where whole paragraphs are in a font of a fixed pitch', async () => {
    const fonts = String.raw`{\fonttbl{\f0 Arial;}{\f3\fmodern Courier New;}}`;
    const body = [
      String.raw`\pard The text around it is longer than the code is.\par`,
      String.raw`\pard\f3 if x:\par   {\b # y}\line\tab z\par\par w\par`,
      String.raw`\pard\f3 go\f0  runs it, and {\f3 stop} ends it all.\par\pard{\f3\b Title}\par`,
      String.raw`\trowd\cellx900\cellx1900\pard\intbl{\f3 a}\cell b\cell\row\pard{\f3 end}`,
    ].join('');
    const code = 'if x:\n  # y\n\tz\n\nw';
    expect(await textOf(body, fonts)).toBe(
      `The text around it is longer than the code is.\n\n\`\`\`\n${code}\n\`\`\`\n\ngo runs it, and stop ends it all.\n\n` +
        '**Title**\n\n| a | b |\n| --- | --- |\n\n```\nend\n```',
    );
    expect(await textOf(String.raw`\f3 Dear all,\par\f0 hi\par\f3 good night`, fonts)).toBe(
      'Dear all,\n\nhi\n\ngood night',
    );
  });

  it('has raised figures, but for the marks of notes', async () => {
    const body = String.raw`10{\super 6} m{\super -2\nosupersub b}\super x\sub y\super0 z, as said{\super\chftn{\footnote\pard A note.}}.`;
    expect(await textOf(String.raw`a{\up8 2} b{\up4 2} c{\fs40\up8 2}`)).toBe('a² b2 c2');
    expect(await textOf(body)).toBe('10⁶ m⁻²b^xyz, as said[^1].\n\n[^1]: A note.');
  });

  it('leaves headers, pictures, comments and what it does not know out', async () => {
    const body = String.raw`{\header Top}{\pict\pngblip 89504e47}{\*\unknown x}{\info{\title The Tide}{\author Ada}{\nofpages7}}A{\*\annotation no}{\bkmkstart m}B\bin5 {{{{{C`;
    const document = await read(rtf(body));
    expect(document.text).toBe('ABC');
    expect(document).toMatchObject({ title: 'The Tide', declaredPages: 7, mediaType: 'application/rtf' });
  });

  it('shows text boxes behind their paragraph', async () => {
    const body = String.raw`One{\shp{\*\shpinst{\sp{\sn x}{\sv 1}}{\shptxt Box\par}}} two.\par`;
    expect(await textOf(body)).toBe('One two.\n\nBox');
  });

  it('that wraps HTML gives its page', async () => {
    const body = String.raw`{\*\htmltag64 <p>}\htmlrtf {\htmlrtf0 High & low {\*\htmltag84 <b>}\htmlrtf {\b \htmlrtf0 tide\htmlrtf }\htmlrtf0{\*\htmltag92 </b>}\htmlrtf\par}\htmlrtf0{\*\htmltag72 </p>}`;
    expect(await textOf(body, String.raw`\fromhtml1`)).toBe('High & low **tide**');
  });

  it.each([
    ['no text', rtf(String.raw`{\pict 00}`), 'empty_document'],
    ['groups without end', rtf('{'.repeat(20_000)), 'too_complex'],
  ])('with %s ends with a code', async (_, bytes, code) => {
    await expect(extract(bytes, { filename: 'a.rtf' })).rejects.toMatchObject({ code });
  });

  it('that is cut off, or has groups without a beginning, is read to its end', async () => {
    expect(await textOf('One}}} two {three \\')).toBe('One two three }');
    expect(await textOf("One\\'")).toBe('One');
    expect(await textOf('One\\u')).toMatch(/^One/);
  });

  it('gives a lawful document for any tokens', async () => {
    const word = fc.constantFrom(
      ...'\\par \\pard \\intbl \\cell \\row \\trowd \\cellx900 \\cellx-5 \\clmrg \\clvmrg \\itap3 \\nestcell \\nestrow \\itap0 \\u955? \\b \\b0 \\li720 {\\listtext 1.\\tab} {\\listtext a)} {\\footnote n} {\\field{\\*\\fldinst HYPERLINK "h:x"}{\\fldrslt l}} \\line \\page \\tab { } {\\shp{\\*\\shpinst{\\shptxt s}}} \\s1 \\outlinelevel1 \\trhdr \\htmlrtf \\v \\plain word | \\\\'.split(
        ' ',
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 60 }), async (words) => {
        const { text } = await read(rtf(`Tide\\par ${words.join(' ')}`));
        expect(text).toContain('Tide');
      }),
      cases(200),
    );
  });
});
