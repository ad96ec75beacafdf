// Words by which a sentence refers to the one before: pronouns, demonstratives and connectives, one line for each
// language. The lists are short on purpose: a word that as often as not refers to nothing (`there`, German `es`) is
// left out.
import { skipBlankBack } from '../../blocks/lines.ts';
import type { Span } from '../../document.ts';
import { sentences } from '../../sentences/scan.ts';
import { splitsPair } from '../../unicode.ts';

const WORDS = [
  'its?|the(?:y|m|irs?|se|n)|th(?:is|at|ose|us)|he|him|his|she|hers?|such|both|but|also|so|however|moreover|therefore|hence|instead|otherwise|for example|in addition|as a result',
  'er|sie|ih[mnr]e?|diese[mnrs]?|da(?:bei|durch|für|her|mit|nach|von|zu)|de(?:shalb|ren|ssen|nnoch)|jedoch|allerdings|außerdem|zudem|somit|aber|auch|zum beispiel',
  // French `il` counts only before a verb; before anything else it may be the Italian article.
  'ils|il(?= (?:est|a|ne|se|fut|peut|doit)\\b)|elles?|ce(?:t|tte|s|la|ci)?|donc|ainsi|cependant|toutefois|mais|leurs?|de plus|en effet|par exemple',
  'él|ell[ao]s?|es(?:t?[aeo]|t?[ao]s)|además|así|pero|también|sin embargo|por (?:eso|ello|lo tanto|ejemplo)',
  'он[аои]?|е(?:го|[её])|их|это[тй]?|эт[аи]|поэтому|однако|также|но|кроме того|например',
  'هو|هي|هم|هذا|هذه|ذلك|تلك|لكن|لذلك|كما',
  'यह|ये|वह|वे|इस|उ[सन]|लेकिन|इसलिए|और',
  '이|그|이는|그는|이것은|이러한|그러나|하지만|따라서|그리고|또한',
].join('|');

/** Words of Chinese and Japanese, which need no blank behind them. */
const WITHOUT_BLANKS =
  '[它他她这這那此该該彼]|其(?![他中余餘实實])|因此|所以|但|然而|而且|例如|[こそ][れの]|しかし|また(?!た)|そして|さらに';

let openings: RegExp | undefined;

/** True when the text at `at` begins with words that refer to what stands before. */
export function refersBack(text: string, at: number): boolean {
  openings ??= new RegExp(
    `^(?:\\d+[.)]|[\\s\\p{P}\\p{S}])*(?:(?:${WORDS})(?![\\p{L}\\p{M}\\d])|${WITHOUT_BLANKS})`,
    'iu',
  );
  return openings.test(text.slice(at, at + OPENING));
}

/** Units of a beginning that are read, and the most units of a sentence that is looked for backward. */
const OPENING = 60;
const LONGEST_SENTENCE = 500;

/** The last sentence of [from, to) without list marks; `undefined` when it is too long. */
export function lastSentence(text: string, from: number, to: number): Span | undefined {
  const end = skipBlankBack(text, from, to);
  let reach = Math.max(from, end - LONGEST_SENTENCE);
  if (splitsPair(text, reach)) reach++;
  const start = sentences(text, reach, end).offsets.at(-2) ?? reach;
  if (start === reach && reach > from) return undefined;
  const marks = /^(?:\s|[-*+>•]\s|\d+[.)]\s)*/.exec(text.slice(start, end))?.[0].length ?? 0;
  return { start: start + marks, end };
}
