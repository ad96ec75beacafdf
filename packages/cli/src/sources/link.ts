// A link as a source of one document.
import type { LoadSource, SourceEntry } from '@grainline/pipeline/load';
import { linkInput } from '../inputs/link.ts';
import type { Io } from '../io.ts';

/** The document behind a link, named by its address. Only its content tells whether it has changed. */
export function linkEntry(link: string, io: Pick<Io, 'environment'>): SourceEntry {
  const { shown, filename, url = link, read } = linkInput(link, io);
  return { documentId: url, shown, filename, url, read };
}

/** The source of one link. */
export function linkSource(link: string, io: Pick<Io, 'environment'>): LoadSource {
  return {
    id: link,
    isWhole: false,
    // eslint-disable-next-line @typescript-eslint/require-await
    async *list() {
      yield linkEntry(link, io);
    },
  };
}
