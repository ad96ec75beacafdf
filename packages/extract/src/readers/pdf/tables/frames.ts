// Rules that meet → the frames of ruled tables, with the borders of their columns and rows.
import { MAX_COLUMNS } from './cells.ts';
import type { Rule } from '../pdfium/rules.ts';

/** Lines closer than this are one; a line that ends this short of another meets it. In points. */
export const SNAP = 3;
const MAX_ROWS = 500;

/** A space that rules part into rows and columns. */
export interface Frame {
  /** Borders of the columns from the left, and of the rows from the top. */
  readonly columns: readonly number[];
  readonly rows: readonly number[];
  readonly rules: readonly Rule[];
  /** Borders of columns that only the pieces of its outer lines show. */
  readonly joints: readonly number[];
}

/** A rule with the positions at which pieces of it meet. */
interface JoinedRule extends Rule {
  readonly joints: readonly number[];
}

/** Rules that continue one another are one: some programs draw the line between two columns anew for each row. */
export function joinRules(rules: readonly Rule[]): JoinedRule[] {
  const upright = rules.filter(({ isLevel }) => !isLevel);
  const level = rules.filter(({ isLevel }) => isLevel);
  return [...joinAlong(upright), ...joinAlong(level)];
}

/** Joins rules of one direction. */
function joinAlong(rules: readonly Rule[]): JoinedRule[] {
  const joined: JoinedRule[] = [];
  for (const rule of rules.toSorted((a, b) => Math.round(a.at) - Math.round(b.at) || a.from - b.from)) {
    const last = joined.at(-1);
    const isContinued = last !== undefined && Math.abs(last.at - rule.at) <= 1 && rule.from <= last.to + SNAP;
    if (!isContinued) joined.push({ ...rule, joints: [] });
    else {
      const joints = rule.from > last.to - SNAP ? [...last.joints, rule.from] : last.joints;
      joined[joined.length - 1] = { ...last, to: Math.max(last.to, rule.to), joints };
    }
  }
  return joined;
}

/**
 * Rules that meet, directly or by way of others, when they part a space into columns and rows. Where no upright
 * lines are drawn within a table, the pieces of the others may do so, and so may those of its outer lines.
 */
export function framesOf(rules: readonly JoinedRule[]): Frame[] {
  return componentsOf(rules).flatMap((component) => {
    const level = component.filter(({ isLevel }) => isLevel);
    const upright = component.filter(({ isLevel }) => !isLevel);
    const drawn = { columns: borders(upright, level), rows: borders(level, upright) };
    const isOuter = drawn.columns.length === 2 && drawn.rows.length === 2;
    const joints = drawn.columns.length === 2 ? commonJoints(level) : [];
    const heights = isOuter ? commonJoints(upright) : [];
    const { columns } = drawn;
    const rows = [...drawn.rows, ...heights].sort((a, b) => b - a);
    const [from = 0, to = 0] = columns;
    const added = heights.map((at): Rule => ({ isLevel: true, at, from, to }));
    const width = columns.length + joints.length;
    const fits = width > 2 && width <= MAX_COLUMNS && rows.length > 2 && rows.length <= MAX_ROWS;
    return fits ? [{ columns, rows, rules: [...component, ...added], joints }] : [];
  });
}

/** The positions at which the pieces of all of some parallel lines, two or more, meet. */
function commonJoints([first, ...others]: readonly JoinedRule[]): readonly number[] {
  if (first === undefined || others.length === 0) return [];
  const isCommon = (at: number, joints: readonly number[]): boolean =>
    joints.some((joint) => Math.abs(joint - at) <= SNAP);
  const areCommon = others.every(
    ({ joints }) => joints.length === first.joints.length && first.joints.every((at) => isCommon(at, joints)),
  );
  return areCommon ? first.joints : [];
}

/** The positions of some rules, and the ends of the rules across them, where a table has no outer line. */
function borders(along: readonly Rule[], across: readonly Rule[]): number[] {
  const first = across.reduce((least, { from }) => Math.min(least, from), Infinity);
  const last = across.reduce((most, { to }) => Math.max(most, to), -Infinity);
  const positions: number[] = [];
  for (const at of along.map((rule) => rule.at).sort((a, b) => a - b))
    if (at - (positions.at(-1) ?? -Infinity) > SNAP) positions.push(at);
  if (first < (positions[0] ?? Infinity) - 2 * SNAP) positions.unshift(first);
  if (last > (positions.at(-1) ?? -Infinity) + 2 * SNAP) positions.push(last);
  return positions;
}

function componentsOf(rules: readonly JoinedRule[]): JoinedRule[][] {
  const level = rules.filter(({ isLevel }) => isLevel);
  const upright = rules.filter(({ isLevel }) => !isLevel);
  const unseen = new Set<JoinedRule>(rules);
  const components: JoinedRule[][] = [];
  for (const rule of rules) {
    if (!unseen.delete(rule)) continue;
    const component = [rule];
    // Grows while it is walked: each rule is met once, and compared with those across it.
    for (const next of component) {
      for (const other of next.isLevel ? upright : level)
        if (unseen.has(other) && meets(next, other)) {
          unseen.delete(other);
          component.push(other);
        }
    }
    if (component.length > 3) components.push(component);
  }
  return components;
}

function meets(a: Rule, b: Rule): boolean {
  return a.at >= b.from - SNAP && a.at <= b.to + SNAP && b.at >= a.from - SNAP && b.at <= a.to + SNAP;
}

/** The index of the band between two borders around a position; borders rise or, with `sign` -1, fall. */
export function bandOf(borders: readonly number[], place: number, sign: 1 | -1): number {
  const next = borders.findIndex((border) => sign * border > sign * place);
  return next === -1 ? borders.length - 2 : Math.max(0, next - 1);
}
