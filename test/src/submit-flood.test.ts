import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { type Localnet, startLocalnet } from '@slipway/localnet';
import { decodeTransaction, generateKeypair, memo, transactionSignature } from '@slipway/wire';
import { newKey } from './admin.js';
import { type Answer, request, type Service, startService } from './service.js';
import { latestBlockhash, signed } from './submission.js';
import { faithful, result, startUpstreamProxy, type UpstreamProxy } from './upstream-proxy.js';
import { craft, execute, newToken, newWallet, PRICE } from './wallet.js';

const CALLS_PER_SECOND = 300;
const UNDER_WAY_PER_KEY = 20;

const signatureOf = (base64: string) => transactionSignature(decodeTransaction(Buffer.from(base64, 'base64')));

describe('attack: a free key floods transaction submit', () => {
  let localnet: Localnet;
  let proxy: UpstreamProxy;
  let service: Service;
  /** The service, but with the chain itself as its RPC. */
  let direct: Service;
  let key: string;

  before(async () => {
    localnet = await startLocalnet({ rpcPort: 0 });
    proxy = await startUpstreamProxy(localnet.rpcUrl);
    const dataDir = mkdtempSync(join(tmpdir(), 'slipway-test-'));
    const settings = {
      rpc: { callsPerSecond: CALLS_PER_SECOND },
      submit: { underWayPerKey: UNDER_WAY_PER_KEY },
    };
    writeFileSync(join(dataDir, 'slipway.config.json'), JSON.stringify(settings));
    service = await startService({ dataDir, env: { SLIPWAY_RPC_URL: proxy.url, SLIPWAY_SANDBOX: '1' } });
    direct = { ...service, rpcUrl: localnet.rpcUrl };
    key = (await newKey(service, { tier: 'free' })).key;
  });
  afterEach(() => {
    proxy.behavior = faithful;
  });
  after(async () => {
    await service?.close();
    await proxy?.close();
    await localnet?.close();
  });

  const post = (signedTransaction: string): Promise<Answer<{ signature?: string; error?: string }>> =>
    request(`${service.url}/tx/v1/submit`, { body: { signedTransaction }, headers: { 'x-api-key': key } });

  /** Counts what reaches the node; swallows what strangers send. */
  function watch(strangers: ReadonlySet<string>) {
    const calls = new Map<string, number>();
    let inAll = 0;
    proxy.behavior = async ({ method, params }, forward) => {
      inAll++;
      if (method !== 'sendTransaction') return { body: await forward() };
      const signature = signatureOf(params[0] as string);
      const sender = strangers.has(signature) ? 'strangers' : 'ours';
      calls.set(sender, (calls.get(sender) ?? 0) + 1);
      return sender === 'strangers' ? result(signature) : { body: await forward() };
    };
    const from = performance.now();
    return {
      sentBy: (sender: 'strangers' | 'ours') => calls.get(sender) ?? 0,
      /** What the budget allows: what was started in the second before may arrive in this one. */
      assertWithinBudget() {
        const most = CALLS_PER_SECOND * (Math.ceil((performance.now() - from) / 1_000) + 2);
        assert.ok(inAll <= most, `${inAll} calls, but the budget is ${most}`);
      },
    };
  }

  const pay = async () => {
    const sender = await newWallet(direct, 1_000_000_000n, PRICE);
    const tokenId = await newToken(direct);
    const { status, body } = await execute(service, await craft(service, sender.address), sender, { tokenId });
    assert.deepEqual([status, body.status], [200, 'Success'], JSON.stringify(body));
  };

  it('with payers that hold nothing: none is sent, the node gets no more calls than its budget, payments land meanwhile', async () => {
    const blockhash = await latestBlockhash(direct);
    const flood = Array.from({ length: 400 }, (_, index) => signed(blockhash, [memo(`${index}`)], generateKeypair()));
    const watched = watch(new Set(flood.map(signatureOf)));
    const [answers] = await Promise.all([Promise.all(flood.map(post)), pay(), pay(), pay()]);
    for (const { status, body } of answers) {
      if (status === 400) assert.match(body.error!, /has 0 lamports, but the network fee is 5000/);
      else assert.ok([429, 503].includes(status), `${status} ${JSON.stringify(body)}`);
    }
    assert.equal(watched.sentBy('strangers'), 0);
    watched.assertWithinBudget();
  });

  it('with what never lands: 20 are under way, further ones are 429 with Retry-After, payments land meanwhile', async () => {
    const payer = await newWallet(direct, 1_000_000_000n, 0n);
    const blockhash = await latestBlockhash(direct);
    const flood = Array.from({ length: 100 }, (_, index) => signed(blockhash, [memo(`stuck ${index}`)], payer));
    const watched = watch(new Set(flood.map(signatureOf)));
    // Where the node's turns were all taken for seconds, or the key's calls of ten seconds, it is posted again.
    const postAgain = async (text: string) => {
      for (;;) {
        const answer = await post(text);
        if (answer.status !== 503 && !('limit' in answer.body)) return answer;
        await setTimeout(Number(answer.headers.get('retry-after')) * 1_000);
      }
    };
    const [answers] = await Promise.all([Promise.all(flood.map(postAgain)), pay(), pay(), pay()]);
    const taken = answers.filter(({ status }) => status === 200);
    const tooMany = answers.filter(({ status }) => status === 429);
    assert.deepEqual([taken.length, tooMany.length], [UNDER_WAY_PER_KEY, 100 - UNDER_WAY_PER_KEY]);
    for (const { headers, body } of tooMany) {
      assert.deepEqual(Object.keys(body), ['error']);
      assert.match(body.error!, /transactions of this key are under way/);
      assert.ok(Number(headers.get('retry-after')) >= 1);
    }
    watched.assertWithinBudget();

    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    for (const name of ['calls_total', 'waits_total', 'refusals_total', 'waiting', 'limit']) {
      assert.match(metrics, new RegExp(`^slipway_rpc_${name}\\{rpc="[^"]+",purpose="strangers"\\} \\d`, 'm'));
    }
    const other = (await newKey(service, { tier: 'free' })).key;
    const free = signed(await latestBlockhash(direct), [memo('another key')], payer);
    const headers = { 'x-api-key': other };
    const { status } = await request(`${service.url}/tx/v1/submit`, { body: { signedTransaction: free }, headers });
    assert.equal(status, 200, 'another key has places of its own');
  });
});
