// Three sample documents, written for this page: a report with tables, a transcript without a heading, and
// documentation with code. Each is fetched at its first use.

/** A sample document. */
export interface Sample {
  readonly filename: string;
  readonly name: string;
  readonly about: string;
  readonly load: () => Promise<string>;
}

/** All of them. */
export const SAMPLES: readonly Sample[] = [
  {
    filename: 'harbour-report.md',
    name: 'A report',
    about: 'Sections and long tables',
    load: async () => (await import('./harbour-report.md?raw')).default,
  },
  {
    filename: 'council-transcript.txt',
    name: 'A transcript',
    about: 'Talk of many things, no headings',
    load: async () => (await import('./council-transcript.txt?raw')).default,
  },
  {
    filename: 'queue-guide.md',
    name: 'A guide',
    about: 'Markdown with code and lists',
    load: async () => (await import('./queue-guide.md?raw')).default,
  },
];
