// The tier ai-pro with right and wrong answers of a language model. The tests of the tier ai cover its cuts.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { chunk, indexedText, planCompletions, recut } from '../src/chunk.ts';
import type { ChunkOptions, Progress } from '../src/chunk-options.ts';
import type { Complete, CompletionRequest } from '../src/complete.ts';
import type { Enrichment } from '../src/cut.ts';
import { ChunkError } from '../src/errors.ts';
import type { Chunk } from '../src/slice.ts';
import type { Decisions } from '../src/tiers/ai/decisions.ts';
import type { EnrichmentReport } from '../src/tiers/ai-pro/report.ts';
import { chunksIn } from '@grainline/testing/scripted-model/answers';
import { pagesOf } from '@grainline/testing/generated-text';
import { answering, hashOf, hostileModel, scripted } from '@grainline/testing/language-models';
import { violationsOfCoverage, violationsOfSlices, violationsOfTiling } from './laws.ts';

const TEXT = pagesOf(4);
const LONG = pagesOf(25);
const LETTERS = 'abcdefghijkl'.split('');

const pro = (text: string, more: Partial<ChunkOptions> = {}) =>
  chunk(text, { tier: 'ai-pro', complete: scripted, kind: 'markdown', ...more });

async function reported(text: string, more: Partial<ChunkOptions> = {}) {
  const reports: { decisions?: Decisions; report?: EnrichmentReport } = {};
  const chunks = await pro(text, {
    onDecisions: (made) => (reports.decisions = made),
    onEnriched: (made) => (reports.report = made),
    ...more,
  });
  const { decisions, report } = reports;
  if (decisions === undefined || report === undefined) throw new Error('nobody was told how it went');
  return { chunks, decisions, report };
}

type SentRequest = CompletionRequest & { readonly ids: readonly number[] };
const kindOf = ({ schema }: CompletionRequest): 'cuts' | 'outline' | 'chunks' =>
  schema.type !== 'object'
    ? 'cuts'
    : 'cuts' in schema.properties
      ? 'cuts'
      : 'sections' in schema.properties
        ? 'outline'
        : 'chunks';
const idsIn = ({ messages }: CompletionRequest): number[] =>
  chunksIn(messages.map(({ content }) => content)).map(({ id }) => id);

/**
 * Records questions; those for which `spoil` has something are answered so, by their number among those of their kind.
 */
function recording(
  spoil: (
    requests: SentRequest,
    number: number,
    kind: ReturnType<typeof kindOf>,
  ) => ReturnType<Complete> | undefined = () => undefined,
) {
  const requests = { cuts: [] as SentRequest[], outline: [] as SentRequest[], chunks: [] as SentRequest[] };
  const complete: Complete = (request, run) => {
    const kind = kindOf(request);
    const one = { ...request, ids: idsIn(request) };
    return spoil(one, requests[kind].push(one) - 1, kind) ?? scripted(request, run);
  };
  return { requests, complete };
}

type Entry = { -readonly [Key in keyof Enrichment]: Enrichment[Key] } & { id: number };
/** The scripted answer about chunks, changed. */
async function changed(request: CompletionRequest, change: (entries: Entry[]) => unknown[]) {
  const { value } = await scripted(request, {});
  return answering({ chunks: change((value as { chunks: Entry[] }).chunks) });
}
const coded = (code: string) => Object.assign(new Error(`says ${code}`), { code });
const textsOf = (chunks: readonly Chunk[]): string[] => chunks.map(({ text }) => text);

describe('the tier ai-pro', () => {
  it('describes every chunk, in its own document and apart from its text', async () => {
    const { chunks, report } = await reported(LONG);
    expect(chunks.length).toBeGreaterThan(60);
    for (const piece of chunks) {
      expect(piece.enrichmentStatus).toBe('complete');
      expect(piece).not.toHaveProperty('enrichmentReasons');
      expect(Object.keys(piece.enrichment ?? {})).toEqual([
        'title',
        'summary',
        'keywords',
        'questions',
        'entities',
        'context',
      ]);
      expect(indexedText(piece).startsWith(`${piece.enrichment?.context ?? '?'}\n`)).toBe(true);
      expect(indexedText(piece).endsWith(`\n\n${piece.text}`)).toBe(true);
      expect(indexedText(piece).length).toBeLessThanOrEqual(1000);
    }
    expect([...violationsOfCoverage(LONG, chunks), ...violationsOfSlices(LONG, chunks)]).toEqual([]);
    expect(report).toMatchObject({
      promptVersion: 'enrich-1',
      model: 'scripted',
      outline: 'model',
      sectionsFailed: [],
      chunks: { complete: chunks.length, partial: 0, failed: 0 },
    });
  });

  it('cuts where the model says: recut with the same decisions at the limits of then is the same', async () => {
    const { chunks, decisions } = await reported(TEXT);
    // The tier keeps an eighth of the maximum free for the context.
    const again = recut(TEXT, decisions, { kind: 'markdown', size: 875 });
    expect(textsOf(again)).toEqual(textsOf(chunks));
  });

  it('asks for an outline once, then about sections of 5 to 16 chunks that begin with the very same text', async () => {
    const { requests, complete } = recording();
    const { chunks, report } = await reported(LONG, { complete });
    expect(requests.outline).toHaveLength(1);
    expect(requests.chunks).toHaveLength(report.sections);
    expect(requests.chunks.flatMap(({ ids }) => ids)).toHaveLength(chunks.length);
    for (const { ids } of requests.chunks.slice(0, -1)) {
      expect(ids.length).toBeGreaterThanOrEqual(5);
      expect(ids.length).toBeLessThanOrEqual(16);
      expect(ids).toEqual(ids.map((_, at) => at + 1));
    }
    const beginnings = requests.chunks.map(({ messages: [system, user] }) =>
      JSON.stringify([system, user?.content.slice(0, user.repeated)]),
    );
    expect(new Set(beginnings).size).toBe(1);
    expect(beginnings[0]?.length).toBeGreaterThan(10_000);
  });

  it('shows a short document whole and makes no outline of it', async () => {
    const { requests, complete } = recording();
    const { report } = await reported(TEXT, { complete });
    expect(report.outline).toBe('whole');
    expect(requests.outline).toHaveLength(0);
    for (const { messages } of requests.chunks) expect(messages[1]?.content).toContain(TEXT);
  });

  it('asks the same questions in the same words whatever order the answers come in', async () => {
    const questionsOf = async (completeAtOnce: number, late: (number: number) => boolean) => {
      const seen: string[] = [];
      const complete: Complete = async (request, run) => {
        const question = JSON.stringify([request.messages, request.schema, request.maxTokens]);
        const number = seen.push(question);
        if (late(number)) for (let turn = 0; turn < 5; turn++) await new Promise((go) => setImmediate(go));
        const lying = hashOf(question) % 3 === 0 && kindOf(request) === 'chunks';
        return lying
          ? changed(request, (entries) => entries.slice(1).map((one) => ({ ...one, title: 'In 7777 Zyx' })))
          : scripted(request, run);
      };
      const chunks = await pro(LONG, { complete, completeAtOnce });
      return { questions: seen.map(hashOf).sort(), chunks };
    };
    const once = await questionsOf(1, () => false);
    for (const late of [(number: number) => number % 2 === 0, (number: number) => number % 3 === 0]) {
      const again = await questionsOf(5, late);
      expect(again.questions).toEqual(once.questions);
      expect(again.chunks).toEqual(once.chunks);
    }
  });

  it('asks about the first section alone, so that the others find their beginning in a cache', async () => {
    let [now, most] = [0, 0];
    const complete: Complete = async (request, run) => {
      if (kindOf(request) !== 'chunks') return scripted(request, run);
      most = Math.max(most, ++now);
      if (request.messages[1]?.content.includes(LONG.slice(-300)) !== true)
        expect(most).toBeLessThanOrEqual(4);
      await new Promise((go) => setImmediate(go));
      now--;
      return scripted(request, run);
    };
    const seen: number[] = [];
    await pro(LONG, {
      complete,
      onProgress: ({ stage, done }) => stage === 'enrich' && done === 1 && seen.push(most),
    });
    expect(seen).toEqual([1]);
    expect(most).toBe(4);
  });

  it('tells of cutting, the outline and the sections in turn, and never steps back', async () => {
    const seen: Progress[] = [];
    await pro(LONG, { onProgress: (progress) => seen.push(progress) });
    expect([...new Set(seen.map(({ stage }) => stage))]).toEqual([
      'complete',
      'outline',
      'enrich',
      'cut',
      'chunk',
    ]);
    for (const [at, { stage, done, total }] of seen.entries()) {
      const before = seen[at - 1];
      if (before?.stage === stage) expect(done).toBeGreaterThanOrEqual(before.done);
      expect(done).toBeLessThanOrEqual(total);
    }
    for (const stage of ['complete', 'outline', 'enrich']) {
      const { done, total } = seen.findLast((one) => one.stage === stage) ?? {};
      expect(done).toBe(total);
    }
  });

  it('foresees the questions of both stages, in every question and without any', async () => {
    const { requests, complete } = recording();
    const { decisions, report } = await reported(LONG, { complete });
    const all = [...requests.cuts, ...requests.outline, ...requests.chunks];
    const plan = await planCompletions(LONG, { tier: 'ai-pro', kind: 'markdown' });
    expect(new Set(all.map((one) => one.plan)).size).toBe(1);
    expect(all[0]?.plan).toEqual(plan);
    expect(Math.abs(all.length - plan.calls)).toBeLessThanOrEqual(0.15 * plan.calls);
    expect(decisions.usage.calls + report.usage.calls).toBe(all.length);
    expect(await planCompletions(LONG, { tier: 'structure' })).toEqual({
      calls: 0,
      inputTokens: 0,
      outputTokens: 0,
    });
    await expect(planCompletions(LONG, { tier: 'ai-pro', size: 0 })).rejects.toThrow('size');
  });

  it('asks nothing about nothing', async () => {
    const { requests, complete } = recording();
    const { chunks, report } = await reported(' \n ', { complete });
    expect(chunks).toEqual([]);
    expect(report).toMatchObject({ sections: 0, chunks: { complete: 0, partial: 0, failed: 0 } });
    expect(Object.values(requests).flat()).toEqual([]);
  });

  it('leaves room for the context below the maximum, in tokens too', async () => {
    const perWord = { name: 'words', count: (text: string) => text.match(/\S+/g)?.length ?? 0 };
    const measure = {
      ...perWord,
      measure: (text: string) => ({
        text,
        count: (start: number, end: number) => perWord.count(text.slice(start, end)),
        longestPrefix(start: number, end: number, most: number) {
          let at = start;
          while (at < end && perWord.count(text.slice(start, at + 1)) <= most) at++;
          return at;
        },
      }),
    };
    const complete: Complete = (request, run) =>
      kindOf(request) === 'chunks'
        ? changed(request, (entries) =>
            entries.map((one) => ({
              ...one,
              context: 'This is about a thing that is told here at some length. '.repeat(6),
            })),
          )
        : scripted(request, run);
    for (const size of [30, 60]) {
      const chunks = await pro(TEXT, { complete, size, measure, overlap: 5 });
      for (const piece of chunks) {
        expect(measure.count(indexedText(piece))).toBeLessThanOrEqual(size);
        expect(piece.metadata.tokenCount).toBe(measure.count(indexedText(piece)));
      }
      expect(chunks.filter(({ enrichment }) => enrichment?.context !== undefined).length).toBeGreaterThan(
        chunks.length / 2,
      );
    }
    for (const piece of await pro(TEXT, { complete, size: 50 })) {
      expect(indexedText(piece).length).toBeLessThanOrEqual(50);
      if (piece.enrichment?.context === undefined)
        expect(piece.enrichmentReasons).toContainEqual({ field: 'context', reason: 'too_long' });
    }
  });
});

describe('what a model says of a chunk', () => {
  it('is dropped and asked for once more where it names what the document does not hold', async () => {
    const lie = 'As Zyxquell said in 7777, this is so.';
    for (const field of ['context', 'title', 'summary'] as const) {
      const { requests, complete } = recording((request, number, kind) =>
        kind === 'chunks' && number === 0
          ? changed(request, (entries) =>
              entries.map((one) => (one.id === 2 ? { ...one, [field]: lie } : one)),
            )
          : undefined,
      );
      const { chunks, report } = await reported(TEXT, { complete });
      expect(JSON.stringify(chunks)).not.toContain('Zyxquell');
      expect(report.chunks).toMatchObject({ partial: 0, failed: 0 });
      expect(requests.chunks).toHaveLength(report.sections + 1);
      const again = requests.chunks.find(({ messages }) =>
        messages[1]?.content.includes('An earlier answer'),
      );
      expect(again?.ids).toEqual([2]);
      expect(again?.messages[1]?.content).toContain(
        'chunk 2 named "7777", "Zyxquell", which the document does not hold',
      );
    }
  });

  it('stays away, with the reason, when it is no better the second time', async () => {
    const { requests, complete } = recording((request, _, kind) =>
      kind === 'chunks'
        ? changed(request, (entries) =>
            entries.map((one) => (one.id === 1 ? { ...one, context: 'It was in 7777.', summary: '' } : one)),
          )
        : undefined,
    );
    const { chunks, report } = await reported(TEXT, { complete });
    expect(requests.chunks).toHaveLength(2 * report.sections);
    expect(report.chunks.partial).toBe(report.sections);
    expect(chunks[0]).toMatchObject({
      enrichmentStatus: 'partial',
      enrichmentReasons: [
        { field: 'summary', reason: 'missing' },
        { field: 'context', reason: 'invented' },
      ],
    });
    expect(chunks[0]?.enrichment).not.toHaveProperty('context');
    expect(indexedText(chunks[0]!)).toBe(chunks[0]?.text);
    expect(chunks[1]?.enrichmentStatus).toBe('complete');
  });

  it('is asked for once more where a chunk is missing; ids that were not shown are ignored', async () => {
    const { requests, complete } = recording((request, number, kind) =>
      kind === 'chunks' && number === 0
        ? changed(request, (entries) => [
            ...entries.slice(2),
            { ...entries[0], id: 99, title: 'stray' },
            { ...entries[0], id: '1' },
            null,
          ])
        : undefined,
    );
    const { chunks, report } = await reported(TEXT, { complete });
    expect(requests.chunks.filter(({ ids }) => ids.join() === '1,2')).toHaveLength(1);
    expect(report.chunks).toMatchObject({ complete: chunks.length });
    expect(JSON.stringify(chunks)).not.toContain('stray');
  });

  it('is plain text of bounded length without what nobody sees', async () => {
    const complete: Complete = (request, run) =>
      kindOf(request) === 'chunks'
        ? changed(request, (entries) =>
            entries.map((one) => ({
              ...one,
              title: `\u0000\u001b[31mred\u202e ${'long '.repeat(100)}`,
              summary: `one\n\ntwo\ttabs\u{E0041}\ufeff \ud800.`,
              context: 'a word '.repeat(1000),
              keywords: ['\u0007bell', 'BELL', 'bell', '', 7, ...LETTERS],
              questions: ['why?', 'x'.repeat(500), 'how?', 'who?', 'when?'],
              entities: ['Zyxquell', ...one.entities],
            })),
          )
        : scripted(request, run);
    const [piece] = await pro(TEXT, { complete, size: 3000 });
    const {
      title = '',
      summary,
      context = '',
      keywords,
      questions,
      entities,
    } = piece?.enrichment ?? ({} as Enrichment);
    expect(title).toMatch(/^\[31mred (?:long ?)+$/);
    expect(title.length).toBeLessThanOrEqual(120);
    expect(summary).toBe('one two tabs \ufffd.');
    expect(context.length).toBeLessThanOrEqual(600);
    expect(keywords).toEqual(['bell', ...LETTERS.slice(0, 7)]);
    expect(questions).toEqual(['why?', 'how?', 'who?']);
    expect(entities).not.toContain('Zyxquell');
    expect(piece?.enrichmentStatus).toBe('complete');
  });

  it('may come about half of the chunks when it was refused about all, and fails with its code otherwise', async () => {
    const { requests, complete } = recording((_, number, kind) =>
      kind === 'chunks' && number === 0 ? Promise.reject(coded('truncated')) : undefined,
    );
    const { chunks, report } = await reported(LONG, { complete });
    expect(requests.chunks).toHaveLength(report.sections + 2);
    expect(report.chunks.complete).toBe(chunks.length);
    const mark = requests.chunks[2]?.messages[1]?.content.slice(-3000) ?? '';
    const refusing = recording(({ messages }) =>
      (messages[1]?.content.endsWith(mark.slice(-200)) ?? false)
        ? Promise.reject(coded('refusal'))
        : undefined,
    );
    await reported(LONG, { complete: refusing.complete });
    const bad = new Set<number>();
    const failing = recording((request, number, kind) => {
      if (kind !== 'chunks') return undefined;
      if (number === 1) for (const id of request.ids) bad.add(id);
      return number >= 1 && number <= 3 ? Promise.reject(coded('refusal')) : undefined;
    });
    const failed = await reported(LONG, { complete: failing.complete, completeAtOnce: 1 });
    expect(failed.report.sectionsFailed).toEqual([1]);
    expect(failed.report.chunks.failed).toBe(bad.size);
    const lost = failed.chunks.filter(({ enrichmentStatus }) => enrichmentStatus === 'failed');
    for (const piece of lost) {
      expect(piece).not.toHaveProperty('enrichment');
      expect(piece.enrichmentReasons).toEqual([{ reason: 'refusal' }]);
    }
    expect(textsOf(failed.chunks)).toEqual(textsOf(chunks));
  });

  it('ends the call when more than half of the sections have none, and at once for a wrong key', async () => {
    const after = (code: string) =>
      recording((_, __, kind) => (kind === 'cuts' ? undefined : Promise.reject(coded(code))));
    const none = after('content_filter');
    await expect(pro(LONG, { complete: none.complete })).rejects.toMatchObject({
      code: 'too_many_fallbacks',
      message: expect.stringMatching(/chunks of \d+ of \d+ sections.*content_filter/) as string,
    });
    const locked = after('rejected');
    await expect(pro(LONG, { complete: locked.complete })).rejects.toMatchObject({
      code: 'completion_failed',
    });
    expect(locked.requests.outline.length + locked.requests.chunks.length).toBe(1);
    const down = after('unavailable');
    await expect(pro(LONG, { complete: down.complete })).rejects.toMatchObject({
      code: 'too_many_fallbacks',
    });
    expect(down.requests.outline).toHaveLength(1);
  });

  it('goes without an outline of the model when there is none to be had', async () => {
    const { requests, complete } = recording((_, __, kind) =>
      kind === 'outline'
        ? Promise.resolve(answering({ sections: [], summary: 'They say that Zyxquell did it.' }))
        : undefined,
    );
    const { report, chunks } = await reported(LONG, { complete });
    expect(requests.outline).toHaveLength(2);
    expect(report).toMatchObject({ outline: 'headings', outlineFallback: 'wrong_answer' });
    expect(report.chunks.complete).toBe(chunks.length);
    expect(requests.chunks[0]?.messages[1]?.content).not.toContain('Zyxquell');
  });

  it('ends with the signal', async () => {
    const stop = new AbortController();
    const complete: Complete = (request, run) => {
      if (kindOf(request) === 'cuts') return scripted(request, run);
      stop.abort(new Error('enough'));
      return new Promise(() => undefined);
    };
    await expect(pro(LONG, { complete, signal: stop.signal })).rejects.toThrow('enough');
  });
});

describe('random answers', () => {
  it('leave the text as it is, within the maximum, and come to the same twice', async () => {
    const random = cases(100);
    let [kept, ended] = [0, 0];
    const text = TEXT.slice(0, 1600);
    const outcome = (seed: number, size: number) =>
      pro(text, { complete: hostileModel(seed), size }).catch((error: unknown) => {
        if (!(error instanceof ChunkError) || error.code !== 'too_many_fallbacks') throw error;
        return undefined;
      });
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.integer({ min: 90, max: 1200 }), async (seed, size) => {
        const chunks = await outcome(seed, size);
        if (seed % 8 === 0) expect(await outcome(seed, size)).toEqual(chunks);
        if (chunks === undefined) {
          ended++;
          return;
        }
        kept++;
        const violations = [
          ...violationsOfTiling(text, chunks),
          ...chunks.filter((piece) => indexedText(piece).length > size).map(() => 'too long'),
        ];
        expect(violations).toEqual([]);
        for (const { enrichment, enrichmentStatus, enrichmentReasons } of chunks) {
          expect(enrichment === undefined).toBe(enrichmentStatus === 'failed');
          expect(enrichmentReasons === undefined).toBe(enrichmentStatus === 'complete');
          const said = Object.values(enrichment ?? {}).flat() as string[];
          for (const one of said) {
            expect(one).not.toMatch(/[\p{Cc}\u202e\u{E0000}-\u{E007F}]|Zyxquell|1789/u);
            expect(one.isWellFormed() && one.length <= 600).toBe(true);
          }
        }
      }),
      random,
    );
    console.info(`random answers: ${kept} kept the laws, ${ended} ended with too_many_fallbacks`);
    expect(kept).toBeGreaterThan(0.5 * random.numRuns);
  }, 900_000);
});
