// The meaning of the types of elements (ISO 32000-1, 14.8.4; ISO 32000-2 adds Title, FENote and Aside).

/** The shape that an element has in the document; a group is only its content. */
export type TagRole =
  | 'group'
  | 'heading'
  | 'list'
  | 'item'
  | 'table'
  | 'rows'
  | 'row'
  | 'cell'
  | 'caption'
  | 'figure'
  | 'note'
  | 'quote'
  | 'code'
  | 'contents'
  | 'artifact';

const ROLES: Readonly<Record<string, TagRole>> = {
  Title: 'heading',
  L: 'list',
  LI: 'item',
  Table: 'table',
  THead: 'rows',
  TBody: 'rows',
  TFoot: 'rows',
  TR: 'row',
  TH: 'cell',
  TD: 'cell',
  Caption: 'caption',
  Figure: 'figure',
  Note: 'note',
  FENote: 'note',
  Footnote: 'note',
  Endnote: 'note',
  BlockQuote: 'quote',
  Code: 'code',
  TOC: 'contents',
  Artifact: 'artifact',
};

const HEADING = /^H\d{0,2}$/;

/** The role of a type; unknown types are groups. */
export function roleOf(type: string): TagRole {
  return HEADING.test(type) ? 'heading' : (ROLES[type] ?? 'group');
}

const DEEPEST = 6;

/** The depth of a heading, 1 to 6; an `H` without a number has that of the sections around it. */
export function depthOf(type: string, sections: number): number {
  const number = type === 'Title' ? 1 : Number(type.slice(1));
  return Math.min(DEEPEST, Math.max(1, number === 0 ? sections : number));
}

/** True for the types that give an `H` without a number its depth. */
export function isSection(type: string): boolean {
  return type === 'Sect' || type === 'Art' || type === 'Part';
}
