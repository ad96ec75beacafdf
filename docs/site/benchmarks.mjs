// Pages of figures: each section of a RESULTS.md with the command that writes it, and the table of the README.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Sections that a bench of their own writes; `npm run bench` writes the others. */
const OWN_BENCH = {
  core: { tiers: 'tiers', sentences: 'sentences', cite: 'cite', 'cite-times': 'cite' },
  models: { topics: 'topics', 'topics of books': 'chapters' },
};
/** Benches that write all of their sections at once. */
const WHOLE = ['eval'];

/** A RESULTS.md under a title that tells it from those of other packages. */
export function benchmarkPage(root, name, title) {
  return readFileSync(path.join(root, `packages/${name}/bench/RESULTS.md`), 'utf8')
    .replace(/^# .*$/m, `# ${title}`)
    .replaceAll(
      /^<!-- (?!end)(.+?) -->\n\n(## .+\n)/gm,
      (_, section, heading) => `${heading}\n\`${commandOf(root, name, section)}\` writes this section.\n`,
    );
}

function commandOf(root, name, section) {
  const file = OWN_BENCH[name]?.[section];
  if (file === undefined)
    return `npm run bench -w @grainline/${name}${WHOLE.includes(name) ? '' : ` -- ${section}`}`;
  const bench = `packages/${name}/bench/${file}.ts`;
  if (!existsSync(path.join(root, bench))) throw new Error(`There is no ${bench}.`);
  return `node ${bench}`;
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
