// Errors of the client and of payments → errors of the command line, each with a way out.
import { ClientError } from '@grainline/client';
import type { PayingError, PayingErrorCode } from '@grainline/x402/client';
import { counted } from '../io.ts';
import type { RunBudget } from './budget.ts';
import { usdc } from './usdc.ts';
import { CliError, type CliErrorCode } from '../errors.ts';
import type { ServiceTarget } from '../args/request.ts';

const NAME_ADDRESS = 'Name that address with --remote, if it is the service that you mean.';

/** The code and the way out; the message of the paying side has the rest. */
const WAYS_OUT: Readonly<Partial<Record<PayingErrorCode, readonly [CliErrorCode, string]>>> = {
  network_not_allowed: [
    'not_payable',
    'Name the network with --network, if its money is what you mean to spend.',
  ],
  redirected: ['redirected', NAME_ADDRESS],
  wrong_chain: ['not_payable', 'Name a node of that network with --rpc.'],
  endpoint_unavailable: ['not_payable', 'Try again, or name another node with --rpc.'],
  payment_refused: [
    'payment_refused',
    'Ask the operator for the money back; to pay anew, remove the files that name the transaction below $XDG_STATE_HOME/grainline/payments (~/.local/state).',
  ],
};

/** Limits of a run that some errors name. */
interface Bounds {
  readonly budget?: Pick<RunBudget, 'left'>;
  readonly timeoutMs?: number;
}

/** The error of the command line; errors of other kinds are returned unchanged. */
export function explained(error: unknown, target: ServiceTarget, bounds: Bounds = {}): unknown {
  if (error instanceof ClientError) return ofClient(error, bounds);
  return isPayingError(error) ? ofPayer(error, target, bounds) : error;
}

/** By its name, because the class is of an optional package. */
function isPayingError(error: unknown): error is PayingError {
  return error instanceof Error && error.name === 'PayingError';
}

function ofClient(cause: ClientError, { timeoutMs = 0 }: Bounds): CliError {
  const { code, message, payment: signature } = cause;
  const as = (ours: CliErrorCode, detail: string): CliError =>
    new CliError(ours, { detail, signature, cause });
  if (cause.status === 402) return as('payment_needed', priceOf(cause));
  switch (code) {
    case 'unreachable':
      return as('remote_unreachable', message);
    case 'bad_answer':
      return as('remote_strange', message);
    case 'redirected':
      return as('redirected', `${message} ${NAME_ADDRESS}`);
    case 'still_processing':
      return as('still_processing', counted(Math.round(timeoutMs / 60_000), 'minute'));
    default: {
      const refused = as('remote_refused', `${message} (${code})`);
      return signature === undefined ? refused : as('refused_though_paid', refused.message);
    }
  }
}

/** The price of an offer in words; a client without a wallet checks no offer. */
function priceOf({ details }: ClientError): string {
  const { maxAmountRequired: amount } = Object(details['paymentRequirements']) as {
    readonly maxAmountRequired?: unknown;
  };
  const isAmount = typeof amount === 'string' && /^\d{1,15}$/.test(amount);
  return isAmount ? usdc(BigInt(amount)) : 'money';
}

function ofPayer(cause: PayingError, { wallet }: ServiceTarget, { budget }: Bounds): Error {
  const { code, amount, message, signature } = cause;
  if (code === 'payment_aborted') return new CliError('not_paid', { detail: message, cause });
  const [ours, wayOut] = WAYS_OUT[code] ?? [];
  if (ours !== undefined) return new CliError(ours, { detail: `${message} ${wayOut}`, signature, cause });
  if (code !== 'price_too_high' || amount === undefined || wallet === undefined) return cause;
  const left = `${usdc(budget?.left() ?? 0n)} of ${usdc(wallet.maxCost)}`;
  return new CliError('too_dear', { detail: `${usdc(amount)}, and --max-cost leaves ${left}`, cause });
}
