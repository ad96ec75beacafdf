// Documents that any reader can obtain: texts inside npm packages, in exact versions, and manuals of Debian packages,
// downloaded when the bench runs. Nothing of them is kept in the repository.
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { EvalDocument } from '@grainline/eval';
import { readSource } from '@grainline/pipeline';

const PACKAGES = path.join(import.meta.dirname, '../peers/node_modules');
/** Debian's packages, unpacked. */
const DEBIAN = path.join(import.meta.dirname, '../node_modules/.cache/debian');

/** Documents of one kind. */
export interface Corpus {
  readonly id: string;
  /** As the README names it. */
  readonly title: string;
  /** The packages, with their versions. */
  readonly source: string;
  readonly documents: readonly EvalDocument[];
}

/** Documentation inside npm packages, by the package. */
const DOCS = {
  ai: 'docs/{03-ai-sdk-core,04-ai-sdk-ui}/*.mdx',
  fastify: 'docs/**/*.md',
  pino: 'docs/**/*.md',
  undici: 'docs/**/*.md',
};

/** Files of Debian packages, by the package. */
const MANUALS = {
  'debian-policy': 'usr/share/doc/debian-policy/policy.html/*.html',
  'developers-reference': 'usr/share/developers-reference/*.html',
  'debian-reference-en': 'usr/share/debian-reference/*.en.html',
};
const BOOK = { 'debian-handbook': 'usr/share/doc/debian-handbook/html/en-US/*.html' };

/** Pages that repeat others: whole manuals on one page, and lists of links. */
const REPEATED = /(?:^|\/)(?:index|search|genindex|developers-reference)(?:\.en)?\.html$/;

/** The corpora that this machine can have; Debian's need `apt-get` and `dpkg-deb`. */
export async function loadCorpora(): Promise<Corpus[]> {
  const corpora = [await fromPackages()];
  if (!canUseDebian()) {
    console.error('Debian’s documents are left out: there is no apt-get and dpkg-deb.');
    return corpora;
  }
  return [
    ...corpora,
    await fromDebian('manuals', 'Debian’s manuals', MANUALS),
    await fromDebian('handbook', 'Debian’s handbook', BOOK),
  ];
}

/** Markdown documentation. */
async function fromPackages(): Promise<Corpus> {
  const versions = Object.keys(DOCS).map((name) => {
    const { version } = JSON.parse(readFileSync(path.join(PACKAGES, name, 'package.json'), 'utf8')) as {
      version: string;
    };
    return `${name} ${version}`;
  });
  const files = Object.entries(DOCS).flatMap(([name, pattern]) =>
    globSync(`${name}/${pattern}`, { cwd: PACKAGES }),
  );
  const documents = await read(PACKAGES, files);
  return { id: 'packages', title: 'npm packages’ docs', source: `npm: ${versions.join(', ')}`, documents };
}

/** HTML pages of Debian packages. */
async function fromDebian(
  id: string,
  title: string,
  packages: Readonly<Record<string, string>>,
): Promise<Corpus> {
  const versions = Object.keys(packages).map((name) => unpack(name));
  const files = Object.entries(packages).flatMap(([name, pattern]) =>
    globSync(path.join(name, pattern), { cwd: DEBIAN }),
  );
  const documents = await read(
    DEBIAN,
    files.filter((file) => !REPEATED.test(file)),
  );
  return { id, title, source: `Debian: ${versions.join(', ')}`, documents };
}

async function read(folder: string, files: readonly string[]): Promise<EvalDocument[]> {
  const documents: EvalDocument[] = [];
  for (const name of [...files].sort()) {
    const bytes = readFileSync(path.join(folder, name));
    documents.push({
      name,
      document: await readSource({ bytes, filename: path.basename(name).replace(/\.mdx$/, '.md') }),
    });
  }
  if (documents.length === 0) throw new Error(`There is no document in ${folder}.`);
  return documents;
}

/** Downloads and unpacks a Debian package once; `debian-policy 4.6.2.0`. */
function unpack(name: string): string {
  const folder = path.join(DEBIAN, name);
  mkdirSync(DEBIAN, { recursive: true });
  const find = (): string | undefined =>
    readdirSync(DEBIAN).find((file) => file.startsWith(`${name}_`) && file.endsWith('.deb'));
  if (find() === undefined)
    execFileSync('apt-get', ['download', name], { cwd: DEBIAN, stdio: ['ignore', 'ignore', 'inherit'] });
  const archive = find() ?? '';
  if (!existsSync(folder)) {
    try {
      execFileSync('dpkg-deb', ['-x', archive, folder], { cwd: DEBIAN });
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }
  return `${name} ${archive.split('_')[1] ?? ''}`;
}

function canUseDebian(): boolean {
  try {
    for (const command of ['apt-get', 'dpkg-deb']) execFileSync(command, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
