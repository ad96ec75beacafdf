// The details of the current chunk.
import { Fragment } from 'preact';
import { useEffect } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import { pageAt } from '@grainline/core';
import {
  type ChunkEnrichment,
  contextBefore,
  countOf,
  PATH_SEPARATOR,
  pathOf,
  spanOf,
} from '../../document/cut-table.ts';
import type { State } from '../../state/state.ts';
import { isLocal } from '../../document/tiers.ts';
import { whole } from '../../wording.ts';
import { CopyButton } from './copy-button.tsx';
import { useEscape } from './escape.ts';
import { CHUNK, COMMON } from '../../texts.ts';

/**
 * Number, length, position, headings, context and enrichment of the current chunk; announced after a step by keyboard.
 * In a narrow window a sheet that a tap opens.
 */
export function Details({ state }: { readonly state: State }) {
  const { source, first, current } = state;
  const { chunk, isPinned = false } = current.value;
  const reading = source.value?.reading;
  const cuts = first.value?.cuts;
  useEscape(isPinned, () => state.unpin());
  if (reading === undefined) return null;
  if (cuts === undefined) return <p class="details hint">{notCut(state)}</p>;
  if (chunk === undefined || chunk >= countOf(cuts)) return <Hint />;
  const { start, end } = spanOf(cuts, chunk);
  const contextText = contextBefore(cuts, chunk);
  const text = contextText + reading.text.slice(start, end);
  return (
    <section class={`details${isPinned ? ' pinned' : ''}`} aria-label={CHUNK.name}>
      <Header state={state} chunk={chunk} count={countOf(cuts)} text={text} />
      <Facts state={state} chunk={chunk} text={text} />
      {contextText !== '' && (
        <>
          <h3>{CHUNK.added}</h3>
          <p class="lead-in">{contextText.trim()}</p>
        </>
      )}
      <Enrichment enrichment={cuts.enrichments?.get(chunk) ?? {}} />
    </section>
  );
}

function Hint() {
  return (
    <div class="details hint">
      <p>{CHUNK.hint}</p>
      <p>{CHUNK.hintKeys}</p>
    </div>
  );
}

interface HeaderProps {
  readonly state: State;
  readonly chunk: number;
  readonly count: number;
  readonly text: string;
}

function Header({ state, chunk, count, text }: HeaderProps) {
  return (
    <div class="details-head">
      <h2 aria-live={state.current.value.reveal ? 'polite' : 'off'}>{CHUNK.of(chunk + 1, count)}</h2>
      <span class="steps">
        <button type="button" aria-label={CHUNK.before} disabled={chunk === 0} onClick={() => state.step(-1)}>
          ‹
        </button>
        <button
          type="button"
          aria-label={CHUNK.next}
          disabled={chunk === count - 1}
          onClick={() => state.step(1)}
        >
          ›
        </button>
        <CopyButton of={CHUNK.ofCopy} text={() => text} />
        <button type="button" class="quiet narrow" onClick={() => state.unpin()}>
          {COMMON.close}
        </button>
      </span>
    </div>
  );
}

interface FactsProps {
  readonly state: State;
  readonly chunk: number;
  readonly text: string;
}

function Facts({ state: { source, first, countTokens }, chunk, text }: FactsProps) {
  const cuts = first.value?.cuts;
  const pages = source.value?.reading.pages ?? [];
  if (cuts === undefined) return null;
  const { start, end, overlap } = spanOf(cuts, chunk);
  const path = pathOf(cuts, chunk);
  const [from, to] = [pageAt(pages, start), pageAt(pages, end - 1)];
  return (
    <dl class="facts">
      <dt>{CHUNK.length}</dt>
      <dd>
        {CHUNK.characters(end - start)}
        <Tokens count={countTokens} text={text} />
      </dd>
      {overlap > 0 && (
        <>
          <dt>{CHUNK.repeats}</dt>
          <dd>{CHUNK.repeated(overlap)}</dd>
        </>
      )}
      <dt>{CHUNK.position}</dt>
      <dd>
        {whole(start)}–{whole(end)}
      </dd>
      {from !== undefined && (
        <>
          <dt>{CHUNK.page}</dt>
          <dd>{from === to ? from : `${from}–${to ?? ''}`}</dd>
        </>
      )}
      {path !== undefined && (
        <>
          <dt>{CHUNK.headings}</dt>
          <dd>
            <Path path={path} />
          </dd>
        </>
      )}
    </dl>
  );
}

/** A language model's description of the chunk. */
function Enrichment({ enrichment }: { readonly enrichment: ChunkEnrichment }) {
  const written = Object.entries(enrichment).filter(([, value]) => value.length > 0);
  if (written.length === 0) return null;
  return (
    <dl class="enrichment">
      {written.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{typeof value === 'string' ? value : value.join(' · ')}</dd>
        </div>
      ))}
    </dl>
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
  if (isLocal(tier.value)) return isCutting.value ? CHUNK.cutting : CHUNK.notCut;
  const offer = tiers.value.find(({ id }) => id === tier.value)?.offer;
  return offer?.available === true ? CHUNK.notSent : CHUNK.away;
}

/** Delay before a chunk is counted: the vocabulary has half a megabyte, and it loads with the first count. */
const STAY_MS = 250;

interface TokensProps {
  readonly count: State['countTokens'];
  readonly text: string;
}

function Tokens({ count, text }: TokensProps) {
  const tokens = useSignal<number | undefined>(undefined);
  useEffect(() => {
    let isOver = false;
    tokens.value = undefined;
    const timer = setTimeout(() => {
      count(text).then(
        (counted) => {
          if (!isOver) tokens.value = counted;
        },
        () => undefined,
      );
    }, STAY_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [text]);
  return <span class="tokens">{CHUNK.tokens(tokens.value)}</span>;
}
