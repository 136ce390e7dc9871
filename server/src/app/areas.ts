import type { LimitOrderAddresses } from '@slipway/programs';
import { type Address, WRAPPED_SOL_MINT } from '@slipway/wire';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { registerAdmin } from '../areas/admin/index.js';
import { registerExpress } from '../areas/express/index.js';
import { registerObjects } from '../areas/objects/index.js';
import { registerPrediction } from '../areas/prediction/index.js';
import { registerSandbox } from '../areas/sandbox/index.js';
import { registerSend } from '../areas/send/index.js';
import { registerStudio } from '../areas/studio/index.js';
import { registerSubmit } from '../areas/submit/index.js';
import { createTokenList, registerSwap, registerSwapReads } from '../areas/swap/index.js';
import { registerTriggerV1 } from '../areas/trigger-v1/index.js';
import { type LoginTokens, registerTriggerV2 } from '../areas/trigger-v2/index.js';
import { type Chain, createUnitMeter } from '../chain/index.js';
import type { Config } from '../config/index.js';
import { type Metrics, SANDBOX_KEY, withActualPort } from '../http/index.js';
import type { InviteIndex } from '../indexes/invites/index.js';
import type { LimitOrderIndex } from '../indexes/limit-orders/index.js';
import type { Keeper } from '../keeper/index.js';
import type { Landing } from '../landing/index.js';
import { type AdjustableClock, steadyNow } from '../lib/clock.js';
import type { LocalStore, Objects, S3Store } from '../objects/index.js';
import type { Prices } from '../prices/index.js';
import type { Sandbox } from '../sandbox/index.js';
import { simulatedEvents } from '../scores/index.js';
import { type GroupedLedger, groupedLedger, groupedScores } from '../store/grouped.js';
import { tickOf } from '../trigger-orders/tick.js';
import type { Backends } from './backends.js';
import type { Routers } from './routers.js';

/** Everything that the areas may be given. */
export interface Shared extends Backends {
  config: Config;
  log: Logger;
  metrics: Metrics;
  clock: AdjustableClock;
  chainReader: Chain;
  landing: Landing;
  logins: LoginTokens;
  prices: Prices;
  routers: Routers;
  /** USD for a whole token by the pools. */
  poolUsd: (mint: Address) => number | undefined;
  objects: Objects;
  objectStore: S3Store | LocalStore;
  limitOrders: { addresses: LimitOrderAddresses; index: LimitOrderIndex };
  invites: InviteIndex;
}

/** Gives each area what it needs, and its paths to the server. */
export function registerAreas(
  server: FastifyInstance,
  shared: Shared,
  sandbox: Sandbox | undefined,
  keeper: Keeper | undefined,
): void {
  const { config, store, clock, node: access, chainReader: chain, landing, logins, prices, signer } = shared;
  const ledger = groupedLedger(store);
  const unitsOf = createUnitMeter({ chain, steadyNow });
  const { platform, stable } = config.tokens;
  registerExpress(server, {
    ...{ store, clock, chain, unitsOf, prices, landing, ...config.tokens, ...ledger, ...config.express },
    gasWallet: signer.address('gas'),
    routing: shared.routers.routing,
    programs: config.programs,
  });
  registerSwapArea(server, shared, ledger);
  registerTriggerV1Area(server, shared, ledger);
  registerTriggerV2(server, {
    ...{ store, clock, signer, logins, chain, prices, landing },
    remember: ledger.remember,
    findRequest: ledger.findRequest,
    stables: new Set([config.tokens.usdc.mint, stable.mint, ...config.swap.stables]),
    challengePrefix: () => config.challengePrefix ?? loginWords(withActualPort(config.http.publicUrl, server)),
  });
  registerStudioArea(server, shared, ledger);
  registerSubmit(server, { store, chain, landing, ...config.submit });
  if (shared.objectStore.kind === 'local') {
    registerObjects(server, { store: shared.objectStore, maxImageBytes: shared.objects.maxImageBytes });
  }
  registerSend(server, { store, clock, chain, signer, index: shared.invites, program: config.programs.invite });
  registerPrediction(server, { scoreOf: groupedScores(store) });
  registerAdmin(server, {
    ...{ store, clock, tiers: ['unlimited', ...Object.keys(config.tiers)] },
    simulatedEvents: config.sandbox ? simulatedEvents : [],
    rebuildInvites: shared.invites.rebuild,
    tick: (mint) => tickOf({ prices, poolUsd: shared.poolUsd, clock }, mint, undefined),
  });
  if (!sandbox) return;
  registerSandbox(server, {
    ...{ chain, store, clock, prices },
    stored: sandbox.stored,
    movePrice: sandbox.movePrice,
    rpcUrl: access.rpcUrl,
    wsUrl: access.wsUrl ?? '',
    apiKey: SANDBOX_KEY,
    platformToken: platform.mint,
    platformStable: stable.mint,
    gameEventIds: simulatedEvents,
    runDue: async () => keeper?.runDue(),
  });
}

function registerSwapArea(server: FastifyInstance, shared: Shared, { remember, findRequest }: GroupedLedger): void {
  const { config, log, store, clock, chainReader: chain, landing, prices, signer, routers } = shared;
  const { routing, makers } = routers;
  const { platform, stable, usdc } = config.tokens;
  const { swap, programs } = config;
  const gasWallet = signer.address('gas');
  registerSwap(server, {
    ...{ store, clock, steadyNow, log, chain, prices, landing, routing, remember, findRequest, programs, gasWallet },
    deliver: makers.deliver,
    fees: {
      table: swap.feeBps,
      receiver: swap.feeReceiver ?? gasWallet,
      platform: platform.mint,
      stables: new Set([usdc.mint, stable.mint, ...swap.stables]),
      lsts: new Set(swap.lsts),
      blueChips: new Set(swap.blueChips),
    },
    gasless: swap.gasless,
    tipAccounts: config.submit.tipAccounts,
  });
  registerSwapReads(server, { chain, prices, tokenList: createTokenList(config), routers: routing.routers });
}

function registerTriggerV1Area(server: FastifyInstance, shared: Shared, ledger: GroupedLedger): void {
  const { config, store, log, clock, chainReader: chain, landing, prices, signer, limitOrders } = shared;
  const { stable, usdc } = config.tokens;
  registerTriggerV1(server, {
    ...{ store, clock, log, chain, prices, landing, ...limitOrders },
    ...{ remember: ledger.remember, findRequest: ledger.findRequest },
    stables: new Set([usdc.mint, stable.mint, ...config.swap.stables]),
    gasWallet: signer.address('gas'),
  });
}

function registerStudioArea(server: FastifyInstance, shared: Shared, ledger: GroupedLedger): void {
  const { config, store, clock, chainReader: chain, landing, objects, signer } = shared;
  const { platform, usdc } = config.tokens;
  registerStudio(server, {
    ...{ store, clock, chain, landing, objects, signer },
    ...{ remember: ledger.remember, findRequest: ledger.findRequest },
    uploadMs: config.objects.urlSeconds * 1_000,
    operator: config.studio.feeClaimer ?? signer.address('gas'),
    mintSuffix: config.studio.mintSuffix,
    quotes: [{ symbol: 'SOL', mint: WRAPPED_SOL_MINT, decimals: 9 }, usdc, platform],
  });
}

/** Names this service, so that what is signed for another one is no login here. */
function loginWords(publicUrl: string): string {
  return `Sign this message to authenticate with Slipway at ${new URL(publicUrl).host} that you are the owner of`;
}
