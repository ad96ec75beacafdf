// What goes on with the service: a job that runs there, what was begun to be paid for, and the part that pays, which is
// loaded when something has a price.
import { useEffect, useState } from 'preact/hooks';
import type { PayProps } from '../order.ts';
import { type PendingOrder, pendingOrders } from '../pay/pending.ts';
import type { State } from '../state.ts';
import { Later } from './later.tsx';

/** How far the job is; it goes on when the page is loaded anew. */
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

const loadPay = () => import('../pay/index.tsx').then(({ Pay }) => Pay);

/**
 * What has to be paid for before it is sent. The panel is over the page and lets it be used: wallets put windows of
 * their own into a page, which a modal dialog would shut off.
 */
export function Paying({ state }: { readonly state: State }) {
  const order = state.order.value;
  useEffect(() => {
    if (order === undefined) return undefined;
    const opener = document.activeElement;
    return () => {
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, [order]);
  if (order === undefined) return null;
  const close = (): void => {
    state.order.value = undefined;
  };
  const props: PayProps = { order, onAnswer: (answer) => void state.answered(answer, order) };
  return (
    <dialog
      open
      class="pay"
      aria-label={`Pay for ${order.tier}`}
      onKeyDown={({ key }) => {
        if (key === 'Escape') close();
      }}
    >
      <button type="button" class="quiet" onClick={close}>
        Close
      </button>
      {/* Another request is another payment. */}
      <Later key={order} load={loadPay} props={props} />
    </dialog>
  );
}

/** What an earlier visit began to pay for: its answer may be there for the asking. */
export function Pending({ state }: { readonly state: State }) {
  const [orders, setOrders] = useState<readonly PendingOrder[]>([]);
  const overview = state.overview.value;
  const open = state.order.value;
  // Looked at again whenever the paying part has been closed.
  useEffect(() => {
    setOrders([]);
    if (open !== undefined) return;
    // Browsers that keep nothing have nothing to go on with.
    pendingOrders.list().then(setOrders, () => setOrders([]));
  }, [open]);
  if (overview === undefined || open !== undefined) return null;
  const forget = async (id: string): Promise<void> => {
    await pendingOrders.remove(id);
    setOrders(await pendingOrders.list());
  };
  return orders.map(({ id, beganMs, tier, request }) => (
    <section class="job" key={id} aria-label={`Begun payment: ${tier}`}>
      <p>
        You began to pay for <strong>{tier}</strong>
        {request.kind === 'upload' && ` of ${request.file.name}`} at {new Date(beganMs).toLocaleTimeString()},
        and its answer has not come.
      </p>
      <button
        type="button"
        onClick={() => (state.order.value = { tier, request, overview, resumes: { id, beganMs } })}
      >
        Go on with it
      </button>{' '}
      <button type="button" class="quiet" onClick={() => void forget(id)}>
        Forget it
      </button>
    </section>
  ));
}
