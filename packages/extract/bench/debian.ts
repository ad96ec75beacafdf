// Files of Debian's packages, binary and source, by apt-get: for documents that the bench may read and the project may
// not keep.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const TIME_LIMIT_MS = 300_000;

/** Downloads a package and unpacks it into a folder. */
export function unpackPackage(name: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  run('apt-get', ['-o', 'APT::Sandbox::User=root', 'download', name], folder);
  const [archive = ''] = readdirSync(folder).filter((file) => file.endsWith('.deb'));
  run('dpkg', ['-x', archive, '.'], folder);
}

/** Downloads the source of a package and unpacks its files of some names. `cache` keeps the list of sources. */
export function unpackSource(name: string, names: RegExp, folder: string, cache: string): void {
  mkdirSync(folder, { recursive: true });
  const env = { ...process.env, APT_CONFIG: sourceLists(cache) };
  run('apt-get', ['source', '--download-only', '--tar-only', name], folder, env);
  const archives = readdirSync(folder).filter((file) => /\.orig.*\.tar\.\w+$|^[^.]+\.tar\.\w+$/.test(file));
  for (const archive of archives) {
    const wanted = run('tar', ['-tf', archive], folder)
      .split('\n')
      .filter((file) => names.test(file));
    writeFileSync(path.join(folder, 'wanted.txt'), wanted.join('\n'));
    if (wanted.length > 0) run('tar', ['-xf', archive, '-T', 'wanted.txt'], folder);
  }
  for (const file of [...archives, 'wanted.txt']) rmSync(path.join(folder, file), { force: true });
}

/** A configuration of apt-get with the machine's own mirrors as mirrors of sources. Nothing of the machine changes. */
function sourceLists(cache: string): string {
  const folder = path.join(cache, 'apt');
  const file = path.join(folder, 'apt.conf');
  if (existsSync(file)) return file;
  for (const part of ['etc', 'lists/partial', 'archives/partial'])
    mkdirSync(path.join(folder, part), { recursive: true });
  const lists = ['/etc/apt/sources.list', ...filesIn('/etc/apt/sources.list.d')].filter((list) =>
    existsSync(list),
  );
  for (const list of lists) {
    const text = readFileSync(list, 'utf8');
    if (!/debian/i.test(text)) continue;
    const sources = text.replace(/^deb(?= )/gm, 'deb-src').replace(/^Types: deb$/gm, 'Types: deb-src');
    writeFileSync(path.join(folder, 'etc', path.basename(list)), sources);
  }
  const settings = [
    'Dir::Etc::sourcelist "/dev/null";',
    `Dir::Etc::sourceparts "${path.join(folder, 'etc')}";`,
    `Dir::State::lists "${path.join(folder, 'lists')}";`,
    `Dir::Cache "${folder}";`,
    'APT::Sandbox::User "root";',
  ];
  const draft = `${file}.new`;
  writeFileSync(draft, settings.join('\n'));
  run('apt-get', ['update'], folder, { ...process.env, APT_CONFIG: draft });
  writeFileSync(file, settings.join('\n'));
  return file;
}

function filesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).map((name) => path.join(folder, name)) : [];
}

function run(program: string, options: readonly string[], cwd: string, env = process.env): string {
  return execFileSync(program, options, {
    cwd,
    env,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIME_LIMIT_MS,
  });
}
