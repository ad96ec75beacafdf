// The figures of a bench in the RESULTS.md beside it: a section for each part, with its command, date, machine and
// printed lines.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { basename, dirname, join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');

const headOf = (folder: string): string => `# Results

Measure again, after \`npm run build\`: \`npm run bench -w @grainline/${basename(dirname(folder))}\`. Each section begins
with the command that wrote it. Ratios hold on other machines, times do not.
`;

/**
 * Runs a part of a bench and writes the lines that it prints as a section of a results file.
 *
 * @param folder folder of the bench
 * @param section name of the section; an earlier one of this name is replaced
 * @param form Markdown stands as it is, other text in a fence
 */
export async function recordResults(
  folder: string,
  section: string,
  measure: () => void | Promise<void>,
  form: 'text' | 'markdown' = 'text',
): Promise<void> {
  const { log } = console;
  const load = os.loadavg()[0]?.toFixed(1) ?? '?';
  const lines: string[] = [];
  console.log = (...parts: unknown[]) => {
    lines.push(parts.join(' '));
    log(...parts);
  };
  try {
    await measure();
  } finally {
    console.log = log;
  }
  const processors = `${os.availableParallelism()} × ${os.cpus()[0]?.model ?? 'unknown processor'}`;
  const machine = `${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${processors}, load ${load}`;
  const text = lines.join('\n').trim();
  const body = form === 'markdown' ? text : `\`\`\`text\n${text}\n\`\`\``;
  writeSection(folder, section, `\`${commandOf(process.argv)}\`\n\n${machine}\n\n${body}`);
}

/** The command of this process, to be run in the root of the repository. */
function commandOf([, script = '', ...parameters]: readonly string[]): string {
  const file = relative(ROOT, script);
  const [, name] = /^packages\/([^/]+)\/scripts\/bench\.mjs$/.exec(file) ?? [];
  const command = name === undefined ? `node ${file}` : `npm run bench -w @grainline/${name}`;
  const separator = name !== undefined && parameters.length > 0 ? ['--'] : [];
  return [command, ...separator, ...parameters].join(' ');
}

function writeSection(folder: string, section: string, body: string): void {
  const file = join(folder, 'RESULTS.md');
  const begin = `<!-- ${section} -->`;
  const end = '<!-- end -->';
  const known = existsSync(file) ? readFileSync(file, 'utf8') : headOf(folder);
  const [before = '', after] = known.split(begin);
  const rest = after?.slice(after.indexOf(end) + end.length) ?? '\n';
  writeFileSync(file, `${before.trimEnd()}\n\n${begin}\n\n## ${section}\n\n${body}\n\n${end}${rest}`);
}
