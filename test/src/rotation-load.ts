import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, decodeTransaction, type Keypair } from '@slipway/wire';
import { launch, type Place, run, SLIPWAY } from './command.js';
import { request, type Service, startService } from './service.js';
import { PUBLIC_URL } from './signer-process.js';
import { airdrop, lamportsOf, tokensOf } from './swap.js';
import { cancel, confirm, create, deposit, newOrder, newUser, rowOf, SOL, type User, usdcOf } from './trigger-user.js';
import { type Crafted, craft, execute, JUP, newToken, newWallet, PRICE, rpc } from './wallet.js';

/** The callers of a signer whose keys are exchanged while a service uses them. */
export const CALLERS = { sandbox: ['api', 'keeper', 'sandbox'], operator: ['operator'] };
export const LIMITS = { gas: { solPerHour: 100, solPerDay: 100 }, keeper: { solPerHour: 100, solPerDay: 100 } };
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

/** Whether what was crafted may land yet. */
async function isLive(service: Service, { transaction }: { transaction: string }): Promise<boolean> {
  const { decoded } = decodeTransaction(Buffer.from(transaction, 'base64'));
  return (await rpc<{ value: boolean }>(service, 'isBlockhashValid', decoded.blockhash)).value;
}

/** A sandbox whose signer is a process of its own, and whose gas wallet and keeper have much to do. */
export async function startUser(signerUrl: string): Promise<Service> {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipway-test-'));
  writeFileSync(join(dataDir, 'slipway.config.json'), JSON.stringify({ express: { gasless: true } }));
  const service = await startService({
    dataDir,
    env: { SLIPWAY_SIGNER_URL: signerUrl, SLIPWAY_PUBLIC_URL: PUBLIC_URL },
  });
  const { status } = await request(`${service.url}/sandbox/prices`, { body: { mint: SOL, usd: 165 } });
  assert.equal(status, 200);
  return service;
}

/** Where `slipway signer rotate` runs, as the operator. */
export const operatorOf = (service: Service, signerUrl: string): Place => ({
  cwd: service.dataDir,
  env: {
    SLIPWAY_RPC_PORT: new URL(service.rpcUrl).port,
    SLIPWAY_DATA_DIR: service.dataDir,
    SLIPWAY_SIGNER_URL: signerUrl,
  },
});

export async function addressOf(place: Place, wallet: string): Promise<Address> {
  const { out, error } = await run(SLIPWAY, ['wallets', 'list', '--json'], place);
  assert.equal(error, '');
  const found = (JSON.parse(out) as { wallet: string; address: Address }[]).find((each) => each.wallet === wallet);
  return found!.address;
}

/** Runs the command until it has said that, and kills it. */
async function killAt(place: Place, wallet: string, says: RegExp): Promise<void> {
  const program = launch(SLIPWAY, ['signer', 'rotate', wallet], place);
  while (!says.test(program.log())) {
    assert.equal(program.child.exitCode, null, `it has ended: ${program.log()}`);
    await sleep(5);
  }
  program.child.kill('SIGKILL');
  await program.ended;
}

/**
 * Exchanges the key of a wallet while users need it: the command is killed when it says each of these, and run to its end.
 * Nobody notices, and all that the wallet has comes along. `betweenLoads` runs while nobody asks, before the old key is
 * retired. Returns the two addresses, and what users have done.
 */
export async function exchangeUnderLoad(
  service: Service,
  place: Place,
  wallet: string,
  { killsAt, betweenLoads }: { killsAt: readonly RegExp[]; betweenLoads?: () => Promise<void> },
): Promise<{ old: Address; now: Address; done: Load['done'] }> {
  const old = await addressOf(place, wallet);
  await airdrop(service, old, DUST, JUP);
  const had = await tokensOf(service, old, JUP);
  const users = [await newUser(service), await newUser(service)] as const;
  const load = startLoad(service, users);
  const held = await newPayment(service);
  const order = await newOrder(users[0]);
  const [withdrawal, crafted] = [await cancel(users[0], order.id), await deposit(users[1])];
  for (const says of killsAt) await killAt(place, wallet, says);
  // Crafted before, and signed afterwards; anew where the commands took longer than that lives.
  await payWith(service, (await isLive(service, held.crafted)) ? held : await newPayment(service));
  const leaving = (await isLive(service, withdrawal)) ? withdrawal : await cancel(users[0], order.id);
  assert.equal((await confirm(users[0], order.id, leaving)).status, 200);
  await create(users[1], (await isLive(service, crafted)) ? crafted : await deposit(users[1]));
  await load.moreOfEach();
  await load.end();
  await betweenLoads?.();
  const now = await addressOf(place, wallet);
  assert.notEqual(now, old);
  await finish(service, place, wallet);
  assert.equal(await addressOf(place, wallet), now);
  assert.deepEqual([await lamportsOf(service, old), await tokensOf(service, old, JUP)], [0n, 0n]);
  assert.equal(await tokensOf(service, now, JUP), had);
  // And all goes on with the new one alone.
  const more = startLoad(service, users);
  await more.moreOfEach();
  await more.end();
  return { old, now, done: load.done };
}

/**
 * Runs the command to its end. While it waits, the chain goes on fast, so that nobody waits for the blocks of a minute; not
 * any more once it moves what the old key holds, since its own transactions would expire on a busy machine.
 */
async function finish(service: Service, place: Place, wallet: string): Promise<void> {
  const program = launch(SLIPWAY, ['signer', 'rotate', wallet, '--finish', '--json'], place);
  while (program.child.exitCode === null && !/moving what/.test(program.log())) {
    await rpc(service, 'localnet_advanceClock', 30);
    await sleep(500);
  }
  const { code, out, error } = await program.ended;
  assert.equal(code, 0, out + error);
  assert.deepEqual((JSON.parse(out) as { left: unknown[] }).left, []);
}
