import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Address, associatedTokenAddress, encodeMint, generateKeypair, TOKEN_2022_PROGRAM } from '@slipway/wire';
import { type Service, startService } from './service.js';
import {
  type Created,
  cancel,
  confirm,
  create,
  type Deposit,
  deposit,
  depositBody,
  feeOf,
  HOUR,
  hasDied,
  lamportsOf,
  newOrder,
  newUser,
  OCO,
  orderBody,
  post,
  RENT,
  type Refused,
  refuses,
  rowOf,
  SOL,
  tokensAt,
  USDC,
  type User,
} from './trigger-user.js';
import { asWallet } from './trigger-wallet.js';
import { JUP, rpc, signTransaction } from './wallet.js';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service?.close());

describe('an order from its deposit to its withdrawal', () => {
  it('in SOL: every lamport is accounted for', async () => {
    const user = await newUser(service);
    const { address } = user.wallet;
    const before = await lamportsOf(service, address);
    const crafted = await deposit(user);
    assert.deepEqual(
      [crafted.receiverAddress, crafted.mint, crafted.amount, crafted.tokenDecimals, crafted.outputTokenAccount],
      [user.vault, SOL, '1000000000', 9, undefined],
    );
    assert.equal(await lamportsOf(service, address), before);
    const created = await create(user, crafted);
    assert.equal(created.depositConfirmed, true);
    assert.equal(created.message, undefined);
    const depositFee = await feeOf(service, created.txSignature);
    assert.equal(await lamportsOf(service, address), before - 1_000_000_000n - RENT - depositFee);
    const held = await tokensAt(service, crafted.inputTokenAccount);
    assert.deepEqual([held?.amount, held?.owner, held?.mint], [1_000_000_000n, user.vault, SOL]);

    const row = await rowOf(user, created.id);
    assert.deepEqual([row.orderState, row.rawState, row.orderType], ['open', 'open', 'single']);
    assert.deepEqual([row.userPubkey, row.privyWalletPubkey], [address, user.vault]);
    assert.deepEqual([row.initialInputAmount, row.remainingInputAmount], ['1000000000', '1000000000']);
    assert.deepEqual([row.fillPercent, row.outputAmount, row.inputUsed, row.triggeredAt], [0, null, null, null]);
    assert.deepEqual([row.triggerCondition, row.triggerPriceUsd, 'slippageBps' in row], ['above', 500, false]);
    const [only, ...more] = row.events;
    assert.deepEqual(more, []);
    assert.deepEqual(
      [only?.type, only?.state, only?.txSignature, only?.mint, only?.amount],
      ['deposit', 'success', created.txSignature, SOL, '1000000000'],
    );

    const withdrawal = await cancel(user, created.id);
    assert.equal((await rowOf(user, created.id)).orderState, 'pending_withdraw');
    const confirmed = await confirm(user, created.id, withdrawal);
    assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body));
    const withdrawalFee = await feeOf(service, confirmed.body.txSignature);
    assert.equal(await lamportsOf(service, address), before - depositFee - withdrawalFee);
    assert.equal(await tokensAt(service, crafted.inputTokenAccount), undefined);
    const ended = await rowOf(user, created.id);
    assert.deepEqual([ended.orderState, ended.remainingInputAmount], ['cancelled', '1000000000']);
    const types = ended.events.map(({ type, state }) => `${type} ${state}`);
    assert.deepEqual(types, ['withdrawal success', 'cancelled success', 'deposit success']);
    assert.deepEqual(new Set(ended.events.slice(0, 2).map(({ timestamp }) => timestamp)), new Set([ended.updatedAt]));
    assert.equal(ended.events[0]?.txSignature, confirmed.body.txSignature);
    assert.deepEqual((await confirm(user, created.id, withdrawal)).body, confirmed.body);
    refuses(await post(user, `/orders/price/cancel/${created.id}`), 400, /'cancelled'/);
  });

  it('in a token: to the unit, with the rent', async () => {
    const user = await newUser(service);
    const { address } = user.wallet;
    const account = associatedTokenAddress(address, USDC);
    const [lamports, usdc] = [await lamportsOf(service, address), (await tokensAt(service, account))!.amount];
    const pair = { inputMint: USDC, outputMint: SOL };
    const crafted = await deposit(user, { ...pair, amount: '25000001' });
    const created = await create(user, crafted, { ...pair, triggerCondition: 'below', triggerPriceUsd: 100 });
    assert.equal((await tokensAt(service, account))!.amount, usdc - 25_000_001n);
    assert.equal((await tokensAt(service, crafted.inputTokenAccount))?.amount, 25_000_001n);
    const confirmed = await confirm(user, created.id, await cancel(user, created.id));
    assert.equal((await tokensAt(service, account))!.amount, usdc);
    const fees = (await feeOf(service, created.txSignature)) + (await feeOf(service, confirmed.body.txSignature));
    assert.equal(await lamportsOf(service, address), lamports - fees);
  });

  it('of an entry with exits: both accounts are made by the deposit and closed by the withdrawal', async () => {
    const user = await newUser(service);
    const before = await lamportsOf(service, user.wallet.address);
    const crafted = await deposit(user, { orderSubType: 'otoco' });
    assert.ok(crafted.outputTokenAccount);
    const created = await create(user, crafted, { orderType: 'otoco', tpPriceUsd: 700, slPriceUsd: 400 });
    const output = await tokensAt(service, crafted.outputTokenAccount);
    assert.deepEqual([output?.amount, output?.owner, output?.mint], [0n, user.vault, USDC]);
    const row = await rowOf(user, created.id);
    assert.deepEqual(
      [row.tpPriceUsd, row.slPriceUsd, row.tpSlippageBps, row.slSlippageBps],
      [700, 400, undefined, 2000],
    );
    const confirmed = await confirm(user, created.id, await cancel(user, created.id));
    assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body));
    const fees = (await feeOf(service, created.txSignature)) + (await feeOf(service, confirmed.body.txSignature));
    assert.equal(await lamportsOf(service, user.wallet.address), before - fees);
    assert.equal(await tokensAt(service, crafted.outputTokenAccount), undefined);
  });
});

describe('the kinds of orders', () => {
  it('a pair has its two prices; a trailing one its mark', async () => {
    const user = await newUser(service);
    const oco = await create(user, await deposit(user, { orderSubType: 'oco' }), OCO);
    const pair = await rowOf(user, oco.id);
    assert.deepEqual([pair.orderType, pair.tpPriceUsd, pair.slPriceUsd], ['oco', 300, 90]);
    for (const absent of ['triggerCondition', 'triggerPriceUsd', 'slippageBps', 'tpSlippageBps']) {
      assert.equal(absent in pair, false, absent);
    }
    const trailing = { triggerPriceUsd: undefined, triggerCondition: 'below', trailingBps: 500 };
    const followed = await rowOf(user, (await create(user, await deposit(user), trailing)).id);
    assert.deepEqual([followed.trailingBps, followed.highWatermark, followed.lowWatermark], [500, 150, null]);
    assert.deepEqual([followed.triggerCondition, followed.triggerPriceUsd], ['below', 142.5]);
    assert.equal(followed.slippageBps, 2_000);
  });

  it('each refuses what does not belong to it, by name, and nothing moves', async () => {
    const user = await newUser(service);
    const before = await lamportsOf(service, user.wallet.address);
    const [single, oco, otoco] = [
      await deposit(user),
      await deposit(user, { orderSubType: 'oco' }),
      await deposit(user, { orderSubType: 'otoco' }),
    ];
    const otocoTerms = { orderType: 'otoco', tpPriceUsd: 700, slPriceUsd: 400 };
    const cases: [Deposit, Record<string, unknown>, RegExp][] = [
      [single, { triggerCondition: undefined }, /triggerCondition/],
      [single, { triggerCondition: 'beside' }, /triggerCondition/],
      [single, { triggerPriceUsd: undefined }, /exactly one of triggerPriceUsd or trailingBps must be set/],
      [single, { trailingBps: 500 }, /exactly one of/],
      [single, { triggerPriceUsd: 0 }, /triggerPriceUsd/],
      [single, { triggerPriceUsd: -1 }, /triggerPriceUsd/],
      [single, { triggerPriceUsd: '5' }, /triggerPriceUsd/],
      [single, { tpPriceUsd: 5 }, /tpPriceUsd.*single/],
      [single, { slSlippageBps: 5 }, /slSlippageBps/],
      [single, { slippageBps: 10_001 }, /slippageBps/],
      [single, { slippageBps: -1 }, /slippageBps/],
      [single, { slippageBps: 1.5 }, /slippageBps/],
      [single, { expiresAt: Date.now() - 1 }, /expiresAt/],
      [single, { expiresAt: Math.floor(Date.now() / 1000) + 3600 }, /expiresAt/],
      [single, { expiresAt: '2030' }, /expiresAt/],
      [single, { triggerPriceUsd: undefined, trailingBps: 49 }, /trailingBps/],
      [single, { triggerPriceUsd: undefined, trailingBps: 9_001 }, /trailingBps/],
      [single, { triggerPriceUsd: undefined, trailingBps: 500 }, /triggerMint/],
      [single, { triggerMint: USDC }, /Trigger mint is not supported/],
      [single, { inputAmount: '999999999' }, /inputAmount/],
      [single, { inputAmount: '1e9' }, /inputAmount/],
      [single, { outputMint: JUP }, /outputMint/],
      [single, { outputMint: SOL }, /cannot be the same/],
      [single, OCO, /orderType/],
      [single, { depositSignedTx: 'AAAA' }, /Invalid signed deposit transaction/],
      [single, { depositSignedTx: single.transaction }, /signature of .* is missing/],
      [single, { depositSignedTx: signTransaction(oco.transaction, user.wallet) }, /not the transaction/],
      [single, { depositRequestId: 'unknown' }, /not found in cache/],
      [oco, { ...OCO, tpPriceUsd: 90 }, /tpPriceUsd.*slPriceUsd/],
      [oco, { ...OCO, slPriceUsd: undefined }, /slPriceUsd/],
      [oco, { ...OCO, triggerPriceUsd: 100 }, /triggerPriceUsd.*oco/],
      [oco, { ...OCO, slippageBps: 1 }, /slippageBps/],
      [otoco, { ...otocoTerms, tpPriceUsd: undefined }, /tpPriceUsd/],
      [otoco, { ...otocoTerms, trailingBps: 500 }, /trailingBps/],
    ];
    for (const [crafted, changes, says] of cases) {
      const answer = await post<object>(user, '/orders/price', orderBody(user, crafted, changes));
      refuses(answer, 400, says, JSON.stringify(changes));
    }
    assert.equal(await lamportsOf(service, user.wallet.address), before);
    // Nothing of that has used the deposit up, unless it has died of age meanwhile.
    const made = await post<Created>(user, '/orders/price', orderBody(user, single));
    if (!hasDied(made)) return assert.equal(made.status, 200, JSON.stringify(made.body));
    const fresh = await deposit(user);
    refuses(await post(user, '/orders/price', orderBody(user, fresh, { trailingBps: 500 })), 400, /exactly one of/);
    await create(user, fresh);
  });
});

describe('a Token-2022 mint', () => {
  /** A mint with one extension, as the program lays it out: type, length, data. */
  async function newMint(extension?: { type: number; data: Uint8Array }): Promise<Address> {
    const { address } = generateKeypair();
    const base = encodeMint({ decimals: 6, supply: 0n, initialized: true });
    const data = Buffer.alloc(extension ? 166 + 4 + extension.data.length : 82);
    data.set(base);
    if (extension) {
      data[165] = 1;
      data.writeUInt16LE(extension.type, 166);
      data.writeUInt16LE(extension.data.length, 168);
      data.set(extension.data, 170);
    }
    const account = { lamports: 10_000_000, owner: TOKEN_2022_PROGRAM, executable: false };
    await rpc(service, 'localnet_setAccount', address, { ...account, data: data.toString('base64') });
    return address;
  }

  it('is deposited and comes back like any other', async () => {
    const user = await newUser(service);
    const before = await lamportsOf(service, user.wallet.address);
    let fees = 0n;
    const mints = [await newMint(), await newMint({ type: 12, data: new Uint8Array(32) })];
    for (const outputMint of mints) {
      const crafted = await deposit(user, { outputMint, orderSubType: 'otoco' });
      const created = await create(user, crafted, { outputMint, orderType: 'otoco', tpPriceUsd: 9, slPriceUsd: 8 });
      assert.equal((await tokensAt(service, crafted.outputTokenAccount!))?.mint, outputMint);
      const confirmed = await confirm(user, created.id, await cancel(user, created.id));
      assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body));
      fees += (await feeOf(service, created.txSignature)) + (await feeOf(service, confirmed.body.txSignature));
    }
    // Its own accounts of the two mints, into which fills would have gone, stay with the wallet.
    const own = mints.map((mint) => associatedTokenAddress(user.wallet.address, mint, TOKEN_2022_PROGRAM));
    const rents = await Promise.all(own.map((address) => lamportsOf(service, address)));
    assert.equal(await lamportsOf(service, user.wallet.address), before - fees - rents[0]! - rents[1]!);
  });

  it('that no fill could trade is refused by the name of its extension, on either side', async () => {
    const user = await newUser(service);
    const fee = await newMint({ type: 1, data: new Uint8Array(108) });
    const hook = await newMint({ type: 14, data: Uint8Array.from({ length: 64 }, (_, at) => (at < 32 ? 0 : 7)) });
    const hookToCome = await newMint({ type: 14, data: new Uint8Array(64) });
    const pausable = await newMint({ type: 26, data: new Uint8Array(33) });
    const later = await newMint({ type: 99, data: new Uint8Array(1) });
    for (const [mint, says] of [
      [fee, /transfer fee/],
      [hook, /transfer hook/],
      [hookToCome, /transfer hook/],
      [pausable, /pausable/],
      [later, /number 99/],
    ] as const) {
      refuses(await post(user, '/deposit/craft', depositBody(user, { outputMint: mint })), 400, says);
      const input = depositBody(user, { inputMint: mint, outputMint: SOL });
      refuses(await post(user, '/deposit/craft', input), 400, says);
    }
  });
});

describe('an edit', () => {
  const patch = (user: User, id: string, body: unknown) =>
    asWallet<{ id: string } & Partial<Refused>>(service, user.token, `/orders/price/${id}`, { method: 'PATCH', body });

  it('changes the terms of an open order only', async () => {
    const user = await newUser(service);
    const { id } = await newOrder(user);
    const expiresAt = Date.now() + 2 * HOUR;
    const edited = await patch(user, id, { orderType: 'single', triggerPriceUsd: 250, slippageBps: 30, expiresAt });
    assert.deepEqual([edited.status, edited.body], [200, { id }]);
    const row = await rowOf(user, id);
    assert.deepEqual([row.triggerPriceUsd, row.slippageBps, row.expiresAt], [250, 30, expiresAt]);
    for (const [body, says] of [
      [{}, /orderType/],
      [{ orderType: 'oco', tpPriceUsd: 1 }, /orderType/],
      [{ orderType: 'single', tpPriceUsd: 1 }, /tpPriceUsd/],
      [{ orderType: 'single', triggerCondition: 'below' }, /triggerCondition/],
      [{ orderType: 'single', trailingBps: 500 }, /Cannot convert to trailing stop loss order/],
      [{ orderType: 'single', expiresAt: 1 }, /expiresAt/],
      [{ orderType: 'single', triggerPriceUsd: 0 }, /triggerPriceUsd/],
    ] as const) {
      refuses(await patch(user, id, body), 400, says);
    }
    await cancel(user, id);
    refuses(await patch(user, id, { orderType: 'single', triggerPriceUsd: 1 }), 400, /open/);
  });

  it('keeps a pair in order, and a trailing order trailing', async () => {
    const user = await newUser(service);
    const oco = await create(user, await deposit(user, { orderSubType: 'oco' }), OCO);
    refuses(await patch(user, oco.id, { orderType: 'oco', slPriceUsd: 300 }), 400, /tpPriceUsd/);
    assert.equal((await patch(user, oco.id, { orderType: 'oco', slPriceUsd: 299, tpSlippageBps: 7 })).status, 200);
    const terms = { triggerPriceUsd: undefined, triggerCondition: 'below', trailingBps: 500 };
    const trailing = await create(user, await deposit(user), terms);
    const price = { orderType: 'single', triggerPriceUsd: 1 };
    refuses(await patch(user, trailing.id, price), 400, /Cannot set trigger price on trailing stop loss order/);
    assert.equal((await patch(user, trailing.id, { orderType: 'single', trailingBps: 900 })).status, 200);
    assert.equal((await rowOf(user, trailing.id)).trailingBps, 900);
  });
});
