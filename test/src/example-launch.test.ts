import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { feeOf } from '@slipway/checks';
import {
  type Address,
  associatedTokenAddress,
  COMPUTE_BUDGET_PROGRAM,
  decodeTransaction,
  rentExemptLamports,
} from '@slipway/wire';
import { run } from './command.js';
import { type Service, startService } from './service.js';
import { addressesOf, USDC } from './studio.js';
import { infoOf, rpc } from './wallet.js';

const EXAMPLE = fileURLToPath(new URL('../../examples/dist/launch.js', import.meta.url));
const TRADE = /(\d+) of (\w+) -> (\d+) of (\w+)/g;

/** What each transaction of the wallet pays in SOL beside the fee: the rent of what it makes, and 0.01 for the metadata. */
const SPENT = [
  rentOf(1_048, 424, 82, 165, 165, 679) + 10_000_000n, // configuration, pool, mint, two vaults, metadata
  rentOf(165), // the first purchase makes the wallet's token account
  ...[0n, 0n, 0n], // sale, claim, the purchase of all that is left
  ...[0n, 0n], // the migration, which the keeper pays for, and the purchase after it
];

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service?.close());

async function tokensOf(owner: Address, mint: string): Promise<bigint> {
  const account = associatedTokenAddress(owner, mint as Address);
  const { value } = await rpc<{ value: { amount: string } }>(service, 'getTokenAccountBalance', account);
  return BigInt(value.amount);
}

async function solOf(owner: Address): Promise<number> {
  return (await rpc<{ value: number }>(service, 'getBalance', owner)).value;
}

function rentOf(...sizes: number[]): bigint {
  return sizes.reduce((all, size) => all + rentExemptLamports(size), 0n);
}

/** Who pays for a transaction, the fee that its bytes ask for, and by how much its accounts have become poorer. */
async function costOf(signature: string) {
  const options = { encoding: 'base64', maxSupportedTransactionVersion: 0 };
  const { transaction, meta } = await rpc<Landed>(service, 'getTransaction', signature, options);
  assert.equal(meta.err, null, signature);
  const { accounts, instructions, header } = decodeTransaction(Buffer.from(transaction[0], 'base64')).decoded;
  const budget = { computeUnitLimit: 0, computeUnitPrice: 0n };
  for (const { programIndex, data } of instructions) {
    if (accounts[programIndex] !== COMPUTE_BUDGET_PROGRAM) continue;
    if (data[0] === 2) budget.computeUnitLimit = Buffer.from(data).readUInt32LE(1);
    if (data[0] === 3) budget.computeUnitPrice = Buffer.from(data).readBigUInt64LE(1);
  }
  const change = (account: Address) => {
    const at = accounts.indexOf(account);
    return at < 0 ? 0n : BigInt(meta.preBalances[at]! - meta.postBalances[at]!);
  };
  const fee = feeOf(header.requiredSignatures, budget);
  return { payer: accounts[0]!, fee, charged: BigInt(meta.fee), change };
}

interface Landed {
  transaction: [string, string];
  meta: { err: unknown; fee: number; preBalances: number[]; postBalances: number[] };
}

it('the example of a launch goes from the picture to a trade after the migration, all of it on the chain', async () => {
  const { wallets } = await infoOf(service);
  const bob = wallets.find(({ name }) => name === 'bob')!.address as Address;
  const start = await tokensOf(bob, USDC);
  const lamports = await solOf(bob);
  const { code, out, error } = await run(EXAMPLE, ['bob'], {
    cwd: service.dataDir,
    env: { SLIPWAY_URL: service.url },
  });
  assert.equal(code, 0, `${out}${error}`);

  const said = (label: string) =>
    new RegExp(`^${label} +(\\S+)`, 'm').exec(out)?.[1] ?? assert.fail(`${label}: ${out}`);
  const mint = said('Mint');
  assert.match(
    out,
    new RegExp(`^On the chain +Example \\(EXMPL\\), ${service.url}/objects/metadata/${mint}.json$`, 'm'),
  );
  assert.match(out, new RegExp(`^Its picture +70 bytes at ${service.url}/objects/images/${mint}$`, 'm'));

  const signatures = [...out.matchAll(/\b([1-9A-HJ-NP-Za-km-z]{80,}), slot/g)].map(([, signature]) => signature!);
  assert.equal(new Set(signatures).size, 7, out);
  let spent = 0n;
  for (const [i, signature] of signatures.entries()) {
    const { payer, fee, charged, change } = await costOf(signature);
    const isMigration = said('Migrated in').startsWith(signature);
    assert.equal(charged, fee, signature);
    assert.equal(payer === bob, !isMigration, `transaction ${i} is paid for by ${payer}`);
    assert.equal(change(bob), isMigration ? 0n : fee + SPENT[i]!, `SOL in transaction ${i}`);
    spent += change(bob);
  }
  assert.equal(BigInt(lamports - (await solOf(bob))), spent);

  const changes = new Map<string, bigint>([[USDC, BigInt(said('Fees claimed'))]]);
  const trades = [...out.matchAll(TRADE)];
  for (const [, paid, from, got, to] of trades) {
    changes.set(from!, (changes.get(from!) ?? 0n) - BigInt(paid!));
    changes.set(to!, (changes.get(to!) ?? 0n) + BigInt(got!));
  }
  assert.equal(trades.length, 4);
  const paid = [...out.matchAll(/^Paid in SOL +(\d+) lamports/gm)].map(([, amount]) => BigInt(amount!));
  assert.equal(paid.length, 6, out);
  assert.equal(
    paid.reduce((all, amount) => all + amount),
    spent,
  );
  assert.equal((await tokensOf(bob, USDC)) - start, changes.get(USDC));
  assert.equal(await tokensOf(bob, mint), changes.get(mint));
  assert.equal((await addressesOf(service, mint)).body.data.dammv2PoolAddress, said('Has moved to'));
});
