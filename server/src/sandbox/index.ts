import { randomInt } from 'node:crypto';
import { type Address, associatedTokenAddress } from '@slipway/wire';
import type { Logger } from 'pino';
import type { Chain } from '../chain/index.js';
import type { Config } from '../config/index.js';
import { type AdjustableClock, steadyNow } from '../lib/clock.js';
import type { Disposal } from '../lib/disposal.js';
import { createSandboxPrices, type Prices, type SandboxPrices, startDrift } from '../prices/index.js';
import type { MakerEndpoint } from '../routing/makers/index.js';
import type { Token } from '../routing/router.js';
import type { Signer } from '../signer/index.js';
import { followClockOffset } from '../store/clock-offset.js';
import type { Store } from '../store/sql.js';
import { type ChainInfo, chainInfo } from './chain-info.js';
import { fundMaker, type RunningMaker, startMaker } from './maker/index.js';
import { createPriceMover, type PriceMover } from './market/move-price.js';

export { type ChainInfo, chainInfo, isOurChain } from './chain-info.js';
export type { PriceMover } from './market/move-price.js';

/** What the gas wallet and the keeper's wallet receive when they are nearly empty. */
const GAS_LAMPORTS = 1_000_000_000_000;
const KEEPER_LAMPORTS = 10_000_000_000;
/** How far below the fair price the market maker quotes. */
const MAKER_SPREAD_BPS = 10;

/** What only a sandbox has: made-up money and prices, and a market maker of its own. */
export interface Sandbox {
  info: ChainInfo;
  stored: SandboxPrices;
  /** Starts the market maker once there are prices; resolves with how to reach it. */
  openMaker(prices: Prices): Promise<MakerEndpoint>;
  movePrice: PriceMover;
}

interface SandboxDeps {
  config: Config;
  /** Mints that stand for a US dollar: their prices do not drift. */
  stables: ReadonlySet<Address>;
  log: Logger;
  store: Store;
  signer: Signer;
  chain: Chain;
  clock: AdjustableClock;
  disposal: Disposal;
}

export async function openSandbox(deps: SandboxDeps): Promise<Sandbox> {
  const { store, signer, chain, clock, disposal } = deps;
  const setOffset = (offset: number) => {
    clock.setOffset(offset);
    // Another instance may have moved the chain's clock, too.
    chain.forget();
  };
  disposal.add('clock', await followClockOffset(store, setOffset));
  const info = await chainInfo(chain);
  const defaults = new Map(info.mints.map(({ mint, usd }) => [mint, usd]));
  const stored = await createSandboxPrices({ store, clock, defaults });
  disposal.add('prices', () => stored.close());
  await Promise.all([fundGasWallet(deps, info), fundKeeper(deps)]);
  let maker: RunningMaker | undefined;
  const trader = {
    get address() {
      return signer.address('keeper');
    },
    sign: (message: Uint8Array) => signer.sign('keeper', message),
  };
  const quoteAt = async (mint: Address, usd: number) => maker?.quoteAt(mint, usd);
  const movePrice = createPriceMover({ chain, store, steadyNow, stored, trader, quoteAt });
  letDrift(deps, info, stored, movePrice);
  return {
    info,
    stored,
    movePrice,
    async openMaker(prices) {
      maker = await openMaker(deps, info, prices);
      return { id: 'sandbox', name: 'sandbox', url: maker.url };
    },
  };
}

async function openMaker(deps: SandboxDeps, info: ChainInfo, prices: Prices): Promise<RunningMaker> {
  const { config, log, signer, chain, clock, disposal } = deps;
  const tokens = await tokensOf(chain, info);
  await fundMaker(chain, signer.address('maker'), tokens);
  const maker = await startMaker({
    chain,
    signer,
    tokens,
    clock,
    log,
    usd: prices.usd,
    orderEngine: config.programs.orderEngine,
    spreadBps: MAKER_SPREAD_BPS,
  });
  disposal.add('market maker', () => maker.close());
  return maker;
}

async function tokensOf(chain: Chain, { mints }: ChainInfo): Promise<Token[]> {
  const facts = await Promise.all(mints.map(({ mint }) => chain.mint(mint)));
  return mints.flatMap(({ mint, decimals }, index) => {
    const tokenProgram = facts[index]?.tokenProgram;
    return tokenProgram === undefined ? [] : [{ mint, decimals, tokenProgram }];
  });
}

/** Gives the gas wallet SOL, and the token accounts that fees go to. */
async function fundGasWallet({ signer, chain, config }: SandboxDeps, { mints }: ChainInfo): Promise<void> {
  const wallet = signer.address('gas');
  const needsFeeAccounts = config.swap.feeReceiver === undefined;
  const feeAccounts = needsFeeAccounts ? mints.map(({ mint }) => associatedTokenAddress(wallet, mint)) : [];
  const [own, ...found] = await Promise.all([wallet, ...feeAccounts].map((address) => chain.account(address)));
  if ((own?.lamports ?? 0n) < GAS_LAMPORTS / 10) await chain.rpc.call('requestAirdrop', [wallet, GAS_LAMPORTS]);
  const missing = needsFeeAccounts ? mints.filter((_, index) => found[index] === undefined) : [];
  await Promise.all(missing.map(({ mint }) => chain.rpc.call('localnet_airdropToken', [wallet, mint, '1'])));
}

async function fundKeeper({ signer, chain }: SandboxDeps): Promise<void> {
  const wallet = signer.address('keeper');
  const lamports = (await chain.account(wallet))?.lamports ?? 0n;
  if (lamports < KEEPER_LAMPORTS / 10) await chain.rpc.call('requestAirdrop', [wallet, KEEPER_LAMPORTS]);
}

/** Lets the prices move by themselves, if the operator has asked for that. */
function letDrift(
  { config, stables, clock, log, disposal }: SandboxDeps,
  info: ChainInfo,
  stored: SandboxPrices,
  move: PriceMover,
): void {
  if (!config.prices.sources.includes('simulated') || !config.roles.has('keeper')) return;
  const mints = info.mints.map(({ mint }) => mint).filter((mint) => !stables.has(mint));
  const seed = randomInt(2 ** 32);
  log.info({ seed }, 'the prices drift');
  const drift = startDrift({ mints, stored, move, clock, log, seed });
  disposal.add('drift', () => drift.close());
}
