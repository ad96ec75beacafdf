// The record of a transaction against the accounts themselves: token balances, fees, errors, versions.
import {
  AccountRole,
  type Address,
  appendTransactionMessageInstructions,
  type Blockhash,
  createTransactionMessage,
  generateKeyPairSigner,
  getTransactionEncoder,
  type Instruction,
  type KeyPairSigner,
  partiallySignTransactionMessageWithSigners,
  pipe,
  setTransactionMessageConfig,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import {
  findAssociatedTokenPda,
  getApproveInstruction,
  getBurnInstruction,
  getCloseAccountInstruction,
  getCreateAssociatedTokenIdempotentInstruction,
  getMintDecoder,
  getMintToInstruction,
  getTokenDecoder,
  getTransferCheckedInstruction,
  getTransferInstruction,
} from '@solana-program/token';
import fc from 'fast-check';
import type { LiteSVM } from 'litesvm';
import { beforeAll, describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import {
  COMPUTE_BUDGET_PROGRAM,
  MEMO_PROGRAMS,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  USDC_MINT,
} from '../src/chain/addresses.ts';
import { executeTransaction, type Execution } from '../src/chain/execution.ts';
import { addLamports, addTokens, createMachine, writeLookupTable, writeMint } from '../src/chain/machine.ts';
import { transactionResponse, UnsupportedVersion } from '../src/chain/response.ts';

const BLOCKHASH = '4sGjMW1sUnHzSxGspuhpqLDx6wiyjNtZAMdL4VZHirAn' as Blockhash;
const PLACE = { slot: 7, blockTime: 1_700_000_000 };

let authority: KeyPairSigner;
let people: readonly KeyPairSigner[];
beforeAll(async () => {
  authority = await generateKeyPairSigner();
  people = await Promise.all([1, 2, 3].map(() => generateKeyPairSigner()));
});

/** A machine where three people have SOL, and the first two 1 dollar each. */
async function machine(): Promise<LiteSVM> {
  const svm = createMachine();
  writeMint(svm, USDC_MINT, { decimals: 6, authority: authority.address });
  addLamports(svm, authority.address, 10n ** 12n);
  for (const { address } of people) addLamports(svm, address, 10n ** 12n);
  for (const { address } of people.slice(0, 2)) await addTokens(svm, USDC_MINT, address, 1_000_000n);
  return svm;
}

async function accountOf(owner: Address, mint = USDC_MINT, tokenProgram = TOKEN_PROGRAM): Promise<Address> {
  return (await findAssociatedTokenPda({ mint, owner, tokenProgram }))[0];
}

async function signed(
  payer: KeyPairSigner,
  instructions: readonly Instruction[],
  version: 'legacy' | 0 | 1 = 0,
  config?: Parameters<typeof setTransactionMessageConfig>[0],
): Promise<Uint8Array> {
  const lifetime = { blockhash: BLOCKHASH, lastValidBlockHeight: 100n };
  const message = pipe(
    createTransactionMessage({ version }),
    (bare) =>
      config === undefined ? bare : setTransactionMessageConfig(config, bare as typeof bare & { version: 1 }),
    (empty) => setTransactionMessageFeePayerSigner(payer, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
    (alive) => appendTransactionMessageInstructions(instructions, alive),
  );
  return new Uint8Array(
    getTransactionEncoder().encode(await partiallySignTransactionMessageWithSigners(message)),
  );
}

function executed(result: ReturnType<typeof executeTransaction>): Execution {
  if ('refused' in result) throw new Error(`refused: ${JSON.stringify(result)}`);
  return result;
}

const memo = (program: Address, text: string): Instruction => ({
  programAddress: program,
  data: new TextEncoder().encode(text),
});

describe('token balances of a transaction', () => {
  type Step = readonly [kind: string, from: number, to: number, amount: bigint];
  const step: fc.Arbitrary<Step> = fc.tuple(
    fc.constantFrom('transfer', 'checked', 'create', 'mint', 'burn', 'close', 'approve', 'memo'),
    fc.nat(2),
    fc.nat(2),
    fc.oneof(fc.bigInt(0n, 1_500_000n), fc.constant(1_000_000n)),
  );

  async function instruction([kind, from, to, amount]: Step): Promise<Instruction> {
    const owner = people[from]!;
    const source = await accountOf(owner.address);
    const destination = await accountOf(people[to]!.address);
    switch (kind) {
      case 'transfer':
        return getTransferInstruction({ source, destination, authority: owner, amount });
      case 'checked':
        return getTransferCheckedInstruction({
          source,
          mint: USDC_MINT,
          destination,
          authority: owner,
          amount,
          decimals: 6,
        });
      case 'create':
        return getCreateAssociatedTokenIdempotentInstruction({
          payer: owner,
          owner: people[to]!.address,
          mint: USDC_MINT,
          ata: destination,
        });
      case 'mint':
        return getMintToInstruction({ mint: USDC_MINT, token: source, mintAuthority: authority, amount });
      case 'burn':
        return getBurnInstruction({ account: source, mint: USDC_MINT, authority: owner, amount });
      case 'close':
        return getCloseAccountInstruction({ account: source, destination: owner.address, owner });
      case 'approve':
        return getApproveInstruction({ source, delegate: people[to]!.address, owner, amount });
      default:
        return memo(MEMO_PROGRAMS[from]!, `memo ${to} ${amount}`);
    }
  }

  /** Amounts of accounts, read from their bytes without the code under test. */
  function held(svm: LiteSVM, keys: readonly Address[]): ReadonlyMap<number, bigint> {
    return new Map(
      keys.flatMap((key, place) => {
        const account = svm.getAccount(key);
        const isToken =
          account.exists && account.programAddress === TOKEN_PROGRAM && account.data.length === 165;
        return isToken ? [[place, getTokenDecoder().decode(account.data).amount] as const] : [];
      }),
    );
  }

  it('are what the accounts hold before and after it, whatever it does', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 }),
        async (transactions) => {
          const svm = await machine();
          const supplyBefore = () => {
            const mint = svm.getAccount(USDC_MINT);
            return mint.exists ? getMintDecoder().decode(mint.data).supply : -1n;
          };
          for (const steps of transactions) {
            const calls = await Promise.all(steps.map(instruction));
            const wire = await signed(authority, calls);
            const before = new Map((await allAccounts()).map((key) => [key, amountIn(svm, key)]));
            const supply = supplyBefore();
            const record = executed(executeTransaction(svm, wire));
            const { keys, preTokenBalances: pre, postTokenBalances: post } = record;
            const calledToken = keys.includes(TOKEN_PROGRAM);

            const now = held(svm, keys);
            const reported = new Map(
              post.map((entry) => [entry.accountIndex, BigInt(entry.uiTokenAmount.amount)]),
            );
            expect(reported).toEqual(calledToken ? now : new Map());
            for (const { accountIndex, uiTokenAmount } of pre)
              expect(BigInt(uiTokenAmount.amount)).toBe(before.get(keys[accountIndex]!));
            // Nothing is made or lost but by minting and burning.
            const moved = (balances: typeof pre) =>
              balances.reduce((sum, entry) => sum + BigInt(entry.uiTokenAmount.amount), 0n);
            if (calledToken) expect(moved(post) - moved(pre)).toBe(supplyBefore() - supply);
            if (record.error !== null) expect(post).toEqual(pre);
            expect(record.fee).toBe(5000n * BigInt(record.sent.signatures.length));
          }
        },
      ),
      cases(60),
    );
  });

  const allAccounts = () => Promise.all(people.map(({ address }) => accountOf(address)));
  function amountIn(svm: LiteSVM, key: Address): bigint | undefined {
    const account = svm.getAccount(key);
    return account.exists ? getTokenDecoder().decode(account.data).amount : undefined;
  }

  it('are absent when no token program is among the keys, and null where a zero is', async () => {
    const svm = await machine();
    const [a, b] = people;
    const only = executed(
      executeTransaction(
        svm,
        await signed(a!, [
          {
            ...memo(MEMO_PROGRAMS[1]!, 'x'),
            accounts: [{ address: a!.address, role: AccountRole.READONLY_SIGNER }],
          },
        ]),
      ),
    );
    expect(only.postTokenBalances).toEqual([]);
    const source = await accountOf(a!.address);
    const all = getTransferInstruction({
      source,
      destination: await accountOf(b!.address),
      authority: a!,
      amount: 1_000_000n,
    });
    const record = executed(executeTransaction(svm, await signed(a!, [all])));
    const place = record.keys.indexOf(source);
    expect(record.postTokenBalances.find((entry) => entry.accountIndex === place)?.uiTokenAmount).toEqual({
      amount: '0',
      decimals: 6,
      uiAmount: null,
      uiAmountString: '0',
    });
    expect(
      record.preTokenBalances.find((entry) => entry.accountIndex === place)?.uiTokenAmount.uiAmount,
    ).toBe(1);
  });

  it('name the program, for Token-2022 too', async () => {
    const svm = await machine();
    const [a, b] = people;
    const mint = (await generateKeyPairSigner()).address;
    writeMint(svm, mint, { decimals: 2, authority: authority.address, program: TOKEN_2022_PROGRAM });
    await addTokens(svm, mint, a!.address, 500n);
    await addTokens(svm, mint, b!.address, 0n);
    const transfer = getTransferCheckedInstruction(
      {
        source: await accountOf(a!.address, mint, TOKEN_2022_PROGRAM),
        destination: await accountOf(b!.address, mint, TOKEN_2022_PROGRAM),
        mint,
        authority: a!,
        amount: 120n,
        decimals: 2,
      },
      { programAddress: TOKEN_2022_PROGRAM },
    );
    const record = executed(executeTransaction(svm, await signed(a!, [transfer])));
    expect(record.error).toBeNull();
    expect(
      record.postTokenBalances.map((entry) => [entry.owner, entry.programId, entry.uiTokenAmount.amount]),
    ).toEqual(
      expect.arrayContaining([
        [a!.address, TOKEN_2022_PROGRAM, '380'],
        [b!.address, TOKEN_2022_PROGRAM, '120'],
      ]),
    );
  });
});

describe('a transaction', () => {
  it('that fails pays its fee, changes nothing else and says why', async () => {
    const svm = await machine();
    const [a, b] = people;
    const tooMuch = getTransferInstruction({
      source: await accountOf(a!.address),
      destination: await accountOf(b!.address),
      authority: a!,
      amount: 1_000_001n,
    });
    const before = svm.getBalance(a!.address)!;
    const record = executed(executeTransaction(svm, await signed(a!, [tooMuch])));
    expect(record.error).toEqual({ InstructionError: [0, { Custom: 1 }] });
    expect(before - svm.getBalance(a!.address)!).toBe(5000n);
    expect(record.postTokenBalances).toEqual(record.preTokenBalances);
  });

  it('whose payer has nothing, or whose signature is missing or wrong, never happened', async () => {
    const svm = await machine();
    const poor = await generateKeyPairSigner();
    const wire = await signed(poor, [memo(MEMO_PROGRAMS[1]!, 'x')]);
    expect(executeTransaction(svm, wire)).toMatchObject({ refused: 'AccountNotFound' });
    const rich = await signed(people[0]!, [memo(MEMO_PROGRAMS[1]!, 'x')]);
    rich[5] = rich[5]! ^ 1;
    expect(executeTransaction(svm, rich)).toMatchObject({ refused: 'SignatureFailure' });
    rich.fill(0, 1, 65);
    expect(executeTransaction(svm, rich)).toMatchObject({ refused: 'SignatureFailure' });
    expect(() => executeTransaction(svm, rich.slice(0, -1))).toThrow('too early');
    expect(() => executeTransaction(svm, Uint8Array.of(...rich, 0))).toThrow('too late');
  });

  it.each(MEMO_PROGRAMS)('can carry a memo of %s', async (program) => {
    const svm = await machine();
    const record = executed(executeTransaction(svm, await signed(people[0]!, [memo(program, 'chunk:1:x')])));
    expect(record.error).toBeNull();
    expect(record.logs.join('\n')).toContain(program);
  });

  it('charges the price of compute units that it offers', async () => {
    const svm = await machine();
    const limit = new Uint8Array([2, 0, 0, 0, 0]);
    new DataView(limit.buffer).setUint32(1, 50_000, true);
    const price = new Uint8Array([3, 0, 0, 0, 0, 0, 0, 0, 0]);
    new DataView(price.buffer).setBigUint64(1, 2_000_000n, true);
    const budget = [limit, price].map((data) => ({ programAddress: COMPUTE_BUDGET_PROGRAM, data }));
    const record = executed(
      executeTransaction(svm, await signed(people[0]!, [...budget, memo(MEMO_PROGRAMS[1]!, 'x')])),
    );
    expect(record.fee).toBe(5000n + 100_000n);
  });

  it('can be of version 1', async () => {
    const svm = await machine();
    const [a, b] = people;
    const transfer = getTransferInstruction({
      source: await accountOf(a!.address),
      destination: await accountOf(b!.address),
      authority: a!,
      amount: 5n,
    });
    const config = {
      computeUnitLimit: 50_000,
      loadedAccountsDataSizeLimit: 1_000_000,
      priorityFeeLamports: 77n,
    };
    const record = executed(executeTransaction(svm, await signed(a!, [transfer], 1, config)));
    expect(record.error).toBeNull();
    expect(record.fee).toBe(5077n);
    expect(record.sent.message.priorityFeeLamports).toBe(77n);
    expect(record.postTokenBalances.map((entry) => entry.uiTokenAmount.amount).sort()).toEqual([
      '1000005',
      '999995',
    ]);
    expect(() => transactionResponse(record, PLACE, { maxSupportedTransactionVersion: 0 })).toThrow(
      UnsupportedVersion,
    );
    expect(transactionResponse(record, PLACE, { maxSupportedTransactionVersion: 1 })).toHaveProperty(
      'version',
      1,
    );
  });

  it('is answered by version only to those who can read it', async () => {
    const svm = await machine();
    const wires = {
      legacy: await signed(people[0]!, [memo(MEMO_PROGRAMS[1]!, 'x')], 'legacy'),
      zero: await signed(people[0]!, [memo(MEMO_PROGRAMS[1]!, 'x')], 0),
    };
    const legacy = executed(executeTransaction(svm, wires.legacy));
    const zero = executed(executeTransaction(svm, wires.zero));
    expect(transactionResponse(legacy, PLACE)).not.toHaveProperty('version');
    expect(transactionResponse(legacy, PLACE, { maxSupportedTransactionVersion: 0 })).toHaveProperty(
      'version',
      'legacy',
    );
    expect(() => transactionResponse(zero, PLACE)).toThrow(UnsupportedVersion);
    expect(transactionResponse(zero, PLACE, { maxSupportedTransactionVersion: 0 })).toHaveProperty(
      'version',
      0,
    );
  });

  it('takes keys from a lookup table, and lists them behind its own', async () => {
    const svm = await machine();
    const [a, b] = people;
    const table = (await generateKeyPairSigner()).address;
    const source = await accountOf(a!.address);
    const destination = await accountOf(b!.address);
    writeLookupTable(svm, table, [USDC_MINT, destination]);
    const plain = getTransferCheckedInstruction({
      source,
      mint: USDC_MINT,
      destination,
      authority: a!,
      amount: 7n,
      decimals: 6,
    });
    const [from, , , signer] = plain.accounts;
    const lookup = (
      address: Address,
      addressIndex: number,
      role: AccountRole.READONLY | AccountRole.WRITABLE,
    ) => ({
      address,
      addressIndex,
      lookupTableAddress: table,
      role,
    });
    const call = {
      ...plain,
      accounts: [
        from,
        lookup(USDC_MINT, 0, AccountRole.READONLY),
        lookup(destination, 1, AccountRole.WRITABLE),
        signer,
      ],
    } as unknown as Instruction;
    const record = executed(executeTransaction(svm, await signed(a!, [call])));
    expect(record.error).toBeNull();
    expect(record.loaded).toEqual({ writable: [destination], readonly: [USDC_MINT] });
    expect(record.keys.slice(-2)).toEqual([destination, USDC_MINT]);
    const response = transactionResponse(record, PLACE, { maxSupportedTransactionVersion: 0 });
    expect(response).toMatchObject({ meta: { loadedAddresses: record.loaded } });
    const entry = record.postTokenBalances.find(
      ({ accountIndex }) => accountIndex === record.keys.length - 2,
    );
    expect(entry?.uiTokenAmount.amount).toBe('1000007');
  });

  it('is spelled out in jsonParsed', async () => {
    const svm = await machine();
    const [a, b] = people;
    const source = await accountOf(a!.address);
    const destination = await accountOf(b!.address);
    const record = executed(
      executeTransaction(
        svm,
        await signed(a!, [
          getTransferCheckedInstruction({
            source,
            mint: USDC_MINT,
            destination,
            authority: a!,
            amount: 1_500n,
            decimals: 6,
          }),
          memo(MEMO_PROGRAMS[1]!, 'chunk:1:x'),
        ]),
      ),
    );
    const response = transactionResponse(record, PLACE, {
      encoding: 'jsonParsed',
      maxSupportedTransactionVersion: 0,
    });
    expect(response).toMatchObject({
      transaction: {
        message: {
          instructions: [
            {
              program: 'spl-token',
              parsed: {
                type: 'transferChecked',
                info: {
                  source,
                  mint: USDC_MINT,
                  destination,
                  authority: a!.address,
                  tokenAmount: { amount: '1500', decimals: 6, uiAmount: 0.0015, uiAmountString: '0.0015' },
                },
              },
            },
            { program: 'spl-memo', parsed: 'chunk:1:x' },
          ],
        },
      },
    });
  });
});
