// Pages of figures: each RESULTS.md under its own title, and the table of the README.
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** A RESULTS.md under a title that tells it from those of other packages. */
export function benchmarkPage(root, name, title) {
  const file = path.join(root, `packages/${name}/bench/RESULTS.md`);
  return readFileSync(file, 'utf8').replace(/^# .*$/m, `# ${title}`);
}

const RETRIEVAL = /<!-- retrieval -->\n([^]*?)<!-- end of retrieval -->/;
const ABOUT = `At \`size\` 1000: the share of the answer in the first 1000 tokens that a search finds, in %, by keywords (BM25) / by
the built-in vectors. ▲ and ▼ are shown differences to \`structure\`; without a mark there is no difference that the
questions, in brackets, can show.`;

/** Puts the README's table of retrieval at its place in a page. */
export function withRetrieval(root, markdown) {
  if (!markdown.includes('<!-- retrieval -->')) return markdown;
  const [, table] = RETRIEVAL.exec(readFileSync(path.join(root, 'README.md'), 'utf8')) ?? [];
  if (table === undefined) throw new Error('The README has no table of retrieval.');
  return markdown.replace('<!-- retrieval -->', () => `${ABOUT}\n\n${table.trim()}`);
}
