// The text of fields without a result, which their code contains.
import { describe, expect, it } from 'vitest';
import { shownByCode } from './field-codes.ts';

describe('a field without a result', () => {
  it.each([
    // Signs and buttons.
    ['SYMBOL 183 \\f "Symbol" \\s 10', '•'],
    ['symbol 0xE0 \\f Wingdings', '→'],
    ['SYMBOL 65', 'A'],
    ['SYMBOL x', ''],
    ['MACROBUTTON NoMacro [Click here and type a name] \\* MERGEFORMAT', '[Click here and type a name]'],
    ['GOTOBUTTON place5 Line 5', 'Line 5'],
    ['MACROBUTTON NoMacro', ''],
    // Words with their readings, and signs in circles.
    ['EQ \\* jc2 \\* "Font:MS Mincho" \\* hps10 \\o\\ad(\\s\\up 9(かんじ),漢字)', '漢字'],
    ['eq \\o\\ac(○,1)', '①'],
    ['eq \\o\\ac(○,25)', '(25)'],
    ['eq \\o\\ac(□,印)', '(印)'],
    ['EQ \\x(in a box)', 'in a box'],
    ['EQ \\l(1,2,3)', '1, 2, 3'],
    ['EQ f(x, y) \\(a\\,b\\)', 'f(x, y) (a,b)'],
    // Equations.
    ['EQ \\f(1,2)', '$\\frac{1}{2}$'],
    ['EQ \\f(1,5;2)', '$\\frac{1,5}{2}$'],
    ['EQ \\f(f(a,b);β)', '$\\frac{f(a,b)}{\\beta}$'],
    ['EQ \\f(a,b,c)', '$\\frac{a}{b,c}$'],
    ['EQ \\i(0,1,1,5 dx)+\\r(3,1,5)', '$\\int_0^1 1,5 dx+\\sqrt[3]{1,5}$'],
    ['EQ \\r(3,x+1)', '$\\sqrt[3]{x+1}$'],
    ['EQ \\r(,2)+\\r(y)', '$\\sqrt[]{2}+\\sqrt{y}$'],
    ['EQ x\\s\\up8(2)+y\\s\\do8(max)', '$x^2+y_{max}$'],
    ['EQ \\i\\su(n=1,5,n)', '$\\sum_{n=1}^5 n$'],
    ['EQ \\i(0,1,x dx)', '$\\int_0^1 x dx$'],
    [
      'EQ \\b\\bc\\[(\\a\\al\\co2(a,b,c,d))',
      '$\\left[ \\begin{matrix} a & b \\\\ c & d \\end{matrix} \\right]$',
    ],
    ['EQ \\b\\lc\\{(\\a(x=1,y=2))', '$\\left\\{ \\begin{matrix} x=1 \\\\ y=2 \\end{matrix} \\right.$'],
    // Values that only the program knows.
    ['PAGE', ''],
    ['XE "entry of an index"', ''],
    ['EQ', ''],
    ['', ''],
  ])('%j shows %j', (code, shown) => {
    expect(shownByCode(` ${code} `)).toBe(shown);
  });

  it.each(['\\f(', '\\o(a,', '(', ')', '\\', '\\b\\bc\\[', '\\* "', ','])(
    'ends for 100,000 times %j, and keeps what is written in it',
    (piece) => {
      expect(shownByCode(`EQ ${piece.repeat(100_000)}end`)).toContain('end');
    },
  );
});
