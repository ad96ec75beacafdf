import { documentFromText, type Embed, TIERS } from '@grainline/core';
import { rejectionOf } from '@grainline/testing/rejection';
import { tokenCounter } from '@grainline/models/tokens';
import { describe, expect, it } from 'vitest';
import { createCutter } from './cutting/cutter.ts';
import { cutAlike, cutPlainly, meanTokens } from './cutting/equal-tokens.ts';
import { loadPeer, locatePieces } from './cutting/peers.ts';
import { EvalError } from './errors.ts';
import { evaluate, type EvaluateOptions } from './evaluate.ts';
import type { EvalDocument, EvalQuestion } from './questions/question.ts';
import { halvesOf } from './recommend.ts';
import { EVAL_TIERS, settingsOf } from './settings.ts';
import { createRandom } from './statistics.ts';

const next = createRandom(3);
const WORDS = 'harbour moon rope salt lamp keel wind oar net gull anchor mast hull tide pier buoy'.split(' ');
const sentence = (): string =>
  `The ${Array.from({ length: 6 + next(9) }, () => WORDS[next(WORDS.length)]).join(' ')}. `;

/** Sections of prose, each with one fact that no other has. */
function bookOf(name: string, sections: number): { document: EvalDocument; questions: EvalQuestion[] } {
  const questions: EvalQuestion[] = [];
  let text = '';
  for (let section = 0; section < sections; section++) {
    text += `## Section ${name} ${section}\n\n${Array.from({ length: 4 + next(8) }, sentence).join('')}\n\n`;
    const fact = `Ship ${name}${section} carries ${WORDS[next(WORDS.length)]} number ${section}.`;
    const start = text.length;
    text += `${fact} ${Array.from({ length: 1 + next(9) }, sentence).join('')}\n\n`;
    const spans = [{ start, end: start + fact.length }];
    questions.push({
      question: `What does ship ${name}${section} carry?`,
      document: name,
      spans,
      origin: 'given',
    });
  }
  return { document: { name, document: documentFromText(text) }, questions };
}

const books = ['a', 'b', 'c'].map((name, index) => bookOf(name, [40, 20, 2][index] ?? 0));
const documents = books.map(({ document }) => document);
const questions = books.flatMap((book) => book.questions);
/** Counts letters: no model, and the same everywhere. */
const embed: Embed = (texts) =>
  Promise.resolve({
    model: 'letters',
    dimensions: 36,
    vectors: texts.map((text) => {
      const vector = new Float32Array(36).fill(0.01);
      for (const letter of text.toLowerCase()) {
        const at = parseInt(letter, 36);
        if (!Number.isNaN(at)) vector[at]!++;
      }
      return vector;
    }),
  });

const run = (options: Partial<EvaluateOptions> = {}) => evaluate({ documents, questions, embed, ...options });

describe('an evaluation', () => {
  it('measures every setting by both searches, at the tokens of its reference', async () => {
    const seen: string[] = [];
    const report = await run({
      settings: settingsOf({ sizes: [300, 700], options: { overlap: [0, 50], context: ['corpus'] } }),
      onProgress: ({ done, total, name }) => void seen.push(`${done}/${total} ${name}`),
    });
    expect(report.settings).toHaveLength(20);
    for (const { name, reference, tokens, chunks } of report.settings) {
      const wanted = report.settings.find((other) => other.name === reference)!;
      expect(Math.abs(tokens / wanted.tokens - 1), name).toBeLessThan(0.08);
      expect(chunks).toBeGreaterThan(0);
    }
    expect(report.settings.find(({ name }) => name === 'structure 300 overlap=0')?.reference).toBe(
      'structure 300 overlap=0',
    );
    // Each by keywords, and by vectors with two blends.
    expect(report.scores).toHaveLength(60);
    for (const { means } of report.scores)
      for (const value of Object.values(means)) expect(value >= 0 && value <= 1).toBe(true);
    expect(report.scores.find(({ name }) => name === 'structure 300 overlap=0')?.means.r1000).toBeGreaterThan(
      0.9,
    );
    expect(report.questions).toEqual({ given: 62, cell: 0, definition: 0, heading: 0 });
    expect(report.resampling).toEqual({ unit: 'questions', documents: 3 });
    expect([report.embedder, report.tokenizer, report.unit]).toEqual(['letters', 'o200k', 'characters']);
    expect(seen.at(-1)).toBe('20/20 ');
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  });

  it('is the same for equal input, and for an embedder of another shape', async () => {
    const settings = settingsOf({ tiers: ['free', 'semantic'], sizes: [400] });
    const report = await run({ settings });
    expect(await run({ settings })).toEqual(report);
    const plain = async (texts: string[]) => (await embed(texts, {})).vectors;
    expect(await run({ settings, embed: plain })).toEqual({ ...report, embedder: 'custom' });
  });

  it('calls no difference between a setting and itself, and recommends neither of equals by much', async () => {
    const settings = settingsOf({ tiers: ['structure'], sizes: [400], options: { min: [20, 21] } });
    const { scores } = await run({ settings, retrievers: ['bm25'] });
    for (const { differences } of scores)
      for (const { verdict } of Object.values(differences ?? {})) expect(verdict).toBe(0);
  });

  it('recommends what is best by far, and judges it by other questions', async () => {
    const settings = [
      { tier: 'structure', size: 400 },
      { tier: 'free', size: 12_000 },
    ] as const;
    const { recommendations } = await run({ settings, retrievers: ['bm25'] });
    expect(recommendations).toMatchObject([
      {
        retriever: 'bm25',
        questions: { choosing: 31, judging: 31 },
        leader: { name: 'structure 400', best: 1 },
        isRecommended: true,
        size: 400,
      },
    ]);
  });

  it('resamples documents where there are ten or more, and recommends what is best on most', async () => {
    const many = Array.from({ length: 12 }, (_, index) => bookOf(`m${index}`, 20));
    const report = await run({
      documents: many.map(({ document }) => document),
      questions: many.flatMap((book) => book.questions),
      settings: [
        { tier: 'structure', size: 400 },
        { tier: 'free', size: 12_000 },
      ],
      retrievers: ['bm25'],
    });
    expect(report.resampling).toEqual({ unit: 'documents', documents: 12 });
    expect(report.recommendations).toMatchObject([
      { questions: { choosing: 120, judging: 120 }, leader: { name: 'structure 400' }, isRecommended: true },
    ]);
  });

  it('recommends nothing by few questions', async () => {
    const [recommendation] = (
      await run({ questions: questions.slice(0, 39), settings: settingsOf({ sizes: [400] }) })
    ).recommendations;
    expect(recommendation).toMatchObject({ isRecommended: false, questions: { choosing: 20, judging: 19 } });
    expect(recommendation?.leader).toBeUndefined();
  });

  it('keeps questions from headings apart, and lets them decide nothing', async () => {
    const settings = settingsOf({ tiers: ['structure', 'professional'], sizes: [400] });
    const headings = questions.map((question): EvalQuestion => ({
      ...question,
      question: `${question.question} again`,
      origin: 'heading',
    }));
    const [alone, mixed] = [
      await run({ settings }),
      await run({ settings, questions: [...headings, ...questions] }),
    ];
    expect(mixed.recommendations).toEqual(alone.recommendations);
    expect(mixed.scores.filter((score) => score.questions === 'answers')).toEqual(alone.scores);
    expect(mixed.scores.filter((score) => score.questions === 'headings')).toHaveLength(alone.scores.length);
  });

  it('makes its own questions, and says when there are none', async () => {
    const { questions: counts } = await evaluate({
      documents,
      embed,
      settings: settingsOf({ tiers: ['free'], sizes: [400] }),
    });
    expect(counts.given).toBe(0);
    expect(counts.heading).toBeGreaterThan(0);
    const plain = [{ name: 'plain.txt', document: documentFromText('Tides come and go.') }];
    expect((await rejectionOf(evaluate({ documents: plain, embed }), EvalError)).code).toBe('no_questions');
  });

  it('takes sizes in tokens', async () => {
    const measure = await tokenCounter('cl100k');
    const report = await run({
      measure,
      settings: settingsOf({ tiers: ['structure', 'langchain'], sizes: [60] }),
    });
    expect([report.unit, report.tokenizer]).toEqual(['tokens', 'cl100k']);
    for (const { tokens } of report.settings) expect(tokens).toBeLessThanOrEqual(60);
  });

  it('rejects wrong options, all at once, and with the reason of its signal', async () => {
    const wrong = await rejectionOf(
      run({ documents: [], k: 0, blends: [2], settings: [], retrievers: [] }),
      EvalError,
    );
    expect(wrong.issues).toHaveLength(6);
    for (const spans of [[], [{ start: 3, end: 3 }], [{ start: 0, end: 1e6 }]]) {
      const question: EvalQuestion = { question: 'What?', document: 'a', spans, origin: 'given' };
      await expect(run({ questions: [question] })).rejects.toThrow(/"What\?" has no span, or one outside/);
    }
    const reason = new Error('enough');
    await expect(run({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

describe('cutting to equal tokens', () => {
  it('matches large documents one by one and small ones together', async () => {
    const counter = await tokenCounter('o200k');
    const texts = documents.map(({ document }) => document);
    const cut = createCutter(texts, {
      counter,
      measure: undefined,
      embed,
      peers: new Map(),
      signal: undefined,
    });
    const plain = await cutPlainly(texts.length, { tier: 'structure', size: 300 }, cut);
    const alike = await cutAlike({ tier: 'free', size: 300 }, plain, cut);
    for (const document of [0, 1]) {
      const [ours, theirs] = [plain, alike].map(({ chunks }) =>
        meanTokens(chunks.filter((each) => each.document === document)),
      );
      expect(Math.abs((theirs ?? 0) / (ours ?? 1) - 1)).toBeLessThan(0.03);
    }
    expect(alike.chunks.map(({ document }) => document)).toEqual(
      alike.chunks.map(({ document }) => document).toSorted(),
    );
    for (const { start, end, document, text, tokens } of plain.chunks) {
      expect(text).toBe(texts[document]?.text.slice(start, end));
      expect(tokens).toBe(counter.count(text));
    }
  });

  it('counts the context of a chunk, which the reader gets too', async () => {
    const counter = await tokenCounter('o200k');
    const text = `# Title of the book\n\n${sentence().repeat(20)}`;
    const cut = createCutter([documentFromText(text)], {
      counter,
      measure: undefined,
      embed,
      peers: new Map(),
      signal: undefined,
    });
    const chunks = await cut(0, { tier: 'professional', size: 300 }, 300);
    const withContext = chunks.filter(({ contextTokens }) => contextTokens > 0);
    expect(withContext.length).toBeGreaterThan(0);
    for (const { text: whole, start, end, tokens, contextTokens } of withContext) {
      expect(whole.endsWith(text.slice(start, end))).toBe(true);
      expect(tokens - contextTokens).toBe(counter.count(text.slice(start, end)));
    }
  });
});

describe('splitters of other libraries', () => {
  it('are cut and located like our own', async () => {
    const { settings, scores } = await run({
      settings: settingsOf({ tiers: ['free', 'langchain', 'langchain-markdown'], sizes: [400] }),
    });
    const [free, langchain] = settings;
    expect(Math.abs((langchain?.chunks ?? 0) / (free?.chunks ?? 1) - 1)).toBeLessThan(0.05);
    // The tier free makes LangChain's chunks.
    const [ours, theirs] = ['free 400', 'langchain 400'].map(
      (name) => scores.find((score) => score.name === name)?.means.r1000 ?? 0,
    );
    expect(Math.abs((ours ?? 0) - (theirs ?? 1))).toBeLessThan(0.03);
  });

  it('cut code between its functions', async () => {
    const split = await loadPeer('langchain-python', import.meta.dirname);
    expect(await split('def sail():\n    row = 1\n\ndef dock():\n    row = 2', 30)).toEqual([
      'def sail():\n    row = 1',
      'def dock():\n    row = 2',
    ]);
  });

  it('are named with the command that installs them when they are missing', async () => {
    const error = await rejectionOf(loadPeer('chonkie', '/'), EvalError);
    expect([error.code, error.message]).toEqual([
      'peer_missing',
      'Chonkie recursive is not installed; install it with: npm install @chonkiejs/core',
    ]);
  });

  it('give pieces that are found in order, whatever became of the blanks', () => {
    const text = 'one  two\none two three';
    expect(
      locatePieces(text, ['one two', 'one two', 'two three', 'lost']).map(({ start, end }) =>
        text.slice(start, end),
      ),
    ).toEqual(['one  two', 'one two', 'two three']);
  });
});

describe('the grid of settings', () => {
  it('combines what each tier takes, each once', () => {
    const names = settingsOf({
      tiers: ['free', 'structure', 'langchain'],
      sizes: [300],
      options: { target: [100, 200], overlap: [0] },
    });
    expect(names.map(({ tier, options }) => [tier, options])).toEqual([
      ['free', { overlap: 0 }],
      ['structure', { target: 100, overlap: 0 }],
      ['structure', { target: 200, overlap: 0 }],
      ['langchain', {}],
    ]);
    expect(EVAL_TIERS).toEqual(Object.keys(TIERS).filter((tier) => !tier.startsWith('ai')));
  });
});

describe('the halves of the questions', () => {
  it('are disjoint, of equal size, complete, and the same for equal questions', () => {
    const { choosing, judging } = halvesOf(questions);
    expect([...choosing, ...judging].sort((a, b) => a - b)).toEqual([...questions.keys()]);
    expect(choosing.length - judging.length).toBeLessThanOrEqual(1);
    expect(halvesOf(questions)).toMatchObject({ choosing, judging });
  });

  it('have all questions about one document together where documents are resampled', () => {
    const many = questions.map((question, index) => ({ ...question, document: `${index % 20}` }));
    const { choosing, judging, units } = halvesOf(many);
    const documentsOf = (half: readonly number[]): Set<string | undefined> =>
      new Set(half.map((position) => many[position]?.document));
    const judges = documentsOf(judging);
    expect([...documentsOf(choosing)].filter((name) => judges.has(name))).toEqual([]);
    expect(Math.abs(choosing.length - judging.length)).toBeLessThanOrEqual(4);
    expect([...choosing, ...judging].sort((a, b) => a - b)).toEqual([...many.keys()]);
    expect(Array.from(units)).toEqual(many.map((_, index) => index % 20));
  });
});
