// A report as plain text for a terminal, and as Markdown.
import type { EvalReport, ScoreReport } from '../report.ts';
import {
  cellsOf,
  COLUMNS,
  corpusLine,
  countOf,
  counted,
  explanationOf,
  headsOf,
  meaningOf,
  questionsLine,
  recommendationOf,
  resamplingLine,
  RETRIEVERS,
  retrieversOf,
  rowsOf,
  titleOf,
} from './wording.ts';

/** Parts of the questions, with their titles. */
const PARTS: readonly (readonly [ScoreReport['questions'], string])[] = [
  ['answers', ''],
  ['headings', ', questions from headings'],
];

/** The report for a terminal. */
export function textReport(report: EvalReport): string {
  const tables = tablesOf(report).map(({ title, rows }) => `${title}\n${inColumns(rows)}`);
  return [
    `${corpusLine(report)}\n${questionsLine(report)}\n`,
    ...tables,
    `${advice(report).join('\n')}\n`,
    `${explanationOf(report)}\n${legend(report)}\n`,
  ].join('\n');
}

/** The report as Markdown, without a title. */
export function markdownReport(report: EvalReport): string {
  const tables = tablesOf(report).map(({ title, rows: [heads = [], ...rows] }) => {
    const lines = [heads, heads.map((_, column) => (column === 0 ? '---' : '--:')), ...rows];
    return `**${title}**\n\n${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`;
  });
  return [
    `${corpusLine(report)}. ${questionsLine(report)} ${resamplingLine(report)}\n`,
    ...tables,
    `${advice(report)
      .map((sentence) => `- ${sentence}`)
      .join('\n')}\n`,
  ].join('\n');
}

/** The tables of a report: a title, the heads, and the rows. */
function tablesOf(report: EvalReport): { readonly title: string; readonly rows: readonly string[][] }[] {
  return PARTS.flatMap(([part, suffix]) =>
    retrieversOf(report).flatMap((retriever) => {
      const rows = rowsOf(report, retriever, part);
      if (rows.length === 0) return [];
      const by = RETRIEVERS[retriever];
      const embedder = retriever === 'vectors' ? ` of ${report.embedder ?? ''}` : '';
      const title = `By ${by}${embedder}, ${counted(countOf(report, part), 'question')}${suffix}, in %`;
      return [{ title, rows: [headsOf(report), ...rows.map((row) => cellsOf(report, row))] }];
    }),
  );
}

function advice(report: EvalReport): string[] {
  return report.recommendations.map((recommendation) => recommendationOf(report, recommendation));
}

function legend(report: EvalReport): string {
  return COLUMNS.map((metric) => `${titleOf(metric, report)}: ${meaningOf(metric, report)}`).join('\n');
}

/** Rows with aligned columns: the first to the left, numbers to the right, the last as it is. */
function inColumns(rows: readonly string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  const lines = rows.map((row) =>
    row
      .map((cell, column) => {
        if (column === row.length - 1) return cell;
        return column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0);
      })
      .join('  '),
  );
  return `${lines.join('\n')}\n`;
}
