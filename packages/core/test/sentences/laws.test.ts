// Laws of the sentences of any text: ascending, covering, deterministic, within the range, no grapheme parted, and work
// in proportion to length. fast-check prints its seed when a law breaks.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { sentences } from '../../src/sentences/scan.ts';
import { STRENGTHS } from '../../src/sentences/strengths.ts';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Fragments that the rules are about, and such as break careless scanners. */
const FRAGMENTS = [
  'Dr. ',
  'Mr. Bean',
  'z. B. ',
  'e.g. ',
  'U.S. ',
  '3. Oktober',
  '12.5',
  ' 1. ',
  'A. ',
  '. ',
  '.',
  '...',
  '…',
  '?!',
  '! ',
  '“',
  '”',
  '"',
  "'",
  '«',
  ' »',
  '„',
  '(',
  ')',
  '[4]',
  '「',
  '」',
  '。',
  '？',
  '……',
  '，',
  '、',
  '; ',
  ', ',
  ': ',
  ' – ',
  '—',
  ' | ',
  '\n',
  '\n\n',
  '\r\n',
  '\f',
  ' ',
  '\u00a0',
  '\u3000',
  'word',
  'Word',
  'слово. Он',
  'www.example.com/a.b?c=d',
  'हुआ। ',
  '॥ १ ॥',
  'ครับ ผม',
  'ไปตลาด',
  '东京',
  'と言った',
  '갔다. ',
  '습니다 ',
  '😊 ',
  '12 คน ',
  '.Then ',
  'قال؟ ',
  '👨‍👩‍👧‍👦',
  '🇩🇪',
  'e\u0301',
  ' \u0301',
  '.\u0301',
  '. \u200d',
  '\u{1f3fd}',
  '𠮷',
  '\u0e33',
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...FRAGMENTS), fc.string({ unit: 'grapheme', maxLength: 6 })), {
    maxLength: 40,
  })
  .map((parts) => parts.join(''));

describe('sentences', () => {
  it('ascend from behind the start to the end of the range', () => {
    fc.assert(
      fc.property(text, fc.nat(), fc.nat(), (whole, a, b) => {
        const [start = 0, end = 0] = [a % (whole.length + 1), b % (whole.length + 1)].sort((x, y) => x - y);
        const { offsets, strengths } = sentences(whole, start, end);
        expect(strengths).toHaveLength(offsets.length);
        expect(offsets.at(-1) ?? end).toBe(end);
        let last = start;
        for (const offset of offsets) {
          expect(offset).toBeGreaterThan(last);
          last = offset;
        }
      }),
      cases(1000),
    );
  });

  it('read a range as if it were a text of its own', () => {
    fc.assert(
      fc.property(text, text, text, (before, middle, after) => {
        const inside = sentences(before + middle + after, before.length, before.length + middle.length);
        const alone = sentences(middle);
        expect(inside.offsets.map((offset) => offset - before.length)).toEqual(alone.offsets);
        expect(inside.strengths).toEqual(alone.strengths);
      }),
      cases(1000),
    );
  });

  it('part no grapheme', () => {
    fc.assert(
      fc.property(text, (whole) => {
        const boundaries = new Set([...graphemes.segment(whole)].map(({ index }) => index)).add(whole.length);
        // Between CR and LF nothing is ever visible; every other place has to be a grapheme boundary.
        for (const offset of sentences(whole).offsets) expect(boundaries).toContain(offset);
      }),
      cases(1000),
    );
  });

  it('read nothing behind the end of a range', () => {
    for (const text of [
      'So he saw it. We',
      'So if. He',
      'Fig. IV',
      'So did www.etc. de',
      '갔다 max. 가나',
      'το σας. Οι',
    ])
      expect(sentences(text, 0, text.length - 1)).toEqual(sentences(text.slice(0, -1)));
  });

  it('give nothing for an empty range and one piece for a blank one', () => {
    expect(sentences('').offsets).toEqual([]);
    expect(sentences('abc', 1, 1).offsets).toEqual([]);
    expect(sentences(' \n\n ').offsets).toEqual([4]);
  });

  it('give equal answers to equal questions', () => {
    fc.assert(
      fc.property(text, (whole) => {
        expect(sentences(whole)).toEqual(sentences(whole));
      }),
      cases(100),
    );
  });
});

describe('work', () => {
  const UNITS = 200_000;
  const shapes = {
    dots: '.',
    letters: 'a',
    quotes: '"',
    'marks and quotes': '?"',
    openings: '(',
    initials: 'A. ',
    letterDots: 'a.',
    accents: ' \u0301',
    'Thai letters': 'เด็ก',
    'Chinese characters': '孩子',
    blanks: ' ',
    'names of months': '3. Oktober ',
    'Thai words': 'ไปตลาด ',
    'plain ends': 'So it was. It ',
    'Hindi ends': 'हुआ था। के ',
    'Korean ends': '말했다. 하고 ',
    'Korean verbs': '했습니다 ',
    faces: 'a 😊 ',
    'missing blanks': 'ended.Then ',
    'Thai clauses': 'ฉันไป 12 คนมา ',
    'numbers and Thai': '12 ฉัน ',
    'Korean words': '한다. 가',
    'numbers of sections': '3.2. ',
    'lines that count': '1. a\n2. b\n',
    'Chinese ends': '了。他',
    'indented lines': 'so.\n     ',
    'periods before blanks': 'a.          ',
  };

  it.each(Object.entries(shapes))('reads each unit of %s a bounded number of times', (_name, part) => {
    const [once, twice] = [UNITS, 2 * UNITS].map((units) => readsOf(part.repeat(units / part.length)));
    expect(twice).toBeLessThanOrEqual(2.1 * (once ?? 0) + 100);
  });
});

it(
  'reads Latin letters behind Thai without trying all combinations of their blanks',
  { timeout: 2000 },
  () => {
    const letters = `สวัสดี ${'ab '.repeat(30)}`;
    // Reads are not counted inside of patterns; each of these once took half a second.
    expect(sentences(letters.repeat(100)).offsets).toEqual([100 * letters.length]);
  },
);

/** How often a scan asks a text for a unit: a count of work that no busy machine bends. */
function readsOf(whole: string): number {
  const original: (this: string, at: number) => number = Reflect.get(String.prototype, 'charCodeAt');
  let reads = 0;
  String.prototype.charCodeAt = function (this: string, at: number): number {
    reads++;
    return original.call(this, at);
  };
  try {
    sentences(whole);
  } finally {
    String.prototype.charCodeAt = original;
  }
  return reads;
}

describe('strengths', () => {
  const strengthsOf = (whole: string): readonly number[] => [...sentences(whole).strengths];

  it('tell a blank line from a line end and from a blank', () => {
    const { paragraph, line, sentence } = STRENGTHS;
    expect(strengthsOf('One. Two.\nThree.\n\nFour')).toEqual([sentence, line, paragraph, paragraph]);
  });

  it('keep to the scale on which words are weakest', () => {
    const { word, clause, sentence, line, paragraph } = STRENGTHS;
    expect([word, clause, sentence, line, paragraph]).toEqual([1, 2, 3, 4, 5]);
  });
});

/** The pieces of a text, blanks at their ends taken off. */
const cut = (whole: string): string[] =>
  [...sentences(whole).offsets].map((offset, index, all) => whole.slice(all[index - 1] ?? 0, offset).trim());

describe('cases that laws do not show', () => {
  it('takes boundaries inside a bracket back, unless the bracket stands between sentences', () => {
    expect(cut('It works (see p. 3. Or ask. Really!) today. Done.')).toEqual([
      'It works (see p. 3. Or ask. Really!) today.',
      'Done.',
    ]);
    expect(cut('It works. (One. Two.) Done.')).toEqual(['It works.', '(One.', 'Two.)', 'Done.']);
  });

  it('cuts inside a bracket that is longer than a bracket is', () => {
    expect(cut(`So (${'a long word '.repeat(20)}ends. It goes on) and on.`)).toHaveLength(2);
  });

  it('takes short words of Arabic and Hindi for abbreviations, verbs excepted', () => {
    expect(cut('قال د. أحمد نعم. ثم خرج.')).toEqual(['قال د. أحمد نعم.', 'ثم خرج.']);
    expect(cut('श्री आर. के. वर्मा आए। वह यहाँ है. आप कौन हैं?')).toEqual([
      'श्री आर. के. वर्मा आए।',
      'वह यहाँ है.',
      'आप कौन हैं?',
    ]);
  });

  it('takes a German number for an ordinal before a month and behind an article', () => {
    expect(cut('Das Haus des späten 15. Jahrhunderts steht. Es ist das 2. Kapitel.')).toEqual([
      'Das Haus des späten 15. Jahrhunderts steht.',
      'Es ist das 2. Kapitel.',
    ]);
    expect(cut('Es war am 3. Oktober 1990. Dem 2. Band fehlt er.')).toEqual([
      'Es war am 3. Oktober 1990.',
      'Dem 2. Band fehlt er.',
    ]);
  });

  it('begins a new Thai sentence behind a main clause, not behind the subordinate one before it', () => {
    expect(cut('ถ้าฝนตกหนัก เราจะไม่ไปตลาด เขาจะอยู่ที่บ้าน')).toEqual(['ถ้าฝนตกหนัก เราจะไม่ไปตลาด', 'เขาจะอยู่ที่บ้าน']);
  });

  it('takes a word without a vowel for one cut short, and a short one before a number', () => {
    expect(cut('Then Bgm. Holl spoke. The Stk. is sold.')).toEqual([
      'Then Bgm. Holl spoke.',
      'The Stk. is sold.',
    ]);
    expect(cut('It holds max. 12 bar. It leaks.')).toEqual(['It holds max. 12 bar.', 'It leaks.']);
    expect(cut('So says Yoon Kim. 2023. Learning to grow.')).toContain('So says Yoon Kim.');
  });

  it('ends sentences whose blank is missing, but parts no name in a program', () => {
    expect(cut('It ran for weeks.It stopped. Use fmt.Println to print.')).toEqual([
      'It ran for weeks.',
      'It stopped.',
      'Use fmt.Println to print.',
    ]);
  });

  it('begins sentences with addresses, particles of names, and in texts without capitals', () => {
    expect(cut('Mail us. www.example.org knows. It rained. von Arnim left.')).toHaveLength(4);
    expect(cut('did you see it? yes, i did. it rained.')).toHaveLength(3);
  });

  it('tells the number of a section from a figure that ends a sentence, and keeps its title', () => {
    expect(cut('It is in 2.4.1. The valve.\n\n2.4.1.12. The valve\n\nB.3.2. Its seat')).toEqual([
      'It is in 2.4.1.',
      'The valve.',
      '2.4.1.12. The valve',
      'B.3.2. Its seat',
    ]);
    expect(cut('자세한 내용은 6.3.4절. “부품” 부분을 보십시오. 제 2 장. 보관')).toEqual([
      '자세한 내용은 6.3.4절. “부품” 부분을 보십시오.',
      '제 2 장. 보관',
    ]);
  });

  it('parts lines whose numbers of sections follow one another, and no others', () => {
    expect(cut('1. Pump\n1.1. Parts\n1.1.1 Seals\n1.2. Tools\n2. Care')).toEqual([
      '1. Pump',
      '1.1. Parts',
      '1.1.1 Seals',
      '1.2. Tools',
      '2. Care',
    ]);
    expect(cut('B.1.2. Pump\n  B.2. Tools')).toEqual(['B.1.2. Pump', 'B.2. Tools']);
    for (const text of ['3.2 of them\n3.4 went', '3.2 of them\n3.2.1.1 went', 'So 1. we\n2. saw'])
      expect(cut(text)).toHaveLength(1);
  });

  it('tells words of one letter or two from initials and labels', () => {
    expect(cut('Αυτός είναι ο αριθμός σας. Ο άλλος χάθηκε. Byl tam pan. V zimě mrzlo.')).toHaveLength(4);
    expect(cut('Hãy chọn một ô. Sau đó nhấn vào nó. Ở TP. Huế trời mưa.')).toEqual([
      'Hãy chọn một ô.',
      'Sau đó nhấn vào nó.',
      'Ở TP. Huế trời mưa.',
    ]);
    expect(cut('See Vol. X now, or max. II.')).toHaveLength(1);
    expect(cut('It runs at 3 km/h. Then it stops. Add -v. Lines follow.')).toHaveLength(4);
  });

  it('ends a Korean verb whose last syllable stands on the next line', () => {
    expect(cut('물을 부어야 합니\n다. 그다음에 끓인다.')).toHaveLength(2);
    expect(cut('나. 물\n다. 불')).toHaveLength(1);
  });

  it('takes a small Latin word without a vowel for a name before another script', () => {
    expect(cut('Запустите gpg. Затем выйдите. Пишет Mr. Смит.')).toHaveLength(3);
  });

  it('ends sentences with a face or a finite verb of Korean, not with a picture of a thing', () => {
    expect(cut('Thanks 😊 See you. Bring 🥖 Brot.')).toEqual(['Thanks 😊', 'See you.', 'Bring 🥖 Brot.']);
    expect(cut('상품이 출고되었습니다 배송에는 이틀 걸립니다')).toHaveLength(2);
    expect(cut('## 🤔 What is this?')).toHaveLength(1);
    expect(cut('太好了😊！我们走。')).toEqual(['太好了😊！', '我们走。']);
  });

  it('parts no letter that attaches from the blank before it', () => {
    expect(sentences('वह हुआ। \u0e33').offsets).toEqual([9]);
    expect(sentences('So it was. \u0e33').offsets).toEqual([12]);
  });

  it('parts lines that count up, and items with bullets, though no mark ends them', () => {
    expect(cut('1. Milk\n2. Eggs\n3. Salt')).toEqual(['1. Milk', '2. Eggs', '3. Salt']);
    expect(cut('- Milk\n- Eggs')).toEqual(['- Milk', '- Eggs']);
  });
});

describe('the sentences of two texts', () => {
  it('are all found when there are very many', () => {
    const text = 'It rained. '.repeat(20_000);
    expect([...sentences(text).offsets]).toEqual(
      Array.from({ length: 20_000 }, (_, index) => 11 * (index + 1)),
    );
  });

  it('share no array', () => {
    const first = sentences('It rained. “It did.” (It did not.) Dr. Ruiz left.');
    const copy = structuredClone(first);
    sentences('(((Other. Text. '.repeat(3000));
    expect(first).toEqual(copy);
  });
});
