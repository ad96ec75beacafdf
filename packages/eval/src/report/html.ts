// A report as one HTML file without dependencies, to keep or to mail: no script, nothing that a browser would load, and
// a policy that forbids both.
import type { EvalReport, ScoreReport } from '../report.ts';
import { COLOURS, differenceChart, sizeChart } from './charts.ts';
import { escaped, HTML_END, htmlHead } from '../html.ts';
import {
  cellsOf,
  COLUMNS,
  corpusLine,
  counted,
  countOf,
  explanationOf,
  headsOf,
  meaningOf,
  percent,
  questionsLine,
  recommendationOf,
  RETRIEVERS,
  retrieversOf,
  rowsOf,
  titleOf,
  whole,
} from './wording.ts';
import type { RetrieverId } from '../report.ts';

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.55 system-ui, sans-serif; color: light-dark(#24201a, #ece6dc);
  background: light-dark(#fbfaf7, #171512); --faint: light-dark(#655d50, #aaa192); --line: light-dark(#ddd6c9, #3a352d);
  --better: light-dark(#1d7548, #6fcf9c); --worse: light-dark(#a33327, #f28b7d); }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 70rem; }
h1 { font-size: 1.4rem; margin: 0 0 .3rem; }
h2 { font-size: 1.15rem; margin: 2.5rem 0 .3rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 .3rem; }
p { margin: .4rem 0; max-width: 46rem; }
p.faint, li { color: var(--faint); }
.advice { border-left: 4px solid var(--better); padding: .1rem .9rem; margin: 1rem 0; }
.scroll { overflow-x: auto; }
svg { display: block; margin: .6rem 0; min-width: 42rem; max-width: 100%; height: auto; }
svg text { font: 12px system-ui, sans-serif; fill: var(--faint); }
svg text.name { fill: currentColor; }
svg .grid { stroke: var(--line); }
svg .axis { stroke: var(--faint); }
svg .reference { fill: var(--faint); }
svg g line { stroke-width: 2; }
svg .better { stroke: var(--better); fill: var(--better); }
svg .worse { stroke: var(--worse); fill: var(--worse); }
svg .no-difference { stroke: var(--faint); fill: light-dark(#fbfaf7, #171512); stroke-width: 2; }
svg .curve path { fill: none; stroke-width: 2; }
${COLOURS.map(([light, dark], index) => `svg .c${index} { stroke: light-dark(${light}, ${dark}); fill: light-dark(${light}, ${dark}); }`).join('\n')}
table { border-collapse: collapse; font-size: .87rem; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .55rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child, td:last-child, th:last-child { text-align: left; }
td.better { color: var(--better); font-weight: 600; }
td.worse { color: var(--worse); font-weight: 600; }
tr.reference td { background: light-dark(#f1ede4, #221f1a); }
dt { font-weight: 600; float: left; clear: left; width: 6rem; }
dd { margin: 0 0 .2rem 6rem; color: var(--faint); }
`;

/** Most documents and questions that are listed. */
const MOST_LISTED = 20;

/** The report as one self-contained HTML file, with plots, for light and dark screens. */
export function htmlReport(report: EvalReport): string {
  const advice = report.recommendations.map((each) => `<p>${escaped(recommendationOf(report, each))}</p>`);
  return `${htmlHead({ title: 'Retrieval by chunks', style: STYLE })}<h1>Retrieval by chunks</h1>
<p class="faint">${escaped(corpusLine(report))}. ${escaped(questionsLine(report))}</p>
<div class="advice">
${advice.join('\n')}
</div>
<p class="faint">${escaped(explanationOf(report))}</p>
${retrieversOf(report)
  .map((retriever) => section(report, retriever))
  .join('')}${headings(report)}${legend(report)}${documents(report)}${unanswered(report)}${HTML_END}`;
}

function section(report: EvalReport, retriever: RetrieverId): string {
  const rows = rowsOf(report, retriever, 'answers');
  if (rows.length === 0) return '';
  const embedder = retriever === 'vectors' ? ` of ${report.embedder ?? ''}` : '';
  return `<h2>${escaped(`By ${RETRIEVERS[retriever]}${embedder}`)}</h2>
<h3>Difference in r1000 at equal tokens, in points, and r1000</h3>
<p class="faint">A filled dot is a difference, a hollow one is none that can be shown. The diamond is the reference of its size.</p>
${differenceChart(rows)}<h3>r1000 by the size of the chunks</h3>
${sizeChart(report, rows)}<h3>All measures, ${counted(countOf(report, 'answers'), 'question')}, in %</h3>
${table(report, rows)}`;
}

function headings(report: EvalReport): string {
  const tables = retrieversOf(report).flatMap((retriever) => {
    const rows = rowsOf(report, retriever, 'headings');
    return rows.length === 0 ? [] : [`<h3>By ${escaped(RETRIEVERS[retriever])}</h3>\n${table(report, rows)}`];
  });
  if (tables.length === 0) return '';
  return `<h2>Questions from headings</h2>
<p class="faint">Headings as questions favour settings that put headings into the index, so they decide nothing.</p>
${tables.join('')}`;
}

/** Measures with a called difference are coloured and have a mark, for eyes that see no colour. */
function table(report: EvalReport, rows: readonly ScoreReport[]): string {
  const heads = headsOf(report).map((head) => `<th scope="col">${escaped(head)}</th>`);
  const lines = rows.map((row) => {
    const [name = '', tokens = '', ...rest] = cellsOf(report, row);
    const cells = COLUMNS.map((metric) => {
      const sign = row.differences?.[metric].verdict ?? 0;
      const mark = sign === 0 ? '' : sign > 0 ? ' ▲' : ' ▼';
      const colour = sign === 0 ? '' : sign > 0 ? ' class="better"' : ' class="worse"';
      return `<td${colour}>${percent(row.means[metric])}${mark}</td>`;
    });
    const style = row.differences === undefined ? ' class="reference"' : '';
    return `<tr${style}><td>${escaped(name)}</td><td>${tokens}</td>${cells.join('')}<td>${escaped(rest.at(-1) ?? '')}</td></tr>`;
  });
  return `<div class="scroll"><table>\n<thead><tr>${heads.join('')}</tr></thead>\n<tbody>\n${lines.join('\n')}\n</tbody>\n</table></div>\n`;
}

function legend(report: EvalReport): string {
  const entries = COLUMNS.map(
    (metric) => `<dt>${escaped(titleOf(metric, report))}</dt><dd>${escaped(meaningOf(metric, report))}</dd>`,
  );
  return `<h2>Measures</h2>\n<dl>\n${entries.join('\n')}\n</dl>\n`;
}

function documents(report: EvalReport): string {
  const shown = report.documents.slice(0, MOST_LISTED);
  const rows = shown.map(
    ({ name, characters, tokens }) =>
      `<tr><td>${escaped(name)}</td><td>${whole(characters)}</td><td>${whole(tokens)}</td></tr>`,
  );
  const more = report.documents.length - shown.length;
  const rest = more > 0 ? `<p class="faint">and ${counted(more, 'document')} more</p>\n` : '';
  return `<h2>Documents</h2>\n<table>\n<thead><tr><th scope="col">name</th><th scope="col">characters</th><th scope="col">tokens</th></tr></thead>\n<tbody>\n${rows.join('\n')}\n</tbody>\n</table>\n${rest}`;
}

function unanswered({ unanswered: questions }: EvalReport): string {
  if (questions.length === 0) return '';
  const items = questions
    .slice(0, MOST_LISTED)
    .map(
      ({ question, document }) =>
        `<li><bdi>${escaped(question)}</bdi> (<bdi>${escaped(document)}</bdi>)</li>`,
    );
  const more = questions.length - items.length;
  const rest = more > 0 ? `<p class="faint">and ${counted(more, 'question')} more</p>\n` : '';
  return `<h2>Questions that no setting answers in 2000 tokens</h2>\n<ul>\n${items.join('\n')}\n</ul>\n${rest}`;
}
