// Long PDFs: manuals from Debian's -doc packages, which this file downloads and unpacks into a cache. MANUALS names a
// folder of PDFs to use in their place.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { unpackPackage } from './debian.ts';

/** Paths of PDFs by package. */
type Packages = Readonly<Record<string, readonly string[]>>;

/** The manuals by package: TeX, LaTeX and Texinfo, from 60 to some 500 pages. */
const MANUALS: Packages = {
  'gnuplot-doc': ['usr/share/doc/gnuplot/gnuplot.pdf'],
  'r-doc-pdf': ['usr/share/R/doc/manual/R-intro.pdf', 'usr/share/R/doc/manual/R-exts.pdf'],
  'pari-doc': ['usr/share/pari/doc/users.pdf', 'usr/share/pari/doc/tutorial.pdf'],
  'gap-doc': ['usr/share/gap/doc/tut/manual.pdf'],
  'octave-doc': ['usr/share/doc/octave/liboctave.pdf'],
  'gmsh-doc': ['usr/share/doc/gmsh-doc/gmsh.pdf.gz'],
  'graphviz-doc': ['usr/share/doc/graphviz/pdf/libguide.pdf.gz'],
};
/** Manuals of 12 to 60 pages: articles, guides, references and pages of `man`. */
export const SHORT_MANUALS: Packages = {
  'dblatex-doc': ['usr/share/doc/dblatex/release-notes.pdf.gz'],
  'graphviz-doc': [
    'usr/share/doc/graphviz/pdf/Agraph.pdf.gz',
    'usr/share/doc/graphviz/pdf/dotguide.pdf.gz',
    'usr/share/doc/graphviz/pdf/gvpr.1.pdf.gz',
  ],
  latexdiff: ['usr/share/doc/latexdiff/latexdiff-man.pdf.gz'],
  'libcfitsio-doc': ['usr/share/doc/libcfitsio-dev/quick.pdf.gz'],
  'libmpfi-doc': ['usr/share/doc/libmpfi-doc/mpfi.pdf'],
  'libtasn1-doc': ['usr/share/doc/libtasn1-doc/libtasn1.pdf'],
  'pari-doc': ['usr/share/pari/doc/develop.pdf'],
  'r-doc-pdf': ['usr/share/R/doc/manual/R-data.pdf'],
  rubber: ['usr/share/doc/rubber/rubber.pdf.gz'],
  'xfig-doc': ['usr/share/doc/xfig/xfig-howto.pdf'],
};
const CACHE = path.resolve(import.meta.dirname, '../../../node_modules/.cache/grainline-manuals');

/** The manuals, and the word for the reader of the results when there are none or not all. */
export interface Manuals {
  readonly files: readonly string[];
  readonly missing: readonly string[];
}

export function manuals(packages = MANUALS): Manuals {
  const given = process.env['MANUALS'];
  if (given !== undefined) return { files: pdfsIn(given), missing: [] };
  const missing = Object.entries(packages).flatMap(([name, files]) => fetchPackage(name, files));
  const files = Object.entries(packages).flatMap(([name, paths]) =>
    paths.map((file) => cachedFile(name, file)),
  );
  return { files: files.filter((file) => existsSync(file)), missing };
}

function cachedFile(name: string, file: string): string {
  return path.join(CACHE, `${name}-${path.basename(file, '.gz')}`);
}

function pdfsIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.pdf'))
    .sort()
    .map((name) => path.join(folder, name));
}

/** Downloads the manuals of a package unless they are there; the reason when that fails. */
function fetchPackage(name: string, files: readonly string[]): string[] {
  const targets = files.map((file) => [file, cachedFile(name, file)] as const);
  if (targets.every(([, target]) => existsSync(target))) return [];
  const folder = path.join(CACHE, `${name}.unpacked`);
  try {
    unpackPackage(name, folder);
    for (const [file, target] of targets) {
      const unpacked = path.join(folder, file);
      if (file.endsWith('.gz')) writeFileSync(unpacked, gunzipSync(readFileSync(unpacked)));
      renameSync(unpacked, target);
    }
    return [];
  } catch (error) {
    const reason = String((error as Partial<Error>).message).split('\n')[0];
    return [
      `${name} is missing (${reason}). It comes from Debian by apt-get, after \`apt-get update\`; MANUALS=FOLDER takes other PDFs.`,
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
