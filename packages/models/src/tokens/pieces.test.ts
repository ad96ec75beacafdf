import { describe, expect, it } from 'vitest';
import { createRandom, DISPUTED, randomString, realTexts } from '../../test/strings.ts';
import { writeUnits } from './characters.ts';
import { UNICODE } from './data/characters.ts';
import { cl100kPieceEnd, o200kPieceEnd, type PieceEnd } from './pieces.ts';

// The encodings' own expressions, with White_Space for \s: that is what \s means where they were written.
const BLANK = '\\p{White_Space}';
const CONTRACTION = "'(?:[sS]|[dD]|[mM]|[tT]|ſ|[lL][lL]|[vV][eE]|[rR][eE])";
const UPPER = '[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]';
const LOWER = '[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]';
const LEAD = '[^\\r\\n\\p{L}\\p{N}]?';
const EXPRESSIONS = {
  cl100k: `${CONTRACTION}|${LEAD}\\p{L}+|\\p{N}{1,3}| ?[^${BLANK}\\p{L}\\p{N}]+[\\r\\n]*|${BLANK}+$|${BLANK}*[\\r\\n]|${BLANK}+(?!\\P{White_Space})|${BLANK}`,
  o200k: `${LEAD}${UPPER}*${LOWER}+(?:${CONTRACTION})?|${LEAD}${UPPER}+${LOWER}*(?:${CONTRACTION})?|\\p{N}{1,3}| ?[^${BLANK}\\p{L}\\p{N}]+[\\r\\n/]*|${BLANK}*[\\r\\n]+|${BLANK}+(?!\\P{White_Space})|${BLANK}+`,
};
const SCANNERS = { cl100k: cl100kPieceEnd, o200k: o200kPieceEnd };

function piecesOf(pieceEnd: PieceEnd, text: string): string[] {
  const units = new Int32Array(text.length);
  writeUnits(text, units);
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += pieces.at(-1)!.length) {
    pieces.push(text.slice(at, pieceEnd(units, at, text.length)));
  }
  return pieces;
}

describe.each(['cl100k', 'o200k'] as const)('pieces of %s', (encoding) => {
  const expression = new RegExp(EXPRESSIONS[encoding], 'gu');
  const expected = (text: string): string[] => text.match(expression) ?? [];

  it('are those of its regular expression on random strings', () => {
    const random = createRandom(7);
    for (let index = 0; index < 20_000; index++) {
      const text = randomString(random, DISPUTED);
      expect(piecesOf(SCANNERS[encoding], text)).toEqual(expected(text));
    }
  });

  it('are those of its regular expression for every character of Unicode beside others', (context) => {
    if (process.versions['unicode'] !== UNICODE)
      context.skip(`this engine has another Unicode than ${UNICODE}`);
    let text = '';
    for (let code = 1; code < 0x110000; code++) {
      if (code < 0xd800 || code > 0xdfff) text += `${String.fromCodePoint(code)}${code % 3 === 0 ? 'a' : ''}`;
    }
    expect(piecesOf(SCANNERS[encoding], text)).toEqual(expected(text));
  });

  it('are those of its regular expression on lone surrogates', () => {
    for (const text of ['\ud800', 'a\udc00', '\ud83d\ud83d\ude00!', "!!\ud835's", '\ud835 1\udfd8\udfd8']) {
      expect(piecesOf(SCANNERS[encoding], text)).toEqual(expected(text));
    }
  });

  it('are those of its regular expression on real documents', (context) => {
    const texts = realTexts(30);
    if (texts.length === 0) context.skip('the development corpus is not beside the repository');
    for (const text of texts) expect(piecesOf(SCANNERS[encoding], text)).toEqual(expected(text));
  });
});
