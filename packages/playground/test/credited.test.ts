// The verdict against the token program itself: random transactions run on LiteSVM, answered as nodes answer them, and
// what the verdict says compared with the account's own bytes before and after.
import {
  AccountRole,
  type Address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  compressTransactionMessageUsingAddressLookupTables,
  createNoopSigner,
  createTransactionMessage,
  getAddressDecoder,
  getTransactionEncoder,
  type Instruction,
  pipe,
  type SignatureBytes,
  setTransactionMessageConfig,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import {
  AccountState,
  AuthorityType,
  getApproveInstruction,
  getBurnInstruction,
  getCloseAccountInstruction,
  getCreateAssociatedTokenIdempotentInstruction,
  getFreezeAccountInstruction,
  getMintEncoder,
  getMintToInstruction,
  getSetAuthorityInstruction,
  getThawAccountInstruction,
  getTokenDecoder,
  getTokenEncoder,
  getTransferCheckedInstruction,
  getTransferInstruction,
} from '@solana-program/token';
import {
  associatedTokenAccount,
  MalformedAnswer,
  readTransaction,
  type SolanaRule,
  judgeTransaction,
} from '@grainline/x402/solana';
import fc from 'fast-check';
import type { LiteSVM } from 'litesvm';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  MEMO_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  USDC_MINT,
} from '../src/chain/addresses.ts';
import { cases } from '@grainline/testing/cases';
import { executeTransaction } from '../src/chain/execution.ts';
import { createMachine, writeAccount, writeLookupTable, writeState } from '../src/chain/machine.ts';
import { transactionResponse } from '../src/chain/response.ts';

const { numRuns: TRANSACTIONS, seed: SEED = Math.floor(Math.random() * 2 ** 31) } = cases(1000);
/** Transactions of one run: each finds the accounts as the one before has left them. */
const PER_RUN = 20;
const BLOCKHASH = '4sGjMW1sUnHzSxGspuhpqLDx6wiyjNtZAMdL4VZHirAn' as Blockhash;

const address = (fill: number): Address => getAddressDecoder().decode(new Uint8Array(32).fill(fill));
const PAY_TO = address(11);
const ALICE = address(12);
const BOB = address(13);
const AUTHORITY = address(14);
const OTHER_MINT = address(15);
const MINT_2022 = address(16);
/** An account of the asset that belongs to the pay-to wallet and is not its associated one. */
const SIDE_ACCOUNT = address(17);
const TABLE = address(18);
const PEOPLE = [PAY_TO, ALICE, BOB] as const;

let svm: LiteSVM;
let rule: SolanaRule;
/** The pay-to account. */
let account: Address;
/** Token accounts by mint: those of the people in their order. */
let accounts: {
  readonly usdc: readonly Address[];
  readonly other: readonly Address[];
  readonly new: readonly Address[];
};

beforeAll(async () => {
  svm = createMachine().withSigverify(false);
  const usdc = await Promise.all(PEOPLE.map((owner) => associatedTokenAccount(owner, USDC_MINT)));
  const other = await Promise.all(PEOPLE.map((owner) => associatedTokenAccount(owner, OTHER_MINT)));
  accounts = { usdc: [...usdc, SIDE_ACCOUNT], other, new: [address(21), address(22), address(23)] };
  account = usdc[0]!;
  rule = { payTo: PAY_TO, asset: USDC_MINT, account };
});

function writeToken(key: Address, owner: Address, mint: Address, amount: bigint, program: Address): void {
  const none = { __option: 'None' } as const;
  const data = getTokenEncoder().encode({
    mint,
    owner,
    amount,
    delegate: none,
    state: AccountState.Initialized,
    isNative: none,
    delegatedAmount: 0n,
    closeAuthority: none,
  });
  writeAccount(svm, key, { owner: program, data });
}

/** The pay-to account at the start of a run. */
const BEGINNINGS = ['full', 'missing', 'in other hands'] as const;

/** Every account as it is before the first transaction of a run. */
function reset(beginning: (typeof BEGINNINGS)[number]): void {
  const some = { __option: 'Some', value: AUTHORITY } as const;
  const mint = {
    mintAuthority: some,
    freezeAuthority: some,
    supply: 10n ** 12n,
    decimals: 6,
    isInitialized: true,
  };
  for (const [key, program] of [
    [USDC_MINT, TOKEN_PROGRAM],
    [OTHER_MINT, TOKEN_PROGRAM],
    [MINT_2022, TOKEN_2022_PROGRAM],
  ] as const)
    writeAccount(svm, key, { owner: program, data: getMintEncoder().encode(mint) });
  for (const wallet of [...PEOPLE, AUTHORITY])
    writeState(svm, wallet, {
      owner: SYSTEM_PROGRAM,
      data: new Uint8Array(),
      lamports: 10n ** 12n,
      executable: false,
    });
  PEOPLE.forEach((owner, index) => {
    writeToken(accounts.usdc[index]!, owner, USDC_MINT, 1_000_000n, TOKEN_PROGRAM);
    writeToken(accounts.other[index]!, owner, OTHER_MINT, 1_000_000n, TOKEN_PROGRAM);
    writeToken(accounts.new[index]!, owner, MINT_2022, 1_000_000n, TOKEN_2022_PROGRAM);
  });
  if (beginning === 'in other hands') writeToken(account, BOB, USDC_MINT, 1_000_000n, TOKEN_PROGRAM);
  if (beginning === 'missing') writeState(svm, account, null);
  writeToken(SIDE_ACCOUNT, PAY_TO, USDC_MINT, 1_000_000n, TOKEN_PROGRAM);
  writeLookupTable(svm, TABLE, [...accounts.usdc, USDC_MINT, ...accounts.other, OTHER_MINT]);
}

interface Holding {
  readonly owner: Address;
  readonly mint: Address;
  readonly amount: bigint;
}

/** Owner and amount in a token account's bytes; null when there is no account. */
function held(key: Address): Holding | null {
  const state = svm.getAccount(key);
  if (!state.exists || state.programAddress !== TOKEN_PROGRAM) return null;
  return getTokenDecoder().decode(state.data);
}

const KINDS = [
  'transfer',
  'checked',
  'round trip',
  'self',
  'mint',
  'burn',
  'drain and close',
  'create',
  'create and pay',
  'hand over',
  'hand back',
  'delegate',
  'freeze',
  'thaw',
  'other mint',
  'token 2022',
  'lamports',
  'memo',
] as const;

interface Step {
  readonly kind: (typeof KINDS)[number];
  readonly from: number;
  readonly to: number;
  /** Thousandths of what the source holds; above 1,000 it is more than there is. */
  readonly share: number;
}

interface Plan {
  readonly version: 'legacy' | 0 | 1;
  readonly lookup: boolean;
  readonly feePayer: number;
  readonly steps: readonly Step[];
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...KINDS, 'transfer', 'checked', 'create and pay', 'hand back', 'thaw'),
  from: fc.nat(3),
  to: fc.oneof(fc.constant(0), fc.nat(3)),
  share: fc.oneof({ weight: 20, arbitrary: fc.nat(1000) }, { weight: 1, arbitrary: fc.constant(1001) }),
});
const plan: fc.Arbitrary<Plan> = fc.record({
  version: fc.constantFrom<Plan['version'][]>('legacy', 0, 1),
  lookup: fc.boolean(),
  feePayer: fc.nat(2),
  steps: fc.array(step, { minLength: 1, maxLength: 4 }),
});

/** The instructions of a step. Whoever owns the source now signs for it, so that most of them succeed. */
function instructionsOf({ kind, from, to, share }: Step): readonly Instruction[] {
  const asset = kind === 'other mint' ? OTHER_MINT : kind === 'token 2022' ? MINT_2022 : USDC_MINT;
  const own = kind === 'other mint' ? accounts.other : kind === 'token 2022' ? accounts.new : accounts.usdc;
  const source = own[from % own.length]!;
  const destination = own[to % own.length]!;
  const at = held(source);
  const owner = createNoopSigner(at?.owner ?? PEOPLE[from % 3]!);
  const authority = createNoopSigner(AUTHORITY);
  const amount = kind === 'token 2022' ? BigInt(share) : ((at?.amount ?? 1_000_000n) * BigInt(share)) / 1000n;
  const back = createNoopSigner(held(destination)?.owner ?? PEOPLE[to % 3]!);
  const checked = { mint: asset, amount, decimals: 6 };
  switch (kind) {
    case 'transfer':
      return [getTransferInstruction({ source, destination, authority: owner, amount })];
    case 'checked':
    case 'other mint':
      return [getTransferCheckedInstruction({ source, destination, authority: owner, ...checked })];
    case 'token 2022': {
      const who = createNoopSigner(PEOPLE[from % 3]!);
      const order = { source, destination, authority: who, ...checked };
      return [getTransferCheckedInstruction(order, { programAddress: TOKEN_2022_PROGRAM })];
    }
    case 'round trip':
      return [
        getTransferInstruction({ source, destination, authority: owner, amount }),
        getTransferInstruction({ source: destination, destination: source, authority: back, amount }),
      ];
    case 'self':
      return [getTransferCheckedInstruction({ source, destination: source, authority: owner, ...checked })];
    case 'mint':
      return [getMintToInstruction({ mint: asset, token: destination, mintAuthority: authority, amount })];
    case 'burn':
      return [getBurnInstruction({ account: source, mint: asset, authority: owner, amount })];
    case 'drain and close': {
      // The pay-to account, into another one.
      const all = held(account)?.amount ?? 0n;
      const last = createNoopSigner(held(account)?.owner ?? PAY_TO);
      const into = accounts.usdc[1 + (from % 3)]!;
      return [
        getTransferInstruction({ source: account, destination: into, authority: last, amount: all }),
        getCloseAccountInstruction({ account: account, destination: ALICE, owner: last }),
      ];
    }
    case 'create':
      return [createAccount(to % 3)];
    case 'create and pay':
      return [
        createAccount(0),
        getTransferInstruction({ source, destination: account, authority: owner, amount }),
      ];
    case 'hand over':
    case 'hand back': {
      // The pay-to account changes hands, and comes back.
      const now = createNoopSigner(held(account)?.owner ?? PAY_TO);
      const newAuthority = kind === 'hand over' ? PEOPLE[to % 3]! : PAY_TO;
      return [
        getSetAuthorityInstruction({
          owned: account,
          owner: now,
          authorityType: AuthorityType.AccountOwner,
          newAuthority,
        }),
      ];
    }
    case 'delegate': {
      const delegate = createNoopSigner(BOB);
      return [
        getApproveInstruction({ source, delegate: delegate.address, owner, amount }),
        getTransferInstruction({ source, destination, authority: delegate, amount }),
      ];
    }
    case 'freeze':
      return [getFreezeAccountInstruction({ account: source, mint: asset, owner: authority })];
    case 'thaw':
      return [getThawAccountInstruction({ account: source, mint: asset, owner: authority })];
    case 'lamports':
      return [transferLamports(destination, amount)];
    case 'memo':
      return [{ programAddress: MEMO_PROGRAM, data: new TextEncoder().encode(`${amount} USDC for you`) }];
  }
}

function createAccount(person: number): Instruction {
  return getCreateAssociatedTokenIdempotentInstruction({
    payer: createNoopSigner(BOB),
    owner: PEOPLE[person]!,
    mint: USDC_MINT,
    ata: accounts.usdc[person]!,
  });
}

function transferLamports(destination: Address, amount: bigint): Instruction {
  const data = new DataView(new ArrayBuffer(12));
  data.setUint32(0, 2, true);
  data.setBigUint64(4, amount, true);
  const accounts = [
    { address: ALICE, role: AccountRole.WRITABLE_SIGNER },
    { address: destination, role: AccountRole.WRITABLE },
  ];
  return { programAddress: SYSTEM_PROGRAM, accounts, data: new Uint8Array(data.buffer) };
}

let sent = 0;

/** The bytes of a transaction that looks signed; the machine does not check, and the token programs cannot. */
function wireOf({ version, lookup, feePayer, steps }: Plan): Uint8Array {
  const lifetime = { blockhash: BLOCKHASH, lastValidBlockHeight: 100n };
  const limits = { computeUnitLimit: 400_000, loadedAccountsDataSizeLimit: 8 * 1024 * 1024 };
  const message = pipe(
    createTransactionMessage({ version }),
    (bare) =>
      version === 1 ? setTransactionMessageConfig(limits, bare as typeof bare & { version: 1 }) : bare,
    (empty) => setTransactionMessageFeePayer(PEOPLE[feePayer]!, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
    (alive) => appendTransactionMessageInstructions(steps.flatMap(instructionsOf), alive),
  );
  const table = { [TABLE]: [...accounts.usdc, USDC_MINT, ...accounts.other, OTHER_MINT] };
  const compiled = compileTransaction(
    version === 0 && lookup
      ? compressTransactionMessageUsingAddressLookupTables(message as typeof message & { version: 0 }, table)
      : message,
  );
  const signatures = Object.keys(compiled.signatures).map((signer, index) => {
    const bytes = new Uint8Array(64).fill(index + 1);
    new DataView(bytes.buffer).setUint32(0, ++sent);
    return [signer, bytes as SignatureBytes] as const;
  });
  return new Uint8Array(
    getTransactionEncoder().encode({ ...compiled, signatures: Object.fromEntries(signatures) }),
  );
}

describe('the credited amount', () => {
  it(
    `is what the token program moved, over ${TRANSACTIONS} transactions`,
    () => {
      const seen = new Map<string, number>();
      const note = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
      console.info(`credited: seed ${SEED}, ${TRANSACTIONS} transactions`);

      const check = (next: Plan): void => {
        const before = held(account);
        const execution = executeTransaction(svm, wireOf(next));
        if ('refused' in execution) {
          note('refused');
          return;
        }
        const after = held(account);
        const answer: unknown = JSON.parse(
          JSON.stringify(
            transactionResponse(
              execution,
              { slot: 7, blockTime: 1_700_000_000 },
              { maxSupportedTransactionVersion: 1 },
            ),
            (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value),
          ),
        );
        const transaction = readTransaction(answer);
        const place = execution.keys.indexOf(account);
        const lamports = [execution.preBalances[place] ?? 0n, execution.postBalances[place] ?? 0n] as const;
        // Lamports alone at the address, and no token account: what a node that answers by half would say too.
        const bare =
          execution.error === null &&
          execution.keys.includes(TOKEN_PROGRAM) &&
          ((after === null && lamports[1] > 0n) ||
            (before === null && lamports[0] > 0n && lamports[1] <= lamports[0]));
        if (bare) {
          note('bare lamports');
          expect(() => judgeTransaction(execution.signature, transaction, rule)).toThrow(MalformedAnswer);
          return;
        }
        const verdict = judgeTransaction(execution.signature, transaction, rule);
        if (execution.error !== null) {
          note('failed');
          expect(verdict).toEqual({ kind: 'failed' });
          expect(after).toEqual(before);
          return;
        }
        if (verdict.kind !== 'found') throw new Error(`found is ${verdict.kind}`);
        const ours = (state: Holding | null) => (state?.owner === PAY_TO ? state.amount : 0n);
        const hands = [before, after].map((state) => state !== null && state.owner !== PAY_TO);
        if (hands.includes(true)) note('in other hands');
        // For any owner: at most the gain of the account, and at most the gain of the wallet.
        expect(verdict.credited).toBeLessThanOrEqual((after?.amount ?? 0n) - (before?.amount ?? 0n));
        expect(verdict.credited).toBeLessThanOrEqual(ours(after) - ours(before));
        if (!hands.includes(true) || (hands[1] === false && after !== null)) {
          expect(verdict.credited).toBe((after?.amount ?? 0n) - (before?.amount ?? 0n));
        }
        expect(verdict.feePayer ?? verdict.payer).toBe(PEOPLE[next.feePayer]);
        for (const { kind } of next.steps) note(kind);
        note(`version ${next.version}`);
        if (execution.loaded.writable.length > 0) note('lookup table');
        note(verdict.credited > 0n ? 'gain' : verdict.credited < 0n ? 'loss' : 'nothing');
        if (before === null && verdict.credited > 0n) note('gain of a new account');
      };

      const plans = fc.array(plan, { minLength: PER_RUN, maxLength: PER_RUN, size: 'max' });
      fc.assert(
        fc.property(fc.constantFrom(...BEGINNINGS), plans, (beginning, all) => {
          reset(beginning);
          all.forEach(check);
        }),
        { numRuns: Math.ceil(TRANSACTIONS / PER_RUN), seed: SEED },
      );
      console.info(JSON.stringify(Object.fromEntries(seen)));
      // The law says nothing of what did not happen; a short run need not reach everything.
      if (TRANSACTIONS < 1000) return;
      for (const what of [
        ...KINDS,
        'version legacy',
        'version 0',
        'version 1',
        'lookup table',
        'gain',
        'loss',
      ]) {
        expect(seen.get(what), what).toBeGreaterThan(0);
      }
      for (const what of ['nothing', 'failed', 'in other hands', 'gain of a new account']) {
        expect(seen.get(what), what).toBeGreaterThan(0);
      }
    },
    60_000 + TRANSACTIONS * 50,
  );
});
