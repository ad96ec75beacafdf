// Payments through the service, for programs without access to a node: the service prepares a transfer for a wallet,
// relays it, and searches it.
import { badAnswer } from './errors.ts';
import { type CallOptions, type SendRequest, type Members, readMembers } from './transport.ts';

/** A transfer for a wallet to sign. */
export interface UnsignedTransfer {
  /** Unsigned, in base64. */
  readonly transaction: string;
  /** Height of the last block that may include it. */
  readonly lastValidBlockHeight: number;
}

/** The state of a transfer. `unpaid`: it was not made and no longer can be. */
export type TransferState =
  { readonly state: 'paid'; readonly signature: string } | { readonly state: 'unknown' | 'unpaid' };

/** A transfer that may have been made. */
export interface TransferQuery {
  readonly tier: string;
  /** The memo of the payment order, which binds the transfer to its request. */
  readonly memo: string;
  /** Height after which the transfer can no longer be included; from {@link UnsignedTransfer}. */
  readonly lastValidBlockHeight?: number | undefined;
  /** Signatures of used up payments. The client sends the last 16. */
  readonly except?: readonly string[] | undefined;
}

/** The service's part in a payment. Calls reject with a ClientError, or with the signal's reason. */
export interface Transfers {
  /** Prepares the transfer that pays for one document of a tier. */
  prepare(
    transfer: { readonly payer: string; readonly tier: string; readonly memo: string },
    call?: CallOptions,
  ): Promise<UnsignedTransfer>;
  /** Relays a signed transfer in base64; resolves with its signature before it is included. */
  send(transaction: string, call?: CallOptions): Promise<string>;
  /** Searches a transfer by its memo. */
  find(query: TransferQuery, call?: CallOptions): Promise<TransferState>;
}

/** The service's limit. */
const MOST_EXCEPT = 16;

/** The transfers of a client. */
export function createTransfers(exchange: SendRequest): Transfers {
  const post = async (path: string, members: Members, call?: CallOptions): Promise<Members> => {
    const body = new Blob([JSON.stringify(members)], { type: 'application/json' });
    return (await exchange({ path: `payment/${path}`, method: 'POST', body }, readMembers, call)).value;
  };
  return {
    async prepare({ payer, tier, memo }, call) {
      const answer = await post('transaction', { payer, tier, memo }, call);
      const { transaction, last_valid_block_height: height } = answer;
      if (typeof transaction !== 'string' || typeof height !== 'number')
        throw badAnswer('it has no transfer');
      return { transaction, lastValidBlockHeight: height };
    },
    async send(transaction, call) {
      const { signature } = await post('send', { transaction }, call);
      if (typeof signature !== 'string') throw badAnswer('it has no signature');
      return signature;
    },
    async find({ tier, memo, lastValidBlockHeight: height, except = [] }, call) {
      const query = { tier, memo, except: except.slice(-MOST_EXCEPT), last_valid_block_height: height };
      const { state, signature } = await post('find', query, call);
      if (state === 'paid' && typeof signature === 'string') return { state, signature };
      if (state === 'unknown' || state === 'unpaid') return { state };
      throw badAnswer('it does not say what became of the transfer');
    },
  };
}
