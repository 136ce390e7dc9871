import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  base58Decode,
  compileMessage,
  generateKeypair,
  keypairFromSecret,
  setComputeUnitLimit,
  setComputeUnitPrice,
  systemTransfer,
} from '@slipway/wire';
import { found, signedTransaction, startTestNet, type TestNet } from '../testing.js';

let net: TestNet;
before(async () => {
  net = await startTestNet();
});
after(() => net.localnet.close());

const call = (method: string, ...params: unknown[]) => net.localnet.call(method, params) as Promise<never>;

test('slots, heights and epochs move together with time', async () => {
  const slot: number = await call('getSlot');
  const later = async (): Promise<number> => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const now: number = await call('getSlot');
    return now > slot ? now : later();
  };
  const next = await later();
  const epoch: { absoluteSlot: number; blockHeight: number; epoch: number; slotIndex: number; slotsInEpoch: number } =
    await call('getEpochInfo');
  assert.ok(epoch.absoluteSlot >= next);
  assert.equal(epoch.blockHeight, await call('getBlockHeight'));
  assert.equal(epoch.epoch * epoch.slotsInEpoch + epoch.slotIndex, epoch.absoluteSlot);
  const schedule: { slotsPerEpoch: number; warmup: boolean } = await call('getEpochSchedule');
  assert.equal(schedule.slotsPerEpoch, epoch.slotsInEpoch);
  assert.equal(schedule.warmup, false);
  assert.deepEqual(await call('getBlocks', slot, slot + 1), [slot, slot + 1]);
  assert.deepEqual(await call('getBlocksWithLimit', slot, 2), [slot, slot + 1]);
  assert.deepEqual(await call('getBlocks', slot + 1_000_000), []);
  const time: number = await call('getBlockTime', slot);
  assert.ok(Math.abs(time - net.info.unixTimestamp) < 120);
});

test('the node tells who it is', async () => {
  assert.equal(await call('getHealth'), 'ok');
  const version: { 'solana-core': string } = await call('getVersion');
  assert.match(version['solana-core'], /^\d+\.\d+\.\d+$/);
  const { identity }: { identity: string } = await call('getIdentity');
  assert.equal(identity, await call('getSlotLeader'));
  assert.equal(base58Decode(await call('getGenesisHash'))?.length, 32);
  assert.equal(await call('getFirstAvailableBlock'), 0);
  assert.equal(await call('minimumLedgerSlot'), 0);
  assert.equal(await call('getMinimumBalanceForRentExemption', 165), 2_039_280);
  assert.equal(await call('getMinimumBalanceForRentExemption', 0), 890_880);
});

test('a blockhash is valid, and the fee of a message is what is charged for it', async () => {
  const latest: { value: { blockhash: string; lastValidBlockHeight: number } } = await call('getLatestBlockhash');
  const { blockhash, lastValidBlockHeight } = latest.value;
  const height: number = await call('getBlockHeight');
  assert.ok(lastValidBlockHeight >= height + 149 && lastValidBlockHeight <= height + 150);
  const validity: { value: boolean } = await call('isBlockhashValid', blockhash);
  assert.equal(validity.value, true);
  const never: { value: boolean } = await call('isBlockhashValid', generateKeypair().address);
  assert.equal(never.value, false);

  const alice = keypairFromSecret(found(base58Decode(net.wallet('alice').secretKey)));
  const transfer = systemTransfer({ from: alice.address, to: generateKeypair().address, lamports: 1_000_000n });
  for (const [instructions, expected] of [
    [[transfer], 5000],
    [[setComputeUnitLimit(20_001), setComputeUnitPrice(1_000n), transfer], 5021],
    [[setComputeUnitPrice(1_000n), transfer], 5006],
  ] as const) {
    const message = Buffer.from(
      compileMessage({ version: 0, feePayer: alice.address, instructions: [...instructions], blockhash }),
    ).toString('base64');
    const { value }: { value: number } = await call('getFeeForMessage', message);
    assert.equal(value, expected);
    const transaction = await signedTransaction(net, [alice], [...instructions]);
    const signature: string = await call('sendTransaction', transaction, { encoding: 'base64' });
    const landed: { meta: { fee: number } } = await call('getTransaction', signature, {
      maxSupportedTransactionVersion: 0,
    });
    assert.equal(landed.meta.fee, expected);
  }
  const dead = compileMessage({
    version: 0,
    feePayer: alice.address,
    instructions: [transfer],
    blockhash: generateKeypair().address,
  });
  const unknown: { value: null } = await call('getFeeForMessage', Buffer.from(dead).toString('base64'));
  assert.equal(unknown.value, null);
});

test('recent prioritization fees are those paid for the accounts asked about', async () => {
  const bob = keypairFromSecret(found(base58Decode(net.wallet('bob').secretKey)));
  const to = generateKeypair().address;
  const instructions = [
    setComputeUnitLimit(10_000),
    setComputeUnitPrice(777n),
    systemTransfer({ from: bob.address, to, lamports: 1_000_000n }),
  ];
  const before: number = await call('getTransactionCount');
  await call('sendTransaction', await signedTransaction(net, [bob], instructions), { encoding: 'base64' });
  const fees: { slot: number; prioritizationFee: number }[] = await call('getRecentPrioritizationFees', [to]);
  assert.ok(fees.length > 0 && fees.length <= 150);
  assert.equal(Math.max(...fees.map((row) => row.prioritizationFee)), 777);
  const others: { prioritizationFee: number }[] = await call('getRecentPrioritizationFees', [
    generateKeypair().address,
  ]);
  assert.equal(Math.max(...others.map((row) => row.prioritizationFee)), 0);
  assert.equal(await call('getTransactionCount'), before + 1);
});

test('the clock moves forward, slots and blockhashes with it', async () => {
  const latest: { value: { blockhash: string } } = await call('getLatestBlockhash');
  const slot: number = await call('getSlot');
  const moved: { milliseconds: number; unixTimestamp: number; slot: number } = await call(
    'localnet_advanceClock',
    3600,
  );
  assert.equal(moved.milliseconds, 3_600_000);
  assert.ok(moved.slot >= slot + 9000);
  assert.ok(moved.unixTimestamp >= net.info.unixTimestamp + 3600);
  const validity: { value: boolean } = await call('isBlockhashValid', latest.value.blockhash);
  assert.equal(validity.value, false);
});

test('bad parameters are -32602 and named, a future block is -32004, kept blocks there are none', async () => {
  const cases: [string, unknown[], number, RegExp][] = [
    ['getSlot', ['finalized'], -32602, /config/],
    ['getSlot', [{ commitment: 'x' }], -32602, /commitment/],
    ['getBlockTime', [], -32602, /slot/],
    ['getBlockTime', [1e15], -32004, /Block not available for slot 1000000000000000/],
    ['getBlock', [1], -32601, /keeps no blocks/],
    ['getBlocks', ['x'], -32602, /startSlot/],
    ['getBlocksWithLimit', [1, 500_001], -32602, /max 500000/],
    ['getMinimumBalanceForRentExemption', [-1], -32602, /dataLength/],
    ['getMinimumBalanceForRentExemption', [1.5], -32602, /dataLength/],
    ['isBlockhashValid', ['abc'], -32602, /blockhash/],
    ['getFeeForMessage', ['%%'], -32602, /message/],
    ['getFeeForMessage', ['AAAA'], -32602, /failed to deserialize/],
    ['getRecentPrioritizationFees', [Array(129).fill(net.wallet('bob').address)], -32602, /max 128/],
    ['localnet_advanceClock', [0], -32602, /seconds/],
    ['localnet_advanceClock', ['60'], -32602, /seconds/],
    ['localnet_airdropToken', [net.wallet('bob').address, net.mint('USDC'), 5], -32602, /amount/],
    ['localnet_airdropToken', [net.wallet('bob').address, net.mint('USDC'), '1e3'], -32602, /amount/],
    ['localnet_airdropToken', [net.wallet('bob').address, net.mint('USDC'), '18446744073709551616'], -32602, /amount/],
    ['localnet_airdropToken', [net.wallet('bob').address, net.wallet('bob').address, '5'], -32602, /mint/],
    ['localnet_setAccount', [net.wallet('bob').address], -32602, /account/],
    ['localnet_setAccount', [net.wallet('bob').address, { lamports: 1, owner: 'x' }], -32602, /account\.owner/],
    ['localnet_setAccount', [net.wallet('bob').address, { data: '!' }], -32602, /account\.data/],
  ];
  for (const [method, params, code, message] of cases) {
    const { error } = await net.post(method, params);
    assert.equal(error?.code, code, `${method} ${JSON.stringify(params).slice(0, 80)}: ${error?.message}`);
    assert.match(String(error?.message), message, method);
  }
});
