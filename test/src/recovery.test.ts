import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Localnet, startLocalnet } from '@slipway/localnet';
import { type Address, decodeTransaction, generateKeypair, type Keypair, transactionSignature } from '@slipway/wire';
import { eventually, newSeed, seededRandom } from './rounds.js';
import { request, type Service, startService } from './service.js';
import { onChain, type Status, settledStatus, submit, transfer } from './submission.js';
import { faithful, type RpcCall, startUpstreamProxy, type UpstreamProxy } from './upstream-proxy.js';
import {
  balancesOf,
  type Crafted,
  craft,
  type Executed,
  execute,
  infoOf,
  isDead,
  JUP,
  LIFE_MS,
  newToken,
  newWallet,
  PRICE,
  RECEIVER,
  rpc,
  signTransaction,
} from './wallet.js';

const MOST_TRIES = 5;

/** A payment that was posted, as the client knows it. */
interface Payment {
  crafted: Crafted;
  /** When it was asked for, in steady milliseconds. */
  askedAt: number;
  sender: Keypair;
  tokenId: Address;
  signature: string;
  /** The answer, where the service lived long enough to give one. */
  answer?: Executed;
}

interface Verification {
  tokenId: string;
  state: string;
  requestId: string;
  signature: string | null;
}

async function newPayment(service: Service, sender: Keypair, tokenId: Address): Promise<Payment> {
  const askedAt = performance.now();
  const crafted = await craft(service, sender.address);
  assert.equal(crafted.code, 0, crafted.error);
  const wire = Buffer.from(signTransaction(crafted.transaction, sender), 'base64');
  return { crafted, askedAt, sender, tokenId, signature: transactionSignature(decodeTransaction(wire)) };
}

/** Of the transaction that a call sends. */
function signatureIn({ method, params }: RpcCall): string | undefined {
  if (method !== 'sendTransaction') return undefined;
  return transactionSignature(decodeTransaction(Buffer.from(params[0] as string, 'base64')));
}

/** Every record of a verification, also those that only hold a place. */
async function verificationsOf(service: Service): Promise<Verification[]> {
  const token = readFileSync(join(service.dataDir, 'admin.token'), 'utf8').trim();
  const found: Verification[] = [];
  for (let cursor = ''; ; ) {
    const { status, body } = await request<{ verifications: Verification[]; nextCursor?: string | null }>(
      `${service.url}/admin/v1/verifications?limit=100${cursor}`,
      { headers: { authorization: `Bearer ${token}` } },
    );
    assert.equal(status, 200, JSON.stringify(body));
    found.push(...body.verifications);
    if (!body.nextCursor) return found;
    cursor = `&cursor=${body.nextCursor}`;
  }
}

/** Asserts that what the service says of every payment is what the chain says, before anybody asks it to act. */
async function assertAgreesWithChain(service: Service, chain: Service, payments: Payment[]): Promise<void> {
  const statuses = await Promise.all(payments.map(({ signature }) => settledStatus(service, signature)));
  const recorded = new Map((await verificationsOf(service)).map((each) => [each.requestId, each]));
  for (const [index, { signature, crafted, answer }] of payments.entries()) {
    const status: Status | undefined = statuses[index];
    const found = await onChain(chain, signature);
    const landed = found !== undefined && found.err === null;
    assert.equal(status?.status === 'landed', landed, `${signature}: ${status?.status}, on the chain: ${landed}`);
    const record = recorded.get(crafted.requestId);
    assert.equal(record?.state, landed ? 'pending' : undefined, `the record of ${crafted.requestId}`);
    if (record) assert.equal(record.signature, signature);
    if (answer?.status === 'Success') assert.ok(landed, `${signature} was answered as landed`);
  }
}

describe('kill -9 while payments are executed', () => {
  const seed = newSeed();
  const random = seededRandom(seed);
  const SENDERS = 4;
  const START = 100n * PRICE;
  let service: Service;
  let senders: Keypair[];
  let tokens: Address[];
  let receiverAtFirst: bigint;
  const payments: Payment[] = [];

  before(async () => {
    service = await startService({ database: 'embedded' });
    senders = await Promise.all(Array.from({ length: SENDERS }, () => newWallet(service, 10_000_000_000n, START)));
    tokens = await Promise.all(Array.from({ length: 300 }, () => newToken(service)));
    receiverAtFirst = (await balancesOf(service, RECEIVER)).jup;
  });
  after(() => service.close());

  /** Pays for one token after the other until the service is gone. */
  async function payUntilKilled(sender: Keypair, isKilled: () => boolean): Promise<void> {
    while (!isKilled()) {
      try {
        const payment = await newPayment(service, sender, tokens.pop()!);
        payments.push(payment);
        const { status, body } = await execute(service, payment.crafted, sender, { tokenId: payment.tokenId });
        assert.equal(status, 200, JSON.stringify(body));
        payment.answer = body as Executed;
      } catch (error) {
        if (!isKilled()) throw error;
      }
    }
  }

  it('agrees with the chain after every restart, and pays once what is posted again', async (t) => {
    t.diagnostic(`TEST_SEED=${seed}`);
    for (let round = 0; round < 6; round++) {
      const from = payments.length;
      let killed = false;
      const paying = Promise.all(senders.map((sender) => payUntilKilled(sender, () => killed)));
      // Counted, not timed: a busy machine posts no fewer before the kill. The rest of the moment is chance.
      const enough = from + 2 + Math.floor(random() * 30);
      let isOver = false;
      const reached = async () => {
        while (payments.length < enough && !isOver) await sleep(1);
      };
      await Promise.race([paying, reached()]).finally(() => {
        isOver = true;
      });
      await sleep(random() * 20);
      killed = true;
      await service.kill();
      await paying;

      service = await startService({ dataDir: service.dataDir });
      const posted = payments.slice(from);
      const seeded = `TEST_SEED=${seed}, round ${round}`;
      try {
        await assertAgreesWithChain(service, service, posted);
        for (const payment of posted) {
          const { crafted, askedAt, sender, tokenId, signature, answer } = payment;
          const { status, body } = await execute(service, crafted, sender, { tokenId });
          // What had not been sent may have died before the restart was over: it is no payment, whatever is posted.
          const isLate = performance.now() - askedAt > LIFE_MS;
          if (isLate && isDead(body) && (await onChain(service, signature)) === undefined) {
            payments.splice(payments.indexOf(payment), 1);
            continue;
          }
          assert.equal(status, 200, JSON.stringify(body));
          assert.equal(body.status, 'Success', JSON.stringify(body));
          assert.equal(body.signature, signature);
          if (answer) assert.deepEqual(body, answer, 'the answer that was given before');
        }
        await assertAgreesWithChain(service, service, posted);
        await assertConserved();
      } catch (error) {
        throw new Error(seeded, { cause: error });
      }
    }
    assert.ok(payments.length >= 12, `only ${payments.length} payments were posted`);
    assert.ok(
      payments.some(({ answer }) => !answer),
      'no kill fell into a payment',
    );
  });

  async function assertConserved(): Promise<void> {
    let paid = 0n;
    for (const sender of senders) {
      const mine = payments.filter((each) => each.sender === sender);
      const { jup } = await balancesOf(service, sender.address);
      assert.equal(jup, START - BigInt(mine.length) * PRICE, 'what the sender has left');
      paid += START - jup;
      const history = await rpc<{ signature: string; memo: string | null }[]>(
        service,
        'getSignaturesForAddress',
        sender.address,
        { limit: 1_000 },
      );
      const memos = history.flatMap(({ memo }) => memo ?? []);
      assert.equal(new Set(memos).size, memos.length, 'no request was paid twice');
    }
    assert.equal((await balancesOf(service, RECEIVER)).jup - receiverAtFirst, paid, 'what the receiver got');
  }
});

describe('kill -9 between send and answer', () => {
  let localnet: Localnet;
  let proxy: UpstreamProxy;
  let service: Service;
  let chain: Service;
  let receiver: bigint;

  const start = async (dataDir?: string) => {
    const env = { SLIPWAY_RPC_URL: proxy.url, SLIPWAY_SANDBOX: '1' };
    service = await startService({ env, ...(dataDir !== undefined && { dataDir }) });
    chain = { ...service, rpcUrl: localnet.rpcUrl };
  };
  before(async () => {
    localnet = await startLocalnet({ rpcPort: 0 });
    proxy = await startUpstreamProxy(localnet.rpcUrl);
    await start();
    receiver = (await balancesOf(chain, RECEIVER)).jup;
  });
  after(async () => {
    await service?.close();
    await proxy?.close();
    await localnet?.close();
  });

  /** Posts a payment and kills the service when its transaction has come to the chain's door. */
  async function killAtSend(forwarded: boolean): Promise<Payment> {
    const sender = await newWallet(service, 1_000_000_000n, PRICE);
    const payment = await newPayment(service, sender, await newToken(chain));
    let hasCome = false;
    const arrived = new Promise<void>((resolve) => {
      proxy.behavior = async (call, forward) => {
        if (signatureIn(call) === payment.signature) {
          hasCome = true;
          if (forwarded) await forward();
          resolve();
        }
        // Nobody tells the service what has become of it, however long this process takes to the kill.
        const body = hasCome ? undefined : await forward();
        return body === undefined || hasCome ? 'hang' : { body };
      };
    });
    const posted = execute(service, payment.crafted, sender, { tokenId: payment.tokenId }).catch(() => undefined);
    await arrived;
    if (forwarded) await eventually('the payment is on the chain', () => onChain(chain, payment.signature));
    await service.kill();
    assert.equal(await posted, undefined, 'nobody got an answer');
    proxy.behavior = faithful;
    return payment;
  }

  /** What was left unsent and lands after a restart: another one where the restart has taken longer than it lives. */
  async function inTime<T extends { signature: string }>(leave: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      const from = performance.now();
      const left = await leave();
      const status = (await settledStatus(service, left.signature))?.status;
      const isLate = performance.now() - from > LIFE_MS;
      if (status === 'expired' && isLate && tries < MOST_TRIES) continue;
      assert.equal(status, 'landed');
      return left;
    }
  }

  async function assertPaidOnce({ crafted, sender, tokenId, signature }: Payment): Promise<void> {
    const { status, body } = await execute(service, crafted, sender, { tokenId });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.status, 'Success');
    assert.equal(body.signature, signature);
    assert.equal(body.verificationCreated, true);
    const lamports = 1_000_000_000n - BigInt(crafted.feeLamports);
    assert.deepEqual(await balancesOf(chain, sender.address), { lamports, jup: 0n });
    receiver += PRICE;
    assert.equal((await balancesOf(chain, RECEIVER)).jup, receiver);
  }

  it('records a payment that has landed', async () => {
    const payment = await killAtSend(true);
    await start(service.dataDir);
    await assertAgreesWithChain(service, chain, [payment]);
    assert.ok(await onChain(chain, payment.signature));
    await assertPaidOnce(payment);
  });

  it('sends again what has not left, without being asked', async () => {
    const payment = await inTime(async () => {
      const killed = await killAtSend(false);
      assert.equal(await onChain(chain, killed.signature), undefined);
      await start(service.dataDir);
      return killed;
    });
    await assertAgreesWithChain(service, chain, [payment]);
    await assertPaidOnce(payment);
  });

  it('records a payment that landed, though its blockhash has died in the meantime', async () => {
    const payment = await killAtSend(true);
    await rpc(chain, 'localnet_advanceClock', 300);
    await start(service.dataDir);
    await assertAgreesWithChain(service, chain, [payment]);
    assert.ok(await onChain(chain, payment.signature));
    receiver += PRICE;
  });

  it('gives the token free when the payment never left and its blockhash has died', async () => {
    const payment = await killAtSend(false);
    await rpc(chain, 'localnet_advanceClock', 300);
    await start(service.dataDir);
    assert.equal((await settledStatus(service, payment.signature))?.status, 'expired');
    await assertAgreesWithChain(service, chain, [payment]);
    assert.equal((await balancesOf(chain, payment.sender.address)).jup, PRICE);
    const { status, body } = await execute(service, payment.crafted, payment.sender, { tokenId: payment.tokenId });
    assert.equal(status, 200);
    assert.equal(body.status, 'Failed');
    const again = await newPayment(service, payment.sender, payment.tokenId);
    const paid = await execute(service, again.crafted, again.sender, { tokenId: again.tokenId });
    assert.equal(paid.body.status, 'Success');
    receiver += PRICE;
    assert.equal((await balancesOf(chain, RECEIVER)).jup, receiver);
  });

  it('follows a plain submission, too', async () => {
    const { address } = generateKeypair();
    await inTime(async () => {
      const wallet = await newWallet(service, 1_000_000_000n, 0n);
      const transaction = await transfer(chain, wallet, address, 1_000_000n);
      const signature = transactionSignature(decodeTransaction(Buffer.from(transaction, 'base64')));
      const arrived = proxy.next('sendTransaction');
      proxy.behavior = async (call, forward) =>
        call.method === 'sendTransaction' ? 'hang' : { body: await forward() };
      const posted = submit(service, transaction).catch(() => undefined);
      await arrived;
      await service.kill();
      assert.equal(await posted, undefined);
      proxy.behavior = faithful;
      await start(service.dataDir);
      return { signature };
    });
    assert.equal((await balancesOf(chain, address)).lamports, 1_000_000n);
  });
});

describe('after kill -9', () => {
  it('keys, prices, the clock, crafted requests and the chain are as they were', async () => {
    let service = await startService({ database: 'embedded' });
    try {
      const token = readFileSync(join(service.dataDir, 'admin.token'), 'utf8').trim();
      const admin = (path: string, body?: unknown) =>
        request<{ id: string; key: string }>(`${service.url}/admin/v1${path}`, {
          headers: { authorization: `Bearer ${token}` },
          ...(body !== undefined && { body }),
        });
      const { body: key } = await admin('/keys', { name: 'kept' });
      const { body: revoked } = await admin('/keys', { name: 'revoked' });
      await request(`${service.url}/admin/v1/keys/${revoked.id}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${token}` },
      });
      await request(`${service.url}/sandbox/clock`, { body: { seconds: 86_400 } });
      await request(`${service.url}/sandbox/prices`, { body: { mint: JUP, usd: 0.125 } });
      const sender = await newWallet(service);
      const tokenId = await newToken(service);
      const balances = await balancesOf(service, sender.address);
      const { unixTimestamp } = await infoOf(service);
      const from = performance.now();
      const crafted = await craft(service, sender.address);
      await service.kill();

      service = await startService({ dataDir: service.dataDir });
      const call = (apiKey: string) =>
        request(`${service.url}/tokens/v2/verify/express/check-eligibility?tokenId=${JUP}`, {
          headers: { 'x-api-key': apiKey },
        });
      assert.equal((await call(key.key)).status, 200);
      assert.equal((await call(revoked.key)).status, 401);
      assert.equal((await admin('/keys')).status, 200, 'the admin token is the same');
      assert.equal(balances.jup, (await balancesOf(service, sender.address)).jup);
      assert.ok((await infoOf(service)).unixTimestamp >= unixTimestamp);
      const { body } = await execute(service, crafted, sender, { tokenId });
      // Known, too, where the restart has taken longer than it lives.
      if (!isDead(body)) assert.equal(body.status, 'Success', JSON.stringify(body));
      else
        assert.ok(performance.now() - from > LIFE_MS && body.message === 'Transaction expired', JSON.stringify(body));
      const next = await craft(service, sender.address);
      assert.equal(next.tokenUsdRate, 0.125);
      assert.ok(Date.parse(next.expireAt!) > Date.now() + 86_000_000, 'the clock is still a day ahead');
    } finally {
      await service.close();
    }
  });
});
