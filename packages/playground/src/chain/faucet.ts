// The faucet: a wallet of the chain that answers airdrops with ordinary transfers of lamports.
import { createHash } from 'node:crypto';
import {
  AccountRole,
  type Address,
  appendTransactionMessageInstructions,
  createKeyPairSignerFromPrivateKeyBytes,
  createTransactionMessage,
  getTransactionEncoder,
  type Instruction,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  type Signature,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { MEMO_PROGRAM, SYSTEM_PROGRAM } from './addresses.ts';
import type { PlayChain } from './chain.ts';
import { addLamports } from './machine.ts';
import { readTransaction } from './message.ts';

/** Sends free lamports. */
export interface Faucet {
  /**
   * Sends lamports to an address.
   *
   * @returns the signature of the included transaction
   */
  give(to: Address, lamports: bigint): Promise<Signature>;
}

/** Enough for every test, and below the largest exact number of JavaScript. */
const STOCK_LAMPORTS = 9_000_000n * 10n ** 9n;

export async function createFaucet(chain: PlayChain): Promise<Faucet> {
  const secret = createHash('sha256').update(`faucet of ${chain.genesisHash}`).digest();
  const signer = await createKeyPairSignerFromPrivateKeyBytes(secret);
  addLamports(chain.accounts, signer.address, STOCK_LAMPORTS);
  let given = 0;

  return {
    give: async (to, lamports) => {
      const block = chain.block(chain.slot('finalized'));
      if (block === null) throw new Error('the chain has no finalized block');
      const data = new Uint8Array(12);
      const view = new DataView(data.buffer);
      view.setUint32(0, 2, true); // the system program's transfer
      view.setBigUint64(4, lamports, true);
      const transfer: Instruction = {
        programAddress: SYSTEM_PROGRAM,
        accounts: [
          { address: signer.address, role: AccountRole.WRITABLE_SIGNER },
          { address: to, role: AccountRole.WRITABLE },
        ],
        data,
      };
      // A number, because two equal transfers on one blockhash would be one transaction.
      const number: Instruction = {
        programAddress: MEMO_PROGRAM,
        data: new TextEncoder().encode(`airdrop ${++given}`),
      };
      const lifetime = {
        blockhash: block.blockhash,
        lastValidBlockHeight: BigInt(block.height + chain.blockhashAge),
      };
      const message = pipe(
        createTransactionMessage({ version: 0 }),
        (empty) => setTransactionMessageFeePayerSigner(signer, empty),
        (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
        (alive) => appendTransactionMessageInstructions([transfer, number], alive),
      );
      const signed = await signTransactionMessageWithSigners(message);
      const sent = readTransaction(new Uint8Array(getTransactionEncoder().encode(signed)));
      const outcome = chain.submit(sent);
      if ('refused' in outcome)
        throw new Error(`the faucet's transfer was refused: ${JSON.stringify(outcome.refused)}`);
      return sent.signature;
    },
  };
}
