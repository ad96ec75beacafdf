// Reads scans in a process of its own, so that its memory and its processor time are those of OCR alone.
import { readFileSync } from 'node:fs';
import { extract, ExtractError } from '@grainline/extract';
import { createOcr } from '@grainline/ocr';

/** The reading of one file. */
export interface Reading {
  readonly text: string;
  /** The code of the error, when it was not read. */
  readonly code?: string;
  readonly warnings: readonly string[];
  /** Processor time of all threads, start of the engine included with the first file, and time on the clock. */
  readonly cpuMs: number;
  readonly wallMs: number;
  /** Most resident memory of the process so far. */
  readonly peakMiB: number;
}

const { ocr, close } = await createOcr();

process.on('message', (file: string | undefined) => {
  if (file === 'end') void close().then(() => process.disconnect());
  else void read(String(file)).then((reading) => process.send?.(reading));
});
process.send?.('ready');

async function read(file: string): Promise<Reading> {
  const bytes = Uint8Array.from(readFileSync(file));
  const [cpu, start] = [process.cpuUsage(), performance.now()];
  const { text, code, warnings } = await extract(bytes, { filename: file, ocr }).then(
    (document) => ({
      text: document.text,
      code: undefined,
      warnings: document.warnings.map((warning) => warning.code),
    }),
    (error: unknown) => {
      if (!(error instanceof ExtractError)) throw error;
      return { text: '', code: error.code, warnings: [] };
    },
  );
  const { user, system } = process.cpuUsage(cpu);
  return {
    text,
    ...(code !== undefined && { code }),
    warnings,
    cpuMs: (user + system) / 1000,
    wallMs: performance.now() - start,
    peakMiB: process.resourceUsage().maxRSS / 1024,
  };
}
