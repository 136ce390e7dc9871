export { type EventsFilter, type EventsState, useEvents } from './events.js';
export {
  type Flow,
  useCancelPriceOrder,
  useCreateLimitOrder,
  useEditPriceOrder,
  useFlow,
  useLogin,
  useLogout,
  usePlacePriceOrder,
  useSwap,
} from './flows.js';
export { useLimitOrders, useOrders } from './orders.js';
export { SlipwayProvider, useSlipway } from './provider.js';
export { useQuote } from './quote.js';
export { useWalletSigner } from './wallet.js';
