// The notation of a number before a heading or an item, by the names of Word (ECMA-376 part 1, section 17.18.59):
// figures, letters, English words, Roman and East Asian numerals. Unknown formats, and numbers beyond a format's range,
// become figures, as in Word.

/** A whole number in a format of Word's numbering, such as `upperRoman`; '' in formats without a number. */
export function numeral(format: string, number: number): string {
  const figures = String(number);
  switch (format) {
    case 'none':
    case 'bullet':
      return '';
    case 'decimalZero':
      return figures.padStart(2, '0');
    case 'numberInDash':
      return `- ${figures} -`;
    case 'cardinalText':
      return capitalised(inWords(number) ?? figures);
    case 'ordinalText':
      return capitalised(ordinalWord(inWords(number) ?? figures));
    case 'ordinal':
      return figures + ordinalEnding(number);
    case 'upperRoman':
      return roman(number) ?? figures;
    case 'lowerRoman':
      return roman(number)?.toLowerCase() ?? figures;
    default:
      if (format.startsWith(CUSTOM)) return figures.padStart(format.length - CUSTOM.length, '0');
      return (
        (repeated(format, number) ?? inThousands(format, number) ?? fromSeries(format, number)) || figures
      );
  }
}

/** Begins a format with zeros before short numbers: `custom 001` has three figures. */
const CUSTOM = 'custom ';

/** The format of the `format` of a custom one (section 17.9.17): its first number, as in `001, 002, 003, ...`. */
export function customFormat(numbers: string): string {
  return CUSTOM + (/^0{0,8}1(?=,|$)/.exec(numbers)?.[0] ?? '1');
}

const UNITS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
/** Word's numbers in words end below a million. */
const MAX_WORDS = 999_999;

/** A number in English words: twenty-one, one hundred one. */
function inWords(number: number): string | undefined {
  if (number < 0 || number > MAX_WORDS) return undefined;
  if (number < UNITS.length) return UNITS[number];
  const [size, name] = number < 100 ? [10, ''] : number < 1000 ? [100, ' hundred'] : [1000, ' thousand'];
  const [count, rest] = [Math.floor(number / size), number % size];
  const first = size === 10 ? (TENS[count - 2] ?? '') : (inWords(count) ?? '') + name;
  return rest === 0 ? first : `${first}${size === 10 ? '-' : ' '}${inWords(rest) ?? ''}`;
}

const IRREGULAR: Readonly<Record<string, string>> = {
  one: 'first',
  two: 'second',
  three: 'third',
  five: 'fifth',
  eight: 'eighth',
  nine: 'ninth',
  twelve: 'twelfth',
};

/** The ordinal of a number in words: twenty-first, thirtieth. */
function ordinalWord(words: string): string {
  return words.replace(/[a-z]+$/, (last) => IRREGULAR[last] ?? `${last.replace(/y$/, 'ie')}th`);
}

function capitalised(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function ordinalEnding(number: number): string {
  const teens = number % 100;
  if (teens >= 11 && teens <= 13) return 'th';
  return ['th', 'st', 'nd', 'rd'][number % 10] ?? 'th';
}

const ROMAN: readonly (readonly [value: number, letters: string])[] = [
  [1000, 'M'],
  [900, 'CM'],
  [500, 'D'],
  [400, 'CD'],
  [100, 'C'],
  [90, 'XC'],
  [50, 'L'],
  [40, 'XL'],
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
];

/** Roman numerals end where they would need a sign for 5000. */
const MAX_ROMAN = 3999;

function roman(number: number): string | undefined {
  if (number < 1 || number > MAX_ROMAN) return undefined;
  let rest = number;
  let letters = '';
  for (const [value, sign] of ROMAN) for (; rest >= value; rest -= value) letters += sign;
  return letters;
}

/** Alphabets whose letters are doubled behind the last, then trebled: z, aa, bb. */
const ALPHABETS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    lowerLetter: 'abcdefghijklmnopqrstuvwxyz',
    upperLetter: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
    russianLower: 'абвгдежзиклмнопрстуфхцчшщыэюя',
    russianUpper: 'АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЫЭЮЯ',
    chicago: '*†‡§',
  }),
);

/** Most repetitions of a letter. */
const MAX_REPEATS = 10;

function repeated(format: string, number: number): string | undefined {
  const letters = ALPHABETS.get(format);
  if (letters === undefined || number < 1 || number > letters.length * MAX_REPEATS) return undefined;
  return letters.charAt((number - 1) % letters.length).repeat(Math.ceil(number / letters.length));
}

/** Finite series, from 1. */
const SERIES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    decimalEnclosedCircle: '①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳',
    decimalEnclosedCircleChinese: '①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳',
    decimalEnclosedParen: '⑴⑵⑶⑷⑸⑹⑺⑻⑼⑽⑾⑿⒀⒁⒂⒃⒄⒅⒆⒇',
    decimalEnclosedFullstop: '⒈⒉⒊⒋⒌⒍⒎⒏⒐⒑⒒⒓⒔⒕⒖⒗⒘⒙⒚⒛',
    ideographTraditional: '甲乙丙丁戊己庚辛壬癸',
    ideographZodiac: '子丑寅卯辰巳午未申酉戌亥',
    aiueo: 'アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン',
    aiueoFullWidth:
      'アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン',
    iroha: 'イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン',
    irohaFullWidth:
      'イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン',
    ganada: '가나다라마바사아자차카타파하',
    chosung: 'ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ',
    hebrew2: 'אבגדהוזחטיכלמנסעפצקרשת',
    arabicAlpha: 'أبتثجحخدذرزسشصضطظعغفقكلمنهوي',
    arabicAbjad: 'أبجدهوزحطيكلمنسعفصقرشتثخذضظغ',
    thaiLetters: 'กขคงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮ',
  }),
);

function fromSeries(format: string, number: number): string {
  return SERIES.get(format)?.charAt(number - 1) ?? '';
}

interface Numerals {
  readonly digits: string;
  readonly tens: readonly string[];
  /** Cases in which ten, a hundred and a thousand have no one before them: a leading ten, or all. */
  readonly bare: 'none' | 'first' | 'all';
  /** The sign for omitted digits between others. */
  readonly gap: string;
}

const CHINESE: Numerals = {
  digits: '〇一二三四五六七八九',
  tens: ['', '十', '百', '千'],
  bare: 'first',
  gap: '零',
};
const JAPANESE: Numerals = { ...CHINESE, bare: 'all', gap: '' };
const SIMPLIFIED: Numerals = {
  digits: '零壹贰叁肆伍陆柒捌玖',
  tens: ['', '拾', '佰', '仟'],
  bare: 'none',
  gap: '零',
};

/** The formats of numerals up to thousands; the legal ones have more strokes, against forgery. */
const THOUSANDS: ReadonlyMap<string, Numerals> = new Map(
  Object.entries({
    chineseCounting: CHINESE,
    chineseCountingThousand: CHINESE,
    taiwaneseCountingThousand: CHINESE,
    japaneseCounting: JAPANESE,
    chineseLegalSimplified: SIMPLIFIED,
    ideographLegalTraditional: { ...SIMPLIFIED, digits: '零壹貳參肆伍陸柒捌玖' },
    japaneseLegal: { digits: '零壱弐参四伍六七八九', tens: ['', '拾', '百', '阡'], bare: 'none', gap: '' },
  }),
);

/** Chinese and Japanese numerals from 0 to 9999: 十二, 一百零五, 百五. */
function inThousands(format: string, number: number): string | undefined {
  const numerals = THOUSANDS.get(format);
  if (numerals === undefined || number < 0 || number > 9999) return undefined;
  const { digits, tens, bare, gap } = numerals;
  if (number === 0) return digits.charAt(0);
  const figures = String(number);
  let written = '';
  for (let at = 0; at < figures.length; at++) {
    const figure = figures.charAt(at);
    const place = tens[figures.length - 1 - at] ?? '';
    const isBare =
      figure === '1' &&
      place !== '' &&
      (bare === 'all' || (bare === 'first' && at === 0 && place === tens[1]));
    if (figure !== '0') written += (isBare ? '' : digits.charAt(Number(figure))) + place;
    else if (/[1-9]/.test(figures.slice(at + 1)) && figures.charAt(at - 1) !== '0') written += gap;
  }
  return written;
}
