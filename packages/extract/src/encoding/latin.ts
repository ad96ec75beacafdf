// Detects which encoding of Latin letters a text is in. Detectors use the frequency of neighbouring bytes in each
// language, and have few data for DOS and the Macintosh. In the wrong one of these encodings a word has capitals,
// quotation marks or signs in its middle (`cafŽ`, `caf‚`), which no language has. So this file scores the position of
// each letter and sign beyond ASCII.

/** Letters of Western Europe, those of most texts first; then those of Central Europe and Turkey. */
const WESTERN = 'éèàäöüáíóñçåøßã';
const WESTERN_TOO = 'êâôîûùëïúõæìò';
const CENTRAL = 'ąćęłńóśźżáčďéěíňřšťúůýžöüőűăâîșțşţđığçä';

/** The letters that belong to an encoding, with the score of each in a letter's position. */
export type Alphabet = ReadonlyMap<string, number>;

const weigh = (letters: string, weight: number): (readonly [string, number])[] =>
  Array.from(letters, (letter) => [letter, weight] as const);

export const WESTERN_EUROPE: Alphabet = new Map([
  ...weigh(WESTERN, 3),
  ...weigh(WESTERN_TOO, 2),
  ...weigh('œýšž', 0.5),
]);
export const CENTRAL_EUROPE: Alphabet = new Map(weigh(CENTRAL, 2.5));

const RARE_LETTER = -1;
const NO_PLACE = -4;

/** Signs that stand beside figures and words in common texts, or alone. */
const COMMON_SIGNS = '£§°©®™±×÷½¼¾²³µ·•…€¢¥ªº¿¡';
/** Those of them that stand right beside a word. */
const SIGNS_OF_WORDS = '°©®™²³·•…ªº¿¡§×µ';
/** Frames and bars of DOS, which stand beside one another. */
const FRAME = /[\u2500-\u25a0]/;
const ALONE = /[│║█■]/;

const LETTER = /\p{L}/u;
const UPPER = /\p{Lu}/u;
const LOWER = /\p{Ll}/u;

/**
 * The score of a text's signs beyond ASCII in their positions: about 3 for each plausible one, below 0 for each
 * implausible one.
 */
export function latinScore(text: string, alphabet: Alphabet): number {
  let score = 0;
  for (const found of text.matchAll(/[^\0-\x7f]/g)) {
    const { index } = found;
    score += scoreOf(found[0], text.charAt(index - 1), text.charAt(index + 1), alphabet);
  }
  return score;
}

function scoreOf(sign: string, before: string, after: string, alphabet: Alphabet): number {
  if (sign < '\u00a0') return NO_PLACE;
  if (sign !== 'µ' && sign !== 'ª' && sign !== 'º' && sign !== 'ƒ' && LETTER.test(sign))
    return ofLetter(sign, before, after, alphabet);
  const isAfterLetter = LETTER.test(before);
  const isBeforeLetter = LETTER.test(after);
  if (sign === '’' || sign === '‘') {
    const isClosing = sign === '’' && !isBeforeLetter && before.trim() !== '';
    const isOpening = !isAfterLetter && isBeforeLetter;
    return (isAfterLetter && isBeforeLetter && sign === '’') || isClosing || isOpening ? 3.5 : -1;
  }
  if ('“„‚”‹›«»'.includes(sign))
    return isAfterLetter && isBeforeLetter ? NO_PLACE : ofQuote(sign, before, after);
  if ('–—\u00ad\u00a0'.includes(sign)) return 2.5;
  if (FRAME.test(sign)) return isInFrame(sign, before, after) ? 2 : -1;
  if (isAfterLetter && isBeforeLetter) return NO_PLACE;
  const isAtHome =
    COMMON_SIGNS.includes(sign) && (SIGNS_OF_WORDS.includes(sign) || !(isAfterLetter || isBeforeLetter));
  return isAtHome ? 1 : -1.5;
}

/** A corner of a frame has a line beside it; a side or a block stands alone. */
const isInFrame = (sign: string, before: string, after: string): boolean =>
  FRAME.test(before) ||
  FRAME.test(after) ||
  (ALONE.test(sign) && before.trim() === '' && after.trim() === '');

const LOW_QUOTES = '„‚';
/** Characters with which no quotation begins. */
const NO_BEGINNING = /^$|[\s,;:!?)\]]/;

/** An opening mark stands before a word, a closing one behind; in French both have blanks beside them. */
function ofQuote(sign: string, before: string, after: string): number {
  if (!LETTER.test(before) && !NO_BEGINNING.test(after)) return 2.5;
  if (LOW_QUOTES.includes(sign)) return -2;
  if (before.trim() !== '' && !LETTER.test(after)) return 2.5;
  return (sign === '«' && before.trim() === '') || (sign === '»' && !LETTER.test(after)) ? 1 : 0;
}

function ofLetter(sign: string, before: string, after: string, alphabet: Alphabet): number {
  const weight = alphabet.get(sign.toLowerCase()) ?? RARE_LETTER;
  // No word has a letter three times in a row; a frame has.
  if (before === sign && after === sign) return RARE_LETTER;
  const isAfterLetter = LETTER.test(before);
  if (!isAfterLetter && !LETTER.test(after))
    return weight < 2 || /[\d.:;,]/.test(before + after) ? -1.5 : 0.5;
  if (UPPER.test(sign)) {
    if (LOWER.test(before)) return NO_PLACE;
    return isAfterLetter && LOWER.test(after) ? NO_PLACE / 2 : Math.min(weight, 1.5);
  }
  // `éWort` and `ABéC`: capitals go on as capitals.
  if (UPPER.test(after) || (UPPER.test(before) && UPPER.test(after))) return NO_PLACE / 2;
  return weight;
}
