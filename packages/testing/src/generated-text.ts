// Pages of text that no author has written: headings, paragraphs of several sentences with words of their own topic,
// numbers and names.

const TOPICS = [
  'harbour vessel anchor sailor current lighthouse captain cargo',
  'flour oven dough yeast crust baker kneading loaf',
  'court judge verdict appeal lawyer witness hearing clerk',
  'engine piston valve cylinder exhaust gasket throttle mechanic',
  'garden seedling compost orchard blossom harvest gardener trellis',
  'ledger invoice auditor balance payment discount customer account',
].map((words) => words.split(' '));
const VERBS = ['holds', 'follows', 'replaces', 'requires', 'precedes', 'explains', 'limits', 'supports'];
const NAMES = ['Marlowe', 'Adeyemi', 'Lindqvist', 'Okafor', 'Castellano', 'Hartmann'];
/** UTF-16 units that a page counts for. */
const PAGE = 2200;

/** A number as a word of its own, a letter for each digit: texts that differ in numbers alone are embedded once. */
export function wordOf(number: number): string {
  return Array.from(String(number), (digit) => 'adeilnorst'[Number(digit)] ?? '').join('');
}

/** About so many pages of Markdown; the same for the same number. */
export function pagesOf(pages: number): string {
  let state = 12_345;
  const draw = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
  const pick = <Item>(items: readonly Item[]): Item => items[draw(items.length)] as Item;
  const sentence = (topic: readonly string[]): string => {
    const [a, b, c] = [pick(topic), pick(topic), pick(topic)];
    switch (draw(4)) {
      case 0:
        return `The ${a} ${pick(VERBS)} the ${b} when the ${c} is ready, which ${pick(NAMES)} had noted before.`;
      case 1:
        return `In ${1900 + draw(120)} the ${a} was given to ${pick(NAMES)} together with ${2 + draw(90)} parts of the ${b}.`;
      case 2:
        return `Whoever keeps a ${a} knows that it ${pick(VERBS)} every ${b} and sometimes also the ${c}.`;
      default:
        return `A ${a} without a ${b} ${pick(VERBS)} nothing, so the ${c} comes first.`;
    }
  };
  const parts: string[] = [];
  let length = 0;
  for (let section = 0; length < pages * PAGE; section++) {
    const topic = TOPICS[section % TOPICS.length] ?? [];
    const lines = [
      `${section % 4 === 0 ? '#' : '##'} The ${pick(topic)} and the ${pick(topic)}, part ${section + 1}`,
    ];
    for (let paragraphs = 3 + draw(4); paragraphs > 0; paragraphs--)
      lines.push(Array.from({ length: 3 + draw(5) }, () => sentence(topic)).join(' '));
    const text = lines.join('\n\n');
    parts.push(text);
    length += text.length + 2;
  }
  return parts.join('\n\n');
}
