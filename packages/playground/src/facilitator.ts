// A facilitator on loopback: the official packages of x402 behind HTTP, with a fee payer of the play chain.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { x402Facilitator } from '@x402/core/facilitator';
import type { Network, PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { ExactSvmScheme } from '@x402/svm/exact/facilitator';
import { ExactSvmSchemeV1 } from '@x402/svm/exact/v1/facilitator';
import { SOLANA_DEVNET_CAIP2, SOLANA_MAINNET_CAIP2, toFacilitatorSvmSigner } from '@x402/svm';
import type { Address, KeyPairSigner } from '@solana/kit';
import { bodyOf, close, listen, LOOPBACK } from './loopback.ts';
import { isObject } from './rpc/params.ts';

/** What is wrong with a facilitator. */
export interface FacilitatorFault {
  /** The calls that it is wrong for; both when absent. */
  readonly on?: 'verify' | 'settle';
  /**
   * - `dies-after-broadcast`: settles, and closes the connection instead of answering.
   * - `hangs`: never answers, and does nothing.
   * - `hangs-after-broadcast`: settles, and never answers.
   * - `broken`: answers 500 and does nothing.
   * - `broken-after-broadcast`: settles, and answers 502.
   * - `refuses`: says no, whatever it is shown.
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
export interface FacilitatorOptions {
  /** Address of the chain's JSON-RPC. */
  readonly rpcUrl: string;
  /** The key that pays the chain's fees; it must have SOL. */
  readonly feePayer: KeyPairSigner;
  /** 0, the default, takes any. */
  readonly port?: number;
}

/** A running facilitator. */
export interface Facilitator {
  readonly url: string;
  readonly feePayer: Address;
  /** Sets what is wrong with the facilitator from now on; null heals it. */
  fault(fault: FacilitatorFault | null): void;
  /** Resolves when the next call is left without an answer, so that nobody has to guess by the clock. */
  nextSilence(): Promise<void>;
  /** How often it was asked to verify and to settle. */
  readonly calls: { verify: number; settle: number };
  stop(): Promise<void>;
}

/** Names under which the official packages know networks. They have none for a local chain, so theirs are borrowed. */
const NETWORKS = {
  v2: [SOLANA_MAINNET_CAIP2, SOLANA_DEVNET_CAIP2] as Network[],
  v1: ['solana', 'solana-devnet'] as unknown as Network[],
};

const MOST_BODY_BYTES = 1 << 20;

/**
 * Starts a facilitator on loopback. It answers `/verify`, `/settle` and `/supported` for both versions of x402, and
 * knows no chain but the one it is given, whatever network a payment names.
 */
export async function startFacilitator({
  rpcUrl,
  feePayer,
  port = 0,
}: FacilitatorOptions): Promise<Facilitator> {
  const signer = toFacilitatorSvmSigner(feePayer, { defaultRpcUrl: rpcUrl });
  const official = new x402Facilitator()
    .register(NETWORKS.v2, new ExactSvmScheme(signer))
    .registerV1(NETWORKS.v1, new ExactSvmSchemeV1(signer));
  const calls = { verify: 0, settle: 0 };
  let fault: FacilitatorFault | null = null;
  let silence = Promise.withResolvers<undefined>();

  const server = createServer((request, response) => {
    void replyTo(request)
      .catch((error: unknown): Reply => ({ status: 500, body: { error: String(error) } }))
      .then((reply) => {
        if (reply !== 'silence') {
          send(response, reply);
          return;
        }
        silence.resolve(undefined);
        silence = Promise.withResolvers();
      });
  });

  async function replyTo(request: IncomingMessage): Promise<Reply> {
    const path = new URL(request.url ?? '/', `http://${LOOPBACK}`).pathname;
    if (request.method === 'GET' && path === '/supported')
      return { status: 200, body: official.getSupported() };
    const call = request.method === 'POST' ? path.slice(1) : '';
    if (call !== 'verify' && call !== 'settle') return { status: 404, body: { error: 'not found' } };
    calls[call]++;
    const asked = await readAsked(request);
    if (asked === null)
      return { status: 400, body: { error: 'expected paymentPayload and paymentRequirements' } };
    return await perform(call, asked, fault !== null && (fault.on ?? call) === call ? fault.kind : null);
  }

  async function perform(
    call: 'verify' | 'settle',
    { payload, requirements }: Asked,
    active: FacilitatorFault['kind'] | null,
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
    fault: (next) => {
      fault = next;
    },
    nextSilence: () => silence.promise,
    calls,
    stop: () => close(server),
  };
}

/** What is sent back: an answer, a closed connection, or nothing for ever. */
type Reply = { readonly status: number; readonly body: unknown } | 'close' | 'silence';

interface Asked {
  readonly payload: PaymentPayload;
  readonly requirements: PaymentRequirements;
}

/** The body of a call; null when it is not of its form. What stands in the payload, the official packages check. */
async function readAsked(request: IncomingMessage): Promise<Asked | null> {
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
