// Subscriptions over WebSocket: signatures, accounts, slots and roots.
import type { WebSocket } from 'ws';
import type { PlayChain } from '../chain/chain.ts';
import { type Commitment, reaches } from '../chain/slots.ts';
import type { AccountState } from '../chain/tokens.ts';
import { withContext, writtenAccount } from './accounts.ts';
import { invalid, INVALID_REQUEST, METHOD_NOT_FOUND, MethodError } from './errors.ts';
import { stringify } from './json.ts';
import { addressAt, commitmentIn, countAt, isObject, optionsAt, stringAt } from './params.ts';

type Params = readonly unknown[];

/** Runs after every slot and transaction. Returns a notification to send, or null; `last` ends the subscription. */
type Watch = () => { readonly result: unknown; readonly last?: boolean } | null;

/** Most subscriptions of one connection. */
const MOST_SUBSCRIPTIONS = 1000;

/** The subscriptions of one connection. They end with it. */
export function openSubscriptions(
  chain: PlayChain,
  socket: WebSocket,
): (method: string, params: Params) => unknown {
  const watches = new Map<number, { readonly kind: string; readonly watch: Watch }>();
  let newest = 0;

  const stop = chain.listen(() => {
    for (const [id, { kind, watch }] of [...watches]) notify(id, kind, watch);
  });
  socket.once('close', stop);

  function notify(id: number, kind: string, watch: Watch): void {
    const seen = watch();
    if (seen === null) return;
    if (seen.last === true) watches.delete(id);
    const params = { result: seen.result, subscription: id };
    socket.send(stringify({ jsonrpc: '2.0', method: `${kind}Notification`, params }));
  }

  return (method, params) => {
    const [, kind = '', end] = /^(\w+?)(Un)?[sS]ubscribe$/.exec(method) ?? [];
    const open = Object.hasOwn(KINDS, kind) ? KINDS[kind as keyof typeof KINDS] : undefined;
    if (open === undefined) throw new MethodError(METHOD_NOT_FOUND, 'Method not found');
    if (end !== undefined) {
      if (!watches.delete(countAt(params, 0))) throw invalid('Invalid subscription id.');
      return true;
    }
    if (watches.size >= MOST_SUBSCRIPTIONS)
      throw new MethodError(INVALID_REQUEST, 'Too many active subscriptions');
    const id = ++newest;
    const watch = open(chain, params);
    watches.set(id, { kind, watch });
    // A condition that already holds is notified as well, after the reply that carries the id.
    setImmediate(() => {
      if (watches.has(id) && socket.readyState === socket.OPEN) notify(id, kind, watch);
    });
    return id;
  };
}

const KINDS = {
  signature: watchSignature,
  account: watchAccount,
  slot: (chain: PlayChain): Watch =>
    whenNew(chain, 'processed', (slot) => ({ parent: slot - 1, root: chain.slot('finalized'), slot })),
  root: (chain: PlayChain): Watch => whenNew(chain, 'finalized', (slot) => slot),
};

function watchSignature(chain: PlayChain, params: Params): Watch {
  const signature = stringAt(params, 0);
  const commitment = commitmentIn(optionsAt(params, 1));
  return () => {
    const found = chain.transaction(signature);
    if (found === null || !reaches(chain.commitmentOf(found), commitment)) return null;
    return { result: withContext(chain, commitment, { err: found.execution.error }), last: true };
  };
}

function watchAccount(chain: PlayChain, params: Params): Watch {
  const key = addressAt(params, 0);
  const options = optionsAt(params, 1);
  const commitment = commitmentIn(options);
  let known = printOf(chain.stateAt(key, commitment));
  return () => {
    const state = chain.stateAt(key, commitment);
    const print = printOf(state);
    if (print === known) return null;
    known = print;
    return { result: withContext(chain, commitment, writtenAccount(chain, state, commitment, options)) };
  };
}

function whenNew(chain: PlayChain, commitment: Commitment, result: (slot: number) => unknown): Watch {
  let known = chain.slot(commitment);
  return () => {
    const slot = chain.slot(commitment);
    if (slot === known) return null;
    known = slot;
    return { result: result(slot) };
  };
}

function printOf(state: AccountState | null): string {
  if (state === null) return '';
  return `${state.owner} ${state.lamports} ${Buffer.from(state.data).toString('base64')}`;
}

/** A parsed request of JSON-RPC; null for other values. */
export function readCall(
  value: unknown,
): { readonly id: unknown; readonly method: string; readonly params: readonly unknown[] } | null {
  if (!isObject(value) || value['jsonrpc'] !== '2.0' || typeof value['method'] !== 'string') return null;
  const params = value['params'] ?? [];
  return Array.isArray(params) ? { id: value['id'] ?? null, method: value['method'], params } : null;
}
