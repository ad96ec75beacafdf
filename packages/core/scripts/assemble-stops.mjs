// Assembles src/sentences/find-stops.wat, the search for stops that Node has, into the module find-stops.ts beside it:
//   node packages/core/scripts/assemble-stops.mjs
import { Buffer } from 'node:buffer';
import { readFileSync, writeFileSync } from 'node:fs';
import wabt from 'wabt';

const source = new URL('../src/sentences/find-stops.wat', import.meta.url);
const { parseWat } = await wabt();
const { buffer } = parseWat('find-stops.wat', readFileSync(source, 'utf8')).toBinary({});
const base64 = Buffer.from(buffer).toString('base64');
writeFileSync(
  new URL('find-stops.ts', source),
  `// The WebAssembly module of find-stops.wat in base64, made by scripts/assemble-stops.mjs. Do not edit.
export const FIND_STOPS =
  '${base64}';
`,
);
console.log(`find-stops.ts: ${buffer.length} bytes of WebAssembly`);
