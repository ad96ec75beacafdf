// The chunks as records of a database, as files, and as programs that produce them.
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { FormatId } from '@grainline/core/formats';
import { type DownloadKind, downloadOf, save } from '../../export/download.ts';
import type { WorkerCalls } from '../../worker/protocol.ts';
import { LOADING_LINES, snippetsOf } from '../../export/snippets.ts';
import { readingOf } from '../../service/chunk-request.ts';
import { kindOf } from '../../document/kinds.ts';
import type { State } from '../../state/state.ts';
import { CopyButton } from './copy-button.tsx';
import { notCut } from './details.tsx';
import { counted } from '../../wording.ts';
import { RECORDS } from '../../texts.ts';

const FORMAT_IDS = Object.keys(LOADING_LINES) as readonly FormatId[];
const DOWNLOADS: readonly { readonly kind: DownloadKind; readonly name: string }[] = [
  { kind: 'json', name: RECORDS.kinds.json },
  { kind: 'jsonl', name: RECORDS.kinds.jsonl },
  { kind: 'csv', name: RECORDS.kinds.csv },
  { kind: 'markdown', name: RECORDS.kinds.markdown },
];
/** Visible records; downloads have all. */
const SHOWN = 20;

interface RecordsProps {
  readonly state: State;
  /** Address of the service, with a slash at its end. */
  readonly base: string;
  /** The chosen format; it survives a change of tabs. */
  readonly format: Signal<FormatId>;
}

/** The tab of JSON and code. */
export function Records({ state, base, format }: RecordsProps) {
  const made = useRecords(state, format.value);
  const { source, first, tier } = state;
  const reading = source.value?.reading;
  const result = first.value;
  if (reading === undefined || result === undefined) return <p class="note">{notCut(state)}</p>;
  const download = (kind: DownloadKind): void => {
    const { filename, text } = reading;
    if (made !== undefined)
      save(downloadOf(kind, { filename, text, tier: tier.value, cuts: result.cuts, records: made.records }));
  };
  return (
    <div class="records">
      <div class="bar">
        <label>
          {RECORDS.format}{' '}
          <select
            value={format.value}
            onChange={(event) => (format.value = event.currentTarget.value as FormatId)}
          >
            {FORMAT_IDS.map((id) => (
              <option key={id} value={id}>
                {id}
              </option>
            ))}
          </select>
        </label>
        <span class="downloads" role="group" aria-label={RECORDS.download}>
          {RECORDS.download}{' '}
          {DOWNLOADS.map(({ kind, name }) => (
            <button key={kind} type="button" disabled={made === undefined} onClick={() => download(kind)}>
              {name}
            </button>
          ))}
        </span>
      </div>
      <Code name={RECORDS.loading} code={LOADING_LINES[format.value]} />
      {made === undefined ? (
        <p class="note">{RECORDS.writing}</p>
      ) : (
        <>
          <Code
            name={
              made.records.length > SHOWN
                ? RECORDS.first(SHOWN, made.records.length)
                : counted(made.records.length, 'record')
            }
            code={JSON.stringify(made.records.slice(0, SHOWN), null, 2)}
            copied={() => JSON.stringify(made.records, null, 2)}
          />
          {made.warnings.map((warning) => (
            <p class="note" key={warning}>
              {warning}
            </p>
          ))}
        </>
      )}
      <Snippets state={state} base={base} />
    </div>
  );
}

type Made = WorkerCalls['records']['answer'];

function useRecords(state: State, format: FormatId): Made | undefined {
  const made = useSignal<{ readonly of: object; readonly format: string; readonly answer: Made } | undefined>(
    undefined,
  );
  const { source, first, tier } = state;
  const reading = source.value?.reading;
  const cuts = first.value?.cuts;
  useEffect(() => {
    if (reading === undefined || cuts === undefined) return;
    const { text, pages, documentId, filename, mediaType: contentType } = reading;
    state.recordsOf({ cuts, text, pages, format, tier: tier.value, documentId, filename, contentType }).then(
      (answer) => (made.value = { of: cuts, format, answer }),
      (error: unknown) => state.report(error),
    );
  }, [reading, cuts, format]);
  const { of, format: madeFor, answer } = made.value ?? {};
  return of === cuts && madeFor === format ? answer : undefined;
}

function Snippets({ state, base }: { readonly state: State; readonly base: string }) {
  const shown = useSignal<string>('curl');
  const { source, options, tier, tiers, overview } = state;
  const choice = tiers.value.find(({ id }) => id === tier.value);
  const of = source.value;
  const snippets = useMemo(() => {
    if (choice === undefined || of === undefined) return [];
    const url = of.origin.kind === 'url' ? { url: of.origin.url } : {};
    const taken = overview.value?.upload_types ?? [];
    const objection = taken.includes(kindOf(of.reading.mediaType))
      ? {}
      : { objection: RECORDS.objection(taken.join(', ')) };
    return snippetsOf({
      base,
      tier: choice,
      options: options.value,
      reading: readingOf(of),
      filename: of.reading.filename,
      ...url,
      ...objection,
    });
  }, [choice, of, options.value, base, overview.value]);
  const snippet = snippets.find(({ id }) => id === shown.value) ?? snippets[0];
  if (snippet === undefined) return null;
  return (
    <section aria-label={RECORDS.program}>
      <div class="bar" role="group" aria-label={RECORDS.language}>
        <span>{RECORDS.sameIn}</span>
        {snippets.map(({ id, name }) => (
          <button key={id} type="button" aria-pressed={id === snippet.id} onClick={() => (shown.value = id)}>
            {name}
          </button>
        ))}
      </div>
      <Code name={snippet.name} code={snippet.code} />
    </section>
  );
}

/** A piece of code with a copy button; `copied` returns a longer text than the visible one. */
function Code({
  name,
  code,
  copied = () => code,
}: {
  readonly name: string;
  readonly code: string;
  readonly copied?: () => string;
}) {
  return (
    <figure class="code">
      <figcaption>
        {name} <CopyButton of={name} text={copied} />
      </figcaption>
      <pre tabIndex={0} role="group" aria-label={name}>
        <code>{code}</code>
      </pre>
    </figure>
  );
}
