// Calls about accounts and tokens.
import { type Address, getBase58Decoder, getBase64Decoder } from '@solana/kit';
import { SYSTEM_PROGRAM } from '../chain/addresses.ts';
import type { PlayChain } from '../chain/chain.ts';
import { readLookupTable } from '../chain/execution.ts';
import { parseAccount } from '../chain/parsed.ts';
import type { Commitment } from '../chain/slots.ts';
import { type AccountState, isTokenProgram, readMint, readToken, uiTokenAmount } from '../chain/tokens.ts';
import { invalid, MethodError, INVALID_REQUEST } from './errors.ts';
import {
  addressAt,
  addressOf,
  arrayAt,
  bankIn,
  countAt,
  isObject,
  type Options,
  optionsAt,
} from './params.ts';

type Params = readonly unknown[];

/** Most accounts of one getMultipleAccounts, as on real nodes. */
const MOST_ACCOUNTS = 100;
const MOST_BASE58_BYTES = 128;
const NEVER = 2n ** 64n - 1n;

export function accountMethods(chain: PlayChain) {
  const answer = (commitment: Commitment, value: unknown) => withContext(chain, commitment, value);

  return {
    getBalance(params: Params) {
      const bank = bankIn(chain, optionsAt(params, 1));
      return answer(bank, chain.stateAt(addressAt(params, 0), bank)?.lamports ?? 0n);
    },

    getAccountInfo(params: Params) {
      const options = optionsAt(params, 1);
      const bank = bankIn(chain, options);
      return answer(bank, writtenAccount(chain, chain.stateAt(addressAt(params, 0), bank), bank, options));
    },

    getMultipleAccounts(params: Params) {
      const options = optionsAt(params, 1);
      const bank = bankIn(chain, options);
      const states = arrayAt(params, 0, MOST_ACCOUNTS).map((key) => chain.stateAt(addressOf(key), bank));
      return answer(
        bank,
        states.map((state) => writtenAccount(chain, state, bank, options)),
      );
    },

    getMinimumBalanceForRentExemption(params: Params) {
      return chain.accounts.rent(countAt(params, 0));
    },

    getTokenAccountBalance(params: Params) {
      const bank = bankIn(chain, optionsAt(params, 1));
      const state = chain.stateAt(addressAt(params, 0), bank);
      if (state === null) throw invalid('Invalid param: could not find account');
      const token = readToken(state);
      if (token === null) throw invalid('Invalid param: not a Token account');
      const decimals = decimalsOf(chain, bank, token.mint);
      if (decimals === undefined) throw invalid('Invalid param: could not find mint');
      return answer(bank, uiTokenAmount(token.amount, decimals));
    },

    getTokenSupply(params: Params) {
      const bank = bankIn(chain, optionsAt(params, 1));
      const state = chain.stateAt(addressAt(params, 0), bank);
      if (state === null) throw invalid('Invalid param: could not find account');
      const mint = readMint(state);
      if (mint === null) throw invalid('Invalid param: not a Token mint');
      return answer(bank, uiTokenAmount(mint.supply, mint.decimals));
    },

    getTokenAccountsByOwner(params: Params) {
      const owner = addressAt(params, 0);
      const options = optionsAt(params, 2);
      const bank = bankIn(chain, options);
      const { program, mint } = tokenFilter(chain, bank, optionsAt(params, 1));
      const found = [...chain.accountsOf(program, bank)].filter(([, state]) => {
        const token = readToken(state);
        return token?.owner === owner && (mint === null || token.mint === mint);
      });
      return answer(
        bank,
        found.map(([pubkey, state]) => ({ pubkey, account: writtenAccount(chain, state, bank, options) })),
      );
    },
  };
}

/** An answer with the slot of its state. */
export function withContext(chain: PlayChain, commitment: Commitment, value: unknown) {
  return { context: { apiVersion: API_VERSION, slot: chain.slot(commitment) }, value };
}

/** The version of the imitated nodes. */
export const API_VERSION = '3.0.6';

function tokenFilter(
  chain: PlayChain,
  bank: Commitment,
  filter: Options,
): { readonly program: Address; readonly mint: Address | null } {
  if (filter['mint'] !== undefined) {
    const mint = addressOf(filter['mint']);
    const state = chain.stateAt(mint, bank);
    if (state === null || readMint(state) === null) throw invalid('Invalid param: could not find mint');
    return { program: state.owner, mint };
  }
  const program = addressOf(filter['programId']);
  if (!isTokenProgram(program)) throw invalid('Invalid param: unrecognized Token program id');
  return { program, mint: null };
}

function decimalsOf(chain: PlayChain, bank: Commitment, mint: Address): number | undefined {
  return readMint(chain.stateAt(mint, bank))?.decimals;
}

/** An account in the requested encoding; null when it does not exist. */
export function writtenAccount(
  chain: PlayChain,
  state: AccountState | null,
  bank: Commitment,
  options: Options,
): unknown {
  if (state === null) return null;
  const { executable, lamports, owner } = state;
  const data = writtenData(state, options, (mint) => decimalsOf(chain, bank, mint));
  return { data, executable, lamports, owner, rentEpoch: NEVER, space: state.data.length };
}

function writtenData(
  state: AccountState,
  options: Options,
  decimals: (mint: Address) => number | undefined,
): unknown {
  const encoding = options['encoding'] ?? 'binary';
  const data = sliced(state, options);
  switch (encoding) {
    case 'jsonParsed':
      return parsedData(state, decimals) ?? [getBase64Decoder().decode(data), 'base64'];
    case 'base64':
      return [getBase64Decoder().decode(data), encoding];
    case 'base58':
    case 'binary': {
      if (data.length > MOST_BASE58_BYTES)
        throw new MethodError(
          INVALID_REQUEST,
          `Encoded binary (base 58) data should be less than ${MOST_BASE58_BYTES} bytes, please use Base64 encoding.`,
        );
      const text = getBase58Decoder().decode(data);
      return encoding === 'binary' ? text : [text, encoding];
    }
    default:
      throw invalid(`Invalid params: unsupported encoding ${JSON.stringify(encoding)}.`);
  }
}

function sliced(state: AccountState, options: Options): Uint8Array {
  const slice = options['dataSlice'];
  const data = new Uint8Array(state.data);
  if (!isObject(slice)) return data;
  const offset = Number(slice['offset']);
  return data.slice(offset, offset + Number(slice['length']));
}

function parsedData(state: AccountState, decimals: (mint: Address) => number | undefined): unknown {
  const addresses = readLookupTable(state);
  if (addresses === null) return state.owner === SYSTEM_PROGRAM ? null : parseAccount(state, decimals);
  const view = new DataView(new Uint8Array(state.data).buffer);
  const info = {
    addresses,
    deactivationSlot: view.getBigUint64(4, true).toString(),
    lastExtendedSlot: view.getBigUint64(12, true).toString(),
    lastExtendedSlotStartIndex: view.getUint8(20),
  };
  return {
    program: 'address-lookup-table',
    parsed: { type: 'lookupTable', info },
    space: state.data.length,
  };
}
