// Stand-ins on loopback, for tests and for trying the service out.
export {
  MEMO_PROGRAM,
  MEMO_PROGRAMS,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  USDC_DECIMALS,
  USDC_MINT,
} from './chain/addresses.ts';
export {
  executeTransaction,
  type Execution,
  type InnerCalls,
  type Refusal,
  type TokenBalance,
} from './chain/execution.ts';
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
