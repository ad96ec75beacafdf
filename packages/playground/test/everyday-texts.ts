// Texts of everyday kinds: lists, headings and short sentences, as newcomers try a service with.

const ITEMS =
  'milk bread butter eggs apples rice salt sugar flour onions carrots cheese tea oats soap jam'.split(' ');
const numbered = (line: (item: string, number: number) => string): string =>
  ITEMS.map((item, at) => line(item, at + 1)).join('\n');
const spaced = (line: (item: string, number: number) => string): string =>
  ITEMS.map((item, at) => line(item, at + 1)).join('\n\n');

/** A text with the name of its file. */
export interface EverydayText {
  readonly filename: string;
  readonly text: string;
}

/** Texts of twenty kinds and more, by kind. */
export const EVERYDAY_TEXTS: Readonly<Record<string, EverydayText>> = {
  'shopping list': { filename: 'shopping.txt', text: numbered((item) => `- ${item}`) },
  'plain lines': { filename: 'lines.txt', text: numbered((item) => item) },
  faq: {
    filename: 'faq.md',
    text: spaced((item) => `## Where is the ${item}?\n\nAsk at the counter.`),
  },
  glossary: {
    filename: 'glossary.md',
    text: Array.from({ length: 20 }, (_, at) => `## Term ${at + 1}\n\nOne line.`).join('\n\n'),
  },
  minutes: {
    filename: 'minutes.md',
    text: [
      '# Minutes, 4 May',
      'Present: Ada, Ben, Cleo. Absent: Dan.',
      '## Budget',
      'Ada reports. Nobody objects. Passed.',
      '## Roof',
      'Ben got three offers. The cheapest is 4,000. Cleo will call.',
      '## Summer party',
      'Date: 12 July. Music: none. Cake: Dan.',
      '## Next meeting',
      '1 June, 6 pm, at Ada’s.',
    ].join('\n\n'),
  },
  recipe: {
    filename: 'pancakes.md',
    text: `# Pancakes\n\n## Ingredients\n\n- 200 g flour\n- 3 eggs\n- 300 ml milk\n- salt\n- butter\n\n## Steps\n\n1. Beat the eggs.\n2. Add milk.\n3. Sift flour.\n4. Stir.\n5. Rest for an hour.\n6. Heat butter.\n7. Fry both sides.\n8. Eat.`,
  },
  changelog: {
    filename: 'CHANGELOG.md',
    text: [3, 2, 1]
      .map(
        (version) =>
          `## ${version}.0.0\n\n### Added\n\n- Dark mode.\n- Export.\n- Undo.\n\n### Fixed\n\n- Crash at start.\n- Wrong dates.\n- Slow search.`,
      )
      .join('\n\n'),
  },
  poem: {
    filename: 'poem.txt',
    text: 'The tide comes in,\nthe tide goes out,\nthe gulls begin\nto wheel about.\n\nA boat lies still,\na rope hangs slack,\nup on the hill\na dog runs back.\n\nThe lamp is lit,\nthe door is shut,\nwe two here sit\nwithin the hut.',
  },
  cv: {
    filename: 'cv.md',
    text: '# Ada Byron\n\nMathematician. London.\n\n## Work\n\n- 1842: translator\n- 1843: author\n- 1844: adviser\n- 1845: tutor\n\n## Schools\n\n- Home\n- Private lessons\n\n## Languages\n\n- English\n- French\n- Italian\n\n## Interests\n\nHorses. Music. Flight.',
  },
  letter: {
    filename: 'letter.txt',
    text: 'Dear Ben,\n\nThanks for the cake. It was good. We ate it all. Even Dan had some. He never does.\n\nThe roof leaks. Rain is due. Call me soon. Bring a ladder. Bring nails too.\n\nGreet Cleo. Kiss the cat.\n\nYours,\nAda',
  },
  'price list': {
    filename: 'prices.txt',
    text: numbered((item, number) => `${item}\t${number}.50`),
  },
  agenda: {
    filename: 'agenda.txt',
    text: numbered((item, number) => `${8 + (number % 10)}:00 Talk about ${item}`),
  },
  dialogue: {
    filename: 'dialogue.txt',
    text: numbered((item, number) =>
      number % 2 === 0 ? `Ben: Yes, ${item} too.` : `Ada: Do we need ${item}?`,
    ),
  },
  'step list': {
    filename: 'steps.txt',
    text: numbered((item, number) => `${number}. Take the ${item}.`),
  },
  'log lines': {
    filename: 'server.log',
    text: numbered((item, number) => `2026-05-04T10:${10 + number}:00Z INFO ${item} stocked`),
  },
  table: {
    filename: 'table.md',
    text: `| item | stock |\n| --- | --- |\n${numbered((item, number) => `| ${item} | ${number} |`)}`,
  },
  csv: { filename: 'stock.csv', text: `item,stock\n${numbered((item, number) => `${item},${number}`)}` },
  'code with comments': {
    filename: 'stock.py',
    text: spaced((item, number) => `# Counts the ${item}.\ndef count_${item}():\n    return ${number}`),
  },
  'bullet notes': {
    filename: 'notes.md',
    text: `# Notes\n\n${numbered((item, number) => `${number % 3 === 0 ? '  ' : ''}* ${item}: check`)}`,
  },
  definitions: {
    filename: 'definitions.txt',
    text: spaced((item) => `${item.toUpperCase()}\nGoods of the shop.`),
  },
  addresses: {
    filename: 'addresses.txt',
    text: spaced((item, number) => `${item} & Sons\n${number} High Street\nOldtown`),
  },
  'short news': {
    filename: 'news.txt',
    text: spaced((item) => `Prices of ${item} rise. Shoppers grumble. Farmers cheer.`),
  },
  'short sentences': {
    filename: 'sentences.txt',
    text: ITEMS.map((item) => `Buy ${item}.`).join(' '),
  },
};
