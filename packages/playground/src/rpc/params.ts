// Checks parameters of calls, with the error texts of nodes.
import { type Address, getBase58Encoder, getBase64Encoder, isAddress } from '@solana/kit';
import type { PlayChain } from '../chain/chain.ts';
import { readTransaction, type SentTransaction } from '../chain/message.ts';
import type { Commitment } from '../chain/slots.ts';
import { invalid, MIN_CONTEXT_SLOT_NOT_REACHED, MethodError } from './errors.ts';

/** The last parameter of most calls. */
export type Options = Readonly<Record<string, unknown>>;

/** An object among the parameters; an empty one when it is absent. */
export function optionsAt(params: readonly unknown[], place: number): Options {
  const value = params[place] ?? {};
  if (!isObject(value)) throw invalid('Invalid params: expected an object.');
  return value;
}

export function isObject(value: unknown): value is Options {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function stringAt(params: readonly unknown[], place: number): string {
  const value = params[place];
  if (typeof value !== 'string') throw invalid('Invalid params: expected a string.');
  return value;
}

export function addressAt(params: readonly unknown[], place: number): Address {
  return addressOf(params[place]);
}

export function addressOf(value: unknown): Address {
  if (typeof value !== 'string' || !isAddress(value)) throw invalid('Invalid param: Invalid');
  return value;
}

export function countAt(params: readonly unknown[], place: number): number {
  const value = params[place];
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw invalid('Invalid params: expected a number.');
  return value;
}

export function arrayAt(params: readonly unknown[], place: number, most: number): readonly unknown[] {
  const value = params[place];
  if (!Array.isArray(value)) throw invalid('Invalid params: expected an array.');
  if (value.length > most) throw invalid(`Too many inputs provided; max ${most}`);
  return value;
}

/** The commitment of a call; nodes default to `finalized`. */
export function commitmentIn(options: Options, name = 'commitment'): Commitment {
  const value = options[name] ?? 'finalized';
  if (value === 'processed' || value === 'confirmed' || value === 'finalized') return value;
  throw invalid(`Invalid params: unknown variant ${JSON.stringify(value)}, expected a commitment level`);
}

/** The commitment of a call. Its slot must have reached the caller's minimum. */
export function bankIn(chain: PlayChain, options: Options, name = 'commitment'): Commitment {
  const commitment = commitmentIn(options, name);
  const wanted = options['minContextSlot'];
  const contextSlot = chain.slot(commitment);
  if (typeof wanted === 'number' && wanted > contextSlot)
    throw new MethodError(MIN_CONTEXT_SLOT_NOT_REACHED, 'Minimum context slot has not been reached', {
      contextSlot,
    });
  return commitment;
}

/** The longest transactions in bytes: versions that fit one packet, and version 1. */
const MOST_BYTES = { packet: 1232, version1: 4096 };

/** The transaction in a call's text. */
export function transactionAt(params: readonly unknown[], place: number, options: Options): SentTransaction {
  const bytes = bytesOf(stringAt(params, place), options['encoding'] ?? 'base58');
  const sent = read(bytes);
  const most = sent.message.version === 1 ? MOST_BYTES.version1 : MOST_BYTES.packet;
  if (bytes.length > most)
    throw invalid(
      `decoded solana_transaction::versioned::VersionedTransaction too large: ${bytes.length} bytes (max: ${most} bytes)`,
    );
  return sent;
}

export function bytesOf(text: string, encoding: unknown): Uint8Array {
  if (encoding !== 'base58' && encoding !== 'base64')
    throw invalid(`unsupported encoding: ${JSON.stringify(encoding)}. Supported encodings: base58, base64`);
  const encoder = encoding === 'base58' ? getBase58Encoder() : getBase64Encoder();
  try {
    return new Uint8Array(encoder.encode(text));
  } catch {
    throw invalid(`invalid ${encoding} encoding`);
  }
}

function read(bytes: Uint8Array): SentTransaction {
  try {
    return readTransaction(bytes);
  } catch {
    throw invalid(
      'failed to deserialize solana_transaction::versioned::VersionedTransaction: io error: failed to fill whole buffer',
    );
  }
}
