import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { type Localnet, startLocalnet } from '@slipway/localnet';
import { type Address, encodeTokenAccount, generateKeypair, TOKEN_PROGRAM } from '@slipway/wire';
import { openSigner } from '../../server/dist/signer/index.js';
import { launch, run, SLIPWAY } from './command.js';
import { request, type Service, startService } from './service.js';
import {
  airdrop,
  cancel,
  confirm,
  create,
  type Deposit,
  deposit,
  feeOf,
  hasLamports,
  lamportsOf,
  newUser,
  OCO,
  RENT,
  rowOf,
  SOL,
  tokensAt,
  USDC,
  type User,
  usdcOf,
} from './trigger-user.js';
import { logIn } from './trigger-wallet.js';
import { startUpstreamProxy, type UpstreamProxy } from './upstream-proxy.js';

const OLD = 'the passphrase of before';
const NEW = 'the passphrase of afterwards';
const PREFIX = 'Log in as';

interface Opened {
  user: User;
  crafted: Deposit;
  id: string;
}

describe('a service whose seed is exchanged', () => {
  let localnet: Localnet;
  let proxy: UpstreamProxy;
  let keys: string;
  let dataDir: string;
  let service: Service;
  let oldGas: Address;
  before(async () => {
    keys = mkdtempSync(join(tmpdir(), 'slipway-keys-'));
    dataDir = mkdtempSync(join(tmpdir(), 'slipway-test-'));
    localnet = await startLocalnet({ rpcPort: 0 });
    proxy = await startUpstreamProxy(localnet.rpcUrl);
    oldGas = (await openSigner({ file: join(keys, 'old.json'), passphrase: OLD, create: true })).address('gas');
    await openSigner({ file: join(keys, 'new.json'), passphrase: NEW, create: true });
    writeFileSync(join(keys, 'new.pass'), `${NEW}\n`, { mode: 0o600 });
    await start('old.json', OLD);
  });
  after(async () => {
    await service?.close();
    await proxy?.close();
    await localnet?.close();
    rmSync(keys, { recursive: true });
  });

  const envWith = (file: string, passphrase: string) => ({
    SLIPWAY_RPC_URL: localnet.rpcUrl,
    SLIPWAY_RPC_WS_URL: localnet.wsUrl,
    SLIPWAY_SANDBOX: '1',
    SLIPWAY_DATA_DIR: dataDir,
    SLIPWAY_SIGNER_FILE: join(keys, file),
    SLIPWAY_SIGNER_PASSPHRASE: passphrase,
    SLIPWAY_CHALLENGE_PREFIX: PREFIX,
  });
  async function start(file: string, passphrase: string): Promise<void> {
    service = { ...(await startService({ env: envWith(file, passphrase), dataDir })), rpcUrl: localnet.rpcUrl };
  }
  const slipway = (...args: string[]) =>
    run(SLIPWAY, args, { cwd: dataDir, env: { ...envWith('old.json', OLD), SLIPWAY_URL: service.url } });
  async function freezeInto(owner: Address): Promise<void> {
    const mint = USDC as Address;
    const held = { mint, owner, amount: 5n, state: 'frozen', delegatedAmount: 0n, isNative: false } as const;
    const data = Buffer.from(encodeTokenAccount(held)).toString('base64');
    const account = { lamports: Number(RENT), owner: TOKEN_PROGRAM, executable: false, data };
    await localnet.call('localnet_setAccount', [generateKeypair().address, account]);
  }
  const MIGRATE = ['vaults', 'migrate', '--to', '', '--to-passphrase-file', ''];
  const migrateWords = () =>
    MIGRATE.map((word, i) => (i === 3 ? join(keys, 'new.json') : i === 5 ? join(keys, 'new.pass') : word));
  const setPrice = (usd: number) => request(`${service.url}/sandbox/prices`, { body: { mint: SOL, usd } });
  const again = async (user: User): Promise<User> => ({ ...user, service, token: await logIn(service, user.wallet) });
  async function until(user: User, id: string, state: string): Promise<void> {
    for (let left = 600; (await rowOf(user, id)).rawState !== state; left--) {
      assert.ok(left > 0, JSON.stringify(await rowOf(user, id)));
      await sleep(100);
    }
  }
  async function open(depositing: object, ordering: object): Promise<Opened> {
    const user = await newUser(service);
    const crafted = await deposit(user, { ...depositing });
    const { id } = await create(user, crafted, { ...ordering });
    return { user, crafted, id };
  }

  /** Kills the exchange at its next call to the chain after it has said that: it goes no further, however slow this process is. */
  async function killAt(says: RegExp): Promise<void> {
    const env = { ...envWith('old.json', OLD), SLIPWAY_RPC_URL: proxy.url };
    const program = launch(SLIPWAY, migrateWords(), { cwd: dataDir, env });
    proxy.behavior = async (_call, forward) => {
      // What it has said before the call is read before the second turn of the loop.
      for (let turns = 0; turns < 2; turns++) await setImmediate();
      if (!says.test(program.log())) return { body: await forward() };
      program.child.kill('SIGKILL');
      return 'cut';
    };
    const { code, error } = await program.ended;
    assert.equal(code, null, error);
  }

  it('has every order open in its new vault, which fills and gives back to the unit; killed in between', async () => {
    await setPrice(150);
    const filled = await open({}, { triggerPriceUsd: 160 });
    const oco = await open({ orderSubType: 'oco' }, { ...OCO, tpPriceUsd: 163 });
    const usd = { inputMint: USDC, outputMint: SOL, amount: '200000000' };
    const cancelled = await open(usd, {
      ...usd,
      inputAmount: '200000000',
      triggerCondition: 'below',
      triggerPriceUsd: 50,
    });
    const opened = [filled, oco, cancelled];
    // What others have sent into a vault is of no order.
    await airdrop(service, filled.user.vault, 7_000_001n, USDC);
    await airdrop(service, filled.user.vault, 3_000_000n);
    await freezeInto(filled.user.vault as Address);
    await freezeInto(oldGas);
    const usdc = await usdcOf(filled.user);

    const running = await slipway(...migrateWords());
    assert.equal(running.code, 1, 'the service runs, and holds its database');
    const stopped = await slipway('stop', 'all', '--why', 'another seed');
    assert.equal(stopped.code, 0, stopped.error);
    await service.kill();
    for (const says of [/getting the gas wallet/, /^1: /m, /^3: /m, /moving what the wallets/]) await killAt(says);
    const early = await startService({ env: envWith('new.json', NEW), dataDir }).catch((error: Error) => error);
    assert.ok(early instanceof Error, 'a service starts before all has moved');
    const done = await slipway(...migrateWords(), '--json');
    // What somebody has frozen in a vault, or a wallet of the service, keeps nothing from ending, but is told.
    assert.equal(done.code, 4, `${done.out} ${done.error}`);
    assert.deepEqual((JSON.parse(done.out) as { vaults: number; done: boolean }).done, true);
    const repeated = await slipway(...migrateWords());
    assert.equal(repeated.code, 4, 'it can be run again');
    assert.match(repeated.out, /^5 of \S+ in \S+ is left: [\s\S]*^5 of [\s\S]*still in the old vaults and wallets/m);

    const before = await startService({ env: envWith('old.json', OLD), dataDir }).catch((error: Error) => error);
    assert.ok(before instanceof Error, 'a service with the old keys starts');
    await start('new.json', NEW);
    assert.equal((await slipway('resume', 'all')).code, 0);
    // What was of no order went home.
    assert.equal(await usdcOf(filled.user), usdc + 7_000_001n);
    const [one, two, three] = (await Promise.all(opened.map(({ user }) => again(user)))) as [User, User, User];
    for (const [i, { user, crafted, id }] of opened.entries()) {
      const now = [one, two, three][i]!;
      assert.equal((await rowOf(now, id)).rawState, 'open');
      assert.equal(await lamportsOf(service, user.vault), 0n);
      assert.equal(await tokensAt(service, crafted.inputTokenAccount), undefined);
      const { vaultPubkey } = await vaultOf(now);
      assert.notEqual(vaultPubkey, user.vault);
    }
    // A cancelled order: the deposit and the rent of its account, to the unit.
    const had = [await usdcOf(three), await lamportsOf(service, three.wallet.address)] as const;
    const { status, body } = await confirm(three, cancelled.id, await cancel(three, cancelled.id));
    assert.equal(status, 200, JSON.stringify(body));
    const fee = await feeOf(service, body.txSignature);
    assert.equal(await usdcOf(three), had[0] + 200_000_000n);
    assert.equal(await lamportsOf(service, three.wallet.address), had[1] + RENT - fee);
    // And filled ones.
    const lamports = await lamportsOf(service, one.wallet.address);
    const usdcs = await Promise.all([one, two].map(usdcOf));
    await setPrice(165);
    await until(one, filled.id, 'fill_success');
    await until(two, oco.id, 'fill_success');
    const row = await rowOf(one, filled.id);
    assert.deepEqual([row.inputUsed, row.outputAmount], ['1000000000', `${(await usdcOf(one)) - usdcs[0]!}`]);
    assert.ok((await usdcOf(one)) - usdcs[0]! > 160_000_000n);
    assert.ok((await usdcOf(two)) - usdcs[1]! > 160_000_000n);
    await hasLamports(one, lamports + RENT);
    // A new order of an old wallet.
    const more = await deposit(one);
    assert.equal((await tokensAt(service, more.inputTokenAccount)) ?? undefined, undefined);
    await create(one, more, { triggerPriceUsd: 500 });
    assert.equal((await tokensAt(service, more.inputTokenAccount))!.amount, 1_000_000_000n);
  });
});

async function vaultOf({ service, token }: User): Promise<{ vaultPubkey: string }> {
  const { asWallet } = await import('./trigger-wallet.js');
  return (await asWallet<{ vaultPubkey: string }>(service, token, '/vault')).body;
}
