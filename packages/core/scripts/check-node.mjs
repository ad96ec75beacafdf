// Runs before every script of the workspace: says what to do when the Node that the repository brings is not there.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 11)) {
  console.error(
    `This repository runs its scripts on the Node 24 that \`npm ci\` installs, but this is Node ${process.versions.node}.\n` +
      'Most likely the packages were installed with --ignore-scripts: run `npm ci`, or `npm rebuild node`.',
  );
  process.exit(1);
}
