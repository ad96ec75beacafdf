// The code blocks of the README and the docs.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../../..');
export const PAGES = globSync(
  ['*.md', 'docs/**/*.md', 'packages/*/README.md', 'packages/*/src/**/README.md', 'examples/*.md'],
  { cwd: ROOT, exclude: ['docs/site/{node_modules,dist,.pages}/**'] },
).sort();

export interface CodeBlock {
  readonly page: string;
  readonly line: number;
  /** First word of the info string. */
  readonly language: string;
  /**
   * Further words. `fails` marks a command that must end with an error. `syntax` marks code that is only parsed.
   * `untyped` marks a program without types: it shows a mistake that types would forbid, or types would hide its point.
   */
  readonly marks: readonly string[];
  readonly code: string;
}

function codeBlocks(page: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  const text = readFileSync(join(ROOT, page), 'utf8');
  for (const match of text.matchAll(/^```([^\n]*)\n(.*?)^```$/gms)) {
    const [language = '', ...marks] = (match[1] ?? '').trim().split(/\s+/);
    const line = text.slice(0, match.index).split('\n').length;
    blocks.push({ page, line, language, marks, code: match[2] ?? '' });
  }
  return blocks;
}

export const BLOCKS = PAGES.flatMap(codeBlocks);
export const isOnlyParsed = ({ marks }: CodeBlock): boolean => marks.includes('syntax');
/** The blocks of some languages that run. */
export const blocksIn = (...languages: string[]): CodeBlock[] =>
  BLOCKS.filter((block) => languages.includes(block.language) && !isOnlyParsed(block));
export const isWorkspaceCommand = (block: CodeBlock): boolean => /^(?:npm |bash \.ci\/run)/.test(block.code);
