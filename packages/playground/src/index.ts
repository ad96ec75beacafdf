// Stand-ins on loopback, for tests and for trying the service out.
export {
  MAINNET_GENESIS_HASH,
  MEMO_PROGRAM,
  MEMO_PROGRAMS,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  USDC_DECIMALS,
  USDC_MINT,
} from './chain/addresses.ts';
export { type Chain, type ChainOptions, createChain } from './chain/chain.ts';
export {
  executeTransaction,
  type Execution,
  type InnerCalls,
  type Refusal,
  type TokenBalance,
} from './chain/execution.ts';
export type { Recorded } from './chain/ledger.ts';
export {
  addLamports,
  addTokens,
  createMachine,
  writeAccount,
  writeLookupTable,
  writeMint,
} from './chain/machine.ts';
export { type Message, readTransaction, type WireTransaction } from './chain/message.ts';
export {
  type Place,
  type TransactionEncoding,
  transactionResponse,
  UnsupportedVersion,
} from './chain/response.ts';
export type { Block, Commitment } from './chain/slots.ts';
export {
  type Facilitator,
  type FacilitatorFault,
  type FacilitatorOptions,
  startFacilitator,
} from './facilitator.ts';
export type { Asked, DialectName } from './model/question.ts';
export type { Reply } from './model/reply.ts';
export { type Script, type ScriptName, SCRIPTS, type ScriptSettings } from './model/scripts.ts';
export { type ScriptedModel, type ScriptedModelOptions, startScriptedModel } from './model/server.ts';
export { type Playchain, type PlaychainOptions, startPlaychain } from './playchain.ts';
export { type Playground, type PlaygroundOptions, startPlayground } from './playground.ts';
export { type Faults, lyingAbout, WITHOUT_META, WITHOUT_TOKEN_BALANCES } from './rpc/faults.ts';
export type { Endpoint } from './rpc/server.ts';
export { createWallets, type Wallet, type WalletOptions, writeKeypair } from './wallets.ts';
