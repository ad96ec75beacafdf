// The changelog page: the changesets of the next release, then the released versions of each package.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PACKAGES } from './packages.mjs';

/** @param {string} root the repository */
export function changelog(root) {
  const pending = globSync('.changeset/*.md', { cwd: root }).filter((file) => !/README/.test(file));
  return [
    '# Changelog',
    ...(pending.length > 0 ? ['## Next release', ...sections(root, pending)] : []),
    ...PACKAGES.toReversed().map((name) => released(root, name)),
  ].join('\n\n');
}

/** A section for each area, which begins the name of a changeset. */
function sections(root, files) {
  const areas = Object.groupBy(files.sort(), (file) => path.basename(file).split('-')[0]);
  const item = (file) => {
    const text = readFileSync(path.join(root, file), 'utf8').replace(/^---\n.*?\n---\n/s, '');
    return `- ${text.trim().replaceAll('\n', '\n  ')}`;
  };
  return Object.entries(areas).map(([area, of]) => [`### ${area}`, ...of.map(item)].join('\n\n'));
}

/** The changelog of a package, whose title becomes a section of this page. */
function released(root, name) {
  const file = path.join(root, `packages/${name}/CHANGELOG.md`);
  return readFileSync(file, 'utf8')
    .replaceAll(/^(?=#)/gm, '#')
    .trim();
}
