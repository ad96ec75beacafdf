// The installation: Node, the readers, the tokenizers, and the optional packages beside the command.
import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { ENCODINGS, tokenCounter } from '@grainline/models/tokens';
import { extract } from '@grainline/extract';
import manifest from '../../../package.json' with { type: 'json' };
import { describe } from '../../errors.ts';
import { failed, type CheckResult, found } from './rows.ts';

/** Finds the manifest of an installed package; undefined for a missing one. */
export type FindManifest = (name: string) => string | undefined;

/** Optional packages, and what each is for. */
const PEERS: readonly (readonly [name: string, use: string])[] = [
  ['@grainline/x402', 'payments for a service (--keypair)'],
  ['@grainline/server', 'a service of your own (grainline serve)'],
  ['@grainline/mcp', 'tools for agents (grainline mcp)'],
  ['@grainline/ocr', 'scanned pages and pictures (--ocr)'],
  ['@huggingface/transformers', 'other embedders (--embedder transformers:MODEL)'],
];

/** A PDF of one line, to see the PDF reader at work. */
const SMALL_PDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj
4 0 obj<</Length 41>>stream
BT /F 12 Tf 20 50 Td (High water.) Tj ET
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Root 1 0 R>>
`;

/** Checks Node against the version that the package needs. */
export function checkNode(version: string): CheckResult {
  const needed = /\d+(?:\.\d+)*/.exec(manifest.engines.node)?.[0] ?? '0';
  const [own, least] = [version, needed].map((text) => text.split('.').map(Number));
  const differing = least?.findIndex((part, at) => part !== (own?.[at] ?? 0)) ?? -1;
  const isOld = differing !== -1 && (own?.[differing] ?? 0) < (least?.[differing] ?? 0);
  if (isOld) return failed('Node', `${version}; ${needed} or newer is needed`, 'Install it from nodejs.org.');
  return found('Node', version);
}

/** Reads a small PDF and loads every tokenizer. */
export async function checkReading(): Promise<CheckResult> {
  const findings = [await checked('PDF', readSmallPdf), await checked('tokens', loadTokenizers)];
  return merged([found('grainline', manifest.version), ...findings]);
}

async function readSmallPdf(): Promise<string> {
  const { text } = await extract(new TextEncoder().encode(SMALL_PDF));
  if (text.trim() !== 'High water.') throw new Error('the reader gives another text than the file has');
  return 'is read';
}

async function loadTokenizers(): Promise<string> {
  for (const name of ENCODINGS) (await tokenCounter(name)).count('High water.');
  return ENCODINGS.join(', ');
}

async function checked(name: string, check: () => Promise<string>): Promise<CheckResult> {
  try {
    return found(name, await check());
  } catch (error) {
    return failed(name, describe(error), 'Install the package anew.');
  }
}

/** Looks for the optional packages. One of ours must have the version of this package. */
export function checkPeers(find: FindManifest = findInstalled): CheckResult {
  return merged(
    PEERS.map(([name, use]) => {
      const path = find(name);
      if (path === undefined) return found(name, `not installed; npm install ${name} adds ${use}`);
      const { version } = JSON.parse(readFileSync(path, 'utf8')) as { readonly version: string };
      if (!name.startsWith('@grainline/') || version === manifest.version) return found(name, version);
      const same = `Install the same version: npm install ${name}@${manifest.version}`;
      return failed(name, `${version}, and grainline is ${manifest.version}`, same);
    }),
  );
}

function findInstalled(name: string): string | undefined {
  try {
    return findPackageJSON(name, import.meta.url);
  } catch {
    return undefined;
  }
}

function merged(findings: readonly CheckResult[]): CheckResult {
  return {
    rows: findings.flatMap(({ rows }) => rows),
    isSound: findings.every(({ isSound }) => isSound),
  };
}
