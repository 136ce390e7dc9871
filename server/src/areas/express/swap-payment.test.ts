import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ROUTER_PROGRAM, TOKEN_SWAP_PROGRAM } from '@slipway/programs';
import { type Address, associatedTokenAddress, decodeTransaction } from '@slipway/wire';
import { createChain } from '../../chain/index.js';
import { steadyNow } from '../../lib/clock.js';
import {
  newAddress,
  openAggregator,
  openWorld,
  type Routing,
  unhurried,
  type World,
} from '../../routing/aggregator/testing.js';
import { isRefused, type QuoteRequest } from '../../routing/router.js';
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
    const router = unhurried(routing.aggregator);
    const best = async (request: QuoteRequest) => {
      const quote = await router.quote(request, AbortSignal.timeout(60_000));
      return isRefused(quote) ? assert.fail(quote.reason) : { ranked: [quote], answers: [] };
    };
    const deps = {
      platform: { symbol: 'JUP', ...platform },
      stable: { symbol: 'USDC', ...usdc },
      usdc: { symbol: 'USDC', ...usdc },
      receiver: newAddress(),
      gasWallet: newAddress(),
      chain: createChain({ rpc, steadyNow, fees: { percentile: 50, maxMicroLamports: 0n } }),
      routing: { best },
      programs: { router: ROUTER_PROGRAM, tokenSwap: TOKEN_SWAP_PROGRAM },
    } as unknown as ExpressDeps;
    const crafted = await craftSwapPayment(deps, sender.address, 'USDC');
    assert.ok(refused > 0);
    assert.ok(
      'ready' in crafted,
      JSON.stringify(crafted, (_, value) => (typeof value === 'bigint' ? `${value}` : value)),
    );
  });
});
