// The details of the current chunk.
import { Fragment } from 'preact';
import { useEffect } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import { pageAt } from '@grainline/core';
import { countOf, contextBefore, PATH_SEPARATOR, pathOf, spanOf } from '../../document/cut-table.ts';
import type { State } from '../../state/state.ts';
import { isLocal } from '../../document/tiers.ts';
import { whole } from '../../wording.ts';

/** Number, position, size, headings and context of the current chunk; announced after a step by keyboard. */
export function Details({ state }: { readonly state: State }) {
  const { source, first, current } = state;
  const { chunk, reveal } = current.value;
  const reading = source.value?.reading;
  const cuts = first.value?.cuts;
  if (reading === undefined) return null;
  if (cuts === undefined) return <p class="details hint">{notCut(state)}</p>;
  if (chunk === undefined || chunk >= countOf(cuts)) {
    return (
      <p class="details hint">
        Point at a chunk or tap it, or step through them with the arrow keys. A line marks where each begins;
        what a chunk repeats of the one before is hatched.
      </p>
    );
  }
  const { start, end, overlap } = spanOf(cuts, chunk);
  const path = pathOf(cuts, chunk);
  const pages = [pageAt(reading.pages, start), pageAt(reading.pages, end - 1)];
  const contextText = contextBefore(cuts, chunk);
  const enrichment = Object.entries(cuts.enrichments?.get(chunk) ?? {});
  return (
    <div class="details" aria-live={reveal ? 'polite' : 'off'}>
      <p>
        <strong>
          Chunk {whole(chunk + 1)} of {whole(countOf(cuts))}
        </strong>{' '}
        <span>
          {whole(start)}–{whole(end)}
        </span>{' '}
        <span>
          {whole(end - start)} characters
          {overlap > 0 && `, ${whole(overlap)} repeated`}
        </span>{' '}
        <Tokens state={state} text={contextText + reading.text.slice(start, end)} />{' '}
        {pages[0] !== undefined && (
          <span>{pages[0] === pages[1] ? `page ${pages[0]}` : `pages ${pages[0]}–${pages[1] ?? ''}`}</span>
        )}
      </p>
      {path !== undefined && <Path path={path} />}
      {contextText !== '' && <p class="lead-in">Before it, when indexed: {contextText.trim()}</p>}
      {enrichment.length > 0 && (
        <dl class="enrichment">
          {enrichment.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{typeof value === 'string' ? value : value.join(' · ')}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}

/** Headings, each isolated. One in Arabic would otherwise move the number that begins the next one. */
function Path({ path }: { readonly path: string }) {
  const [first, ...others] = path.split(PATH_SEPARATOR);
  return (
    <p class="path">
      <bdi>{first}</bdi>
      {others.map((heading, depth) => (
        <Fragment key={depth}>
          {PATH_SEPARATOR}
          <bdi>{heading}</bdi>
        </Fragment>
      ))}
    </p>
  );
}

/** The notice for a tier without chunks. */
export function notCut({ tier, tiers, isCutting }: State): string {
  if (isLocal(tier.value)) return isCutting.value ? 'It is being cut …' : 'It could not be cut.';
  const offer = tiers.value.find(({ id }) => id === tier.value)?.offer;
  return offer?.available === true
    ? 'Not cut by this tier yet: the service cuts what is sent to it.'
    : 'This tier is not available here; choose another one.';
}

/** Delay before a chunk is counted: the vocabulary has half a megabyte, and it loads with the first count. */
const STAY_MS = 250;

function Tokens({ state, text }: { readonly state: State; readonly text: string }) {
  const count = useSignal<number | undefined>(undefined);
  useEffect(() => {
    let isOver = false;
    count.value = undefined;
    const timer = setTimeout(() => {
      state.countTokens(text).then(
        (tokens) => {
          if (!isOver) count.value = tokens;
        },
        () => undefined,
      );
    }, STAY_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [text]);
  return (
    <span class="tokens">{count.value === undefined ? '… tokens' : `${whole(count.value)} tokens`}</span>
  );
}
