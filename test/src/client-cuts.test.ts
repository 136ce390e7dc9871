import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, type ClientOptions, SlipwayError, SOL } from '@slipway/client';
import { clientOf } from './client.js';
import { type Service, startService } from './service.js';
import { USDC } from './swap.js';
import { newWallet } from './wallet.js';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service?.close());

/** Asked again, however often, where no router has had time for a quote: the attempts of a client are for what is cut. */
const patiently: typeof fetch = async (input, init) => {
  for (;;) {
    const answer = await fetch(input, init);
    if (answer.status !== 503) return answer;
    await answer.arrayBuffer();
    await sleep(Number(answer.headers.get('retry-after')) * 1_000);
  }
};

/** The client of a new wallet, whose first `times` calls of a path are heard, and their answers lost. */
async function cutClient(path: string, times = Number.POSITIVE_INFINITY) {
  let calls = 0;
  const cutting: typeof fetch = async (input, init) => {
    const isCut = new URL(String(input)).pathname === path && ++calls <= times;
    if (!isCut) return patiently(input, init);
    const answer = await fetch(input, init);
    await answer.arrayBuffer();
    throw new TypeError('cut');
  };
  const wallet = await newWallet(service, 10_000_000_000n);
  return { client: clientOf(service, wallet, { fetch: cutting, attempts: 2 }), calls: () => calls };
}

const asked = { inputMint: SOL, outputMint: USDC, amount: 100_000_000n, excludeRouters: 'jupiterz' };

async function failure(flow: Promise<unknown>): Promise<SlipwayError> {
  const error = await flow.then(
    () => assert.fail('it was answered'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof SlipwayError, String(error));
  return error;
}

const flows: [name: string, path: string, run: (client: Client) => Promise<unknown>][] = [
  ['a swap', '/ultra/v1/execute', (client) => client.swap(asked)],
  ['an invite', '/tx/v1/submit', (client) => client.send({ amount: 100_000_000n })],
];
for (const [name, path, run] of flows) {
  it(`${name} whose answers are all lost is not retryable, because it may have landed, and its signature tells`, async () => {
    const { client, calls } = await cutClient(path);
    const { code, retryable, signature, message } = await failure(run(client));
    assert.deepEqual([code, retryable, calls()], ['network', false, 2]);
    assert.ok(signature && message.includes(signature), message);
    assert.equal((await client.waitFor(signature)).signature, signature);
  });
}

it('an invite that was sent, and whose end may not be asked for, is not retryable', async () => {
  const refusing: typeof fetch = async (input, init) => {
    if (!new URL(String(input)).pathname.startsWith('/tx/v1/status/')) return fetch(input, init);
    return Response.json({ code: 429, message: 'Too many' }, { status: 429, headers: { 'retry-after': '3600' } });
  };
  const wallet = await newWallet(service, 10_000_000_000n);
  const client = clientOf(service, wallet, { fetch: refusing });
  const { code, retryable, signature } = await failure(client.send({ amount: 100_000_000n }));
  assert.deepEqual([code, retryable], ['timeout', false]);
  assert.equal((await clientOf(service, wallet).waitFor(signature!)).signature, signature);
});

it('what was not signed yet is retryable', async () => {
  const { client } = await cutClient('/ultra/v1/order');
  const { code, retryable, signature } = await failure(client.swap(asked));
  assert.deepEqual([code, retryable, signature], ['network', true, undefined]);
});

it('a launch whose answer is lost is posted again, and there is one token', async () => {
  const { client, calls } = await cutClient('/studio/v1/dbc-pool/submit', 1);
  const { signature } = await client.launch(launchOf());
  assert.equal(calls(), 2);
  assert.equal((await client.waitFor(signature)).signature, signature);
});

function launchOf(): Parameters<Client['launch']>[0] {
  const none = { totalLockedVestingAmount: 0, cliffUnlockAmount: 0, numberOfVestingPeriod: 0 } as const;
  const lockedVestingParam = { ...none, totalVestingDuration: 0, cliffDurationFromMigrationTime: 0 } as const;
  const caps = { initialMarketCap: 16_000, migrationMarketCap: 69_000 };
  return {
    buildCurveByMarketCapParam: { quoteMint: USDC, tokenQuoteDecimal: 6, ...caps, lockedVestingParam },
    antiSniping: false,
    fee: { feeBps: 100 },
    tokenName: 'Example',
    tokenSymbol: 'EXMPL',
    image: { contentType: 'image/png', bytes: Buffer.from(PIXEL, 'base64') },
  };
}

it('attack: a lying service has a client upload files of a launch to what only the machine of the client reaches: nothing is sent there, nor anywhere before the launch is checked', async () => {
  const wallet = await newWallet(service, 10_000_000_000n);
  const launching = async (lie: object, options: Partial<ClientOptions> = {}) => {
    const uploads: string[] = [];
    const lying: typeof fetch = async (input, init) => {
      if (init?.method === 'PUT') {
        uploads.push(new URL(String(input)).origin);
        assert.equal(init.redirect, 'error');
        return new Response();
      }
      const answer = await fetch(input, init);
      if (!String(input).endsWith('/create-tx')) return answer;
      return Response.json({ ...((await answer.json()) as object), ...lie });
    };
    const client = clientOf(service, wallet, { ...options, fetch: lying });
    return { code: (await failure(client.launch(launchOf()))).code, uploads };
  };
  for (const imagePresignedUrl of ['http://169.254.169.254/latest/api/token', 'http://127.0.0.1:8500/v1', 'x'])
    assert.deepEqual(await launching({ imagePresignedUrl }), { code: 'upload_failed', uploads: [] });
  const own = new URL(service.url).origin;
  const metadataPresignedUrl = 'http://127.0.0.1:8500/v1/agent/service/register';
  assert.deepEqual(await launching({ metadataPresignedUrl }), { code: 'upload_failed', uploads: [own] });
  const named = await launching({ metadataPresignedUrl }, { uploadHosts: ['127.0.0.1:8500'] });
  assert.deepEqual(named.uploads, [own, 'http://127.0.0.1:8500']);
  const secure = await launching({ metadataPresignedUrl: 'https://bucket.example/key' });
  assert.deepEqual(secure.uploads, [own, 'https://bucket.example']);
  assert.deepEqual(await launching({ mint: wallet.address }), { code: 'refused_to_sign', uploads: [] });
});

it('a page uploads where its browser lets it, also where its service has a relative address, and without the cookies of other hosts', async (t) => {
  const wallet = await newWallet(service, 10_000_000_000n);
  const uploads = async (url: string) => {
    const put: unknown[] = [];
    const calling: typeof fetch = async (input, init) => {
      const called = new URL(String(input), service.url);
      if (init?.method === 'PUT') put.push([called.origin, init.credentials]);
      return called.port === '8500' ? new Response() : fetch(called, init);
    };
    const elsewhere: typeof fetch = async (input, init) => {
      const answer = await calling(input, init);
      if (!String(input).endsWith('/create-tx')) return answer;
      return Response.json({ ...((await answer.json()) as object), metadataPresignedUrl: 'http://127.0.0.1:8500/' });
    };
    await failure(clientOf(service, wallet, { url, fetch: elsewhere }).launch(launchOf()));
    return put;
  };
  Object.assign(globalThis, { document: {} });
  t.after(() => Reflect.deleteProperty(globalThis, 'document'));
  const own = new URL(service.url).origin;
  assert.deepEqual(await uploads(service.url), [
    [own, 'same-origin'],
    ['http://127.0.0.1:8500', 'omit'],
  ]);
  assert.deepEqual(await uploads(''), [
    [own, 'same-origin'],
    ['http://127.0.0.1:8500', 'same-origin'],
  ]);
});
