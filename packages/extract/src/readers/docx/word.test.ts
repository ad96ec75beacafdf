// Constructs besides plain paragraphs, from Word and from programs that write its format.
import { describe, expect, it } from 'vitest';
import type { Document } from '@grainline/core';
import {
  cell,
  docxEntries,
  item,
  LISTS,
  para,
  row,
  run,
  styled,
  writeDocx,
  writeZip,
  type DocxSpec,
  type ZipEntry,
} from '@grainline/testing/docx-writer';
import { expectLawful } from '../../../test/laws.ts';
import { DOCX } from './index.ts';
import { numeral } from '../../numerals.ts';

async function documentOf(spec: DocxSpec, ...more: readonly ZipEntry[]): Promise<Document> {
  const document = await DOCX.read({
    bytes: writeZip([...docxEntries(spec), ...more]),
    links: 'markdown',
  });
  expectLawful(document);
  return document;
}

const markdown = async (body: string, parts: Omit<DocxSpec, 'body'> = {}): Promise<string> =>
  (await documentOf({ body, ...parts })).text;

const style = (id: string, name: string, more = ''): string =>
  `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/>${more}</w:style>`;

const relationship = (id: string, type: string, target: string, mode = ''): string =>
  `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}" ${mode}/>`;

const NAMESPACES =
  'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ' +
  'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:v="urn:schemas-microsoft-com:vml" ' +
  'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml" xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" ' +
  'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"';

/** A run that holds a drawing. */
const drawing = (content: string): string => `<w:r><w:drawing ${NAMESPACES}>${content}</w:drawing></w:r>`;

const field = (code: string, result: string): string =>
  `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> ${code} </w:instrText></w:r>` +
  `<w:r><w:fldChar w:fldCharType="separate"/></w:r>${result}<w:r><w:fldChar w:fldCharType="end"/></w:r>`;

it('takes no mark of a link from the label of an item', async () => {
  const numbering =
    '<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/>' +
    '<w:lvlText w:val="&#0;l0;(%1)&#0;;"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>';
  const relationships = relationship('a', 'hyperlink', 'http://x.example/', 'TargetMode="External"');
  const item = '<w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr>';
  const body = `<w:p>${item}${run('a ')}<w:hyperlink r:id="a">${run('b')}</w:hyperlink></w:p>`;
  const bytes = writeDocx({ body, numbering, relationships });
  const { text, links } = await DOCX.read({ bytes });
  expect(text).toBe('- l0;(1); a b');
  expect(links).toEqual([{ start: 12, end: 13, href: 'http://x.example/' }]);
});

describe('changes that are tracked', () => {
  it('are read as if they had been accepted', async () => {
    const body =
      para(
        `${run('kept ')}<w:ins>${run('new')}</w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del>` +
          `<w:moveFrom>${run('from')}</w:moveFrom><w:moveTo>${run(' to')}</w:moveTo>`,
      ) +
      para(
        run('bold', '<w:rPrChange><w:rPr><w:b/></w:rPr></w:rPrChange>'),
        '<w:pPrChange><w:pPr><w:pStyle w:val="Heading1"/></w:pPr></w:pPrChange>',
      ) +
      `<w:tbl>${row(cell('a'), cell('b'))}<w:tr><w:trPr><w:del w:id="1"/></w:trPr>${cell('x')}${cell('y')}</w:tr>${row(cell('c'), cell('d'))}</w:tbl>`;
    expect(await markdown(body)).toBe('kept new to\n\nbold\n\n| a | b |\n| --- | --- |\n| c | d |');
  });

  it('join paragraphs whose end was deleted', async () => {
    const body = para('one ', '<w:rPr><w:del w:id="1"/></w:rPr>') + para('sentence') + para('next');
    expect(await markdown(body)).toBe('one sentence\n\nnext');
  });
});

describe('text that is not running text', () => {
  const box = (text: string): string => `<w:txbxContent>${para(text)}</w:txbxContent>`;

  it('of a text box comes once, behind the paragraph that it is anchored in', async () => {
    const both = `<mc:AlternateContent ${NAMESPACES}><mc:Choice Requires="wps"><w:drawing><wp:anchor>${box('in the box')}</wp:anchor></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox>${box('in the box')}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent>`;
    const body = para(`${run('before ')}<w:r>${both}</w:r>${run('after')}`) + para('next');
    expect(await markdown(body)).toBe('before after\n\nin the box\n\nnext');
    const styles = style('H', 'heading 1');
    expect(
      await markdown(styled('H', '<w:r/>').replace('<w:r/>', `<w:r>${both}</w:r>${run('Title')}`), {
        styles,
      }),
    ).toBe('# Title\n\nin the box');
  });

  it('of a text box in an item of a list stays in the list', async () => {
    const boxed = item(1, 0, `<w:r><w:pict>${box('box')}</w:pict></w:r>`).replace(
      '<w:r><w:pict>',
      `${run('a')}<w:r><w:pict>`,
    );
    expect(await markdown(boxed + item(1, 0, 'b'), { numbering: LISTS })).toBe('- a\n\n  box\n\n- b');
  });

  it('is left out when it is hidden', async () => {
    const styles = style('Secret', 'Secret', '<w:rPr><w:vanish/></w:rPr>');
    const body =
      para(run('shown') + run(' hidden', '<w:vanish/>') + run(' again', '<w:vanish w:val="0"/>')) +
      styled('Secret', 'no');
    expect(await markdown(body, { styles })).toBe('shown again');
  });

  it('of symbols is what the font shows', async () => {
    const body = para(
      '<w:r><w:sym w:font="Symbol" w:char="F061"/><w:sym w:font="Wingdings" w:char="F0E0"/><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>' +
        run('\uf0b3', '<w:rFonts w:ascii="Symbol"/>') +
        '<w:r><w:t>co</w:t><w:noBreakHyphen/><w:t>op hy</w:t><w:softHyphen/><w:t>phen</w:t></w:r>',
    );
    expect(await markdown(body)).toBe('α→☑≥co-op hyphen');
  });

  it('of raised figures stays apart from what they stand behind', async () => {
    const up = '<w:vertAlign w:val="superscript"/>';
    const body = para(
      run('10') +
        run('6', up) +
        run(' m') +
        run('-2', up) +
        run(', 1') +
        run('st', up) +
        run(', H') +
        run('2', '<w:vertAlign w:val="subscript"/>') +
        run('O'),
    );
    expect(await markdown(body)).toBe('10⁶ m⁻², 1st, H2O');
  });

  it('that the line flows around comes behind the paragraph, and stands in no sentence', async () => {
    const picture = (place: string): string =>
      drawing(`<wp:${place}><wp:docPr id="1" name="Picture 1" descr="a dog"/></wp:${place}>`);
    const old = (look: string): string =>
      `<w:r><w:pict ${NAMESPACES}><v:shape style="${look}" alt="a cat"/></w:pict></w:r>`;
    const around = (content: string): string => para(run('before ') + content + run('after'));
    expect(await markdown(around(picture('inline')))).toBe('before [a dog]after');
    expect(await markdown(around(picture('anchor')))).toBe('before after\n\na dog');
    expect(await markdown(around(old('width:9pt')))).toBe('before [a cat]after');
    expect(await markdown(around(old('margin-left:0;position:absolute;width:9pt')))).toBe(
      'before after\n\na cat',
    );
    // A picture in the line of a text box is no part of the line that the box is anchored in.
    const box = drawing(
      `<wp:anchor><w:txbxContent>${para(run('in ') + picture('inline'))}</w:txbxContent></wp:anchor>`,
    );
    expect(await markdown(around(box))).toBe('before after\n\nin [a dog]');
  });

  it('belongs to the section of the heading that it is anchored in', async () => {
    const styles = style('H', 'heading 1');
    const heading = (place: string): string =>
      `<w:p><w:pPr><w:pStyle w:val="H"/></w:pPr>${drawing(`<wp:${place}><wp:docPr descr="a logo"/></wp:${place}>`)}${run('Title')}</w:p>`;
    expect(await markdown(heading('anchor'), { styles })).toBe('# Title\n\na logo');
    expect(await markdown(heading('inline'), { styles })).toBe('# a logo Title');
  });

  it('that begins with a drop cap is one word', async () => {
    expect(
      await markdown(para('O', '<w:framePr w:dropCap="drop"/>') + para('nce upon a time') + para('End')),
    ).toBe('Once upon a time\n\nEnd');
  });

  it('keeps horizontal lines', async () => {
    const line = `<w:r><w:pict ${NAMESPACES}><v:rect xmlns:o="urn:schemas-microsoft-com:office:office" o:hr="t"/></w:pict></w:r>`;
    expect(await markdown(para('a') + para(line) + para('b'))).toBe('a\n\n---\n\nb');
  });

  it('describes pictures in both languages of drawings, once', async () => {
    const picture = drawing('<wp:inline><wp:docPr id="1" name="Picture 1" descr="a dog"/></wp:inline>');
    const old = `<w:r><w:pict ${NAMESPACES}><v:shape id="x" alt="a cat"/></w:pict></w:r>`;
    expect(await markdown(para(picture) + para(old))).toBe('a dog\n\na cat');
  });
});

describe('what is set raised', () => {
  const up = (text: string, more = ''): string => run(text, `${more}<w:vertAlign w:val="superscript"/>`);

  it('is one index over all its runs, and ends where they end', async () => {
    const index = up('n', '<w:i/>') + up('+1');
    expect(await markdown(para(run('x') + index + run(' and 10') + up('6') + run(', 1') + up('st')))).toBe(
      'x^(n+1) and 10⁶, 1st',
    );
    expect(await markdown(para(run('a') + up('2') + run(' ') + up('3') + run('b')))).toBe('a² ³b');
    expect(await markdown(para(run('a') + up('k')) + para(run('b')))).toBe('a^k\n\nb');
  });

  it('is a run far above the line as well', async () => {
    const at = (position: number, text: string): string =>
      run(text, `<w:position w:val="${position}"/><w:sz w:val="19"/>`);
    expect(await markdown(para(run('m') + at(8, '2') + run(' a') + at(4, '1') + at(-8, '0')))).toBe('m² a10');
  });

  it('holds no mark of a note', async () => {
    const reference = '<w:r><w:footnoteReference w:id="1"/></w:r>';
    const footnotes = `<w:footnote w:id="1">${para(run('Note.'))}</w:footnote>`;
    expect(await markdown(para(run('m') + up('2') + reference), { footnotes })).toBe('m²[^1]\n\n[^1]: Note.');
  });
});

describe('fields', () => {
  it('show what their code says where nothing stands in them', async () => {
    const simple = (code: string, inside = ''): string =>
      `<w:fldSimple w:instr=" ${code} ">${inside}</w:fldSimple>`;
    const symbol = 'SYMBOL 183 \\f Symbol';
    expect(
      await markdown(
        para(simple(symbol) + run('a ') + simple('EQ \\f(1,2)') + simple('PAGE') + run('.')) +
          para(
            run('b', '<w:vanish/>') +
              simple(symbol) +
              simple(symbol, run('x')) +
              simple('EQ \\f(1,2)', run('y')),
          ) +
          para(simple('SYMBOL 65', run('hidden', '<w:vanish/>'))),
      ),
    ).toBe('•a $\\frac{1}{2}$.\n\n•xy\n\nA');
  });

  it('show their results, links as links', async () => {
    const body =
      para(field('HYPERLINK "http://x.example/" \\l "part"', run('there'))) +
      para(`${run('see ')}${field('REF _Ref1 \\h', run('Figure 1'))}`) +
      para(`<w:fldSimple w:instr=' HYPERLINK "http://y.example/" '>${run('simple')}</w:fldSimple>`);
    expect(await markdown(body)).toBe(
      '[there](http://x.example/#part)\n\nsee Figure 1\n\n[simple](http://y.example/)',
    );
  });

  it('that never end hide nothing, wherever they begin', async () => {
    const begin = '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> PAGE </w:instrText></w:r>';
    const separate = '<w:r><w:fldChar w:fldCharType="separate"/></w:r>';
    const end = '<w:r><w:fldChar w:fldCharType="end"/></w:r>';
    const whole = `<w:p>${begin}${separate}${run('7')}${end}${run(' of 9')}</w:p>`;
    const body = [
      `<w:p>${run('One')}${begin}</w:p>`,
      whole,
      `<w:p>${begin}${run('two')}</w:p>`,
      para('three'),
    ];
    expect(await markdown(body.join(''))).toBe('One\n\n7 of 9\n\ntwo\n\nthree');
    const box = (inside: string): string =>
      `<w:r><w:pict><w:txbxContent>${inside}</w:txbxContent></w:pict></w:r>`;
    const open = `<w:p>${begin}${run('four')}</w:p>`;
    expect(await markdown(`<w:tbl>${row(`<w:tc>${open}</w:tc>`, cell('five'))}</w:tbl>${para('six')}`)).toBe(
      'four\n\nfive\n\nsix',
    );
    expect(await markdown(`<w:p>${run('six')}${box(open)}</w:p>`)).toBe('six\n\nfour');
    // The first of them hides a text box with a field of its own, the second comes behind that.
    expect(
      await markdown(`<w:p>${begin}${run('one')}</w:p><w:p>${box(whole)}</w:p>${open}${para('five')}`),
    ).toBe('one\n\n7 of 9\n\nfour\n\nfive');
  });

  it('that never end hide nothing in notes, nor in the text that refers to them', async () => {
    const begin = '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> PAGE </w:instrText></w:r>';
    const note = (id: number, content: string): string =>
      `<w:footnote w:id="${id}">${para(content)}</w:footnote>`;
    const footnotes =
      note(1, `${run('see ')}${begin}${run('page nine')}`) +
      note(2, field('PAGE', run('ten'))) +
      note(3, begin + run('eleven'));
    const reference = (id: number): string => `<w:r><w:footnoteReference w:id="${id}"/></w:r>`;
    const body = para(run('a') + reference(1) + reference(2) + reference(3));
    const notes = '[^1]: see page nine\n\n[^2]: ten\n\n[^3]: eleven';
    expect(await markdown(body, { footnotes })).toBe(`a[^1][^2][^3]\n\n${notes}`);
    // The same places in the document and in a note are not the same fields.
    expect(await markdown(body + para(begin + run('b')), { footnotes })).toBe(
      `a[^1][^2][^3]\n\nb\n\n${notes}`,
    );
  });

  it('that never end hide nothing in text boxes that others without an end have hidden', async () => {
    const begin = '<w:r><w:fldChar w:fldCharType="begin"/></w:r>';
    const box = (inside: string): string =>
      `<w:r><w:pict><w:txbxContent>${inside}</w:txbxContent></w:pict></w:r>`;
    const body = para(run('one ') + begin + run('two') + box(para(begin + run('three'))));
    expect(await markdown(body)).toBe('one two\n\nthree');
  });

  it('inside the code of another one show nothing', async () => {
    const inner = field('MERGEFIELD Name', run('inner'));
    const outer = `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>IF </w:instrText></w:r>${inner}<w:r><w:fldChar w:fldCharType="separate"/></w:r>${run('outer')}<w:r><w:fldChar w:fldCharType="end"/></w:r>`;
    expect(await markdown(para(outer))).toBe('outer');
  });

  it('of a table of contents go over many paragraphs', async () => {
    const entry = (text: string): string =>
      `<w:hyperlink w:anchor="_Toc1">${run(text)}<w:r><w:tab/><w:t>3</w:t></w:r></w:hyperlink>`;
    const body =
      para(
        `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> TOC \\o "1-3" </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>${entry('One')}`,
      ) +
      para(entry('Two')) +
      para('<w:r><w:fldChar w:fldCharType="end"/></w:r>') +
      para('text');
    expect(await markdown(body)).toBe('One 3\n\nTwo 3\n\ntext');
  });

  it('of a table of contents are no headings, whatever their styles are based on', async () => {
    const styles =
      style('H', 'heading 1') +
      style('T', 'toc 1', '<w:basedOn w:val="H"/>') +
      style('Own', 'Own', '<w:basedOn w:val="H"/>');
    const code =
      '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> TOC \\o </w:instrText></w:r>';
    const separate = '<w:r><w:fldChar w:fldCharType="separate"/></w:r>';
    const end = '<w:r><w:fldChar w:fldCharType="end"/></w:r>';
    const entry = (before: string, text: string): string =>
      para(before + run(text) + field('PAGEREF _Toc', run(' 3')), '<w:pStyle w:val="T"/>');
    // Its end stands in the heading behind it, as some programs write it.
    const body =
      entry(code + separate, 'One') + entry('', 'Two') + para(end + run('One'), '<w:pStyle w:val="H"/>');
    expect(await markdown(body + styled('T', 'Two') + styled('Own', 'Three'), { styles })).toBe(
      'One 3\n\nTwo 3\n\n# One\n\n# Two\n\n# Three',
    );
  });

  it('without a result show what their codes say', async () => {
    const bare = (code: string): string =>
      field(code, '').replace(/<w:r><w:fldChar w:fldCharType="separate"\/><\/w:r>/, '');
    const body = para(
      run('Figure ') + bare('eq \\o\\ac(○,3)') + run(': ') + bare('EQ \\f(1,2)') + bare('PAGE'),
    );
    expect(await markdown(body)).toBe('Figure ③: $\\frac{1}{2}$');
    // Inside the code of another field it is invisible.
    expect(
      await markdown(para(field(`IF </w:instrText></w:r>${bare('SYMBOL 65')}<w:r><w:instrText>`, run('x')))),
    ).toBe('x');
  });

  it('of forms show what is chosen', async () => {
    const form = (data: string, code: string): string =>
      `<w:r><w:fldChar w:fldCharType="begin"><w:ffData>${data}</w:ffData></w:fldChar></w:r><w:r><w:instrText>${code}</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`;
    const list =
      '<w:ddList><w:result w:val="1"/><w:listEntry w:val="red"/><w:listEntry w:val="green"/></w:ddList>';
    const box = (checked: number): string =>
      `<w:checkBox><w:default w:val="0"/><w:checked w:val="${checked}"/></w:checkBox>`;
    const control = `<w:sdt><w:sdtPr><w14:checkbox ${NAMESPACES}><w14:checked w14:val="1"/></w14:checkbox></w:sdtPr><w:sdtContent>${run('☒')}</w:sdtContent></w:sdt>`;
    const body =
      para(form(box(1), 'FORMCHECKBOX') + run('yes')) +
      para(form(box(0), 'FORMCHECKBOX') + run('no')) +
      para(run('colour: ') + form(list, 'FORMDROPDOWN')) +
      para(control + run(' done'));
    expect(await markdown(body)).toBe('☒ yes\n\n☐ no\n\ncolour: green\n\n☒ done');
  });
});

describe('numbering', () => {
  const level = (n: number, format: string, more = ''): string =>
    `<w:lvl w:ilvl="${n}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="%1."/>${more}</w:lvl>`;

  it('goes on after what interrupts it, and begins anew where the document says so', async () => {
    const numbering = `${LISTS}<w:num w:numId="3"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num>`;
    const body = [
      item(2, 0, 'a'),
      item(2, 1, 'b'),
      para('between'),
      item(2, 0, 'c'),
      item(2, 1, 'd'),
      item(3, 0, 'e'),
      item(3, 0, 'f'),
    ];
    expect(await markdown(body.join(''), { numbering })).toBe(
      '1. a\n   1. b\n\nbetween\n\n2. c\n   1. d\n\n1. e\n2. f',
    );
  });

  it('comes from styles, and is taken away by list 0', async () => {
    const numbering = `<w:abstractNum w:abstractNumId="0">${level(0, 'bullet', '<w:pStyle w:val="L1"/>')}${level(1, 'bullet', '<w:pStyle w:val="L2"/>')}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>`;
    const numbered = '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>';
    const styles =
      style('L1', 'List Bullet', numbered) +
      style('L2', 'List Bullet 2', numbered) +
      style('L3', 'Own', '<w:basedOn w:val="L1"/>');
    const none = para('none', '<w:pStyle w:val="L1"/><w:numPr><w:numId w:val="0"/></w:numPr>');
    expect(
      await markdown(styled('L1', 'a') + styled('L2', 'b') + styled('L3', 'c') + none, { styles, numbering }),
    ).toBe('- a\n  - b\n- c\n\nnone');
  });

  it('has the level of the style where a paragraph names another list alone', async () => {
    const numbering = [0, 1]
      .map(
        (id) =>
          `<w:abstractNum w:abstractNumId="${id}">${level(0, 'decimal')}${level(1, 'lowerLetter').replace('%1', '%2')}</w:abstractNum>`,
      )
      .concat([1, 2].map((id) => `<w:num w:numId="${id}"><w:abstractNumId w:val="${id - 1}"/></w:num>`))
      .join('');
    const styles = style(
      'L',
      'L',
      '<w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr></w:pPr>',
    );
    const body = para('a', '<w:pStyle w:val="L"/><w:numPr><w:numId w:val="2"/></w:numPr>');
    expect(await markdown(body, { styles, numbering })).toBe('- a. a');
  });

  it('is that of a list that another one stands for', async () => {
    const numbering =
      `<w:abstractNum w:abstractNumId="0"><w:numStyleLink w:val="Steps"/></w:abstractNum><w:abstractNum w:abstractNumId="1"><w:styleLink w:val="Steps"/>${level(0, 'bullet')}</w:abstractNum>` +
      '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>';
    expect(await markdown(item(1, 0, 'a'), { numbering })).toBe('- a');
  });

  it('that shows nothing goes on with the item above, or makes no list', async () => {
    const silent = (format: string): string =>
      `<w:abstractNum w:abstractNumId="9"><w:lvl w:ilvl="0"><w:numFmt w:val="${format}"/><w:lvlText w:val=" "/></w:lvl></w:abstractNum><w:num w:numId="9"><w:abstractNumId w:val="9"/></w:num>`;
    const body = item(9, 0, 'x') + item(2, 0, 'a') + item(9, 0, 'more') + item(2, 0, 'b');
    for (const format of ['none', 'bullet'])
      expect(await markdown(body, { numbering: LISTS + silent(format) })).toBe(
        'x\n\n1. a\n\n   more\n\n2. b',
      );
  });
});

describe('numbers that Word shows', () => {
  /** Levels by their formats and texts, from the highest. */
  const list = (...levels: readonly (readonly [format: string, text: string, more?: string])[]): string =>
    `<w:abstractNum w:abstractNumId="0">${levels
      .map(
        ([format, text, more = ''], n) =>
          `<w:lvl w:ilvl="${n}"><w:start w:val="1"/><w:numFmt w:val="${format}"/>${more}<w:lvlText w:val="${text}"/></w:lvl>`,
      )
      .join('')}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>`;
  /** Styles of headings on the levels of list 1. */
  const styles = [0, 1, 2]
    .map((n) =>
      style(
        `H${n}`,
        `heading ${n + 1}`,
        `<w:pPr><w:numPr><w:ilvl w:val="${n}"/><w:numId w:val="1"/></w:numPr></w:pPr>`,
      ),
    )
    .join('');
  const read = async (numbering: string, ...headings: readonly (readonly [level: number, text: string])[]) =>
    (
      await markdown(headings.map(([n, text]) => styled(`H${n}`, text)).join(''), { styles, numbering })
    ).split('\n\n');

  it('stand before headings, as their levels say', async () => {
    const numbering = list(['decimal', '%1.'], ['decimal', '%1.%2'], ['lowerLetter', '(%3)']);
    expect(
      await read(numbering, [0, 'Scope'], [1, 'Terms'], [2, 'x'], [2, 'y'], [1, 'Law'], [0, 'End']),
    ).toEqual(['# 1. Scope', '## 1.1 Terms', '### (a) x', '### (b) y', '## 1.2 Law', '# 2. End']);
  });

  it('are part of the heading, but stand in none that is empty or unnumbered', async () => {
    const numbering = list(['upperRoman', 'Article %1.', '<w:suff w:val="space"/>']);
    const bare = para('Annex', '<w:pStyle w:val="H0"/><w:numPr><w:numId w:val="0"/></w:numPr>');
    const { text, blocks } = await documentOf({
      body: styled('H0', 'Law') + styled('H0', '') + bare + styled('H0', 'End'),
      styles,
      numbering,
    });
    expect(text).toBe('# Article I. Law\n\n# Annex\n\n# Article III. End');
    expect(blocks.map(({ start, end }) => text.slice(start, end))).toEqual(text.split('\n\n'));
  });

  it('stand apart from the words behind them, but for scripts that set no blanks', async () => {
    const nothing = '<w:suff w:val="nothing"/>';
    const shown = async (text: string, words: string): Promise<string | undefined> =>
      (await read(list(['decimal', text, nothing]), [0, words]))[0];
    expect(await shown(' %1.1 ', 'Scope')).toBe('# 1.1 Scope');
    expect(await shown('%1.1', 'Scope')).toBe('# 1.1 Scope');
    expect(await shown('(%1)', 'Scope')).toBe('# (1)Scope');
    expect(await shown('第%1章', '总则')).toBe('# 第1章总则');
  });

  it('are in figures where the law asks for it, and wait for the level that begins them anew', async () => {
    const legal = list(['upperRoman', '%1'], ['decimal', '%1.%2', '<w:isLgl/>']);
    expect(await read(legal, [0, 'a'], [1, 'b'])).toEqual(['# I a', '## 1.1 b']);
    const through = list(['decimal', 'Part %1'], ['decimal', '§ %2', '<w:lvlRestart w:val="0"/>']);
    expect(await read(through, [0, 'a'], [1, 'b'], [0, 'c'], [1, 'd'])).toEqual([
      '# Part 1 a',
      '## § 1 b',
      '# Part 2 c',
      '## § 2 d',
    ]);
    const late = list(
      ['decimal', '%1'],
      ['decimal', '%1.%2'],
      ['decimal', '%3', '<w:lvlRestart w:val="1"/>'],
    );
    expect(
      await read(late, [0, 'a'], [1, 'b'], [2, 'c'], [1, 'd'], [2, 'e'], [0, 'f'], [1, 'g'], [2, 'h']),
    ).toEqual(['# 1 a', '## 1.1 b', '### 1 c', '## 1.2 d', '### 2 e', '# 2 f', '## 2.1 g', '### 1 h']);
  });

  it('count levels that have not come as begun', async () => {
    const numbering = list(['decimal', '%1'], ['decimal', '%1.%2']);
    expect(await read(numbering, [1, 'a'], [1, 'b'], [0, 'c'])).toEqual(['## 1.1 a', '## 1.2 b', '# 2 c']);
  });

  it('are none where the format is none, but its words are', async () => {
    expect(await read(list(['none', '%1.']), [0, 'a'])).toEqual(['# a']);
    expect(await read(list(['none', '']), [0, 'a'])).toEqual(['# a']);
    const hidden = list(['decimal', '%1.']).replace('</w:lvl>', '<w:rPr><w:vanish/></w:rPr></w:lvl>');
    expect(await read(hidden, [0, 'a'])).toEqual(['# a']);
    expect(await read(list(['none', 'Annex']), [0, 'a'])).toEqual(['# Annex a']);
  });

  it('of items are text where Markdown would show others', async () => {
    const numbering = list(['decimal', '%1.'], ['decimal', '%1.%2'], ['lowerRoman', '(%3)']);
    const body = [item(1, 0, 'a'), item(1, 1, 'b'), item(1, 2, 'c'), item(1, 1, 'd'), item(1, 0, 'e')];
    expect(await markdown(body.join(''), { numbering })).toBe(
      '1. a\n   - 1.1 b\n     - (i) c\n   - 1.2 d\n2. e',
    );
  });

  it('stand on one line', async () => {
    const numbering = list(['decimal', 'Rule&#10;%1&#10;# Section']);
    expect(await markdown(item(1, 0, 'a'), { numbering })).toBe('- Rule 1 # Section a');
  });

  it('that no document begins with are the least and the greatest that Word has', async () => {
    const first = (start: string): string =>
      `<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="${start}"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum>` +
      '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>';
    for (const [start, shown] of [
      ['-12', '0'],
      ['1000000000000', '999999999'],
      ['9'.repeat(400), '999999999'],
    ] as const)
      expect(await markdown(item(1, 0, 'a'), { numbering: first(start) })).toBe(`${shown}. a`);
  });

  it.each([
    ['upperLetter', 28, 'BB'],
    ['lowerRoman', 1994, 'mcmxciv'],
    ['lowerRoman', 4000, '4000'],
    ['decimalZero', 7, '07'],
    ['ordinal', 22, '22nd'],
    ['ordinal', 112, '112th'],
    ['chineseCountingThousand', 12, '十二'],
    ['chineseCountingThousand', 1005, '一千零五'],
    ['chineseCountingThousand', 110, '一百一十'],
    ['japaneseCounting', 12, '十二'],
    ['japaneseCounting', 1105, '千百五'],
    ['chineseLegalSimplified', 12, '壹拾贰'],
    ['ideographLegalTraditional', 12, '壹拾貳'],
    ['japaneseLegal', 12, '壱拾弐'],
    ['chineseCountingThousand', -12, '-12'],
    ['ideographTraditional', 11, '11'],
    ['ganada', 2, '나'],
    ['russianLower', 3, 'в'],
    ['cardinalText', 21, 'Twenty-one'],
    ['cardinalText', 1100, 'One thousand one hundred'],
    ['cardinalText', 1_000_000, '1000000'],
    ['ordinalText', 1, 'First'],
    ['ordinalText', 12, 'Twelfth'],
    ['ordinalText', 20, 'Twentieth'],
    ['ordinalText', 103, 'One hundred third'],
    ['unheardOf', 3, '3'],
    ['constructor', 1, '1'],
  ])('in %s are written as Word does: %i is %s', (format, number, written) => {
    expect(numeral(format, number)).toBe(written);
  });

  it('in a custom format have its zeros, and not the format for older programs', async () => {
    const numbering = list(['decimal', '%1.']).replace(
      '<w:numFmt w:val="decimal"/>',
      '<w:numFmt w:val="custom" w:format="001, 002, 003, ..."/><w:numFmt w:val="decimal"/>',
    );
    expect(await read(numbering, [0, 'First'], [0, 'Second'])).toEqual(['# 001. First', '# 002. Second']);
  });

  it('that would fill memory are cut', async () => {
    const numbering = list(['upperRoman', `%1${'x'.repeat(100_000)}`]);
    expect((await read(numbering, [0, 'a']))[0]?.length).toBeLessThan(80);
  });
});

describe('equations', () => {
  const r = (text: string, properties = ''): string => `<m:r>${properties}<m:t>${text}</m:t></m:r>`;
  const math = async (omml: string): Promise<string> => markdown(para(`<m:oMath>${omml}</m:oMath>`));
  const e = (content: string): string => `<m:e>${content}</m:e>`;

  it.each([
    ['a fraction', `<m:f><m:num>${r('a')}</m:num><m:den>${r('b')}</m:den></m:f>`, '\\frac{a}{b}'],
    [
      'a line fraction',
      `<m:f><m:fPr><m:type m:val="lin"/></m:fPr><m:num>${r('a')}</m:num><m:den>${r('b')}</m:den></m:f>`,
      '{a}/{b}',
    ],
    [
      'indices',
      `<m:sSubSup>${e(r('x'))}<m:sub>${r('i')}</m:sub><m:sup>${r('2')}</m:sup></m:sSubSup>`,
      'x_{i}^{2}',
    ],
    ['an index of more letters', `<m:sSup>${e(r('ab'))}<m:sup>${r('2')}</m:sup></m:sSup>`, '{ab}^{2}'],
    [
      'roots',
      `<m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/>${e(r('x'))}</m:rad><m:rad><m:deg>${r('3')}</m:deg>${e(r('y'))}</m:rad>`,
      '\\sqrt{x}\\sqrt[3]{y}',
    ],
    [
      'a sum',
      `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${r('i=1')}</m:sub><m:sup>${r('n')}</m:sup>${e(r('i'))}</m:nary>`,
      '\\sum_{i=1}^{n} i',
    ],
    [
      'an integral without bounds',
      `<m:nary><m:naryPr><m:subHide m:val="1"/><m:supHide m:val="1"/></m:naryPr><m:sub/><m:sup/>${e(r('xdx'))}</m:nary>`,
      '\\int xdx',
    ],
    [
      'brackets',
      `<m:d>${e(r('x'))}${e(r('y'))}</m:d><m:d><m:dPr><m:begChr m:val="{"/><m:endChr m:val=""/></m:dPr>${e(r('z'))}</m:d>`,
      '(x|y)\\left\\{ z \\right.',
    ],
    [
      'a function',
      `<m:func><m:fName><m:limLow>${e(r('lim'))}<m:lim>${r('n→∞')}</m:lim></m:limLow></m:fName>${e(r('n'))}</m:func>`,
      '\\lim_{n\\rightarrow \\infty} n',
    ],
    [
      'accents',
      `<m:acc><m:accPr><m:chr m:val="⃗"/></m:accPr>${e(r('v'))}</m:acc><m:acc>${e(r('w'))}</m:acc><m:bar><m:barPr><m:pos m:val="top"/></m:barPr>${e(r('z'))}</m:bar>`,
      '\\vec{v}\\hat{w}\\overline{z}',
    ],
    [
      'a matrix',
      `<m:m><m:mr>${e(r('1'))}${e(r('0'))}</m:mr><m:mr>${e(r('0'))}${e(r('1'))}</m:mr></m:m>`,
      '\\begin{matrix} 1 & 0 \\\\ 0 & 1 \\end{matrix}',
    ],
    [
      'lines',
      `<m:eqArr>${e(r('a&amp;=b'))}${e(r('c&amp;=d'))}</m:eqArr>`,
      '\\begin{aligned} a&=b \\\\ c&=d \\end{aligned}',
    ],
    [
      'Greek letters, words and signs',
      r('αβ≤𝑥') + r(' if 5%', '<m:rPr><m:nor/></m:rPr>'),
      '\\alpha \\beta \\leq x\\text{ if 5\\%}',
    ],
  ])('hold %s', async (_, omml, latex) => {
    expect(await math(omml)).toBe(`$${latex}$`);
  });

  it('stand apart from one another, and alone on their line', async () => {
    const one = `<m:oMath>${r('x')}</m:oMath>`;
    expect(await markdown(para(one + one) + para(`<m:oMathPara>${one}</m:oMathPara>`))).toBe(
      '$x$ $x$\n\n$$x$$',
    );
  });

  it('of any depth keep their letters', async () => {
    const deep = `${'<m:sSup><m:e>'.repeat(5000)}${r('x')}${'</m:e></m:sSup>'.repeat(5000)}`;
    expect(await math(deep)).toContain('x');
  });
});

describe('tables', () => {
  it('begin their rows where the grid says', async () => {
    const late = `<w:tr><w:trPr><w:gridBefore w:val="1"/></w:trPr>${cell('d')}</w:tr>`;
    expect(await markdown(`<w:tbl>${row(cell('a'), cell('b'))}${late}</w:tbl>`)).toBe(
      '| a | b |\n| --- | --- |\n|  | d |',
    );
  });

  it('give the rows of a merged cell to it alone', async () => {
    const [first, more] = ['<w:vMerge w:val="restart"/>', '<w:vMerge/>'];
    const body = `<w:tbl>${row(cell('a'), cell('b'))}${row(cell('c', first), cell('d'))}${row(cell('', more), cell('e'))}${row(cell('', more), cell('f'))}${row(cell('g', first), cell('h'))}</w:tbl>`;
    const { text, blocks } = await documentOf({ body });
    expect(text).toBe('| a | b |\n| --- | --- |\n| c | d |\n|  | e |\n|  | f |\n| g | h |');
    expect(blocks[0]?.children?.[1]?.children?.[0]?.rowSpan).toBe(3);
  });

  const look = '<w:tblLook w:val="04A0" w:firstRow="1"/>';
  const properties = (more: string): string => `<w:tblPr>${more}</w:tblPr>`;

  it('have the first row as header that a style sets off', async () => {
    const styles =
      '<w:style w:type="table" w:styleId="Base"><w:name w:val="Base"/><w:tblStylePr w:type="firstRow"><w:rPr><w:b/></w:rPr></w:tblStylePr></w:style>' +
      '<w:style w:type="table" w:styleId="Own"><w:name w:val="Own"/><w:basedOn w:val="Base"/></w:style>' +
      '<w:style w:type="table" w:styleId="Grid"><w:name w:val="Table Grid"/><w:tblPr><w:tblBorders><w:top w:val="single"/></w:tblBorders></w:tblPr></w:style>';
    const years = row(cell('2023'), cell('2024')) + row(cell('1'), cell('2'));
    const headed = async (more: string): Promise<boolean> => {
      const { blocks } = await documentOf({ body: `<w:tbl>${properties(more)}${years}</w:tbl>`, styles });
      return blocks[0]?.children?.[0]?.header === true;
    };
    expect(await headed(`<w:tblStyle w:val="Own"/>${look}`)).toBe(true);
    expect(await headed('<w:tblStyle w:val="Own"/><w:tblLook w:val="0020"/>')).toBe(true);
    expect(await headed('<w:tblStyle w:val="Own"/><w:tblLook w:val="0480" w:firstRow="0"/>')).toBe(false);
    expect(await headed(`<w:tblStyle w:val="Grid"/>${look}`)).toBe(false);
    expect(await headed(look)).toBe(false);
  });

  it('of one row or column are frames where nothing is drawn around their cells', async () => {
    const styles =
      '<w:style w:type="table" w:styleId="Grid"><w:name w:val="Table Grid"/><w:tblPr><w:tblBorders><w:insideV w:val="single"/></w:tblBorders></w:tblPr></w:style>';
    const text = async (more: string, of: string): Promise<string> =>
      markdown(`<w:tbl>${more === '' ? '' : properties(more)}${row(cell('a', of), cell('b'))}</w:tbl>`, {
        styles,
      });
    const [frame, table] = ['a\n\nb', '| a | b |\n| --- | --- |'];
    expect(await text('', '')).toBe(frame);
    expect(await text('<w:tblStyle w:val="Grid"/>', '')).toBe(table);
    const none = '<w:tblBorders><w:insideV w:val="nil"/></w:tblBorders>';
    expect(await text(`<w:tblStyle w:val="Grid"/>${none}`, '')).toBe(frame);
    expect(await text('<w:tblBorders><w:top w:val="single"/></w:tblBorders>', '')).toBe(table);
    expect(await text('', '<w:tcBorders><w:top w:val="single"/></w:tcBorders>')).toBe(table);
    expect(await text('', '<w:shd w:val="clear" w:fill="D9D9D9"/>')).toBe(table);
    expect(await text('', '<w:shd w:val="clear" w:fill="auto"/>')).toBe(frame);
  });

  it('of one cell that holds something are no tables', async () => {
    expect(await markdown(`<w:tbl>${row(cell(''), cell('Notice'), cell(''))}</w:tbl>`)).toBe('Notice');
  });
});

describe('what other parts hold', () => {
  const chunk = async (name: string, content: string | Uint8Array): Promise<string> => {
    const spec = {
      body: `${para('a')}<w:altChunk r:id="c"/>${para('b')}`,
      relationships: relationship('c', 'aFChunk', name),
    };
    return (await documentOf(spec, { name: `word/${name}`, content })).text;
  };

  it('is taken in: HTML, mail archives and text', async () => {
    expect(await chunk('c.htm', '<html><body><h2>T</h2><ul><li>x</ul></body></html>')).toBe(
      'a\n\n## T\n\n- x\n\nb',
    );
    expect(await chunk('c.txt', 'one\ntwo')).toBe('a\n\none\n\ntwo\n\nb');
    const mail = (encoding: string, body: string): string =>
      `MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="x=y"\r\n\r\n--x=y\r\nContent-Type: text/html; charset="utf-8"\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${body}\r\n--x=y--`;
    expect(await chunk('c.mht', mail('quoted-printable', '<p>Stra=C3=9Fe is=\r\n here'))).toBe(
      'a\n\nStraße is here\n\nb',
    );
    expect(await chunk('c.mht', mail('base64', btoa('<p>packed')))).toBe('a\n\npacked\n\nb');
  });

  it('is left out when it is not read here', async () => {
    expect(await chunk('c.docx', 'PK\x03\x04')).toBe('a\n\nb');
    expect(await chunk('c.rtf', '{\\rtf1 x}')).toBe('a\n\nb');
  });

  it('of a diagram is its words', async () => {
    const data = `<dgm:dataModel ${NAMESPACES}><dgm:ptLst><dgm:pt type="doc"/><dgm:pt><dgm:t><a:p><a:r><a:t>Plan</a:t></a:r></a:p></dgm:t></dgm:pt><dgm:pt><dgm:t><a:p><a:r><a:t>Do</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>`;
    const spec = {
      body: para(run('Cycle') + drawing('<dgm:relIds r:dm="d"/>')),
      relationships: relationship('d', 'diagramData', 'diagrams/data1.xml'),
    };
    expect((await documentOf(spec, { name: 'word/diagrams/data1.xml', content: data })).text).toBe(
      'Cycle\n\n- Plan\n- Do',
    );
  });

  it('is left out when it is damaged, and the document is not', async () => {
    const relationships = ['diagramData', 'chart', 'aFChunk']
      .map((type) => relationship(type, type, `${type}.xml`))
      .join('');
    const body = `${para(run('a') + drawing('<dgm:relIds r:dm="diagramData"/><c:chart r:id="chart"/>'))}<w:altChunk r:id="aFChunk"/><w:altChunk r:id="none"/>${para('b')}`;
    const broken = ['diagramData', 'chart'].map((name) => ({ name: `word/${name}.xml`, content: '<a><b>' }));
    const packed = { name: 'word/aFChunk.xml', content: 'x', method: 12 };
    expect((await documentOf({ body, relationships }, ...broken, packed)).text).toBe('a\n\nb');
  });

  it('of a chart is its table', async () => {
    const points = (values: readonly string[]): string =>
      values.map((value, n) => `<c:pt idx="${n}"><c:v>${value}</c:v></c:pt>`).join('');
    const series = (name: string, values: readonly string[]): string =>
      `<c:ser><c:tx><c:strRef><c:strCache>${points([name])}</c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:strCache>${points(['2023', '2024'])}</c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache>${points(values)}</c:numCache></c:numRef></c:val></c:ser>`;
    const chart = `<c:chartSpace ${NAMESPACES}><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart>${series('North', ['1', '2'])}${series('South', ['3', '4'])}</c:barChart></c:plotArea></c:chart></c:chartSpace>`;
    const spec = {
      body: para(drawing('<c:chart r:id="c"/>')),
      relationships: relationship('c', 'chart', '/word/charts/chart1.xml'),
    };
    expect((await documentOf(spec, { name: 'word/charts/chart1.xml', content: chart })).text).toBe(
      'Sales\n\n|  | North | South |\n| --- | --- | --- |\n| 2023 | 1 | 3 |\n| 2024 | 2 | 4 |',
    );
  });

  it('of a chart are the numbers that a reader sees', async () => {
    const points = (values: readonly string[]): string =>
      values.map((value, n) => (value === '' ? '' : `<c:pt idx="${n}"><c:v>${value}</c:v></c:pt>`)).join('');
    const numbers = (format: string, values: readonly string[]): string =>
      `<c:numRef><c:numCache><c:formatCode>${format}</c:formatCode>${points(values)}</c:numCache></c:numRef>`;
    const chart = async (categories: string, values: string): Promise<string> => {
      const content = `<c:chartSpace ${NAMESPACES}><c:chart><c:plotArea><c:barChart><c:ser><c:tx><c:v>S</c:v></c:tx><c:cat>${categories}</c:cat><c:val>${values}</c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>`;
      const spec = {
        body: para(drawing('<c:chart r:id="c"/>')),
        relationships: relationship('c', 'chart', 'charts/chart1.xml'),
      };
      return (await documentOf(spec, { name: 'word/charts/chart1.xml', content })).text
        .split('\n')
        .slice(2)
        .join(' ');
    };
    expect(
      await chart(numbers('m/d/yyyy', ['37261', '45292']), numbers('0%', ['0.07', '4.4000000000000004'])),
    ).toBe('| 2002-01-05 | 7% | | 2024-01-01 | 440% |');
    expect(
      await chart(numbers('yyyy-mm-dd', ['2958465', '2958466', '1e300']), numbers('0', ['1', '2', '3'])),
    ).toBe('| 9999-12-31 | 1 | | 2958466 | 2 | | 1e300 | 3 |');
    expect(await chart(numbers('General', ['2023']), numbers('[Red]0.0"%"', ['4.4000000000000004']))).toBe(
      '| 2023 | 4.4 |',
    );
    const levels = `<c:multiLvlStrRef><c:multiLvlStrCache><c:lvl>${points(['Q1', 'Q2', 'Q1'])}</c:lvl><c:lvl>${points(['2023', '', '2024'])}</c:lvl></c:multiLvlStrCache></c:multiLvlStrRef>`;
    expect(await chart(levels, numbers('General', ['1', '2', 'n/a']))).toBe(
      '| 2023 Q1 | 1 | | 2023 Q2 | 2 | | 2024 Q1 | n/a |',
    );
  });

  it('of notes has links of its own', async () => {
    const spec = {
      body: para(`${run('a')}<w:r><w:footnoteReference w:id="2"/></w:r>`),
      footnotes: `<w:footnote w:type="separator" w:id="0">${para('-')}</w:footnote><w:footnote w:id="2">${para(`<w:hyperlink r:id="l">${run('source')}</w:hyperlink>`)}</w:footnote>`,
    };
    const rels = `<Relationships>${relationship('l', 'hyperlink', 'http://x.example/', 'TargetMode="External"')}</Relationships>`;
    expect((await documentOf(spec, { name: 'word/_rels/footnotes.xml.rels', content: rels })).text).toBe(
      'a[^1]\n\n[^1]: [source](http://x.example/)',
    );
  });
});

describe('other programs', () => {
  it('name prefixes as they like', async () => {
    const entries = docxEntries({ body: styled('Heading1', 'a') + para('b') }).map((entry) => ({
      ...entry,
      content: String(entry.content)
        .replaceAll('<w:', '<ns0:')
        .replaceAll('</w:', '</ns0:')
        .replaceAll(' w:', ' ns0:')
        .replace('xmlns:w=', 'xmlns:ns0='),
    }));
    expect((await DOCX.read({ bytes: writeZip(entries) })).text).toBe('# a\n\nb');
    const bare = entries.map((entry) => ({
      ...entry,
      content: entry.content
        .replaceAll('<ns0:', '<')
        .replaceAll('</ns0:', '</')
        .replace('xmlns:ns0=', 'xmlns='),
    }));
    expect((await DOCX.read({ bytes: writeZip(bare) })).text).toBe('# a\n\nb');
  });

  it('name the styles of headings in the language of their user', async () => {
    const styles =
      style('a', 'Überschrift 2') + style('b', '标题 3') + style('c', 'Titre 1') + style('d', 'Titre');
    expect(await markdown(['a', 'b', 'c', 'd'].map((id) => styled(id, id)).join(''), { styles })).toBe(
      '## a\n\n### b\n\n# c\n\nd',
    );
  });

  it('set the outline level of a paragraph itself', async () => {
    const body = para('a', '<w:outlineLvl w:val="1"/>') + para('b', '<w:outlineLvl w:val="9"/>') + para('c');
    expect(await markdown(body)).toBe('## a\n\nb\n\nc');
  });

  it('leave out relationships and styles', async () => {
    const entries = docxEntries({ body: item(1, 0, 'a'), numbering: LISTS }).filter(
      ({ name }) => !name.endsWith('.rels'),
    );
    expect((await DOCX.read({ bytes: writeZip(entries) })).text).toBe('- a');
  });
});
