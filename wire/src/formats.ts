// All that needs no key and nothing of Node: for the client, which runs in browsers too.

export { sha256 } from '#platform';
export { type Address, address, addressFromBytes, addressToBytes, isAddress, writeAddress } from './address.js';
export { base58Decode, base58Encode, decodeKey, encodeKey } from './base58.js';
export { compileMessage, type MessageInput } from './compile-message.js';
export { isOnCurve } from './curve.js';
export { decodeMessage } from './decode-message.js';
export {
  type Budget,
  feeOf,
  LAMPORTS_PER_SIGNATURE,
  networkFee,
  SIGNATURE_PROGRAMS,
  setsFee,
  unitPrice,
} from './fees.js';
export {
  type CreateAssociatedToken,
  createAssociatedToken,
  createAssociatedTokenIdempotent,
  parseCreateAssociatedTokenIdempotent,
} from './instructions/associated-token.js';
export {
  parseComputeUnitLimit,
  parseComputeUnitPrice,
  setComputeUnitLimit,
  setComputeUnitPrice,
} from './instructions/compute-budget.js';
export {
  closeLookupTable,
  createLookupTable,
  deactivateLookupTable,
  extendLookupTable,
  lookupTableAddress,
} from './instructions/lookup-table.js';
export { memo, parseMemo } from './instructions/memo.js';
export {
  advanceNonce,
  initializeNonce,
  type NonceUse,
  nonceAccountOf,
  parseSystemCreateAccountWithSeed,
  parseSystemTransfer,
  type SystemAllocateWithSeed,
  type SystemCreateAccount,
  type SystemCreateAccountWithSeed,
  type SystemTransfer,
  systemAllocateWithSeed,
  systemCreateAccount,
  systemCreateAccountWithSeed,
  systemTransfer,
} from './instructions/system.js';
export {
  type CloseAccount,
  type InitializeAccount3,
  parseCloseAccount,
  parseInitializeAccount3,
  parseRevoke,
  parseSetCloseAuthority,
  parseSyncNative,
  parseTransferChecked,
  parseUnwrapLamports,
  type Revoke,
  type SetCloseAuthority,
  type TransferChecked,
  tokenCloseAccount,
  tokenInitializeAccount3,
  tokenInitializeMint2,
  tokenMintTo,
  tokenRevoke,
  tokenSetCloseAuthority,
  tokenSyncNative,
  tokenTransferChecked,
  tokenUnwrapLamports,
  tokenWithdrawExcessLamports,
  type UnwrapLamports,
} from './instructions/token.js';
export { decodeLookupTable, encodeLookupTable, type LookupTableState } from './lookup-table-state.js';
export {
  type AccountMeta,
  type DecodedMessage,
  decompileInstructions,
  type Instruction,
  isSigner,
  isWritable,
  type LookupTable,
  type MessageHeader,
  readonlyAccount,
  readonlySigner,
  requiredSigners,
  type TableLookup,
  writableAccount,
  writableSigner,
} from './message.js';
export { associatedTokenAddress, createAddressWithSeed, findProgramAddress, metadataAddress } from './pda.js';
export * from './programs.js';
export {
  associatedTokenRent,
  leastRentLamports,
  MOST_LAMPORTS_PER_BYTE,
  mostRentLamports,
  rentExemptLamports,
  TOKEN_ACCOUNT_SPACE,
  useRent,
} from './rent.js';
export {
  decodeMint,
  decodeTokenAccount,
  encodeMint,
  encodeTokenAccount,
  type Mint,
  type TokenAccount,
  token2022Extensions,
} from './token-state.js';
export {
  decodeTransaction,
  encodeTransaction,
  MAX_TRANSACTION_SIZE,
  missingSigners,
  type Transaction,
  transactionSignature,
  unsignedTransaction,
  withSignature,
} from './transaction.js';
export { decodeVersion1, isVersion1 } from './version-1.js';
export { CalledFeePayer, WireError } from './wire-error.js';
