import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Address, addressToBytes, TOKEN_2022_PROGRAM, WRAPPED_SOL_MINT } from '@slipway/wire';
import { ChainUnavailable, createLiveAccounts, type Rpc } from '../../chain/index.js';
import { runningNow } from '../../lib/testing.js';
import { newAddress, openAggregator, openWorld, silent, type World, WRAPPED_SOL } from './testing.js';
import { writeEndingCurve } from './venues/testing/ending-curve.js';

const DEEP = 10n ** 12n;
const CONFIG_SIZE = 1_048;
const DECIMALS_AT = 44;
/** Of the first one, its type. */
const EXTENSION_AT = 166;
const TRANSFER_HOOK = 14;

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.close());

type Answer = { value: ({ data: [string, string] } | null)[] };

/** An aggregator whose node spoils accounts in the first answer in which `spoil` says that it has. */
async function openLiedTo(spoil: (address: Address, data: Buffer) => boolean) {
  let [hasLied, isBusy, ahead] = [false, false, 0];
  const asked = new Set<Address>();
  const call = async <T>(method: string, params: unknown[]): Promise<T> => {
    const isAgain = method === 'getMultipleAccounts' && (params[0] as Address[]).some((address) => asked.has(address));
    if (isBusy && isAgain) throw new ChainUnavailable('too many calls wait');
    const answer = await world.rpc.call<T>(method, params);
    if (method === 'getMultipleAccounts') for (const address of params[0] as Address[]) asked.add(address);
    if (method !== 'getMultipleAccounts' || hasLied) return answer;
    for (const [i, account] of (answer as Answer).value.entries()) {
      const data = Buffer.from(account?.data[0] ?? '', 'base64');
      if (!account || !spoil((params[0] as Address[])[i]!, data)) continue;
      hasLied = true;
      account.data[0] = data.toString('base64');
    }
    return answer;
  };
  const rpc: Rpc = { ...world.rpc, call };
  const steadyNow = () => runningNow() + ahead;
  const live = createLiveAccounts({ rpc, steadyNow, log: silent });
  const { aggregator, close } = await openAggregator(world, { rpc, live, steadyNow });
  return {
    /** What the pools say of a token. */
    async pricesOf(mint: Address, inMint: Address): Promise<number[]> {
      await live.refresh([...asked]);
      return aggregator.quotesOf(mint, [inMint]).flatMap(({ price, isSilent }) => (isSilent ? [] : [price]));
    },
    async minuteLater() {
      assert.ok(hasLied);
      ahead += 60_000;
      await aggregator.discover();
    },
    /** The node answers for nothing that it has been asked for before. */
    async busyMinuteLater() {
      [ahead, isBusy] = [ahead + 60_000, true];
      await aggregator.discover();
      isBusy = false;
    },
    close() {
      close();
      live.close();
    },
  };
}

test('attack: a node tells once of other decimals of a mint, or of an extension, and agrees with others from then on: pools say a minute later what it is worth', async (t) => {
  const plain = await world.token({ decimals: 6 });
  const extended = await world.token({
    program: TOKEN_2022_PROGRAM,
    decimals: 6,
    extensions: new Uint8Array([19, 0, 0, 0]),
  });
  for (const each of [plain, extended]) await world.pool(each, WRAPPED_SOL, [DEEP, DEEP]);
  for (const [token, spoil, told] of [
    [plain, (data: Buffer) => data.writeUInt8(data[DECIMALS_AT]! + 1, DECIMALS_AT), [0.01]],
    [extended, (data: Buffer) => data.writeUInt8(TRANSFER_HOOK, EXTENSION_AT), []],
  ] as const) {
    const { pricesOf, minuteLater, close } = await openLiedTo((address, data) => {
      if (address !== token.mint) return false;
      spoil(data);
      return true;
    });
    t.after(close);
    assert.deepEqual(await pricesOf(token.mint, WRAPPED_SOL_MINT), told);
    await minuteLater();
    assert.deepEqual(await pricesOf(token.mint, WRAPPED_SOL_MINT), [0.001]);
  }
});

test('attack: a node tells once that a launch curve is paid in another token: a minute later it is found by its own', async (t) => {
  const [bought, paid] = [await world.token(), await world.token()];
  await writeEndingCurve(world, bought, paid, DEEP);
  const { pricesOf, minuteLater, close } = await openLiedTo((_, data) => {
    if (data.length !== CONFIG_SIZE) return false;
    data.set(addressToBytes(newAddress()), 8);
    return true;
  });
  t.after(close);
  assert.deepEqual(await pricesOf(bought.mint, paid.mint), []);
  await minuteLater();
  assert.equal((await pricesOf(bought.mint, paid.mint)).length, 1);
});

test('goes on with what is known of mints and launch curves where the node is not to be asked again, and takes up new pools', async (t) => {
  const [bought, paid, added] = [await world.token(), await world.token(), await world.token()];
  await writeEndingCurve(world, bought, paid, DEEP);
  const { pricesOf, busyMinuteLater, close } = await openLiedTo(() => false);
  t.after(close);
  await world.pool(added, paid, [DEEP, DEEP]);
  await busyMinuteLater();
  assert.equal((await pricesOf(added.mint, paid.mint)).length, 1);
  assert.equal((await pricesOf(bought.mint, paid.mint)).length, 1);
});
