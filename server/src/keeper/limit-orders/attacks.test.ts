import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  encodeLimitOrder,
  flashFillOrder,
  initializeOrder,
  LIMIT_ORDER_PROGRAM,
  limitOrderAddress,
  limitOrderReserve,
  preFlashFillOrder,
} from '@slipway/programs';
import { type Address, decodeTransaction, rentExemptLamports, tokenTransferChecked } from '@slipway/wire';
import { createChain } from '../../chain/index.js';
import { steadyNow } from '../../lib/clock.js';
import { newAddress, type TestPool } from '../../routing/aggregator/testing.js';
import { writeEndingCurve } from '../../routing/aggregator/venues/testing/ending-curve.js';
import { isRefused, type Quote, type Router, type SwapParties, type Token } from '../../routing/router.js';
import { type KeeperWorld, openKeeperWorld, type TestOrder } from './testing.js';

type Build = Quote['build'];

let w: KeeperWorld;
let a: Token;
let b: Token;
let pool: TestPool;
before(async () => {
  w = await openKeeperWorld();
});
after(() => w?.close());
beforeEach(async () => {
  [a, b, pool] = await w.pair([MILLION, MILLION]);
  for (const token of [a, b]) await w.holding(token, w.taker, 77n);
});
afterEach(() => w.reset());

const MILLION = 10n ** 15n;
const MAKING = 1_000_000_000n;
const FEE = 5_000n;

const lamports = () => w.world.lamports(w.taker);
const isOpen = async (order: TestOrder) => (await w.stateOf(order)) !== undefined;

/** The aggregator, which tells of each question. */
const asks = (tell: () => void): Router => ({
  ...w.aggregator,
  quote(request, signal) {
    tell();
    return w.aggregator.quote(request, signal);
  },
});

test('attack: a stranger on the chain fills an order by its smallest unit before each fill of the keeper: 10 fees, and the other orders of the maker are filled', async () => {
  const [victim, stranger] = [await w.open(a, b, 900_000_000n), await w.world.wallet()];
  const { maker, terms, address, feeAccount } = victim;
  const [own, paid] = [await w.holding(a, stranger.address), await w.holding(b, stranger.address, MAKING)];
  let parts = 0n;
  /** Never the same transaction again. */
  async function takePart(): Promise<void> {
    parts += 1n;
    const inputMintReserve = limitOrderReserve(address, a.mint, a.tokenProgram);
    const order = { taker: stranger.address, order: address, inputMintReserve, inputTokenProgram: a.tokenProgram };
    const loan = preFlashFillOrder({ ...order, takerInputMintAccount: own, inputMint: a.mint, makingAmount: parts });
    const payment = flashFillOrder({
      ...order,
      maker: maker.address,
      makerOutputMintAccount: victim.output,
      takerOutputMintAccount: paid,
      feeAccount,
      outputMint: b.mint,
      outputTokenProgram: b.tokenProgram,
      maxTakingAmount: 1_000n,
    });
    assert.equal(await w.world.run([stranger], [loan, payment]), null);
  }
  const rpc: typeof w.world.rpc = {
    ...w.world.rpc,
    async call<T>(method: string, params: unknown[]) {
      if (method === 'sendTransaction') await takePart();
      return w.world.rpc.call<T>(method, params);
    },
  };
  const before = await lamports();
  const keeper = w.newKeeper({ landing: w.newLanding({ sendRpcs: [rpc] }) });
  for (let tries = 0; tries < 12; tries++) await keeper.runDue();
  assert.equal(parts, 10n);
  assert.equal(before - (await lamports()), 10n * FEE);
  const source = await w.holding(a, maker.address, MAKING);
  const other = { ...terms, uniqueId: 1_000_000n, makerInputMintAccount: source };
  assert.equal(await w.world.run([maker], [initializeOrder(other)]), null);
  await w.newKeeper().runDue();
  const { address: second } = limitOrderAddress(maker.address, other.uniqueId);
  assert.equal(await w.chain.account(second), undefined);
  assert.equal(await isOpen(victim), true);
});

test('attack: a stranger on the chain fills ten orders of a maker whole before each fill of the keeper: 10 fees, and the eleventh is filled', async () => {
  const [first, stranger] = [await w.open(a, b, 900_000_000n), await w.world.wallet()];
  const { maker, terms, feeAccount } = first;
  const openAnother = async (uniqueId: bigint) => {
    const makerInputMintAccount = await w.holding(a, maker.address, MAKING);
    assert.equal(await w.world.run([maker], [initializeOrder({ ...terms, uniqueId, makerInputMintAccount })]), null);
    return limitOrderAddress(maker.address, uniqueId).address;
  };
  const untaken = new Set([first.address]);
  for (let more = 1n; more < 10n; more++) untaken.add(await openAnother(1_000_000n + more));
  const [own, paid] = [await w.holding(a, stranger.address), await w.holding(b, stranger.address, 20n * MAKING)];
  async function takeWhole(address: Address): Promise<void> {
    const inputMintReserve = limitOrderReserve(address, a.mint, a.tokenProgram);
    const order = { taker: stranger.address, order: address, inputMintReserve, inputTokenProgram: a.tokenProgram };
    const loan = preFlashFillOrder({ ...order, takerInputMintAccount: own, inputMint: a.mint, makingAmount: MAKING });
    const payment = flashFillOrder({
      ...order,
      maker: maker.address,
      makerOutputMintAccount: first.output,
      takerOutputMintAccount: paid,
      feeAccount,
      outputMint: b.mint,
      outputTokenProgram: b.tokenProgram,
      maxTakingAmount: MAKING,
    });
    assert.equal(await w.world.run([stranger], [loan, payment]), null);
  }
  const rpc: typeof w.world.rpc = {
    ...w.world.rpc,
    async call<T>(method: string, params: unknown[]) {
      if (method === 'sendTransaction') {
        const { accounts } = decodeTransaction(Buffer.from(params[0] as string, 'base64')).decoded;
        const target = accounts.find((account) => untaken.delete(account));
        if (target) await takeWhole(target);
      }
      return w.world.rpc.call<T>(method, params);
    },
  };
  const before = await lamports();
  const keeper = w.newKeeper({ landing: w.newLanding({ sendRpcs: [rpc] }) });
  for (let tries = 0; tries < 10; tries++) await keeper.runDue();
  assert.equal(untaken.size, 0);
  assert.equal(before - (await lamports()), 10n * FEE);
  const eleventh = await openAnother(2_000_000n);
  await w.newKeeper().runDue();
  assert.equal(await w.chain.account(eleventh), undefined);
});

test('attack: somebody who moves pools moves that of an order by a hair, or until nothing comes out of it, before each fill of the keeper: 10 fees, and the other orders of the maker are filled', async () => {
  const [c, d, shallow] = await w.pair([MILLION / 1_000n, MILLION / 1_000n]);
  for (const token of [c, d]) await w.holding(token, w.taker, 77n);
  const victim = await w.open(c, d, 995_000_000n);
  let moves = 0;
  const rpc: typeof w.world.rpc = {
    ...w.world.rpc,
    async call<T>(method: string, params: unknown[]) {
      if (method === 'sendTransaction') {
        moves += 1;
        const byAHair: [bigint, bigint] = [MILLION / 1_000n + 600_000_000n, MILLION / 1_000n - 600_000_000n];
        await w.world.setReserves(shallow, moves % 2 === 0 ? byAHair : [MILLION, 1n]);
      }
      return w.world.rpc.call<T>(method, params);
    },
  };
  const before = await lamports();
  const landing = w.newLanding({ sendRpcs: [rpc] });
  for (let tries = 0; tries < 12; tries++) {
    await w.moveTo(shallow, [MILLION / 1_000n, MILLION / 1_000n]);
    await w.newKeeper({ landing }).runDue();
  }
  assert.deepEqual([moves, before - (await lamports())], [10, 10n * FEE]);
  const { maker, terms } = victim;
  const counted = `select wallet from ledger where state = 'failed' and wallet in ($1, $2)`;
  const { rows } = await w.store.single((tx) => tx.query<{ wallet: string }>(counted, [maker.address, victim.address]));
  assert.deepEqual(new Set(rows.map(({ wallet }) => wallet)), new Set([victim.address]));
  const source = await w.holding(a, maker.address, MAKING);
  await w.holding(b, maker.address);
  const other = { ...terms, uniqueId: 1_000_000n, makerInputMintAccount: source, takingAmount: 900_000_000n };
  const mints = { inputMint: a.mint, outputMint: b.mint };
  assert.equal(await w.world.run([maker], [initializeOrder({ ...other, ...mints })]), null);
  await w.newKeeper().runDue();
  const { address: second } = limitOrderAddress(maker.address, other.uniqueId);
  assert.equal(await w.chain.account(second), undefined);
  assert.equal(await isOpen(victim), true);
});

test('attack: a stranger on the chain opens ever more orders that seem to pay and cannot be filled: 8 are tried before what is due by then', async () => {
  const victim = await w.open(a, b, 1_100_000_000n);
  const state = (await w.stateOf(victim))!;
  // His token account is somebody else's, so that the program takes no payment for him.
  const stranger = newAddress();
  const shut = w.ata(stranger, b);
  await w.world.holding(b, newAddress(), 0n, shut);
  const bad = { ...state, maker: stranger, takingAmount: 1n, oriTakingAmount: 1n, createdAt: state.createdAt + 1n };
  for (let i = 0; i < 40; i++) await w.world.put(newAddress(), LIMIT_ORDER_PROGRAM, encodeLimitOrder(bad));
  let tried = 0;
  const account: typeof w.chain.account = async (address) => {
    // The victim's price comes when the keeper has begun with them.
    if (address === shut && tried++ === 0) await w.moveTo(pool, [MILLION, 2n * MILLION]);
    return w.chain.account(address);
  };
  let triedBefore: number | undefined;
  const landing = w.newLanding();
  const execute: typeof landing.execute = (...args) => {
    triedBefore = tried;
    return landing.execute(...args);
  };
  const changes = { chain: { ...w.chain, account }, landing: { execute }, steadyNow: () => 1_000_000 };
  await w.newKeeper(changes).runDue();
  assert.equal(await isOpen(victim), false);
  assert.equal(triedBefore, 8);
  assert.equal(tried, 40, 'each of them is tried, too');
});

test('attack: a stranger on the chain opens ever more new orders that cannot be filled: what was tried before them has its turn first', async () => {
  const victim = await w.open(a, b, 900_000_000n);
  const state = (await w.stateOf(victim))!;
  const stranger = newAddress();
  await w.world.holding(b, newAddress(), 0n, w.ata(stranger, b));
  const bad = { ...state, maker: stranger, takingAmount: 1n, oriTakingAmount: 1n, createdAt: state.createdAt + 1n };
  let [now, refuses, turns] = [1_000_000, true, 0];
  const router: Router = {
    ...w.aggregator,
    quote: async (request, signal) =>
      request.owner && refuses ? { refused: 'no-route', reason: 'test' } : w.aggregator.quote(request, signal),
  };
  const keeper = w.newKeeper({ router, steadyNow: () => now });
  assert.equal(await keeper.tick(), 0, 'the market has moved meanwhile');
  refuses = false;
  let begun = 0;
  while (begun === 0 && turns < 4) {
    turns++;
    now += 2_000;
    for (let i = 0; i < 10; i++) await w.world.put(newAddress(), LIMIT_ORDER_PROGRAM, encodeLimitOrder(bad));
    begun = await keeper.tick();
  }
  assert.deepEqual({ begun, turns }, { begun: 1, turns: 1 });
});

test('attack: a stranger on the chain keeps orders that cannot be filled in every turn: others are looked at, whatever stands before them', async () => {
  const victim = await w.open(a, b, 1_100_000_000n);
  const state = (await w.stateOf(victim))!;
  const put = (changes: Partial<typeof state>) =>
    w.world.put(newAddress(), LIMIT_ORDER_PROGRAM, encodeLimitOrder({ ...state, ...changes }));
  // What is open for a price far away, as most orders are.
  const far = { takingAmount: 10n ** 12n, oriTakingAmount: 10n ** 12n, createdAt: state.createdAt - 1n };
  for (let i = 0; i < 12; i++) await put(far);
  const stranger = newAddress();
  await w.world.holding(b, newAddress(), 0n, w.ata(stranger, b));
  for (let i = 0; i < 24; i++) await put({ maker: stranger, takingAmount: 1n, oriTakingAmount: 1n });
  let now = 1_000_000;
  const keeper = w.newKeeper({ steadyNow: () => now });
  for (let rests = 0; rests < 4; rests++, now += 120_000) {
    for (let turns = 0; turns < 4; turns++) assert.equal(await keeper.tick(), 0);
  }
  await w.moveTo(pool, [MILLION, 2n * MILLION]);
  assert.equal(await keeper.tick(), 1);
  while (await isOpen(victim)) await new Promise((resolve) => setTimeout(resolve, 20));
});

test('attack: a stranger on the chain opens ever more orders of which the smallest part pays but for its cost: one question each, and eight for all', async () => {
  const [making, paid] = [10_000_000n, 9_969_999n];
  const near = await w.open(a, b, paid - 700n, { makingAmount: making, feeBps: 0 });
  const state = (await w.stateOf(near))!;
  for (let i = 1n; i < 10n; i++) {
    const other = { ...state, makingAmount: making - i };
    await w.world.put(newAddress(), LIMIT_ORDER_PROGRAM, encodeLimitOrder(other));
  }
  let [now, asked] = [1_000_000, 0];
  const router = asks(() => asked++);
  const keeper = w.newKeeper({ router, steadyNow: () => now });
  const counts: number[] = [];
  for (const ms of [0, 500, 500, 1_000]) {
    now += ms;
    asked = 0;
    assert.equal(await keeper.tick(), 0);
    counts.push(asked);
  }
  // And one for all of them, of what the market gives at best.
  assert.deepEqual(counts, [19, 1, 9, 1]);
  // What the whole order is paid for is seen at once.
  await w.moveTo(pool, [MILLION, 2n * MILLION]);
  let begun = 0;
  for (let turns = 0; begun === 0 && turns < 3; turns++) begun = await keeper.tick();
  assert.equal(begun, 1);
  while (await isOpen(near)) await new Promise((resolve) => setTimeout(resolve, 20));
});

test('attack: a stranger on the chain opens ever more orders for a price far away, or of next to nothing: a few questions to the market for all of a size', async () => {
  const victim = await w.open(a, b, 1_100_000_000n);
  const state = (await w.stateOf(victim))!;
  const far = { ...state, takingAmount: 10n ** 12n, oriTakingAmount: 10n ** 12n };
  for (let i = 0n; i < 40n; i++) {
    const makingAmount = i < 20n ? MAKING - i : 500n - i;
    await w.world.put(newAddress(), LIMIT_ORDER_PROGRAM, encodeLimitOrder({ ...far, makingAmount }));
  }
  let asked = 0;
  const router = asks(() => asked++);
  const keeper = w.newKeeper({ router, steadyNow: () => 1_000_000 });
  assert.equal(await keeper.tick(), 0);
  assert.equal(asked, 5);
  await w.moveTo(pool, [MILLION, 2n * MILLION]);
  assert.equal(await keeper.tick(), 1, 'the next turn asks anew');
  while (await isOpen(victim)) await new Promise((resolve) => setTimeout(resolve, 20));
});

test('attack: a stranger on the chain opens ever more orders that nearly pay, of too few units to have a price, or that no pool takes: not a question each at every turn', async () => {
  const own = await w.world.token({ decimals: 0 });
  await w.world.pool(own, b, [1_000n, 1_000n * 1_000_000n]);
  await w.aggregator.discover();
  const victim = await w.open(a, b, 1_100_000_000n);
  const state = (await w.stateOf(victim))!;
  const put = (makingAmount: bigint, takingAmount: bigint, inputMint = state.inputMint) => {
    const terms = { makingAmount, oriMakingAmount: makingAmount, takingAmount, oriTakingAmount: takingAmount };
    return w.world.put(newAddress(), LIMIT_ORDER_PROGRAM, encodeLimitOrder({ ...state, ...terms, inputMint }));
  };
  // The first ask for 1 % more than the pool gives.
  for (let i = 0n; i < 10n; i++) await put(MAKING - i, (MAKING * 1_009n) / 1_000n);
  for (let i = 0n; i < 10n; i++) await put(70n + i, 10n ** 12n, own.mint);
  for (let i = 0n; i < 10n; i++) await put(2n ** 63n + i, 1n, own.mint);
  let [now, asked] = [1_000_000, 0];
  const router = asks(() => asked++);
  const keeper = w.newKeeper({ router, steadyNow: () => now });
  const counts: number[] = [];
  for (const ms of [0, 2_000, 2_000]) {
    now += ms;
    asked = 0;
    await keeper.tick();
    counts.push(asked);
  }
  assert.deepEqual(counts, [20, 10, 10]);
  await w.moveTo(pool, [MILLION, 2n * MILLION]);
  let begun = 0;
  for (let turns = 0; begun === 0 && turns < 6; turns++) begun = await keeper.tick();
  assert.equal(begun, 1, 'what pays now is seen at once');
  while (await isOpen(victim)) await new Promise((resolve) => setTimeout(resolve, 20));
});

test('attack: a stranger on the chain opens orders for ever more tokens: their mints are read together, a hundred with one call', async () => {
  const state = (await w.stateOf(await w.open(a, b, 1_100_000_000n)))!;
  for (let i = 0; i < 98; i++) {
    const { mint: inputMint } = await w.world.token();
    await w.world.put(newAddress(), LIMIT_ORDER_PROGRAM, encodeLimitOrder({ ...state, inputMint }));
  }
  let calls = 0;
  const rpc: typeof w.world.rpc = {
    ...w.world.rpc,
    call<T>(method: string, params: unknown[]) {
      if (method === 'getMultipleAccounts') calls++;
      return w.world.rpc.call<T>(method, params);
    },
  };
  const chain = createChain({ rpc, steadyNow, fees: { percentile: 50, maxMicroLamports: 1_000_000n } });
  assert.equal(await w.newKeeper({ chain }).tick(), 0);
  assert.equal(calls, 1);
});

test('attack: a stranger on the chain opens ever more orders: from 10,000 on their list is read less often, also after fills', async () => {
  const order = await w.open(a, b, 900_000_000n);
  const account = { lamports: 1, owner: LIMIT_ORDER_PROGRAM, executable: false, data: ['', 'base64'] };
  const others = Array.from({ length: 14_999 }, (_, i) => ({ pubkey: `${i}`, account }));
  let lists = 0;
  const rpc: typeof w.world.rpc = {
    ...w.world.rpc,
    async call<T>(method: string, params: unknown[]) {
      const answer = await w.world.rpc.call<T>(method, params);
      if (method !== 'getProgramAccounts') return answer;
      lists++;
      const { context, value } = answer as { context: object; value: object[] };
      return { context, value: [...value, ...others] } as T;
    },
  };
  const chain = createChain({ rpc, steadyNow, fees: { percentile: 50, maxMicroLamports: 1_000_000n } });
  let now = 1_000_000;
  const keeper = w.newKeeper({ chain, steadyNow: () => now });
  await keeper.runDue();
  assert.equal(await isOpen(order), false);
  for (const [ms, read] of [
    [2_999, 1],
    [1, 2],
  ] as const) {
    now += ms;
    await keeper.tick();
    assert.equal(lists, read);
  }
});

test('attack: a router builds the keeper something else than a fill: signed is only what takes the loan and gives the price', async () => {
  const order = await w.open(a, b, 990_000_000n);
  const thief = await w.world.holding(b, newAddress());
  const transfer = { authority: w.taker, destination: thief, amount: 1n, ...b };
  const builds: ((build: Build, parties: SwapParties) => ReturnType<Build>)[] = [
    (build, parties) => build({ ...parties, minOut: parties.minOut - 1n }),
    (build, parties) => build({ ...parties, destination: thief }),
    (build, parties) => build({ ...parties, source: thief }),
    async (build, parties) => {
      const built = await build(parties);
      if (isRefused(built)) return built;
      const theft = tokenTransferChecked({ ...transfer, source: parties.destination! });
      return { ...built, instructions: [...built.instructions, theft] };
    },
    async (build, parties) => {
      const built = await build(parties);
      return isRefused(built) ? built : { ...built, instructions: [...built.instructions, ...built.instructions] };
    },
  ];
  const [before, tokens] = [await lamports(), await w.world.amount(w.ata(w.taker, b))];
  for (const each of builds) {
    const router: Router = {
      ...w.aggregator,
      async quote(request, signal) {
        const quote = await w.aggregator.quote(request, signal);
        return isRefused(quote) ? quote : { ...quote, build: (parties) => each(quote.build, parties) };
      },
    };
    await w.newKeeper({ router }).runDue();
    assert.equal(await isOpen(order), true);
  }
  assert.deepEqual([await lamports(), await w.world.amount(w.ata(w.taker, b))], [before, tokens]);
  await w.newKeeper().runDue();
  assert.equal(await isOpen(order), false);
});

test('attack: a stranger on the chain has parts of his orders filled in turn, through a pool that others need: each of these has its turn', async () => {
  const reserves: [bigint, bigint] = [10n ** 10n, 10n ** 10n];
  const his: { order: TestOrder; pool: TestPool }[] = [];
  for (let i = 0; i < 2; i++) {
    const [token, , own] = await w.pair(reserves, [undefined, b]);
    await w.holding(token, w.taker, 77n);
    his.push({ order: await w.open(token, b, 47_500_000_000n, { makingAmount: 50_000_000_000n }), pool: own });
  }
  const victims = [await w.open(a, b, 900_000_000n), await w.open(a, b, 900_000_000n)];
  const orders = [...his.map(({ order }) => order), ...victims];
  // As if every route led through one more pool; the victims' are refused at first, as if their price went away each time.
  const shared = newAddress();
  let refuses = true;
  const router: Router = {
    ...w.aggregator,
    async quote(request, signal) {
      if (refuses && request.owner && request.input.mint === a.mint) return { refused: 'no-route', reason: 'test' };
      const quote = await w.aggregator.quote(request, signal);
      return isRefused(quote) ? quote : { ...quote, hops: [...quote.hops, { ...quote.hops[0]!, venue: shared }] };
    },
  };
  let now = 1_000_000;
  // What is sent lands between two turns.
  let letGo = () => {};
  const landing = w.newLanding();
  const execute: typeof landing.execute = async (...args) => {
    await new Promise<void>((resolve) => {
      letGo = resolve;
    });
    return landing.execute(...args);
  };
  const keeper = w.newKeeper({ router, steadyNow: () => now, landing: { execute } });
  let before: TestPool | undefined;
  for (let turn = 0; turn < 12; turn++, now += 20_000) {
    refuses = turn < 4;
    assert.equal(await keeper.tick(), 1, 'one at a time trades with a pool');
    const sent = orders.findIndex(({ address }) => keeper.isUnderWay(address));
    for (; keeper.isUnderWay(orders[sent]!.address); letGo()) await new Promise((resolve) => setTimeout(resolve, 20));
    // He puts the pool back through which his order before this one went.
    if (before) await w.moveTo(before, reserves);
    before = his[sent]?.pool;
    if (before) await w.moveTo(before, [2n * reserves[0], reserves[1] / 2n]);
  }
  assert.deepEqual(await Promise.all(victims.map(isOpen)), [false, false]);
});

test('attack: a stranger on the chain sends SOL to the addresses of the token accounts that a fill makes: it makes them all the same', async () => {
  const [c, d] = await w.pair([MILLION, MILLION]);
  const order = await w.open(c, d, 900_000_000n);
  const own = [w.ata(w.taker, c), w.ata(w.taker, d)];
  for (const account of [order.output, order.feeAccount]) await w.world.remove(account);
  for (const account of [...own, order.output, order.feeAccount])
    await w.world.rpc.call('requestAirdrop', [account, Number(rentExemptLamports(0))]);
  await w.newKeeper().runDue();
  assert.equal(await isOpen(order), false);
  assert.equal(await w.world.amount(order.output), 900_000_000n);
  assert.equal(await w.world.amount(order.feeAccount), 900_000n);
});

test('attack: a wallet closes the account that it is paid to after each part of its order, for its rent: it is made once in an hour, and others are filled', async () => {
  const reserves: [bigint, bigint] = [10n ** 12n, 10n ** 12n];
  const [token, , own] = await w.pair(reserves, [undefined, b]);
  await w.holding(token, w.taker, 77n);
  const order = await w.open(token, b, 990_000_000_000n, { makingAmount: 10n ** 12n });
  let now = 1_000_000;
  const keeper = w.newKeeper({ steadyNow: () => now });
  const before = await lamports();
  const part = async () => {
    await w.moveTo(own, reserves);
    await w.world.remove(order.output);
    const { makingAmount } = (await w.stateOf(order))!;
    await keeper.tick();
    while (keeper.isUnderWay(order.address)) await sleep(20);
    now += 120_000;
    return (await w.stateOf(order))!.makingAmount < makingAmount;
  };
  assert.equal(await part(), true);
  for (let parts = 0; parts < 3; parts++) assert.equal(await part(), false);
  assert.equal(before - (await lamports()), FEE + rentExemptLamports(165));
  const other = await w.open(a, b, 900_000_000n);
  await w.world.remove(other.output);
  await keeper.runDue();
  assert.equal(await isOpen(other), false);
  now += 3_600_000;
  assert.equal(await part(), true);
});

test('attack: a wallet of ever other names closes the accounts that it is paid to, for their rent: 50 are made in an hour, and who has one is filled', async () => {
  let now = 1_000_000;
  const keeper = w.newKeeper({ steadyNow: () => now });
  const fill = async ({ lacks }: { lacks: boolean }) => {
    const order = await w.open(a, b, 900_000_000n);
    if (lacks) await w.world.remove(order.output);
    await keeper.runDue();
    return !(await isOpen(order));
  };
  for (let made = 0; made < 50; made++) assert.equal(await fill({ lacks: true }), true, `${made}`);
  assert.deepEqual([await fill({ lacks: true }), await fill({ lacks: false })], [false, true]);
  now += 3_600_001;
  assert.equal(await fill({ lacks: true }), true);
});

test('attack: a stranger on the chain buys a curve until it takes only a part of an order, and gives enough for all of it: the keeper sells that part, and keeps nothing of the rest', async () => {
  const bought = await w.world.token();
  w.usd.set(bought.mint, 1);
  await w.holding(bought, w.taker, 77n);
  const curve = await writeEndingCurve(w.world, bought, a, (MAKING * 85n) / 100n);
  await w.aggregator.discover();
  const [held, counted] = [await w.world.amount(curve.vault), await curve.counted()];
  const order = await w.open(a, bought, 700_000_000n);
  await w.newKeeper().runDue();
  const sold = MAKING - (await w.stateOf(order))!.makingAmount;
  assert.ok(sold > (MAKING * 80n) / 100n && sold < (MAKING * 86n) / 100n, `${sold}`);
  assert.equal(await w.world.amount(w.ata(w.taker, a)), 77n);
  assert.equal((await w.world.amount(curve.vault)) - held, sold);
  assert.ok((await curve.counted()) - counted > (sold * 98n) / 100n);
});
