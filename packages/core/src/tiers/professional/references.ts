// Words with which a sentence leans on the one before: pronouns, demonstratives and connectives, one entry a language.
// Closed and short on purpose: a word that as often as not refers to nothing (`there`, German `es`) is left out.
import { skipBlank, skipBlankBack } from '../../blocks/lines.ts';
import type { Span } from '../../document.ts';
import { sentences } from '../../sentences/index.ts';
import { splitsPair } from '../../unicode.ts';

/**
 * The words of a language, and for languages that share a script some words by which a text shows that it is in that
 * one: `Il` is a pronoun in French, an article in Italian.
 */
const LANGUAGES: readonly (readonly [words: string, signs?: string])[] = [
  [
    'its?|itself|they|them|theirs?|he|him|his|she|hers?|this|that|these|those|such|both|neither|the former|the latter|here|however|moreover|furthermore|therefore|thus|hence|consequently|accordingly|nevertheless|nonetheless|instead|otherwise|also|additionally|similarly|likewise|meanwhile|then|afterwards|besides|conversely|but|and|or|so|yet|still|for example|for instance|for this reason|in addition|in contrast|in other words|in particular|as a result|because of this|on the other hand|at that time',
    'the|of|and|is|was|to|in|it',
  ],
  [
    'er|sie|ihr|ihm|ihn|ihnen|ihre[mnrs]?|seine[mnrs]?|diese[mnrs]?|dies|jene[mnrs]?|solche[mnrs]?|deren|dessen|da(?:bei|durch|für|gegen|her|mit|nach|raus|rin|rum|von|zu)|dort|deshalb|deswegen|trotzdem|dennoch|jedoch|allerdings|außerdem|zudem|ferner|folglich|somit|hier(?:bei|zu|für)|hingegen|stattdessen|ebenso|auch|aber|denn|doch|sondern|und|oder|also|so|zum Beispiel|beispielsweise|aus diesem Grund',
    'der|die|das|und|ist|nicht|den|ein|sich',
  ],
  [
    "ils?|elles?|lui|leurs?|ce|cet|cette|ces|cela|ceci|cel(?:ui|le|les)-ci|ceux-ci|son|sa|ses|donc|ainsi|toutefois|cependant|néanmoins|pourtant|mais|or|car|et|ou|puis|ensuite|alors|aussi|également|de plus|en outre|en effet|en revanche|par conséquent|par exemple|c['’]est pourquoi",
    'les|des|est|et|une|dans|pour',
  ],
  [
    'él|ell[ao]s?|sus?|est[aeo]|est[ao]s|es[aeo]|es[ao]s|aquel|aquellas?|dich[ao]s?|además|asimismo|así|entonces|luego|pero|sino|y|o|también|tampoco|sin embargo|no obstante|por lo tanto|por tanto|por eso|por ello|por ejemplo|es decir|en cambio|en consecuencia',
    'los|las|el|del|que|y',
  ],
  [
    'он|она|оно|они|его|е[её]|их|ему|им|эт[аио]|этот|этого|этой|тот|та|те|так(?:ой|ая|ое|ие)|поэтому|однако|кроме того|также|тоже|затем|потом|тогда|но|и|а|или|при этом|таким образом|например|следовательно|тем не менее|в результате|вместо этого',
  ],
  [
    'هو|هي|هم|هذا|هذه|ذلك|تلك|هؤلاء|لكن|ولكن|لذلك|ولذلك|كما|أيضا|أيضًا|وهو|وهي|ثم|وبالتالي|ومع ذلك|على سبيل المثال',
  ],
  ['यह|ये|वह|वे|इस|इन|उस|उन|इसके|इसका|इसकी|उसके|उनके|इसलिए|लेकिन|परंतु|किंतु|और|तथा|हालाँकि|हालांकि|फिर|उदाहरण के लिए'],
  [
    '이|그|저|이것[은이]?|그것[은이]?|이는|그는|그녀는|이들은|그들은|이러한|그러한|이런|그런|그러나|하지만|따라서|그래서|그러므로|그리고|또한|즉|반면|예를 들어|이로 인해',
  ],
];

/** Chinese and Japanese words, which no blank ends. */
const WITHOUT_BLANKS =
  '[它他她这這那此该該]|其(?![他它中余餘实實次])|因此|因而|所以|但|然而|不[过過]|而且|另外|[于於]是|例如|例えば|[并並]且|[こそあ](?:れ|の|こ)|[こそ]う|彼|しかし|だが|また(?!た)|そして|したがって|従って|よって|ただし|なお|さらに|つまり|たとえば|ところが|一方';

/** Units of an opening that are read, and units on both sides of it that show the language. */
const OPENING = 60;
const AROUND = 250;
/** Units up to which a sentence is looked for backward. */
const LONGEST_SENTENCE = 500;
/** What a list or a quote puts before a sentence. */
const MARKS = /^(?:(?:[-*+>•]|\d{1,3}[.)])\s+)+/;

let patterns: readonly (readonly [opening: RegExp, signs: RegExp | undefined])[] | undefined;

function openings(): readonly (readonly [opening: RegExp, signs: RegExp | undefined])[] {
  return (patterns ??= [
    ...LANGUAGES.map(
      ([words, signs]) => [word(words, '^'), signs === undefined ? undefined : word(signs)] as const,
    ),
    [new RegExp(`^(?:${WITHOUT_BLANKS})`, 'u'), undefined],
  ]);
}

function word(words: string, before = '(?<![\\p{L}\\p{M}])'): RegExp {
  return new RegExp(`${before}(?:${words.replaceAll(' ', '\\s+')})(?![\\p{L}\\p{M}\\p{N}])`, 'iu');
}

/** True when what begins at `at` leans, by its first words, on what stands before it. */
export function refersBack(text: string, at: number): boolean {
  const opening = text.slice(at, at + OPENING).replace(/^(?:\d{1,3}[.)]|[\s\p{P}\p{S}])+/u, '');
  return openings().some(
    ([words, signs]) =>
      words.test(opening) && signs?.test(text.slice(Math.max(0, at - AROUND), at + AROUND)) !== false,
  );
}

/** The last sentence of [from, to) without list marks; `undefined` when it is too long to be found. */
export function lastSentence(text: string, from: number, to: number): Span | undefined {
  const end = skipBlankBack(text, from, to);
  let reach = Math.max(from, end - LONGEST_SENTENCE);
  if (splitsPair(text, reach)) reach++;
  const start = sentences(text, reach, end).offsets.at(-2) ?? reach;
  if (start >= end || (start === reach && reach > from)) return undefined;
  const begin = skipBlank(text, start, end);
  const [marks = ''] = MARKS.exec(text.slice(begin, end)) ?? [];
  return { start: begin + marks.length, end };
}
