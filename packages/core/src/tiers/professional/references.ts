// Words with which a sentence leans on the one before: pronouns, demonstratives and connectives, one line a language.
// Closed and short on purpose: a word that as often as not refers to nothing (`there`, German `es`) is left out.
import { skipBlankBack } from '../../blocks/lines.ts';
import type { Span } from '../../document.ts';
import { sentences } from '../../sentences/index.ts';
import { splitsPair } from '../../unicode.ts';

const WORDS = [
  'its?|the(?:y|m|irs?|se|n)|th(?:is|at|ose|us)|he|him|his|she|hers?|such|both|but|also|so|however|moreover|further(?:more)?|therefore|hence|instead|otherwise|similarly|nevertheless|consequently|for example|in addition|in contrast|as a result',
  'er|sie|ih[mnr]|ihnen|ihre[mnrs]?|diese[mnrs]?|dies|da(?:bei|durch|für|gegen|her|mit|nach|raus|rin|von|zu)|deshalb|deren|dessen|dennoch|trotzdem|jedoch|allerdings|außerdem|zudem|somit|aber|auch|denn|zum beispiel',
  // `Il` before anything else is an article of Italian.
  "ils|il(?= (?:est|a|ne|se|peut|doit|était|fut)\\b| [ns]['’])|elles?|ce(?:t|tte|s|la|ci)?|donc|ainsi|cependant|toutefois|pourtant|mais|leurs?|de plus|en effet|en outre|par exemple",
  'él|ell[ao]s?|est[aeo]s?|estos|es[aeo]s?|esos|su|además|así|entonces|pero|también|sin embargo|por (?:eso|ello|lo tanto|ejemplo)',
  'он[аои]?|его|е[её]|их|это[тй]?|этого|эт[аи]|поэтому|однако|также|но|затем|кроме того|таким образом|например',
  'هو|هي|هم|هذا|هذه|ذلك|تلك|لكن|ولكن|لذلك|كما|وهو|وهي|ثم',
  'यह|ये|वह|वे|इ[सन]|उ[सन]|इसके|उनके|इसलिए|लेकिन|और|फिर',
  '이|그|이는|그는|그녀는|이것은|이러한|그러나|하지만|따라서|그래서|그리고|또한|예를 들어',
].join('|');

/** Chinese and Japanese words, which no blank ends. */
const WITHOUT_BLANKS =
  '[它他她这這那此该該彼]|其(?![他它中余餘实實次])|因此|所以|但|然而|不[过過]|而且|于是|於是|例如|[こそ][れの]|しかし|また(?!た)|そして|したがって|ただし|さらに|つまり';

let openings: RegExp | undefined;

/** True when what begins at `at` leans, by its first words, on what stands before it. */
export function refersBack(text: string, at: number): boolean {
  openings ??= new RegExp(
    `^(?:\\d+[.)]|[\\s\\p{P}\\p{S}])*(?:(?:${WORDS})(?![\\p{L}\\p{M}\\d])|${WITHOUT_BLANKS})`,
    'iu',
  );
  return openings.test(text.slice(at, at + OPENING));
}

/** Units of an opening that are read, and units up to which a sentence is looked for backward. */
const OPENING = 60;
const LONGEST_SENTENCE = 500;

/** The last sentence of [from, to) without list marks; `undefined` when it is too long to be found. */
export function lastSentence(text: string, from: number, to: number): Span | undefined {
  const end = skipBlankBack(text, from, to);
  let reach = Math.max(from, end - LONGEST_SENTENCE);
  if (splitsPair(text, reach)) reach++;
  const start = sentences(text, reach, end).offsets.at(-2) ?? reach;
  if (start === reach && reach > from) return undefined;
  const marks = /^(?:\s|[-*+>•]\s|\d+[.)]\s)*/.exec(text.slice(start, end))?.[0].length ?? 0;
  return { start: start + marks, end };
}
