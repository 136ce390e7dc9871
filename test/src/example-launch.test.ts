import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Address, associatedTokenAddress } from '@slipway/wire';
import { run } from './command.js';
import { type Service, startService } from './service.js';
import { addressesOf, USDC } from './studio.js';
import { infoOf, rpc } from './wallet.js';

const EXAMPLE = fileURLToPath(new URL('../../examples/dist/launch.js', import.meta.url));
const TRADE = /(\d+) of (\w+) -> (\d+) of (\w+)/g;

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
  for (const signature of signatures) {
    const landed = await rpc<{ meta: { err: unknown } } | null>(service, 'getTransaction', signature, {
      maxSupportedTransactionVersion: 0,
    });
    assert.equal(landed?.meta.err, null, signature);
  }

  const changes = new Map<string, bigint>([[USDC, BigInt(said('Fees claimed'))]]);
  const trades = [...out.matchAll(TRADE)];
  for (const [, paid, from, got, to] of trades) {
    changes.set(from!, (changes.get(from!) ?? 0n) - BigInt(paid!));
    changes.set(to!, (changes.get(to!) ?? 0n) + BigInt(got!));
  }
  assert.equal(trades.length, 4);
  const paid = [...out.matchAll(/^Paid in SOL +(\d+) lamports/gm)].map(([, amount]) => Number(amount));
  assert.equal(paid.length, 6, out);
  assert.equal(
    lamports - (await solOf(bob)),
    paid.reduce((all, amount) => all + amount),
  );
  assert.equal((await tokensOf(bob, USDC)) - start, changes.get(USDC));
  assert.equal(await tokensOf(bob, mint), changes.get(mint));
  assert.equal((await addressesOf(service, mint)).body.data.dammv2PoolAddress, said('Has moved to'));
});
