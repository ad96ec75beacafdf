// The retrieval benchmark: `grainline eval` over documents that any reader can obtain, our tiers beside splitters of
// other libraries, at equal tokens in each document. Questions are made by rules, and the same for every setting. It
// writes RESULTS.md and the table of the project's README, losses included.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  DEFAULT_TIERS,
  evaluate,
  type EvalReport,
  makeQuestions,
  markdownReport,
  PEERS,
  type RetrieverId,
  settingsOf,
} from '@grainline/eval';
import { recordResults } from '@grainline/testing/results';
import { type Corpus, loadCorpora } from './corpora.ts';

/** Those of other libraries for texts. */
const PEER_IDS = ['langchain', 'langchain-markdown', 'chonkie'] as const;
const TIERS = [...DEFAULT_TIERS, ...PEER_IDS];
const README = path.join(import.meta.dirname, '../../../README.md');
const [BEGIN, END] = ['<!-- retrieval -->', '<!-- end of retrieval -->'];
/** Most questions of a corpus from cells and definitions. */
const QUESTIONS = 400;
const SIZE = 1000;

const corpora = await loadCorpora();
const reports: EvalReport[] = [];
for (const corpus of corpora) {
  await recordResults(
    import.meta.dirname,
    corpus.id,
    async () => {
      const report = await measure(corpus);
      reports.push(report);
      console.log(`${corpus.source}\n\n${markdownReport(report)}`);
    },
    'markdown',
  );
}
writeTable(corpora, reports);

async function measure({ documents, title }: Corpus): Promise<EvalReport> {
  const before = process.cpuUsage();
  const report = await evaluate({
    documents,
    questions: makeQuestions(documents, { most: QUESTIONS }),
    settings: settingsOf({ tiers: TIERS }),
    folder: path.join(import.meta.dirname, '../peers'),
    onProgress: ({ done, total, name }) => console.error(`${title}: ${done}/${total} ${name}`),
  });
  const { user, system } = process.cpuUsage(before);
  console.error(`${title}: ${((user + system) / 1e6).toFixed(1)} s of processor time`);
  return report;
}

/** The table of README.md: r1000 at size 1000, by keywords and by vectors; ▲ and ▼ are differences to structure. */
function writeTable(sources: readonly Corpus[], measured: readonly EvalReport[]): void {
  if (sources.length < 3) {
    console.error('README.md keeps its table: it takes all corpora.');
    return;
  }
  const heads = sources.map(({ title }, index) => {
    const { questions } = measured[index] ?? { questions: { cell: 0, definition: 0 } };
    return `${title} (${questions.cell + questions.definition})`;
  });
  const order = ['structure', 'professional', 'semantic', 'standard', 'free', ...PEER_IDS];
  const rows = order.map((tier) => {
    const name = Object.hasOwn(PEERS, tier) ? PEERS[tier as keyof typeof PEERS].title : `**${tier}**`;
    return [
      name,
      ...measured.map((report) => `${cell(report, tier, 'bm25')} / ${cell(report, tier, 'vectors')}`),
    ];
  });
  const table = [['chunks', ...heads], ['---', ...heads.map(() => '---')], ...rows].map(
    (cells) => `| ${cells.join(' | ')} |`,
  );
  const text = readFileSync(README, 'utf8');
  const [before, rest] = text.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`README.md has no ${BEGIN} … ${END}.`);
  writeFileSync(README, `${before}${BEGIN}\n\n${table.join('\n')}\n\n${END}${after}`);
}

function cell({ scores }: EvalReport, tier: string, retriever: RetrieverId): string {
  const score = scores.find(
    (row) =>
      row.setting === `${tier} ${SIZE}` &&
      row.retriever === retriever &&
      row.questions === 'answers' &&
      (row.blend ?? 0) === 0,
  );
  const verdict = score?.differences?.r1000.verdict ?? 0;
  return `${(100 * (score?.means.r1000 ?? NaN)).toFixed(1)}${verdict === 0 ? '' : verdict > 0 ? ' ▲' : ' ▼'}`;
}
