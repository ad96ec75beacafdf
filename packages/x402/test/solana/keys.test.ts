// Keys of payments, and names of networks.
import { type Address, getAddressDecoder, getBase58Decoder } from '@solana/kit';
import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { canBeSignature, readKey } from '../../src/chains/solana/keys.ts';
import { SOLANA_NETWORKS, x402NamesOf } from '../../src/chains/solana/networks.ts';
import { associatedTokenAccount } from '../../src/chains/solana/programs.ts';
import { ACCOUNT, KEY, PAY_TO, USDC } from './answers.ts';

describe('a key', () => {
  it('is the text of 64 bytes, whatever white space is around it, and equal only for equal bytes', () => {
    const bytes = fc
      .uint8Array({ minLength: 64, maxLength: 64 })
      .filter((all) => all.some((byte) => byte !== 0));
    const space = fc.constantFrom('', ' ', '\t', ' \r\n ');
    fc.assert(
      fc.property(bytes, bytes, space, space, (one, other, left, right) => {
        const text = getBase58Decoder().decode(one);
        expect(readKey(left + text + right)).toBe(text);
        const same = one.every((byte, index) => byte === other[index]);
        expect(readKey(getBase58Decoder().decode(other)) === text).toBe(same);
      }),
      cases(100),
    );
  });

  it('is no other length, and not all zero', () => {
    for (const length of [0, 32, 63, 65, 66]) {
      expect(readKey(getBase58Decoder().decode(new Uint8Array(length).fill(7)))).toBeNull();
    }
    expect(readKey('1'.repeat(64))).toBeNull();
    // A further byte before the same 64 makes another text.
    expect(readKey(`1${KEY}`)).toBeNull();
  });

  it('is nothing else', () => {
    const texts = ['', ' ', 'null', '0x12', KEY.replace(/.$/, '0'), `${KEY.slice(0, 40)} ${KEY.slice(40)}`];
    texts.push(`${KEY},${KEY}`, 'z'.repeat(88), 'A'.repeat(6000), 'eyJ4NDAyVmVyc2lvbiI6MX0=');
    for (const text of texts) expect(readKey(text)).toBeNull();
    fc.assert(
      fc.property(fc.string({ maxLength: 100 }), (text) => {
        expect(readKey(text)).toBeNull();
      }),
      cases(100),
    );
  });
});

describe('a signature', () => {
  const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
  const half = fc.uint8Array({ minLength: 32, maxLength: 32 });
  const textOf = (first: Uint8Array, scalar: bigint): string => {
    const second = Uint8Array.from({ length: 32 }, (_, place) =>
      Number((scalar >> BigInt(8 * place)) & 255n),
    );
    return getBase58Decoder().decode(Uint8Array.of(...first, ...second));
  };

  it('has a second half below the order of the group', () => {
    const near = fc.bigInt({ min: -(2n ** 20n), max: 2n ** 20n }).map((away) => ORDER + away);
    const scalar = fc.oneof(
      fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
      near,
      fc.constantFrom(0n, ORDER - 1n, ORDER),
    );
    fc.assert(
      fc.property(half, scalar, (first, number) => {
        expect(canBeSignature(textOf(first, number))).toBe(number < ORDER);
      }),
      cases(300),
    );
  });

  it('is whatever a key pair makes', async () => {
    const pair = await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify']);
    if (!('privateKey' in pair)) throw new Error('A pair of keys was ordered.');
    await fc.assert(
      fc.asyncProperty(half, async (message) => {
        const made = await crypto.subtle.sign('Ed25519', pair.privateKey, message);
        expect(canBeSignature(getBase58Decoder().decode(new Uint8Array(made)))).toBe(true);
      }),
      cases(100),
    );
  });
});

describe('networks', () => {
  it('derives the account that wallets send to', async () => {
    expect(await associatedTokenAccount(PAY_TO, USDC)).toBe(ACCOUNT);
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 32, maxLength: 32 }), async (bytes) => {
        const owner = getAddressDecoder().decode(bytes);
        const [expected] = await findAssociatedTokenPda({
          owner,
          mint: USDC as Address,
          tokenProgram: TOKEN_PROGRAM_ADDRESS,
        });
        expect(await associatedTokenAccount(owner, USDC)).toBe(expected);
      }),
      cases(100),
    );
  });

  it('have the names of x402 that their genesis hashes give', () => {
    const names = (id: 'solana-mainnet' | 'solana-devnet') =>
      x402NamesOf(SOLANA_NETWORKS[id].genesisHash ?? '');
    expect(names('solana-mainnet')).toEqual({
      caip2: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
      v1: 'solana',
    });
    expect(names('solana-devnet')).toEqual({
      caip2: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
      v1: 'solana-devnet',
    });
    expect(x402NamesOf('9'.repeat(44))).toEqual({ caip2: `solana:${'9'.repeat(32)}`, v1: null });
  });
});
