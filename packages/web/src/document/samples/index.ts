// Four sample documents, written for this page: a PDF, a report with tables, a transcript without a heading, and
// documentation with code. Each is fetched at its first use.
import handbookAddress from './harbour-handbook.pdf?url';

/** The actions that open a sample. */
interface Opening {
  readonly openText: (text: () => Promise<string>, filename: string) => Promise<void>;
  readonly openFile: (file: File) => Promise<void>;
  readonly report: (error: unknown) => void;
}

/** A sample document. */
export interface Sample {
  readonly filename: string;
  readonly open: (by: Opening) => Promise<void>;
}

/** All of them. */
export const SAMPLES = [
  pdf('harbour-handbook.pdf', handbookAddress),
  text('harbour-report.md', () => import('./harbour-report.md?raw')),
  text('council-transcript.txt', () => import('./council-transcript.txt?raw')),
  text('queue-guide.md', () => import('./queue-guide.md?raw')),
] as const satisfies readonly Sample[];

function text<Name extends string>(filename: Name, load: () => Promise<{ readonly default: string }>) {
  const open = ({ openText }: Opening): Promise<void> =>
    openText(async () => (await load()).default, filename);
  return { filename, open };
}

function pdf<Name extends string>(filename: Name, address: string) {
  const fetchFile = async (): Promise<File> => {
    const response = await fetch(address);
    if (!response.ok) throw new TypeError(`Failed to fetch ${address}: ${response.status}.`);
    return new File([await response.arrayBuffer()], filename, { type: 'application/pdf' });
  };
  const open = ({ openFile, report }: Opening): Promise<void> => fetchFile().then(openFile, report);
  return { filename, open };
}
