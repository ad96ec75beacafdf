// The exchange with the service: the running job, begun payments, and the payment panel, which loads with the first
// price.
import { useEffect, useState } from 'preact/hooks';
import type { PayProps } from '../../service/chunk-request.ts';
import { type PendingRequest, pendingRequests } from '../../pay/pending.ts';
import type { State } from '../../state/state.ts';
import { Lazy } from './lazy.tsx';

/** Progress of the job; a reload of the page does not stop it. */
export function JobProgress({ state }: { readonly state: State }) {
  const job = state.job.value;
  if (job === undefined) return null;
  const { tier, filename, progress = 0, message = '' } = job;
  return (
    <section class="job" aria-label={`Job: ${tier}`}>
      <p>
        <strong>{tier}</strong> works on {filename}. You may close this page and come back within the hour.
      </p>
      <progress max={100} value={progress} aria-label="Progress" />
      <p role="status">
        {Math.round(progress)}% {message}
      </p>
      <button type="button" class="quiet" onClick={() => state.forgetJob()}>
        Do not wait for it
      </button>
    </section>
  );
}

const loadPay = () => import('../../pay/index.tsx').then(({ Pay }) => Pay);

/**
 * The payment panel. The page below stays usable, because wallets open windows of their own in it, which a modal dialog
 * would block.
 */
export function Paying({ state }: { readonly state: State }) {
  const request = state.unpaidRequest.value;
  useEffect(() => {
    if (request === undefined) return undefined;
    const opener = document.activeElement;
    return () => {
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, [request]);
  if (request === undefined) return null;
  const close = (): void => {
    state.unpaidRequest.value = undefined;
  };
  const props: PayProps = { request, onAnswer: (result) => void state.answered(result, request) };
  return (
    <dialog
      open
      class="pay"
      aria-label={`Pay for ${request.tier}`}
      onKeyDown={({ key }) => {
        if (key === 'Escape') close();
      }}
    >
      <button type="button" class="quiet" onClick={close}>
        Close
      </button>
      {/* Another request is another payment. */}
      <Lazy key={request} load={loadPay} props={props} />
    </dialog>
  );
}

/** Begun payments of earlier visits, whose answers may be ready. */
export function Pending({ state }: { readonly state: State }) {
  const [pending, setPending] = useState<readonly PendingRequest[]>([]);
  const overview = state.overview.value;
  const open = state.unpaidRequest.value;
  // The list is read again after the payment panel closes.
  useEffect(() => {
    setPending([]);
    if (open !== undefined) return;
    // A browser without storage has no begun payments.
    pendingRequests.list().then(setPending, () => setPending([]));
  }, [open]);
  if (overview === undefined || open !== undefined) return null;
  const forget = async (id: string): Promise<void> => {
    await pendingRequests.remove(id);
    setPending(await pendingRequests.list());
  };
  return pending.map(({ id, beganMs, tier, source, options }) => (
    <section class="job" key={id} aria-label={`Begun payment: ${tier}`}>
      <p>
        You began to pay for <strong>{tier}</strong>
        {'file' in source && ` of ${source.file.name}`} at {new Date(beganMs).toLocaleTimeString()}, and its
        answer has not come.
      </p>
      <button
        type="button"
        onClick={() =>
          (state.unpaidRequest.value = { tier, source, options, overview, resumes: { id, beganMs } })
        }
      >
        Go on with it
      </button>{' '}
      <button type="button" class="quiet" onClick={() => void forget(id)}>
        Forget it
      </button>
    </section>
  ));
}
