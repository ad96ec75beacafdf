// Fonts of symbols → the characters that they show. Their letters have no meaning of their own: `a` in Symbol is alpha,
// and U+F061 is the same letter.

/** Adobe's Symbol encoding from 0x21 on; `·` outside its own position marks an unused code. */
const SYMBOL =
  '!∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼';
const SYMBOL_HIGH =
  '€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊⟨®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\u0000⟩∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭';

/** The usual characters of Wingdings: bullets, boxes, ticks, arrows. */
const WINGDINGS: Readonly<Record<number, string>> = {
  0x22: '✂',
  0x28: '☎',
  0x2a: '✉',
  0x36: '⌛',
  0x4a: '☺',
  0x4b: '😐',
  0x4c: '☹',
  0x6c: '●',
  0x6e: '■',
  0x6f: '☐',
  0x70: '❐',
  0x71: '❑',
  0x72: '❒',
  0x73: '⬧',
  0x74: '⧫',
  0x75: '◆',
  0x76: '❖',
  0x77: '⬥',
  0x78: '☒',
  0x9f: '•',
  0xa0: '▪',
  0xa1: '○',
  0xa7: '▪',
  0xa8: '☐',
  0xab: '★',
  0xd8: '➢',
  0xdf: '←',
  0xe0: '→',
  0xe1: '↑',
  0xe2: '↓',
  0xe7: '←',
  0xe8: '➔',
  0xe9: '↑',
  0xea: '↓',
  0xef: '⇦',
  0xf0: '⇨',
  0xf1: '⇧',
  0xf2: '⇩',
  0xf3: '⇔',
  0xfb: '✗',
  0xfc: '✓',
  0xfd: '☒',
  0xfe: '☑',
};

const WINGDINGS_2: Readonly<Record<number, string>> = {
  0x4f: '✗',
  0x50: '✓',
  0x51: '☒',
  0x52: '☑',
  0x53: '☒',
  0x54: '☒',
  0x96: '•',
  0x97: '●',
  0xa3: '☐',
  0xe7: '▪',
};

/** The character that a font shows for a code; `undefined` for ordinary fonts and unknown codes. */
function characterOf(font: string, code: number): string | undefined {
  const place = code >= 0xf000 && code <= 0xf0ff ? code - 0xf000 : code;
  switch (font.toLowerCase()) {
    case 'symbol':
      return place >= 0xa0 ? SYMBOL_HIGH[place - 0xa0] : SYMBOL[place - 0x21];
    case 'wingdings':
      return WINGDINGS[place];
    case 'wingdings 2':
      return WINGDINGS_2[place];
    default:
      return undefined;
  }
}

/** A `<w:sym>`; an unknown one is dropped, because its code has no meaning. */
export function symbolOf(font: string, hexadecimal: string): string {
  const code = Number.parseInt(hexadecimal, 16);
  if (Number.isNaN(code)) return '';
  const character = characterOf(font, code);
  if (character !== undefined) return character;
  return code >= 0xe000 && code <= 0xf8ff ? '' : String.fromCharCode(code);
}

const PRIVATE = /[\uf020-\uf0ff]/;
const PRIVATE_ALL = /[\uf020-\uf0ff]/g;
const SYMBOL_FONT = /^(?:symbol|wingdings(?: 2)?)$/i;

/** Text of a run in its font. Only letters of the private area count as symbols in text. */
export function textInFont(text: string, font: string): string {
  if (!SYMBOL_FONT.test(font) || !PRIVATE.test(text)) return text;
  return text.replace(PRIVATE_ALL, (character) => characterOf(font, character.charCodeAt(0)) ?? '');
}
