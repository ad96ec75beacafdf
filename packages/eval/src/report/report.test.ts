import { documentFromText } from '@grainline/core';
import { describe, expect, it } from 'vitest';
import { evaluate } from '../evaluate.ts';
import type { EvalQuestion } from '../questions/question.ts';
import type { EvalReport } from '../report.ts';
import { settingsOf } from '../settings.ts';
import { htmlReport } from './html.ts';
import { markdownReport, textReport } from './text.ts';
import { interval, points, resamplingLine } from './wording.ts';

const HOSTILE = '<img src=x onerror=alert(1)> "&\u202e';

/** Sections with one name each; questions by the names, and one that nothing answers. */
async function reportOf(sections: number, questions: number): Promise<EvalReport> {
  const facts = Array.from(
    { length: sections },
    (_, index) => `Ship k${index} carries salt and rope to port p${index}.`,
  );
  const text = facts
    .map((fact) => `${'The sea is wide and the wind is cold. '.repeat(9)}${fact}\n\n`)
    .join('');
  const spansOf = (fact: string) => [{ start: text.indexOf(fact), end: text.indexOf(fact) + fact.length }];
  const answered = facts.slice(0, questions).map((fact, index): EvalQuestion => ({
    question: `What does ship k${index} carry?`,
    document: HOSTILE,
    spans: spansOf(fact),
    origin: index % 2 === 0 ? 'given' : 'cell',
  }));
  const lost: EvalQuestion = {
    question: `${HOSTILE} zz`,
    document: HOSTILE,
    spans: spansOf(facts.at(-1) ?? ''),
    origin: 'heading',
  };
  return evaluate({
    documents: [{ name: HOSTILE, document: documentFromText(text) }],
    questions: [...answered, lost],
    settings: [
      ...settingsOf({ tiers: ['structure', 'langchain'], sizes: [12000] }),
      ...settingsOf({ tiers: ['structure'], sizes: [300] }),
    ],
    k: 3,
  });
}

describe('reports', () => {
  it('cut off no number at the left of a plot, such as 100.0 %', async () => {
    const html = htmlReport(await reportOf(60, 50));
    const ends = [...html.matchAll(/<text x="([\d.]+)"[^>]*text-anchor="end">/g)].map(([, x]) => Number(x));
    expect(ends.length).toBeGreaterThan(0);
    // A character of these numbers takes 7 units in the mean.
    expect(Math.min(...ends)).toBeGreaterThanOrEqual(7 * '100.0 %'.length);
  });

  it('say the same in text, Markdown and HTML: corpus, every row, and the advice', async () => {
    const report = await reportOf(60, 50);
    const [text, markdown, html] = [textReport(report), markdownReport(report), htmlReport(report)];
    const plain = html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
    for (const each of [text, markdown, plain]) {
      expect(each).toContain('1 document with');
      expect(each).toContain(
        'Questions of yours: 25; made by rules: 25 from table cells, 1 from headings, which decide nothing.',
      );
      expect(each).toContain(
        'Intervals come from a paired bootstrap over the questions, because their documents (1) are too few, ' +
          'or a few of them have most questions: other documents may differ by more.',
      );
      expect(each).toContain('LangChain recursive 12000');
      expect(each).toContain('structure 12000 blend 0.4');
      expect(each).toContain('recall@3');
      expect(each).toMatch(
        /For keywords \(BM25\), take structure 300: best in (?:99|100) % of the resamples of 25 questions\./,
      );
    }
    const rows = markdown.split('\n').filter((line) => line.startsWith('| '));
    // Two tables each for answers and headings: two lines of head, and three settings by keywords or six by vectors.
    expect(rows).toHaveLength(2 * (2 + 3 + 2 + 6));
    for (const row of rows) expect(row.split('|')).toHaveLength(12);
  });

  it('say that few questions decide nothing', async () => {
    expect(textReport(await reportOf(12, 6))).toContain(
      'No recommendation for keywords (BM25): 3 questions to judge by are too few; give 40 questions or more.',
    );
  });

  it('hold no markup of a document and nothing that a browser would load or run', async () => {
    const html = htmlReport(await reportOf(12, 6));
    expect(html).toContain("default-src 'none'; style-src 'sha256-");
    expect(html).not.toMatch(/<(?:img|script|link|iframe|a)\b|<[^>]*\s(?:on\w+|style|src|href)=|https?:/);
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt; &quot;&amp;');
    const tags = [...html.matchAll(/<(\/?)(\w+)([^>]*?)(\/?)>/g)];
    const open: string[] = [];
    for (const [, close, name = '', , isEmpty] of tags) {
      if (isEmpty === '/' || ['meta', 'circle', 'line'].includes(name)) continue;
      if (close === '/') expect(open.pop()).toBe(name);
      else open.push(name);
    }
    expect(open).toEqual([]);
    expect(html).not.toMatch(/NaN|undefined|Infinity/);
  });

  it('say what the intervals resample', async () => {
    const report = await reportOf(12, 6);
    const lineOf = (resampling: EvalReport['resampling']): string =>
      resamplingLine({ ...report, resampling });
    expect(lineOf({ unit: 'documents', documents: 20 })).toBe(
      'Intervals come from a paired bootstrap over the 20 documents with questions, each with all of its questions.',
    );
    expect(lineOf({ unit: 'questions', documents: 6 })).toBe(
      'Intervals come from a paired bootstrap over the questions.',
    );
  });

  it('write differences with their signs', () => {
    expect([0.0231, -0.0104, 0.0001, -0.0001].map(points)).toEqual(['+2.3', '−1.0', '0.0', '0.0']);
    expect(interval({ mean: 0.02, low: -0.01, high: 0.05, verdict: 0 })).toBe('+2.0 [−1.0, 5.0]');
  });
});
