// Text with one entry a line: bibliographies, glossaries, change logs, addresses. Chunks end where entries end.
import { chunkSync, type ChunkSyncOptions } from '@grainline/core';
import { describe, expect, it } from 'vitest';
import { random } from '../bench/corpora.ts';
import { entriesIn } from '../src/pack/entries.ts';

const WORDS =
  'harbour tide pilot board ship beyond bar water moon spring neap flood channel buoy anchor chart depth current wind gale coast light signal rope sail keel hull mast deck crew cargo port quay crane dredger estuary delta river marsh island reef storm wave swell fog lamp bell compass sounding survey lock canal weir ferry'.split(
    ' ',
  );
const NAMES =
  'Adams Brook Castro Dubois Eriksen Fischer Garcia Haugen Ito Jansen Keller Lindqvist Moreau Novak Okafor Petrov Quinn Rossi Silva Tanaka Ueda Vogel Walsh Young Zhang'.split(
    ' ',
  );

/** Writes the entries of one document, from a seed. */
type Writer = (pick: (words: readonly string[]) => string, number: (limit: number) => number) => string;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function phrase(pick: Parameters<Writer>[0], count: number): string {
  return Array.from({ length: count }, () => pick(WORDS)).join(' ');
}

const WRITERS: Readonly<Record<string, Writer>> = {
  'a bibliography by author and year': (pick, number) =>
    `${pick(NAMES)}, ${pick(['A.', 'B. C.', 'D.'])}, & ${pick(NAMES)}, E. (${1950 + number(75)}). ${capital(phrase(pick, 3))}: ${capital(phrase(pick, 4 + number(9)))}. Journal of ${capital(pick(WORDS))} Studies, ${1 + number(80)}(${1 + number(6)}), ${number(300)}–${300 + number(90)}.`,
  'a bibliography of medicine': (pick, number) =>
    `${pick(NAMES)} A, ${pick(NAMES)} BC, ${pick(NAMES)} D, et al. ${capital(phrase(pick, 4))} by the ${pick(WORDS)}: ${phrase(pick, 3 + number(12))}. ${capital(pick(WORDS))} Biol. ${1980 + number(45)};${number(60)}:${number(900)}-${number(99)}. doi: 10.1000/${pick(WORDS)}.${number(9999)}`,
  'a numbered bibliography': (pick, number) =>
    `[${1 + number(99)}] ${pick(['A.', 'J. R.', 'M.'])} ${pick(NAMES)} and ${pick(NAMES)}, “${capital(phrase(pick, 5 + number(10)))},” Proc. ${capital(pick(WORDS))} Conf., vol. ${number(40)}, pp. ${number(400)}–${400 + number(40)}, ${1990 + number(35)}.`,
  'a bibliography with remarks': (pick, number) =>
    `${pick(NAMES)}, ${pick(NAMES)}. ${capital(phrase(pick, 3 + number(5)))}. ${capital(pick(WORDS))}: ${pick(NAMES)} Press, ${1900 + number(120)}. ${capital(phrase(pick, 6 + number(14)))}. See also ${pick(NAMES)}.`,
  'a list of works': (pick, number) =>
    `${1900 + number(120)} ${capital(phrase(pick, 2 + number(5)))}, ${pick(NAMES)} & Sons, ${number(600)} pages`,
  'a list of links': (pick, number) =>
    `${capital(phrase(pick, 3 + number(6)))} https://${pick(WORDS)}.example.org/${pick(WORDS)}/${number(9999)}?q=${pick(WORDS)}`,
  'a glossary with colons': (pick, number) =>
    `${capital(pick(WORDS))} ${pick(WORDS)}: ${phrase(pick, 8 + number(22))}.`,
  'a glossary in small letters': (pick, number) =>
    `${pick(WORDS)} — ${phrase(pick, 6 + number(20))}; ${phrase(pick, 2 + number(5))}`,
  'a glossary of two sentences': (pick, number) =>
    `${capital(pick(WORDS))}. ${capital(phrase(pick, 7 + number(16)))}. ${capital(phrase(pick, 4 + number(8)))}.`,
  'a dictionary': (pick, number) =>
    `${pick(WORDS)} n. 1. ${phrase(pick, 3 + number(8))}. 2. ${phrase(pick, 3 + number(8))}. [${pick(NAMES)}]`,
  'an index': (pick, number) =>
    `${pick(WORDS)}, ${phrase(pick, 1 + number(2))}, ${number(300)}, ${300 + number(90)}, ${400 + number(90)}`,
  'a list of abbreviations': (pick, number) =>
    `${phrase(pick, 1).slice(0, 3).toUpperCase()}${number(9)} = ${phrase(pick, 4 + number(9))}`,
  'a change log of commits': (pick, number) =>
    `${(0x1000000 + number(0xefffff)).toString(16)} ${pick(WORDS)}: ${phrase(pick, 4 + number(9))}`,
  'a change log of sentences': (pick, number) =>
    `${capital(phrase(pick, 5 + number(12)))}. Fixes ${pick(WORDS)}.${number(99)}. ${capital(phrase(pick, 3 + number(9)))} (${pick(NAMES)}).`,
  'a change log with bullets': (pick, number) =>
    `- ${capital(phrase(pick, 5 + number(12)))}. ${capital(phrase(pick, 6 + number(14)))} (#${number(9999)})`,
  'a change log with dates': (pick, number) =>
    `20${10 + number(15)}-0${1 + number(9)}-${10 + number(18)}  ${pick(NAMES)}: ${capital(phrase(pick, 5 + number(14)))}, and ${phrase(pick, 4 + number(6))}`,
  'a log with times': (pick, number) =>
    `[${10 + number(13)}:${10 + number(49)}:${10 + number(49)}.${100 + number(899)}] ${pick(['INFO', 'WARN', 'ERROR'])} ${pick(WORDS)}.${pick(WORDS)} - ${phrase(pick, 4 + number(15))}. Retry in ${number(60)} s. Done?`,
  'a log of a web server': (pick, number) =>
    `10.0.${number(255)}.${number(255)} - - "GET /${pick(WORDS)}/${pick(WORDS)}.html HTTP/1.1" 200 ${number(90_000)} "Mozilla/5.0 (${pick(NAMES)}; ${pick(WORDS)}) ${pick(WORDS)}/${number(99)}.${number(9)}"`,
  'a list of addresses': (pick, number) =>
    `${pick(NAMES)} ${pick(NAMES)}, ${capital(pick(WORDS))} ${pick(['St.', 'Ave.', 'Road'])} ${number(200)}, ${10_000 + number(80_000)} ${capital(pick(WORDS))}ton, Tel. +${number(99)} ${number(999_999)}`,
  'a list of people': (pick, number) =>
    `Dr. ${pick(NAMES)} ${pick(NAMES)} (b. ${1850 + number(140)}), ${phrase(pick, 2)} of ${capital(pick(WORDS))} Inc. ${capital(phrase(pick, 5 + number(12)))}.`,
};

/** A text of 90 entries. */
function textBy(writer: Writer, seed: number): string {
  const next = random(seed);
  const pick = (words: readonly string[]): string => words[next(words.length)] ?? '';
  return `${Array.from({ length: 90 }, () => writer(pick, next)).join('\n')}\n`;
}

/** How many chunks there are but the last, and how many of them end inside a line. */
function endsIn(
  text: string,
  options: ChunkSyncOptions,
): { readonly chunks: number; readonly inside: number } {
  const ends = chunkSync(text, options).map(({ end }) => end);
  const inside = ends.filter((end) => text.slice(end).trim() !== '' && text.charAt(end) !== '\n');
  return { chunks: ends.length - 1, inside: inside.length };
}

describe.each(['standard', 'structure', 'professional'] as const)('the tier %s', (tier) => {
  it.each([1000, 600, 300])('ends fewer than 2 in 100 chunks of size %d inside an entry', (size) => {
    const texts = Object.values(WRITERS).map((writer, index) => textBy(writer, 100 + index));
    expect(texts).toHaveLength(20);
    const counts = texts.map((text) => endsIn(text, { tier, size, kind: 'text' }));
    const sum = (key: 'chunks' | 'inside'): number => counts.reduce((total, count) => total + count[key], 0);
    expect(sum('chunks')).toBeGreaterThan(300);
    expect(sum('inside')).toBeLessThan(0.02 * sum('chunks'));
  });
});

describe('entriesIn', () => {
  const entriesOf = (text: string) => entriesIn(text, 0, text.length)?.length;
  const wrapped = (text: string, width: number): string =>
    text.replaceAll(new RegExp(`(.{1,${width}})(?: |$)`, 'g'), '$1\n').trimEnd();
  const sentence = 'The Tide turns at noon, and Pilots wait for it beyond the Bar until the Moon is up.';

  it('finds the entries, with the lines that are indented below them', () => {
    const hanging = Array.from(
      { length: 6 },
      (_, at) => `Entry ${at} is longer than its line\n  and goes on below.`,
    );
    expect(entriesOf(hanging.join('\n'))).toBe(6);
    for (const [index, writer] of Object.values(WRITERS).entries())
      expect(entriesOf(textBy(writer, 7 + index).trimEnd())).toBe(90);
  });

  it.each([
    ['prose, wrapped', wrapped(`${sentence} `.repeat(20), 72)],
    ['prose in capitals, wrapped', wrapped(`${sentence} `.repeat(20).toUpperCase(), 72)],
    ['prose with a wide line', `${wrapped(`${sentence} `.repeat(9), 72)}\n${'word '.repeat(30)}`],
    ['a quotation, wrapped', wrapped(`${sentence} `.repeat(20), 72).replaceAll(/^/gm, '> ')],
    [
      'verse',
      Array.from({ length: 9 }, () => 'Then came the Tide,\nAnd with it Pilots bold,\nOf whom').join('\n'),
    ],
    ['Chinese, wrapped', '潮水随着月亮上涨领航员在沙洲外等待直到月亮升起来\n'.repeat(12).trimEnd()],
    ['three lines', 'One.\nTwo.\nThree.'],
  ])('leaves %s alone', (_, text) => {
    expect(entriesOf(text)).toBeUndefined();
  });
});
