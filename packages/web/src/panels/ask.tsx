// Which chunks each tier would retrieve for a question: the reader's own, which says more than any figure of ours.
import { useSignal } from '@preact/signals';
import { type Cuts, leadOf, placeOf } from '../cuts.ts';
import type { Hit } from '../protocol.ts';
import type { State } from '../state.ts';
import { whole } from '../wording.ts';

/** Chunks that are shown of each tier. */
const MOST = 3;
/** Characters of a chunk that are shown. */
const SHOWN = 420;

interface Found {
  readonly tier: string;
  readonly cuts: Cuts;
  readonly hits: readonly Hit[];
}

/** The tab that asks. @param onShow called when a chunk is to be seen in the text */
export function AskChunks({ state, onShow }: { readonly state: State; readonly onShow: () => void }) {
  const question = useSignal('');
  const found = useSignal<readonly Found[]>([]);
  const isBusy = useSignal(false);
  const reading = state.source.value?.reading;
  if (reading === undefined) return null;
  const ask = async (event: Event): Promise<void> => {
    event.preventDefault();
    isBusy.value = true;
    try {
      found.value = await state.search(question.value, MOST);
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
        {isBusy.value
          ? 'Looking …'
          : 'By the embedder that the service has built in: for English, by words more than by meaning. It runs here; the first question loads it (3 MB).'}
      </p>
      <div class="found">
        {found.value.map(({ tier, cuts, hits }) => (
          <section key={tier} aria-label={`Found by ${tier}`}>
            <h2>{tier}</h2>
            <ol>
              {hits.map(({ chunk, score }) => {
                const { start, end } = placeOf(cuts, chunk);
                const text = reading.text.slice(start, end);
                return (
                  <li key={chunk}>
                    <button type="button" class="quiet" onClick={() => show(tier, chunk)}>
                      Chunk {whole(chunk + 1)}
                    </button>{' '}
                    <small>likeness {score.toFixed(2)}</small>
                    {leadOf(cuts, chunk) !== '' && <p class="context">{leadOf(cuts, chunk).trim()}</p>}
                    <p class="excerpt" dir="auto">
                      {text.slice(0, SHOWN)}
                      {text.length > SHOWN && ' …'}
                    </p>
                  </li>
                );
              })}
            </ol>
          </section>
        ))}
      </div>
    </div>
  );
}
