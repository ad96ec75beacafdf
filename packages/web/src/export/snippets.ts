// The current cut as a program: a line for a shell, TypeScript, and Python.
import type { FormatId } from '@grainline/core/formats';
import { OPTIONS } from '@grainline/core/options';
import { type ControlValues, fieldsOf } from '../document/options.ts';
import type { ReadingValues } from '../document/reading-options.ts';
import type { TierChoice } from '../document/tiers.ts';

/** The properties of the current cut. */
export interface Repeated {
  /** Address of the service, with a slash at its end. */
  readonly base: string;
  readonly tier: TierChoice;
  readonly options: ControlValues;
  /** The options of reading that changed the text of a file. */
  readonly reading?: ReadingValues;
  readonly filename: string;
  /** Address of the document, when it came from a link. */
  readonly url?: string;
  /** The service's objection to such a file as one line; absent when it accepts the file. */
  readonly objection?: string;
}

/** A program with the result of the page. */
export interface Snippet {
  readonly id: 'curl' | 'typescript' | 'python';
  readonly name: string;
  readonly code: string;
}

/** All snippets in their order. A tier that the service does not offer has only the library's. */
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

/** The members of a request that differ from their defaults, and the size. */
function namedFields({ options, reading }: Repeated): Readonly<Record<string, string | number>> {
  const isNamed = ([key, value]: [string, unknown]): boolean =>
    key === 'size' || value !== OPTIONS[key as keyof ControlValues].default;
  return fieldsOf({ ...Object.fromEntries(Object.entries(options).filter(isNamed)), ...reading });
}

const isPaid = ({ tier }: Repeated): boolean => (tier.offer?.amount ?? 0) > 0;

/** Address of the request: for an upload, or for a link. */
function addressOf({ base, tier, url }: Repeated): string {
  const path = url === undefined ? (tier.offer?.path ?? `/chunk/${tier.id}`).slice(1) : 'chunk';
  return new URL(path, base).href;
}

function bodyOf(repeated: Repeated): string {
  return JSON.stringify({ url: repeated.url, tier: repeated.tier.id, ...namedFields(repeated) });
}

function curl(repeated: Repeated): string {
  const payment = isPaid(repeated) ? ` \\\n  -H "X-PAYMENT: $SIGNATURE"` : '';
  if (repeated.url !== undefined) {
    return `curl ${quoted(addressOf(repeated))}${payment} \\\n  -H 'Content-Type: application/json' \\\n  -d ${quoted(bodyOf(repeated))}`;
  }
  const fields = Object.entries(namedFields(repeated)).map(([name, value]) => {
    const field = `${name}=${value}`;
    return ` \\\n  -F ${field.includes(' ') ? quoted(field) : field}`;
  });
  // Inside its own double quotes, curl reads commas and semicolons of a name literally.
  const file = quoted(`file=@"${repeated.filename.replace(/["\\]/g, '\\$&')}"`);
  return `curl ${quoted(addressOf(repeated))}${payment}${fields.join('')} \\\n  -F ${file}`;
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
  const [preparation, body] =
    repeated.url === undefined ? [formLines(repeated), 'form'] : [[], `JSON.stringify(${bodyOf(repeated)})`];
  return lines(
    ...preparation,
    `const response = await fetch(${JSON.stringify(addressOf(repeated))}, {`,
    `  method: 'POST',`,
    ...headersLine,
    `  body: ${body},`,
    `});`,
    `console.log(await response.json());`,
  );
}

function formLines(repeated: Repeated): string[] {
  const name = JSON.stringify(repeated.filename);
  return [
    ...(repeated.objection === undefined ? [] : [`// ${repeated.objection}`]),
    `import { openAsBlob } from 'node:fs';`,
    ``,
    `const form = new FormData();`,
    ...Object.entries(namedFields(repeated)).map(([field, value]) => `form.append('${field}', '${value}');`),
    `form.append('file', await openAsBlob(${name}), ${name});`,
  ];
}

function withLibrary({ tier, options: { size, overlap, unit }, reading = {}, filename }: Repeated): string {
  const name = JSON.stringify(filename);
  const measure = unit === 'tokens' ? `, measure: await tokenCounter('o200k')` : '';
  const read = Object.entries(reading).map(([key, value]) => `, ${key}: '${value}'`);
  const repeat = overlap > 0 ? `, overlap: ${overlap}` : '';
  return lines(
    `import { readFile } from 'node:fs/promises';`,
    `import { chunkSync, extract${unit === 'tokens' ? ', tokenCounter' : ''} } from 'grainline';`,
    ``,
    `const document = await extract(await readFile(${name}), { filename: ${name}${read.join('')} });`,
    `const chunks = chunkSync(document, { tier: '${tier.id}', size: ${size}${repeat}${measure} });`,
    `console.log(chunks.length, chunks[0]);`,
  );
}

function python(repeated: Repeated): string {
  const headers = isPaid(repeated) ? [`    headers={"X-PAYMENT": os.environ["SIGNATURE"]},`] : [];
  const body =
    repeated.url === undefined
      ? [
          `    data=${JSON.stringify(namedFields(repeated))},`,
          `    files={"file": open(${JSON.stringify(repeated.filename)}, "rb")},`,
        ]
      : [`    json=${bodyOf(repeated)},`];
  return lines(
    ...(isPaid(repeated) ? [`import os`, ``] : []),
    `import requests`,
    ``,
    `response = requests.post(`,
    `    ${JSON.stringify(addressOf(repeated))},`,
    ...headers,
    ...body,
    `)`,
    `print(response.json())`,
  );
}

function lines(...all: readonly string[]): string {
  return all.join('\n');
}

/** The line of a database's client that loads the records, in JavaScript. */
export const LOADING_LINES: Readonly<Record<FormatId, string>> = {
  raw: 'for (const { id, text, metadata } of records) console.log(id, text.length, metadata.start_offset);',
  pinecone: 'await index.upsertRecords({ records });',
  weaviate: `await fetch(\`\${weaviate}/v1/batch/objects\`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ objects: records }) });`,
  chroma: 'await collection.upsert(columns);',
  qdrant: `await client.upsert('chunks', { points: records });`,
};
