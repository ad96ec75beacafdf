// The changelog page: released versions from the packages' files, and before them the changesets of the next one.
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const UNRELEASED = '.changeset/*.md';
const FIRST = 'first-release.md';

/** @param {string} root the repository */
export function changelog(root) {
  const pending = globSync(UNRELEASED, { cwd: root }).filter((file) => path.basename(file) !== 'README.md');
  const released = ['CHANGELOG.md', 'packages/cli/CHANGELOG.md'].find((file) =>
    existsSync(path.join(root, file)),
  );
  return [
    '# Changelog',
    ...(pending.length > 0 ? ['## Next release', ...sections(root, pending)] : []),
    ...(released === undefined
      ? []
      : [readFileSync(path.join(root, released), 'utf8').replace(/^# .*\n/, '')]),
  ].join('\n\n');
}

/** The text of the first release, then a section for each area, which begins the name of a changeset. */
function sections(root, files) {
  const textOf = (file) =>
    readFileSync(path.join(root, file), 'utf8')
      .replace(/^---\n.*?\n---\n/s, '')
      .trim();
  const first = files.find((file) => path.basename(file) === FIRST);
  const others = files.filter((file) => file !== first).sort();
  const areas = Object.groupBy(others, (file) => path.basename(file).split('-')[0]);
  const item = (file) => `- ${textOf(file).replaceAll('\n', '\n  ')}`;
  return [
    ...(first === undefined ? [] : [textOf(first)]),
    ...Object.entries(areas).map(([area, of]) => [`### ${area}`, ...of.map(item)].join('\n\n')),
  ];
}
