import { readFileSync } from 'node:fs';

const read = (folder) =>
  JSON.parse(readFileSync(new URL(`../../${folder}package.json`, import.meta.url), 'utf8'));

/** Packages with an API of their own, in the order of the workspaces: those that are published. */
export const PACKAGES = read('')
  .workspaces.filter((folder) => read(`${folder}/`).private !== true)
  .map((folder) => folder.replace('packages/', ''));
