import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { adminTokenOf } from './admin.js';
import { clientOf } from './client.js';
import { type Ended, run, SLIPWAY } from './command.js';
import { eventually } from './rounds.js';
import { type Service, startService } from './service.js';
import { executeOrder, lamportsOf, order, SOL, tokensOf, USDC } from './swap.js';
import { create, deposit, newUser } from './trigger-user.js';
import { signTransaction, walletNamed } from './wallet.js';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service?.close());

const slipway = (...args: string[]): Promise<Ended> =>
  run(SLIPWAY, [...args, '--url', service.url], {
    cwd: service.dataDir,
    env: { SLIPWAY_ADMIN_TOKEN: adminTokenOf(service) },
  });

async function says(...args: string[]): Promise<string> {
  const { code, out, error } = await slipway(...args);
  assert.deepEqual([code, error], [0, ''], args.join(' '));
  return out;
}

const json = async <T>(...args: string[]): Promise<T> => JSON.parse(await says(...args, '--json')) as T;

async function refuses(says: RegExp, ...args: string[]): Promise<void> {
  const { code, out, error } = await slipway(...args);
  assert.deepEqual([code, out], [2, ''], `${args.join(' ')}: ${error}`);
  assert.match(error, says);
}

it('slipway pools shows what is routed over, the deepest first: the price that a trade gets, and what the pools hold', async () => {
  interface Page {
    count: number;
    pools: {
      address: string;
      venue: string;
      tokens: { mint: string; symbol: string; decimals: number; reserve: string }[];
      price: number;
      feePercent: number;
    }[];
  }
  const all = await eventually('the pools of the sandbox are found', async () => {
    const page = await json<Page>('pools');
    return page.count >= 5 ? page : undefined;
  });
  assert.equal(all.pools.length, all.count);
  const ofUsdc = await json<Page>('pools', 'usdc');
  assert.ok(ofUsdc.pools.every(({ tokens }) => tokens.some(({ symbol }) => symbol === 'USDC')));
  const pool = ofUsdc.pools.find(({ tokens }) => tokens.some(({ mint }) => mint === SOL))!;
  const solAt = Number(pool.tokens[0]!.mint !== SOL);
  const { outAmount } = await order(service, { inputMint: SOL, outputMint: USDC, amount: '1000000' });
  const price = solAt === 0 ? pool.price : 1 / pool.price;
  const got = Number(outAmount) / 1_000;
  assert.ok(got > price * 0.97 && got < price * 1.03, `${got} by a quote, ${price} by the pool`);
  const held = Number(pool.tokens[solAt]!.reserve) / 1e9;
  assert.ok(held > 1, `${held} SOL`);
  assert.equal((await json<Page>('pools', USDC, '--limit', '1')).pools.length, 1);
  const text = await says('pools', 'SOL', '--limit', '1');
  assert.match(
    text,
    /^PAIR +VENUE +PRICE +TRADABLE +FEE +POOL\n\S+\/\S+ +\S.* \+ .* % +\w{32,44}\n\n\d+ more: --limit\n$/,
  );
  await refuses(/--limit must be a number/, 'pools', '--limit', '0');
  const { code, error } = await slipway('pools', 'NOSUCH');
  assert.equal(code, 1);
  assert.match(error, /token: expected/);
});

it('slipway trigger-orders list shows orders by wallet and state, a page at a time', async () => {
  interface Page {
    orders: { id: string; state: string; wallet: string }[];
    nextCursor: string | null;
  }
  const user = await newUser(service);
  const { address } = user.wallet;
  assert.equal(await says('trigger-orders', 'list', '--wallet', address), 'No such orders.\n');
  const ids: string[] = [];
  for (let i = 0; i < 2; i++) {
    const { id } = await create(user, await deposit(user), { triggerPriceUsd: 1e6 });
    ids.unshift(id);
  }
  const open = await json<Page>('trigger-orders', 'list', '--wallet', address, '--state', 'open', '--limit', '1');
  assert.deepEqual(
    open.orders.map(({ id, state, wallet }) => [id, state, wallet]),
    [[ids[0], 'open', address]],
  );
  const rest = await json<Page>('trigger-orders', 'list', '--wallet', address, '--cursor', open.nextCursor!);
  assert.deepEqual([rest.orders.map(({ id }) => id), rest.nextCursor], [[ids[1]], null]);
  const text = await says('trigger-orders', 'list', '--wallet', address);
  assert.match(
    text,
    new RegExp(`^ID +TYPE +STATE +WALLET +LEFT TO SELL +OF +CREATED\n${ids[0]} +single +open +${address} `),
  );
  await refuses(/--limit must be/, 'trigger-orders', 'list', '--limit', '0');
});

it('slipway orders list shows the limit orders and trigger orders of a wallet, and without one those of all', async () => {
  interface Line {
    kind: string;
    order: string;
    state: string;
    left: string;
  }
  const user = await newUser(service);
  const { address } = user.wallet;
  const list = async (...args: string[]) =>
    (await json<Line[]>('orders', 'list', ...args)).map(({ kind, order, state }) => [kind, order, state]);
  assert.match(await says('orders', 'list', address), /^No open orders\. --all/);
  const { id } = await create(user, await deposit(user), { triggerPriceUsd: 1e6 });
  assert.deepEqual(await list(address), [['single', id, 'open']]);
  const client = clientOf(service, await walletNamed(service, 'bob'));
  const sale = { inputMint: SOL, outputMint: USDC, makingAmount: 1_000_000_000n, takingAmount: 900_000_000n };
  const { order: bob } = await client.createLimitOrder(sale);
  const [line] = (await json<Line[]>('orders', 'list', 'bob')).filter(({ order }) => order === bob);
  assert.deepEqual(line && [line.kind, line.state, line.left], ['limit', 'Open', '1000000000']);
  assert.match(
    await says('orders', 'list'),
    new RegExp(`^KIND +ORDER .*\n(?:.*\n)*limit +${bob} +bob +Open +1000000000 `),
  );
  await refuses(/WALLET must be the address of a wallet, or one of alice/, 'orders', 'list', 'nobody');
});

describe('the commands of a sandbox', () => {
  it('take wallets by name', async () => {
    const { address } = await walletNamed(service, 'bob');
    const before = await lamportsOf(service, address);
    assert.match(await says('airdrop', 'Bob', '1.5'), new RegExp(`^1\\.5 SOL to ${address}\n`));
    assert.equal((await lamportsOf(service, address)) - before, 1_500_000_000n);
    const order = await json<{ taker: string; transaction: string }>('quote', '0.1', 'SOL', 'USDC', '--taker', 'bob');
    assert.equal(order.taker, address);
    assert.ok(order.transaction);
    await refuses(/WALLET must be the address of a wallet, or one of alice, bob, /, 'airdrop', 'bobby', '1');
    await refuses(/--taker must be/, 'quote', '1', 'SOL', 'USDC', '--taker', 'bobby');
  });

  it('show and move prices', async () => {
    assert.match(await says('prices'), /^TOKEN +USD +MINT\n(?:.*\n)*SOL +150 +So11111/m);
    assert.equal(await says('prices', 'set', 'sol', '165.5'), '1 SOL costs 165.5 USD\n');
    const mints = await json<{ symbol: string; usdPrice: number }[]>('prices');
    assert.equal(mints.find(({ symbol }) => symbol === 'SOL')?.usdPrice, 165.5);
    assert.match(
      await says('tokens', 'USDC', 'sol'),
      /^TOKEN +NAME +MINT +DECIMALS +USD +VERIFIED\nUSDC .*\nSOL .* 165\.5 /,
    );
    await refuses(/USD must be a number above 0/, 'prices', 'set', 'SOL', '-1');
    await refuses(/USD must be a number above 0/, 'prices', 'set', 'SOL', '0');
    await refuses(/no mint is called SOLL: did you mean SOL\?/, 'prices', 'set', 'SOLL', '1');
    await refuses(/no mint is called BONK: there are .*SOL/, 'prices', 'set', 'BONK', '1');
  });

  it('show and move time', async () => {
    const from = performance.now();
    const before = new Date((await says('clock')).trim()).getTime();
    const moved = new Date((await says('clock', '+2h')).trim()).getTime();
    // It goes on meanwhile, and is told in whole seconds.
    const most = 7_200_000 + performance.now() - from + 2_000;
    assert.ok(moved - before >= 7_200_000 && moved - before <= most, `${moved - before} of ${most}`);
    const { unixTimestamp } = await json<{ unixTimestamp: number }>('clock');
    assert.ok(unixTimestamp * 1_000 >= moved);
    for (const wrong of ['yesterday', '2', '1w', '+0s']) await refuses(/STEP/, 'clock', wrong);
  });

  it('say where everything is, and whether it is well', async () => {
    const { address } = await walletNamed(service, 'alice');
    // On a busy machine one of its checks may have taken too long.
    const out = await eventually('it is ready', async () => {
      const { code, out: said } = await slipway('status');
      return code === 0 ? said : undefined;
    });
    assert.match(out, new RegExp(`^Service +${service.url} is ready: database ok, chain ok, files ok`));
    assert.match(out, new RegExp(`\nalice +${address}\n`));
    assert.ok(out.includes(service.rpcUrl));
    assert.equal(await says('open'), `${service.url}/\n`);
  });
});

describe('slipway tx', () => {
  it('says what a transaction would do, what it has done, and what it lacks', async () => {
    const alice = await walletNamed(service, 'alice');
    const query = { inputMint: SOL, outputMint: USDC, amount: 1_000_000_000n, excludeRouters: 'jupiterz' };
    const made = await order(service, { ...query, taker: alice.address });
    const ahead = await says('tx', made.transaction!);
    assert.match(
      ahead,
      /^Not on the chain.* it would succeed, with \d+ compute units\. alice pays [0-9.]+ SOL to the network\.\n/,
    );
    assert.match(ahead, /\d\. alice gives [0-9.]+ SOL at most, and .* gets [0-9.]+ USDC at least; by .*\n/);
    assert.match(ahead, /It still needs the signature of alice\.\n$/);
    assert.match(await says('tx', signTransaction(made.transaction!, alice)), /It has all signatures\.\n$/);

    const before = await tokensOf(service, alice.address, USDC);
    // A new one: two commands may take longer than a transaction lives.
    const { signature } = await executeOrder(service, await order(service, { ...query, taker: alice.address }), alice);
    const got = (await tokensOf(service, alice.address, USDC)) - before;
    const out = await says('tx', signature!);
    assert.match(out, /^Landed in slot \d+ at \S+Z\. alice paid [0-9.]+ SOL to the network\.\n/);
    assert.ok(out.includes(`  alice: +${Number(got) / 1e6} USDC\n`), out);
    const told = await json<{ state: string; changes: object[] }>('tx', signature!);
    assert.equal(told.state, 'landed');
    assert.deepEqual(
      told.changes.at(0) && told.changes.filter((each) => 'mint' in each && each.mint === USDC).length,
      2,
    );
  });

  it('says why one would fail, and what is none', async () => {
    const alice = await walletNamed(service, 'alice');
    const query = { inputMint: SOL, outputMint: USDC, amount: 1_000_000_000n, excludeRouters: 'jupiterz' };
    const made = await order(service, { ...query, taker: alice.address, slippageBps: 1 });
    await says('prices', 'set', 'SOL', '100');
    assert.match(await says('tx', made.transaction!), /it would fail: .* \(6001\)\./);
    await refuses(/TRANSACTION must be a signature, or a transaction in base64/, 'tx', 'hello');
    const { code, error } = await slipway('tx', '1'.repeat(64));
    assert.equal(code, 1);
    assert.match(error, /knows no transaction 1{64}: it may have expired/);
  });
});
