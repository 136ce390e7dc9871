import { decodePool } from '@slipway/programs';
import {
  type Address,
  associatedTokenAddress,
  createAssociatedTokenIdempotent,
  decodeMint,
  decodeTokenAccount,
  decodeTransaction,
  encodeTransaction,
  WRAPPED_SOL_MINT,
  withSignature,
} from '@slipway/wire';
import type { Chain, ChainAccount } from '../../chain/index.js';
import { craftTransaction } from '../../crafting/transaction.js';
import { AppError } from '../../errors/index.js';
import type { PoolState } from '../../routing/aggregator/index.js';
import { tokenSwapVenue } from '../../routing/aggregator/index.js';
import { isWithinFee, type PoolReserves, type PoolTrade, priceOf, tradeTo } from './rebalance-plan.js';

/** A wallet of the service that trades with the pools. */
export interface Trader {
  address: Address;
  /** The ed25519 signature over the bytes of a message. */
  sign(message: Uint8Array): Promise<Uint8Array>;
}

const U64_MAX = 2n ** 64n - 1n;
const TRADER_LAMPORTS = 10_000_000_000;
/** Others may trade between reading a pool and trading with it. */
const MOST_ROUNDS = 4;
const TRADE_UNITS = 100_000;
const USD_BOUNDS = [1e-15, 1e15] as const;

interface MintState {
  decimals: number;
  /** What the trader can pay: what it holds, and what can be airdropped to it. */
  funds: bigint;
  held: bigint;
}

interface MarketPool extends PoolReserves {
  state: PoolState;
}

interface Market {
  pools: MarketPool[];
  mints: Map<Address, MintState>;
}

interface Rebalancing {
  chain: Chain;
  trader: Trader;
  /** The pools to move; their mints are SPL Token's. */
  pools: readonly Address[];
  /** The wallet that pays the airdrops of SOL. */
  faucet: Address;
  mint: Address;
  usd: number;
  /** The prices of the other tokens; for `mint`, the previous one. */
  usdOf: (mint: Address) => number | undefined;
}

/**
 * Trades with every given pool of the mint until each one's marginal price is within its fee of the new price. The
 * trader gets what it needs as airdrops. Resolves when the trades are confirmed.
 * @throws AppError INVALID_REQUEST, before anything has moved, if the pools cannot be moved to the price; CONFLICT if
 * others keep moving them back. ChainUnavailable, RpcError: some pools may have moved.
 */
export async function rebalance(work: Rebalancing): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const market = await readMarket(work);
    const trades = plan(market, work, work.usd);
    if (trades?.length === 0) return;
    if (!trades && round === 0) throw unreachable(market, work);
    if (!trades) break;
    await fund(work, market, trades);
    await Promise.all(trades.map((trade, index) => send(work, trade, 16 * round + index)));
  }
  throw new AppError('CONFLICT', { message: 'Others trade with the pools of this mint at the moment; try again' });
}

type PlannedTrade = PoolTrade & { pool: MarketPool };

/** The trades that take all pools to the price; undefined if one cannot be taken there. */
function plan({ pools, mints }: Market, { mint, usdOf }: Rebalancing, usd: number): PlannedTrade[] | undefined {
  const side = (which: Address) => {
    const price = which === mint ? usd : usdOf(which);
    return price === undefined ? undefined : { usd: price, decimals: mints.get(which)!.decimals };
  };
  const trades: PlannedTrade[] = [];
  const spent = new Map<Address, bigint>();
  for (const pool of pools) {
    const [a, b] = pool.state.tokens.map((token) => side(token.mint));
    if (!a || !b) continue;
    const price = priceOf(a, b);
    if (isWithinFee(pool, price)) continue;
    const trade = tradeTo(pool, price);
    if (!trade) return undefined;
    const { input } = sidesOf({ ...trade, pool });
    const total = (spent.get(input) ?? 0n) + trade.amountIn;
    if (total > mints.get(input)!.funds) return undefined;
    spent.set(input, total);
    trades.push({ ...trade, pool });
  }
  return trades;
}

function sidesOf({ from, pool: { state } }: PlannedTrade): { input: Address; output: Address } {
  const [a, b] = state.tokens;
  return from === 0 ? { input: a.mint, output: b.mint } : { input: b.mint, output: a.mint };
}

function unreachable(market: Market, work: Rebalancing): AppError {
  const { mint, usd, usdOf } = work;
  const before = usdOf(mint);
  const canBe = (price: number) => plan(market, work, price) !== undefined;
  let range = '';
  if (before !== undefined && canBe(before)) {
    const [least, most] = USD_BOUNDS.map((bound) => edge(canBe, before, bound).toPrecision(3));
    range = `; with the other prices as they are, from ${Number(least)} to ${Number(most)} USD is possible`;
  }
  return new AppError('INVALID_REQUEST', { message: `usd: the pools cannot be moved to ${usd} USD${range}` });
}

/** The possible price that is nearest to `bound`, a little on the safe side; `start` is possible. */
function edge(canBe: (price: number) => boolean, start: number, bound: number): number {
  let [inside, outside] = [Math.log(start), Math.log(bound)];
  for (let i = 0; i < 40; i++) {
    const middle = (inside + outside) / 2;
    if (canBe(Math.exp(middle))) inside = middle;
    else outside = middle;
  }
  return Math.exp(inside + (bound > start ? -0.01 : 0.01));
}

/** Reads the market in two rounds of questions to the chain. Pools that nobody can trade with are left out. */
async function readMarket(work: Rebalancing): Promise<Market> {
  const { chain, trader, mint, faucet } = work;
  const found = await Promise.all(
    work.pools.map(async (address) => ({ address, account: await chain.account(address) })),
  );
  const opening: Promise<MarketPool | undefined>[] = [];
  const mintAddresses = new Set<Address>();
  for (const { address, account } of found) {
    const pool = account && decodePool(account.data);
    if (!pool || (pool.mintA !== mint && pool.mintB !== mint)) continue;
    mintAddresses.add(pool.mintA).add(pool.mintB);
    opening.push(
      Promise.all([pool.vaultA, pool.vaultB].map(chain.account)).then((vaults) => {
        const state = tokenSwapVenue(account.owner).open(address, account, vaults);
        if (typeof state === 'string') return undefined;
        const reserves = [tokensOf(vaults[0]), tokensOf(vaults[1])] as const;
        return { state, fees: pool.fees, reserves, quote: state.quote };
      }),
    );
  }
  const readMint = async (address: Address): Promise<[Address, MintState]> => {
    const wallet = associatedTokenAddress(trader.address, address);
    const [account, own, bank] = await Promise.all([address, wallet, faucet].map(chain.account));
    const facts = account && decodeMint(account.data);
    if (!facts) throw new Error(`a pool's mint ${address} is not on the chain`);
    const held = tokensOf(own);
    const more = address === WRAPPED_SOL_MINT ? (bank?.lamports ?? 0n) / 2n : U64_MAX - facts.supply;
    return [address, { decimals: facts.decimals, held, funds: held + more }];
  };
  const [pools, mints] = await Promise.all([Promise.all(opening), Promise.all([...mintAddresses].map(readMint))]);
  return { pools: pools.filter((pool) => pool !== undefined), mints: new Map(mints) };
}

function tokensOf(account: ChainAccount | undefined): bigint {
  return (account && decodeTokenAccount(account.data)?.amount) ?? 0n;
}

/** Airdrops what the trader lacks for the trades, and SOL for fees. */
async function fund({ chain, trader }: Rebalancing, { mints }: Market, trades: PlannedTrade[]): Promise<void> {
  const needed = new Map<Address, bigint>();
  for (const trade of trades) {
    const { input } = sidesOf(trade);
    needed.set(input, (needed.get(input) ?? 0n) + trade.amountIn);
  }
  const wallet = await chain.account(trader.address);
  // No waiting between the first call and the wait for all: one that fails meanwhile would end the process.
  const airdrops: Promise<unknown>[] = [];
  for (const [mint, amount] of needed) {
    const lacking = amount - mints.get(mint)!.held;
    if (lacking > 0n) {
      airdrops.push(chain.rpc.call('localnet_airdropToken', [trader.address, mint, lacking.toString()]));
    }
  }
  if ((wallet?.lamports ?? 0n) < BigInt(TRADER_LAMPORTS) / 10n) {
    airdrops.push(chain.rpc.call('requestAirdrop', [trader.address, TRADER_LAMPORTS]));
  }
  await Promise.all(airdrops);
}

/** Sends a trade; resolves once the chain has executed it. `unique` tells equal trades of one blockhash apart. */
async function send({ chain, trader }: Rebalancing, trade: PlannedTrade, unique: number): Promise<void> {
  const { input, output } = sidesOf(trade);
  const payer = trader.address;
  const { blockhash } = await chain.latestBlockhash();
  const { wire, message } = craftTransaction({
    feePayer: payer,
    blockhash,
    budget: { computeUnitLimit: TRADE_UNITS + unique, computeUnitPrice: 0n },
    instructions: [
      createAssociatedTokenIdempotent({ payer, owner: payer, mint: output }),
      trade.pool.state.swap(trade.from, {
        owner: payer,
        source: associatedTokenAddress(payer, input),
        destination: associatedTokenAddress(payer, output),
        amountIn: trade.amountIn,
        minOut: 1n,
      }),
    ],
  });
  const signed = encodeTransaction(withSignature(decodeTransaction(wire), payer, await trader.sign(message)));
  const options = { encoding: 'base64', skipPreflight: false, preflightCommitment: 'confirmed' };
  await chain.rpc.call('sendTransaction', [Buffer.from(signed).toString('base64'), options]);
}
