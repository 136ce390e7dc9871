import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { type Address, associatedTokenAddress, generateKeypair, TOKEN_PROGRAM } from '@slipway/wire';
import { type Ended, run, SLIPWAY } from './command.js';
import { type Service, startService } from './service.js';
import { startSigner } from './signer-process.js';
import { airdrop, lamportsOf, tokensOf } from './swap.js';
import { JUP } from './wallet.js';

interface Holding {
  wallet: string;
  address: Address;
  token: string;
  amount: string;
}

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service?.close());

function wallets(...args: string[]): Promise<Ended> {
  const env = { SLIPWAY_RPC_PORT: new URL(service.rpcUrl).port, SLIPWAY_DATA_DIR: service.dataDir };
  return run(SLIPWAY, ['wallets', ...args], { env, cwd: service.dataDir });
}

async function done<T>(...args: string[]): Promise<T> {
  const { code, out, error } = await wallets(...args, '--json');
  assert.deepEqual([code, error], [0, ''], args.join(' '));
  return JSON.parse(out) as T;
}

async function refuses(code: number, says: RegExp, ...args: string[]): Promise<void> {
  const ended = await wallets(...args);
  assert.deepEqual([ended.code, ended.out], [code, ''], `${args.join(' ')}: ${ended.error}`);
  assert.match(ended.error, says);
}

const held = async () => (await done<Holding[]>('list')).filter(({ wallet }) => wallet === 'tracker');

it('shows what the wallets of the service hold, and takes it out to the unit', async () => {
  const [{ address } = assert.fail('no tracker wallet')] = await held();
  await airdrop(service, address, 2_000_000_000n);
  await airdrop(service, address, 5_000_001n, JUP);
  assert.deepEqual(
    (await held()).map(({ token, amount }) => [token, amount]),
    [
      ['SOL', '2'],
      [JUP, '5.000001'],
    ],
  );
  assert.match((await wallets('list')).out, new RegExp(`tracker +${address} +5\\.000001 +${JUP}`));

  const to = generateKeypair().address;
  const part = await done<{ amount: string; signature: string }>(
    'withdraw',
    'tracker',
    '--token',
    JUP,
    '--amount',
    '1.5',
    '--to',
    to,
  );
  assert.equal(part.amount, '1.5');
  assert.equal(await tokensOf(service, to, JUP), 1_500_000n);
  const all = await done<{ amount: string }>('withdraw', 'tracker', '--token', JUP, '--amount', 'all', '--to', to);
  assert.equal(all.amount, '3.500001');
  assert.equal(await tokensOf(service, to, JUP), 5_000_001n);

  const before = await lamportsOf(service, address);
  await done('withdraw', 'tracker', '--amount', '0.25', '--to', to);
  assert.equal(await lamportsOf(service, to), 250_000_000n);
  const fee = before - 250_000_000n - (await lamportsOf(service, address));
  assert.ok(fee >= 5_000n && fee < 20_000n, `${fee}`);
});

it('refuses what would be lost, what is not there, and what is no wallet', async () => {
  const [{ address } = assert.fail('no tracker wallet')] = await held();
  const to = generateKeypair().address;
  const { lamports, tokens } = {
    lamports: await lamportsOf(service, address),
    tokens: await tokensOf(service, address, JUP),
  };
  const account = associatedTokenAddress(address, JUP, TOKEN_PROGRAM);
  await refuses(
    2,
    /--to must be a wallet: .* is an account of the program Tokenkeg/,
    'withdraw',
    'tracker',
    '--amount',
    '0.1',
    '--to',
    account,
  );
  await refuses(2, /--to is the tracker wallet itself/, 'withdraw', 'tracker', '--amount', '0.1', '--to', address);
  await refuses(1, /tracker wallet .* cannot send that/, 'withdraw', 'tracker', '--amount', '1000', '--to', to);
  await refuses(1, /holds none of/, 'withdraw', 'tracker', '--token', JUP, '--amount', 'all', '--to', to);
  await refuses(2, /--amount must be a number for SOL/, 'withdraw', 'tracker', '--amount', 'all', '--to', to);
  await refuses(2, /WALLET must be one of gas, keeper, tracker/, 'withdraw', 'vault', '--amount', '1', '--to', to);
  await refuses(2, /amount/, 'withdraw', 'tracker', '--amount', '-1', '--to', to);
  assert.equal(await lamportsOf(service, to), 0n);
  assert.deepEqual([await lamportsOf(service, address), await tokensOf(service, address, JUP)], [lamports, tokens]);
});

it('moves what a signer of its own holds for its operator only, and says so', async () => {
  const signer = await startSigner({ copy: ['api', 'keeper'], operator: ['operator'] });
  try {
    const to = generateKeypair().address;
    const as = (caller: string, ...args: string[]) => {
      const env = { SLIPWAY_RPC_PORT: new URL(service.rpcUrl).port, SLIPWAY_SIGNER_URL: signer.urlOf(caller) };
      return run(SLIPWAY, ['wallets', ...args, '--json'], { env, cwd: service.dataDir });
    };
    const holdings = JSON.parse((await as('copy', 'list')).out) as Holding[];
    const { address } = holdings.find(({ wallet }) => wallet === 'keeper')!;
    await airdrop(service, address, 2_000_000_000n);
    const withdrawal = ['withdraw', 'keeper', '--amount', '0.25', '--to', to];
    const refused = await as('copy', ...withdrawal);
    assert.equal(refused.code, 1);
    assert.match(refused.error, /copy may not ask for this\. Set SLIPWAY_SIGNER_URL to .* the role operator/);
    assert.equal(await lamportsOf(service, to), 0n);
    const moved = await as('operator', ...withdrawal);
    assert.deepEqual([moved.code, moved.error], [0, '']);
    assert.equal(await lamportsOf(service, to), 250_000_000n);
  } finally {
    await signer.close();
  }
});
