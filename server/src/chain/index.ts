export {
  type AccountReading,
  type ChainAccount,
  createAccountReader,
  isMade,
  ownAccount,
  type RpcAccount,
  readRpcAccount,
} from './accounts.js';
export { type CallBudget, createCallBudget } from './budget.js';
export {
  BLOCKHASH_LIFE,
  BLOCKHASH_LIFE_MS,
  type Blockhash,
  type Chain,
  createChain,
  createChains,
  MAX_MINTS,
  type Validity,
} from './chain.js';
export { type ClockTime, readClock } from './clock-sysvar.js';
export { createUnitMeter, type UnitMeter } from './compute-units.js';
export {
  type Listed,
  listNewer,
  listOlder,
  listTransactions,
  type PastTransaction,
  readPastTransaction,
  slotsOf,
  type Unreadable,
} from './history.js';
export { createLiveAccounts, type LiveAccount, type LiveAccounts, MAX_AGE_MS, type Reading } from './live-accounts.js';
export { type MintExtensions, readMintExtensions, type TokenText } from './mint-extensions.js';
export { createMintOpinions, type MintInfo, type MintOpinions, mintFacts } from './mints.js';
export { bytesIn, wholeIn } from './node-values.js';
export { PURPOSES, type Purpose } from './purposes.js';
export {
  AnswerTooLong,
  ask,
  ChainUnavailable,
  createHttpRpc,
  createLocalRpc,
  isAlreadyProcessed,
  MAX_ANSWER,
  Refused,
  type Rpc,
  RpcError,
  Throttled,
  Unanswered,
} from './rpc.js';
export type { SimulationOutcome } from './simulation.js';
export { NODES_APART } from './slot-sense.js';
export { type SignatureStatus, type Statuses, statusesOf } from './statuses.js';
export { CPI_GUARDED, closerOf, givesAwaySol, hasCpiGuard, NO_MEMO, requiresMemo } from './token-account-guards.js';
export { readMetadata } from './token-text.js';
export {
  type Ends,
  endOf,
  endsOf,
  type Held,
  type LandedTransaction,
  readTransaction,
  type TransactionEnd,
} from './transactions.js';
export { type Bid, percentile } from './unit-price.js';
export {
  type HeldTokenAccount,
  obstacleToClosing,
  readWallet,
  type Wallet,
  walletWeight,
} from './wallet.js';
export { type Reader, WalletReads } from './wallet-reads.js';
