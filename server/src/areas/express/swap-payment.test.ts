import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ROUTER_PROGRAM, TOKEN_SWAP_PROGRAM } from '@slipway/programs';
import { type Address, associatedTokenAddress, decodeTransaction, WRAPPED_SOL_MINT } from '@slipway/wire';
import { createChain } from '../../chain/index.js';
import { createClock, steadyNow } from '../../lib/clock.js';
import {
  newAddress,
  openAggregator,
  openWorld,
  type Routing,
  unhurried,
  type World,
} from '../../routing/aggregator/testing.js';
import { isRefused, type QuoteRequest, type Token } from '../../routing/router.js';
import { craftTxn } from './craft-txn.js';
import type { ExpressDeps } from './deps.js';
import { craftSwapPayment } from './swap-payment.js';

const DEPTH = 10n ** 12n;
const POOLS = 8n;

describe('a payment by swap', () => {
  let world: World;
  let routing: Routing;
  before(async () => {
    world = await openWorld();
    routing = await openAggregator(world);
  });
  after(async () => {
    await routing?.close();
    await world?.close();
  });

  function depsFor(usdc: Token, platform: Token): ExpressDeps {
    const router = unhurried(routing.aggregator);
    const best = async (request: QuoteRequest) => {
      const quote = await router.quote(request, AbortSignal.timeout(60_000));
      return isRefused(quote) ? assert.fail(quote.reason) : { ranked: [quote], answers: [] };
    };
    return {
      clock: createClock(),
      platform: { symbol: 'JUP', ...platform },
      stable: { symbol: 'USDC', ...usdc },
      usdc: { symbol: 'USDC', ...usdc },
      receiver: newAddress(),
      gasWallet: newAddress(),
      chain: createChain({ rpc: world.rpc, steadyNow, fees: { percentile: 50, maxMicroLamports: 0n } }),
      routing: { best },
      programs: { router: ROUTER_PROGRAM, tokenSwap: TOKEN_SWAP_PROGRAM },
    } as unknown as ExpressDeps;
  }

  it('attack: a node says once that a token has other decimals than it has, to have payments cost ten times the price, or a thousandth: none is crafted', async () => {
    const [usdc, platform] = [await world.token(), await world.token()];
    await world.pool(usdc, platform, [DEPTH * 10n, DEPTH * 10n]);
    await routing.aggregator.discover();
    const sender = await world.wallet();
    const source = associatedTokenAddress(sender.address, usdc.mint, usdc.tokenProgram);
    await world.holding(usdc, sender.address, DEPTH, source);
    const honest = depsFor(usdc, platform);
    const lying = (about: Address, more: number): ExpressDeps => {
      const mint = async (mint: Address) => {
        const facts = await honest.chain.mint(mint);
        return facts && mint === about ? { ...facts, decimals: facts.decimals + more } : facts;
      };
      return { ...honest, chain: { ...honest.chain, mint } };
    };
    const refused = { name: 'ChainUnavailable', message: /decimals/ };
    for (const more of [-3, 1]) {
      const deps = lying(platform.mint, more);
      await assert.rejects(craftSwapPayment(deps, sender.address, 'USDC'), refused);
      await assert.rejects(craftTxn(deps, { senderAddress: sender.address }), refused);
      await assert.rejects(craftSwapPayment(lying(usdc.mint, more), sender.address, 'USDC'), refused);
      await assert.rejects(craftSwapPayment(lying(WRAPPED_SOL_MINT, more), sender.address, 'SOL'), refused);
    }
    const { tokenDecimals, payment } = await craftSwapPayment(honest, sender.address, 'USDC');
    const price = 1_000n * 10n ** BigInt(platform.decimals);
    assert.equal(tokenDecimals, platform.decimals);
    assert.ok(payment.outputAmount >= price && payment.outputAmount < price + price / 10n, `${payment.outputAmount}`);
  });

  it('goes over fewer pools where these take more compute units together than a transaction has', async () => {
    const [usdc, platform] = [await world.token(), await world.token()];
    const costly: Address[] = [];
    for (let i = 0n; i < POOLS; i++) {
      costly.push((await world.pool(usdc, platform, [DEPTH, DEPTH + i * 10_000_000n])).address);
    }
    await routing.aggregator.discover();
    const sender = await world.wallet();
    const source = associatedTokenAddress(sender.address, usdc.mint, usdc.tokenProgram);
    await world.holding(usdc, sender.address, 2_000_000_000n, source);
    const { rpc } = world;
    const { call } = rpc;
    let refused = 0;
    rpc.call = (method: string, params: unknown[]) => {
      if (method !== 'simulateTransaction') return call.call(rpc, method, params) as never;
      const { accounts, instructions } = decodeTransaction(Buffer.from(params[0] as string, 'base64')).decoded;
      if (accounts.filter((each) => costly.includes(each)).length < 2) return call.call(rpc, method, params) as never;
      refused++;
      const err = { InstructionError: [instructions.length - 1, 'ProgramFailedToComplete'] };
      const logs = [`Program ${TOKEN_SWAP_PROGRAM} failed: exceeded CUs meter at BPF instruction`];
      const value = { err, logs, unitsConsumed: 1_400_000, accounts: null };
      return Promise.resolve({ context: { slot: 10 ** 9 }, value }) as never;
    };
    const deps = depsFor(usdc, platform);
    const crafted = await craftSwapPayment(deps, sender.address, 'USDC');
    assert.ok(refused > 0);
    assert.ok(
      'ready' in crafted,
      JSON.stringify(crafted, (_, value) => (typeof value === 'bigint' ? `${value}` : value)),
    );
  });
});
