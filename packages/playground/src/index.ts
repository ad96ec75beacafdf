// Stand-ins on loopback, for tests and for trying the service.
export {
  MAINNET_GENESIS_HASH,
  MEMO_PROGRAM,
  MEMO_PROGRAMS,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  USDC_DECIMALS,
  USDC_MINT,
} from './chain/addresses.ts';
export { type PlayChain, type ChainOptions, createChain } from './chain/chain.ts';
export {
  executeTransaction,
  type Execution,
  type InnerCalls,
  type Refusal,
  type TokenBalanceEntry,
} from './chain/execution.ts';
export type { RecordedTransaction } from './chain/transaction-log.ts';
export {
  addLamports,
  addTokens,
  createMachine,
  writeAccount,
  writeLookupTable,
  writeMint,
} from './chain/machine.ts';
export { type TransactionMessage, readTransaction, type SentTransaction } from './chain/message.ts';
export {
  type BlockPosition,
  type TransactionEncoding,
  transactionResponse,
  UnsupportedVersion,
} from './chain/response.ts';
export type { ChainBlock, Commitment } from './chain/slots.ts';
export {
  type PlayFacilitator,
  type FacilitatorFailure,
  type PlayFacilitatorOptions,
  startFacilitator,
} from './facilitator.ts';
export type { DialectName, ModelCall } from '@grainline/testing/scripted-model/model-call';
export type { Reply } from '@grainline/testing/scripted-model/reply';
export {
  type Script,
  type ScriptName,
  SCRIPTS,
  type ScriptSettings,
} from '@grainline/testing/scripted-model/scripts';
export {
  type ScriptedModel,
  type ScriptedModelOptions,
  startScriptedModel,
} from '@grainline/testing/scripted-model/server';
export { type Playchain, type PlaychainOptions, startPlaychain } from './playchain.ts';
export { type Playground, type PlaygroundOptions, startPlayground } from './playground.ts';
export { type RpcFailures, lyingAbout, WITHOUT_META, WITHOUT_TOKEN_BALANCES } from './rpc/failures.ts';
export type { RpcServer } from './rpc/server.ts';
export { createWallets, type Wallet, type WalletOptions, writeKeypair } from './wallets.ts';
