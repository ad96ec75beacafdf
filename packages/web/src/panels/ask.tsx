// Which chunks each tier would retrieve for a question: the reader's own, which says more than any figure of ours.
import { useSignal } from '@preact/signals';
import { type CutOptions, leadOf, placeOf } from '../cuts.ts';
import type { State } from '../state.ts';
import type { Found } from '../state/cutting.ts';
import type { Source } from '../state/known.ts';
import { whole } from '../wording.ts';

/** Chunks that are shown of each tier. */
const MOST = 3;
/** Characters of a chunk that are shown. */
const SHOWN = 420;

/** What was found, in which document cut by which options: of others it says nothing. */
interface Answer {
  readonly source: Source;
  readonly options: CutOptions;
  readonly found: readonly Found[];
}

/** The tab that asks. @param onShow called when a chunk is to be seen in the text */
export function AskChunks({ state, onShow }: { readonly state: State; readonly onShow: () => void }) {
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
  const show = (tier: string, chunk: number): void => {
    state.showChunk(tier, chunk);
    onShow();
  };
  const isPast =
    answer.value !== undefined && (answer.value.source !== source || answer.value.options !== options);
  return (
    <div class="ask">
      <form onSubmit={(event) => void ask(event)}>
        <label for="question">Your question</label>
        <input
          id="question"
          type="text"
          required
          value={question.value}
          onInput={(event) => (question.value = event.currentTarget.value)}
        />
        <button type="submit" class="main" disabled={isBusy.value}>
          Ask
        </button>
      </form>
      <p class="note" role="status">
        {isBusy.value ? 'Looking …' : isPast ? 'Cut anew since: ask again.' : ABOUT}
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

const ABOUT =
  'By the embedder that the service has built in: for English, by words more than by meaning. It runs here; the first question loads it (3 MB).';

interface FoundByProps extends Found {
  readonly text: string;
  readonly onShow: (tier: string, chunk: number) => void;
}

/** What one tier would give. */
function FoundBy({ tier, cuts, hits, text, onShow }: FoundByProps) {
  return (
    <section aria-label={`Found by ${tier}`}>
      <h2>{tier}</h2>
      <ol>
        {hits.map(({ chunk, score }) => {
          const { start, end } = placeOf(cuts, chunk);
          const lead = leadOf(cuts, chunk);
          return (
            <li key={chunk}>
              <button type="button" class="quiet" onClick={() => onShow(tier, chunk)}>
                Chunk {whole(chunk + 1)}
              </button>{' '}
              <small>likeness {score.toFixed(2)}</small>
              {lead !== '' && <p class="context">{lead.trim()}</p>}
              <p class="excerpt" dir="auto">
                {text.slice(start, Math.min(end, start + SHOWN))}
                {end - start > SHOWN && ' …'}
              </p>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
