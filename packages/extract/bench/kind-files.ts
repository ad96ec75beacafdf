// Real files of each kind: the development corpus where it is present, the folder KINDS, and files of Debian's
// packages, which are fetched into a cache and stay out of the project.
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { unpackPackage, unpackSource } from './debian.ts';
import { CORPUS } from './documents.ts';
import type { BenchKind } from './readers.ts';

export const CACHE = path.resolve(import.meta.dirname, '../../../node_modules/.cache/grainline-kinds');

/** A package with files of a kind. */
interface Origin {
  readonly name: string;
  /** True for the source of a package. */
  readonly isSource?: true;
  /** Paths of the files, which may be compressed by gzip; by default the ending of the kind. */
  readonly files?: RegExp;
}

const source = (name: string, files?: RegExp): Origin => ({ name, isSource: true, ...(files && { files }) });
const packages = (...names: string[]): Origin[] => names.map((name) => ({ name }));

const ORIGINS: Readonly<Partial<Record<BenchKind, readonly Origin[]>>> = {
  csv: packages('python3-statsmodels', 'python3-sunpy', 'r-cran-readr', 'node-csv-spectrum'),
  docx: [source('libapache-poi-java', /test-data\/document\/[^/]+\.docx$/)],
  eml: [
    { name: 'libpython3.11-testsuite', files: /test_email\/data\/msg_\d+\.txt$/ },
    source('notmuch', /test\/corpora\/[^/]+\/(?:.*\/)?[^/]+(?:[:,]\w*|\.eml)$/),
    source('rspamd'),
    source('kf5-messagelib', /\.(?:eml|mbox)$/),
    { name: 'golang-github-gatherstars-com-jwz-dev' },
  ],
  epub: packages(
    'debian-policy',
    'developers-reference',
    'debmake-doc',
    'debian-history',
    'live-manual-epub',
    'eyes17-manuals-en',
    'debian-edu-doc-en',
    'debian-edu-doc-fr',
    'debian-edu-doc-ja',
  ).concat(source('pandoc')),
  ipynb: packages('python-nbsphinx-doc', 'python-xarray-doc'),
  msg: [source('libapache-poi-java'), source('libemail-outlook-message-perl')],
  pdf: [
    source(
      'libitext5-java',
      /itextpdf\/text\/pdf\/(?:TaggedPdfCopyTest\/pdf\/source(?:10|17|25_1|42|64|Cf11)|PdfReaderTest\/readCompressedPdfTest1)\.pdf$/,
    ),
    source('libpdfbox2-java', /PDFBOX-4417-(?:001031|054080)\.pdf$/),
    source('pypdf', /GeoBase_NHNC1_Data_Model_UML_EN\.pdf$/),
  ],
  odp: [
    source('libodfdom-java'),
    source('python-odf'),
    ...packages('python3-relatorio', 'libopenoffice-oodoc-perl', 'calligrastage-data', 'libreoffice-dev-doc'),
  ],
  ods: [
    source('libodfdom-java'),
    source('python-odf'),
    source('liborcus'),
    ...packages('libreoffice-dev-doc', 'python3-relatorio'),
  ],
  odt: [source('libodfdom-java'), source('python-odf'), source('pandoc')],
  pptx: [source('libapache-poi-java'), { name: 'r-cran-officer' }],
  rtf: [source('unrtf'), source('pandoc'), source('abiword')],
  xlsx: [
    source('libapache-poi-java'),
    ...packages('xlsx2csv', 'r-cran-openxlsx', 'r-cran-readxl', 'r-cran-gdata'),
  ],
};

/** The files of a kind, and the reasons why some are missing. */
export function filesOf(kind: BenchKind): {
  readonly files: readonly string[];
  readonly missing: readonly string[];
} {
  const missing = (ORIGINS[kind] ?? []).flatMap((origin) => fetchFiles(kind, origin));
  const folders = [path.join(CORPUS, 'office'), path.join(CACHE, kind), process.env['KINDS'] ?? ''];
  const files = folders
    .filter((folder) => folder !== '' && existsSync(folder))
    .flatMap((folder) => filesIn(folder).filter((file) => file.endsWith(`.${kind}`)));
  return { files, missing };
}

/** Files of one package; of more, as many are taken at even steps. */
const MOST_FILES = 100;

/** Brings the files of a package into the cache; the reason when that fails. */
function fetchFiles(kind: BenchKind, { name, isSource, files }: Origin): string[] {
  const target = path.join(CACHE, kind, name);
  if (existsSync(target)) return [];
  const unpacked = path.join(CACHE, `${name}.${isSource === true ? 'source' : 'unpacked'}`);
  const wanted = files ?? new RegExp(`\\.${kind}(?:\\.gz)?$`);
  try {
    if (isSource === true) unpackSource(name, wanted, unpacked, CACHE);
    else unpackPackage(name, unpacked);
    mkdirSync(target, { recursive: true });
    const found = filesIn(unpacked).filter((one) => wanted.test(one));
    const step = Math.max(1, found.length / MOST_FILES);
    for (let at = 0; at < found.length; at += step) {
      const file = found[Math.floor(at)] ?? '';
      const bytes = readFileSync(file);
      const base = path.parse(file.replace(/\.gz$/, '')).name.replace(/[^\w.-]/g, '_');
      const copy = path.join(target, `${name}-${Math.floor(at) + 1}-${base}.${kind}`);
      writeFileSync(copy, file.endsWith('.gz') ? gunzipSync(bytes) : bytes);
    }
    return [];
  } catch (error) {
    return [`${name} is missing (${String((error as Partial<Error>).message).split('\n')[0]}).`];
  } finally {
    rmSync(unpacked, { recursive: true, force: true });
  }
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => path.join(folder, name))
    .filter((file) => lstatSync(file).isFile());
}
