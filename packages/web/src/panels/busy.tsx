// What the page is at while somebody waits: how far it is, and the way to end it.
import type { State } from '../state.ts';
import type { Busy, Work } from '../state/known.ts';
import { whole } from '../wording.ts';

/** Everything that goes on. What it is, is said once; how far it is, is there to be looked at. */
export function AtWork({ state: { busy } }: { readonly state: State }) {
  return (
    <>
      <p class="hidden" role="status">
        {busy.value.map(sentenceFor).join(' ')}
      </p>
      {busy.value.map((work) => (
        <Progress key={work} work={work} />
      ))}
    </>
  );
}

function sentenceFor({ what, name }: Work): string {
  return what === 'reading' ? `Reading ${name} …` : `The service is at work (${name}) …`;
}

/** Of the time that a PDF takes, what goes by until its last page is read; then it is found out what the pages mean. */
const PAGES_SHARE = 0.75;

function Progress({ work }: { readonly work: Busy }) {
  const pages = work.pages.value;
  // Without a value the bar only says that something goes on.
  const extent = pages === undefined ? {} : { value: pages.done, max: pages.total / PAGES_SHARE };
  return (
    <section class="job soon" aria-label={sentenceFor(work)}>
      <p>{sentenceFor(work)}</p>
      <progress aria-label="Progress" {...extent} />
      {pages !== undefined && (
        <p class="pages">
          {pages.done < pages.total
            ? `page ${whole(pages.done)} of ${whole(pages.total)}`
            : 'putting its pages in order'}
        </p>
      )}
      <button type="button" onClick={work.stop}>
        Cancel
      </button>
    </section>
  );
}
