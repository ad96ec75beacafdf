// The chunks that each tier would retrieve for the reader's own question.
import { useSignal } from '@preact/signals';
import type { Span } from '@grainline/core';
import { type ChunkSpan, contextBefore, spanOf } from '../../document/cut-table.ts';
import type { ControlValues } from '../../document/options.ts';
import type { State } from '../../state/state.ts';
import type { TierHits } from '../../state/local-chunks.ts';
import type { Hit } from '../../worker/protocol.ts';
import type { OpenDocument } from '../../state/signals.ts';
import { ASK } from '../../texts.ts';

/** Visible chunks of each tier. */
const MOST = 3;
/** Visible characters of a chunk. */
const SHOWN = 420;
/** Visible characters before an answer far inside its chunk. */
const BEFORE = 120;

/** A search result; it is valid only for its document and options. */
interface Answer {
  readonly source: OpenDocument;
  readonly options: ControlValues;
  readonly found: readonly TierHits[];
}

/** The search tab. @param onShow called before a chunk appears in the text */
export function SearchChunks({ state, onShow }: { readonly state: State; readonly onShow: () => void }) {
  const question = useSignal('');
  const answer = useSignal<Answer | undefined>(undefined);
  const isBusy = useSignal(false);
  const source = state.source.value;
  const options = state.options.value;
  if (source === undefined) return null;
  const ask = async (event: Event): Promise<void> => {
    event.preventDefault();
    isBusy.value = true;
    try {
      answer.value = { source, options, found: await state.search(question.value, MOST) };
    } catch (error) {
      state.report(error);
    } finally {
      isBusy.value = false;
    }
  };
  const show = (tier: string, { chunk, answer: lines }: Hit): void => {
    state.showChunk(tier, chunk, lines);
    onShow();
  };
  const isPast =
    answer.value !== undefined && (answer.value.source !== source || answer.value.options !== options);
  return (
    <div class="ask">
      <form onSubmit={(event) => void ask(event)}>
        <label for="question">{ASK.question}</label>
        <input
          id="question"
          type="text"
          required
          value={question.value}
          onInput={(event) => (question.value = event.currentTarget.value)}
        />
        <button type="submit" class="main" disabled={isBusy.value}>
          {ASK.ask}
        </button>
      </form>
      <p class="note" role="status">
        {isBusy.value ? ASK.searching : isPast ? ASK.changed : ASK.about}
      </p>
      <div class="found">
        {!isPast &&
          answer.value?.found.map((found) => (
            <FoundBy key={found.tier} {...found} text={source.reading.text} onShow={show} />
          ))}
      </div>
    </div>
  );
}

interface FoundByProps extends TierHits {
  readonly text: string;
  readonly onShow: (tier: string, hit: Hit) => void;
}

/** The hits of one tier. */
function FoundBy({ tier, cuts, hits, text, onShow }: FoundByProps) {
  return (
    <section aria-label={ASK.foundBy(tier)}>
      <h2>{tier}</h2>
      <ol>
        {hits.map((hit) => {
          const { chunk, score } = hit;
          const contextText = contextBefore(cuts, chunk);
          return (
            <li key={chunk}>
              <button type="button" class="quiet" onClick={() => onShow(tier, hit)}>
                {ASK.chunk(chunk + 1)}
              </button>{' '}
              <small>{ASK.similarity(score)}</small>
              {contextText !== '' && <p class="context">{contextText.trim()}</p>}
              <Excerpt text={text} chunk={spanOf(cuts, chunk)} answer={hit.answer} />
            </li>
          );
        })}
      </ol>
    </section>
  );
}

interface ExcerptProps {
  readonly text: string;
  readonly chunk: ChunkSpan;
  readonly answer: Span | undefined;
}

/** The part of a chunk around its answer, which is marked. */
function Excerpt({ text, chunk, answer = { start: chunk.start, end: chunk.start } }: ExcerptProps) {
  const isFar = answer.end > chunk.start + SHOWN;
  const from = isFar ? Math.max(chunk.start, answer.start - BEFORE) : chunk.start;
  const to = Math.min(chunk.end, Math.max(answer.end, from + SHOWN));
  return (
    <p class="excerpt" dir="auto">
      {from > chunk.start && '… '}
      {text.slice(from, answer.start)}
      {answer.end > answer.start && <mark>{text.slice(answer.start, answer.end)}</mark>}
      {text.slice(answer.end, to)}
      {to < chunk.end && ' …'}
    </p>
  );
}
