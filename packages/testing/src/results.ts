// The figures of a bench in the RESULTS.md beside it: a section for each part, with date, machine and printed lines.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';

const HEAD = `# Results

Each bench writes its section; \`npm run bench\` renews all of them. Ratios hold on other machines, times do not.
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
  writeSection(join(folder, 'RESULTS.md'), section, `${machine}\n\n${body}`);
}

function writeSection(file: string, section: string, body: string): void {
  const begin = `<!-- ${section} -->`;
  const end = '<!-- end -->';
  const known = existsSync(file) ? readFileSync(file, 'utf8') : HEAD;
  const [before = '', after] = known.split(begin);
  const rest = after?.slice(after.indexOf(end) + end.length) ?? '\n';
  writeFileSync(file, `${before.trimEnd()}\n\n${begin}\n\n## ${section}\n\n${body}\n\n${end}${rest}`);
}
