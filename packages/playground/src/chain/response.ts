// A recorded transaction as nodes' answer to `getTransaction`, in each encoding.
import { getBase58Decoder, getBase64Decoder } from '@solana/kit';
import type { Execution } from './execution.ts';
import { type CompiledCall, isWritable, type TransactionMessage } from './message.ts';
import { encodedCall, parseCall } from './parsed.ts';

/** The encoding of a transaction. */
export type TransactionEncoding = 'json' | 'jsonParsed' | 'base58' | 'base64';

/** The position of a transaction in the chain. */
export interface BlockPosition {
  readonly slot: number;
  /** Seconds since 1970. */
  readonly blockTime: number | null;
}

/** A transaction of a version above the caller's limit. */
export class UnsupportedVersion extends Error {
  /** The transaction's version. */
  readonly version: number;
  constructor(version: number) {
    super(
      `Transaction version (${version}) is not supported by the requesting client. ` +
        `Please try the request again with the following configuration parameter: ` +
        `"maxSupportedTransactionVersion": ${version}`,
    );
    this.version = version;
  }
}

/**
 * The value of `getTransaction`. Lamports are bigint; the JSON writer writes them as numbers.
 *
 * @throws UnsupportedVersion when the transaction's version is above `maxSupportedTransactionVersion`; without it, for
 *   every version but legacy
 */
export function transactionResponse(
  execution: Execution,
  place: BlockPosition,
  options: {
    readonly encoding?: TransactionEncoding;
    readonly maxSupportedTransactionVersion?: number | undefined;
  } = {},
): Readonly<Record<string, unknown>> {
  const { encoding = 'json', maxSupportedTransactionVersion: newest } = options;
  const { version } = execution.sent.message;
  if (version !== 'legacy' && (newest === undefined || version > newest))
    throw new UnsupportedVersion(version);
  return {
    slot: place.slot,
    blockTime: place.blockTime,
    transaction: written(execution, encoding),
    meta: metaOf(execution, encoding),
    ...(newest === undefined ? {} : { version }),
  };
}

function written(execution: Execution, encoding: TransactionEncoding): unknown {
  const { wire, signatures } = execution.sent;
  switch (encoding) {
    case 'base58':
      return [getBase58Decoder().decode(wire), encoding];
    case 'base64':
      return [getBase64Decoder().decode(wire), encoding];
    case 'json':
      return { signatures, message: plainMessage(execution.sent.message) };
    case 'jsonParsed':
      return { signatures, message: parsedMessage(execution) };
  }
}

function plainMessage(message: TransactionMessage): unknown {
  const { header, accountKeys, recentBlockhash } = message;
  const instructions = message.instructions.map((call) => plainCall(call, TOP));
  return { header, accountKeys, recentBlockhash, instructions, ...lookupsOf(message) };
}

/** Stack height of the calls of the message itself. */
const TOP = 1;

function plainCall(call: CompiledCall, stackHeight: number): unknown {
  const { programIdIndex, accounts, data } = call;
  return { programIdIndex, accounts, data: getBase58Decoder().decode(data), stackHeight };
}

function lookupsOf(message: TransactionMessage): object {
  return message.version === 0 ? { addressTableLookups: message.lookups } : {};
}

function parsedMessage(execution: Execution): unknown {
  const { keys, loaded } = execution;
  const { message } = execution.sent;
  const accountKeys = keys.map((pubkey, index) => ({
    pubkey,
    signer: index < message.header.numRequiredSignatures,
    writable: isWritable(message, index, loaded.writable.length),
    source: index < message.accountKeys.length ? 'transaction' : 'lookupTable',
  }));
  const instructions = message.instructions.map((call) => parsedCall(call, execution, TOP));
  return { accountKeys, recentBlockhash: message.recentBlockhash, instructions, ...lookupsOf(message) };
}

function parsedCall(call: CompiledCall, { keys }: Pick<Execution, 'keys'>, stackHeight: number): unknown {
  return { ...(parseCall(call, keys) ?? encodedCall(call, keys)), stackHeight };
}

function metaOf(execution: Execution, encoding: TransactionEncoding): unknown {
  const { error, loaded, returned } = execution;
  return {
    err: error,
    status: error === null ? { Ok: null } : { Err: error },
    fee: execution.fee,
    preBalances: execution.preBalances,
    postBalances: execution.postBalances,
    innerInstructions: writtenInnerCalls(execution, encoding === 'jsonParsed'),
    logMessages: execution.logs,
    preTokenBalances: execution.preTokenBalances,
    postTokenBalances: execution.postTokenBalances,
    rewards: [],
    // With parsed keys the list itself marks the loaded ones.
    ...(encoding === 'jsonParsed' ? {} : { loadedAddresses: loaded }),
    ...(returned === null ? {} : { returnData: writtenReturn(returned) }),
    computeUnitsConsumed: execution.computeUnits,
  };
}

/** Calls within calls, in the meta of transactions and simulations. */
export function writtenInnerCalls(
  execution: Pick<Execution, 'innerCalls' | 'keys'>,
  parsed: boolean,
): readonly unknown[] {
  return execution.innerCalls.map(({ index, instructions }) => ({
    index,
    instructions: instructions.map((call) =>
      parsed ? parsedCall(call, execution, call.stackHeight) : plainCall(call, call.stackHeight),
    ),
  }));
}

/** Return data of a program, in the nodes' form. */
export function writtenReturn(returned: NonNullable<Execution['returned']>): unknown {
  return { programId: returned.programId, data: [getBase64Decoder().decode(returned.data), 'base64'] };
}
