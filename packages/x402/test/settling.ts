// A gate with a facilitator, and the proofs of its clients.
import { createFacilitator } from '../src/gate/facilitator.ts';
import type { Gate, Proof } from '../src/gate/gate.ts';
import { ASSET, PAY_TO, signedText } from './fake-chain.ts';
import { createFakeFacilitator, type FakeFacilitator } from './fake-facilitator.ts';
import { createFixture, type Fixture, type FixtureOptions, NETWORK, START_MS } from './fixture.ts';

/** Lifetime of a blockhash. */
export const LIFETIME_MS = 60_000;

export interface Settling extends Fixture {
  readonly facilitator: FakeFacilitator;
}

export function createSettling(policy: FixtureOptions['policy'] = {}): Settling {
  let facilitator: FakeFacilitator | undefined;
  const fixture = createFixture({
    policy,
    facilitator: ({ chain, clock }) => {
      facilitator = createFakeFacilitator(chain, clock);
      return createFacilitator({ url: 'https://facilitator.example/', fetch: facilitator.fetch });
    },
  });
  if (facilitator === undefined) throw new Error('no facilitator');
  return { ...fixture, facilitator };
}

/** The proof of an x402 client after signing. */
export function signed(
  gate: Gate,
  intent: string,
  {
    version = 2,
    amount = '4000',
    payer = 'alice',
    extra = {},
    isSigned = true,
    described = {},
    id = '',
    nowMs = START_MS,
  } = {},
): Proof {
  const extensions =
    id === '' ? {} : { extensions: { 'payment-identifier': { info: { required: false, id } } } };
  const transaction = signedText({
    intent,
    amount,
    payer,
    payTo: PAY_TO,
    untilMs: nowMs + LIFETIME_MS,
    isSigned,
  });
  const payload =
    version === 1
      ? { x402Version: 1, scheme: 'exact', network: 'solana', payload: { transaction }, ...extensions }
      : {
          x402Version: 2,
          accepted: { scheme: 'exact', network: NETWORK.caip2, amount, asset: ASSET, payTo: PAY_TO, extra },
          payload: { transaction },
          ...described,
          ...extensions,
        };
  const name = version === 1 ? 'x-payment' : 'payment-signature';
  const proof = gate.parse({ [name]: btoa(JSON.stringify(payload)) });
  if (proof === null) throw new Error('no proof');
  return proof;
}
