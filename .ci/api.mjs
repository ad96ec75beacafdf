// Writes the API report of every published entry: the exported names and their types, without comments, as
// packages/NAME/api/ENTRY.api.md. `--check` compares instead and ends with 1 when a report differs, so that no exported
// name or type changes without a change of its report. Needs `npm run build` and `npm ci --prefix .ci`.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The entries of a package that have types: the report's name and the file of types. */
export function entriesOf(manifest) {
  return Object.entries(manifest.exports)
    .filter(([, target]) => typeof target === 'object' && 'types' in target)
    .map(([path, target]) => ({ report: path === '.' ? 'index' : path.slice(2), types: target.types }));
}

/**
 * Writes or compares the report of one entry.
 *
 * @returns What is wrong, in sentences; empty when the report holds.
 */
export function reportEntry({ folder, name, report, types, check, temp }) {
  const file = join(folder, 'api', `${report}.api.md`);
  mkdirSync(join(folder, 'api'), { recursive: true });
  const config = ExtractorConfig.prepare({
    packageJsonFullPath: join(folder, 'package.json'),
    configObjectFullPath: undefined,
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: join(folder, types),
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            module: 'nodenext',
            target: 'es2022',
            lib: ['es2022', 'dom', 'dom.iterable'],
            strict: true,
            skipLibCheck: true,
            types: ['node'],
          },
          files: [join(folder, types)],
        },
      },
      apiReport: {
        enabled: true,
        reportFileName: `${report}.api.md`,
        reportFolder: join(folder, 'api'),
        reportTempFolder: temp,
        includeForgottenExports: true,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: 'lf',
    },
  });
  const existed = existsSync(file);
  const errors = [];
  const result = Extractor.invoke(config, {
    localBuild: !check,
    messageCallback(message) {
      if (message.logLevel === ExtractorLogLevel.Error) errors.push(message.text);
      message.handled = true;
    },
  });
  if (errors.length > 0) return errors.map((text) => `${name}: ${text}`);
  if (check && (!existed || result.apiReportChanged))
    return [
      `${file} does not list what ${name} exports: run \`npm run build && npm run api\` and announce the change.`,
    ];
  return [];
}

/** The report files of entries that no longer exist. */
export function staleReports(folder, entries) {
  const known = new Set(entries.map(({ report }) => `${report}.api.md`));
  const found = existsSync(join(folder, 'api')) ? readdirSync(join(folder, 'api')) : [];
  return found.filter((file) => !known.has(file)).map((file) => join(folder, 'api', file));
}

function main() {
  const check = process.argv.includes('--check');
  const temp = mkdtempSync(join(tmpdir(), 'grainline-api-'));
  const issues = [];
  const { workspaces } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  for (const path of workspaces) {
    const folder = join(ROOT, path);
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    if (manifest.private === true) continue;
    const entries = entriesOf(manifest);
    for (const { report, types } of entries) {
      const name = report === 'index' ? manifest.name : `${manifest.name}/${report}`;
      issues.push(...reportEntry({ folder, name, report, types, check, temp }));
    }
    for (const stale of staleReports(folder, entries)) {
      if (check) issues.push(`${stale} is the report of no entry.`);
      else rmSync(stale);
    }
    console.log(`${manifest.name}: ${entries.length} reports`);
  }
  rmSync(temp, { recursive: true, force: true });
  for (const issue of issues) console.error(issue);
  process.exitCode = issues.length > 0 ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
