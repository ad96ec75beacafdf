// The inputs for a document: drop, file picker, text, link, and three samples.
import { useRef } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import { kindNames } from '@grainline/extract/kinds';
import { ACCEPTED } from '../../document/kinds.ts';
import { SAMPLES } from '../../document/samples/index.ts';
import type { State } from '../../state/state.ts';
import { COMMON, DEMO, SAMPLE_TEXTS, START } from '../../texts.ts';
import { price } from '../../wording.ts';
import { DOCS } from '../docs.ts';
import { PaidAnswersList } from './receipt.tsx';
import { Specimen } from './specimen.tsx';

/** The start view. */
export function Start({ state }: { readonly state: State }) {
  return (
    <div class="start">
      <div class="hero">
        <div>
          <p class="lead">{START.lead}</p>
          <p class="pitch">{START.pitch}</p>
          <Drop state={state} />
        </div>
        <Specimen />
      </div>
      <PaidAnswersList state={state} />
      <section aria-labelledby="samples">
        <h2 id="samples">{START.samples}</h2>
        <ul class="samples">
          {SAMPLES.map(({ filename, open }) => (
            <li key={filename}>
              <button type="button" class="sample" onClick={() => void open(state)}>
                <strong>{SAMPLE_TEXTS[filename].name}</strong>
                <span>{SAMPLE_TEXTS[filename].about}</span>
              </button>
            </li>
          ))}
        </ul>
      </section>
      <div class="ways">
        <Paste state={state} />
        {state.hasService ? <FromLink state={state} /> : <WithServer />}
      </div>
    </div>
  );
}

function Drop({ state }: { readonly state: State }) {
  const picker = useRef<HTMLInputElement>(null);
  const pick = (): void => {
    const field = picker.current;
    const files = [...(field?.files ?? [])];
    if (field === null || files.length === 0) return;
    void state.openFiles(files);
    // An unchanged field fires no event when the same, edited file is chosen again.
    field.value = '';
  };
  return (
    <div class="drop">
      <p>
        <strong>{START.drop}</strong>
        <span class="about">{START.kinds(kindNames())}</span>
      </p>
      <label class="button">
        {START.choose}
        <input
          ref={picker}
          type="file"
          accept={`${ACCEPTED},.json,.jws`}
          onChange={pick}
          class="hidden"
          multiple
        />
      </label>
    </div>
  );
}

function Paste({ state }: { readonly state: State }) {
  const text = useSignal('');
  return (
    <section>
      <h2>
        <label for="paste">{START.paste}</label>
      </h2>
      <textarea
        id="paste"
        rows={3}
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      <button
        type="button"
        disabled={text.value.trim() === ''}
        onClick={() => void state.openPasted(text.value)}
      >
        {START.showChunks}
      </button>
    </section>
  );
}

/** In the static demo: what needs a server. */
function WithServer() {
  return (
    <section>
      <h2>{DEMO.server}</h2>
      <p class="note">{DEMO.aboutServer}</p>
      <p>
        <a href={DOCS.server}>{DEMO.hostServer}</a>
      </p>
    </section>
  );
}

function FromLink({ state }: { readonly state: State }) {
  const url = useSignal('');
  const { overview } = state;
  const offers = overview.value?.tiers.filter(({ available, mode }) => available && mode === 'sync') ?? [];
  const by = useSignal<string | undefined>(undefined);
  if (offers.length === 0) return null;
  const chosen = by.value ?? offers[0]?.id ?? '';
  const send = (event: Event): void => {
    event.preventDefault();
    state.openUrl(url.value.trim(), chosen).catch((error: unknown) => state.report(error));
  };
  return (
    <section>
      <h2>
        <label for="link">{START.link}</label>
      </h2>
      <form onSubmit={send}>
        <input
          id="link"
          type="url"
          required
          placeholder="https://"
          value={url.value}
          onInput={(event) => (url.value = event.currentTarget.value)}
        />
        <span class="bar">
          <label>
            {COMMON.tier}{' '}
            <select value={chosen} onChange={(event) => (by.value = event.currentTarget.value)}>
              {offers.map(({ id, price_usd }) => (
                <option key={id} value={id}>
                  {price_usd === 0 ? id : `${id} (${price(price_usd)})`}
                </option>
              ))}
            </select>
          </label>
          <button type="submit">{START.openLink}</button>
        </span>
      </form>
      <small>{START.aboutLink}</small>
    </section>
  );
}
