import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Address,
  associatedTokenAddress,
  generateKeypair,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  type Transaction,
  verify,
} from '@slipway/wire';
import { createMortal } from '../keeper/testing.js';
import { bytesOfOrder, orderAccount } from '../signer/index.js';
import { listMakers } from '../store/makers.js';
import { findTriggerOrder } from '../store/trigger-orders.js';
import { allVaultWallets } from '../store/vaults.js';
import type { VaultMigration } from '../vault/migrate-vaults.js';
import { sweepVaults, type VaultOutcome } from '../vault/sweep-all.js';
import { migrateSeeds } from './migrate.js';
import {
  accountAt,
  assertMoved,
  feesOf,
  gasOf,
  hold,
  lamportsOf,
  newProcess,
  newService,
  RENT,
  reset,
  SILENT,
  SOL,
  store,
  sweeping,
  TOKENS,
  tokensAt,
  USD,
  write,
} from './migrate-testing.js';

test('a move that is killed at any call and run again ends with every order in its new vault, to the unit', async (t) => {
  let deaths = 0;
  for (let fatal = 1; ; fatal += 1) {
    await reset();
    const service = await newService();
    const [one, two] = [await service.newWallet(), await service.newWallet()];
    const sol = await service.open(one, TOKENS.sol);
    const both = await service.open(one, TOKENS.usd, { output: TOKENS.new });
    const other = await service.open(two, TOKENS.new);
    await hold(two.vault, generateKeypair().address, TOKENS.usd, 'initialized');
    await write(two.vault, SYSTEM_PROGRAM, 2_000_000n);
    const mortal = createMortal(fatal);
    const first = migrateSeeds(await newProcess(service.files, mortal), SILENT);
    const isDead = await Promise.race([mortal.died.then(() => true), first.then(() => false)]);
    const process = await newProcess(service.files);
    const { done, wallets } = await migrateSeeds(process, SILENT);
    assert.deepEqual([done, wallets.left], [true, []], `killed at call ${fatal}`);
    await assertMoved(process.seeds, sol, { in: TOKENS.sol });
    await assertMoved(process.seeds, both, { in: TOKENS.usd, out: TOKENS.new });
    await assertMoved(process.seeds, other, { in: TOKENS.new });
    // What is of no order went home, and the wallets of the service have all but the fees.
    const home = associatedTokenAddress(two.wallet, USD, TOKEN_PROGRAM);
    assert.equal((await tokensAt(home))!.amount, TOKENS.usd.amount);
    assert.equal(await lamportsOf(two.wallet), 2_000_000n);
    const gas = process.seeds.to.address('gas');
    assert.equal(await lamportsOf(service.gas), 0n);
    assert.equal(await lamportsOf(gas), 10n * SOL - (await feesOf([service.gas, gas])), `killed at call ${fatal}`);
    const [maker] = await listMakers(store, process.seeds.to.secrets);
    assert.equal(maker!.url, 'https://maker.example.com/secret');
    const { rows } = await store.query<{ value: string }>(
      `select value #>> '{}' as value from settings where key = 'identity.signer'`,
    );
    assert.equal(rows[0]!.value, gas);
    if (!isDead) break;
    deaths += 1;
  }
  t.diagnostic(`killed at ${deaths} calls`);
  assert.ok(deaths > 50);
});

test('what an issuer has frozen stays, and does not hold up the rest', async () => {
  const service = await newService();
  const [one, two] = [await service.newWallet(), await service.newWallet()];
  const frozen = await service.open(one, TOKENS.usd, { isFrozen: true });
  const other = await service.open(two, TOKENS.sol);
  const process = await newProcess(service.files);
  assert.equal((await migrateSeeds(process, SILENT)).done, false);
  await assertMoved(process.seeds, other, { in: TOKENS.sol });
  assert.equal((await findTriggerOrder(store, frozen.id))!.inputAccount, frozen.inputAccount);
  assert.equal((await migrateSeeds(process, { ...SILENT, leavesBehind: true })).done, true);
  // Once the issuer has thought better of it.
  await hold(one.vault, frozen.inputAccount as Address, TOKENS.usd, 'initialized');
  assert.equal((await migrateSeeds(await newProcess(service.files), SILENT)).done, true);
  await assertMoved(process.seeds, frozen, { in: TOKENS.usd });
});

test('attack: a database writer has an order that nobody has made moved to another seed: it gets no seal, and the owner what it holds', async () => {
  const service = await newService();
  const owner = await service.newWallet();
  const forged = await service.open(owner, TOKENS.sol, { forged: true });
  const changed = await service.open(owner, TOKENS.new);
  await store.query('update orders set trigger_price_usd = 0.01 where id = $1', [changed.id]);
  const process = await newProcess(service.files);
  assert.equal((await migrateSeeds(process, SILENT)).done, true);
  const vault = await process.seeds.to.publicKey(`vault:${owner.wallet}`);
  for (const [order, token] of [
    [forged, TOKENS.sol],
    [changed, TOKENS.new],
  ] as const) {
    const now = (await findTriggerOrder(store, order.id))!;
    assert.deepEqual([now.vault, Buffer.from(now.seal!)], [order.vault, Buffer.from(order.seal!)]);
    assert.ok(!verify(process.seeds.to.address('seal'), bytesOfOrder(now), now.seal!));
    // Where a cancel looks for it.
    const place = orderAccount(vault, order.depositRequestId, 'in', token.program);
    assert.equal((await tokensAt(place))!.amount, token.amount);
  }
});

test('attack: a database writer adds rows of vaults whose wallets are no addresses: each is told, and all others are swept, and moved to another seed', async () => {
  const service = await newService();
  const [one, two] = [await service.newWallet(), await service.newWallet()];
  const order = await service.open(two, TOKENS.sol);
  await write(one.vault, SYSTEM_PROGRAM, 2_000_000n);
  for (const wallet of [' ', '\u001b[2J', 'zz'])
    await store.query('insert into vaults (wallet, id, address, created_at) values ($1, $1, $1, $2)', [
      wallet,
      new Date(),
    ]);
  const process = await newProcess(service.files);
  const failed: string[] = [];
  const onOutcome = (outcome: VaultMigration | VaultOutcome) => {
    if (!('failed' in outcome)) return;
    assert.match(outcome.failed, /delete the row of it from the table "vaults"/);
    failed.push(outcome.wallet);
  };
  const shown = ['" "', String.raw`"\u001b[2J"`, '"zz"'];
  const ofOne = (async function* () {
    for await (const wallet of allVaultWallets(store)) if (wallet !== two.wallet) yield wallet;
  })();
  await sweepVaults(sweeping(process), ofOne, onOutcome);
  assert.equal(await lamportsOf(one.wallet), 2_000_000n);
  assert.deepEqual(failed.splice(0).sort(), [...shown].sort());
  assert.equal((await migrateSeeds(process, { ...SILENT, onOutcome })).done, false);
  await assertMoved(process.seeds, order, { in: TOKENS.sol });
  assert.deepEqual(failed.sort(), [...shown].sort());
  assert.equal((await migrateSeeds(process, { ...SILENT, leavesBehind: true })).done, true);
});

test('orders of which nothing is in the vault any more, or not yet, keep no move from ending', async () => {
  const service = await newService();
  const one = await service.newWallet();
  const states = ['pending_deposit', 'depositing', 'deposit_failed', 'fill_success', 'cancelled'];
  for (const state of states) {
    const { id, inputAccount } = await service.open(one, TOKENS.usd);
    await write(inputAccount as Address, SYSTEM_PROGRAM, 0n);
    await store.query('update orders set state = $2 where id = $1', [id, state]);
  }
  // Its entry is filled, but for what the venue did not take, and its account closed.
  const entered = async (change: string) => {
    const order = await service.open(one, TOKENS.usd, { output: TOKENS.new });
    await write(order.inputAccount as Address, SYSTEM_PROGRAM, 0n);
    await store.query(`update orders set entry_remaining = 3, ${change} where id = $1`, [order.id]);
    return order;
  };
  const orders = [
    await entered(`stage = 'exit', exit_initial = 77, exit_remaining = 77, exit_received = 0`),
    await entered(`state = 'execute_success', held = 77`),
  ];
  const process = await newProcess(service.files);
  assert.equal((await migrateSeeds(process, SILENT)).done, true);
  for (const { id } of orders) {
    const now = (await findTriggerOrder(store, id))!;
    assert.equal((await tokensAt(now.outputAccount as Address))!.amount, TOKENS.new.amount);
  }
});

test('attack: a free key registers any number of wallets whose orders hold nothing any more: a move, or a sweep, of all comes first to those whose orders do', async () => {
  const service = await newService();
  const all = [await service.newWallet(), await service.newWallet()];
  for (const wallet of all) await service.open(wallet, TOKENS.sol);
  const honest = all.map(({ wallet }) => wallet as string);
  const isFirstByName = async () => {
    const { rows } = await store.query<{ first: string }>('select min(wallet) as first from vaults');
    return honest.includes(rows[0]!.first);
  };
  for (const state of ['cancelled', 'deposit_failed', 'cancelled']) {
    do {
      const other = await service.newWallet();
      all.push(other, await service.newWallet());
      const { id } = await service.open(other, TOKENS.usd);
      await store.query('update orders set state = $2, funded = false where id = $1', [id, state]);
    } while (await isFirstByName());
  }
  const wallets: string[] = [];
  for await (const wallet of allVaultWallets(store)) wallets.push(wallet);
  assert.deepEqual(wallets.slice(0, 2).sort(), honest.toSorted());
  assert.deepEqual(wallets.sort(), all.map(({ wallet }) => wallet as string).sort());
});

test('SOL of Token-2022 is moved as well, to the unit', async () => {
  const service = await newService();
  const one = await service.newWallet();
  const orders = [
    await service.open(one, TOKENS.sol2022),
    await service.open(one, TOKENS.usd, { output: { ...TOKENS.sol2022, amount: 0n } }),
  ] as const;
  const process = await newProcess(service.files);
  assert.equal((await migrateSeeds(process, SILENT)).done, true);
  await assertMoved(process.seeds, orders[0], { in: TOKENS.sol2022 });
  await assertMoved(process.seeds, orders[1], { in: TOKENS.usd, out: { ...TOKENS.sol2022, amount: 0n } });
  assert.equal(await gasOf(service, process.seeds), 10n * SOL);
});

test('orders whose accounts have less than the rent of now, from when the chain asked for less, are moved: the gas wallet pays what is missing', async () => {
  const service = await newService();
  const one = await service.newWallet();
  const order = await service.open(one, TOKENS.usd, { output: { ...TOKENS.sol, amount: 0n } });
  const less = RENT - 500_000n;
  for (const account of [order.inputAccount, order.outputAccount] as Address[]) {
    const { data, owner } = (await accountAt(account))!;
    await write(account, owner as Address, less, Buffer.from(data[0], 'base64'));
  }
  const process = await newProcess(service.files);
  assert.equal((await migrateSeeds(process, SILENT)).done, true);
  const now = (await findTriggerOrder(store, order.id))!;
  const [input, output] = [now.inputAccount, now.outputAccount] as [Address, Address];
  assert.deepEqual([(await tokensAt(input))!.amount, await lamportsOf(input)], [TOKENS.usd.amount, RENT]);
  assert.deepEqual([(await tokensAt(output))!.amount, await lamportsOf(output)], [0n, RENT]);
  assert.equal(await gasOf(service, process.seeds), 10n * SOL - 2n * (RENT - less));
});

/** The process, with something that happens before or after each transaction of it lands. */
function withEvents(
  process: Awaited<ReturnType<typeof newProcess>>,
  { before = async () => {}, after = async () => {} }: { before?(): Promise<void>; after?(): Promise<void> },
): typeof process {
  return {
    ...process,
    async land(transaction: Transaction) {
      await before();
      const end = await process.land(transaction);
      await after();
      return end;
    },
  };
}

test('attack: a stranger on the chain sends SOL to where the accounts of orders will be in the other vault: they are moved all the same', async () => {
  for (const lamports of [1n, RENT]) {
    await reset();
    const service = await newService();
    const one = await service.newWallet();
    const first = await service.open(one, TOKENS.usd);
    const second = await service.open(one, TOKENS.sol, { output: TOKENS.new });
    const process = await newProcess(service.files);
    const vault = await process.seeds.to.publicKey(`vault:${one.wallet}`);
    let sent = 0;
    // Once the first one has moved, everybody knows the other vault.
    const after = async () => {
      if (sent++ > 0) return;
      await write(orderAccount(vault, second.id, 'in', TOKEN_PROGRAM), SYSTEM_PROGRAM, lamports);
      await write(orderAccount(vault, second.id, 'out', TOKEN_2022_PROGRAM), SYSTEM_PROGRAM, lamports);
      await write(orderAccount(vault, first.id, 'out', TOKEN_PROGRAM), SYSTEM_PROGRAM, lamports);
    };
    assert.equal((await migrateSeeds(withEvents(process, { after }), SILENT)).done, true, `${lamports} lamports`);
    await assertMoved(process.seeds, first, { in: TOKENS.usd });
    // What others send to where an order has SOL is the order's.
    await assertMoved(process.seeds, second, { in: { ...TOKENS.sol, amount: SOL + lamports }, out: TOKENS.new });
  }
});

test('attack: a stranger on the chain sends one unit after the other to the accounts of orders while they are moved: what they held moves, and the gas wallet lends a rent', async () => {
  const service = await newService();
  const one = await service.newWallet();
  const order = await service.open(one, TOKENS.usd);
  const account = order.inputAccount as Address;
  const put = async (amount: bigint) => {
    await hold(one.vault, account, { ...TOKENS.usd, amount }, 'initialized');
    // His own, which he would have from the gas wallet once more.
    await write(account, TOKEN_PROGRAM, RENT + 4n * SOL, Buffer.from((await accountAt(account))!.data[0], 'base64'));
  };
  await put(TOKENS.usd.amount);
  const before = async () => {
    const held = await tokensAt(account);
    if (held && held.amount > 0n) await put(held.amount + 1n);
  };
  const process = await newProcess(service.files);
  assert.equal((await migrateSeeds(withEvents(process, { before }), SILENT)).done, true);
  const vault = await process.seeds.to.publicKey(`vault:${one.wallet}`);
  const now = (await findTriggerOrder(store, order.id))!;
  const place = orderAccount(vault, order.id, 'in', TOKEN_PROGRAM);
  assert.deepEqual([now.vault, now.inputAccount], [vault, place]);
  assert.equal((await tokensAt(place))!.amount, TOKENS.usd.amount + 1n);
  const gas = process.seeds.to.address('gas');
  const fees = await feesOf([service.gas, gas]);
  assert.deepEqual([await lamportsOf(gas), await lamportsOf(place)], [10n * SOL - RENT - fees, RENT]);
  // What was left behind comes after it by another run.
  await migrateSeeds(await newProcess(service.files), { ...SILENT, leavesBehind: true });
  assert.equal(await accountAt(account), null);
});

test('attack: a wallet puts more SOL into the account of its order than the gas wallet has: it is moved all the same', async () => {
  for (const token of [TOKENS.usd, TOKENS.sol]) {
    await reset();
    const service = await newService();
    const order = await service.open(await service.newWallet(), token);
    const account = order.inputAccount as Address;
    const { lamports, data } = (await accountAt(account))!;
    await write(account, TOKEN_PROGRAM, BigInt(lamports) + 20n * SOL, Buffer.from(data[0], 'base64'));
    const process = await newProcess(service.files);
    assert.equal((await migrateSeeds(process, SILENT)).done, true);
    const place = (await findTriggerOrder(store, order.id))!.inputAccount as Address;
    assert.equal(await lamportsOf(place), BigInt(lamports) + 20n * SOL);
    assert.equal((await tokensAt(place))!.amount, token.amount + (token === TOKENS.sol ? 20n * SOL : 0n));
    assert.equal(await accountAt(account), null);
  }
});

test('attack: a stranger on the chain puts tokens that he has frozen into a vault: its orders move, and the rest is listed', async () => {
  const service = await newService();
  const one = await service.newWallet();
  const order = await service.open(one, TOKENS.sol);
  const junk = generateKeypair().address;
  await hold(one.vault, junk, TOKENS.usd, 'frozen');
  const process = await newProcess(service.files);
  const listed: string[] = [];
  const onOutcome = (outcome: VaultMigration) => {
    if ('left' in outcome) listed.push(...outcome.left.map(({ account }) => account));
  };
  assert.equal((await migrateSeeds(process, { ...SILENT, onOutcome })).done, true);
  assert.deepEqual(listed, [junk]);
  await assertMoved(process.seeds, order, { in: TOKENS.sol });
});

test('a deposit that is under way is waited for', async () => {
  const service = await newService();
  const order = await service.open(await service.newWallet(), TOKENS.usd);
  await store.query(
    `insert into ledger (id, area, wallet, state, message_hash, cosigners, last_valid_block_height, payload, created_at,
       expires_at, sent_at, lease_until, signature, wire)
     values ('r', 'trigger', $1, 'sending', '', '{tracker}', 1, 'null', $2, $2, $2, $2, 's', '')`,
    [order.wallet, new Date()],
  );
  const process = await newProcess(service.files);
  const told: string[] = [];
  const tell = (text: string) => {
    told.push(text);
    if (!text.startsWith('waiting for 1 transactions')) return;
    setImmediate(() => void store.query(`update ledger set state = 'landed', settled_at = sent_at`));
  };
  assert.equal((await migrateSeeds(process, { ...SILENT, tell })).done, true);
  assert.deepEqual(
    told.map((text) => text.split(' ')[0]),
    ['waiting', 'getting', 'moving'],
  );
  await assertMoved(process.seeds, order, { in: TOKENS.usd });
});

test('nothing moves while the service is not stopped, or into the same seed, or of another database', async () => {
  const service = await newService();
  const order = await service.open(await service.newWallet(), TOKENS.sol);
  const process = await newProcess(service.files);
  await store.query('delete from stops');
  await assert.rejects(migrateSeeds(process, SILENT), /not stopped/);
  await store.query(`update settings set value = to_jsonb('another'::text) where key = 'identity.signer'`);
  await assert.rejects(migrateSeeds(process, SILENT), /not that of the old signer file/);
  const same = await newProcess({ from: service.files.from, to: service.files.from });
  await assert.rejects(migrateSeeds(same, SILENT), /the same seed/);
  assert.equal((await tokensAt(order.inputAccount as Address))!.amount, SOL);
});
