#!/usr/bin/env node
// The executable. It checks the version of Node before it loads code that needs that version.

/** The first version with node:sqlite without a flag or a warning. */
const LEAST_NODE = 24;

const [major = '0'] = process.versions.node.split('.');
if (Number(major) < LEAST_NODE) {
  console.error(
    `grainline-server needs Node ${LEAST_NODE} or later, and this is Node ${process.versions.node}.`,
  );
  process.exit(1);
}
const { main } = await import('./main/main.ts');
process.exit(await main(process.argv.slice(2)));
