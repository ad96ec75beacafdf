// The role of each HTML element in the tree, as one table. An unlisted element is part of its line.
import type { MarkKind } from '../../tree/inline.ts';

/** The treatment of an element by the walk. */
export type Role =
  /** Stands on lines of its own. */
  | 'block'
  | 'paragraph'
  | 'heading'
  | 'list'
  | 'item'
  | 'definitions'
  | 'term'
  | 'description'
  | 'quote'
  | 'table'
  | 'caption'
  | 'section'
  | 'row'
  | 'cell'
  | 'preformatted'
  /** Its content is never shown. */
  | 'skipped'
  | 'title'
  | 'math'
  /** A second notation of a formula. */
  | 'annotation'
  | 'quotation'
  /** Separated from the words beside it; `<text>` is a label of a drawing. */
  | 'control'
  /** The reading above the letters of a ruby. */
  | 'reading'
  /** A mark in a line. */
  | 'mark'
  /** Has no content. */
  | 'void'
  | 'inline';

/** An element's row in the table. */
export interface Element {
  readonly role: Role;
  /** Elements that end one another share a key: all headings do, and both kinds of cell. */
  readonly key: string;
  /** Prevents end tags of inline elements from ending elements outside (HTML standard: "special"). */
  readonly isSpecial: boolean;
  /** Keeps every end tag inside, except those of its table. */
  readonly isBarrier: boolean;
  /** Begins a drawing or a formula, whose elements are not those of HTML. */
  readonly isForeign: boolean;
  /** Its start ends an open paragraph. */
  readonly endsParagraph: boolean;
  readonly mark?: MarkKind;
}

const NAMES: Readonly<Partial<Record<Role, string>>> = {
  block:
    'address article aside body center details dialog div fieldset figcaption figure footer form frameset ' +
    'header hgroup html legend main nav optgroup search section summary',
  paragraph: 'p',
  heading: 'h1 h2 h3 h4 h5 h6',
  list: 'ul ol menu dir',
  item: 'li',
  definitions: 'dl',
  term: 'dt',
  description: 'dd',
  quote: 'blockquote',
  table: 'table',
  caption: 'caption',
  section: 'thead tbody tfoot',
  row: 'tr',
  cell: 'td th',
  preformatted: 'pre listing xmp plaintext',
  skipped:
    'script style template noscript noembed noframes iframe object audio video canvas datalist ' +
    'annotation-xml desc metadata defs rp',
  title: 'title',
  math: 'math',
  annotation: 'annotation',
  quotation: 'q',
  control: 'option button select textarea text',
  reading: 'rt',
  void: 'area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr',
};

const MARKS: Readonly<Record<string, MarkKind>> = {
  b: 'strong',
  strong: 'strong',
  i: 'emphasis',
  em: 'emphasis',
  s: 'strike',
  del: 'strike',
  strike: 'strike',
  code: 'code',
  tt: 'code',
  kbd: 'code',
  samp: 'code',
  a: 'link',
};

/** Elements of one of these roles share its name as their key: the end tag of one ends another. */
const SHARED_KEY: ReadonlySet<Role> = new Set(['heading', 'section', 'cell']);
const IN_LINE: ReadonlySet<Role> = new Set([
  'inline',
  'mark',
  'title',
  'math',
  'annotation',
  'quotation',
  'control',
  'reading',
  'void',
]);
const BARRIERS: ReadonlySet<Role> = new Set(['table', 'caption', 'cell']);
/** Parts of a table. */
export const INSIDE_TABLE: ReadonlySet<Role> = new Set(['caption', 'section', 'row', 'cell']);

/** Elements that take an ARIA role. Marks are among them when they are parts of tables. */
export const OPEN_TO_ARIA: ReadonlySet<Role> = new Set([
  'block',
  'paragraph',
  'heading',
  'list',
  'item',
  'definitions',
  'term',
  'description',
  'quote',
  'inline',
]);

/** Elements of SVG and MathML that hold HTML (HTML standard, section 13.2.6: integration points). */
export const HOLDING_HTML = [
  'foreignobject',
  'desc',
  'mtext',
  'mi',
  'mo',
  'mn',
  'ms',
  'annotation-xml',
] as const;

/**
 * Start tags that a drawing or a formula cannot hold: it was not closed, and ends (HTML standard, section 13.2.6.5).
 */
export const ENDING_FOREIGN: ReadonlySet<string> = new Set(
  (
    'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta ' +
    'nobr ol p pre ruby s small span strong strike sub sup table tt u ul var'
  ).split(' '),
);

const ELEMENTS: ReadonlyMap<string, Element> = new Map([
  ...Object.entries(NAMES).flatMap(([role, names]) =>
    names.split(' ').map((name) => [name, element(name, role as Role)] as const),
  ),
  ...Object.entries(MARKS).map(([name, mark]) => [name, { ...element(name, 'mark'), mark }] as const),
]);

/** The table's row of an element, its name in lower case. */
export function elementOf(name: string): Element {
  return ELEMENTS.get(name) ?? element(name, 'inline');
}

function element(name: string, role: Role): Element {
  const isSpecial = !IN_LINE.has(role) && role !== 'skipped';
  return {
    role,
    key: SHARED_KEY.has(role) ? role : name,
    isSpecial,
    isBarrier: BARRIERS.has(role),
    isForeign: name === 'svg' || name === 'math',
    endsParagraph: (isSpecial && !INSIDE_TABLE.has(role)) || name === 'hr',
  };
}
