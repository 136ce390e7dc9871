import {
  type FailedTransactionMetadata,
  InstructionErrorCustom,
  TransactionErrorDuplicateInstruction,
  TransactionErrorInstructionError,
  TransactionErrorInsufficientFundsForRent,
} from 'litesvm/dist/internal.js';
import type { TransactionErrorJson } from './types.js';

type VmTransactionError = ReturnType<FailedTransactionMetadata['err']>;

// Both in the order of the virtual machine's numbers.
const TRANSACTION_ERRORS = (
  'AccountInUse AccountLoadedTwice AccountNotFound ProgramAccountNotFound InsufficientFundsForFee ' +
  'InvalidAccountForFee AlreadyProcessed BlockhashNotFound CallChainTooDeep MissingSignatureForFee ' +
  'InvalidAccountIndex SignatureFailure InvalidProgramForExecution SanitizeFailure ClusterMaintenance ' +
  'AccountBorrowOutstanding WouldExceedMaxBlockCostLimit UnsupportedVersion InvalidWritableAccount ' +
  'WouldExceedMaxAccountCostLimit WouldExceedAccountDataBlockLimit TooManyAccountLocks AddressLookupTableNotFound ' +
  'InvalidAddressLookupTableOwner InvalidAddressLookupTableData InvalidAddressLookupTableIndex ' +
  'InvalidRentPayingAccount WouldExceedMaxVoteCostLimit WouldExceedAccountDataTotalLimit ' +
  'MaxLoadedAccountsDataSizeExceeded ResanitizationNeeded InvalidLoadedAccountsDataSizeLimit ' +
  'UnbalancedTransaction ProgramCacheHitMaxLimit CommitCancelled'
).split(' ');

const INSTRUCTION_ERRORS = (
  'GenericError InvalidArgument InvalidInstructionData InvalidAccountData AccountDataTooSmall InsufficientFunds ' +
  'IncorrectProgramId MissingRequiredSignature AccountAlreadyInitialized UninitializedAccount UnbalancedInstruction ' +
  'ModifiedProgramId ExternalAccountLamportSpend ExternalAccountDataModified ReadonlyLamportChange ' +
  'ReadonlyDataModified DuplicateAccountIndex ExecutableModified RentEpochModified NotEnoughAccountKeys ' +
  'AccountDataSizeChanged AccountNotExecutable AccountBorrowFailed AccountBorrowOutstanding ' +
  'DuplicateAccountOutOfSync InvalidError ExecutableDataModified ExecutableLamportChange ' +
  'ExecutableAccountNotRentExempt UnsupportedProgramId CallDepth MissingAccount ReentrancyNotAllowed ' +
  'MaxSeedLengthExceeded InvalidSeeds InvalidRealloc ComputationalBudgetExceeded PrivilegeEscalation ' +
  'ProgramEnvironmentSetupFailure ProgramFailedToComplete ProgramFailedToCompile Immutable IncorrectAuthority ' +
  'AccountNotRentExempt InvalidAccountOwner ArithmeticOverflow UnsupportedSysvar IllegalOwner ' +
  'MaxAccountsDataAllocationsExceeded MaxAccountsExceeded MaxInstructionTraceLengthExceeded ' +
  'BuiltinProgramsMustConsumeComputeUnits BorshIoError'
).split(' ');

/** The virtual machine's error in the JSON form of a validator. */
export function transactionErrorJson(error: VmTransactionError): TransactionErrorJson {
  if (typeof error === 'number') return nameOf(TRANSACTION_ERRORS, error);
  if (error instanceof TransactionErrorInstructionError) {
    const cause = error.err();
    if (typeof cause === 'number') return { InstructionError: [error.index, nameOf(INSTRUCTION_ERRORS, cause)] };
    if (cause instanceof InstructionErrorCustom) return { InstructionError: [error.index, { Custom: cause.code }] };
    return { InstructionError: [error.index, 'BorshIoError'] };
  }
  if (error instanceof TransactionErrorDuplicateInstruction) return { DuplicateInstruction: error.index };
  const account = { account_index: error.accountIndex };
  return error instanceof TransactionErrorInsufficientFundsForRent
    ? { InsufficientFundsForRent: account }
    : { ProgramExecutionTemporarilyRestricted: account };
}

function nameOf(names: string[], index: number): string {
  const name = names[index];
  if (name === undefined) throw new RangeError(`the virtual machine reports the unknown error ${index}`);
  return name;
}
