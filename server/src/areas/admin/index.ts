import { dueOf } from '../../crafting/payment.js';
import { plainError } from '../../errors/index.js';
import { pagesThatMayCall } from '../../lib/page-origins.js';
import { keyTiers } from '../../lib/tiers.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { simulatedEvents } from '../../scores/index.js';
import { tickOf } from '../../trigger-orders/tick.js';
import type { Area } from '../area.js';
import { registerAddMaker } from './add-maker.js';
import { registerCreateAdmin } from './create-admin.js';
import { registerCreateKey } from './create-key.js';
import { registerDecideVerification } from './decide-verification.js';
import type { AdminDeps } from './deps.js';
import { registerExplainOrder } from './explain-trigger-order.js';
import { registerListActs } from './list-acts.js';
import { registerListAdmins } from './list-admins.js';
import { registerListInvites } from './list-invites.js';
import { registerListKeys } from './list-keys.js';
import { registerListLaunches } from './list-launches.js';
import { registerListLogs } from './list-logs.js';
import { registerListMakers } from './list-makers.js';
import { registerListOrders } from './list-orders.js';
import { registerListPools } from './list-pools.js';
import { registerListStops } from './list-stops.js';
import { registerListVerifications } from './list-verifications.js';
import { registerListWebhooks } from './list-webhooks.js';
import { readOnChain } from './on-chain.js';
import { registerOverview } from './overview.js';
import { registerPutScore } from './put-score.js';
import { registerRebuildInvites } from './rebuild-invites.js';
import { registerRemoveMaker } from './remove-maker.js';
import { registerResume } from './resume.js';
import { registerRevokeAdmin } from './revoke-admin.js';
import { registerRevokeKey } from './revoke-key.js';
import { registerRevokeLogins } from './revoke-logins.js';
import { registerRotateKey } from './rotate-key.js';
import { registerShowRequest } from './show-request.js';
import { registerStop } from './stop.js';

export type { PoolsPage } from '../../routing/aggregator/index.js';
export type { AdminDeps } from './deps.js';
export type {
  ActsPage,
  Admin,
  Key,
  Maker,
  NewAdmin,
  NewKey,
  OrderExplanation,
  RebuiltInvites,
  RevokedLogins,
  Stop,
  Verification,
  VerificationsPage,
} from './schema.js';
export type { LogsPage, OrdersPage } from './watch-schema.js';

export const adminArea: Area = {
  name: 'admin',
  tag: 'Admin',
  about: 'Keys, verifications, market makers, scores, and how the service does, for the operator',
  errorShape: plainError,
  isOperations: true,
  register(server, { config, store, secrets, clock, invites, prices, keeperWallet, landing, stops, ...services }) {
    const { chain, history, makers, ownLog, pools, tokenList } = services;
    registerAdmin(server, {
      store,
      rootToken: async () => services.adminToken,
      box: async () => secrets,
      clock,
      tiers: keyTiers(config.tiers),
      mayCall: pagesThatMayCall(config.http.corsOrigins),
      simulatedEvents: config.sandbox ? simulatedEvents : [],
      rebuildInvites: invites.rebuild,
      keeperShortage: async () => {
        const stop = (await stops.list()).find(({ what }) => what !== 'crafts');
        if (stop) return `fills are stopped by ${stop.stoppedBy}: ${stop.why}`;
        // By the last reading if the chain does not answer.
        await keeperWallet.canPay().catch(() => {});
        return keeperWallet.shortage;
      },
      whyNotPaid: (payment) =>
        landing.whyNotPaid(payment.signature, dueOf(payment.paymentCurrency, { ...config.tokens, ...config.express })),
      vouchesForOrder: (order) => landing.vouchesForOrder(order),
      history,
      log: ownLog,
      pools,
      tokenList,
      onChain: (signature) => readOnChain(chain.rpc, signature),
      lastAnswer: (maker) => makers.lastAnswer(maker),
      tick: (mint) => tickOf({ prices, clock }, mint, undefined),
    });
  },
};

/** The operator's own API, `/admin/v1`: for the holder of the admin token, and behind the command line. */
export function registerAdmin(server: TypedServer, deps: AdminDeps): void {
  registerCreateKey(server, deps);
  registerListKeys(server, deps);
  registerRotateKey(server, deps);
  registerRevokeKey(server, deps);
  registerListVerifications(server, deps);
  registerDecideVerification(server, deps);
  registerPutScore(server, deps);
  registerExplainOrder(server, deps);
  registerRebuildInvites(server, deps);
  registerAddMaker(server, deps);
  registerListMakers(server, deps);
  registerRemoveMaker(server, deps);
  registerOverview(server, deps);
  registerListOrders(server, deps);
  registerShowRequest(server, deps);
  registerListLaunches(server, deps);
  registerListPools(server, deps);
  registerListInvites(server, deps);
  registerListWebhooks(server, deps);
  registerStop(server, deps);
  registerListStops(server, deps);
  registerResume(server, deps);
  registerRevokeLogins(server, deps);
  registerCreateAdmin(server, deps);
  registerListAdmins(server, deps);
  registerRevokeAdmin(server, deps);
  registerListActs(server, deps);
  registerListLogs(server, deps);
}
