import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Localnet, startLocalnet } from '@slipway/localnet';
import { inviteKeypair, newInviteCode } from '@slipway/programs';
import { generateKeypair, type Keypair } from '@slipway/wire';
import { eventually, newSeed, seededRandom } from './rounds.js';
import { request, type Service, startService } from './service.js';
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
import { type Behavior, faithful, refusal, result, startUpstreamProxy, type UpstreamProxy } from './upstream-proxy.js';
import { newWallet, signTransaction } from './wallet.js';

const EACH = 5;
const HOSTILE_MS = 15_000;
const INVITED = 5_000_000n;
const INVITE_RENT = 1_224_960n;
/** Beyond what the service reads of any answer. */
const FLOOD = 'x'.repeat(140 * 1024 * 1024);

/** Lags, forgets, hangs, cuts, throttles, floods, and denies what it has done; it makes up no failure. */
function hostile(random: () => number): Behavior {
  const seen = new Map<string, string>();
  let floods = 3;
  return async (call, forward) => {
    const { method } = call;
    const draw = random();
    await sleep(random() * 30);
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

describe('attack: a node lags, forgets, hangs, throttles, floods and denies, while swaps, orders and claims run', () => {
  let localnet: Localnet;
  let proxy: UpstreamProxy;
  let service: Service;
  /** The service, but with the chain itself as its RPC. */
  let direct: Service;
  before(async () => {
    localnet = await startLocalnet({ rpcPort: 0 });
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

  const claim = ({ body }: Claim) => request<{ signature: string }>(`${service.url}/send/v1/execute-claim`, { body });
  const create = ({ user, body }: Waiting) => post<Created>(user, '/orders/price', body);

  it('nothing is lost, nothing happens twice, every final answer is the chain’s, and all goes on without a restart', async (t) => {
    const seed = newSeed();
    t.diagnostic(`TEST_SEED=${seed}`);
    await setPrice(service, SOL, 150);
    const all = <T>(make: () => Promise<T>) => Promise.all(Array.from({ length: EACH }, make));
    const [swaps, waiting, claims] = [await all(newSwap), await all(newWaiting), await all(newClaim)];

    proxy.behavior = hostile(seededRandom(seed));
    const hostility = sleep(HOSTILE_MS).then(() => {
      proxy.behavior = faithful;
    });
    // Failures and refusals for now are answers, too; each has one.
    const first = await Promise.all([
      Promise.all(swaps.map(({ body }) => postExecute(service, body))),
      Promise.all(claims.map(claim)),
      Promise.all(waiting.map(create)),
      setPrice(service, SOL, 160).catch(() => {}),
    ]);
    await hostility;

    const ends = await Promise.all(swaps.map(({ body }) => postExecute(service, body)));
    for (const [index, { taker, made }] of swaps.entries()) {
      const end: Execution = ends[index]!.body;
      assert.equal(end.status, 'Success', JSON.stringify(end));
      const told = first[0][index]!;
      if (told.status === 200) assert.equal(told.body.status, 'Success', JSON.stringify(told.body));
      assert.equal((await tokensOf(direct, taker.address, USDC)).toString(), end.totalOutputAmount);
      assert.equal(end.totalInputAmount, made.inAmount);
    }
    for (const each of claims) {
      const { status, body } = await claim(each);
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(await lamportsOf(direct, each.receiver.address), INVITED + INVITE_RENT);
    }
    const created = await Promise.all(waiting.map(create));
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
