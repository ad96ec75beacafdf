// Horizontal rules of a page beside the rows of a table without vertical ones: rules through the table or around it,
// and rules of one length that frame it.
import type { Row } from './rows.ts';
import type { Rule } from '../pdfium/rules.ts';
import { firstIndex } from '../../../search.ts';

/** Horizontal rules from above. */
export interface LevelRules {
  readonly rules: readonly Rule[];
  /** True if they have one length and lie above, within and below the rows of a table. */
  readonly isFrame: boolean;
}

/** The horizontal rules of a page, ordered by height. */
export function levelRulesOf(rules: readonly Rule[]): LevelRules {
  return { rules: rules.filter(({ isLevel }) => isLevel).sort((a, b) => b.at - a.at), isFrame: false };
}

/** Least number of horizontal rules of one length that frame a table: above it, below its header, and below it. */
const FRAME_RULES = 3;
/** Rules of one length share their ends, to within so many points. */
const SAME_END = 2;

/** Rules of one length that follow each other, shorter ones between them aside: each frame stands above the next. */
export function framesOf({ rules }: LevelRules): LevelRules[] {
  const frames: Rule[][] = [];
  for (const rule of rules) {
    const last = frames.at(-1);
    const [first] = last ?? [];
    const before = first === undefined ? Infinity : first.from - rule.from;
    const behind = first === undefined ? Infinity : rule.to - first.to;
    if (before > SAME_END || behind > SAME_END) frames.push([rule]);
    else if (before >= -SAME_END && behind >= -SAME_END) last?.push(rule);
  }
  return frames.filter(({ length }) => length >= FRAME_RULES).map((rules) => ({ rules, isFrame: true }));
}

/** The rows in each frame with several rows and enough rules beside them. O(n log n). */
export function framedRows(
  rows: readonly Row[],
  frames: readonly LevelRules[],
): { readonly rows: readonly Row[]; readonly frame: LevelRules }[] {
  const inside = new Map<LevelRules, Row[]>();
  for (const row of rows) {
    // The first frame that reaches lower than the row is the only candidate.
    const frame = frames[firstIndex(frames, ({ rules }) => (rules.at(-1)?.at ?? 0) < row.bottom)];
    if (frame === undefined || row.top >= (frame.rules[0]?.at ?? 0)) continue;
    const known = inside.get(frame);
    if (known === undefined) inside.set(frame, [row]);
    else known.push(row);
  }
  return [...inside]
    .filter(([, { length }]) => length > 1)
    .map(([frame, rows]) => ({ rows, frame }))
    .filter(({ rows, frame }) => heightsBeside(rows, frame).length >= FRAME_RULES);
}

/** A rule beside rows reaches over this share of their measure. */
const COVERED = 0.6;
/** Greatest distance of a rule above the first row, and below the last, in font sizes. */
const ABOVE = 3;
const BELOW = 2;

/** The heights, from above, of horizontal rules through or around rows. */
export function heightsBeside(rows: readonly Row[], { rules }: LevelRules): number[] {
  const [first] = rows;
  const last = rows.at(-1);
  if (first === undefined || last === undefined) return [];
  const highest = first.top + ABOVE * first.size;
  const lowest = last.bottom - BELOW * last.size;
  const from = firstIndex(rules, ({ at }) => at < highest);
  if (!((rules[from]?.at ?? -Infinity) > lowest)) return [];
  const spans = rows.flatMap(({ spans }) => spans);
  const left = spans.reduce((least, span) => Math.min(least, span.left), Infinity);
  const right = spans.reduce((most, span) => Math.max(most, span.right), -Infinity);
  const heights: number[] = [];
  for (let index = from; index < rules.length; index++) {
    const rule = rules[index];
    if (rule === undefined || rule.at <= lowest) break;
    if (Math.min(rule.to, right) - Math.max(rule.from, left) > COVERED * (right - left))
      heights.push(rule.at);
  }
  return heights;
}
