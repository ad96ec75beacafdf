// What the style sheet of a DOCX says about headings: which style stands for which depth. Built-in styles have
// English names whatever the language of Word; own styles inherit from them or carry an outline level.
import { Parser } from 'htmlparser2';

/** Depth 1 to 6 of a paragraph style's headings; 0 for styles of ordinary text. */
export type HeadingDepths = (styleId: string | null, styleName: string | null) => number;

interface Style {
  name: string;
  basedOn: string;
  /** Outline level as written: 0 to 8 are headings, 9 is body text; -1 when none is written. */
  outline: number;
}

const MAX_HEADING_DEPTH = 6;
const BODY_TEXT = 9;

/** Reads `word/styles.xml`. Knows the usual names also where there is no style sheet. */
export function headingDepths(stylesXml: string | undefined): HeadingDepths {
  const styles = stylesXml === undefined ? new Map<string, Style>() : readStyles(stylesXml);
  const known = new Map<string, number>();
  return (styleId, styleName) => {
    if (styleId === null) return 0;
    let depth = known.get(styleId);
    if (depth === undefined) known.set(styleId, (depth = depthOf(styleId, styleName, styles)));
    return depth;
  };
}

/** Follows the chain of `basedOn` to the first style that decides; a chain that bites its tail decides nothing. */
function depthOf(styleId: string, styleName: string | null, styles: ReadonlyMap<string, Style>): number {
  const seen = new Set<string>();
  for (let id = styleId; id !== '' && !seen.has(id); id = styles.get(id)?.basedOn ?? '') {
    seen.add(id);
    const style = styles.get(id);
    const named = depthByName(style?.name ?? (id === styleId ? (styleName ?? styleId) : id));
    if (named > 0) return named;
    const outline = style?.outline ?? -1;
    if (outline >= 0) return outline < BODY_TEXT ? Math.min(MAX_HEADING_DEPTH, outline + 1) : 0;
  }
  return 0;
}

function depthByName(name: string): number {
  if (/^title$/i.test(name)) return 1;
  const depth = /^heading ?([1-9])$/i.exec(name)?.[1];
  return depth === undefined ? 0 : Math.min(MAX_HEADING_DEPTH, Number(depth));
}

function readStyles(xml: string): Map<string, Style> {
  const styles = new Map<string, Style>();
  let style: Style | undefined;
  const parser = new Parser(
    {
      onopentag: (qualified, attributes) => {
        const name = localName(qualified);
        const value = attribute(attributes, 'val');
        if (name === 'style' && attribute(attributes, 'type') === 'paragraph') {
          style = { name: '', basedOn: '', outline: -1 };
          const id = attribute(attributes, 'styleId');
          // The first of two styles with one id keeps it (ECMA-376 part 1, section 17.7.4.17).
          if (!styles.has(id)) styles.set(id, style);
        } else if (style === undefined) return;
        else if (name === 'name') style.name = value;
        else if (name === 'basedOn') style.basedOn = value;
        else if (name === 'outlineLvl') style.outline = Number.parseInt(value, 10);
      },
      onclosetag: (qualified) => {
        if (localName(qualified) === 'style') style = undefined;
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return styles;
}

/** Prefixes are free; the names behind them are not. */
function localName(qualified: string): string {
  return qualified.slice(qualified.indexOf(':') + 1);
}

function attribute(attributes: Readonly<Record<string, string>>, name: string): string {
  return Object.entries(attributes).find(([qualified]) => localName(qualified) === name)?.[1] ?? '';
}
