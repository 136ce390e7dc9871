import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { run, SLIPWAY } from './command.js';
import { eventually } from './rounds.js';
import { type Answer, request, type Service, startService } from './service.js';
import { PUBLIC_URL, type SignerProcess, startSigner } from './signer-process.js';
import {
  type Created,
  type Deposit,
  depositBody,
  feeOf,
  hasDied,
  lamportsOf,
  newUser,
  orderBody,
  post,
  rowOf,
  type User,
  usdcOf,
} from './trigger-user.js';

const SOL_MINT = 'So11111111111111111111111111111111111111112';

const AWAY = 'What signs for the service cannot be reached at the moment';

/** The contract of trigger orders has no 503. */
function assertAway({ status, headers, body }: Answer<unknown>, expected = 500): void {
  assert.equal(status, expected, JSON.stringify(body));
  assert.equal(headers.get('retry-after'), '1');
  assert.deepEqual(body, { error: AWAY });
}

describe('a signer in a process of its own', () => {
  let signer: SignerProcess;
  let service: Service;
  /** What was answered while the signer was away. */
  const outages: Answer<unknown>[] = [];

  before(async () => {
    signer = await startSigner({ sandbox: ['api', 'keeper', 'sandbox'], keeper: ['keeper'] });
    service = await startService({
      env: { SLIPWAY_SIGNER_URL: signer.urlOf('sandbox'), SLIPWAY_PUBLIC_URL: PUBLIC_URL },
    });
  });
  after(async () => {
    await service?.close();
    await signer?.close();
  });

  const setPrice = (usd: number) => request(`${service.url}/sandbox/prices`, { body: { mint: SOL_MINT, usd } });
  const readiness = () => request<{ checks: Record<string, string> }>(`${service.url}/readyz`);

  /** Asks until it is not the signer that is away. */
  async function patiently<T>(
    ask: () => Promise<Answer<T>>,
    { away = 500, isOver = ({ status }: Answer<T>) => status === 200 } = {},
  ): Promise<T> {
    for (;;) {
      const answer = await ask();
      if (isOver(answer)) return answer.body;
      assertAway(answer, away);
      outages.push(answer);
      await sleep(50);
    }
  }

  async function order(user: User): Promise<Created> {
    for (;;) {
      const crafted = await patiently(() => post<Deposit>(user, '/deposit/craft', depositBody(user)));
      const body = orderBody(user, crafted, { triggerPriceUsd: 160 });
      // A signer may be away for longer than a deposit lives.
      const made = await patiently(() => post<Created>(user, '/orders/price', body), {
        isOver: (answer) => answer.status === 200 || hasDied(answer),
      });
      if (made.id !== undefined) return made;
    }
  }

  /** Kills and starts the signer while there is work, but not for ever. */
  async function killWhile(work: Promise<unknown>, most: number): Promise<number> {
    let isDone = false;
    void work
      .finally(() => {
        isDone = true;
      })
      .catch(() => {});
    let kills = 0;
    while (!isDone && kills < most) {
      await signer.kill();
      kills += 1;
      // At least once until a client has met it; the others at any moment.
      while (!isDone && outages.length === 0) await sleep(20);
      await sleep(Math.random() * 400);
      await signer.start();
      await sleep(200 + Math.random() * 800);
    }
    await work;
    return kills;
  }

  it('is killed again and again under load: clients get 503, every order is taken once, filled once, and paid in full', async (t) => {
    assert.equal((await setPrice(150)).status, 200);
    const users = await Promise.all(Array.from({ length: 3 }, () => newUser(service)));
    const before = await Promise.all(
      users.map(async (user) => ({
        lamports: await lamportsOf(service, user.wallet.address),
        usdc: await usdcOf(user),
      })),
    );
    const taken: Created[][] = users.map(() => []);
    const ordering = users.map(async (user, index) => {
      for (let count = 0; count < 6; count++) taken[index]!.push(await order(user));
    });
    const killsWhileOrdering = await killWhile(Promise.all(ordering), 8);
    const orders = users.flatMap((user, index) => taken[index]!.map(({ id }) => ({ user, id })));
    assert.equal(new Set(orders.map(({ id }) => id)).size, 18);
    await patiently(() => setPrice(165), { away: 503 });
    const filling = orders.map(({ user, id }) =>
      eventually(`${id} is filled`, async () => {
        const row = await rowOf(user, id).catch(() => undefined);
        return row?.rawState === 'fill_success' ? row : undefined;
      }),
    );
    const killsWhileFilling = await killWhile(Promise.all(filling), 4);
    t.diagnostic(`${killsWhileOrdering} + ${killsWhileFilling} kills, ${outages.length} answers with 503`);
    const rows = await Promise.all(filling);
    for (const [index, user] of users.entries()) {
      const own = rows.filter((_, at) => orders[at]!.user === user);
      const gained = (await usdcOf(user)) - before[index]!.usdc;
      assert.equal(
        gained,
        own.reduce((sum, { outputAmount }) => sum + BigInt(outputAmount as string), 0n),
      );
      const fees = await Promise.all(taken[index]!.map(({ txSignature }) => feeOf(service, txSignature)));
      const due = before[index]!.lamports - fees.reduce((sum, fee) => sum + fee, 6_000_000_000n);
      // The rent of an order's account may come back a moment after its fill.
      await eventually('every rent is back', async () => {
        const lamports = await lamportsOf(service, user.wallet.address);
        assert.ok(lamports <= due, `${lamports} of ${due}`);
        return lamports === due || undefined;
      });
    }
    assert.ok(outages.length > 0, 'no client met the outage');
  });

  it('says so while it is away: 503 in the shape of the area with Retry-After, and the service is not ready', async () => {
    const user = await newUser(service);
    assert.equal((await readiness()).body.checks.signer, 'ok');
    await signer.kill();
    assertAway(await post(user, '/deposit/craft', depositBody(user)));
    const hook = { url: 'https://hooks.example.com/slipway' };
    assertAway(await request(`${service.url}/events/v1/webhooks`, { body: hook }), 503);
    // What was found before is kept for a second, in which something else may have taken too long.
    const unready = await eventually('its readiness says so', async () => {
      const answer = await readiness();
      return answer.body.checks.signer === 'failed' ? answer : undefined;
    });
    assert.equal(unready.status, 503);
    await signer.start();
    await eventually('the service is ready', async () => (await readiness()).status === 200 || undefined);
    assert.equal((await post(user, '/deposit/craft', depositBody(user))).status, 200);
  });

  it('writes no key and no secret into its log', () => {
    assert.match(signer.log(), /"msg":"connected"/);
    assert.doesNotMatch(signer.log(), /passphrase|[0-9a-f]{64}|secret/i);
  });

  it('is found by doctor, which says as whom it is known, and what is stopped', async () => {
    const stopped = await run(SLIPWAY, ['signer', 'stop', 'fills', '--why', 'prices'], { cwd: signer.folder });
    assert.equal(stopped.code, 0, stopped.error);
    const place = { cwd: service.dataDir, env: { SLIPWAY_SIGNER_URL: signer.urlOf('keeper') } };
    const out = await eventually('doctor says what is stopped', async () => {
      const said = (await run(SLIPWAY, ['doctor', '--url', service.url], place)).out;
      return /fills is stopped by "slipway signer stop": prices/.test(said) ? said : undefined;
    });
    assert.match(
      out,
      /signer\s.*keeper\.sock answers, and knows this caller as keeper; its keys are in \S+signer\.json, and sign; the gas wallet is \w+/,
    );
  });
});
