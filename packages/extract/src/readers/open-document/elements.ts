// Elements of OpenDocument by their role for a reader of text.

/** Content that is not shown, or that is no text of the document. */
export const SKIPPED: ReadonlySet<string> = new Set([
  'text:tracked-changes',
  'office:annotation',
  'office:annotation-end',
  'office:forms',
  'office:scripts',
  'office:event-listeners',
  'office:binary-data',
  'text:number',
  'text:ruby-text',
  'text:note-citation',
  'text:variable-decls',
  'text:sequence-decls',
  'text:user-field-decls',
  'text:hidden-text',
  'text:script',
  'text:meta-field-source',
  'text:table-of-content-source',
  'text:illustration-index-source',
  'text:table-index-source',
  'text:object-index-source',
  'text:user-index-source',
  'text:alphabetical-index-source',
  'text:bibliography-source',
  'table:covered-table-cell',
  'table:shapes',
  'table:table-source',
  'draw:glue-point',
  'draw:image-map',
  'draw:control',
  'draw:param',
  'presentation:header-decl',
  'presentation:footer-decl',
  'presentation:date-time-decl',
  'style:master-page',
]);

/** Drawings that may hold text of their own. */
export const SHAPES: ReadonlySet<string> = new Set(
  (
    'draw:frame draw:custom-shape draw:rect draw:circle draw:ellipse draw:line draw:polyline draw:polygon ' +
    'draw:regular-polygon draw:path draw:connector draw:caption draw:measure'
  ).split(' '),
);
