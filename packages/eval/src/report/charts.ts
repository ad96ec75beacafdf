// The plots of a report as inline SVG. Colours come from the page's style, which has them for light and dark.
import type { EvalReport, ScoreReport, SettingReport } from '../report.ts';
import { DECIDING } from '../report.ts';
import { escaped } from '../html.ts';
import { interval, percent, points, shownName, verdict } from './wording.ts';

const WIDTH = 820;
const [ROW, LABEL, VALUE] = [22, 250, 120];
const [TOP, BOTTOM] = [10, 26];

/** Differences to the reference of equal tokens with their intervals: a filled dot where a difference is called. */
export function differenceChart(rows: readonly ScoreReport[]): string {
  const compared = rows.filter(({ differences }) => differences !== undefined);
  const bounds = compared.flatMap(({ differences }) => [
    differences?.[DECIDING].low ?? 0,
    differences?.[DECIDING].high ?? 0,
  ]);
  const step = stepOf(Math.max(0.02, ...bounds) - Math.min(-0.02, ...bounds));
  const low = Math.floor(Math.min(-0.01, ...bounds) / step) * step;
  const high = Math.ceil(Math.max(0.01, ...bounds) / step) * step;
  const x = scale(low, high, LABEL, WIDTH - VALUE);
  const bottom = TOP + ROW * rows.length;
  const ticks = ticksOf(low, high, step).map(
    (value) =>
      `<line class="${value === 0 ? 'axis' : 'grid'}" x1="${x(value)}" x2="${x(value)}" y1="${TOP}" y2="${bottom}"/>` +
      `<text x="${x(value)}" y="${bottom + 16}" text-anchor="middle">${value === 0 ? '0' : points(value)}</text>`,
  );
  const marks = rows.map(({ name, means, differences }, index) => {
    const y = TOP + ROW * index + ROW / 2;
    const texts =
      `<text class="name" x="0" y="${y + 4}">${escaped(shownName(name))}</text>` +
      `<text x="${WIDTH}" y="${y + 4}" text-anchor="end">${percent(means[DECIDING])} %</text>`;
    const difference = differences?.[DECIDING];
    if (difference === undefined)
      return `${texts}<path class="reference" d="M${x(0)} ${y - 6}l6 6l-6 6l-6 -6z"><title>reference</title></path>`;
    const kind = verdict(difference);
    return (
      `${texts}<g class="${kind.replace(' ', '-')}"><title>${escaped(`${shownName(name)}: ${interval(difference)}, ${kind}`)}</title>` +
      `<line x1="${x(difference.low)}" x2="${x(difference.high)}" y1="${y}" y2="${y}"/>` +
      `<circle cx="${x(difference.mean)}" cy="${y}" r="5"/></g>`
    );
  });
  return svg(bottom + BOTTOM, 'Differences in r1000 at equal tokens', [...ticks, ...marks]);
}

const HEIGHT = 300;
const LEGEND_ROW = 18;
const DASHES = ['', '6 4', '2 3', '8 3 2 3'];

/** The deciding measure over the mean tokens of the chunks: a curve for each tier, dashed for further options. */
export function sizeChart(report: EvalReport, rows: readonly ScoreReport[]): string {
  const settings = new Map(report.settings.map((setting) => [setting.name, setting]));
  const series = [...Map.groupBy(rows, (row) => seriesOf(row, settings.get(row.setting))).entries()].map(
    ([name, members]) => ({
      name,
      tier: members[0]?.setting.split(' ')[0] ?? '',
      at: members
        .map((row) => ({ tokens: settings.get(row.setting)?.tokens ?? 0, share: row.means[DECIDING] }))
        .sort((a, b) => a.tokens - b.tokens),
    }),
  );
  const all = series.flatMap(({ at }) => at);
  const shares = all.map(({ share }) => share);
  const step = stepOf(Math.max(0.02, Math.max(...shares) - Math.min(...shares)));
  const low = Math.floor(Math.min(...shares) / step) * step;
  const high = Math.max(low + step, Math.ceil(Math.max(...shares) / step) * step);
  const most = Math.max(...all.map(({ tokens }) => tokens));
  // The widest label of the axis is `100.0 %`.
  const [left, right, bottom] = [64, WIDTH - 270, HEIGHT - 40];
  const x = scale(0, most * 1.05, left, right);
  const y = scale(low, high, bottom, TOP);
  const grid = ticksOf(low, high, step).map(
    (value) =>
      `<line class="grid" x1="${left}" x2="${right}" y1="${y(value)}" y2="${y(value)}"/>` +
      `<text x="${left - 8}" y="${y(value) + 4}" text-anchor="end">${(100 * value).toFixed(step < 0.01 ? 1 : 0)} %</text>`,
  );
  const tokenStep = stepOf(most);
  const under = ticksOf(0, most, tokenStep).map(
    (value) => `<text x="${x(value)}" y="${bottom + 18}" text-anchor="middle">${value}</text>`,
  );
  const tiers = [...new Set(series.map(({ tier }) => tier))];
  const curves = series.map(({ name, tier, at }, index) => {
    const dash =
      DASHES[series.slice(0, index).filter((other) => other.tier === tier).length % DASHES.length] ?? '';
    const colour = `c${tiers.indexOf(tier) % COLOURS.length}`;
    const line = at
      .map(({ tokens, share }, place) => `${place === 0 ? 'M' : 'L'}${x(tokens)} ${y(share)}`)
      .join('');
    const dots = at.map(
      ({ tokens, share }) =>
        `<circle cx="${x(tokens)}" cy="${y(share)}" r="3.5"><title>${escaped(`${name}, ${tokens.toFixed(0)} tokens: ${percent(share)} %`)}</title></circle>`,
    );
    const legend = TOP + 8 + LEGEND_ROW * index;
    return (
      `<g class="curve ${colour}"><path d="${line}" stroke-dasharray="${dash}"/>${dots.join('')}` +
      `<path d="M${right + 20} ${legend}h26" stroke-dasharray="${dash}"/></g>` +
      `<text x="${right + 54}" y="${legend + 4}">${escaped(name)}</text>`
    );
  });
  const axis = `<text x="${(left + right) / 2}" y="${HEIGHT - 4}" text-anchor="middle">mean tokens of a chunk</text>`;
  const height = Math.max(HEIGHT, TOP + 8 + LEGEND_ROW * series.length);
  return svg(height, 'r1000 over the mean tokens of a chunk', [...grid, ...under, ...curves, axis]);
}

/** Colours of curves, light and dark. */
export const COLOURS = [
  ['#2a63ad', '#7fb2f2'],
  ['#b25d00', '#f0a955'],
  ['#1d7548', '#6fcf9c'],
  ['#a02f74', '#ef8cc6'],
  ['#5f5aa8', '#b3aef5'],
  ['#68624f', '#bdb59c'],
  ['#a33327', '#f28b7d'],
  ['#1c7480', '#6fcbd6'],
] as const;

/** A row's name without the size. */
function seriesOf({ name }: ScoreReport, setting: SettingReport | undefined): string {
  const [tier = '', size = '', ...rest] = name.split(' ');
  return shownName([tier, ...(String(setting?.size) === size ? [] : [size]), ...rest].join(' '));
}

/** A plot that scrolls in a narrow window, where its words would be too small to read. */
function svg(height: number, label: string, parts: readonly string[]): string {
  return `<div class="scroll"><svg viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" role="img" aria-label="${label}">${parts.join('')}</svg></div>\n`;
}

function scale(low: number, high: number, from: number, to: number): (value: number) => number {
  return (value) => Math.round(10 * (from + ((value - low) / (high - low)) * (to - from))) / 10;
}

/** A step of 1, 2 or 5 times a power of ten that cuts a range into some five parts. */
function stepOf(range: number): number {
  const power = 10 ** Math.floor(Math.log10(range / 5));
  const factor = [1, 2, 5, 10].find((each) => range / (each * power) <= 6) ?? 10;
  return factor * power;
}

function ticksOf(low: number, high: number, step: number): number[] {
  const count = Math.round((high - low) / step);
  return Array.from({ length: count + 1 }, (_, index) => Math.round((low + index * step) * 1e6) / 1e6).filter(
    (value) => value <= high + step / 1000,
  );
}
