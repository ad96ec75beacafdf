// The running tasks with their progress, each with a button that cancels it.
import type { State } from '../../state/state.ts';
import type { Busy, Work } from '../../state/signals.ts';
import { COMMON, TASKS } from '../../texts.ts';

/** All running tasks. Screen readers announce a task once; its progress is only visible. */
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
  return what === 'reading' ? TASKS.reading(name) : TASKS.sending(name);
}

/** Share of a PDF's time until its last page is read; the rest reconstructs the structure. */
const PAGES_SHARE = 0.75;

function Progress({ work }: { readonly work: Busy }) {
  const pages = work.pages.value;
  // A bar without a value shows activity only.
  const share = pages?.isOcr === true ? 1 : PAGES_SHARE;
  const extent = pages === undefined ? {} : { value: pages.done, max: pages.total / share };
  return (
    <section class="job soon" aria-label={sentenceFor(work)}>
      <p>{sentenceFor(work)}</p>
      <progress aria-label={COMMON.progress} {...extent} />
      {pages !== undefined && (
        <p class="pages">
          {pages.done < pages.total || pages.isOcr === true
            ? TASKS.page(pages.done, pages.total, pages.isOcr === true)
            : TASKS.structure}
        </p>
      )}
      <button type="button" onClick={work.stop}>
        {COMMON.cancel}
      </button>
    </section>
  );
}
