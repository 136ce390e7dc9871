import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
  assert.equal(code, 0, `${args.join(' ')}: ${error}`);
  const answer = JSON.parse(out) as T & { signature?: string };
  // Said before it is sent, for whoever is interrupted then.
  const told = args[0] === 'withdraw' ? JSON.stringify({ progress: `sending ${answer.signature}` }) : '';
  assert.equal(error.trim(), told, args.join(' '));
  return answer;
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
    assert.equal(moved.code, 0, moved.error);
    assert.equal(await lamportsOf(service, to), 250_000_000n);
  } finally {
    await signer.close();
  }
});

it('makes the token accounts that fees of swaps come into, once, and says what it lacks', async () => {
  interface Report {
    receiver: Address;
    accounts: { symbol: string; mint: Address; account: Address; signature?: string; reason?: string }[];
  }
  const receiver = generateKeypair().address;
  const file = join(service.dataDir, 'fees.json');
  writeFileSync(file, JSON.stringify({ swap: { feeReceiver: receiver, lsts: [JUP] } }));
  const env = {
    SLIPWAY_RPC_PORT: new URL(service.rpcUrl).port,
    SLIPWAY_DATA_DIR: service.dataDir,
    SLIPWAY_CONFIG: file,
  };
  const make = async (payer: string) => {
    const ended = await run(SLIPWAY, ['wallets', 'fee-accounts', '--payer', payer, '--json'], {
      env,
      cwd: service.dataDir,
    });
    assert.equal(ended.error, '');
    return { code: ended.code, ...(JSON.parse(ended.out) as Report) };
  };
  const [{ address: tracker } = assert.fail('no tracker wallet')] = await held();
  await airdrop(service, tracker, 1_000_000_000n);
  const before = await lamportsOf(service, tracker);
  const { code, accounts, ...first } = await make('tracker');
  assert.deepEqual([code, first.receiver], [0, receiver]);
  assert.deepEqual(
    accounts.filter(({ symbol }) => ['SOL', 'USDC', 'JUP'].includes(symbol)).map(({ symbol }) => symbol),
    ['SOL', 'USDC', 'JUP'],
  );
  for (const { mint, account, signature } of accounts) {
    assert.equal(account, associatedTokenAddress(receiver, mint, TOKEN_PROGRAM));
    assert.ok(signature);
  }
  const rent = 2_039_280n * BigInt(accounts.length);
  const paid = before - (await lamportsOf(service, tracker)) - rent;
  assert.ok(paid >= 5_000n * BigInt(accounts.length) && paid < 100_000n, `${paid} in fees`);
  const again = await make('gas');
  assert.ok(again.code === 0 && again.accounts.every(({ signature, reason }) => !signature && !reason));
  await refuses(2, /--payer must be one of gas, keeper, tracker/, 'fee-accounts', '--payer', 'alice');

  writeFileSync(file, JSON.stringify({ swap: { feeReceiver: generateKeypair().address } }));
  // Enough for the fee, and not for the rent.
  const rest = (await lamportsOf(service, tracker)) - 2_000_000n;
  await done('withdraw', 'tracker', '--amount', (Number(rest) / 1e9).toFixed(9), '--to', receiver);
  const poor = await run(SLIPWAY, ['wallets', 'fee-accounts', '--payer', 'tracker'], {
    env,
    cwd: service.dataDir,
  });
  assert.deepEqual([poor.code, poor.out], [1, '']);
  assert.match(
    poor.error,
    /the tracker wallet \w+ has 0\.00199\d+ SOL, and this takes up to 0\.0\d+ for \d accounts: send it some/,
  );
});
