// The same cut by other means: a line for a shell, a program in TypeScript, one in Python.
import type { FormatId } from '@grainline/core/formats';
import type { CutOptions } from './cuts.ts';
import type { TierChoice } from './tiers.ts';

/** What a snippet repeats. */
export interface Repeated {
  /** Address of the service, with a slash at its end. */
  readonly base: string;
  readonly tier: TierChoice;
  readonly options: CutOptions;
  readonly filename: string;
  /** Where the document is, when it came from a link. */
  readonly url?: string;
  /** What the service says against such a file, as a line of its own; absent when it takes it. */
  readonly objection?: string;
}

/** A program that does what the page did. */
export interface Snippet {
  readonly id: 'curl' | 'typescript' | 'python';
  readonly name: string;
  readonly code: string;
}

/**
 * All of them, in the order in which they are shown; of a tier that the service does not offer, the library's alone.
 */
export function snippetsOf(repeated: Repeated): Snippet[] {
  const library = { id: 'typescript', name: 'TypeScript', code: typescript(repeated) } as const;
  if (repeated.tier.offer?.available !== true) return repeated.tier.isLocal ? [library] : [];
  return [
    { id: 'curl', name: 'curl', code: objected('#', repeated) + curl(repeated) },
    library,
    { id: 'python', name: 'Python', code: objected('#', repeated) + python(repeated) },
  ];
}

/** The objection as a comment. */
function objected(sign: string, { objection, url }: Repeated): string {
  return objection === undefined || url !== undefined ? '' : `${sign} ${objection}\n`;
}

/** Members of a request that are not as they would be without being named. */
function fieldsOf({ options: { size, overlap, unit } }: Repeated): Readonly<Record<string, string | number>> {
  return {
    chunk_size: size,
    ...(overlap > 0 ? { chunk_overlap: overlap } : {}),
    ...(unit === 'tokens' ? { unit } : {}),
  };
}

const isPaid = ({ tier }: Repeated): boolean => (tier.offer?.amount ?? 0) > 0;

/** Where a file is uploaded. */
function uploadAddress({ base, tier }: Repeated): string {
  return new URL((tier.offer?.path ?? `/chunk/${tier.id}`).slice(1), base).href;
}

function bodyOf(repeated: Repeated): string {
  return JSON.stringify({ url: repeated.url, tier: repeated.tier.id, ...fieldsOf(repeated) });
}

function curl(repeated: Repeated): string {
  const payment = isPaid(repeated) ? ` \\\n  -H "X-PAYMENT: $SIGNATURE"` : '';
  if (repeated.url !== undefined) {
    const address = new URL('chunk', repeated.base).href;
    return `curl ${quoted(address)}${payment} \\\n  -H 'Content-Type: application/json' \\\n  -d ${quoted(bodyOf(repeated))}`;
  }
  const fields = Object.entries(fieldsOf(repeated)).map(([name, value]) => ` \\\n  -F ${name}=${value}`);
  // Inside double quotes of its own, curl takes a name with commas and semicolons for what it is.
  const file = quoted(`file=@"${repeated.filename.replace(/["\\]/g, '\\$&')}"`);
  return `curl ${quoted(uploadAddress(repeated))}${payment}${fields.join('')} \\\n  -F ${file}`;
}

/** A word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function typescript(repeated: Repeated): string {
  if (repeated.tier.isLocal && repeated.url === undefined) return withLibrary(repeated);
  const headers = [
    ...(repeated.url === undefined ? [] : [`'Content-Type': 'application/json'`]),
    ...(isPaid(repeated) ? [`'X-PAYMENT': process.env.SIGNATURE ?? ''`] : []),
  ];
  const headersLine = headers.length === 0 ? [] : [`  headers: { ${headers.join(', ')} },`];
  if (repeated.url !== undefined) {
    return lines(
      `const response = await fetch(${JSON.stringify(new URL('chunk', repeated.base).href)}, {`,
      `  method: 'POST',`,
      ...headersLine,
      `  body: JSON.stringify(${bodyOf(repeated)}),`,
      `});`,
      `console.log(await response.json());`,
    );
  }
  return lines(
    ...(repeated.objection === undefined ? [] : [`// ${repeated.objection}`]),
    `import { openAsBlob } from 'node:fs';`,
    ``,
    `const form = new FormData();`,
    ...Object.entries(fieldsOf(repeated)).map(([name, value]) => `form.append('${name}', '${value}');`),
    `form.append('file', await openAsBlob(${JSON.stringify(repeated.filename)}), ${JSON.stringify(repeated.filename)});`,
    `const response = await fetch(${JSON.stringify(uploadAddress(repeated))}, {`,
    `  method: 'POST',`,
    ...headersLine,
    `  body: form,`,
    `});`,
    `console.log(await response.json());`,
  );
}

function withLibrary({ tier, options: { size, overlap, unit }, filename }: Repeated): string {
  const name = JSON.stringify(filename);
  const measure = unit === 'tokens' ? `, measure: await tokenCounter('o200k')` : '';
  const repeat = overlap > 0 ? `, overlap: ${overlap}` : '';
  return lines(
    `import { readFile } from 'node:fs/promises';`,
    `import { chunkSync, extract${unit === 'tokens' ? ', tokenCounter' : ''} } from 'grainline';`,
    ``,
    `const document = await extract(await readFile(${name}), { filename: ${name} });`,
    `const chunks = chunkSync(document, { tier: '${tier.id}', size: ${size}${repeat}${measure} });`,
    `console.log(chunks.length, chunks[0]);`,
  );
}

function python(repeated: Repeated): string {
  const headers = isPaid(repeated) ? [`    headers={"X-PAYMENT": os.environ["SIGNATURE"]},`] : [];
  const imports = isPaid(repeated) ? [`import os`, ``] : [];
  if (repeated.url !== undefined) {
    return lines(
      ...imports,
      `import requests`,
      ``,
      `response = requests.post(`,
      `    ${JSON.stringify(new URL('chunk', repeated.base).href)},`,
      ...headers,
      `    json=${bodyOf(repeated)},`,
      `)`,
      `print(response.json())`,
    );
  }
  return lines(
    ...imports,
    `import requests`,
    ``,
    `response = requests.post(`,
    `    ${JSON.stringify(uploadAddress(repeated))},`,
    ...headers,
    `    data=${JSON.stringify(fieldsOf(repeated))},`,
    `    files={"file": open(${JSON.stringify(repeated.filename)}, "rb")},`,
    `)`,
    `print(response.json())`,
  );
}

function lines(...all: readonly string[]): string {
  return all.join('\n');
}

/** The line of a database's client that takes the records, in JavaScript. */
export const LOADING_LINES: Readonly<Record<FormatId, string>> = {
  raw: 'for (const { id, text, metadata } of records) console.log(id, text.length, metadata.start_offset);',
  pinecone: 'await index.upsertRecords({ records });',
  weaviate: `await fetch(\`\${weaviate}/v1/batch/objects\`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ objects: records }) });`,
  chroma: 'await collection.upsert(columns);',
  qdrant: `await client.upsert('chunks', { points: records });`,
};
