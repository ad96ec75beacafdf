// Presentations of Office: slides as pages, titles, lists by inheritance, order by place, tables, notes, furniture.
import {
  slideCell,
  slideFrame,
  slideGroup,
  slidePara,
  slidePicture,
  slideRun,
  slideShape,
  slideTable,
  slideTitle,
  writePptx,
  type PptxSpec,
} from '@grainline/testing/pptx-writer';
import { describe, expect, it } from 'vitest';
import { expectLawful } from '../../../test/laws.ts';
import { extract, type ExtractOptions } from '../../extract.ts';

async function read(
  spec: PptxSpec,
  options: ExtractOptions = {},
): Promise<Awaited<ReturnType<typeof extract>>> {
  const document = await extract(writePptx(spec), options);
  expectLawful(document);
  return document;
}

const textOf = async (...shapes: string[]): Promise<string> =>
  (await read({ slides: [{ shapes: shapes.join('') }] })).text;

describe('slides', () => {
  it('are pages in the order of the presentation, with their titles as headings', async () => {
    const slides = ['One', 'Two', 'Three'].map((title) => ({
      shapes: slideTitle(title) + slideShape(`About ${title}.`, { placeholder: 'body' }),
    }));
    const { text, pages, blocks, title } = await read({ slides });
    expect(text).toBe('## One\n\nAbout One.\n\n## Two\n\nAbout Two.\n\n## Three\n\nAbout Three.');
    expect(pages.map((start) => text.slice(start, start + 6))).toEqual(['## One', '## Two', '## Thr']);
    expect(blocks.map(({ page }) => page)).toEqual([1, 1, 2, 2, 3, 3]);
    expect(title).toBe('One');
  });

  it('keep their number when they are empty, hidden or damaged', async () => {
    const slides = [
      { shapes: '' },
      { shapes: slideTitle('Hidden'), attributes: ' show="0"' },
      { shapes: '<p:sp>' },
      { shapes: slideTitle('Last') },
      { shapes: '' },
    ];
    const { text, pages, warnings } = await read({ slides });
    expect(text).toBe('## Hidden\n\n## Last');
    expect(pages).toEqual([0, 0, 11, 11, 18]);
    expect(warnings).toEqual([
      { code: 'parts_left_out', message: expect.stringContaining('ppt/slides/slide3.xml') as string },
    ]);
  });

  it('are read by number, and progress is reported', async () => {
    const slides = ['One', 'Two', 'Three', 'Four'].map((title) => ({ shapes: slideTitle(title) }));
    const done: number[] = [];
    const options = { pages: '2-3', onPage: (progress: { done: number }) => done.push(progress.done) };
    const { text, pages, pagesRead } = await read({ slides }, options);
    expect(text).toBe('## Two\n\n## Three');
    expect(pages).toEqual([0, 0, 8]);
    expect(pagesRead).toBe(2);
    expect(done).toEqual([1, 2]);
    await expect(extract(writePptx({ slides }), { pages: '5' })).rejects.toMatchObject({
      code: 'no_such_pages',
    });
  });

  it('of the presentation and of its sections have headings above the others', async () => {
    const shapes =
      slideShape('Deck', { placeholder: 'ctrTitle' }) + slideShape('By us', { placeholder: 'subTitle' });
    expect(await textOf(shapes)).toBe('# Deck\n\nBy us');
    const section = await read({
      slides: [{ shapes: slideTitle('Part') }],
      layout: { type: 'secHead', shapes: '' },
    });
    expect(section.text).toBe('# Part');
  });

  it('give the title of the presentation unless its properties name one', async () => {
    const slides = [{ shapes: slideTitle('Shown') }];
    const core = (title: string): string => `<dc:title>${title}</dc:title>`;
    expect((await read({ slides, core: core('Named') })).title).toBe('Named');
    expect((await read({ slides, core: core('PowerPoint Presentation') })).title).toBe('Shown');
    expect((await read({ slides, core: core('Présentation PowerPoint') })).title).toBe('Shown');
  });

  it('are read in the strict format', async () => {
    expect((await read({ slides: [{ shapes: slideTitle('Strict') }], strict: true })).text).toBe('## Strict');
  });
});

describe('the text of a shape', () => {
  it('has the bullets of its own levels, its layout and its master', async () => {
    const levels = [0, 1, 2].map((level) => slidePara(`level ${level}`, { level })).join('');
    const shapes = slideShape(levels, { placeholder: 'body', idx: '1' });
    const master = {
      shapes: slideShape('prompt', {
        placeholder: 'body',
        list: '<a:lvl2pPr><a:buChar char="–"/></a:lvl2pPr>',
      }),
      styles: '<p:bodyStyle><a:lvl3pPr><a:buAutoNum type="alphaLcParenR"/></a:lvl3pPr></p:bodyStyle>',
    };
    const layout = {
      shapes: slideShape('prompt', {
        placeholder: 'body',
        idx: '1',
        list: '<a:lvl1pPr><a:buChar char="•"/></a:lvl1pPr>',
      }),
    };
    const { text } = await read({ slides: [{ shapes }], layout, master });
    expect(text).toBe('- level 0\n  - level 1\n    - a) level 2');
  });

  it('has numbers that count on by level and start where the author says', async () => {
    const number = (level: number, attributes = ''): { level: number; properties: string } => ({
      level,
      properties: `<a:buAutoNum type="arabicPeriod" ${attributes}/>`,
    });
    const text = await textOf(
      slideShape(
        slidePara('three', number(0, 'startAt="3"')) +
          slidePara('four', number(0, 'startAt="3"')) +
          slidePara('inner', number(1)) +
          slidePara('five', number(0, 'startAt="3"')) +
          slidePara('none', { properties: '<a:buNone/>' }),
      ),
    );
    expect(text).toBe('3. three\n4. four\n   1. inner\n5. five\n\nnone');
  });

  it('has marks, links as data, line breaks and equations', async () => {
    const link = '<a:hlinkClick r:id="l"/>';
    const shapes = slideShape(
      slidePara(
        slideRun('bold', 'b="1"') +
          slideRun(' and ') +
          slideRun('slant', 'i="1"') +
          slideRun(', 10') +
          slideRun('6', 'baseline="30000"') +
          '<a:br/>' +
          slideRun('a ', '', link) +
          slideRun('link', 'b="1"', link) +
          '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice><a14:m xmlns:a14="urn:a14"><m:oMath xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><m:r><m:t>x</m:t></m:r></m:oMath></a14:m></mc:Choice><mc:Fallback><a:r><a:t>picture</a:t></a:r></mc:Fallback></mc:AlternateContent>',
      ),
    );
    const relationships =
      '<Relationship Id="l" Type="x/hyperlink" Target="https://example.org/" TargetMode="External"/>';
    const { text, links } = await read({ slides: [{ shapes, relationships }] });
    expect(text).toBe('**bold** and *slant*, 10⁶\na **link**$x$');
    expect(links?.map(({ start, end, href }) => [text.slice(start, end), href])).toEqual([
      ['a **link**', 'https://example.org/'],
    ]);
  });

  it('stays in one heading when a title has several paragraphs', async () => {
    expect(await textOf(slideShape(slidePara('Two') + slidePara('lines'), { placeholder: 'title' }))).toBe(
      '## Two lines',
    );
  });
});

describe('the order of a slide', () => {
  const box = (text: string, left: number, top: number, width = 10, height = 10): string =>
    slideShape(text, { at: [left, top, width, height] });

  it('is its titles, its placeholders, then rows and in them columns', async () => {
    const text = await textOf(
      box('D', 60, 50),
      box('C', 0, 52),
      box('B', 60, 0),
      box('A', 0, 1),
      slideShape('body', { placeholder: 'body', at: [0, 90, 10, 10] }),
      slideShape('title', { placeholder: 'title', at: [0, 200, 10, 10] }),
    );
    expect(text.split('\n\n')).toEqual(['## title', 'body', 'A', 'B', 'C', 'D']);
  });

  it('goes down a column beside a taller shape', async () => {
    expect(
      (await textOf(box('right 1', 50, 0), box('right 2', 50, 20), box('left', 0, 0, 40, 40))).split('\n\n'),
    ).toEqual(['left', 'right 1', 'right 2']);
  });

  it('keeps a group together, and orders it inside', async () => {
    const group = slideGroup(box('second', 500, 0) + box('first', 0, 0), [0, 30, 10, 10]);
    expect((await textOf(box('below', 0, 60), group, box('above', 0, 0))).split('\n\n')).toEqual([
      'above',
      'first',
      'second',
      'below',
    ]);
  });

  it('uses the places of the layout', async () => {
    const layout = {
      shapes:
        slideShape('', { placeholder: 'body', idx: '1', at: [0, 50, 10, 10] }) +
        slideShape('', { placeholder: 'body', idx: '2', at: [0, 0, 10, 10] }),
    };
    const shapes =
      slideShape('lower', { placeholder: 'body', idx: '1' }) +
      slideShape('upper', { placeholder: 'body', idx: '2' });
    expect((await read({ slides: [{ shapes }], layout })).text).toBe('upper\n\nlower');
  });
});

describe('tables, pictures and other parts', () => {
  it('are tables with merged cells, and a header where the style sets it off', async () => {
    const merged = `<a:tbl><a:tblPr firstRow="1"/><a:tr>${slideCell('Port', 'rowSpan="2"')}${slideCell('Water', 'gridSpan="2"')}${slideCell('', 'hMerge="1"')}</a:tr><a:tr>${slideCell('', 'vMerge="1"')}${slideCell('high')}${slideCell('low')}</a:tr><a:tr>${slideCell('North')}${slideCell('4')}${slideCell('1')}</a:tr></a:tbl>`;
    const { text, blocks } = await read({ slides: [{ shapes: slideFrame(merged) }] });
    expect(text).toBe('| Port | Water |  |\n| --- | --- | --- |\n|  | high | low |\n| North | 4 | 1 |');
    expect(blocks[0]?.children?.[0]?.header).toBe(true);
    expect(
      blocks[0]?.children?.[0]?.children?.map(({ columnSpan, rowSpan }) => [columnSpan, rowSpan]),
    ).toEqual([
      [undefined, 2],
      [2, undefined],
    ]);
    expect(
      await textOf(
        slideFrame(
          slideTable([
            ['a', 'b'],
            ['c', 'd'],
          ]),
        ),
      ),
    ).toContain('| c | d |');
  });

  it('show a picture by its description, unless that is the name of its file', async () => {
    expect(
      await textOf(slidePicture('A pilot boards a ship'), slidePicture('IMG_01.png'), slidePicture('')),
    ).toBe('A pilot boards a ship');
  });

  it('show a chart as its table and a diagram by its words', async () => {
    const chart =
      '<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"><c:ser><c:tx><c:v>Ships</c:v></c:tx><c:cat><c:pt idx="0"><c:v>May</c:v></c:pt></c:cat><c:val><c:pt idx="0"><c:v>3</c:v></c:pt></c:val></c:ser></c:chartSpace>';
    const diagram =
      '<dgm:dataModel xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><dgm:pt><dgm:t><a:p><a:r><a:t>Board</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:dataModel>';
    const related = (id: string, target: string): string =>
      `<Relationship Id="${id}" Type="x/y" Target="../${target}"/>`;
    const shapes =
      slideFrame('<c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" r:id="c"/>') +
      slideFrame(
        '<dgm:relIds xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" r:dm="d"/>',
        [0, 50, 1, 1],
      );
    const { text, warnings } = await read({
      slides: [{ shapes, relationships: related('c', 'chart.xml') + related('d', 'data.xml') }],
      entries: [
        { name: 'ppt/chart.xml', content: chart },
        { name: 'ppt/data.xml', content: diagram },
      ],
    });
    expect(text).toBe('|  | Ships |\n| --- | --- |\n| May | 3 |\n\n- Board');
    expect(warnings).toEqual([]);
  });

  it('set the notes off as a quotation, without what their page repeats', async () => {
    const notes =
      slideShape('Say this', { placeholder: 'body' }) + slideShape('7', { placeholder: 'sldNum' });
    expect((await read({ slides: [{ shapes: slideTitle('T'), notes }] })).text).toBe('## T\n\n> Say this');
  });

  it('take footers, dates and slide numbers out, or keep them', async () => {
    const shapes =
      slideTitle('T') +
      slideShape('Our company', { placeholder: 'ftr' }) +
      slideShape('1', { placeholder: 'sldNum' });
    const { text, furniture } = await read({ slides: [{ shapes }] });
    expect(text).toBe('## T');
    expect(furniture).toEqual([
      { page: 1, text: 'Our company', kind: 'footer' },
      { page: 1, text: '1', kind: 'page-number' },
    ]);
    expect((await read({ slides: [{ shapes }] }, { furniture: 'keep' })).text).toBe(
      '## T\n\nOur company\n\n1',
    );
  });

  it('leave out hidden shapes, and the texts of layouts and masters', async () => {
    const { text } = await read({
      slides: [{ shapes: slideTitle('T') + slideShape('hidden', { name: 'hidden="1"' }) }],
      layout: { shapes: slideShape('layout') },
      master: { shapes: slideShape('master') },
    });
    expect(text).toBe('## T');
  });
});
