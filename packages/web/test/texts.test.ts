// Every text of the page stands in src/texts.ts: components hold none of their own.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const SOURCE = join(import.meta.dirname, '../src');
/** Attributes that a visitor sees, or hears from a screen reader. */
const SHOWN = ['aria-label', 'aria-description', 'title', 'placeholder', 'alt', 'label', 'of', 'name'];
/** Words, unlike the name of a field or the id of a tab. */
const WORDS = /\p{L} \p{L}|\p{Lu}\p{L}/u;

/** Words between tags, and words of shown attributes. */
function textsIn(path: string): string[] {
  const code = readFileSync(join(SOURCE, path), 'utf8');
  const file = ts.createSourceFile(path, code, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isJsxText(node) && /\p{L}{2}/u.test(node.text)) found.push(node.text.trim());
    if (ts.isJsxAttribute(node) && SHOWN.includes(node.name.getText())) {
      const words = literalOf(node).replaceAll(/\$\{[^}]*\}/g, '');
      if (WORDS.test(words)) found.push(words);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found.map((text) => `${path}: ${text}`);
}

/** The string or template of an attribute as it is written; '' for another value. */
function literalOf({ initializer }: ts.JsxAttribute): string {
  const value =
    initializer !== undefined && ts.isJsxExpression(initializer) ? initializer.expression : initializer;
  return value !== undefined && (ts.isStringLiteralLike(value) || ts.isTemplateExpression(value))
    ? value.getText()
    : '';
}

describe('the texts of the page', () => {
  it('stand in one file', () => {
    const components = globSync('**/*.tsx', { cwd: SOURCE });
    expect(components.length).toBeGreaterThan(20);
    expect(components.flatMap(textsIn)).toEqual([]);
  });
});
