// Verdicts on written answers: each false appearance of a payment, each way to pay, and each incomplete answer.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { MalformedAnswer } from '../../src/chains/solana/answers.ts';
import { readTransaction } from '../../src/chains/solana/transaction.ts';
import { creditedAmount, judgeTransaction, type Verdict } from '../../src/chains/solana/verdict.ts';
import {
  ACCOUNT,
  KEY,
  MEMO,
  OTHER_MINT,
  PAYER,
  RULE,
  SOURCE,
  THIEF,
  TOKEN,
  TOKEN_2022,
  address,
  ours,
  payment,
  signature,
  theirs,
  type Payment,
} from './answers.ts';

function verdict(answer: unknown): Verdict {
  return judgeTransaction(KEY, readTransaction(answer), RULE);
}

/** A third party's account. */
const other = (amount: bigint) => ({ account: address(71), amount, owner: address(72) });

function credited(changes: Payment): bigint {
  const said = verdict(payment(changes));
  if (said.kind !== 'found') throw new Error(said.kind);
  return said.credited;
}

describe('what pays', () => {
  it('is the gain of the pay-to account, with payer, slot and memos', () => {
    expect(verdict(payment({ memos: ['one', 'two €'] }))).toEqual({
      kind: 'found',
      payer: PAYER,
      credited: 5_000n,
      slot: 300n,
      memos: ['one', 'two €'],
    });
  });

  it('is of whoever gave the money, also where another one paid the fee', () => {
    const gave = { before: [ours(1n), theirs(9n), other(5n)], after: [ours(8n), theirs(3n), other(4n)] };
    const keys = [THIEF, SOURCE, ACCOUNT, TOKEN, MEMO, address(71)];
    expect(verdict(payment({ keys, ...gave }))).toMatchObject({
      payer: PAYER,
      feePayer: THIEF,
      credited: 7n,
    });
    // Minted money has no giver, so the payer of the minting counts.
    const minted = { before: [ours(1n)], after: [ours(8n)] };
    expect(verdict(payment({ keys, ...minted }))).not.toHaveProperty('feePayer', expect.anything());
    expect(verdict(payment({ keys, ...minted }))).toMatchObject({ payer: THIEF, credited: 7n });
  });

  it.each(['legacy', 0, 1] as const)('counts in a transaction of version %s', (version) => {
    expect(credited({ version })).toBe(5_000n);
  });

  it('counts when a lookup table loads the account', () => {
    const keys = [PAYER, SOURCE, TOKEN, MEMO];
    expect(credited({ keys, loaded: { writable: [ACCOUNT], readonly: [] } })).toBe(5_000n);
    expect(credited({ keys, loaded: { writable: [address(60)], readonly: [address(61), ACCOUNT] } })).toBe(
      5_000n,
    );
  });

  it('counts when the account is made by the same transaction', () => {
    const made = { before: [theirs(10_000n)], after: [ours(5_000n), theirs(5_000n)] };
    expect(credited({ ...made, lamports: { [ACCOUNT]: [0, 2_039_280] } })).toBe(5_000n);
    expect(credited({ ...made, lamports: { [ACCOUNT]: [900_000, 2_039_280] } })).toBe(5_000n);
  });

  it('is exact beyond what numbers carry', () => {
    const before = [ours(2n ** 64n - 3n)];
    expect(credited({ before, after: [ours(2n ** 64n - 1n)] })).toBe(2n);
  });

  it('has the memos of inner instructions, in the order of execution', () => {
    const said = verdict(payment({ memos: ['outer'], innerMemos: ['inner'] }));
    expect(said).toMatchObject({ memos: ['inner', 'outer'] });
  });
});

describe('what does not pay', () => {
  it.each<[string, Payment]>([
    ['a transfer back and forth', { after: [ours(70_000n), theirs(10_000n)] }],
    ['a transfer to itself', { before: [ours(70_000n)], after: [ours(70_000n)] }],
    [
      'a transfer of another mint',
      { before: [ours(0n, { mint: OTHER_MINT })], after: [ours(5_000n, { mint: OTHER_MINT })] },
    ],
    [
      'a transfer of a Token-2022 mint',
      { before: [ours(0n, { program: TOKEN_2022 })], after: [ours(5_000n, { program: TOKEN_2022 })] },
    ],
    [
      'a transfer to somebody else',
      { before: [theirs(10_000n)], after: [theirs(5_000n)], keys: [PAYER, SOURCE, THIEF, TOKEN, MEMO] },
    ],
    [
      "a transfer to another account of the pay-to wallet's",
      {
        keys: [PAYER, SOURCE, address(70), TOKEN, MEMO],
        before: [{ account: address(70), amount: 0n }],
        after: [{ account: address(70), amount: 5_000n }],
      },
    ],
    ['lamports', { keys: [PAYER, ACCOUNT, MEMO], before: [], after: [] }],
    ['lamports beside the token program', { before: [ours(70_000n)], after: [ours(70_000n)] }],
    ['a memo that speaks of money', { memos: ['5000 USDC'], after: [ours(70_000n), theirs(10_000n)] }],
    [
      'an account that is made, and nothing more',
      { before: [], after: [ours(0n)], lamports: { [ACCOUNT]: [0, 2_039_280] } },
    ],
  ])('%s', (_, changes) => {
    expect(credited(changes)).toBeLessThanOrEqual(0n);
  });

  it('a full account that is handed over to the pay-to wallet', () => {
    expect(credited({ before: [ours(9_000n, { owner: THIEF })], after: [ours(9_000n)] })).toBe(0n);
  });

  it('an account that is paid and handed over to somebody else', () => {
    expect(credited({ before: [ours(0n)], after: [ours(5_000n, { owner: THIEF })] })).toBe(0n);
  });

  it('less than the price by one is less by one', () => {
    expect(credited({ after: [ours(74_999n), theirs(5_001n)] })).toBe(4_999n);
  });

  it('a failed transaction, whatever its balances say', () => {
    const answer = payment({ err: { InstructionError: [0, { Custom: 1 }] } });
    expect(verdict(answer)).toEqual({ kind: 'failed' });
    expect(creditedAmount(readTransaction(answer), RULE)).toBe(0n);
  });

  it("is not known by a co-signer's signature", () => {
    expect(verdict(payment({ signatures: [signature(10), KEY] }))).toEqual({ kind: 'unknown' });
  });
});

describe('half an answer', () => {
  type Answer = ReturnType<typeof payment>;
  const meta = (changes: object) => ({ ...payment(), meta: { ...payment().meta, ...changes } });
  const message = (changes: object): unknown => {
    const { transaction, ...rest }: Answer = payment();
    return { ...rest, transaction: { ...transaction, message: { ...transaction.message, ...changes } } };
  };

  it.each<[string, unknown]>([
    ['no object', 'yes'],
    ['no meta', { ...payment(), meta: null }],
    ['no transaction', { ...payment(), transaction: undefined }],
    ['the transaction in base64', { ...payment(), transaction: ['AQID', 'base64'] }],
    ['no word about failure', meta({ err: undefined })],
    ['no token balances before', meta({ preTokenBalances: null })],
    ['no token balances after', meta({ postTokenBalances: undefined })],
    ['no lamports', meta({ preBalances: null })],
    ['lamports of too few accounts', meta({ postBalances: [1] })],
    ['the balance before left out', payment({ before: [theirs(10_000n)] })],
    ['the balance after left out', payment({ after: [theirs(5_000n)] })],
    ['both balances left out', payment({ before: [], after: [] })],
    ['a balance without owner', payment({ after: [ours(75_000n, { owner: null })] })],
    ['a balance without program', payment({ before: [ours(70_000n, { program: null })] })],
    ['a balance that is a number', payment({ after: [ours(75_000)] })],
    ['a negative balance', payment({ before: [ours('-70000')] })],
    ['a balance with a fraction', payment({ after: [ours('75000.5')] })],
    ['a balance in another notation', payment({ after: [ours('0x20000')] })],
    ['a balance of 65 bits', payment({ after: [ours(2n ** 64n)] })],
    ['two balances of one account', payment({ after: [ours(75_000n), ours(95_000n)] })],
    ['a balance of no account', payment({ after: [{ account: THIEF, amount: 5n }] })],
    ['an account twice', payment({ keys: [PAYER, ACCOUNT, ACCOUNT, TOKEN, MEMO], before: [], after: [] })],
    ['no account', message({ accountKeys: [] })],
    ['an account that is no address', message({ accountKeys: [PAYER, 'you and me', ACCOUNT, TOKEN, MEMO] })],
    [
      'lookup tables, and not what they load',
      message({ addressTableLookups: [{ writableIndexes: [1], readonlyIndexes: [] }] }),
    ],
    ['accounts loaded by no lookup table', meta({ loadedAddresses: { writable: [THIEF], readonly: [] } })],
    ['an instruction of no program', message({ instructions: [{ programIdIndex: 99, data: '' }] })],
    ['a memo that is not base58', message({ instructions: [{ programIdIndex: 4, data: '0OIl' }] })],
    ['no signature', payment({ signatures: [] })],
    ['another transaction', payment({ signatures: [signature(10)] })],
    ['no slot', { ...payment(), slot: null }],
    ['a negative slot', { ...payment(), slot: -1 }],
  ])('is worth nothing: %s', (_, answer) => {
    expect(() => verdict(answer)).toThrow(MalformedAnswer);
  });

  it('of any other kind throws nothing else, and never pays more than the truth', () => {
    const places = [
      'signatures',
      'accountKeys',
      'preBalances',
      'postBalances',
      'preTokenBalances',
      'loadedAddresses',
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...places, 'err', 'slot', 'meta', 'message'),
        fc.jsonValue(),
        (place, value) => {
          const answer: unknown = JSON.parse(
            JSON.stringify(payment(), (name, old: unknown) => (name === place ? value : old)),
          );
          let said: Verdict;
          try {
            said = verdict(answer);
          } catch (error) {
            expect(error).toBeInstanceOf(MalformedAnswer);
            return;
          }
          if (said.kind === 'found') expect(said.credited).toBeLessThanOrEqual(5_000n);
        },
      ),
      cases(100),
    );
  });
});
