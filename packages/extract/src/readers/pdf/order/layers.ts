// Lines that the stream has behind the lines around them: browsers draw positioned elements (titles with anchors, code
// with a button to copy it) after all others of their page.
import type { TextLine } from '../lines/text.ts';
import { firstIndex } from '../../../search.ts';

/** A layer begins with a rise of so many times the font size. Pages with more layers are drawings, tables or forms. */
const LEAST_RISE = 4;
const MOST_LAYERS = 8;
/** A layer has lines in so many gaps of those before it; running heads and feet leave one gap, for all of the text. */
const LEAST_GAPS = 2;
/** At least this share of the lines of a layer stand in gaps. */
const SHARE = 0.8;
/** A line takes so many times its font size above and below its baseline. */
const ASCENT = 0.7;
const DESCENT = 0.2;

/** The lines of a page, those of a later layer in the gaps of the text before where they stand. O(n log n). */
export function joinLayers(lines: readonly TextLine[]): readonly TextLine[] {
  const layers = layersOf(lines);
  if (layers.length < 2 || layers.length > MOST_LAYERS) return lines;
  return layers.reduce<readonly TextLine[]>(
    (before, layer) => joinLayer(before, layer) ?? [...before, ...layer],
    [],
  );
}

function layersOf(lines: readonly TextLine[]): TextLine[][] {
  const layers: TextLine[][] = [];
  let before = -Infinity;
  for (const line of lines) {
    const isPlain = isUpright(line);
    if (layers.length === 0 || (isPlain && line.baseline > before + LEAST_RISE * line.size)) layers.push([]);
    layers.at(-1)?.push(line);
    if (isPlain) before = line.baseline;
  }
  return layers;
}

function isUpright({ text, isTurned, cells }: TextLine): boolean {
  return text !== '' && !isTurned && cells.length > 0;
}

/** Lines with those of a layer in their gaps; `undefined` where it stands beside or behind them. */
function joinLayer(before: readonly TextLine[], layer: readonly TextLine[]): TextLine[] | undefined {
  const own = layer.filter(isUpright);
  const around = before.filter(isUpright).sort((a, b) => b.baseline - a.baseline);
  /** The lines in gaps by the line above. */
  const gaps = new Map<TextLine, TextLine[]>();
  for (const [at, line] of own.entries()) {
    const above = lineAbove(around, line);
    if (above === undefined || [own[at - 1], own[at + 1]].some((other) => other && areLevel(line, other)))
      continue;
    const gap = gaps.get(above);
    if (gap === undefined) gaps.set(above, [line]);
    else gap.push(line);
  }
  const moved = new Set([...gaps.values()].flat());
  if (gaps.size < LEAST_GAPS || moved.size < SHARE * own.length) return undefined;
  const lines = before.flatMap((line) => [line, ...(gaps.get(line) ?? [])]);
  return [...lines, ...layer.filter((line) => !moved.has(line))];
}

/** The line above the gap in which a line stands: no other is beside it, and text is right above and right below it. */
function lineAbove(around: readonly TextLine[], line: TextLine): TextLine | undefined {
  const next = firstIndex(around, ({ baseline }) => baseline < line.baseline);
  const [above, below] = [around[next - 1], around[next]];
  if (above === undefined || below === undefined || areLevel(above, line) || areLevel(below, line))
    return undefined;
  return isOver(above, line) && isOver(below, line) ? above : undefined;
}

/** True if lines share a height. */
function areLevel(a: TextLine, b: TextLine): boolean {
  const [upper, lower] = a.baseline > b.baseline ? [a, b] : [b, a];
  return upper.baseline - DESCENT * upper.size < lower.baseline + ASCENT * lower.size;
}

/** True if text of a line stands straight above or below another. */
function isOver({ cells }: TextLine, { left, right }: TextLine): boolean {
  return cells.some((cell) => cell.left < right && cell.right > left);
}
