import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLocalnet } from '@slipway/localnet';
import { decodeTransaction, generateKeypair, type Keypair, sign, systemTransfer, withSignature } from '@slipway/wire';
import { pino } from 'pino';
import { createChain, createLocalRpc, type Rpc } from '../chain/index.js';
import { craftTransaction } from '../crafting/transaction.js';
import { createClock } from '../lib/clock.js';
import { PATIENCE_MS } from '../lib/testing.js';
import { testSigner } from '../sandbox/maker/testing.js';
import { insertCrafted, type LedgerRow } from '../store/ledger.js';
import { openAnyStore } from '../store/testing.js';
import { Landing, rememberOwn } from './index.js';

const FEES = { percentile: 50, maxMicroLamports: 0n };
const LAMPORTS = 1_000_000_000n;
const FEE = 5_000n;

/** The sandbox's chain, whose calls are counted, landing with a time of its own, and what it has brought to an end. */
async function openWorld() {
  const net = await startLocalnet({ rpcPort: 0 });
  const calls = new Map<string, number>();
  // What is sent waits at the node for the others, which were all tried out before.
  let arrival = Promise.resolve();
  /** Whether the node loses what is sent, and what it says of what it tries out, if not what is so. */
  const node = { drops: false, says: undefined as unknown };
  const inner = createLocalRpc((method, params) => net.call(method, params));
  const rpc: Rpc = {
    name: 'counting',
    async call<T>(method: string, params: unknown[]): Promise<T> {
      calls.set(method, (calls.get(method) ?? 0) + 1);
      if (method === 'sendTransaction') await arrival;
      if (method === 'sendTransaction' && node.drops) return '' as T;
      if (method === 'simulateTransaction' && node.says) return node.says as T;
      return inner.call<T>(method, params);
    },
  };
  let now = 0;
  const steadyNow = () => now;
  const [store, clock] = [await openAnyStore(), createClock()];
  const chain = createChain({ rpc, steadyNow, fees: FEES });
  const ended: LedgerRow[] = [];
  const landing = new Landing({
    store,
    clock,
    steadyNow,
    chain,
    sendRpcs: [rpc],
    signer: testSigner(),
    settlements: { ours: { isOurs: true } },
    observe: (row) => ended.push(row),
    log: pino({ level: 'silent' }),
  });
  const calledFor = (method: string) => calls.get(method) ?? 0;
  const until = async (isSo: () => boolean, what: string) => {
    for (let waited = 0; !isSo(); waited += 20) {
      assert.ok(waited < PATIENCE_MS, what);
      await sleep(20);
    }
  };
  const newTransfer = async (area: string, wallet: Keypair) => {
    const { blockhash, lastValidBlockHeight } = await chain.latestBlockhash();
    const to = generateKeypair().address;
    const instructions = [systemTransfer({ from: wallet.address, to, lamports: LAMPORTS - FEE })];
    const budget = { computeUnitLimit: 1_000, computeUnitPrice: 0n };
    const crafted = craftTransaction({ feePayer: wallet.address, instructions, blockhash, budget });
    const own = { area, wallet: wallet.address, crafted, lastValidBlockHeight, cosigners: [], payload: {} };
    const row = await rememberOwn((each) => store.single((tx) => insertCrafted(tx, [each])), own, clock);
    const transaction = decodeTransaction(crafted.wire);
    return { row, signed: withSignature(transaction, wallet.address, sign(wallet, transaction.message)) };
  };
  const newWallet = async () => {
    const wallet = generateKeypair();
    await inner.call('requestAirdrop', [wallet.address, Number(LAMPORTS)]);
    return wallet;
  };
  return {
    calls: calledFor,
    node,
    ended,
    until,
    landing,
    /** Lets this much time pass for landing, and waits until it has looked at what is under way. */
    async pass(milliseconds: number) {
      now += milliseconds;
      const looked = calledFor('getSignatureStatuses');
      await until(() => calledFor('getSignatureStatuses') > looked + 1, 'nothing is followed');
    },
    /** As many transfers of all that one wallet has, posted at once for an area: one of them lands. */
    async spendOften(area: string, count: number) {
      const wallet = await newWallet();
      const rows = await Promise.all(Array.from({ length: count }, () => newTransfer(area, wallet)));
      calls.clear();
      let arrive = () => {};
      arrival = new Promise((resolve) => {
        arrive = resolve;
      });
      for (const { row, signed } of rows) landing.execute(row, signed).catch(() => {});
      await until(() => calledFor('sendTransaction') === count, 'not all are sent');
      arrive();
      await until(() => ended.length === 1, 'none has landed');
      assert.equal(ended.splice(0)[0]!.state, 'landed');
    },
    /** A payment that its wallet can pay for, posted where the node loses it. */
    async postLost() {
      node.drops = true;
      const { row, signed } = await newTransfer('clients', await newWallet());
      calls.clear();
      landing.execute(row, signed).catch(() => {});
      await until(() => calledFor('sendTransaction') === 1, 'it is not sent');
    },
    async close() {
      landing.close();
      await store.close();
      await net.close();
    },
  };
}

let world: Awaited<ReturnType<typeof openWorld>>;
before(async () => {
  world = await openWorld();
});
after(() => world?.close());

const POSTED = 30;

it('attack: a free key posts more transactions than its wallet can pay for: what cannot land any more is sent three times, and tried out four times in a minute', async () => {
  await world.spendOften('clients', POSTED);
  const simulated = world.calls('simulateTransaction');
  for (let times = 0; times < 15; times++) await world.pass(4_000);
  const left = POSTED - 1;
  assert.equal(world.calls('sendTransaction'), POSTED + 2 * left);
  assert.equal(world.calls('simulateTransaction') - simulated, 4 * left);
});

it('attack: a node loses what is posted, and is behind when it tries it out, so that it lacks what its wallet was given: it is asked again, and the payment lands', async () => {
  const { node } = world;
  await world.postLost();
  node.says = { context: { slot: 1 }, value: { err: 'AccountNotFound', logs: [] } };
  const simulated = world.calls('simulateTransaction');
  while (world.calls('simulateTransaction') === simulated) await world.pass(4_000);
  [node.drops, node.says] = [false, undefined];
  for (let times = 0; times < 4 && world.ended.length === 0; times++) await world.pass(4_000);
  assert.equal(world.ended.splice(0)[0]?.state, 'landed');
});

it('what only our keys have signed is sent again as long as it may land', async () => {
  await world.spendOften('ours', 2);
  for (let times = 0; times < 5; times++) await world.pass(2_000);
  assert.ok(world.calls('sendTransaction') >= 2 + 4, `${world.calls('sendTransaction')}`);
});
