import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import type { Address } from '@slipway/wire';
import { Registry } from 'prom-client';
import type { ChainAccount } from '../chain/index.js';
import { silent } from '../routing/aggregator/testing.js';
import { KEEPER_LEAST_LAMPORTS, KeeperWallet, startWalletReadings } from './wallet.js';

const MINUTE = 60_000;
const address = 'keeper' as Address;

/** A chain on which wallets have what `lamports` says; no account is made of nothing. */
function chainOf(lamports: Map<string, bigint>) {
  return {
    account: async (of: Address) => {
      const has = lamports.get(of);
      return has === undefined ? undefined : ({ lamports: has } as ChainAccount);
    },
  };
}

test('a wallet with too little is told of at once, every five minutes, and again after it had enough', async () => {
  const lamports = new Map<string, bigint>();
  let now = 0;
  const log = { ...silent, warn: mock.fn(), info: mock.fn() };
  const wallet = new KeeperWallet({ chain: chainOf(lamports), address, steadyNow: () => now, log: log as never });
  const warnings = () => log.warn.mock.callCount();
  for (let turn = 0; turn < 3; turn++) assert.equal(await wallet.canPay(), false);
  assert.equal(warnings(), 1);
  assert.match(wallet.shortage ?? '', /^the keeper wallet keeper has 0 SOL: with less than 0\.02 /);
  now = 5 * MINUTE - 1;
  await wallet.canPay();
  assert.equal(warnings(), 1);
  now = 5 * MINUTE;
  await wallet.canPay();
  assert.equal(warnings(), 2);
  lamports.set(address, 2n * KEEPER_LEAST_LAMPORTS);
  assert.equal(await wallet.canPay(), true);
  assert.deepEqual([wallet.warning, log.info.mock.callCount()], [undefined, 1]);
  lamports.set(address, KEEPER_LEAST_LAMPORTS - 1n);
  assert.equal(await wallet.canPay(), false);
  assert.deepEqual([warnings(), log.info.mock.callCount()], [3, 1]);
});

test('a wallet with too little for claims alone is told of, and the keepers go on', async () => {
  const lamports = new Map([[address, KEEPER_LEAST_LAMPORTS]]);
  const log = { ...silent, warn: mock.fn() };
  const wallet = new KeeperWallet({ chain: chainOf(lamports), address, steadyNow: () => 0, log: log as never });
  assert.equal(await wallet.canPay(), true);
  assert.deepEqual([wallet.shortage, log.warn.mock.callCount()], [undefined, 1]);
  assert.match(
    wallet.warning ?? '',
    /^the keeper wallet keeper has 0\.02 SOL: with less than 0\.04 no invite is claimed/,
  );
});

test('the metric tells of every wallet, and a keeper warns though nothing is due', async () => {
  const registry = new Registry();
  const chain = chainOf(new Map([['gas', 5n]]));
  const warn = mock.fn();
  const log = { ...silent, warn } as never;
  const keeper = new KeeperWallet({ chain, address, steadyNow: () => 0, log });
  const wallets = { gas: 'gas' as Address, keeper: address };
  const readings = startWalletReadings({ chain, wallets: () => wallets, keeper, registry, log: silent });
  while (warn.mock.callCount() === 0) await new Promise(setImmediate);
  // Waits for the end of the reading.
  await readings.close();
  const { values } = await registry.getSingleMetric('slipway_wallet_lamports')!.get();
  assert.deepEqual(Object.fromEntries(values.map(({ labels, value }) => [labels.wallet, value])), {
    gas: 5,
    keeper: 0,
  });
});
