// Links of a page on the site. Those to other pages lead there; pictures come along; source code is not on the site, so
// its links become their text.
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { PAGES, ROOT } from './pages.mjs';

const PLACES = new Map(PAGES.map(({ from, to }) => [from, to]));
/** A link or a picture outside of code: `[text](target)`, `![text](target)`. */
const LINK = /(```[\s\S]*?```|`[^`\n]*`)|(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g;

/**
 * @param {string} markdown
 * @param {{ from: string, to: string }} page
 * @param {(file: string) => string} addPicture takes a picture along; returns its place on the site
 */
export function rewriteLinks(markdown, page, addPicture) {
  return markdown.replace(LINK, (whole, code, mark, text, target) => {
    if (code !== undefined || /^[a-z]+:|^#/.test(target)) return whole;
    const [file, anchor] = target.split('#');
    const from = path.posix.normalize(path.posix.join(path.posix.dirname(page.from), file));
    if (mark === '!') return `![${text}](${relative(page, addPicture(from))})`;
    const place = PLACES.get(from) ?? PLACES.get(path.posix.join(from, 'README.md'));
    if (place !== undefined)
      return `[${text}](${relative(page, place)}${anchor === undefined ? '' : `#${anchor}`})`;
    const absolute = path.join(ROOT, from);
    if (!existsSync(absolute)) throw new Error(`${page.from}: there is no ${target}`);
    return statSync(absolute).isFile() || from.includes('/') ? text : whole;
  });
}

/** The anchor of a heading, in the form of GitHub, which all links use. */
export function slugOf(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
}

/**
 * TypeDoc counts some headings twice: an anchor that ends with such a number, and that its page does not have, becomes
 * the one without it.
 *
 * @param {Map<string, string>} pages texts by their path
 */
export function mendAnchors(pages) {
  const anchors = new Map([...pages].map(([name, text]) => [name, anchorsOf(text)]));
  const mend = (name, text) =>
    text.replaceAll(/\]\(([^()#\s]*)#([^()\s]+)-\d+\)/g, (link, file, anchor) => {
      const target = file === '' ? name : path.posix.join(path.posix.dirname(name), file);
      const [, whole] = /#(.+)\)$/.exec(link) ?? [];
      return anchors.get(target)?.has(whole) === false ? `](${file}#${anchor})` : link;
    });
  return new Map([...pages].map(([name, text]) => [name, mend(name, text)]));
}

function anchorsOf(text) {
  const found = new Set();
  for (const [, heading] of text.matchAll(/^#+ (.+)$/gm)) {
    const slug = slugOf(heading.replaceAll('\\', ''));
    let free = slug;
    for (let next = 1; found.has(free); next++) free = `${slug}-${next}`;
    found.add(free);
  }
  return found;
}

function relative({ to }, place) {
  const found = path.posix.relative(path.posix.dirname(to), place);
  return found.startsWith('.') ? found : `./${found}`;
}
