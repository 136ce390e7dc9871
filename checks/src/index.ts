export { checkInvite, type InviteAction, type InvitePlan, invitePlan } from './invite-check.js';
export {
  checkOrderCancelling,
  checkOrderOpening,
  inputOf,
  type OrderCancelling,
  type OrderOpening,
} from './limit-order-check.js';
export { checkPayment, type Payment } from './payment-check.js';
export { calledPrograms, isKnownHop, leavesNothing, leftOnTheWay, mintsLeft } from './route-check.js';
export { checkSwap } from './swap-check.js';
export { keptLamports, leastChange } from './swap-lamports.js';
export type { ForeignTrade, Place, Swap, SwapPrograms } from './swap-terms.js';
export {
  PROGRAM_NAMES,
  type ToldInstruction,
  type ToldTransaction,
  tellTransaction,
  type Wording,
} from './tell-transaction.js';
export {
  afterBudget,
  type Budget,
  CraftCheckFailed,
  checkSigners,
  type Expect,
  expecting,
  feeOf,
  LAMPORTS_PER_SIGNATURE,
  type ReadTransaction,
  readTransaction,
} from './transaction.js';
export { checkTransfer, type Transfer } from './transfer-check.js';
export { checkDeposit, checkWithdrawal, type VaultDeposit, type VaultWithdrawal } from './vault-check.js';
export * from './venue-swaps.js';
