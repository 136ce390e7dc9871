export type { components, operations, paths } from './api-types.js';
export type { Answer, Api, ApiOptions, CallOptions, PathOf } from './call.js';
export { type Client, createClient } from './client.js';
export {
  type ClientOptions,
  type Connection,
  connect,
  type FlowOptions,
  type Programs,
  type Progress,
} from './context.js';
export { type ErrorCode, SlipwayError } from './errors.js';
export { type EventKind, type EventsOptions, events, type SlipwayEvent } from './events.js';
export { claim, type Invite, invites, type SendRequest, type Sent, send, takeBack, waitForInvite } from './invites.js';
export { type Launched, type LaunchRequest, launch, launchAddresses } from './launch.js';
export {
  cancelLimitOrder,
  createLimitOrder,
  type LimitOrder,
  type LimitOrderRequest,
  limitOrders,
  waitForLimitOrder,
} from './limit-orders.js';
export {
  type CancelledPriceOrder,
  cancelPriceOrder,
  editPriceOrder,
  type Login,
  login,
  logout,
  type PriceOrder,
  type PriceOrderEdit,
  type PriceOrderRequest,
  placePriceOrder,
  priceOrder,
  waitForPriceOrder,
} from './price-orders.js';
export { score, scores } from './scores.js';
export type { CallbackSigner, ModifyingSigner, PartialSigner, Signer, WalletSigner } from './signer.js';
export { type Landed, submit, type TransactionStatus, type WaitOptions, waitFor } from './submit.js';
export {
  executeSwap,
  minOutputOf,
  orderSwap,
  quote,
  type SwapOrder,
  type Swapped,
  type SwapRequest,
  swap,
} from './swap.js';
export { checkEligibility, payVerification, type VerificationRequest, type Verified } from './verification.js';

/** The mint of SOL, which swaps and orders take for the wallet's own lamports. */
export const SOL = 'So11111111111111111111111111111111111111112';
