import assert from 'node:assert/strict';
import { after, afterEach, before, it } from 'node:test';
import type { Address, Keypair } from '@slipway/wire';
import { createClient } from '../../areas/trigger-v2/testing.js';
import type { Rpc } from '../../chain/index.js';
import { Outage } from '../../errors/index.js';
import { steadyNow } from '../../lib/clock.js';
import { tableOf } from '../../routing/aggregator/testing.js';
import { guardKeys, LossLimits, SANDBOX_PROGRAMS, SignerHolds } from '../../signer/index.js';
import { AMOUNT, openTriggerWorld } from './testing.js';

const DEEP = 10n ** 14n;
const SOL = 1_000_000_000n;

const tables: Address[] = [];
let w: Awaited<ReturnType<typeof openTriggerWorld>>;
before(async () => {
  w = await openTriggerWorld(tables);
});
after(() => w?.close());
afterEach(() => {
  tables.length = 0;
});

/** The signer of the world, within these limits. */
function signerWith(limits: Pick<LossLimits, 'take'>): typeof w.signer {
  const { publicKey, sign } = w.signer;
  const { cosign } = guardKeys({ publicKey, sign }, { programs: SANDBOX_PROGRAMS, clock: w.clock, limits });
  return { ...w.signer, cosign };
}

it('attack: a stranger on the chain has used up what the keeper may sign for besides trigger orders: a stop-loss is filled all the same', async () => {
  const limit = { hour: 2n * SOL, day: 10n * SOL };
  const limits = await LossLimits.open({
    limits: { gas: limit, keeper: limit },
    clock: { now: steadyNow },
    nearing: () => {},
  });
  await limits.take(new Uint8Array([1]), [{ payer: 'keeper', lamports: SOL }]);
  await assert.rejects(limits.take(new Uint8Array([2]), [{ payer: 'keeper', lamports: 5_000n }]), /within the hour/);
  const { id } = await w.deposit(w.newClient());
  const keeper = await w.newKeeper({ landing: w.newLanding([w.world.rpc], { signer: signerWith(limits) }) });
  await keeper.runDue();
  assert.equal((await w.rowOf(id)).progress.state, 'fill_success');
});

it('an order for which the signer signs nothing now is tried again within a minute, however long that lasts', async () => {
  const outages = [new SignerHolds('keeper', 'a limit is reached'), new Outage('SIGNER_UNAVAILABLE', 'it is away')];
  let asked = 0;
  const signer: typeof w.signer = { ...w.signer, cosign: () => Promise.reject(outages[asked++ % outages.length]) };
  const { id } = await w.deposit(w.newClient());
  const keeper = await w.newKeeper({ landing: w.newLanding([w.world.rpc], { signer }) });
  for (let tries = 1; tries <= 9; tries++) {
    await keeper.runDue();
    const rest = (await w.rowOf(id)).retryAt!.getTime() - w.clock.now();
    assert.ok(asked === tries && rest > 0 && rest <= 60_000, `after ${asked} tries it rests for ${rest} ms`);
    w.clock.setOffset(w.clock.offsetMs + 60_000);
    for (const { mint } of [w.sold, w.bought]) w.setPrice(mint, 1);
  }
});

it('attack: a wallet has its order fail between two pools, for which the keeper lends a rent each time: the signer counts the fee, which is lost, and no rent, which never is', async () => {
  const { sold, bought, pool, aggregator, world: chain } = w;
  for (const account of [pool.address, ...pool.vaults]) await chain.remove(account);
  const between = await chain.token();
  const pools = [await chain.pool(sold, between, [DEEP, DEEP]), await chain.pool(between, bought, [DEEP, DEEP])];
  tables.push(await chain.lookupTable(tableOf(pools)));
  await aggregator.discover();
  await aggregator.exchangeTables();
  const counted: bigint[] = [];
  const limits: Pick<LossLimits, 'take'> = {
    async take(_, losses) {
      counted.push(losses.reduce((sum, { lamports }) => sum + lamports, 0n));
    },
  };
  const moved: Rpc = {
    ...chain.rpc,
    async call<T>(method: string, params: unknown[]): Promise<T> {
      if (method === 'sendTransaction') await chain.setReserves(pools[1]!, [DEEP, DEEP / 2n]);
      return chain.rpc.call<T>(method, params);
    },
  };
  const { id } = await w.deposit(w.newClient(), { slippageBps: 1_000 });
  const keeper = await w.newKeeper({ landing: w.newLanding([moved], { signer: signerWith(limits) }) });
  const before = await chain.lamports(w.payer);
  for (let tries = 0; tries < 3; tries++) {
    await chain.setReserves(pools[1]!, [DEEP, DEEP]);
    await w.live.refresh(pools[1]!.vaults);
    await keeper.runDue();
    w.clock.setOffset(w.clock.offsetMs + 61_000);
  }
  assert.notEqual((await w.rowOf(id)).progress.state, 'fill_success');
  assert.deepEqual(counted, [10_000n, 10_000n, 10_000n]);
  assert.equal(before - (await chain.lamports(w.payer)), 30_000n);
});

it('attack: a wallet has ever more orders filled that make its account for the output, which it has closed: the signer counts each rent, and beyond 0.2 SOL an hour none is signed; whose fill makes none is filled', async () => {
  const counted: bigint[] = [];
  const limits: Pick<LossLimits, 'take'> = {
    async take(_, losses) {
      counted.push(losses.reduce((sum, { lamports }) => sum + lamports, 0n));
    },
  };
  const direct = await w.world.pool(w.sold, w.bought, [DEEP, DEEP]);
  await w.aggregator.discover();
  await w.live.refresh(direct.vaults);
  await w.store.query('delete from ledger');
  const client = w.newClient();
  const landing = w.newLanding([w.world.rpc], { signer: signerWith(limits) });
  const keeper = await w.newKeeper({ landing });
  const openClosed = async () => {
    const { wallet, id } = await w.deposit(client, { expiresAt: w.clock.now() + 2 * 3_600_000 });
    await w.world.remove(w.accountOf(wallet.address));
    return id;
  };
  const first = await openClosed();
  await keeper.runDue();
  assert.equal((await w.rowOf(first)).progress.state, 'fill_success');
  const [rent] = (await w.store.query<{ rents: bigint }>(`select rents from ledger where rents > 0`)).rows;
  const making = () => counted.filter((each) => each > SOL / 1_000n);
  assert.deepEqual(making(), [BigInt(rent!.rents) + 10_000n], 'the bound goes by what the signer counts');
  // As after 97 of other wallets.
  await w.store.query(`update ledger set rents = 199000000, wallet = id where rents > 0`);
  const next = await openClosed();
  await keeper.runDue();
  assert.equal((await w.rowOf(next)).progress.state, 'open');
  const { id: honest } = await w.deposit(client);
  await keeper.runDue();
  assert.equal((await w.rowOf(honest)).progress.state, 'fill_success');
  assert.equal(making().length, 1);
  w.clock.setOffset(w.clock.offsetMs + 3_601_000);
  await (await w.newKeeper({ landing })).runDue();
  assert.equal((await w.rowOf(next)).progress.state, 'fill_success');
});

/** A client over a signer that counts the seals it makes, and does not sign deposits while `isStopped`. */
function clientThatCounts() {
  const counts = { seals: 0, isStopped: false };
  const signer: typeof w.signer = {
    ...w.signer,
    sealOrder(request) {
      counts.seals++;
      return w.signer.sealOrder(request);
    },
    cosign: (request) =>
      counts.isStopped
        ? Promise.reject(new SignerHolds('vault', 'its operator has stopped all'))
        : w.signer.cosign(request),
  };
  const client = createClient({ ...w, signer, landing: w.newLanding([w.world.rpc], { signer }), prices: w.priced });
  const trigger = { triggerMint: w.sold.mint, triggerCondition: 'above', triggerPriceUsd: 9 } as const;
  const terms = { inputMint: w.sold.mint, outputMint: w.bought.mint, orderType: 'single', ...trigger } as const;
  return { counts, client, open: (wallet: Keypair) => client.open(wallet, AMOUNT, terms) };
}

it('attack: a free key posts deposits of a wallet that holds nothing: none of these orders is sealed, so that they leave nothing in the record of the signer', async () => {
  const { counts, client, open } = clientThatCounts();
  const wallet = await client.register();
  for (let i = 0; i < 3; i++) await assert.rejects(open(wallet), /too little of inputMint/);
  assert.equal(counts.seals, 0);
  await w.fund(wallet.address, w.sold, AMOUNT);
  const id = await open(wallet);
  assert.equal(counts.seals, 1);
  assert.ok(await w.newLanding().vouchesForOrder(await w.rowOf(id)));
});

it('attack: a free key posts deposits while the signer’s operator has stopped it: none of these orders is sealed either', async () => {
  const { counts, client, open } = clientThatCounts();
  const wallet = await client.register();
  await w.fund(wallet.address, w.sold, AMOUNT);
  counts.isStopped = true;
  for (let i = 0; i < 3; i++) await assert.rejects(open(wallet), SignerHolds);
  assert.equal(counts.seals, 0);
});
