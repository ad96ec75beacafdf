#!/usr/bin/env node
// The executable: looks at the version of Node before anything that needs it is loaded, then calls main.

/** The first that has node:sqlite without a flag or a warning. */
const LEAST_NODE = 24;

const [major = '0'] = process.versions.node.split('.');
if (Number(major) < LEAST_NODE) {
  console.error(
    `grainline-server needs Node ${LEAST_NODE} or later, and this is Node ${process.versions.node}.`,
  );
  process.exit(1);
}
const { main } = await import('./main.ts');
process.exit(await main(process.argv.slice(2)));
