// Errors of transactions: LiteSVM's numbers become the names of nodes' JSON.
import type { FailedTransactionMetadata } from 'litesvm';

/** Value of `err` in a node's record of a transaction. */
export type TransactionError = string | Readonly<Record<string, unknown>>;

/** Errors in the order of LiteSVM's `TransactionErrorFieldless`. */
const TRANSACTION_ERRORS = [
  'AccountInUse',
  'AccountLoadedTwice',
  'AccountNotFound',
  'ProgramAccountNotFound',
  'InsufficientFundsForFee',
  'InvalidAccountForFee',
  'AlreadyProcessed',
  'BlockhashNotFound',
  'CallChainTooDeep',
  'MissingSignatureForFee',
  'InvalidAccountIndex',
  'SignatureFailure',
  'InvalidProgramForExecution',
  'SanitizeFailure',
  'ClusterMaintenance',
  'AccountBorrowOutstanding',
  'WouldExceedMaxBlockCostLimit',
  'UnsupportedVersion',
  'InvalidWritableAccount',
  'WouldExceedMaxAccountCostLimit',
  'WouldExceedAccountDataBlockLimit',
  'TooManyAccountLocks',
  'AddressLookupTableNotFound',
  'InvalidAddressLookupTableOwner',
  'InvalidAddressLookupTableData',
  'InvalidAddressLookupTableIndex',
  'InvalidRentPayingAccount',
  'WouldExceedMaxVoteCostLimit',
  'WouldExceedAccountDataTotalLimit',
  'MaxLoadedAccountsDataSizeExceeded',
  'ResanitizationNeeded',
  'InvalidLoadedAccountsDataSizeLimit',
  'UnbalancedTransaction',
  'ProgramCacheHitMaxLimit',
  'CommitCancelled',
];

/** Errors in the order of LiteSVM's `InstructionErrorFieldless`. */
const INSTRUCTION_ERRORS = [
  'GenericError',
  'InvalidArgument',
  'InvalidInstructionData',
  'InvalidAccountData',
  'AccountDataTooSmall',
  'InsufficientFunds',
  'IncorrectProgramId',
  'MissingRequiredSignature',
  'AccountAlreadyInitialized',
  'UninitializedAccount',
  'UnbalancedInstruction',
  'ModifiedProgramId',
  'ExternalAccountLamportSpend',
  'ExternalAccountDataModified',
  'ReadonlyLamportChange',
  'ReadonlyDataModified',
  'DuplicateAccountIndex',
  'ExecutableModified',
  'RentEpochModified',
  'NotEnoughAccountKeys',
  'AccountDataSizeChanged',
  'AccountNotExecutable',
  'AccountBorrowFailed',
  'AccountBorrowOutstanding',
  'DuplicateAccountOutOfSync',
  'InvalidError',
  'ExecutableDataModified',
  'ExecutableLamportChange',
  'ExecutableAccountNotRentExempt',
  'UnsupportedProgramId',
  'CallDepth',
  'MissingAccount',
  'ReentrancyNotAllowed',
  'MaxSeedLengthExceeded',
  'InvalidSeeds',
  'InvalidRealloc',
  'ComputationalBudgetExceeded',
  'PrivilegeEscalation',
  'ProgramEnvironmentSetupFailure',
  'ProgramFailedToComplete',
  'ProgramFailedToCompile',
  'Immutable',
  'IncorrectAuthority',
  'AccountNotRentExempt',
  'InvalidAccountOwner',
  'ArithmeticOverflow',
  'UnsupportedSysvar',
  'IllegalOwner',
  'MaxAccountsDataAllocationsExceeded',
  'MaxAccountsExceeded',
  'MaxInstructionTraceLengthExceeded',
  'BuiltinProgramsMustConsumeComputeUnits',
  'BorshIoError',
];

/** The error of a failed transaction, in the form of a node's JSON. */
export function transactionError(failed: FailedTransactionMetadata): TransactionError {
  const error = failed.err();
  if (typeof error === 'number') return nameIn(TRANSACTION_ERRORS, error);
  if ('err' in error) return { InstructionError: [error.index, instructionError(error.err())] };
  if ('accountIndex' in error) {
    // Two errors have this field; only their printed names differ.
    const kind = error.toString().includes('InsufficientFundsForRent')
      ? 'InsufficientFundsForRent'
      : 'ProgramExecutionTemporarilyRestricted';
    return { [kind]: { account_index: error.accountIndex } };
  }
  return { DuplicateInstruction: error.index };
}

function instructionError(error: number | { readonly code: number } | object): TransactionError {
  if (typeof error === 'number') return nameIn(INSTRUCTION_ERRORS, error);
  return 'code' in error ? { Custom: error.code } : 'BorshIoError';
}

function nameIn(names: readonly string[], place: number): string {
  const name = names[place];
  if (name === undefined) throw new Error(`LiteSVM has an error that is not in the table: ${place}`);
  return name;
}

/** A node's sentence for an error, for the most frequent errors. */
export function errorSentence(error: TransactionError): string {
  if (typeof error === 'object') {
    const entry = error['InstructionError'];
    if (!Array.isArray(entry)) return JSON.stringify(error);
    const [place, cause] = entry as [number, TransactionError];
    return `Error processing Instruction ${place}: ${causeSentence(cause)}`;
  }
  return SENTENCES[error] ?? error;
}

function causeSentence(cause: TransactionError): string {
  if (typeof cause === 'string') return cause.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
  return `custom program error: 0x${Number(cause['Custom']).toString(16)}`;
}

const SENTENCES: Readonly<Record<string, string>> = {
  AccountNotFound: 'Attempt to debit an account but found no record of a prior credit.',
  ProgramAccountNotFound: 'Attempt to load a program that does not exist',
  InsufficientFundsForFee: 'Insufficient funds for fee',
  InvalidAccountForFee: 'This account may not be used to pay transaction fees',
  AlreadyProcessed: 'This transaction has already been processed',
  BlockhashNotFound: 'Blockhash not found',
  SignatureFailure: 'Transaction did not pass signature verification',
  SanitizeFailure: 'Transaction failed to sanitize accounts offsets correctly',
  AddressLookupTableNotFound: "Transaction loads an address table account that doesn't exist",
};
