// Documents and results as JSON: nothing is lost on the way, and nothing else is taken for one.
import { describe, expect, it } from 'vitest';
import { para, run, writeDocx } from '@grainline/testing/docx-writer';
import { setText, writePdf } from '@grainline/testing/pdf-writer';
import { readSource } from '../source.ts';
import { documentFromJson, documentToJson } from './document.ts';
import { decodeJson, encodeJson } from './json.ts';

const through = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown;

describe('a document as JSON', () => {
  it('comes back with regions, paragraphs, links, furniture, outline and blocks', async () => {
    const page = (number: number): { content: string } => ({
      content: setText([
        { text: 'Handbook of Tides', x: 72, y: 770, size: 8 },
        { text: `Chapter ${number}`, x: 72, y: 700, size: 20 },
        ...[0, 1, 2, 3].map((line) => ({
          text: `High water follows the moon ${line}.`,
          x: 72,
          y: 660 - 14 * line,
        })),
      ]),
    });
    const pdf = await readSource({ bytes: writePdf({ pages: [1, 2, 3].map(page) }) }, { regions: true });
    expect(pdf.furniture).toBeDefined();
    const html =
      '<h1>Tides</h1><p>See <a href="https://example.com/a">the moon</a>.</p><table><tr><th>a<td>b</table>';
    const web = await readSource({ bytes: new TextEncoder().encode(html), filename: 'a.html' });
    const text = await readSource({ text: '# Tides\n\n- one\n- two\n\n```js\n1;\n```\n', filename: 'a.md' });
    const word = await readSource(
      { bytes: writeDocx({ body: para(run('One')) + para(run('Two')) }) },
      { regions: true },
    );
    expect(word.paragraphs?.numbers).toEqual(Uint32Array.of(1, 2));
    for (const document of [pdf, web, text, word]) {
      const { outline, ...rest } = document;
      expect(documentFromJson(through(documentToJson(document)))).toEqual(
        outline === undefined ? rest : { ...rest, outline },
      );
    }
  });

  it('is refused with the place that is wrong', async () => {
    const json = through(documentToJson(await readSource({ text: '# Tides', filename: 'a.md' }))) as {
      document: { blocks: object[] };
    };
    const { document } = json;
    const wrong: readonly [unknown, string][] = [
      [undefined, 'A document has version 1; this one has undefined.'],
      [{ ...json, version: 2 }, 'A document has version 1; this one has 2.'],
      [{ version: 1 }, 'document must be an object; it is undefined.'],
      [{ ...json, document: { ...document, text: 1 } }, 'document.text must be a string; it is 1.'],
      [{ ...json, document: { ...document, colour: 1 } }, 'document has the unknown member colour.'],
      [
        { ...json, document: { ...document, blocks: [{ ...document.blocks[0], kind: 'tide' }] } },
        'document.blocks[0].kind must be heading',
      ],
      [
        { ...json, document: { ...document, blocks: [{ start: 0, end: 99, kind: 'rule' }] } },
        'A span of document from 0 to 99 is not within its text of 7.',
      ],
      [
        { ...json, document: { ...document, pages: [0, 9] } },
        'document.pages[1] is not within its text, or not ascending.',
      ],
      [
        { ...json, document: { ...document, regions: '!' } },
        'document.regions are not those of packRegions.',
      ],
    ];
    for (const [value, message] of wrong) expect(() => documentFromJson(value)).toThrow(message);
  });
});

describe('results as JSON', () => {
  it('keep typed arrays, numbers that are not finite, and empty places of lists', () => {
    const value = {
      numbers: [NaN, Infinity, -Infinity, 0.1, -3],
      places: [undefined, { a: undefined, b: null }, undefined],
      edges: Int32Array.of(1, -2),
      bytes: Uint8Array.of(1, 2, 255).subarray(1),
      rows: Float64Array.of(0.1, NaN),
    };
    const decoded = decodeJson(encodeJson(value)) as typeof value;
    expect(decoded).toEqual(value);
    expect(decoded.places.flatMap((_, at) => at)).toEqual([0, 1, 2]);
    expect(encodeJson(decoded)).toEqual(encodeJson(value));
    expect(decodeJson(encodeJson([[undefined]]))).toEqual([[undefined]]);
    expect(() => decodeJson(new TextEncoder().encode('{"$Tide":"x"}'))).toThrow('has no value $Tide');
    expect(() => decodeJson(new TextEncoder().encode('{'))).toThrow(SyntaxError);
  });
});
