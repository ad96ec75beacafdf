// Tasks for tests, and the start of child processes from sources.
import { fileURLToPath } from 'node:url';
import type { BytesInput, WorkerTask, TextInput } from '../../src/sandbox/index.ts';
import type { ProcessPoolPorts } from '../../src/sandbox/process-pool.ts';

export const SETTINGS = {
  workers: 2,
  aiAtOnce: 2,
  workTimeoutMs: 30_000,
  workerHeapMb: 256,
  workerRssMb: 768,
};

const at = (place: string): string => fileURLToPath(new URL(place, import.meta.url));
const sourcesOf = (name: string): string => at(`../../../${name}/src`);

/** Children that import the sources of the other packages in place of their builds, without write permission. */
export const CONFINED_FROM_SOURCES = {
  execArgv: ['--import', new URL('./from-sources.mjs', import.meta.url).href],
  readable: [
    at('.//'),
    at('../../../../tsconfig.json'),
    ...['core', 'extract', 'models', 'ocr', 'pipeline'].map(sourcesOf),
    // Parts of the build of extract, and packages beside its sources.
    ...['jschardet', '@kenjiuno', 'iconv-lite', 'safer-buffer'].map((name) =>
      at(`../../../../node_modules/${name}`),
    ),
  ],
} as const satisfies ProcessPoolPorts;

/** Cache of compiled sources. */
const COMPILED = at('../../../../node_modules/.cache/compiled-sources');

/** The same with a compile cache, which cuts their start to a third. */
export const FROM_SOURCES: ProcessPoolPorts = {
  execArgv: [...CONFINED_FROM_SOURCES.execArgv, `--allow-fs-write=${COMPILED}`],
  readable: [...CONFINED_FROM_SOURCES.readable, COMPILED],
};

/** Children that follow the act of {@link bad}. */
export const MISBEHAVING: ProcessPoolPorts = {
  childFile: fileURLToPath(new URL('./misbehaving-child.ts', import.meta.url)),
};

export function bytesTask(
  bytes: Uint8Array,
  input: Partial<BytesInput> = {},
  task: Partial<WorkerTask> = {},
): WorkerTask {
  const accept = ['pdf', 'docx', 'html', 'markdown', 'txt'] as const;
  return taskOf(
    { kind: 'bytes', bytes, filename: 'file.txt', contentType: undefined, accept, ...input },
    task,
  );
}

export function textTask(
  text: string,
  input: Partial<TextInput> = {},
  task: Partial<WorkerTask> = {},
): WorkerTask {
  return taskOf({ kind: 'text', text, filename: 'text.txt', ...input }, task);
}

/** A task for {@link MISBEHAVING} children. */
export function bad(word: string): WorkerTask {
  return bytesTask(new Uint8Array(1), {}, { records: { tierName: word } });
}

function taskOf(input: WorkerTask['input'], task: Partial<WorkerTask>): WorkerTask {
  return {
    input,
    tier: 'free',
    size: 1000,
    overlap: 0,
    format: 'raw',
    records: { tierName: 'free' },
    ...task,
  };
}

/** A PDF of so many pages, with sixty short lines on each. */
export function pdfOf(pages: number): Uint8Array {
  const objects = ['<< /Type /Catalog /Pages 2 0 R >>'];
  const kids = Array.from({ length: pages }, (_, page) => `${4 + 2 * page} 0 R`);
  objects.push(`<< /Type /Pages /Count ${pages} /Kids [${kids.join(' ')}] >>`);
  objects.push('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>');
  for (let page = 0; page < pages; page++) {
    const lines = Array.from(
      { length: 60 },
      (_, line) => `(Page ${page + 1}, line ${line + 1}: the tide turns twice a day.) Tj T*`,
    );
    const content = `BT /F1 10 Tf 12 TL 40 780 Td ${lines.join('\n')} ET`;
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + 2 * page} 0 R >>`,
    );
    objects.push(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`);
  }
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  file += `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}
