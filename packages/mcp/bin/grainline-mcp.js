#!/usr/bin/env node
// `npx @grainline/mcp` runs `grainline mcp`: registries of servers start a package by its name alone. The command line
// is the peer `grainline`, which npm installs beside this package.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const manifest = createRequire(import.meta.url).resolve('grainline/package.json');
if (process.argv[2] !== '--version') process.argv.splice(2, 0, 'mcp');
await import(new URL('bin/grainline.js', pathToFileURL(manifest)).href);
