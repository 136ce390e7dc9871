import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  type Address,
  associatedTokenAddress,
  type Keypair,
  rentExemptLamports,
  tokenTransferChecked,
} from '@slipway/wire';
import fc from 'fast-check';
import type { TestTerms } from '../../areas/trigger-v2/testing.js';
import { AppError } from '../../errors/index.js';
import type { Token } from '../../routing/router.js';
import { triggerOrderEvents } from '../../store/trigger-order-events.js';
import type { Trade } from '../../trigger-orders/order.js';
import { expireTriggerOrders } from '../expire-trigger-orders.js';
import { createMortal } from '../testing.js';
import { openTriggerWorld } from './testing.js';

/** Of one run; each run plays others, and the stress runs play it twenty times. */
const ROUNDS = 6;
/** Each wallet's life is a sequence of its own; those of a round share prices, pool, keepers and crashes. */
const WALLETS = 100;
const WHOLE = 1_000_000n;
const RENT = rentExemptLamports(165);
/** Wallet, vault and tracker sign. */
const FEE = 15_000n;
const FUNDS = 1_000_000_000n;

// ---- what happens -----------------------------------------------------------------------------------------------------

const factor = fc.constantFrom(0.7, 0.85, 0.95, 1, 1.05, 1.2, 1.4);
const action = fc.constantFrom(...Array<'none'>(10).fill('none'), 'edit', 'withdraw');
const walletPlan = fc.record({
  type: fc.constantFrom('single', 'trailing', 'oco', 'otoco'),
  sells: fc.boolean(),
  amount: fc.bigInt({ min: 20n * WHOLE, max: 300n * WHOLE }),
  above: fc.boolean(),
  at: factor,
  slippageBps: fc.constantFrom(undefined, undefined, 0, 100, 500, 2_000),
  seconds: fc.integer({ min: 120, max: 8_000 }),
  actions: fc.array(action, { minLength: 6, maxLength: 6 }),
});
const step = fc.record({
  usd: factor,
  /** Whether the market makers follow the price. */
  followed: fc.constantFrom(true, true, true, false),
  deepened: fc.integer({ min: 0, max: 1_000 }),
  seconds: fc.integer({ min: 1, max: 600 }),
  /** Half of them soon: what a step asks of the store is seldom less than this. */
  killAfter: fc.oneof(fc.integer({ min: 1, max: 30 }), fc.option(fc.integer({ min: 30, max: 300 }), { freq: 1 })),
});
const round = fc.record({
  /** Mostly so little that orders take it in parts. */
  depth: fc.oneof(
    fc.integer({ min: 500, max: 3_000 }),
    fc.integer({ min: 1_000, max: 10_000 }),
    fc.integer({ min: 10_000, max: 100_000 }),
  ),
  wallets: fc.array(walletPlan, { minLength: WALLETS, maxLength: WALLETS }),
  steps: fc.array(step, { minLength: 2, maxLength: 4 }),
});
type WalletPlan = typeof walletPlan extends fc.Arbitrary<infer T> ? T : never;
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

// ---- the world --------------------------------------------------------------------------------------------------------

let world: Awaited<ReturnType<typeof openTriggerWorld>>;
let client: ReturnType<typeof world.newClient>;
/** The token that has a price; the other one is worth 1 USD. */
let [x, y]: Token[] = [];
let maker: Keypair;

before(async () => {
  world = await openTriggerWorld();
  client = world.newClient();
  [x, y] = [world.sold, world.bought];
  maker = await world.world.wallet();
  for (const token of [x, y]) await world.world.holding(token, maker.address, 10n ** 18n, accountOf(maker, token));
});
after(() => world?.close());

const accountOf = ({ address }: { address: Address }, { mint, tokenProgram }: Token) =>
  associatedTokenAddress(address, mint, tokenProgram);
const held = (owner: { address: Address }, token: Token) => world.world.amount(accountOf(owner, token));
const reserves = async () => {
  const [ofX, ofY] = await Promise.all(world.pool.vaults.map((vault) => world.world.amount(vault)));
  return [ofX!, ofY!] as const;
};
const advance = (seconds: number) => world.clock.setOffset(world.clock.offsetMs + seconds * 1_000);

interface User {
  wallet: Keypair;
  plan: WalletPlan;
  input: Token;
  output: Token;
  id: string;
}

async function openUser(plan: WalletPlan): Promise<User> {
  const [input, output] = plan.sells ? [x!, y!] : [y!, x!];
  const wallet = await client.register();
  await world.fund(wallet.address, input, plan.amount);
  return { wallet, plan, input, output, id: await client.open(wallet, plan.amount, termsOf(plan, input, output)) };
}

function termsOf({ type, sells, above, at, slippageBps, seconds }: WalletPlan, input: Token, output: Token): TestTerms {
  const common = {
    inputMint: input.mint,
    outputMint: output.mint,
    triggerMint: x!.mint,
    expiresAt: world.clock.now() + seconds * 1_000,
  };
  const slippage = slippageBps === undefined ? {} : { slippageBps };
  const pair = { tpPriceUsd: at * 1.1, slPriceUsd: at * 0.9 };
  const condition = { triggerCondition: above ? 'above' : 'below', triggerPriceUsd: at } as const;
  switch (type) {
    case 'trailing':
      return {
        ...common,
        ...slippage,
        orderType: 'single',
        triggerCondition: sells ? 'below' : 'above',
        trailingBps: 800,
      };
    case 'single':
      return { ...common, ...slippage, ...condition, orderType: 'single' };
    case 'oco':
      return { ...common, ...pair, orderType: 'oco', ...(slippageBps !== undefined && { tpSlippageBps: slippageBps }) };
    default:
      return { ...common, ...slippage, ...condition, ...pair, orderType: 'otoco' };
  }
}

/** Moves the pool to a price by giving to one side, and makes it deeper. */
async function makeMarket({ usd, deepened, followed }: Step): Promise<void> {
  const [ofX, ofY] = await reserves();
  const price = followed ? usd : Number(ofY) / Number(ofX);
  const wantedX = ofX + BigInt(deepened) * WHOLE;
  const wantedY = BigInt(Math.round(Number(wantedX) * price));
  const gifts = wantedY >= ofY ? [wantedX - ofX, wantedY - ofY] : [BigInt(Math.round(Number(ofY) / price)) - ofX, 0n];
  const instructions = [x!, y!].flatMap(({ mint, decimals, tokenProgram }, side) => {
    const amount = gifts[side]!;
    const source = accountOf(maker, { mint, decimals, tokenProgram });
    const transfer = { source, mint, destination: world.pool.vaults[side]!, authority: maker.address };
    return amount > 0n ? [tokenTransferChecked({ ...transfer, amount, decimals, tokenProgram })] : [];
  });
  if (instructions.length > 0) assert.equal(await world.world.run([maker], instructions), null);
}

async function act({ wallet, plan, id }: User, at: number): Promise<void> {
  try {
    if (plan.actions[at] === 'withdraw') await client.withdraw(wallet, id);
    if (plan.actions[at] === 'edit') {
      const { orderType } = termsOf(plan, x!, y!);
      const expiresAt = world.clock.now() + 600_000;
      await client.edit(wallet.address, id, { orderType, ...(orderType !== 'oco' && { slippageBps: 500 }), expiresAt });
    }
  } catch (error) {
    // Too late, or too early.
    assert.ok(error instanceof AppError && error.code === 'INVALID_REQUEST', String(error));
  }
}

/** The keeper's process, a new one whenever it has died. */
async function createProcesses() {
  let mortal = createMortal();
  let process = await world.newProcess(mortal);
  let crashes = 0;

  return {
    crashes: () => crashes,
    async run(killAfter: number | null): Promise<void> {
      if (killAfter !== null) mortal.killAfter(killAfter);
      await Promise.race([process.keeper.runDue(), mortal.died]);
      if (!mortal.isDead()) {
        mortal.killAfter(Number.POSITIVE_INFINITY);
        return;
      }
      crashes += 1;
      this.end();
      mortal = createMortal();
      process = await world.newProcess(mortal);
      await process.landing.resume({ all: true });
      await process.keeper.runDue();
    },
    end(): void {
      process.landing.close();
      process.keeper.close().catch(() => {});
    },
  };
}

// ---- what must hold -----------------------------------------------------------------------------------------------------

/** Everything comes to its end, and who has anything left in the vault takes it out. */
async function drain(users: User[], run: () => Promise<void>): Promise<void> {
  advance(3 * 3_600);
  for (let tries = 0; ; tries++) {
    assert.ok(tries < 30, 'an order does not come to its end');
    await expireTriggerOrders(world.store, new Date(world.clock.now()));
    await run();
    const { rows } = await world.store.query<{ id: string }>(
      `select id from orders where state not in ('fill_success', 'cancelled')`,
    );
    if (rows.length === 0) break;
    const left = users.filter(({ id }) => rows.some((row) => row.id === id));
    await Promise.all(left.map(({ wallet, id }) => client.withdraw(wallet, id).catch(() => {})));
  }
  advance(120);
  await run();
}

const seen = { sequences: 0, crashes: 0, states: new Map<string, number>(), parts: 0 };

const used = ({ initial, remaining }: Trade) => initial - remaining;

async function check({ wallet, plan, input, output, id }: User): Promise<void> {
  const row = await world.rowOf(id);
  const { entry, exit, state } = row.progress;
  const sold = [plan.amount - used(entry) + (exit?.received ?? 0n), entry.received - (exit ? used(exit) : 0n)];
  const about = `${plan.type} order ${id}, ${state}`;
  assert.deepEqual([await held(wallet, input), await held(wallet, output)], sold, about);
  const events = (await triggerOrderEvents(world.store, wallet.address, [id])).filter(({ type }) => type === 'fill');
  assert.ok(
    events.every((event) => event.state !== 'pending'),
    about,
  );
  const landed = events.filter((event) => event.state === 'success');
  const total = (mint: string) => landed.reduce((sum, each) => sum + (each.mint === mint ? each.amount! : 0n), 0n);
  assert.deepEqual([total(input.mint), total(output.mint)], [used(entry), exit ? used(exit) : 0n], about);
  for (const account of [row.inputAccount, row.outputAccount]) {
    if (account !== null) assert.equal(await world.world.lamports(account as Address), 0n, about);
  }
  const fees = FEE * (state === 'cancelled' ? 2n : 1n);
  assert.equal(await world.world.lamports(wallet.address), FUNDS - fees - RENT, about);
  seen.states.set(state, (seen.states.get(state) ?? 0) + 1);
  if (events.some((event) => event.state === 'success' && event.amount! < plan.amount && event.mint === input.mint))
    seen.parts += 1;
}

async function playRound({
  depth,
  wallets,
  steps,
}: typeof round extends fc.Arbitrary<infer T> ? T : never): Promise<void> {
  const each = BigInt(depth) * WHOLE;
  await world.world.setReserves(world.pool, [each, each]);
  world.setPrice(x!.mint, 1);
  world.setPrice(y!.mint, 1);
  const makers = await Promise.all([x!, y!].map((token) => held(maker, token)));
  const users = await Promise.all(wallets.map(openUser));
  const processes = await createProcesses();
  for (const [at, step] of steps.entries()) {
    await makeMarket(step);
    world.setPrice(x!.mint, step.usd);
    world.setPrice(y!.mint, 1);
    advance(step.seconds);
    await Promise.all([
      processes.run(step.killAfter),
      expireTriggerOrders(world.store, new Date(world.clock.now())),
      ...users.map((user) => act(user, at)),
    ]);
  }
  await drain(users, () => processes.run(null));
  processes.end();
  await Promise.all(users.map(check));
  for (const [side, token] of [x!, y!].entries()) {
    const wallets = await Promise.all(users.map(({ wallet }) => held(wallet, token)));
    const deposits = users.reduce((sum, { plan, input }) => sum + (input === token ? plan.amount : 0n), 0n);
    const now = [...wallets, await held(maker, token), (await reserves())[side]!].reduce((sum, amount) => sum + amount);
    assert.equal(now, deposits + makers[side]! + each);
  }
  seen.sequences += users.length;
  seen.crashes += processes.crashes();
}

test('nothing is lost or made by deposits, fills, parts, edits, cancellations, expiries, prices and crashes', async (context) => {
  const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
  context.diagnostic(`seed ${seed}: run it again with TEST_SEED=${seed}`);
  await fc.assert(fc.asyncProperty(round, playRound), { numRuns: ROUNDS, seed, endOnFailure: true });
  const { sequences, crashes, parts, states } = seen;
  context.diagnostic(
    `${sequences} sequences, ${crashes} crashes, ${parts} filled in parts, ${JSON.stringify([...states])}`,
  );
  assert.equal(sequences, ROUNDS * WALLETS);
  assert.ok(crashes > 0 && parts > 0, 'what is to be tried did not happen');
  for (const state of ['fill_success', 'cancelled']) assert.ok((states.get(state) ?? 0) > 30, state);
});
