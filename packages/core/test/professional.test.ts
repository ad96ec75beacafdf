// The context that the tier `professional` injects, and the context that it leaves out.
import { describe, expect, it } from 'vitest';
import { chunkSync, indexedText } from '../src/chunk.ts';
import type { Document } from '../src/document.ts';
import { documentFromText } from '../src/blocks/index.ts';
import { ChunkError } from '../src/errors.ts';
import type { Chunk } from '../src/slice.ts';
import type { ContextMode } from '../src/tiers/registry.ts';

const cut = (input: string | Document, size = 300, context?: ContextMode): Chunk[] =>
  chunkSync(input, { tier: 'professional', size, ...(context === undefined ? undefined : { context }) });
const markdown = (text: string, size?: number, context?: ContextMode): Chunk[] =>
  cut(documentFromText(text, { kind: 'markdown' }), size, context);
/** `kind: text` of every part of the chunk that holds a word. */
const contextOf = (chunks: readonly Chunk[], word: string): string[] | undefined =>
  chunks.find(({ text }) => text.includes(word))?.context?.map(({ kind, text }) => `${kind}: ${text}`);
const lorem = (length: number): string =>
  'Nobody knows where that came from. Someone found it in the morning, where it stayed. '
    .repeat(Math.ceil(length / 85))
    .slice(0, length)
    .replace(/\W*\w*\W*$/, '.');

describe('titles and headings', () => {
  const guide = `# Guide\n\n${lorem(200)}\n\n## Install\n\n${lorem(250)}\n\n### Linux\n\n${lorem(250)}\n\nThe last word is zebra.`;

  it('stand before each chunk below them, the outermost first', () => {
    expect(contextOf(markdown(guide), 'zebra')).toEqual([
      'title: Guide',
      'heading-path: Install',
      'heading-path: Linux',
    ]);
  });

  it('are not repeated where the chunk holds them itself', () => {
    const chunks = markdown(guide);
    expect(chunks[0]?.context).toBeUndefined();
    expect(contextOf(chunks, '## Install')).toEqual(['title: Guide']);
    expect(contextOf(chunks, '### Linux')).toEqual(['title: Guide', 'heading-path: Install']);
  });

  it('are left out for search inside one document', () => {
    for (const piece of markdown(guide, 300, 'in-document')) expect(piece.context).toBeUndefined();
  });

  it('lose their middle levels first', () => {
    const levels = ['Outermost', 'Second of them', 'Third of them', 'Innermost'];
    const text = `${levels.map((title, index) => `${'#'.repeat(index + 1)} ${title}`).join('\n\n')}\n\n${lorem(500)}\n\nzebra\n\n# Other`;
    expect(contextOf(markdown(text, 240), 'zebra')).toEqual(levels.map((title) => `heading-path: ${title}`));
    expect(contextOf(markdown(text, 190), 'zebra')).toEqual([
      'heading-path: Outermost',
      'heading-path: Third of them',
      'heading-path: Innermost',
    ]);
    expect(contextOf(markdown(text, 120), 'zebra')).toEqual([
      'heading-path: Outermost',
      'heading-path: Innermost',
    ]);
    expect(contextOf(markdown(text, 60), 'zebra')).toEqual(['heading-path: Innermost']);
  });

  it('that are longer than the budget end at a word', () => {
    const title = 'A heading that goes on and on for much longer than anybody would ever read';
    const text = `# One\n\n# ${title}\n\n${lorem(500)} zebra`;
    expect(contextOf(markdown(text, 200), 'zebra')).toEqual([
      'heading-path: A heading that goes on and on for much longer',
    ]);
    expect(contextOf(markdown(`# One\n\n# ${'x'.repeat(90)}\n\n${lorem(500)} zebra`, 200), 'zebra')).toBe(
      undefined,
    );
  });

  it('in a script without blanks end between characters', () => {
    const text = `# 一\n\n# ${'第一章总则与适用范围'.repeat(9)}\n\n${'这些规定适用于所有用户。'.repeat(40)}`;
    const [part] = markdown(text, 200).at(-1)?.context ?? [];
    expect(part?.kind).toBe('heading-path');
    expect(part?.text).toMatch(/^第一章总则与适用范围/);
    expect(part?.text.length).toBe(48);
  });

  it('of the same name are injected once', () => {
    const text = `# Setup\n\n## Setup\n\n${lorem(500)} zebra`;
    expect(contextOf(markdown(text), 'zebra')).toEqual(['title: Setup']);
  });

  it('have no marks', () => {
    for (const heading of ['## A title ##', '<h2 id="a">A title</h2>', 'A title\n---', '== A title ==']) {
      const text = `# All\n\n# Top\n\n${lorem(300)}\n\n${heading}\n\n${lorem(500)} zebra`;
      expect(contextOf(markdown(text), 'zebra')?.at(-1), heading).toBe('heading-path: A title');
    }
  });

  it('may go on in the next line', () => {
    const text = `# All\n\n# Top\n\n${lorem(300)}\n\nA  long\ntitle\n---\n\n${lorem(500)} zebra`;
    expect(contextOf(markdown(text), 'zebra')).toEqual(['heading-path: Top', 'heading-path: A  long\ntitle']);
  });

  it('belong to a chunk only as far as all of it stands below them', () => {
    const text = `# Top\n\n## First\n\n${lorem(600)}\n\nThe zebra.\n\n## Second\n\n${lorem(70)}`;
    expect(contextOf(markdown(text, 400), 'zebra')).toEqual(['title: Top', 'heading-path: First']);
    const [chunk] = markdown('# Top\n\n## First\n\nZebras.\n\n## Second\n\nMore.').slice(-1);
    expect(chunk?.context).toBeUndefined();
  });
});

describe('the title of a document', () => {
  const body = `${lorem(600)} zebra`;
  const titleOf = (input: string | Document): string[] | undefined => contextOf(cut(input), 'zebra');
  const withTitle = (text: string, title: string): Document => ({
    ...documentFromText(text, { kind: 'markdown' }),
    title,
  });

  it('is no line that comes again with other figures', () => {
    const entry = (version: string): string => `tar (${version}) unstable\n\n${lorem(300)}`;
    const changelog = [entry('1.34+dfsg-1'), entry('1.33-2'), `${lorem(50)} zebra`].join('\n\n');
    expect(titleOf(changelog)).toBeUndefined();
    expect(titleOf(changelog.replace('tar (1.33-2)', 'gzip (1.33-2)'))).toEqual([
      'title: tar (1.34+dfsg-1) unstable',
    ]);
  });

  it('is the declared one as the text has it, whatever its case and line ends', () => {
    const text = `ACME Ltd\n\nAnnual Report\nof 2026\n\n${body}`;
    expect(titleOf(withTitle(text, 'Annual report of 2026'))).toEqual(['title: Annual Report\nof 2026']);
  });

  it('is not injected when the text does not say it', () => {
    expect(titleOf(withTitle(`${lorem(50)}\n\n${body}`, 'Microsoft Word - final (2).docx'))).toBeUndefined();
  });

  it('may be declared in the metadata before the text', () => {
    expect(
      titleOf(
        documentFromText(`---\ntitle: "All of it"\ndate: 2026-01-01\n---\n\n${body}`, { kind: 'markdown' }),
      ),
    ).toEqual(['title: All of it']);
  });

  it('is the first line of a text without headings', () => {
    expect(titleOf(documentFromText(`Minutes of the meeting\n\n${body}`, { kind: 'text' }))).toEqual([
      'title: Minutes of the meeting',
    ]);
    expect(titleOf(documentFromText(`It was a meeting.\n\n${body}`, { kind: 'text' }))).toBeUndefined();
  });

  it('is the first line of a text without marks also where headings follow', () => {
    expect(titleOf(documentFromText(`The Civil Code\n\n§ 1 Persons\n\n${body}`, { kind: 'text' }))).toEqual([
      'title: The Civil Code',
      'heading-path: § 1 Persons',
    ]);
    expect(titleOf(`[![build](a)](b)\n\n# One\n\n${lorem(90)}\n\n# Two\n\n${body}`)).toEqual([
      'heading-path: Two',
    ]);
  });

  it('is the first heading that does not count, of those that do', () => {
    expect(titleOf(`# Agreement\n\n${lorem(90)}\n\n# 1. Terms\n\n# ARTICLE II: More\n\n${body}`)).toEqual([
      'title: Agreement',
      'heading-path: ARTICLE II: More',
    ]);
  });

  it('is not the first of many headings of one level', () => {
    expect(titleOf(`# Chapter 1\n\n${lorem(90)}\n\n# Chapter 2\n\n${body}`)).toEqual([
      'heading-path: Chapter 2',
    ]);
  });
});

describe('lead-ins', () => {
  const items = (count: number, mark = '- '): string =>
    Array.from({ length: count }, (_, index) => `${mark}Thing number ${index} of this list.`).join('\n');

  it('stand before a chunk that begins inside their list', () => {
    const text = `${lorem(150)} You need all these:\n\n${items(20)}\n\n${lorem(100)}`;
    const chunks = markdown(text, 300);
    expect(contextOf(chunks, 'number 19')).toEqual(['lead-in: You need all these:']);
    expect(contextOf(chunks, 'number 0 ')).toBeUndefined();
    expect(chunks.at(-1)?.text).not.toContain('Thing');
    expect(chunks.at(-1)?.context).toBeUndefined();
  });

  it('of nested lists are the items around them', () => {
    const text = `You need these:\n\n- Fruit\n${items(20, '  - ')}`;
    expect(contextOf(markdown(text, 300), 'number 19')).toEqual([
      'lead-in: You need these:',
      'lead-in: Fruit',
    ]);
  });

  it('are lines that end in a colon', () => {
    expect(contextOf(markdown(`A paragraph.\n\n${items(20)}`, 300), 'number 19')).toBeUndefined();
    expect(contextOf(markdown(`**You need:**\n\n${items(20)}`, 300), 'number 19')).toHaveLength(1);
    expect(contextOf(markdown(`清单如下：\n\n${items(20)}`, 300), 'number 19')).toEqual([
      'lead-in: 清单如下：',
    ]);
  });
});

describe('a sentence before', () => {
  const before = 'The lighthouse of the old harbour was built in 1821.';
  /** The context injected before a paragraph with this opening; the paragraph before it fills a chunk. */
  const leansOn = (opening: string, sentence = before, rest = lorem(170)): string | undefined => {
    const chunks = cut(
      documentFromText(`${lorem(120)} ${sentence}\n\n${opening} ${rest}`, { kind: 'text' }),
      250,
    );
    return chunks
      .find(({ text }) => text.startsWith(opening))
      ?.context?.find(({ kind }) => kind === 'antecedent')?.text;
  };

  it.each([
    'It was',
    'They are',
    "That's why",
    'However,',
    'As a result,',
    'For example,',
    '"This is',
    '- It is',
  ])('stands before "%s"', (opening) => expect(leansOn(opening)).toBe(before));

  it.each(['Item 5', 'There is', 'Thermal', 'Italy', 'Sometimes', 'Hello', 'Thisbe'])(
    'does not stand before "%s"',
    (opening) => expect(leansOn(opening)).toBeUndefined(),
  );

  it.each([
    ['Er wurde', 'Der Leuchtturm steht seit 1821 im alten Hafen.'],
    ['Außerdem ist', 'Der Leuchtturm steht seit 1821 im alten Hafen.'],
    ['Il est', 'Le phare du vieux port date de 1821.'],
    ['Cependant,', 'Le phare du vieux port date de 1821.'],
    ['Ella fue', 'La torre del puerto se construyó en 1821.'],
    ['Sin embargo,', 'La torre del puerto se construyó en 1821.'],
    ['Он был', 'Маяк старой гавани построен в 1821 году.'],
    ['Кроме того,', 'Маяк старой гавани построен в 1821 году.'],
    ['它是', '灯塔建于1821年。'],
    ['しかし、', '灯台は1821年に建てられた。'],
    ['그러나', '등대는 1821년에 지어졌다.'],
    ['لكن', 'بني المنارة في عام 1821.'],
    ['यह', 'प्रकाशस्तंभ 1821 में बना था।'],
  ])('stands before "%s"', (opening, sentence) => expect(leansOn(opening, sentence)).toBe(sentence));

  it('is a sentence: no diagram, no command', () => {
    expect(leansOn('It was', 'git rebase main topic')).toBeUndefined();
  });

  it.each(['Il faro', 'Die Stadt', 'La tour', 'Es gibt', '其他', 'Иван'])(
    'does not stand before "%s"',
    (opening) => expect(leansOn(opening)).toBeUndefined(),
  );

  it('does not cross a heading', () => {
    const text = `# One\n\n${lorem(150)} ${before}\n\n# Two\n\nIt was ${lorem(200)}`;
    for (const { context = [] } of markdown(text, 250))
      expect(context.filter(({ kind }) => kind === 'antecedent')).toEqual([]);
  });

  it('is cut at a word when it is long', () => {
    const long = `The lighthouse of the harbour ${'and of the town '.repeat(8)}was built in 1821.`;
    expect(leansOn('It was', long)).toMatch(
      /^The lighthouse of the harbour( and of the town)*( and| of| the)*$/,
    );
  });
});

describe('definitions', () => {
  const defined = (definition: string, use: string): string[] | undefined =>
    contextOf(
      markdown(`${definition} ${lorem(400)}\n\nAnd the zebra uses ${use}. ${lorem(100)}`, 400),
      'zebra',
    );

  it.each([
    ['We use Retrieval-Augmented Generation (RAG).', 'RAG', 'Retrieval-Augmented Generation (RAG)'],
    ['We use RAG (Retrieval-Augmented Generation).', 'RAG', 'RAG (Retrieval-Augmented Generation)'],
    ['Large language models (LLMs) are here.', 'an LLM', 'Large language models (LLMs)'],
    ['Das Bundesverfassungsgericht (BVerfG) sagt es.', 'BVerfG', 'Bundesverfassungsgericht (BVerfG)'],
    [
      'Всемирная организация здравоохранения (ВОЗ) тут.',
      'ВОЗ',
      'Всемирная организация здравоохранения (ВОЗ)',
    ],
    ['We use Retrieval-Augmented Generation (RAG).', '了RAG技术', 'Retrieval-Augmented Generation (RAG)'],
  ])('%s is what %s stands for', (definition, use, expected) =>
    expect(defined(definition, use)?.at(-1)).toBe(`definition: ${expected}`),
  );

  it.each([
    ['This is in section (II).', 'II'],
    ['The zoo has zebras and lions (RAG).', 'RAG'],
    ['We use Retrieval-Augmented Generation (RAG).', 'RAGTIME'],
    ['We use Retrieval-Augmented Generation (RAG).', 'rag'],
  ])('%s does not tell what %s is', (definition, use) =>
    expect(defined(definition, use)?.filter((part) => part.startsWith('definition'))).toBeOneOf([
      undefined,
      [],
    ]),
  );

  it('are not injected where the chunk has them itself, and the first one counts', () => {
    const one = 'The World Health Organization (WHO) met.';
    const chunks = markdown(
      `${one} The WHO met. ${lorem(400)}\n\nThe WHO zebra. ${lorem(300)}\n\nWorld Homes (WHO) and the WHO lion.`,
      400,
    );
    expect(contextOf(chunks, one)).toBeUndefined();
    expect(contextOf(chunks, 'zebra')?.at(-1)).toBe('definition: World Health Organization (WHO)');
  });
});

describe('tables', () => {
  it('keep their header, behind the headings over it', () => {
    const rows = Array.from({ length: 20 }, (_, index) => `| ${index} | Some words in row ${index} |`).join(
      '\n',
    );
    const chunks = markdown(`# Report\n\n## Figures\n\n| n | words |\n|---|---|\n${rows}`);
    expect(contextOf(chunks, 'row 19')).toEqual([
      'title: Report',
      'heading-path: Figures',
      'table-header: | n | words |\n|---|---|',
    ]);
    const last = chunks.at(-1);
    expect(last && indexedText(last)).toMatch(/^Report\nFigures\n\| n \| words \|\n\|---\|---\|\n\n\| /);
  });
});

it('refuses a context that is neither of the two', () => {
  const wrong = { tier: 'professional', context: 'both' } as unknown as { tier: 'professional' };
  expect(() => chunkSync('text', wrong)).toThrow(ChunkError);
  expect(() => chunkSync('text', wrong)).toThrow(/context.*corpus or in-document/);
  expect(() => chunkSync('text', { tier: 'structure', context: 'corpus' })).toThrow(/context/);
});

it('injects nothing that reaches into the chunk', () => {
  const some = Array.from({ length: 60 }, (_, at) => `some${at}`).join(' ');
  for (let size = 60; size < 260; size++) {
    for (const text of [
      `${some} World Health Organization (WHO) ${some}`,
      `# ${'heading of many words '.repeat(12)}\n\n${lorem(200)}`,
    ]) {
      for (const piece of markdown(text, size)) {
        for (const { start, end, kind } of piece.context ?? [])
          expect(start < piece.end && end > piece.start, `${kind} at ${size}`).toBe(false);
      }
    }
  }
});

it('takes no blank of any kind into a title', () => {
  const chunks = cut(
    documentFromText(`First.\n\n#### \u3000Title\u3000 ##\n${lorem(600)}`, { kind: 'markdown' }),
  );
  const titles = chunks.flatMap(({ context = [] }) => context.map(({ text }) => text));
  expect(new Set(titles)).toEqual(new Set(['Title']));
});

it('takes no question for a title, in bold or not', () => {
  for (const first of ['**What is it?**', '_It is so._', 'What is it?'])
    for (const { context } of markdown(`${first}\n\n${lorem(900)}`)) expect(context).toBeUndefined();
  expect(contextOf(markdown(`**Of it**\n\n${lorem(600)}\n\nzebra`), 'zebra')).toEqual(['title: **Of it**']);
});
