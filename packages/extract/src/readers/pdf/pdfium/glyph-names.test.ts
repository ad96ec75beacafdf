import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { latin1 } from '../../../bytes.ts';
import { ligaturesOf } from './glyph-names.ts';

/** Objects in an object stream, at the given offsets. */
function packed(objects: readonly (readonly [number: number, offset: number])[], text: string): string {
  const head = `${objects.map((pair) => pair.join(' ')).join(' ')} `;
  const data = latin1(deflateSync(Buffer.from(head + text, 'latin1')));
  return `5 0 obj<</Type/ObjStm/N ${objects.length}/First ${head.length}/Length ${data.length}>>stream\n${data}\nendstream endobj`;
}

const ligatures = (file: string): Record<string, Record<string, string>> =>
  Object.fromEntries(
    Array.from(ligaturesOf(Buffer.from(file, 'latin1')), ([font, codes]) => [
      font,
      Object.fromEntries(codes),
    ]),
  );

describe('ligatures of fonts', () => {
  const encoding = '<</Type/Encoding/Differences[1/f_i 27/f_f/a/Q_u.alt/g_1/uni00660069]>>';

  it('are found in the file and in its object streams', () => {
    const font = '<</Type/Font/BaseFont/ABCDEF+Lib/Encoding 7 0 R>>';
    const codes = { 1: 'fi', 27: 'ff', 29: 'Qu', 31: 'fi' };
    expect(ligatures(`7 0 obj${encoding}endobj 8 0 obj${font}endobj`)).toEqual({ Lib: codes });
    const inside = packed(
      [
        [8, 0],
        [7, font.length + 1],
      ],
      `${font}\n${encoding}`,
    );
    expect(ligatures(inside)).toEqual({ Lib: codes });
    expect(ligatures(inside.replace('stream\nx', 'stream\ny'))).toEqual({});
  });

  it('take time linear in the file, whatever it holds', () => {
    const fonts = '8 0 obj<</BaseFont/A/Encoding 7 0 R>>endobj '.repeat(2000);
    const names = `7 0 obj<</Differences[1${'/f_i'.repeat(100_000)}]>>endobj`;
    expect(Object.keys(ligatures(fonts + names)['A'] ?? {})).toHaveLength(255);
    expect(ligatures('/BaseFont/Differences['.repeat(100_000))).toEqual({});
    const back = Array.from({ length: 1000 }, (_, at) => [at, at % 2 === 0 ? 0 : 400_000] as const);
    expect(ligatures(packed(back, `/BaseFont/A${' '.repeat(400_000)}`))).toEqual({});
  });
});
