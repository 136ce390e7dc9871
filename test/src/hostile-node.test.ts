import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Localnet, startLocalnet } from '@slipway/localnet';
import { inviteKeypair, newInviteCode } from '@slipway/programs';
import { type Address, generateKeypair, type Keypair } from '@slipway/wire';
import { eventually, newSeed, seededRandom } from './rounds.js';
import { type Answer, request, type Service, startService } from './service.js';
import { addressesOf, type Creation, createPool, indie, submit, upload } from './studio.js';
import { type Execution, type Order, order, postExecute, setPrice, tokensOf } from './swap.js';
import {
  type Created,
  deposit,
  lamportsOf,
  newUser,
  orderBody,
  post,
  RENT,
  rowOf,
  SOL,
  tokensAt,
  USDC,
  type User,
  usdcOf,
} from './trigger-user.js';
import {
  type Behavior,
  faithful,
  type Reply,
  type RpcCall,
  refusal,
  result,
  startUpstreamProxy,
  type UpstreamProxy,
} from './upstream-proxy.js';
import { JUP, newWallet, signTransaction } from './wallet.js';

/** Launches need the programs of other companies. */
const programsDir = process.env.SLIPWAY_PROGRAMS_DIR;
const EACH = 5;
const HOSTILE_MS = 15_000;
const INVITED = 5_000_000n;
const INVITE_RENT = 1_224_960n;
/** Beyond what the service reads of any answer. */
const FLOOD = 'x'.repeat(140 * 1024 * 1024);

/** Made-up failures: of transactions in base64, and of those that have landed, once each. */
interface Lies {
  /** Taken, and answered as one whose simulation failed. */
  denied: ReadonlySet<string>;
  /** Simulated as ones that fail. */
  doomed: ReadonlySet<string>;
  /** The first status of each that has landed says that it has failed. */
  accused: Set<string>;
}

const CUSTOM_ERROR = { InstructionError: [3, { Custom: 6001 }] };

/** A false answer to what is said about a transaction; undefined where the truth is told. */
async function lie(
  { method, params }: RpcCall,
  forward: () => Promise<string>,
  { denied, doomed, accused }: Lies,
): Promise<Reply | undefined> {
  if (method === 'sendTransaction' && denied.has(params[0] as string)) {
    await forward();
    return refusal(
      -32002,
      'Transaction simulation failed: Error processing Instruction 3: custom program error: 0x1771',
    );
  }
  if (method === 'simulateTransaction' && doomed.has(params[0] as string)) {
    const said = JSON.parse(await forward()) as { result: { value: object } };
    return result({ ...said.result, value: { ...said.result.value, err: CUSTOM_ERROR } });
  }
  if (method !== 'getSignatureStatuses') return undefined;
  const said = JSON.parse(await forward()) as { result: { value: (object | null)[] } };
  const signatures = params[0] as string[];
  const isNew = signatures.map((signature, i) => said.result.value[i] !== null && !accused.has(signature));
  if (!isNew.includes(true)) return undefined;
  const value = said.result.value.map((status, i) => {
    if (!isNew[i]) return status;
    accused.add(signatures[i]!);
    return { ...status, err: CUSTOM_ERROR, confirmationStatus: 'confirmed' };
  });
  return result({ ...said.result, value });
}

/** What a client does that is told to come again: a call to the node may still hang that was made before it was honest. */
const final = <T>(ask: () => Promise<Answer<T>>): Promise<Answer<T>> =>
  eventually('a final answer', async () => {
    const answer = await ask();
    return answer.headers.has('retry-after') ? undefined : answer;
  });

/** Lags, forgets, hangs, cuts, throttles, floods, denies what it has done, and says what it has not. */
function hostile(random: () => number, lies: Lies): Behavior {
  const seen = new Map<string, string>();
  let floods = 3;
  return async (call, forward) => {
    const { method } = call;
    const draw = random();
    await sleep(random() * 30);
    const made = await lie(call, forward, lies);
    if (made) return made;
    if (draw < 0.05) return 'cut';
    if (draw < 0.08) return 'hang';
    if (draw < 0.14) return { status: 429, body: 'slow down' };
    if (draw < 0.2) return refusal(-32005, 'Node is behind');
    if (draw < 0.21 && floods-- > 0) return { body: FLOOD };
    if (method === 'getTransaction' && draw < 0.6) return result(null);
    const key = JSON.stringify([method, call.params]);
    const old = seen.get(key);
    if (old !== undefined && draw < 0.35 && method !== 'sendTransaction') return { body: old };
    const body = await forward();
    seen.set(key, body);
    if (draw < 0.45) return 'cut';
    if (method !== 'getSignatureStatuses' || draw < 0.7) return { body };
    const { result: told, ...rest } = JSON.parse(body) as { result: { value: unknown[] } };
    return { body: JSON.stringify({ ...rest, result: { ...told, value: told.value.map(() => null) } }) };
  };
}

describe('attack: a node lags, forgets, hangs, throttles, floods, denies and makes up failures, while swaps, orders, claims and launches run', () => {
  let localnet: Localnet;
  let proxy: UpstreamProxy;
  let service: Service;
  /** The service, but with the chain itself as its RPC. */
  let direct: Service;
  before(async () => {
    localnet = await startLocalnet({ rpcPort: 0, ...(programsDir !== undefined && { programsDir }) });
    proxy = await startUpstreamProxy(localnet.rpcUrl);
    service = await startService({ env: { SLIPWAY_RPC_URL: proxy.url, SLIPWAY_SANDBOX: '1' } });
    direct = { ...service, rpcUrl: localnet.rpcUrl };
  });
  after(async () => {
    await service?.close();
    await proxy?.close();
    await localnet?.close();
  });

  interface Swap {
    taker: Keypair;
    body: { signedTransaction: string; requestId: string };
    made: Order;
  }

  async function newSwap(): Promise<Swap> {
    const taker = await newWallet(service, 5_000_000_000n, 0n);
    const query = { inputMint: SOL, outputMint: USDC, amount: 1_000_000_000n, taker: taker.address };
    const made = await order(service, { ...query, excludeRouters: 'jupiterz', slippageBps: 2_000 });
    const signedTransaction = signTransaction(made.transaction!, taker);
    return { taker, made, body: { signedTransaction, requestId: made.requestId } };
  }

  interface Waiting {
    user: User;
    body: ReturnType<typeof orderBody>;
    account: Awaited<ReturnType<typeof deposit>>['inputTokenAccount'];
    usdc: bigint;
  }

  async function newWaiting(): Promise<Waiting> {
    const user = await newUser(service);
    const crafted = await deposit(user);
    const body = orderBody({ ...user, service: direct }, crafted, { triggerPriceUsd: 155, slippageBps: 2_000 });
    return { user, body, account: crafted.inputTokenAccount, usdc: await usdcOf({ ...user, service: direct }) };
  }

  interface Claim {
    receiver: Keypair;
    body: { requestId: string; signedTransaction: string };
  }

  async function newClaim(): Promise<Claim> {
    const [sender, key, receiver] = [
      await newWallet(service, 10n ** 9n, 0n),
      inviteKeypair(newInviteCode()),
      generateKeypair(),
    ];
    const craft = <T>(name: string, body: object) => request<T>(`${service.url}/send/v1/craft-${name}`, { body });
    const asked = { inviteSigner: key.address, sender: sender.address, amount: `${INVITED}` };
    const { tx } = (await craft<{ tx: string }>('send', asked)).body;
    const signed = { signedTransaction: signTransaction(tx, sender, key) };
    assert.equal((await request(`${service.url}/tx/v1/submit`, { body: signed })).status, 200);
    const crafted = await eventually('the invite can be claimed', async () => {
      const terms = { inviteSigner: key.address, receiver: receiver.address };
      const { status, body } = await craft<{ tx: string; requestId: string }>('claim', terms);
      return status === 200 ? body : undefined;
    });
    const { requestId } = crafted;
    return { receiver, body: { requestId, signedTransaction: signTransaction(crafted.tx, key) } };
  }

  interface Limit {
    maker: Keypair;
    order: Address;
    jup: bigint;
    body: { requestId: string; signedTransaction: string };
  }

  /** 1,000 JUP for 500 USDC. */
  async function newLimit(): Promise<Limit> {
    const maker = await newWallet(service);
    const { address } = maker;
    const params = { makingAmount: '1000000000', takingAmount: '500000000' };
    const asked = { inputMint: JUP, outputMint: USDC, maker: address, payer: address, params };
    const crafted = await request<{ requestId: string; transaction: string; order: Address }>(
      `${service.url}/trigger/v1/createOrder`,
      { body: asked },
    );
    assert.equal(crafted.status, 200, JSON.stringify(crafted.body));
    const { requestId, transaction, order } = crafted.body;
    const jup = await tokensOf(direct, address, JUP);
    return { maker, order, jup, body: { requestId, signedTransaction: signTransaction(transaction, maker) } };
  }

  const openLimit = ({ body }: Limit) =>
    request<{ status: string; order: Address }>(`${service.url}/trigger/v1/execute`, { body });

  async function limitsOf({ maker }: Limit, orderStatus: 'active' | 'history') {
    const query = `user=${maker.address}&orderStatus=${orderStatus}`;
    type Page = { orders: { orderKey: Address; status: string }[] };
    return (await request<Page>(`${service.url}/trigger/v1/getTriggerOrders?${query}`)).body.orders;
  }

  interface Launch {
    creator: Keypair;
    creation: Creation;
  }

  async function newLaunch(): Promise<Launch> {
    const creator = await newWallet(service, 2_000_000_000n, 0n);
    const { status, body } = await createPool(service, indie(creator.address));
    assert.equal(status, 200, JSON.stringify(body));
    await upload(body);
    return { creator, creation: body };
  }

  const claim = ({ body }: Claim) => request<{ signature: string }>(`${service.url}/send/v1/execute-claim`, { body });
  const create = ({ user, body }: Waiting) => post<Created>(user, '/orders/price', body);

  it('nothing is lost, nothing happens twice, every final answer is the chain’s, and all goes on without a restart', async (t) => {
    const seed = newSeed();
    t.diagnostic(`TEST_SEED=${seed}`);
    await setPrice(service, SOL, 150);
    const all = <T>(make: () => Promise<T>) => Promise.all(Array.from({ length: EACH }, make));
    await setPrice(service, JUP, 0.4);
    const [swaps, waiting, claims] = [await all(newSwap), await all(newWaiting), await all(newClaim)];
    const [doomed, limits] = [await all(newSwap), await all(newLimit)];
    const launches = programsDir === undefined ? [] : [await newLaunch(), await newLaunch()];
    const wiresOf = (some: Swap[]) => new Set(some.map(({ body }) => body.signedTransaction));
    const lies: Lies = { denied: wiresOf(swaps.slice(0, 3)), doomed: wiresOf(doomed), accused: new Set() };

    proxy.behavior = hostile(seededRandom(seed), lies);
    const hostility = sleep(HOSTILE_MS).then(() => {
      proxy.behavior = faithful;
    });
    // Failures and refusals for now are answers, too; each has one.
    const first = await Promise.all([
      Promise.all(swaps.map(({ body }) => postExecute(service, body))),
      Promise.all(claims.map(claim)),
      Promise.all(waiting.map(create)),
      setPrice(service, SOL, 160).catch(() => {}),
      Promise.all(doomed.map(({ body }) => postExecute(service, body))),
      Promise.all(limits.map(openLimit)),
      Promise.all(launches.map(({ creation, creator }) => submit(service, creation, creator).catch(() => undefined))),
    ]);
    await hostility;
    assert.ok(lies.accused.size > 0, 'no failure was made up');

    // All at once: what was not sent yet expires a minute after it was crafted.
    const [ends, claimed, created, doomedEnds, openedAgain, launched] = await Promise.all([
      Promise.all(swaps.map(({ body }) => final(() => postExecute(service, body)))),
      Promise.all(claims.map((one) => final(() => claim(one)))),
      Promise.all(waiting.map((one) => final(() => create(one)))),
      Promise.all(doomed.map(({ body }) => final(() => postExecute(service, body)))),
      Promise.all(limits.map((one) => final(() => openLimit(one)))),
      Promise.all(launches.map(({ creation, creator }) => final(() => submit(service, creation, creator)))),
    ]);
    for (const [index, { taker, made }] of swaps.entries()) {
      const end: Execution = ends[index]!.body;
      assert.equal(end.status, 'Success', JSON.stringify(end));
      const told = first[0][index]!;
      if (told.status === 200) assert.equal(told.body.status, 'Success', JSON.stringify(told.body));
      assert.equal((await tokensOf(direct, taker.address, USDC)).toString(), end.totalOutputAmount);
      assert.equal(end.totalInputAmount, made.inAmount);
    }
    const [, , , , refused, opened] = first;
    for (const [index, { taker }] of doomed.entries()) {
      // It was not sent, and is not sent later; where the simulation was not reached, it may still be.
      const end = doomedEnds[index]!.body;
      if (refused[index]!.body.status === 'Failed') assert.equal(end.status, 'Failed', JSON.stringify(end));
      const bought = await tokensOf(direct, taker.address, USDC);
      assert.equal(bought.toString(), end.status === 'Success' ? end.totalOutputAmount : '0');
    }
    for (const [index, limit] of limits.entries()) {
      const { status, body } = openedAgain[index]!;
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(body.status, 'Success', JSON.stringify(body));
      if (opened[index]!.status === 200) assert.equal(opened[index]!.body.status, 'Success');
      assert.equal(await tokensOf(direct, limit.maker.address, JUP), limit.jup - 1_000_000_000n);
      const active = await eventually('the order is listed', async () => {
        const found = await limitsOf(limit, 'active');
        return found.length > 0 ? found : undefined;
      });
      assert.deepEqual(
        active.map(({ orderKey }) => orderKey),
        [limit.order],
      );
    }
    await setPrice(service, JUP, 0.6);
    for (const limit of limits) {
      await eventually('the limit order is filled', async () => {
        const [ended] = await limitsOf(limit, 'history');
        return ended?.status === 'Completed' ? ended : undefined;
      });
      assert.equal(await tokensOf(direct, limit.maker.address, USDC), 500_000_000n);
    }
    for (const [index, { creation }] of launches.entries()) {
      const { status, body } = launched[index]!;
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(body.data.mint, creation.mint);
      assert.equal((await addressesOf(service, creation.mint)).body.data.configKey, body.data.configKey);
    }
    for (const [index, { receiver }] of claims.entries()) {
      const { status, body } = claimed[index]!;
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(await lamportsOf(direct, receiver.address), INVITED + INVITE_RENT);
    }
    await setPrice(service, SOL, 160);
    for (const [index, { user, account, usdc }] of waiting.entries()) {
      const { status, body } = created[index]!;
      assert.equal(status, 200, JSON.stringify(body));
      const row = await eventually('the order is filled', async () => {
        const now = await rowOf(user, body.id);
        return now.rawState === 'fill_success' ? now : undefined;
      });
      assert.deepEqual([row.inputUsed, row.remainingInputAmount], ['1000000000', '0']);
      assert.equal(`${(await usdcOf({ ...user, service: direct })) - usdc}`, row.outputAmount);
      assert.equal(await tokensAt(direct, account), undefined);
      const fills = row.events.filter(({ type, state }) => type === 'fill' && state === 'success');
      assert.equal(fills.length, 1);
      assert.ok((await lamportsOf(direct, user.wallet.address)) > RENT);
    }
  });
});
