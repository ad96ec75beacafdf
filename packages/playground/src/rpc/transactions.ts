// Calls about transactions: sending, simulating, and looking them up.
import { getBase58Encoder, type Address } from '@solana/kit';
import { COMPUTE_BUDGET_PROGRAM, KNOWN_MEMO_PROGRAMS, SYSTEM_PROGRAM } from '../chain/addresses.ts';
import type { PlayChain } from '../chain/chain.ts';
import { errorSentence } from '../chain/errors.ts';
import type { Faucet } from '../chain/faucet.ts';
import type { RecordedTransaction } from '../chain/transaction-log.ts';
import { type TransactionMessage, readMessage, type SentTransaction } from '../chain/message.ts';
import {
  type TransactionEncoding,
  transactionResponse,
  UnsupportedVersion,
  writtenInnerCalls,
  writtenReturn,
} from '../chain/response.ts';
import { type Simulation, withBlockhash } from '../chain/simulation.ts';
import { type Commitment, reaches } from '../chain/slots.ts';
import { withContext, writtenAccount } from './accounts.ts';
import {
  INVALID_PARAMS,
  invalid,
  PREFLIGHT_FAILURE,
  MethodError,
  SIGNATURE_VERIFICATION_FAILURE,
  UNSUPPORTED_VERSION,
} from './errors.ts';
import {
  addressAt,
  addressOf,
  arrayAt,
  bankIn,
  bytesOf,
  commitmentIn,
  countAt,
  isObject,
  type Options,
  optionsAt,
  stringAt,
  transactionAt,
} from './params.ts';

type Params = readonly unknown[];

const MOST_STATUSES = 256;
const MOST_SIGNATURES = 1000;
const LAMPORTS_PER_SIGNATURE = 5000n;
/** The most locked accounts of one transaction, and the slots in fee statistics. */
const MOST_LOCKED = 128;
const FEE_SLOTS = 150;

/** The methods of JSON-RPC about transactions, by name. */
export function transactionMethods(chain: PlayChain, faucet: Faucet) {
  return {
    sendTransaction(params: Params) {
      const options = optionsAt(params, 1);
      const sent = transactionAt(params, 0, options);
      if (options['skipPreflight'] !== true) preflight(chain, sent, options);
      // A node answers before it runs a transaction; a transaction that cannot run disappears silently.
      chain.submit(sent);
      return sent.signature;
    },

    simulateTransaction: (params: Params) => simulateTransaction(chain, params),

    getTransaction: (params: Params) => getTransaction(chain, params),

    getSignatureStatuses(params: Params) {
      const signatures = arrayAt(params, 0, MOST_STATUSES).map(signatureOf);
      return withContext(
        chain,
        'processed',
        signatures.map((signature) => statusOf(chain, chain.transaction(signature))),
      );
    },

    getSignaturesForAddress(params: Params) {
      const key = addressAt(params, 0);
      const options = optionsAt(params, 1);
      return signaturesOf(chain, key, ledgerCommitment(options), options);
    },

    getFeeForMessage(params: Params) {
      const options = optionsAt(params, 1);
      const bank = bankIn(chain, options);
      const message = readFee(bytesOf(stringAt(params, 0), 'base64'));
      const alive = chain.isBlockhashValid(message.recentBlockhash, bank);
      return withContext(chain, bank, alive ? feeOf(message) : null);
    },

    getRecentPrioritizationFees(params: Params) {
      if (params[0] !== undefined) arrayAt(params, 0, MOST_LOCKED).map(addressOf);
      const first = chain.slot('processed') - FEE_SLOTS + 1;
      return Array.from({ length: FEE_SLOTS }, (_, at) => ({ slot: first + at, prioritizationFee: 0 }));
    },

    async requestAirdrop(params: Params) {
      const to = addressAt(params, 0);
      const lamports = BigInt(countAt(params, 1));
      return await faucet.give(to, lamports);
    },
  };
}

function simulateTransaction(chain: PlayChain, params: Params) {
  const options = optionsAt(params, 1);
  const sent = transactionAt(params, 0, options);
  const bank = bankIn(chain, options);
  const sigVerify = options['sigVerify'] === true;
  const replaces = options['replaceRecentBlockhash'] === true;
  if (sigVerify && replaces) throw invalid('sigVerify may not be used with replaceRecentBlockhash');
  const block = chain.block(chain.slot(bank));
  const run =
    replaces && block !== null
      ? chain.simulate(withBlockhash(sent, block.blockhash), { sigVerify, blockhashAt: null })
      : chain.simulate(sent, { sigVerify, blockhashAt: bank });
  if (run.error === 'SignatureFailure') throw badSignature();
  const replacementBlockhash =
    replaces && block !== null
      ? { blockhash: block.blockhash, lastValidBlockHeight: block.height + chain.blockhashAge }
      : null;
  return withContext(chain, bank, {
    ...writtenSimulation(run, options['innerInstructions'] === true),
    accounts: simulatedAccounts(chain, run, bank, options['accounts']),
    replacementBlockhash,
  });
}

function getTransaction(chain: PlayChain, params: Params) {
  const signature = signatureOf(params[0]);
  const options = typeof params[1] === 'string' ? { encoding: params[1] } : optionsAt(params, 1);
  const found = visible(chain, signature, ledgerCommitment(options));
  if (found === null) return null;
  try {
    return transactionResponse(found.execution, found, {
      encoding: encodingIn(options),
      maxSupportedTransactionVersion: newestVersion(options),
    });
  } catch (error) {
    if (error instanceof UnsupportedVersion) throw new MethodError(UNSUPPORTED_VERSION, error.message);
    throw error;
  }
}

function preflight(chain: PlayChain, sent: SentTransaction, options: Options): void {
  const bank = bankIn(chain, options, 'preflightCommitment');
  const run = chain.simulate(sent, { sigVerify: true, blockhashAt: bank });
  if (run.error === null) return;
  if (run.error === 'SignatureFailure') throw badSignature();
  throw new MethodError(PREFLIGHT_FAILURE, `Transaction simulation failed: ${errorSentence(run.error)}`, {
    accounts: null,
    replacementBlockhash: null,
    ...writtenSimulation(run, false),
  });
}

function badSignature(): MethodError {
  return new MethodError(SIGNATURE_VERIFICATION_FAILURE, 'Transaction signature verification failure');
}

function writtenSimulation(run: Simulation, inner: boolean) {
  return {
    err: run.error,
    logs: run.logs,
    unitsConsumed: run.computeUnits,
    returnData: run.returned === null ? null : writtenReturn(run.returned),
    innerInstructions: inner ? writtenInnerCalls(run, true) : null,
  };
}

function simulatedAccounts(chain: PlayChain, run: Simulation, bank: Commitment, wanted: unknown): unknown {
  if (!isObject(wanted)) return null;
  return arrayAt([wanted['addresses']], 0, run.keys.length).map((key) => {
    const state = run.states.get(addressOf(key)) ?? chain.stateAt(addressOf(key), bank);
    return writtenAccount(chain, state, bank, { encoding: 'base64', ...wanted });
  });
}

/**
 * Most signatures without decoding: texts of 87 characters from 2 × 58^86 on, which is above 2^504, and of 88 below 5 ×
 * 58^87, which is below 2^512.
 */
const SURELY_64_BYTES = /^(?:[3-9A-HJ-NP-Za-km-z][1-9A-HJ-NP-Za-km-z]{86}|[2-5][1-9A-HJ-NP-Za-km-z]{87})$/;

/** A signature in base58; other values are rejected as on nodes. */
function signatureOf(value: unknown): string {
  if (typeof value !== 'string') throw invalid('Invalid params: expected a string.');
  if (SURELY_64_BYTES.test(value)) return value;
  let length: number;
  try {
    length = getBase58Encoder().encode(value).length;
  } catch {
    throw invalid('Invalid param: Invalid');
  }
  if (length !== 64) throw invalid('Invalid param: WrongSize');
  return value;
}

/** Calls about the ledger ignore transactions that are only processed. */
function ledgerCommitment(options: Options): Commitment {
  const commitment = commitmentIn(options);
  if (commitment === 'processed')
    throw new MethodError(INVALID_PARAMS, 'Method does not support commitment below `confirmed`');
  return commitment;
}

function visible(chain: PlayChain, signature: string, commitment: Commitment): RecordedTransaction | null {
  const found = chain.transaction(signature);
  return found !== null && reaches(chain.commitmentOf(found), commitment) ? found : null;
}

const ENCODINGS: readonly unknown[] = [
  'json',
  'jsonParsed',
  'base58',
  'base64',
] satisfies TransactionEncoding[];

function encodingIn(options: Options): TransactionEncoding {
  const encoding = options['encoding'] ?? 'json';
  if (!ENCODINGS.includes(encoding))
    throw invalid(`Invalid params: unknown encoding ${JSON.stringify(encoding)}.`);
  return encoding as TransactionEncoding;
}

function newestVersion(options: Options): number | undefined {
  const version = options['maxSupportedTransactionVersion'];
  if (version === undefined || version === null) return undefined;
  if (typeof version !== 'number') throw invalid('Invalid params: invalid type, expected u8.');
  return version;
}

/** The status of a transaction; null when it is unknown. */
function statusOf(chain: PlayChain, found: RecordedTransaction | null): unknown {
  if (found === null) return null;
  const { error } = found.execution;
  const commitment = chain.commitmentOf(found);
  return {
    slot: found.slot,
    confirmations: commitment === 'finalized' ? null : chain.slot('processed') - found.slot,
    err: error,
    status: error === null ? { Ok: null } : { Err: error },
    confirmationStatus: commitment,
  };
}

function signaturesOf(chain: PlayChain, key: Address, commitment: Commitment, options: Options): unknown[] {
  const { before, until } = options;
  const limit = options['limit'] ?? MOST_SIGNATURES;
  if (typeof limit !== 'number' || limit < 1 || limit > MOST_SIGNATURES)
    throw invalid(`Invalid limit; max ${MOST_SIGNATURES}`);
  const found: unknown[] = [];
  let begun = before === undefined || before === null;
  for (const entry of chain.transactions()) {
    const { signature, keys, error } = entry.execution;
    if (found.length === limit || signature === until) break;
    const wanted = begun && keys.includes(key) && reaches(chain.commitmentOf(entry), commitment);
    begun ||= signature === before;
    if (!wanted) continue;
    found.push({
      signature,
      slot: entry.slot,
      err: error,
      memo: memosOf(entry),
      blockTime: entry.blockTime,
      confirmationStatus: chain.commitmentOf(entry),
    });
  }
  return found;
}

/** Memos in nodes' lists: each after its length in bytes, joined by semicolons. */
function memosOf({ execution }: RecordedTransaction): string | null {
  const memos = execution.sent.message.instructions.flatMap(({ programIdIndex, data }) => {
    const program = execution.keys[programIdIndex];
    return program !== undefined && KNOWN_MEMO_PROGRAMS.includes(program)
      ? [`[${data.length}] ${new TextDecoder().decode(data)}`]
      : [];
  });
  return memos.length === 0 ? null : memos.join('; ');
}

function readFee(bytes: Uint8Array): TransactionMessage {
  try {
    return readMessage(bytes);
  } catch {
    throw invalid('failed to deserialize solana_message::versions::VersionedMessage');
  }
}

/** Default compute units of a call: of programs, and of programs that are built into the node. */
const DEFAULT_UNITS = { program: 200_000n, builtin: 3_000n };
const MOST_UNITS = 1_400_000n;

/** The fee of a message: its signatures, and its price for compute units. */
function feeOf(message: TransactionMessage): bigint {
  const base = LAMPORTS_PER_SIGNATURE * BigInt(message.header.numRequiredSignatures);
  if (message.priorityFeeLamports !== undefined) return base + message.priorityFeeLamports;
  let price = 0n;
  let limit: bigint | undefined;
  let units = 0n;
  for (const { programIdIndex, data } of message.instructions) {
    const program = message.accountKeys[programIdIndex];
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    if (program === COMPUTE_BUDGET_PROGRAM && data[0] === 3 && data.length === 9)
      price = view.getBigUint64(1, true);
    if (program === COMPUTE_BUDGET_PROGRAM && data[0] === 2 && data.length === 5)
      limit = BigInt(view.getUint32(1, true));
    units +=
      program === COMPUTE_BUDGET_PROGRAM || program === SYSTEM_PROGRAM
        ? DEFAULT_UNITS.builtin
        : DEFAULT_UNITS.program;
  }
  const requested = limit ?? units;
  const paid = requested < MOST_UNITS ? requested : MOST_UNITS;
  return base + (price * paid + 999_999n) / 1_000_000n;
}
