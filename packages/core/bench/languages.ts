// Texts in languages that the corpora lack, made when the bench runs: words of random syllables in the letters of the
// language, so that as many characters occur as in a book, and around them what real texts have beside words: ends of
// sentences, abbreviations, figures, quotations, brackets, names in Latin letters, numbered headings.
import { random } from './corpora.ts';

export type Language = 'Vietnamese' | 'Greek' | 'Arabic' | 'Hindi' | 'Korean' | 'Japanese';

type Draw = (bound: number) => number;

interface Recipe {
  readonly syllable: (draw: Draw) => string;
  /** The most that a word has. */
  readonly syllables: number;
  readonly blank: string;
  /** True where a sentence begins with a capital. */
  readonly hasCapitals: boolean;
  /** Words of a sentence, on average. */
  readonly words: number;
  /** Ends of statements, with the end of their last word, and the end of one sentence in sixteen. */
  readonly ends: readonly string[];
  readonly others: readonly string[];
  readonly comma: string;
  /** Text in the middle of one sentence in four. */
  readonly asides: readonly string[];
}

const LATIN_NAMES = ['Linux', 'PDF', 'GNU/Linux 6.1', 'http://www.example.org/a.html', 'UTF-8', 'config.txt'];

const RECIPES: Readonly<Record<Language, Recipe>> = {
  Vietnamese: {
    syllable: syllables(
      'b c ch d đ g gi h kh l m n ng nh ph qu s t th tr v x',
      'a à ả ã á ạ ai ào ăn ắt âm ập e ẻ em ê ề ệ ên i ì iên iệu o ó ò ọc ô ổ ộ ông ờ ở ơn u ủ ung ư ữ ước ương',
    ),
    syllables: 1,
    blank: ' ',
    hasCapitals: true,
    words: 22,
    ends: ['.'],
    others: ['?', '!', '...'],
    comma: ',',
    asides: ['(v.d. 3.5 GB)', '“tệp mới”', 'trang 12', 'TP. Huế', 'v.v.', ...LATIN_NAMES],
  },
  Greek: {
    syllable: syllables(
      'β γ δ ζ θ κ λ μ ν ξ π ρ σ τ φ χ ψ στ πρ τρ μπ ντ',
      'α ά ε έ η ή ι ί ο ό υ ύ ω ώ ου αι ει οι αν εν ος ας ης',
    ),
    syllables: 4,
    blank: ' ',
    hasCapitals: true,
    words: 16,
    ends: ['.'],
    others: [';', '!', '...'],
    comma: ',',
    asides: ['(π.χ. 3.5 GB)', '«νέο αρχείο»', 'σελ. 12', 'κ.λπ.', ...LATIN_NAMES],
  },
  Arabic: {
    syllable: syllables('ا ب ت ث ج ح خ د ذ ر ز س ش ص ط ع غ ف ق ك ل م ن ه و ي', 'ا ي و ل م ن ر ت ة ه ب د'),
    syllables: 3,
    blank: ' ',
    hasCapitals: false,
    words: 14,
    ends: ['.'],
    others: ['؟', '!', '…'],
    comma: '،',
    asides: ['(مثل 3.5 غ.ب.)', '”ملف جديد“', 'ص. 12', 'د. علي', ...LATIN_NAMES],
  },
  Hindi: {
    syllable: syllables(
      'क ख ग घ च छ ज ट ड त थ द ध न प फ ब भ म य र ल व श स ह प्र स्त क्ष',
      'ा ि ी ु ू े ै ो ौ ं ें र न त',
    ),
    syllables: 3,
    blank: ' ',
    hasCapitals: false,
    words: 14,
    ends: [' है।', ' हैं।', ' था।', ' करें।', ' करें.', ' है.', ' होगा।'],
    others: [' क्यों?', '!'],
    comma: ',',
    asides: ['(जैसे 3.5 GB)', '“नई फ़ाइल”', 'पृ. 12', 'डॉ. राम', ...LATIN_NAMES],
  },
  Korean: {
    syllable: (draw) => {
      const final = draw(2) === 0 ? 0 : [1, 4, 8, 16, 17, 20, 21][draw(7)];
      return String.fromCharCode(0xac00 + 588 * draw(19) + 28 * draw(21) + (final ?? 0));
    },
    syllables: 4,
    blank: ' ',
    hasCapitals: false,
    words: 11,
    ends: ['합니다.', '있습니다.', '됩니다.', '하십시오.', '한다.', '이다.', '있어요.'],
    others: ['까요?', '나?', '네!'],
    comma: ',',
    asides: [
      '6.3.4절. “새 파일” 참고',
      '(예를 들어 3.5 GB)',
      '“새 파일”',
      '2024. 3. 15.',
      '다른',
      '필요',
      ...LATIN_NAMES,
    ],
  },
  Japanese: {
    syllable: (draw) => String.fromCharCode(draw(3) === 0 ? 0x4e00 + draw(3000) : 0x3042 + draw(76)),
    syllables: 4,
    blank: '',
    hasCapitals: false,
    words: 14,
    ends: ['です。', 'ます。', 'ました。', 'である。', 'ください。'],
    others: ['か？', '！', '……'],
    comma: '、',
    asides: ['「新しい」', '（3.5 GB）', ...LATIN_NAMES],
  },
};

/** A syllable is one of the first list, then one of the second. */
function syllables(onsets: string, rhymes: string): (draw: Draw) => string {
  const [first, second] = [onsets.split(' '), rhymes.split(' ')];
  return (draw) => `${pick(draw, first)}${pick(draw, second)}`;
}

const pick = (draw: Draw, parts: readonly string[]): string => parts[draw(parts.length)] ?? '';

/** Sections of a heading and some paragraphs, of about so many units; the same for the same number. */
export function textIn(language: Language, units: number): string {
  const recipe = RECIPES[language];
  const draw = random(20261123);
  const blocks: string[] = [];
  let size = 0;
  const add = (block: string): void => {
    blocks.push(block);
    size += block.length + 2;
  };
  for (let section = 1; size < units; section++) {
    add(`${1 + (section >> 4)}.${1 + (section & 15)}. ${begin(recipe, words(recipe, draw, 2 + draw(4)))}`);
    for (let paragraphs = 1 + draw(5); paragraphs > 0; paragraphs--)
      add(Array.from({ length: 1 + draw(6) }, () => sentence(recipe, draw)).join(recipe.blank));
  }
  return Buffer.from(blocks.join('\n\n')).toString();
}

function sentence(recipe: Recipe, draw: Draw): string {
  const count = 2 + draw(2 * recipe.words - 3);
  const first = 1 + draw(count - 1);
  const clause = words(recipe, draw, first);
  const parts = [draw(2) === 0 ? clause : `${clause}${recipe.comma}`, words(recipe, draw, count - first)];
  if (draw(4) === 0) parts.splice(1, 0, pick(draw, recipe.asides));
  const text = parts.join(recipe.blank);
  return `${begin(recipe, text)}${pick(draw, draw(16) === 0 ? recipe.others : recipe.ends)}`;
}

const begin = ({ hasCapitals }: Recipe, text: string): string =>
  hasCapitals ? `${text.charAt(0).toUpperCase()}${text.slice(1)}` : text;

function words({ syllable, syllables: most, blank }: Recipe, draw: Draw, count: number): string {
  return Array.from({ length: count }, () => {
    let word = '';
    for (let left = 1 + draw(most); left > 0; left--) word += syllable(draw);
    return word;
  }).join(blank);
}
