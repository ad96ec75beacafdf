// The paragraph that a span of a DOCX names is the one that holds its words in the file.
import { anchorOf, chunkSync, cite } from '@grainline/core';
import { cases } from '@grainline/testing/cases';
import { writeDocx } from '@grainline/testing/docx-writer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { extract } from '../src/index.ts';

const run = (text: string): string => `<w:r><w:t>${text}</w:t></w:r>`;
const box = (inner: string): string =>
  `<w:r><w:pict><v:shape><v:textbox><w:txbxContent>${inner}</w:txbxContent></v:textbox></v:shape></w:pict></w:r>`;
const row = (inner: string): string => `<w:tr><w:tc>${inner}</w:tc><w:tc>${paragraph('depth')}</w:tc></w:tr>`;

/** A paragraph with a word that `number` replaces by its number. */
function paragraph(words: string, properties = ''): string {
  return `<w:p>${properties === '' ? '' : `<w:pPr>${properties}</w:pPr>`}${run(`N ${words}`)}</w:p>`;
}

const part = fc.constantFrom(
  paragraph('tides'),
  paragraph('harbour', '<w:pStyle w:val="Heading1"/>'),
  paragraph('item', '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'),
  '<w:p/>',
  `<w:p>${run('N anchored')}${box('<w:p><w:r><w:t>beside</w:t></w:r></w:p>')}</w:p>`,
  `<w:del>${paragraph('gone')}</w:del>`,
  `<w:sdt><w:sdtContent>${paragraph('control')}</w:sdtContent></w:sdt>`,
  `<w:tbl>${row(paragraph('port'))}${row(paragraph('bar'))}</w:tbl>`,
);

/** Numbers the paragraphs outside text boxes in the order of the file: `N` becomes `n7`. */
function numbered(parts: readonly string[]): string {
  let count = 0;
  return parts.join('').replaceAll(/<w:txbxContent>.*?<\/w:txbxContent>|<w:p[ >/]|\bN\b/g, (found) => {
    if (found.startsWith('<w:p')) count += 1;
    return found === 'N' ? `n${count}` : found;
  });
}

describe('anchorOf of DOCX', () => {
  it('names the paragraph of every word, with regions alone, and changes nothing else', async () => {
    const names = fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 20 }), async (parts) => {
      const bytes = writeDocx({ body: numbered([...parts, paragraph('end')]) });
      const document = await extract(bytes, { regions: true });
      for (const { 0: word, index } of document.text.matchAll(/\bn(\d+)\b/g))
        expect(anchorOf(document, { start: index, end: index + word.length })).toEqual({
          paragraph: Number(word.slice(1)),
        });
      const { paragraphs, ...rest } = document;
      expect(rest).toEqual(await extract(bytes));
      expect(paragraphs!.starts.length).toBeGreaterThan(0);
    });
    await fc.assert(names, cases(20));
  });

  it('names the paragraphs of chunks and quotations', async () => {
    const lines = ['The tide rises twice a day.', '', 'The pilot waits at the bar.', 'The harbour is deep.'];
    const body = lines.map((line) => `<w:p>${run(line)}</w:p>`).join('');
    const document = await extract(writeDocx({ body }), { regions: true });
    const chunks = chunkSync(document, { size: 40 });
    expect(chunks.map((chunk) => anchorOf(document, chunk)?.paragraph)).toEqual([1, 3, 4]);
    const [span] = cite(document, 'waits at the bar')!.spans;
    expect(anchorOf(document, span!)).toEqual({ paragraph: 3 });
  });
});
