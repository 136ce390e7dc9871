import { INVITE_PROGRAM, type LimitOrderAddresses } from '@slipway/programs';
import { createMintOpinions, type LiveAccounts } from '../chain/index.js';
import { createSender } from '../events/sender.js';
import type { InviteIndex } from '../indexes/invites/index.js';
import type { LimitOrderIndex } from '../indexes/limit-orders/index.js';
import { createAgreedTime } from '../keeper/agreed-time.js';
import { eventCleaningChore, startEventNumbering, startWebhooks } from '../keeper/events/index.js';
import { startInviteKeeper } from '../keeper/invites/index.js';
import { closeAll, type Keeper, type KeeperLoop, startKeeper } from '../keeper/keeper.js';
import { startMigrationKeeper } from '../keeper/launches/index.js';
import { ledgerChore, ledgerCleaningChore } from '../keeper/ledger.js';
import { fillsLimitOrders, startLimitOrderKeeper } from '../keeper/limit-orders/index.js';
import { startTableKeeper } from '../keeper/lookup-tables/index.js';
import { lostDepositsChore } from '../keeper/lost-deposits.js';
import { rateWindowsChore } from '../keeper/rate-windows.js';
import { overtakenOrdersChore, startTriggerKeeper } from '../keeper/trigger-orders/index.js';
import type { KeeperWallet } from '../keeper/wallet.js';
import type { Landing } from '../landing/index.js';
import { launchFilesChore, startMintPool } from '../launches/index.js';
import { allOpen } from '../lib/all-open.js';
import { lamportsOf } from '../lib/decimal.js';
import type { Objects } from '../objects/index.js';
import { type Prices, trustedUsd } from '../prices/index.js';
import type { Aggregator } from '../routing/aggregator/index.js';
import { openScores } from '../scores/index.js';
import { careForTables } from '../store/table-care.js';
import type { Base } from './base.js';

const DAY_MS = 24 * 60 * 60_000;

/** Everything that the keepers may use. */
export interface KeepersDeps extends Base {
  landing: Landing;
  live: LiveAccounts;
  aggregator: Aggregator;
  prices: Prices;
  objects: Objects;
  limitOrders: { addresses: LimitOrderAddresses; index: LimitOrderIndex };
  invites: InviteIndex;
  keeperWallet: KeeperWallet;
}

/** Starts the keepers. Undefined if `keeper` is not one of this process's roles. */
export async function openKeepers(deps: KeepersDeps): Promise<Keeper | undefined> {
  const { config, log, disposal, clock, steadyNow, store, signer, secrets, chain, objects, landing } = deps;
  const { limitOrders, invites, metrics, node } = deps;
  if (!config.roles.has('keeper')) return undefined;
  const scores = await openScores({ settings: config.scores, sandbox: config.sandbox, store, clock, log });
  disposal.add('scores', () => scores.close());
  await scores.runDue();
  const { mintSuffix } = config.studio;
  const launchFiles = launchFilesChore(
    { store, clock, steadyNow, chain, objects },
    config.objects.urlSeconds * 1_000,
    mintSuffix,
  );
  // The clock of a sandbox moves with its chain's.
  const nodes = config.sandbox ? [] : node.sendRpcsFor('keeper');
  const agreedNow = createAgreedTime({ clock, steadyNow, nodes, registry: metrics.registry, log });
  const keepEndedMs = config.submit.keepDays * DAY_MS;
  const send = createSender({ allowsPrivate: config.events.privateWebhooks, steadyNow });
  const readNews = async () => void (await Promise.all([limitOrders.index.keepUp(), invites.keepUp()]));
  const loops: KeeperLoop[] = [];
  let keeper: Keeper | undefined;
  // From here on, so that a start that fails later leaves nothing running.
  disposal.add('keeper', () => keeper?.close() ?? closeAll(loops));
  const running = async (loop: Promise<KeeperLoop>) => void loops.push(await loop);
  await allOpen([
    running(openTriggerKeeper(deps)),
    running(startEventNumbering({ store, clock, log })),
    running(startWebhooks({ store, box: secrets, clock, steadyNow, log, send, registry: metrics.registry })),
  ]);
  for (const open of [openLimitOrderKeeper, openInviteKeeper, openTableKeeper, openMigrationKeeper]) {
    loops.push(...open(deps));
  }
  keeper = startKeeper({
    log,
    chores: [
      ledgerChore({ store, landing, clock, agreedNow, log }),
      ledgerCleaningChore({ store, agreedNow, keepEndedMs, readNews }),
      lostDepositsChore({ store, chain, clock, agreedNow, log, keepEndedMs }),
      overtakenOrdersChore({ store, chain, signer, clock, steadyNow, log }),
      eventCleaningChore({ store, agreedNow, keepMs: config.events.keepDays * DAY_MS }),
      rateWindowsChore({ store, steadyNow }),
      () => careForTables(store),
      () => scores.runDue(),
      launchFiles,
      () => limitOrders.index.keepUp(),
      () => invites.keepUp(),
    ],
    loops,
  });
  if (mintSuffix !== '') {
    const pool = startMintPool({ store, finder: signer, suffix: mintSuffix, log });
    disposal.add('mint stock', () => pool.close());
  }
  return keeper;
}

export function openLimitOrderKeeper(deps: KeepersDeps) {
  const { config, live, prices, limitOrders } = deps;
  if (!fillsLimitOrders(config)) return [];
  const common = commonOf(deps);
  const onMarketChange = (listener: () => void) => live.onChange(listener);
  return [
    startLimitOrderKeeper({
      ...common,
      get taker() {
        return common.wallet.address;
      },
      usd: (token) => trustedUsd(prices, token),
      contradictions: opinionsOf(deps),
      addresses: limitOrders.addresses,
      onMarketChange,
    }),
  ];
}

function openTriggerKeeper(deps: KeepersDeps) {
  const { config, prices, live } = deps;
  const common = commonOf(deps);
  const { store, wallet } = common;
  // An embedded store serves one process only.
  return startTriggerKeeper({
    ...common,
    get payer() {
      return wallet.address;
    },
    prices,
    contradictions: opinionsOf(deps),
    maxBelowFairBps: config.triggerOrders.maxBelowFairBps,
    alone: store.kind === 'embedded',
    onMarketChange: (listener) => live.onChange(listener),
  });
}

/** What the ways of sending say of mints, beside the first node. */
function opinionsOf({ node, steadyNow }: KeepersDeps) {
  const [, ...others] = node.sendRpcsFor('keeper');
  return createMintOpinions(others, steadyNow);
}

/** None for the hosted program of the public clusters, which has its own keeper. */
function openInviteKeeper(deps: KeepersDeps) {
  const { config, invites: index } = deps;
  const program = config.programs.invite;
  if (!config.sandbox && program === INVITE_PROGRAM) return [];
  const common = commonOf(deps);
  const keeper = {
    get keeper() {
      return common.wallet.address;
    },
  };
  return [startInviteKeeper(Object.assign(keeper, { ...common, index, program }))];
}

/** None without a budget: then nothing is sent. */
function openTableKeeper(deps: KeepersDeps) {
  const budget = lamportsOf(deps.config.swap.tableBudgetSol);
  return budget > 0n ? [startTableKeeper({ ...commonOf(deps), budget })] : [];
}

/** None without a budget: then somebody else moves launches from their curves. */
function openMigrationKeeper(deps: KeepersDeps) {
  const budget = lamportsOf(deps.config.studio.migrationBudgetSol);
  return budget > 0n ? [startMigrationKeeper({ ...commonOf(deps), signer: deps.signer, budget })] : [];
}

/** What all keepers need. They trade through our own aggregator. */
function commonOf(deps: KeepersDeps) {
  const { config, log, store, landing, chain, clock, steadyNow, metrics, aggregator, keeperWallet, signer, stops } =
    deps;
  const wallet = {
    get address() {
      return keeperWallet.address;
    },
    get earlier() {
      const { addresses, current } = signer.wallets().keeper;
      return addresses.slice(0, current).filter((address) => address !== null);
    },
    read: () => keeperWallet.read(),
    /** Nothing is begun while fills are stopped, or while nobody knows whether they are. */
    async canPay() {
      const stopped = (await stops.list()).some(({ what }) => what !== 'crafts');
      return !stopped && keeperWallet.canPay();
    },
  };
  return {
    store,
    landing,
    chain,
    clock,
    steadyNow,
    log,
    registry: metrics.registry,
    wallet,
    router: aggregator,
    programs: config.programs,
  };
}
