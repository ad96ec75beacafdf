// A facilitator on loopback: the official packages of x402 behind HTTP, with a fee payer of the play chain.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { x402Facilitator } from '@x402/core/facilitator';
import type { Network, PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { ExactSvmScheme } from '@x402/svm/exact/facilitator';
import { ExactSvmSchemeV1 } from '@x402/svm/exact/v1/facilitator';
import { SOLANA_DEVNET_CAIP2, SOLANA_MAINNET_CAIP2, toFacilitatorSvmSigner } from '@x402/svm';
import type { Address, KeyPairSigner } from '@solana/kit';
import { bodyOf, close, listen, LOOPBACK } from '@grainline/testing/loopback';
import { isObject } from './rpc/params.ts';

/** A failure of the facilitator. */
export interface FacilitatorFailure {
  /** The affected calls; both when absent. */
  readonly on?: 'verify' | 'settle';
  /**
   * - `dies-after-broadcast`: settles, and closes the connection instead of answering.
   * - `hangs`: never answers, and does nothing.
   * - `hangs-after-broadcast`: settles, and never answers.
   * - `broken`: answers 500 and does nothing.
   * - `broken-after-broadcast`: settles, and answers 502.
   * - `refuses`: rejects every payment.
   * - `down`: closes the connection at once.
   */
  readonly kind:
    | 'dies-after-broadcast'
    | 'hangs'
    | 'hangs-after-broadcast'
    | 'broken'
    | 'broken-after-broadcast'
    | 'refuses'
    | 'down';
}

/** Settings of a facilitator. */
export interface PlayFacilitatorOptions {
  /** Address of the chain's JSON-RPC. */
  readonly rpcUrl: string;
  /** The key that pays the chain's fees; it must have SOL. */
  readonly feePayer: KeyPairSigner;
  /** Default 0, any free port. */
  readonly port?: number;
}

/** A running facilitator. */
export interface PlayFacilitator {
  readonly url: string;
  readonly feePayer: Address;
  /** Sets the failure from now on; null ends it. */
  fail(failure: FacilitatorFailure | null): void;
  /** Resolves when the next call is left without an answer; tests wait for it in place of a time. */
  nextUnanswered(): Promise<void>;
  /** Number of calls to verify and to settle. */
  readonly calls: { verify: number; settle: number };
  stop(): Promise<void>;
}

/** Names of networks in the official packages. They have none for a local chain, so it uses theirs. */
const NETWORKS = {
  v2: [SOLANA_MAINNET_CAIP2, SOLANA_DEVNET_CAIP2] as Network[],
  v1: ['solana', 'solana-devnet'] as unknown as Network[],
};

const MOST_BODY_BYTES = 1 << 20;

/**
 * Starts a facilitator on loopback. It answers `/verify`, `/settle` and `/supported` for both versions of x402, and
 * uses its one chain for any network.
 */
export async function startFacilitator({
  rpcUrl,
  feePayer,
  port = 0,
}: PlayFacilitatorOptions): Promise<PlayFacilitator> {
  const signer = toFacilitatorSvmSigner(feePayer, { defaultRpcUrl: rpcUrl });
  const official = new x402Facilitator()
    .register(NETWORKS.v2, new ExactSvmScheme(signer))
    .registerV1(NETWORKS.v1, new ExactSvmSchemeV1(signer));
  const calls = { verify: 0, settle: 0 };
  let failure: FacilitatorFailure | null = null;
  let unanswered = Promise.withResolvers<undefined>();

  const server = createServer((request, response) => {
    void replyTo(request)
      .catch((error: unknown): Reply => ({ status: 500, body: { error: String(error) } }))
      .then((reply) => {
        if (reply !== 'silence') {
          send(response, reply);
          return;
        }
        unanswered.resolve(undefined);
        unanswered = Promise.withResolvers();
      });
  });

  async function replyTo(request: IncomingMessage): Promise<Reply> {
    const path = new URL(request.url ?? '/', `http://${LOOPBACK}`).pathname;
    if (request.method === 'GET' && path === '/supported')
      return { status: 200, body: official.getSupported() };
    const call = request.method === 'POST' ? path.slice(1) : '';
    if (call !== 'verify' && call !== 'settle') return { status: 404, body: { error: 'not found' } };
    calls[call]++;
    const body = await readRequest(request);
    if (body === null)
      return { status: 400, body: { error: 'expected paymentPayload and paymentRequirements' } };
    return await perform(call, body, failure !== null && (failure.on ?? call) === call ? failure.kind : null);
  }

  async function perform(
    call: 'verify' | 'settle',
    { payload, requirements }: FacilitatorRequest,
    active: FacilitatorFailure['kind'] | null,
  ): Promise<Reply> {
    if (active === 'hangs') return 'silence';
    if (active === 'down') return 'close';
    if (active === 'broken') return { status: 500, body: { error: 'internal error' } };
    if (active === 'refuses') return { status: 200, body: refusal(call, requirements) };
    const body =
      call === 'verify'
        ? await official.verify(payload, requirements)
        : await official.settle(payload, requirements);
    if (active === 'dies-after-broadcast') return 'close';
    if (active === 'hangs-after-broadcast') return 'silence';
    if (active === 'broken-after-broadcast') return { status: 502, body: { error: 'bad gateway' } };
    return { status: 200, body };
  }

  const taken = await listen(server, port);

  return {
    url: `http://${LOOPBACK}:${taken}`,
    feePayer: feePayer.address,
    fail: (next) => {
      failure = next;
    },
    nextUnanswered: () => unanswered.promise,
    calls,
    stop: () => close(server),
  };
}

/** A reply, a closed connection, or silence. */
type Reply = { readonly status: number; readonly body: unknown } | 'close' | 'silence';

interface FacilitatorRequest {
  readonly payload: PaymentPayload;
  readonly requirements: PaymentRequirements;
}

/** The body of a call; null for another form. The official packages check the payload. */
async function readRequest(request: IncomingMessage): Promise<FacilitatorRequest | null> {
  const raw = await bodyOf(request, MOST_BODY_BYTES);
  let body: unknown;
  try {
    body = raw === undefined ? undefined : JSON.parse(raw.toString('utf8'));
  } catch {
    return null;
  }
  if (!isObject(body) || !isObject(body['paymentPayload']) || !isObject(body['paymentRequirements']))
    return null;
  return {
    payload: body['paymentPayload'] as unknown as PaymentPayload,
    requirements: body['paymentRequirements'] as unknown as PaymentRequirements,
  };
}

function refusal(call: 'verify' | 'settle', { network }: PaymentRequirements): object {
  return call === 'verify'
    ? { isValid: false, invalidReason: 'insufficient_funds' }
    : { success: false, errorReason: 'insufficient_funds', transaction: '', network };
}

function send(response: ServerResponse, reply: Exclude<Reply, 'silence'>): void {
  if (reply === 'close') {
    response.destroy();
    return;
  }
  response.writeHead(reply.status, { 'content-type': 'application/json' }).end(JSON.stringify(reply.body));
}
