import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Localnet, startLocalnet } from '@slipway/localnet';
import { type Address, decodeTransaction, generateKeypair, type Keypair, transactionSignature } from '@slipway/wire';
import { eventually, newSeed, seededRandom } from './rounds.js';
import { request, type Service, startService } from './service.js';
import { onChain, settledStatus, statusOf, submit, transfer } from './submission.js';
import {
  type Behavior,
  faithful,
  type Reply,
  refusal,
  startUpstreamProxy,
  type UpstreamProxy,
} from './upstream-proxy.js';
import {
  balancesOf,
  type Crafted,
  craft,
  execute,
  isDead,
  LIFE_MS,
  newToken,
  newWallet,
  PRICE,
  RECEIVER,
  rpc,
  signTransaction,
} from './wallet.js';

const EXPRESS = '/tokens/v2/verify/express';

/** What a broken node, or something in front of it, answers in place of JSON-RPC. */
const WRONG_ANSWERS: Reply[] = [
  { status: 429, body: 'slow down' },
  { status: 429, body: '{"jsonrpc":"2.0","error":{"code":429,"message":"Too many requests"},"id":1}' },
  { status: 500, body: '' },
  { status: 502, body: '<html>Bad Gateway</html>' },
  { status: 503, body: '{"jsonrpc":"2.0","error":{"code":-32005,"message":"Node is behind"},"id":1}' },
  { body: '<html>login</html>' },
  { body: '' },
  { body: 'null' },
  { body: '[]' },
  { body: '{}' },
  { body: '{"jsonrpc":"2.0","id":1}' },
  { body: '{"jsonrpc":"2.0","id":1,"result":null}' },
  { body: '{"jsonrpc":"2.0","id":1,"result":{}}' },
  { body: '{"jsonrpc":"2.0","id":1,"result":{"context":{"slot":1},"value":null}}' },
  { body: '{"jsonrpc":"2.0","id":1,"result":{"context":{"slot":1},"value":[]}}' },
  { body: '{"jsonrpc":"2.0","id":1,"result":{"context":{"slot":1},"value":{}}}' },
  { body: '{"jsonrpc":"2.0","id":1,"result":"surprise"}' },
  { half: '{"jsonrpc":"2.0","id":1,"result":{"context":{"slot":1},"value":[null,null]}}' },
  refusal(-32603, 'Internal error'),
  refusal(-32005, 'Node is unhealthy'),
  'cut',
];

/** Does something else with the calls of one method. */
function only(method: string, behavior: Behavior): Behavior {
  return (call, forward) => (call.method === method ? behavior : faithful)(call, forward);
}

interface Context<T> {
  context: { slot: number };
  value: T;
}

/** A JSON-RPC answer with its value, or the slot of its node, changed. */
async function changed<T>(answer: Promise<string>, change: (result: Context<T>) => Context<unknown>): Promise<Reply> {
  const { result, ...rest } = JSON.parse(await answer) as { result: Context<T> };
  return { body: JSON.stringify({ ...rest, result: change(result) }) };
}

function signatureOf(base64: string): string {
  return transactionSignature(decodeTransaction(Buffer.from(base64, 'base64')));
}

describe('attack: a node forgets, drops, lags and lies about what it has taken; each payment is told as the chain has it', () => {
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
  afterEach(() => {
    proxy.behavior = faithful;
  });
  after(async () => {
    await service?.close();
    await proxy?.close();
    await localnet?.close();
  });

  interface Payment {
    crafted: Crafted;
    sender: Keypair;
    tokenId: Address;
    signature: string;
  }

  async function newPayment(): Promise<Payment> {
    const sender = await newWallet(service, 1_000_000_000n, PRICE);
    const crafted = await craft(service, sender.address);
    const signature = signatureOf(signTransaction(crafted.transaction, sender));
    return { crafted, sender, tokenId: await newToken(direct), signature };
  }
  const post = ({ crafted, sender, tokenId }: Payment) => execute(service, crafted, sender, { tokenId });

  async function newSubmission(): Promise<{ transaction: string; signature: string; to: Address }> {
    const wallet = await newWallet(service, 1_000_000_000n, 0n);
    const to = generateKeypair().address;
    const transaction = await transfer(direct, wallet, to, 1_000_000n);
    return { transaction, signature: signatureOf(transaction), to };
  }

  /** What every payment must have become that the service called a success. */
  async function assertPaid({ crafted, sender, signature }: Payment): Promise<void> {
    assert.equal((await onChain(direct, signature))?.err, null);
    const lamports = 1_000_000_000n - BigInt(crafted.feeLamports);
    assert.deepEqual(await balancesOf(direct, sender.address), { lamports, jup: 0n });
  }

  it('which never answers what it has accepted: the payment is a success', async () => {
    const payment = await newPayment();
    proxy.behavior = only('sendTransaction', async (_call, forward) => {
      await forward();
      return 'hang';
    });
    const { status, body } = await post(payment);
    assert.equal(status, 200);
    assert.equal(body.status, 'Success', JSON.stringify(body));
    assert.equal(body.verificationCreated, true);
    await assertPaid(payment);
  });

  it('which answers every send with an error after having taken it: nothing is called refused', async () => {
    for (const answer of [refusal(-32603, 'Internal error'), refusal(-32005, 'Node is unhealthy'), 'cut'] as const) {
      proxy.behavior = faithful;
      const payment = await newPayment();
      const submission = await newSubmission();
      proxy.behavior = only('sendTransaction', async (_call, forward) => {
        await forward();
        return answer;
      });
      const [executed, submitted] = await Promise.all([post(payment), submit(service, submission.transaction)]);
      assert.equal(executed.body.status, 'Success', JSON.stringify(executed.body));
      await assertPaid(payment);
      assert.ok([200, 503].includes(submitted.status), `${submitted.status} ${submitted.body.error}`);
      assert.equal((await settledStatus(service, submission.signature))?.status, 'landed');
    }
  });

  it('which forgets what has landed for a while: it is not called dead', async () => {
    const payment = await newPayment();
    const submission = await newSubmission();
    proxy.behavior = only('getSignatureStatuses', (_call, forward) =>
      changed<unknown[]>(forward(), ({ context, value }) => ({ context, value: value.map(() => null) })),
    );
    const posted = post(payment);
    await submit(service, submission.transaction);
    await eventually('the payment has landed', () => onChain(direct, payment.signature));
    // Long enough for it to be sent again, and for its death to be asked about.
    await sleep(3_000);
    assert.equal((await statusOf(service, payment.signature)).body.status, 'pending');
    assert.equal((await statusOf(service, submission.signature)).body.status, 'pending');
    proxy.behavior = faithful;
    assert.equal((await posted).body.status, 'Success');
    await assertPaid(payment);
    assert.equal((await settledStatus(service, submission.signature))?.status, 'landed');
    assert.equal((await balancesOf(direct, submission.to)).lamports, 1_000_000n);
  });

  it('of which one node lags behind: what that node has not seen yet is not called dead', async () => {
    const payment = await newPayment();
    const submission = await newSubmission();
    // Whatever concerns transactions goes to the lagging node, the rest to one that is up to date.
    const { context } = await rpc<Context<unknown>>(direct, 'getLatestBlockhash');
    proxy.behavior = only('getSignatureStatuses', (_call, forward) =>
      changed<unknown[]>(forward(), ({ value }) => ({ context, value: value.map(() => null) })),
    );
    const posted = post(payment);
    await submit(service, submission.transaction);
    await eventually(
      'both have landed',
      async () => (await onChain(direct, payment.signature)) && (await onChain(direct, submission.signature)),
    );
    await rpc(direct, 'localnet_advanceClock', 300);
    await sleep(3_000);
    assert.equal((await statusOf(service, payment.signature)).body.status, 'pending');
    assert.equal((await statusOf(service, submission.signature)).body.status, 'pending');
    proxy.behavior = faithful;
    const { body } = await posted;
    assert.equal(body.status, 'Success', JSON.stringify(body));
    assert.equal(body.verificationCreated, true);
    await assertPaid(payment);
    assert.equal((await settledStatus(service, submission.signature))?.status, 'landed');
  });

  it('of which one node has not heard of the blockhash yet: what carries it is not called dead', async () => {
    const submission = await newSubmission();
    const { context } = await rpc<Context<unknown>>(direct, 'getLatestBlockhash');
    const lagging = { context: { slot: context.slot - 20 }, value: false };
    assert.equal((await submitWhileNothingLeaves(submission.transaction)).status, 200);
    const stalled = proxy.behavior;
    proxy.behavior = async (call, forward) => {
      if (call.method === 'isBlockhashValid') return changed(forward(), () => lagging);
      if (call.method !== 'getSignatureStatuses') return stalled(call, forward);
      return changed<unknown[]>(forward(), ({ value }) => ({ ...lagging, value: value.map(() => null) }));
    };
    await sleep(3_000);
    assert.equal((await statusOf(service, submission.signature)).body.status, 'pending');
    proxy.behavior = faithful;
    assert.equal((await settledStatus(service, submission.signature))?.status, 'landed');
    assert.equal((await balancesOf(direct, submission.to)).lamports, 1_000_000n);
  });

  /** Accepts what is sent, and drops it. */
  function submitWhileNothingLeaves(transaction: string) {
    proxy.behavior = only('sendTransaction', async () => ({
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, result: signatureOf(transaction) }),
    }));
    return submit(service, transaction);
  }

  it('which drops what it has accepted: it is sent again until it lands', async () => {
    const submission = await newSubmission();
    assert.equal((await submitWhileNothingLeaves(submission.transaction)).status, 200);
    assert.equal((await statusOf(service, submission.signature)).body.status, 'pending');
    proxy.behavior = faithful;
    assert.equal((await settledStatus(service, submission.signature))?.status, 'landed');
    assert.equal((await balancesOf(direct, submission.to)).lamports, 1_000_000n);
  });

  it('which drops what it has accepted and does not say whether its blockhash lives: it is sent again', async () => {
    const submission = await newSubmission();
    assert.equal((await submitWhileNothingLeaves(submission.transaction)).status, 200);
    proxy.behavior = only('isBlockhashValid', async () => ({ status: 429, body: 'slow down' }));
    assert.equal((await settledStatus(service, submission.signature))?.status, 'landed');
    assert.equal((await balancesOf(direct, submission.to)).lamports, 1_000_000n);
  });

  it('which drops what it has accepted until its blockhash is dead: it is expired, and stays so', async () => {
    const payment = await newPayment();
    const submission = await newSubmission();
    assert.equal((await submitWhileNothingLeaves(submission.transaction)).status, 200);
    const posted = post(payment);
    await eventually('the payment is being sent', async () =>
      (await statusOf(service, payment.signature)).status === 200 ? true : undefined,
    );
    await rpc(direct, 'localnet_advanceClock', 120);
    const expired = await settledStatus(service, submission.signature);
    assert.deepEqual(expired, { signature: submission.signature, status: 'expired', slot: null });
    const { status, body } = await posted;
    assert.deepEqual([status, body.status, body.code], [200, 'Failed', -1005]);
    proxy.behavior = faithful;
    assert.deepEqual((await post(payment)).body, body);
    assert.equal(await onChain(direct, payment.signature), undefined);
    assert.deepEqual(await balancesOf(direct, payment.sender.address), { lamports: 1_000_000_000n, jup: PRICE });
    const eligibility = await request(`${service.url}${EXPRESS}/check-eligibility?tokenId=${payment.tokenId}`);
    assert.equal(eligibility.body.canVerify, true);
  });

  it('which is away: the service says that it is not ready, and is again when the chain is back', async () => {
    // What was found is kept for a second.
    const becomes = (status: number) =>
      eventually(`readiness is ${status}`, async () =>
        (await request(`${service.url}/readyz`)).status === status ? true : undefined,
      );
    await becomes(200);
    proxy.behavior = async () => 'cut';
    await becomes(503);
    assert.equal((await request(`${service.url}/livez`)).status, 200);
    proxy.behavior = faithful;
    await becomes(200);
    // They live for a minute, in which readiness need not be looked at twice.
    const payment = await newPayment();
    const submission = await newSubmission();
    proxy.behavior = async () => 'cut';
    const crafted = await request(`${service.url}${EXPRESS}/craft-txn?senderAddress=${payment.sender.address}`);
    assert.equal(crafted.status, 500);
    assert.equal(crafted.body.status, 500);
    assert.equal((await post(payment)).status, 500);
    const submitted = await submit(service, submission.transaction);
    assert.equal(submitted.status, 503, submitted.body.error);
    assert.equal((await statusOf(service, payment.signature)).status, 404);
    assert.equal(await onChain(direct, payment.signature), undefined);

    proxy.behavior = faithful;
    await becomes(200);
    assert.equal((await post(payment)).body.status, 'Success');
    await assertPaid(payment);
    assert.equal((await submit(service, submission.transaction)).status, 200);
    assert.equal((await settledStatus(service, submission.signature))?.status, 'landed');
  });

  it('whose answers are no JSON-RPC: a craft fails honestly', async () => {
    const sender = await newWallet(service);
    for (const method of ['getMultipleAccounts', 'getLatestBlockhash', 'getRecentPrioritizationFees']) {
      for (const answer of WRONG_ANSWERS) {
        // What is kept for a moment must not hide the answer.
        if (method !== 'getMultipleAccounts') await rpc(direct, 'localnet_advanceClock', 1);
        proxy.behavior = only(method, async () => answer);
        const { status, body } = await request(`${service.url}${EXPRESS}/craft-txn?senderAddress=${sender.address}`);
        const what = `${method} answered ${JSON.stringify(answer)}: ${status} ${JSON.stringify(body)}`;
        if (status === 200) assert.equal(body.code, 0, what);
        else assert.equal(status, 500, what);
        assert.doesNotMatch(JSON.stringify(body), /127\.0\.0\.1|TypeError|undefined|Cannot/, what);
      }
    }
  });

  it('whose answers are no JSON-RPC: a submission is not refused for it', async () => {
    for (const answer of WRONG_ANSWERS) {
      // Each another one, which has not expired meanwhile.
      const { transaction, to, signature } = await newSubmission();
      proxy.behavior = only('isBlockhashValid', async () => answer);
      const { status, body } = await submit(service, transaction);
      assert.equal(status, 503, `isBlockhashValid answered ${JSON.stringify(answer)}: ${status} ${body.error}`);
      proxy.behavior = faithful;
      assert.equal((await submit(service, transaction)).status, 200);
      assert.equal((await settledStatus(service, signature))?.status, 'landed');
      assert.equal((await balancesOf(direct, to)).lamports, 1_000_000n);
    }
  });

  it('at random: what was answered agrees with the chain in the end', async (t) => {
    const seed = newSeed();
    t.diagnostic(`TEST_SEED=${seed}`);
    const random = seededRandom(seed);
    const from = performance.now();
    const payments = await Promise.all(Array.from({ length: 40 }, newPayment));
    const submissions = await Promise.all(Array.from({ length: 20 }, newSubmission));
    const receiver = (await balancesOf(direct, RECEIVER)).jup;

    proxy.behavior = async ({ method }, forward) => {
      const draw = random();
      const wrong = WRONG_ANSWERS[Math.floor(random() * WRONG_ANSWERS.length)]!;
      if (draw < 0.2) return wrong;
      if (draw < 0.25) return 'cut';
      if (draw < 0.3 && method === 'sendTransaction') return 'hang';
      await sleep(random() * 30);
      const body = await forward();
      // Taken, and then denied.
      return draw < 0.4 ? wrong : { body };
    };
    const [first] = await Promise.all([
      Promise.all(payments.map(post)),
      Promise.all(submissions.map(({ transaction }) => submit(service, transaction))),
    ]);
    proxy.behavior = faithful;

    // At once: what was not sent yet expires a minute after it was crafted.
    const [paid, submitted] = await Promise.all([
      Promise.all(payments.map(post)),
      Promise.all(submissions.map(({ transaction }) => submit(service, transaction))),
    ]);
    // On a machine that was as slow as that, some are dead, and nothing has moved.
    const isLate = performance.now() - from > LIFE_MS;
    let dead = 0;
    try {
      for (const [index, payment] of payments.entries()) {
        const { status, body } = paid[index]!;
        if (isLate && isDead(body)) {
          dead++;
          assert.equal(await onChain(direct, payment.signature), undefined);
          continue;
        }
        assert.equal(status, 200, JSON.stringify(body));
        assert.equal(body.status, 'Success', JSON.stringify(body));
        assert.equal(body.signature, payment.signature);
        assert.equal(body.verificationCreated, true);
        await assertPaid(payment);
        const answer = first[index]!;
        // Whatever named a signature was a final answer.
        if (answer.body.signature !== undefined) assert.deepEqual(body, answer.body);
        else assert.equal(answer.status, 500, JSON.stringify(answer.body));
      }
      assert.equal((await balancesOf(direct, RECEIVER)).jup, receiver + BigInt(payments.length - dead) * PRICE);
      for (const [index, { signature, to }] of submissions.entries()) {
        if (isLate && (await balancesOf(direct, to)).lamports === 0n) {
          assert.equal(await onChain(direct, signature), undefined);
          continue;
        }
        assert.equal(submitted[index]!.status, 200, submitted[index]!.body.error);
        assert.equal((await settledStatus(service, signature))?.status, 'landed');
        assert.equal((await balancesOf(direct, to)).lamports, 1_000_000n);
      }
    } catch (error) {
      throw new Error(`TEST_SEED=${seed}`, { cause: error });
    }
  });
});
