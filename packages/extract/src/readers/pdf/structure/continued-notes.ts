// Footnotes that go on at the foot of the next page, above its own: there they would stand inside a sentence.
import type { TreeNode } from '../../../tree/node.ts';
import type { LineBreaks } from '../lines/breaks.ts';
import { SENTENCE_END, SMALL_LETTER, type TextLine } from '../lines/text.ts';
import type { FootedPage, Footnote } from '../order/footnotes.ts';
import { footnoteNode, type Asides } from './asides.ts';

/** A page with its footnotes among its asides. */
interface NotedPage {
  readonly lines: readonly TextLine[];
  readonly asides: Asides;
  readonly foot: Foot;
}

/** The lowest footnote of a page, and small type at its foot that has no mark. */
export type Foot = Pick<FootedPage, 'last' | 'rest'>;

/** The pages with each such footnote as a whole on the page where it begins. Linear. */
export function joinNotes<Page extends NotedPage>(pages: readonly Page[], breaks: LineBreaks): Page[] {
  const joined = [...pages];
  for (const [at, page] of joined.entries()) {
    const next = joined[at + 1];
    const { last } = page.foot;
    const rest = next?.foot.rest ?? [];
    if (next === undefined || last === undefined || !goesOn(last.lines.at(-1), rest[0])) continue;
    const whole = footnoteNode({ ...last, lines: [...last.lines, ...rest] }, breaks);
    const asides = [...page.asides].map(([line, nodes]) => [line, nodes.map(withWhole)] as const);
    joined[at] = { ...page, asides: new Map(asides) };
    joined[at + 1] = { ...next, lines: next.lines.filter((line) => !rest.includes(line)) };

    function withWhole(node: TreeNode): TreeNode {
      return node.kind === 'footnote' && node.label === last?.label ? whole : node;
    }
  }
  return joined;
}

/** True if a sentence goes on from the end of a note to another line. */
function goesOn(end: Footnote['lines'][number] | undefined, line: TextLine | undefined): boolean {
  if (end === undefined || line === undefined) return false;
  return !SENTENCE_END.test(end.text) && (end.isDivided || SMALL_LETTER.test(line.text));
}
