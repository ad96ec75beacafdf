// The exchange with the service: the running job, begun payments, and the payment panel, which loads with the first
// price.
import { useEffect, useState } from 'preact/hooks';
import type { PayProps } from '../../service/chunk-request.ts';
import { type PendingRequest, pendingRequests } from '../../pay/pending.ts';
import type { State } from '../../state/state.ts';
import { useEscape } from './escape.ts';
import { focusReceipt, keepFocus } from './focus.ts';
import { Lazy } from './lazy.tsx';
import { COMMON, JOBS } from '../../texts.ts';

/** The job and the begun payments. */
export function Tasks({ state }: { readonly state: State }) {
  return (
    <>
      <JobProgress state={state} />
      <Pending state={state} />
    </>
  );
}

/** Progress of the job; a reload of the page does not stop it. */
function JobProgress({ state }: { readonly state: State }) {
  const job = state.job.value;
  if (job === undefined) return null;
  const { tier, filename, progress = 0, message = '' } = job;
  return (
    <section class="job" aria-label={JOBS.of(tier)}>
      <p>
        <strong>{tier}</strong>
        {JOBS.worksOn(filename)}
      </p>
      <progress max={100} value={progress} aria-label={COMMON.progress} />
      <p role="status">
        {Math.round(progress)}% {message}
      </p>
      <button type="button" class="quiet" onClick={() => state.forgetJob()}>
        {JOBS.stop}
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
      focusReceipt();
      keepFocus();
    };
  }, [request]);
  const close = (): void => {
    state.unpaidRequest.value = undefined;
  };
  useEscape(request !== undefined, close);
  if (request === undefined) return null;
  const props: PayProps = {
    request,
    keep: (result) => state.keepAnswer(result, request),
    onAnswer: (result, origin) => void state.answered(result, request, origin),
  };
  return (
    <dialog open class="pay" aria-label={JOBS.pay(request.tier)}>
      <button type="button" class="quiet" onClick={close}>
        {COMMON.close}
      </button>
      {/* Another request is another payment. */}
      <Lazy key={request} load={loadPay} props={props} />
    </dialog>
  );
}

/** Begun payments without an answer, of this visit and of earlier ones. */
function Pending({ state }: { readonly state: State }) {
  const [pending, setPending] = useState<readonly PendingRequest[]>([]);
  const overview = state.overview.value;
  const open = state.unpaidRequest.value;
  const refresh = async (): Promise<void> => {
    // A browser without storage has no begun payments.
    const all = await pendingRequests.all().catch(() => []);
    setPending(all.toSorted((one, other) => one.beganMs - other.beganMs));
  };
  // The list is read again after the payment panel closes.
  useEffect(() => {
    setPending([]);
    if (open === undefined) void refresh();
  }, [open]);
  if (overview === undefined || open !== undefined) return null;
  const forget = (id: string): void => void pendingRequests.remove(id).then(refresh);
  return pending.map(({ id, beganMs, isByCode, documentId, ...of }) => (
    <section class="job" key={id} aria-label={JOBS.begun(of.tier)}>
      <p>
        {isByCode === true ? JOBS.codeShown : JOBS.paymentBegun}
        <strong>{of.tier}</strong>
        {JOBS.noAnswer('file' in of.source ? of.source.file.name : undefined, beganMs)}
      </p>
      <button type="button" onClick={() => (state.unpaidRequest.value = { ...of, documentId, overview })}>
        {JOBS.search}
      </button>{' '}
      <button type="button" class="quiet" onClick={() => forget(id)}>
        {isByCode === true ? JOBS.notPaid : JOBS.forget}
      </button>
    </section>
  ));
}
