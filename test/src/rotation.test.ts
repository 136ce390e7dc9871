import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Address, Keypair } from '@slipway/wire';
import { launch, run, SLIPWAY } from './command.js';
import { request, type Service, startService } from './service.js';
import { PUBLIC_URL, type SignerProcess, startSigner } from './signer-process.js';
import { airdrop, lamportsOf, tokensOf } from './swap.js';
import { cancel, confirm, create, deposit, newOrder, newUser, rowOf, SOL, type User, usdcOf } from './trigger-user.js';
import { type Crafted, craft, execute, JUP, newToken, newWallet, PRICE, rpc } from './wallet.js';

const DUST = 5_000_001n;

interface Load {
  done: { payments: number; cancels: number; fills: number };
  /** Waits until each user has done one thing more. */
  moreOfEach(): Promise<void>;
  /** Lets each user end what it does. @throws what went wrong for one of them */
  end(): Promise<void>;
}

/** Users who pay without SOL, change their minds about orders, and have orders filled, one thing after the other. */
function startLoad(service: Service, users: readonly [User, User]): Load {
  const done = { payments: 0, cancels: 0, fills: 0 };
  const failures: Error[] = [];
  let isEnding = false;
  const again = async (deed: () => Promise<void>) => {
    while (!isEnding && failures.length === 0) await deed();
  };
  const pay = async () => {
    await payWith(service, await newPayment(service));
    done.payments += 1;
  };
  const changeMind = async () => {
    const [user] = users;
    const { id } = await newOrder(user);
    const { status, body } = await confirm(user, id, await cancel(user, id));
    assert.equal(status, 200, JSON.stringify(body));
    done.cancels += 1;
  };
  const beFilled = async () => {
    const [, user] = users;
    await airdrop(service, user.wallet.address, 2_000_000_000n);
    const had = await usdcOf(user);
    const { id } = await create(user, await deposit(user), { triggerPriceUsd: 160 });
    while ((await rowOf(user, id)).rawState !== 'fill_success') await sleep(50);
    assert.ok((await usdcOf(user)) > had);
    done.fills += 1;
  };
  const working = [pay, changeMind, beFilled].map(again);
  for (const each of working) each.catch((error: Error) => failures.push(error));
  return {
    done,
    async moreOfEach() {
      const { payments, cancels, fills } = done;
      while (failures.length === 0 && (done.payments === payments || done.cancels === cancels || done.fills === fills))
        await sleep(20);
    },
    async end() {
      isEnding = true;
      await Promise.all(working);
    },
  };
}

interface Payment {
  sender: Keypair;
  crafted: Crafted;
}

async function newPayment(service: Service): Promise<Payment> {
  const sender = await newWallet(service, 0n, PRICE);
  return { sender, crafted: await craft(service, sender.address) };
}

async function payWith(service: Service, { sender, crafted }: Payment): Promise<void> {
  const { status, body } = await execute(service, crafted, sender, { tokenId: await newToken(service) });
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal((body as { status: string }).status, 'Success', JSON.stringify(body));
}

describe('the keys of the wallets, exchanged while they are used', () => {
  let signer: SignerProcess;
  let service: Service;
  before(async () => {
    const callers = { sandbox: ['api', 'keeper', 'sandbox'], operator: ['operator'] };
    signer = await startSigner(callers, {
      limits: { gas: { solPerHour: 100, solPerDay: 100 }, keeper: { solPerHour: 100, solPerDay: 100 } },
    });
    const dataDir = mkdtempSync(join(tmpdir(), 'slipway-test-'));
    writeFileSync(join(dataDir, 'slipway.config.json'), JSON.stringify({ express: { gasless: true } }));
    const env = { SLIPWAY_SIGNER_URL: signer.urlOf('sandbox'), SLIPWAY_PUBLIC_URL: PUBLIC_URL };
    service = await startService({ dataDir, env });
    assert.equal((await request(`${service.url}/sandbox/prices`, { body: { mint: SOL, usd: 165 } })).status, 200);
  });
  after(async () => {
    await service?.close();
    await signer?.close();
  });

  const place = () => ({
    cwd: service.dataDir,
    env: {
      SLIPWAY_RPC_PORT: new URL(service.rpcUrl).port,
      SLIPWAY_DATA_DIR: service.dataDir,
      SLIPWAY_SIGNER_URL: signer.urlOf('operator'),
    },
  });
  const addressOf = async (wallet: string) => {
    const { out, error } = await run(SLIPWAY, ['wallets', 'list', '--json'], place());
    assert.equal(error, '');
    const found = (JSON.parse(out) as { wallet: string; address: Address }[]).find((each) => each.wallet === wallet);
    return found!.address;
  };

  /** Runs the command until it has said that, and kills it. */
  async function killAt(wallet: string, says: RegExp): Promise<void> {
    const program = launch(SLIPWAY, ['signer', 'rotate', wallet], place());
    while (!says.test(program.log())) {
      assert.equal(program.child.exitCode, null, `it has ended: ${program.log()}`);
      await sleep(5);
    }
    program.child.kill('SIGKILL');
    await program.ended;
  }

  for (const wallet of ['gas', 'keeper', 'tracker']) {
    it(`the ${wallet}'s, killed at every stage: nobody who uses it notices, and all that it has comes along`, async (t) => {
      const old = await addressOf(wallet);
      await airdrop(service, old, DUST, JUP);
      const had = await tokensOf(service, old, JUP);
      const users = [await newUser(service), await newUser(service)] as const;
      const load = startLoad(service, users);
      const held = await newPayment(service);
      const order = await newOrder(users[0]);
      const [withdrawal, crafted] = [await cancel(users[0], order.id), await deposit(users[1])];
      // Each call is a stage of its own in a test beside the code; here the others go on meanwhile.
      if (wallet === 'gas') await killAt(wallet, /making key/);
      if (wallet === 'keeper') await killAt(wallet, /getting .* ready/);
      await killAt(wallet, /waiting for what was made/);
      // Crafted before, and signed afterwards.
      await payWith(service, held);
      assert.equal((await confirm(users[0], order.id, withdrawal)).status, 200);
      await create(users[1], crafted);
      await load.moreOfEach();
      await load.end();
      const now = await addressOf(wallet);
      assert.notEqual(now, old);
      // So that nobody waits for the blocks of a minute.
      const ended = run(SLIPWAY, ['signer', 'rotate', wallet, '--finish', '--json'], place());
      let isDone = false;
      void ended.finally(() => {
        isDone = true;
      });
      while (!isDone) {
        await rpc(service, 'localnet_advanceClock', 30);
        await sleep(500);
      }
      const { code, out, error } = await ended;
      assert.equal(code, 0, error);
      assert.deepEqual((JSON.parse(out) as { left: unknown[] }).left, []);
      assert.equal(await addressOf(wallet), now);
      assert.deepEqual([await lamportsOf(service, old), await tokensOf(service, old, JUP)], [0n, 0n]);
      assert.equal(await tokensOf(service, now, JUP), had);
      // And all goes on with the new one alone.
      const more = startLoad(service, users);
      await more.moreOfEach();
      await more.end();
      t.diagnostic(`meanwhile ${JSON.stringify(load.done)}`);
    });
  }
});
