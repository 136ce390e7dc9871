import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type Address,
  associatedTokenAddress,
  decodeTransaction,
  encodeTokenAccount,
  encodeTransaction,
  generateKeypair,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  type Transaction,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { createChain, type Rpc } from '../chain/index.js';
import { steadyNow } from '../lib/clock.js';
import { orderAccount } from '../signer/index.js';
import { findTriggerOrder, type TriggerOrderRow } from '../store/trigger-orders.js';
import { allVaultWallets, findVault } from '../store/vaults.js';
import type { VaultMigration } from '../vault/migrate-vaults.js';
import { sweepVaults } from '../vault/sweep-all.js';
import { migrateSeeds } from './migrate.js';
import {
  accountAt,
  assertMoved,
  feesOf,
  gasOf,
  hold,
  lamportsOf,
  NEW,
  newProcess,
  newService,
  RENT,
  reset,
  rpc,
  SILENT,
  SOL,
  store,
  sweeping,
  TOKENS,
  type Told,
  tokensAt,
  USD,
} from './migrate-testing.js';

/** A process whose node answers some calls with something else. */
async function newLiedProcess(
  files: { from: string; to: string },
  lie: (method: string, params: unknown[], answer: Answer) => Answer,
) {
  const lying: Rpc = {
    ...rpc,
    call: async <T>(method: string, params: unknown[]) =>
      lie(method, params, await rpc.call<Answer>(method, params)) as T,
  };
  const chain = createChain({ rpc: lying, steadyNow, fees: { percentile: 50, maxMicroLamports: 0n } });
  return { ...(await newProcess(files)), chain };
}
interface Answer {
  value: unknown;
}

/** A node that tells of one account what is not so, wherever it is asked for it, and what it has told of others, such as of no account. */
const telling =
  (address: string | null, change: (told: Told | null, data: Buffer) => Told | null) =>
  (method: string, params: unknown[], answer: Answer): Answer => {
    const lied = (told: Told | null): Told | null => {
      const data = Buffer.from(told?.data[0] ?? '', 'base64');
      const changed = change(told && { ...told }, data);
      return changed && { ...changed, data: [data.toString('base64'), 'base64'] };
    };
    const value = answer?.value;
    if (method === 'getTokenAccountsByOwner')
      return {
        ...answer,
        value: (value as { pubkey: string; account: Told }[]).map((each) =>
          each.pubkey === address ? { ...each, account: lied(each.account) } : each,
        ),
      };
    if (method !== 'getMultipleAccounts') return answer;
    const asked = params[0] as string[];
    return {
      ...answer,
      value: (value as (Told | null)[]).map((each, i) => (asked[i] === address ? lied(each) : each)),
    };
  };

/** Where `amount` and `mint` stand in a token account, and whether it is a native one. */
const [MINT_AT, AMOUNT_AT, NATIVE_AT] = [0, 64, 109];
const HELD = { amount: 0n, state: 'initialized', delegatedAmount: 0n, isNative: false } as const;

interface Party {
  wallet: Address;
  vault: Address;
}

/** A node that has none of these accounts, in whatever it is asked. */
const denying =
  (...denied: (string | null)[]) =>
  (method: string, params: unknown[], answer: Answer): Answer => {
    if (method === 'getSignaturesForAddress') return denied.includes(params[0] as string) ? ([] as never) : answer;
    const value = answer?.value;
    if (method === 'getTokenAccountsByOwner')
      return { ...answer, value: (value as { pubkey: string }[]).filter(({ pubkey }) => !denied.includes(pubkey)) };
    if (method !== 'getMultipleAccounts') return answer;
    const asked = params[0] as string[];
    return { ...answer, value: (value as unknown[]).map((each, i) => (denied.includes(asked[i]!) ? null : each)) };
  };

test('attack: a node leaves the accounts of an order out of a list, or lists less than they hold: they are moved to another seed, and swept, all the same', async () => {
  for (const listed of [
    () => [],
    (value: ListedAccount[]) =>
      value.map(({ pubkey, account }) => {
        const data = Buffer.from(account.data[0], 'base64');
        data.writeBigUInt64LE(1n, 64);
        return { pubkey, account: { ...account, data: [data.toString('base64'), 'base64'] } };
      }),
  ]) {
    await reset();
    const service = await newService();
    const [one, two] = [await service.newWallet(), await service.newWallet()];
    const order = await service.open(one, TOKENS.usd, { output: TOKENS.new });
    const other = await service.open(two, TOKENS.usd);
    const process = await newLiedProcess(service.files, (method, _, answer) =>
      method === 'getTokenAccountsByOwner' ? { ...answer, value: listed(answer.value as ListedAccount[]) } : answer,
    );
    const swept = (async function* () {
      yield two.wallet;
    })();
    await sweepVaults(sweeping(process), swept, () => {});
    const home = associatedTokenAddress(two.wallet, USD, TOKEN_PROGRAM);
    assert.equal((await tokensAt(home))!.amount, TOKENS.usd.amount);
    assert.equal(await accountAt(other.inputAccount as Address), null);
    assert.equal((await migrateSeeds(process, SILENT)).done, true);
    await assertMoved(process.seeds, order, { in: TOKENS.usd, out: TOKENS.new });
  }
});

interface ListedAccount {
  pubkey: string;
  account: { data: [string, string] };
}

test('attack: a node hides the account of an order in all its answers: its row stays as it is and a move does not end without it, until another node shows it', async () => {
  const service = await newService();
  const [one, two] = [await service.newWallet(), await service.newWallet()];
  const order = await service.open(one, TOKENS.usd, { output: TOKENS.new });
  const other = await service.open(two, TOKENS.sol);
  const told: VaultMigration[] = [];
  const onOutcome = (outcome: VaultMigration) => void told.push(outcome);
  const process = await newLiedProcess(service.files, denying(order.inputAccount, order.outputAccount));
  assert.equal((await migrateSeeds(process, { ...SILENT, onOutcome })).done, false);
  await assertMoved(process.seeds, other, { in: TOKENS.sol });
  const outcome = told.find(({ wallet }) => wallet === one.wallet)!;
  assert.ok('left' in outcome);
  assert.deepEqual([outcome.orders, outcome.ordersLeft, outcome.moved], [0, 1, []]);
  assert.deepEqual(
    outcome.left.map(({ account, mint, amount }) => [account, mint, amount]),
    [
      [order.inputAccount, USD, TOKENS.usd.amount],
      [order.outputAccount, NEW, 0n],
    ],
  );
  const reason = new RegExp(`the order ${order.id} should have it.*with another node`);
  for (const left of outcome.left) assert.match(left.reason, reason);
  assert.equal((await findTriggerOrder(store, order.id))!.inputAccount, order.inputAccount);
  // Who ends it all the same loses nothing, either.
  assert.equal((await migrateSeeds(process, { ...SILENT, leavesBehind: true })).done, true);
  assert.equal((await findTriggerOrder(store, order.id))!.vault, one.vault);
  assert.equal((await migrateSeeds(await newProcess(service.files), SILENT)).done, true);
  await assertMoved(process.seeds, order, { in: TOKENS.usd, out: TOKENS.new });
  // By a row that has followed, too.
  const now = (await findTriggerOrder(store, order.id))!;
  const again = await newLiedProcess(service.files, denying(now.inputAccount));
  const rerun = (outcome: VaultMigration) => 'ordersLeft' in outcome && outcome.ordersLeft;
  told.splice(0);
  await migrateSeeds(again, { ...SILENT, onOutcome });
  assert.deepEqual(told.map(rerun), [0, 0]);
});

test('attack: a node hides the account of an order from a sweep in all its answers: it is told as left, until another node shows it', async () => {
  const service = await newService();
  const { wallet } = await service.newWallet();
  const order = await service.open(await service.newWallet(), TOKENS.usd);
  await service.open({ wallet, vault: (await findVault(store, wallet))!.address as Address }, TOKENS.sol);
  const left = async (process: Awaited<ReturnType<typeof newProcess>>) => {
    const found: unknown[] = [];
    await sweepVaults(sweeping(process), allVaultWallets(store), (outcome) => {
      assert.ok('left' in outcome);
      found.push(...outcome.left.map(({ account, amount }) => [account, amount]));
    });
    return found;
  };
  const lied = await newLiedProcess(service.files, denying(order.inputAccount));
  for (let runs = 0; runs < 2; runs++) assert.deepEqual(await left(lied), [[order.inputAccount, TOKENS.usd.amount]]);
  const process = await newProcess(service.files);
  assert.deepEqual(await left(process), []);
  const home = associatedTokenAddress(order.wallet as Address, USD, TOKEN_PROGRAM);
  assert.equal((await tokensAt(home))!.amount, TOKENS.usd.amount);
  // The rows do not know of it: what the chain tells of the accounts does.
  assert.deepEqual(await left(process), []);
  assert.equal((await migrateSeeds(process, SILENT)).done, true);
});

describe('attack: a node tells of the accounts of vaults what is not so, in all its answers, while they are moved to another seed: no SOL goes to the gas wallet, and none comes from it', () => {
  /** Moves everything with a node that lies so. */
  const moveWith = async (
    service: Awaited<ReturnType<typeof newService>>,
    ...lies: ((method: string, params: unknown[], answer: Answer) => Answer)[]
  ) => {
    const process = await newLiedProcess(service.files, (method, params, answer) =>
      lies.reduce((lied, lie) => lie(method, params, lied), answer),
    );
    const left: { account: string; reason: string }[] = [];
    const onOutcome = (outcome: VaultMigration) => {
      if ('failed' in outcome) left.push({ account: outcome.wallet, reason: outcome.failed });
      else left.push(...outcome.left);
    };
    const { done } = await migrateSeeds(process, { ...SILENT, onOutcome });
    return { process, done, left };
  };
  const holdsOne = (told: Told | null, data: Buffer): Told => {
    const { lamports, ...rest } = told!;
    const amount = Number(data.readBigUInt64LE(AMOUNT_AT));
    data.writeBigUInt64LE(1n, AMOUNT_AT);
    return { ...rest, lamports: lamports - amount + 1 };
  };

  test('that an order of SOL holds one unit, or nothing: it is moved whole', async () => {
    for (const token of [TOKENS.sol, TOKENS.sol2022]) {
      await reset();
      const service = await newService();
      const [one, two] = [await service.newWallet(), await service.newWallet()];
      const order = await service.open(one, token);
      const other = await service.open(two, TOKENS.usd, { output: token });
      const isEmpty = (told: Told | null, data: Buffer): Told => {
        data.writeBigUInt64LE(0n, AMOUNT_AT);
        return { ...told!, lamports: Number(RENT) };
      };
      const lies = [telling(order.inputAccount, holdsOne), telling(other.outputAccount, isEmpty)];
      const { process, done } = await moveWith(service, ...lies);
      assert.equal(done, true);
      await assertMoved(process.seeds, order, { in: token });
      await assertMoved(process.seeds, other, { in: TOKENS.usd, out: token });
      assert.equal(await gasOf(service, process.seeds), 10n * SOL);
    }
  });

  test('that an order of SOL holds another token, or that its account is none of SOL: it waits, or is moved whole', async () => {
    const service = await newService();
    const [one, two] = [await service.newWallet(), await service.newWallet()];
    const order = await service.open(one, TOKENS.sol);
    const other = await service.open(two, TOKENS.sol);
    const isUsd = (told: Told | null, data: Buffer): Told => {
      Buffer.from(encodeTokenAccount({ ...HELD, mint: USD, owner: one.vault })).copy(data, MINT_AT, 0, 32);
      data.writeBigUInt64LE(0n, AMOUNT_AT);
      return told!;
    };
    const isNoneOfSol = (told: Told | null, data: Buffer): Told => {
      data.writeBigUInt64LE(1n, AMOUNT_AT);
      data.fill(0, NATIVE_AT, NATIVE_AT + 12);
      return told!;
    };
    const lies = [telling(order.inputAccount, isUsd), telling(other.inputAccount, isNoneOfSol)];
    const { process, done, left } = await moveWith(service, ...lies);
    assert.equal(done, false);
    assert.deepEqual([left.length, left[0]?.account], [1, order.inputAccount]);
    assert.match(left[0]!.reason, new RegExp(`its order has ${WRAPPED_SOL_MINT} there.*with another node`));
    assert.equal((await tokensAt(order.inputAccount as Address))!.amount, SOL);
    await assertMoved(process.seeds, other, { in: TOKENS.sol });
    const honest = await newProcess(service.files);
    assert.equal((await migrateSeeds(honest, SILENT)).done, true);
    await assertMoved(honest.seeds, order, { in: TOKENS.sol });
    assert.equal(await gasOf(service, honest.seeds), 10n * SOL);
  });

  test('that the order of a friend has SOL besides, a longer account, or a place that owes SOL: it gets none', async () => {
    const service = await newService();
    const orders = [];
    for (let i = 0; i < 3; i++) orders.push(await service.open(await service.newWallet(), TOKENS.new));
    const [rich, long, owing] = orders as [TriggerOrderRow, TriggerOrderRow, TriggerOrderRow];
    const { to } = (await newProcess(service.files)).seeds;
    const vault = await to.publicKey(`vault:${owing.wallet as Address}`);
    const place = orderAccount(vault, owing.depositRequestId, 'in', TOKEN_2022_PROGRAM);
    const lies = [
      telling(rich.inputAccount, (told) => told && { ...told, lamports: told.lamports + 4_900_000_000 }),
      (method: string, params: unknown[], answer: Answer): Answer => {
        if (method !== 'getMultipleAccounts') return answer;
        const at = (params[0] as string[]).indexOf(long.inputAccount);
        const value = (answer.value as (Told | null)[]).map((told, i): Told | null => {
          if (i !== at || told === null) return told;
          const data = Buffer.concat([Buffer.from(told.data[0], 'base64'), Buffer.of(2), Buffer.alloc(20_000)]);
          return { ...told, data: [data.toString('base64'), 'base64'] };
        });
        return { ...answer, value };
      },
      telling(place, () => ({ lamports: -4_000_000_000, owner: SYSTEM_PROGRAM, data: ['', 'base64'] })),
    ];
    const { process, done, left } = await moveWith(service, ...lies);
    assert.equal(done, false);
    assert.deepEqual(
      left.map(({ account }) => account),
      [owing.wallet],
    );
    assert.match(left[0]!.reason, /4002039280 lamports of rent are missing, more than/);
    for (const order of [rich, long]) await assertMoved(process.seeds, order, { in: TOKENS.new });
    assert.equal(await lamportsOf(place), 0n);
    assert.equal((await tokensAt(owing.inputAccount as Address))!.amount, TOKENS.new.amount);
  });

  test('that of one order is in the gas wallet what is then in that of a friend: the order has all of it, the friend his own', async () => {
    const service = await newService();
    const both = [await service.newWallet(), await service.newWallet()];
    const [victim, friend] = both.toSorted((a, b) => (a.wallet < b.wallet ? -1 : 1)) as [Party, Party];
    const hundred = { ...TOKENS.sol, amount: 100n * SOL };
    const order = await service.open(victim, hundred);
    const his = await service.open(friend, TOKENS.usd);
    const more = (told: Told | null) => ({ ...told!, lamports: told!.lamports + 60_000_000_000 });
    const lies = [telling(order.inputAccount, holdsOne), telling(his.inputAccount, more)];
    const { process, done } = await moveWith(service, ...lies);
    assert.equal(done, true);
    await assertMoved(process.seeds, order, { in: hundred });
    await assertMoved(process.seeds, his, { in: TOKENS.usd });
    assert.equal(await gasOf(service, process.seeds), 10n * SOL);
  });

  test('that an order holds fewer tokens than its row says: not taken for moved while the chain does not close its account', async () => {
    const service = await newService();
    const order = await service.open(await service.newWallet(), TOKENS.usd);
    const fewer = telling(order.inputAccount, (told, data) => {
      data.writeBigUInt64LE(1n, AMOUNT_AT);
      return told;
    });
    const { done, left } = await moveWith(service, fewer);
    assert.equal(done, false);
    assert.deepEqual([left.length, left[0]?.account], [1, order.inputAccount]);
    assert.match(left[0]!.reason, /its order has 5000001 there: run this again with another node/);
    assert.equal((await tokensAt(order.inputAccount as Address))!.amount, TOKENS.usd.amount);
    const honest = await newProcess(service.files);
    assert.equal((await migrateSeeds(honest, SILENT)).done, true);
    await assertMoved(honest.seeds, order, { in: TOKENS.usd });
    assert.equal(await gasOf(service, honest.seeds), 10n * SOL);
  });

  test('that an empty account of an order is of another mint, or is in the other vault: it waits', async () => {
    const service = await newService();
    const [one, two] = [await service.newWallet(), await service.newWallet()];
    const empty = { ...TOKENS.new, amount: 0n };
    const order = await service.open(one, TOKENS.usd, { output: empty });
    const other = await service.open(two, TOKENS.usd, { output: empty });
    const { to } = (await newProcess(service.files)).seeds;
    const vault = await to.publicKey(`vault:${two.wallet}`);
    const place = orderAccount(vault, other.depositRequestId, 'out', TOKEN_2022_PROGRAM);
    const { data, owner } = (await accountAt(other.outputAccount as Address))!;
    const lies = [
      telling(order.outputAccount, (told, held) => {
        Buffer.from(encodeTokenAccount({ ...HELD, mint: USD, owner: one.vault })).copy(held, MINT_AT, 0, 32);
        return told;
      }),
      (method: string, params: unknown[], answer: Answer): Answer => {
        if (method !== 'getMultipleAccounts') return answer;
        const at = (params[0] as string[]).indexOf(place);
        const value = (answer.value as (Told | null)[]).map((told, i) =>
          i === at && told === null ? { lamports: Number(RENT), owner, data, executable: false } : told,
        );
        return { ...answer, value };
      },
    ];
    const { done, left } = await moveWith(service, ...lies);
    assert.equal(done, false);
    assert.deepEqual(
      left.map(({ account }) => account as string).sort(),
      [order.outputAccount, other.outputAccount].sort(),
    );
    const honest = await newProcess(service.files);
    assert.equal((await migrateSeeds(honest, SILENT)).done, true);
    await assertMoved(honest.seeds, order, { in: TOKENS.usd, out: empty });
    await assertMoved(honest.seeds, other, { in: TOKENS.usd, out: empty });
  });
});

test('attack: a node says that accounts of orders are of a program of its own, which would have the signature of their vault: nothing for it is signed', async () => {
  const service = await newService();
  const [one, two] = [await service.newWallet(), await service.newWallet()];
  const order = await service.open(one, TOKENS.usd);
  const other = await service.open(two, TOKENS.usd);
  const program = generateKeypair().address;
  const ofHis = (told: Told | null, data: Buffer): Told | null => {
    if (told === null) return null;
    data.writeBigUInt64LE(TOKENS.usd.amount + 1n, AMOUNT_AT);
    return { ...told, owner: program };
  };
  const looked = (account: string) => (method: string, params: unknown[], answer: Answer) =>
    method === 'getMultipleAccounts' ? telling(account, ofHis)(method, params, answer) : answer;
  const accountsOf = (wire: Uint8Array) => decodeTransaction(wire).decoded.accounts;
  const process = await newLiedProcess(service.files, (method, params, answer) => {
    const isForIt =
      method === 'simulateTransaction' && accountsOf(Buffer.from(params[0] as string, 'base64')).includes(program);
    if (isForIt) return { ...answer, value: { err: null, logs: [], unitsConsumed: 9_000 } };
    return looked(order.inputAccount)(method, params, looked(other.inputAccount)(method, params, answer));
  });
  const named: Address[] = [];
  const land = (transaction: Transaction) => {
    named.push(...accountsOf(encodeTransaction(transaction)));
    return process.land(transaction);
  };
  const swept = (async function* () {
    yield two.wallet;
  })();
  await sweepVaults({ ...sweeping(process), land }, swept, () => {});
  const { done } = await migrateSeeds({ ...process, land }, SILENT);
  assert.ok(named.length > 0 && !named.includes(program));
  assert.equal(done, true);
  await assertMoved(process.seeds, order, { in: TOKENS.usd });
});

test('attack: a node tells of the accounts of a vault what is not so, in all its answers, while it is swept: its SOL goes to the wallet, and what is less than its row says is told as left', async () => {
  const service = await newService();
  const one = await service.newWallet();
  const first = await service.open(one, TOKENS.sol);
  const second = await service.open(one, TOKENS.usd);
  const ofSol = telling(first.inputAccount, (told, data) => {
    data.writeBigUInt64LE(1n, AMOUNT_AT);
    data.fill(0, NATIVE_AT, NATIVE_AT + 12);
    return told;
  });
  const ofUsd = telling(second.inputAccount, (told, data) => {
    data.writeBigUInt64LE(1n, AMOUNT_AT);
    return told;
  });
  await hold(one.wallet, associatedTokenAddress(one.wallet, USD), { ...TOKENS.usd, amount: 0n }, 'initialized');
  const process = await newLiedProcess(service.files, (method, params, answer) =>
    ofSol(method, params, ofUsd(method, params, answer)),
  );
  const left: { account: string; reason: string }[] = [];
  const swept = () =>
    (async function* () {
      yield one.wallet;
    })();
  await sweepVaults(sweeping(process), swept(), (outcome) => {
    assert.ok('left' in outcome);
    left.push(...outcome.left);
  });
  assert.equal(await lamportsOf(one.wallet), SOL + RENT);
  assert.deepEqual([left.length, left[0]?.account], [1, second.inputAccount]);
  assert.match(left[0]!.reason, /its order has 5000001 there: run this again with another node/);
  await sweepVaults(sweeping(await newProcess(service.files)), swept(), () => {});
  assert.equal((await tokensAt(associatedTokenAddress(one.wallet, USD)))!.amount, TOKENS.usd.amount);
  assert.equal(await lamportsOf(one.wallet), SOL + 2n * RENT);
  assert.equal(await lamportsOf(service.gas), 10n * SOL - (await feesOf([service.gas])));
});
