// The texts of the page, by the part that shows them.

/** The static demo, which has no service. */
export const DEMO = {
  end: 'All of it runs in this page, and nothing leaves your browser: its policy forbids every request to elsewhere.',
  server: {
    title: 'With a server of yours',
    about:
      'It fetches links, cuts by semantic, ai and ai-pro, answers programs, and takes payments. The library and the command line have these tiers too.',
    link: 'Host the server',
  },
  docs: 'Documentation',
} as const;

/** The samples of the start view. */
export const SAMPLE_TEXTS = {
  'harbour-handbook.pdf': { name: 'A handbook', about: 'PDF with columns and a table, on its pages' },
  'harbour-report.md': { name: 'A report', about: 'Sections and long tables' },
  'council-transcript.txt': { name: 'A transcript', about: 'Talk of many things, no headings' },
  'queue-guide.md': { name: 'A guide', about: 'Markdown with code and lists' },
} as const;
