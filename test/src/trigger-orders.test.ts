import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type Address,
  associatedTokenAddress,
  decodeTokenAccount,
  decodeTransaction,
  encodeMint,
  encodeTransaction,
  generateKeypair,
  type Keypair,
  rentExemptLamports,
  sign,
  TOKEN_2022_PROGRAM,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { type Answer, request, type Service, startService } from './service.js';
import { asWallet, logIn, TRIGGER } from './trigger-wallet.js';
import { JUP, rpc, signTransaction } from './wallet.js';

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' as Address;
const JUPUSD = 'JuprjznTrTSp2UFa3ZBUFgwdAmtZCq4MQCwysN55USD' as Address;
const SOL = WRAPPED_SOL_MINT;
const RENT = rentExemptLamports(165);
const HOUR = 3_600_000;

interface Refused {
  error: string;
  details?: Record<string, string>;
}

interface Deposit {
  transaction: string;
  requestId: string;
  receiverAddress: string;
  mint: string;
  amount: string;
  tokenDecimals: number;
  inputTokenAccount: Address;
  outputTokenAccount?: Address;
}

interface Row {
  id: string;
  orderState: string;
  rawState: string;
  fillPercent: number;
  events: { type: string; state: string; timestamp: number; txSignature?: string; mint?: string; amount?: string }[];
  updatedAt: number;
  [field: string]: unknown;
}

interface Created {
  id: string;
  txSignature: string;
  depositConfirmed: boolean;
  message?: string;
}

/** A funded wallet that has logged in and has a vault. */
interface User {
  wallet: Keypair;
  token: string;
  vault: string;
}

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service?.close());

const airdrop = (wallet: string, amount: bigint, mint?: string) =>
  request(`${service.url}/sandbox/airdrop`, { body: { wallet, amount: amount.toString(), mint } });

async function newUser(): Promise<User> {
  const wallet = generateKeypair();
  await airdrop(wallet.address, 10_000_000_000n);
  await airdrop(wallet.address, 1_000_000_000n, USDC);
  const token = await logIn(service, wallet);
  const { vaultPubkey } = (await asWallet<{ vaultPubkey: string }>(service, token, '/vault/register')).body;
  return { wallet, token, vault: vaultPubkey };
}

const post = <T>({ token }: User, path: string, body?: unknown) =>
  asWallet<T & Partial<Refused>>(service, token, path, { method: 'POST', ...(body !== undefined && { body }) });

const depositBody = (user: User, changes: Record<string, unknown> = {}) => ({
  ...{ inputMint: SOL, outputMint: USDC, userAddress: user.wallet.address, amount: '1000000000' },
  ...{ orderType: 'price', orderSubType: 'single', ...changes },
});

async function deposit(user: User, changes: Record<string, unknown> = {}): Promise<Deposit> {
  const { status, body } = await post<Deposit>(user, '/deposit/craft', depositBody(user, changes));
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

const orderBody = (user: User, crafted: Deposit, changes: Record<string, unknown> = {}, signer = user.wallet) => ({
  ...{ orderType: 'single', depositRequestId: crafted.requestId, userPubkey: user.wallet.address },
  depositSignedTx: signTransaction(crafted.transaction, signer),
  ...{ inputMint: SOL, inputAmount: crafted.amount, outputMint: USDC, triggerMint: SOL },
  ...{ triggerCondition: 'above', triggerPriceUsd: 500, expiresAt: Date.now() + HOUR, ...changes },
});

const OCO = {
  orderType: 'oco',
  triggerCondition: undefined,
  triggerPriceUsd: undefined,
  tpPriceUsd: 300,
  slPriceUsd: 90,
};

async function create(user: User, crafted: Deposit, changes: Record<string, unknown> = {}): Promise<Created> {
  const { status, body } = await post<Created>(user, '/orders/price', orderBody(user, crafted, changes));
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

async function newOrder(user: User): Promise<Created> {
  return create(user, await deposit(user));
}

const rowOf = async (user: User, id: string) =>
  (await asWallet<Row>(service, user.token, `/orders/history/${id}`)).body;

async function lamportsOf(address: string): Promise<bigint> {
  return BigInt((await rpc<{ value: number }>(service, 'getBalance', address)).value);
}

async function tokensAt(address: Address): Promise<{ amount: bigint; owner: string; mint: string } | undefined> {
  const options = { encoding: 'base64' };
  const { value } = await rpc<{ value: { data: [string, string] } | null }>(
    service,
    'getAccountInfo',
    address,
    options,
  );
  return value ? decodeTokenAccount(Buffer.from(value.data[0], 'base64')) : undefined;
}

async function feeOf(signature: string): Promise<bigint> {
  const options = { maxSupportedTransactionVersion: 0 };
  const found = await rpc<{ meta: { fee: number; err: unknown } }>(service, 'getTransaction', signature, options);
  assert.equal(found.meta.err, null);
  return BigInt(found.meta.fee);
}

async function cancel(user: User, id: string): Promise<{ transaction: string; requestId: string }> {
  const { status, body } = await post<{ transaction: string; requestId: string }>(user, `/orders/price/cancel/${id}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

const confirm = (user: User, id: string, { transaction, requestId }: { transaction: string; requestId: string }) =>
  post<{ txSignature: string }>(user, `/orders/price/confirm-cancel/${id}`, {
    signedTransaction: signTransaction(transaction, user.wallet),
    cancelRequestId: requestId,
  });

const refuses = ({ status, body }: Answer<Partial<Refused>>, expected: number, says: RegExp, why = '') => {
  assert.equal(status, expected, `${why} ${JSON.stringify(body)}`);
  assert.match(`${body.error} ${JSON.stringify(body.details ?? '')}`, says, why);
};

describe('an order from its deposit to its withdrawal', () => {
  it('in SOL: every lamport is accounted for', async () => {
    const user = await newUser();
    const { address } = user.wallet;
    const before = await lamportsOf(address);
    const crafted = await deposit(user);
    assert.deepEqual(
      [crafted.receiverAddress, crafted.mint, crafted.amount, crafted.tokenDecimals, crafted.outputTokenAccount],
      [user.vault, SOL, '1000000000', 9, undefined],
    );
    assert.equal(await lamportsOf(address), before);
    const created = await create(user, crafted);
    assert.equal(created.depositConfirmed, true);
    assert.equal(created.message, undefined);
    const depositFee = await feeOf(created.txSignature);
    assert.equal(await lamportsOf(address), before - 1_000_000_000n - RENT - depositFee);
    const held = await tokensAt(crafted.inputTokenAccount);
    assert.deepEqual([held?.amount, held?.owner, held?.mint], [1_000_000_000n, user.vault, SOL]);

    const row = await rowOf(user, created.id);
    assert.deepEqual([row.orderState, row.rawState, row.orderType], ['open', 'open', 'single']);
    assert.deepEqual([row.userPubkey, row.privyWalletPubkey], [address, user.vault]);
    assert.deepEqual([row.initialInputAmount, row.remainingInputAmount], ['1000000000', '1000000000']);
    assert.deepEqual([row.fillPercent, row.outputAmount, row.inputUsed, row.triggeredAt], [0, null, null, null]);
    assert.deepEqual([row.triggerCondition, row.triggerPriceUsd, row.slippageBps], ['above', 500, null]);
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
    const withdrawalFee = await feeOf(confirmed.body.txSignature);
    assert.equal(await lamportsOf(address), before - depositFee - withdrawalFee);
    assert.equal(await tokensAt(crafted.inputTokenAccount), undefined);
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
    const user = await newUser();
    const { address } = user.wallet;
    const account = associatedTokenAddress(address, USDC);
    const [lamports, usdc] = [await lamportsOf(address), (await tokensAt(account))!.amount];
    const pair = { inputMint: USDC, outputMint: SOL };
    const crafted = await deposit(user, { ...pair, amount: '25000001' });
    const created = await create(user, crafted, { ...pair, triggerCondition: 'below', triggerPriceUsd: 100 });
    assert.equal((await tokensAt(account))!.amount, usdc - 25_000_001n);
    assert.equal((await tokensAt(crafted.inputTokenAccount))?.amount, 25_000_001n);
    const confirmed = await confirm(user, created.id, await cancel(user, created.id));
    assert.equal((await tokensAt(account))!.amount, usdc);
    const fees = (await feeOf(created.txSignature)) + (await feeOf(confirmed.body.txSignature));
    assert.equal(await lamportsOf(address), lamports - fees);
  });

  it('of an entry with exits: both accounts are made by the deposit and closed by the withdrawal', async () => {
    const user = await newUser();
    const before = await lamportsOf(user.wallet.address);
    const crafted = await deposit(user, { orderSubType: 'otoco' });
    assert.ok(crafted.outputTokenAccount);
    const created = await create(user, crafted, { orderType: 'otoco', tpPriceUsd: 700, slPriceUsd: 400 });
    const output = await tokensAt(crafted.outputTokenAccount);
    assert.deepEqual([output?.amount, output?.owner, output?.mint], [0n, user.vault, USDC]);
    const row = await rowOf(user, created.id);
    assert.deepEqual([row.tpPriceUsd, row.slPriceUsd, row.tpSlippageBps, row.slSlippageBps], [700, 400, null, 2000]);
    const confirmed = await confirm(user, created.id, await cancel(user, created.id));
    assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body));
    const fees = (await feeOf(created.txSignature)) + (await feeOf(confirmed.body.txSignature));
    assert.equal(await lamportsOf(user.wallet.address), before - fees);
    assert.equal(await tokensAt(crafted.outputTokenAccount), undefined);
  });
});

describe('the kinds of orders', () => {
  it('a pair has its two prices; a trailing one its mark', async () => {
    const user = await newUser();
    const oco = await create(user, await deposit(user, { orderSubType: 'oco' }), OCO);
    const pair = await rowOf(user, oco.id);
    assert.deepEqual([pair.orderType, pair.tpPriceUsd, pair.slPriceUsd, pair.triggerPriceUsd], ['oco', 300, 90, null]);
    const trailing = { triggerPriceUsd: undefined, triggerCondition: 'below', trailingBps: 500 };
    const followed = await rowOf(user, (await create(user, await deposit(user), trailing)).id);
    assert.deepEqual([followed.trailingBps, followed.highWatermark, followed.lowWatermark], [500, 150, null]);
    assert.equal(followed.slippageBps, 2_000);
  });

  it('each refuses what does not belong to it, by name, and nothing moves', async () => {
    const user = await newUser();
    const before = await lamportsOf(user.wallet.address);
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
    assert.equal(await lamportsOf(user.wallet.address), before);
    // Nothing of that has used the deposit up.
    await create(user, single);
  });
});

describe('a deposit', () => {
  it('is refused with the reason', async () => {
    const user = await newUser();
    const other = generateKeypair().address;
    const cases: [Record<string, unknown>, number, RegExp][] = [
      [{ userAddress: other }, 403, /^Forbidden: userAddress must match authenticated user/],
      [{ userAddress: user.vault }, 400, /vault/],
      [{ userAddress: 'abc' }, 400, /userAddress/],
      [{ inputMint: USDC }, 400, /Input mint and output mint cannot be the same/],
      [{ inputMint: JUPUSD }, 400, /Mint pair is not supported/],
      [{ outputMint: other }, 400, /outputMint.*no such mint/],
      [{ outputMint: 'x' }, 400, /outputMint/],
      [{ amount: '60000000' }, 400, /Order must be at least 10 USD \(current value: 9\.00 USD\)/],
      [{ amount: '66666666' }, 400, /current value: 9\.99 USD/],
      [{ amount: '0' }, 400, /amount/],
      [{ amount: '-5' }, 400, /amount/],
      [{ amount: '1.5' }, 400, /amount/],
      [{ amount: '18446744073709551616' }, 400, /amount/],
      [{ amount: 1_000_000_000 }, 400, /amount/],
      [{ orderType: 'dca' }, 400, /orderType/],
      [{ orderSubType: undefined }, 400, /orderSubType/],
      [{ orderSubType: 'twap' }, 400, /orderSubType/],
    ];
    for (const [changes, status, says] of cases) {
      refuses(await post(user, '/deposit/craft', depositBody(user, changes)), status, says, JSON.stringify(changes));
    }
    const noVault = { ...user, wallet: generateKeypair() };
    noVault.token = await logIn(service, noVault.wallet);
    refuses(await post(noVault, '/deposit/craft', depositBody(noVault)), 403, /vault/);
    refuses(
      await post(noVault, '/orders/price', orderBody(noVault, await deposit(user), {}, user.wallet)),
      400,
      /vault/,
    );
  });

  it('can be crafted before the wallet has the funds, and is refused when it is sent without them', async () => {
    const user = await newUser();
    const crafted = await deposit(user, { amount: '11000000000' });
    refuses(await post(user, '/orders/price', orderBody(user, crafted)), 400, /Invalid signed deposit transaction/);
    await airdrop(user.wallet.address, 2_000_000_000n);
    await create(user, crafted);
  });

  it('cannot be landed without its order', async () => {
    const user = await newUser();
    const before = await lamportsOf(user.wallet.address);
    const signed = signTransaction((await deposit(user)).transaction, user.wallet);
    const submitted = await request(`${service.url}/tx/v1/submit`, { body: { signedTransaction: signed } });
    assert.equal(submitted.status, 400);
    await assert.rejects(rpc(service, 'sendTransaction', signed, { encoding: 'base64' }));
    assert.equal(await lamportsOf(user.wallet.address), before);
  });

  it('makes one order, however many creates race, and repeats its answer', async () => {
    const user = await newUser();
    const before = await lamportsOf(user.wallet.address);
    const crafted = await deposit(user);
    const body = orderBody(user, crafted);
    const bodies = Array.from({ length: 100 }, (_, n) => (n % 4 ? body : { ...body, triggerPriceUsd: 501 + n }));
    const answers = await Promise.all(bodies.map((each) => post<Created>(user, '/orders/price', each)));
    const made = answers.filter(({ status }) => status === 200);
    assert.ok(made.length >= 1);
    assert.equal(new Set(made.map((answer) => answer.body.id)).size, 1);
    for (const answer of answers) if (answer.status !== 200) refuses(answer, 400, /[Dd]uplicate deposit/);
    const spent = before - (await lamportsOf(user.wallet.address));
    assert.equal(spent, 1_000_000_000n + RENT + (await feeOf(made[0]!.body.txSignature)));
    const history = await asWallet<{ pagination: { total: number } }>(service, user.token, '/orders/history');
    assert.equal(history.body.pagination.total, 1);

    const winner = bodies[answers.findIndex(({ status, body: { message } }) => status === 200 && !message)]!;
    const again = await post<Created>(user, '/orders/price', winner);
    assert.deepEqual([again.status, again.body.id], [200, made[0]!.body.id]);
    assert.equal(typeof again.body.message, 'string');
    refuses(await post(user, '/orders/price', { ...winner, triggerPriceUsd: 1 }), 400, /Duplicate deposit/);
  });
});

describe('a cancellation', () => {
  it('gives a fresh withdrawal each time, of which one moves the funds', async () => {
    const user = await newUser();
    const { id } = await newOrder(user);
    const [first, second] = [await cancel(user, id), await cancel(user, id)];
    assert.notEqual(first.requestId, second.requestId);
    const answers = await Promise.all([confirm(user, id, first), confirm(user, id, second), confirm(user, id, first)]);
    assert.ok(answers.some(({ status }) => status === 200));
    assert.equal((await rowOf(user, id)).rawState, 'cancelled');
  });

  it('refuses what is not its own withdrawal', async () => {
    const user = await newUser();
    const [mine, other] = [await newOrder(user), await newOrder(user)];
    const [withdrawal, elsewhere] = [await cancel(user, mine.id), await cancel(user, other.id)];
    const thief = generateKeypair();
    const { decoded: _, ...unsigned } = decodeTransaction(Buffer.from(withdrawal.transaction, 'base64'));
    const forged = encodeTransaction({
      ...unsigned,
      signatures: unsigned.signatures.map((empty, index) => (index ? empty : sign(thief, unsigned.message))),
    });
    const good = signTransaction(withdrawal.transaction, user.wallet);
    const path = `/orders/price/confirm-cancel/${mine.id}`;
    const cases: [Record<string, unknown>, RegExp][] = [
      [{ signedTransaction: good }, /cancelRequestId/],
      [{ cancelRequestId: withdrawal.requestId }, /signedTransaction/],
      [{ signedTransaction: 'AAAA', cancelRequestId: withdrawal.requestId }, /Invalid transaction format/],
      [{ signedTransaction: good, cancelRequestId: 'unknown' }, /not found in cache. Please initiate cancel again/],
      [{ signedTransaction: good, cancelRequestId: elsewhere.requestId }, /not found in cache/],
      [{ signedTransaction: withdrawal.transaction, cancelRequestId: withdrawal.requestId }, /missing/],
      [
        { signedTransaction: Buffer.from(forged).toString('base64'), cancelRequestId: withdrawal.requestId },
        /does not match/,
      ],
      [
        {
          signedTransaction: signTransaction(elsewhere.transaction, user.wallet),
          cancelRequestId: withdrawal.requestId,
        },
        /Invalid withdrawal transaction/,
      ],
    ];
    for (const [body, says] of cases) refuses(await post(user, path, body), 400, says, JSON.stringify(body));
    assert.equal((await confirm(user, mine.id, withdrawal)).status, 200);
  });
});

describe('an edit', () => {
  const patch = (user: User, id: string, body: unknown) =>
    asWallet<{ id: string } & Partial<Refused>>(service, user.token, `/orders/price/${id}`, { method: 'PATCH', body });

  it('changes the terms of an open order only', async () => {
    const user = await newUser();
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
    const user = await newUser();
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

describe("somebody else's order", () => {
  it('cannot be seen, edited, cancelled or withdrawn', async () => {
    const [user, other] = [await newUser(), await newUser()];
    const { id } = await newOrder(user);
    const withdrawal = await cancel(user, id);
    const asOther = <T>(method: string, path: string, body?: unknown) =>
      asWallet<T & Partial<Refused>>(service, other.token, path, { method, ...(body !== undefined && { body }) });
    const edit = { orderType: 'single', triggerPriceUsd: 1 };
    const signed = {
      signedTransaction: signTransaction(withdrawal.transaction, user.wallet),
      cancelRequestId: withdrawal.requestId,
    };
    for (const [path, known, unknown] of [
      [`/orders/history/${id}`, 403, 404],
      [`/orders/history?id=${id}`, 403, 404],
    ] as const) {
      refuses(await asOther('GET', path), known, /Forbidden/);
      refuses(await asOther('GET', path.replace(id, 'nothing')), unknown, /Order not found/);
    }
    refuses(await asOther('POST', `/orders/price/cancel/${id}`), 403, /Forbidden/);
    refuses(await asOther('POST', '/orders/price/cancel/nothing'), 404, /Order not found/);
    refuses(await asOther('PATCH', `/orders/price/${id}`, edit), 404, /Order not found/);
    refuses(await asOther('POST', `/orders/price/confirm-cancel/${id}`, signed), 404, /Order not found/);
    refuses(await post(other, '/orders/price', orderBody(user, await deposit(user))), 403, /userPubkey must match/);
    const mine = orderBody(other, await deposit(user), {}, user.wallet);
    refuses(await post(other, '/orders/price', mine), 400, /not found in cache/);
    const list = await asWallet<{ orders: unknown[] }>(service, other.token, '/orders/history');
    assert.deepEqual(list.body.orders, []);
  });
});

describe('the history', () => {
  it('lists by state and mint, in pages', async () => {
    const user = await newUser();
    const [first, second, third] = [await newOrder(user), await newOrder(user), await newOrder(user)];
    await confirm(user, second.id, await cancel(user, second.id));
    const list = async (query: string) => {
      const path = `/orders/history?${query}`;
      const { status, body } = await asWallet<{ orders: Row[]; pagination: object }>(service, user.token, path);
      assert.equal(status, 200, JSON.stringify(body));
      return { ids: body.orders.map(({ id }) => id), pagination: body.pagination };
    };
    assert.deepEqual((await list('state=active&sort=created_at&dir=asc')).ids, [first.id, third.id]);
    assert.deepEqual((await list('state=past')).ids, [second.id]);
    assert.deepEqual((await list('')).ids, [second.id, third.id, first.id]);
    assert.deepEqual(await list('limit=1&offset=1&sort=created_at'), {
      ids: [second.id],
      pagination: { total: 3, limit: 1, offset: 1 },
    });
    assert.deepEqual((await list(`mint=${JUP}`)).ids, []);
    assert.deepEqual((await list(`mint=${USDC}`)).ids.length, 3);
    const { body } = await asWallet<Row>(service, user.token, `/orders/history?id=${first.id}`);
    assert.equal(body.id, first.id);
    for (const query of ['state=all', 'limit=0', 'limit=101', 'offset=-1', 'sort=price', 'dir=up', 'mint=x']) {
      const { status } = await asWallet(service, user.token, `/orders/history?${query}`);
      assert.equal(status, 400, query);
    }
  });
});

it('an order expires at its time, and its funds can still be taken out', async () => {
  const user = await newUser();
  const crafted = await deposit(user);
  const now = (await request<{ unixTimestamp: number }>(`${service.url}/sandbox/info`)).body.unixTimestamp * 1000;
  const { id } = await create(user, crafted, { expiresAt: now + 600_000 });
  await request(`${service.url}/sandbox/clock`, { body: { seconds: 300 } });
  assert.equal((await rowOf(user, id)).orderState, 'open');
  await request(`${service.url}/sandbox/clock`, { body: { seconds: 301 } });
  const row = await rowOf(user, id);
  assert.deepEqual([row.orderState, row.rawState, row.events[0]?.type], ['expired', 'expired', 'expired']);
  const listed = async (state: string) => {
    const { body } = await asWallet<{ orders: Row[] }>(service, user.token, `/orders/history?state=${state}`);
    return body.orders.map((order) => order.id);
  };
  assert.deepEqual([await listed('active'), await listed('past')], [[id], []]);
  assert.equal((await tokensAt(crafted.inputTokenAccount))?.amount, 1_000_000_000n);
  const edit = { method: 'PATCH', body: { orderType: 'single', triggerPriceUsd: 1 } };
  refuses(await asWallet<Partial<Refused>>(service, user.token, `/orders/price/${id}`, edit), 400, /open/);
  assert.equal((await confirm(user, id, await cancel(user, id))).status, 200);
  assert.equal((await rowOf(user, id)).rawState, 'cancelled');
  assert.deepEqual([await listed('active'), await listed('past')], [[], [id]]);
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

  it('is traded like any other, also where its accounts must be larger', async () => {
    const user = await newUser();
    const before = await lamportsOf(user.wallet.address);
    let fees = 0n;
    const mints = [await newMint(), await newMint({ type: 26, data: new Uint8Array(33) })];
    for (const outputMint of mints) {
      const crafted = await deposit(user, { outputMint, orderSubType: 'otoco' });
      const created = await create(user, crafted, { outputMint, orderType: 'otoco', tpPriceUsd: 9, slPriceUsd: 8 });
      assert.equal((await tokensAt(crafted.outputTokenAccount!))?.mint, outputMint);
      const confirmed = await confirm(user, created.id, await cancel(user, created.id));
      assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body));
      fees += (await feeOf(created.txSignature)) + (await feeOf(confirmed.body.txSignature));
    }
    // Its own accounts of the two mints, into which fills would have gone, stay with the wallet.
    const own = mints.map((mint) => associatedTokenAddress(user.wallet.address, mint, TOKEN_2022_PROGRAM));
    const rents = await Promise.all(own.map(lamportsOf));
    assert.equal(await lamportsOf(user.wallet.address), before - fees - rents[0]! - rents[1]!);
  });

  it('with a transfer fee or hook is refused by name, on either side', async () => {
    const user = await newUser();
    const fee = await newMint({ type: 1, data: new Uint8Array(108) });
    const hook = await newMint({ type: 14, data: Uint8Array.from({ length: 64 }, (_, at) => (at < 32 ? 0 : 7)) });
    for (const [mint, says] of [
      [fee, /transfer fee/],
      [hook, /transfer hook/],
    ] as const) {
      refuses(await post(user, '/deposit/craft', depositBody(user, { outputMint: mint })), 400, says);
      const input = depositBody(user, { inputMint: mint, outputMint: SOL });
      refuses(await post(user, '/deposit/craft', input), 400, says);
    }
  });
});

it('orders and their funds outlive kill -9', async () => {
  const first = await startService();
  const main = service;
  try {
    service = first;
    const user = await newUser();
    const { id } = await newOrder(user);
    const withdrawal = await cancel(user, id);
    await first.kill();
    service = await startService({ dataDir: first.dataDir });
    assert.equal((await rowOf(user, id)).rawState, 'ready_to_cancel');
    assert.equal((await confirm(user, id, withdrawal)).status, 200);
    assert.equal((await rowOf(user, id)).rawState, 'cancelled');
    await service.close();
  } finally {
    service = main;
    await first.close();
  }
});

it('a deposit that kill -9 interrupts has an open order exactly when it has landed', async () => {
  const main = service;
  service = await startService();
  const { dataDir } = service;
  try {
    const user = await newUser();
    const outcomes: string[] = [];
    for (const delay of [0, 4, 8, 15, 30, 60, 120]) {
      const crafted = await deposit(user, { amount: '100000000' });
      const answer = post<Created>(user, '/orders/price', orderBody(user, crafted)).catch(() => undefined);
      await new Promise((done) => setTimeout(done, delay));
      await service.kill();
      await answer;
      service = await startService({ dataDir });
      const list = async () =>
        (await asWallet<{ orders: Row[] }>(service, user.token, '/orders/history?limit=100')).body.orders;
      // What is under way lands at once, or dies with its blockhash: time is moved so that it does.
      for (let tries = 0; (await list()).some(({ orderState }) => orderState === 'pending'); tries += 1) {
        assert.ok(tries < 100, 'an order stays pending');
        if (tries === 20) await request(`${service.url}/sandbox/clock`, { body: { seconds: 120 } });
        await new Promise((done) => setTimeout(done, 100));
      }
      const landed = (await tokensAt(crafted.inputTokenAccount))?.amount === 100_000_000n;
      const open = (await list()).filter(({ rawState }) => rawState === 'open').length;
      const before = outcomes.filter((outcome) => outcome === 'landed').length;
      assert.equal(open, before + (landed ? 1 : 0), `killed after ${delay} ms`);
      outcomes.push(landed ? 'landed' : 'not landed');
    }
    const total = outcomes.filter((outcome) => outcome === 'landed').length;
    const { body } = await asWallet<{ pagination: { total: number } }>(
      service,
      user.token,
      '/orders/history?state=active',
    );
    assert.equal(body.pagination.total, total);
  } finally {
    await service.close();
    service = main;
  }
});

it('is what the contract calls it: every path stands under /trigger/v2', async () => {
  const slash = await request(`${service.url}${TRIGGER}/orders/price/`, { body: {} });
  assert.equal(slash.status, 404);
});
