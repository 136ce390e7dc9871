import { type ClientOptions, type Connection, connect } from './context.js';
import { events } from './events.js';
import { claim, invites, send, takeBack, waitForInvite } from './invites.js';
import { launch, launchAddresses } from './launch.js';
import { cancelLimitOrder, createLimitOrder, limitOrders, waitForLimitOrder } from './limit-orders.js';
import {
  cancelPriceOrder,
  editPriceOrder,
  login,
  logout,
  placePriceOrder,
  priceOrder,
  waitForPriceOrder,
} from './price-orders.js';
import { score, scores } from './scores.js';
import { submit, waitFor } from './submit.js';
import { executeSwap, orderSwap, quote, swap } from './swap.js';
import { checkEligibility, payVerification } from './verification.js';

const flows = {
  quote,
  swap,
  orderSwap,
  executeSwap,
  submit,
  waitFor,
  payVerification,
  checkEligibility,
  score,
  scores,
  createLimitOrder,
  cancelLimitOrder,
  limitOrders,
  waitForLimitOrder,
  login,
  logout,
  placePriceOrder,
  editPriceOrder,
  cancelPriceOrder,
  priceOrder,
  waitForPriceOrder,
  launch,
  launchAddresses,
  send,
  claim,
  takeBack,
  invites,
  waitForInvite,
  events,
};
type Flows = typeof flows;
type Bound<F> = F extends (connection: Connection, ...args: infer A) => infer R ? (...args: A) => R : never;

/** All flows, bound to one service, and the typed calls under them as `api`. */
export type Client = Connection & { [Name in keyof Flows]: Bound<Flows[Name]> };

/** A client of one service. An app that uses few flows takes `connect` and imports those: the rest is left out then. */
export function createClient(options: ClientOptions): Client {
  const connection = connect(options);
  const bound = Object.entries(flows).map(([name, flow]) => [
    name,
    (...args: unknown[]) => (flow as (...all: unknown[]) => unknown)(connection, ...args),
  ]);
  return { ...connection, ...Object.fromEntries(bound) } as Client;
}
