import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Localnet, startLocalnet } from '@slipway/localnet';
import { decodeTransaction, generateKeypair, type Keypair, transactionSignature } from '@slipway/wire';
import { type TestPostgres, usePostgres } from './postgres.js';
import { eventually, inOneWindow } from './rounds.js';
import { request, type Service, startService } from './service.js';
import { onChain, settledStatus, statusOf, submit, transfer } from './submission.js';
import { type Behavior, faithful, result, startUpstreamProxy, type UpstreamProxy } from './upstream-proxy.js';
import {
  balancesOf,
  craft,
  execute,
  infoOf,
  JUP,
  newToken,
  newWallet,
  PRICE,
  RECEIVER,
  rpc,
  signTransaction,
} from './wallet.js';

const ADMIN_TOKEN = 'admin-token-of-the-copies';
const EXPRESS = '/tokens/v2/verify/express';

describe('copies of the service on one PostgreSQL and one chain', () => {
  let postgres: TestPostgres;
  let localnet: Localnet;
  /** Between the first two copies and the chain, and between the third and the chain. */
  let others: UpstreamProxy;
  let proxy: UpstreamProxy;
  let folder: string;
  let databaseUrl: string;
  const copies: Service[] = [];
  /** A copy, but with the chain itself as its RPC. */
  let direct: Service;

  const startCopy = async (rpcUrl: string) => {
    const env = {
      DATABASE_URL: databaseUrl,
      SLIPWAY_RPC_URL: rpcUrl,
      SLIPWAY_SANDBOX: '1',
      SLIPWAY_ADMIN_TOKEN: ADMIN_TOKEN,
      SLIPWAY_SIGNER_FILE: join(folder, 'signer.json'),
      SLIPWAY_SIGNER_PASSPHRASE: 'passphrase of the copies',
    };
    const copy = await startService({ env });
    copies.push(copy);
    return copy;
  };

  before(async () => {
    [postgres, localnet] = await Promise.all([usePostgres(), startLocalnet({ rpcPort: 0 })]);
    others = await startUpstreamProxy(localnet.rpcUrl);
    proxy = await startUpstreamProxy(localnet.rpcUrl);
    databaseUrl = await postgres.createDatabase();
    folder = mkdtempSync(join(tmpdir(), 'slipway-test-'));
    direct = { ...(await startCopy(others.url)), rpcUrl: localnet.rpcUrl };
    await startCopy(others.url);
    await startCopy(proxy.url);
  });
  after(async () => {
    for (const copy of copies) await copy.close();
    await others?.close();
    await proxy?.close();
    await localnet?.close();
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const someCopy = (index: number) => copies[index % copies.length]!;
  const admin = (copy: Service, path: string, options: { method?: string; body?: unknown } = {}) =>
    request<{ id: string; key: string; verifications: { requestId: string; state: string }[] }>(
      `${copy.url}/admin/v1${path}`,
      { headers: { authorization: `Bearer ${ADMIN_TOKEN}` }, ...options },
    );

  it('answer 100 parallel posts of one request alike, with one transaction', async () => {
    for (let round = 0; round < 3; round++) {
      const tokenId = await newToken(direct);
      // The last post would find the wallet empty, if it asked the chain anew.
      const sender = await newWallet(direct, 1_000_000_000n, PRICE);
      const crafted = await craft(someCopy(round), sender.address);
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, index) => execute(someCopy(index), crafted, sender, { tokenId })),
      );
      for (const { status, body } of answers) assert.deepEqual([status, body], [200, answers[0]!.body]);
      assert.equal(answers[0]!.body.status, 'Success', JSON.stringify(answers[0]!.body));
      assert.equal(answers[0]!.body.verificationCreated, true);
      const lamports = 1_000_000_000n - BigInt(crafted.feeLamports);
      assert.deepEqual(await balancesOf(direct, sender.address), { lamports, jup: 0n });
      const history = await rpc<{ memo: string | null }[]>(direct, 'getSignaturesForAddress', sender.address, {});
      assert.equal(history.filter(({ memo }) => memo !== null).length, 1);
      const { body } = await admin(someCopy(round + 1), '/verifications?limit=100');
      assert.equal(body.verifications.filter((each) => each.requestId === crafted.requestId).length, 1);
    }
  });

  it('land one transaction for parallel submissions of it', async () => {
    const sender = await newWallet(direct, 1_000_000_000n, 0n);
    const { address } = generateKeypair();
    const transaction = await transfer(direct, sender, address, 1_000_000n);
    const answers = await Promise.all(Array.from({ length: 60 }, (_, index) => submit(someCopy(index), transaction)));
    for (const { status, body } of answers) assert.deepEqual([status, body], [200, answers[0]!.body]);
    assert.equal((await settledStatus(someCopy(1), answers[0]!.body.signature!))?.status, 'landed');
    assert.equal((await balancesOf(direct, address)).lamports, 1_000_000n);
  });

  it('charge one of many payers who race for one token, and no other', async () => {
    for (let round = 0; round < 5; round++) {
      const tokenId = await newToken(direct);
      const payers: Keypair[] = [];
      for (let index = 0; index < 6; index++) payers.push(await newWallet(direct, 1_000_000_000n, PRICE));
      const receiver = await balancesOf(direct, RECEIVER);
      const crafted = await Promise.all(payers.map(({ address }, index) => craft(someCopy(index), address)));
      const answers = await Promise.all(
        payers.map((payer, index) => execute(someCopy(index + round), crafted[index]!, payer, { tokenId })),
      );
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409, 409, 409]);
      for (const [index, { status, body }] of answers.entries()) {
        const left = await balancesOf(direct, payers[index]!.address);
        if (status === 409) {
          assert.equal(body.code, 'ELIGIBILITY_CONFLICT');
          assert.deepEqual(left, { lamports: 1_000_000_000n, jup: PRICE });
        } else {
          assert.equal(body.status, 'Success');
          assert.equal(left.jup, 0n);
        }
      }
      assert.equal((await balancesOf(direct, RECEIVER)).jup, receiver.jup + PRICE);
    }
  });

  it('show each other prices, the clock, keys and decisions', async () => {
    const [first, second] = [someCopy(0), someCopy(1)];
    const sender = await newWallet(first);
    await request(`${first.url}/sandbox/prices`, { body: { mint: JUP, usd: 0.0625 } });
    await eventually('the other copy has the price', async () =>
      (await craft(second, sender.address)).tokenUsdRate === 0.0625 ? true : undefined,
    );

    const before = await infoOf(second);
    await request(`${first.url}/sandbox/clock`, { body: { seconds: 3_600 } });
    await eventually("the other copy's clock has moved", async () => {
      const { expireAt } = await craft(second, sender.address);
      return Date.parse(expireAt!) > Date.now() + 3_600_000 ? true : undefined;
    });
    assert.ok((await infoOf(second)).unixTimestamp >= before.unixTimestamp + 3_600);
    const crafted = await craft(second, sender.address);
    const tokenId = await newToken(first);
    assert.equal((await execute(first, crafted, sender, { tokenId })).body.status, 'Success');

    const { body: key } = await admin(first, '/keys', { body: { name: 'shared' } });
    const use = async (copy: Service) =>
      (await request(`${copy.url}${EXPRESS}/check-eligibility?tokenId=${JUP}`, { headers: { 'x-api-key': key.key } }))
        .status;
    for (const copy of copies) assert.equal(await use(copy), 200);
    await admin(first, `/keys/${key.id}`, { method: 'DELETE' });
    for (const copy of copies) {
      await eventually('the key is revoked', async () => ((await use(copy)) === 401 ? true : undefined));
    }

    const { body: listed } = await admin(second, '/verifications?limit=100');
    const pending = listed.verifications.find((each) => each.requestId === crafted.requestId) as unknown as {
      id: string;
    };
    assert.equal((await admin(second, `/verifications/${pending.id}/approve`, { body: {} })).status, 200);
    const eligibility = await request(`${first.url}${EXPRESS}/check-eligibility?tokenId=${tokenId}`);
    assert.equal(eligibility.body.isVerified, true);
  });

  it('count the calls of one key together', async () => {
    await inOneWindow(60, async () => {
      const { body: key } = await admin(someCopy(0), '/keys', { body: { name: 'limited', tier: 'free' } });
      const statuses = await Promise.all(
        Array.from({ length: 90 }, async (_, index) => {
          const url = `${someCopy(index).url}${EXPRESS}/check-eligibility?tokenId=${JUP}`;
          return (await request(url, { headers: { 'x-api-key': key.key } })).status;
        }),
      );
      assert.equal(statuses.filter((status) => status === 200).length, 60);
      assert.equal(statuses.filter((status) => status === 429).length, 30);
    });
  });

  it('take over what a killed copy has left under way', async () => {
    const [second, third] = [someCopy(1), someCopy(2)];
    const sender = await newWallet(direct, 1_000_000_000n, PRICE);
    const tokenId = await newToken(direct);
    const other = await newWallet(direct, 1_000_000_000n, 0n);
    const { address } = generateKeypair();
    // From here on they have a minute to land.
    const crafted = await craft(third, sender.address);
    const payment = signTransaction(crafted.transaction, sender);
    const submission = await transfer(direct, other, address, 1_000_000n);

    // The third copy believes that it sends; so does another one that takes over before, where the third stands still.
    const drop: Behavior = async ({ method, params }, forward) => {
      if (method !== 'sendTransaction') return { body: await forward() };
      return result(signatureOf(Buffer.from(String(params[0]), 'base64')));
    };
    proxy.behavior = drop;
    others.behavior = drop;
    const sent = proxy.next('sendTransaction');
    const posted = execute(third, crafted, sender, { tokenId }).catch(() => undefined);
    await sent;
    assert.equal((await submit(third, submission)).status, 200);
    const signatures = [payment, submission].map((each) => signatureOf(Buffer.from(each, 'base64')));
    for (const signature of signatures) {
      assert.equal((await statusOf(second, signature)).body.status, 'pending');
      assert.equal(await onChain(direct, signature), undefined);
    }
    await third.kill();
    assert.equal(await posted, undefined);
    others.behavior = faithful;

    for (const signature of signatures) assert.equal((await settledStatus(second, signature))?.status, 'landed');
    assert.equal((await balancesOf(direct, address)).lamports, 1_000_000n);
    const { body } = await execute(second, crafted, sender, { tokenId });
    assert.equal(body.status, 'Success');
    assert.equal(body.signature, signatures[0]);
    assert.equal(body.verificationCreated, true);
    assert.equal((await balancesOf(direct, sender.address)).jup, 0n);
  });
});

function signatureOf(wire: Uint8Array): string {
  return transactionSignature(decodeTransaction(wire));
}
