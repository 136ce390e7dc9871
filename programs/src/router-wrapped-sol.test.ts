import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Address,
  rentExemptLamports,
  SYSTEM_PROGRAM,
  systemTransfer,
  TOKEN_PROGRAM,
  tokenSyncNative,
  tokenTransferChecked,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { routeInstruction } from './router.js';
import { openPuppetWorld, PUPPET, puppetHop, type Step, WALLET, withPuppet } from './router-puppet.js';
import { routerRefused } from './router-testing.js';
import type { TestVm } from './test-vm.js';
import { succeeded } from './test-vm.js';

const TOKEN_RENT = rentExemptLamports(165);

/** With lamports, beside its rent and tokens, that have not been counted as tokens yet. */
function wrappedSol(vm: TestVm, owner: Address, amount: bigint, unsynced = 0n): Address {
  vm.mint({ address: WRAPPED_SOL_MINT, decimals: 9 });
  const account = vm.tokenAccount({
    mint: WRAPPED_SOL_MINT,
    owner,
    amount,
    isNative: true,
    rentExemptReserve: TOKEN_RENT,
  });
  return vm.put(account, vm.data(account), TOKEN_PROGRAM, TOKEN_RENT + amount + unsynced);
}

const solPayment = (source: Address, destination: Address, authority: Address, amount: bigint): Step =>
  tokenTransferChecked({ source, mint: WRAPPED_SOL_MINT, destination, authority, amount, decimals: 9 });

test('wrapped SOL: as input it leaves with its lamports, and no more of them', withPuppet, () => {
  const { vm, taker, accounts, fair } = openPuppetWorld();
  const source = wrappedSol(vm, taker, 5_000n, 300n);
  const till = wrappedSol(vm, PUPPET.address, 0n);
  const run = (taken: bigint, amountIn = 1_000n) => {
    const hop = puppetHop(taker, source, accounts.destination, [solPayment(source, till, taker, taken), fair[1]!]);
    return vm.run(
      routeInstruction({ taker, source, destination: accounts.destination, amountIn, minOut: 0n, hops: [hop] }),
    );
  };
  routerRefused(run(1_001n), 'TokensTaken');
  succeeded(run(1_000n));
  assert.equal(vm.amount(source), 4_000n);
  assert.equal(vm.lamports(source), TOKEN_RENT + 4_300n);
  routerRefused(run(4_000n, TOKEN_RENT + 4_301n), 'InsufficientFunds');
});

test('wrapped SOL: lamports that lay in the destination are not what arrived', withPuppet, () => {
  const { vm, taker, accounts, fair } = openPuppetWorld();
  const destination = wrappedSol(vm, taker, 5_000n, 800n);
  const till = wrappedSol(vm, PUPPET.address, 9_000n);
  const run = (...steps: Step[]) => {
    const hop = puppetHop(taker, accounts.source, destination, [fair[0]!, ...steps]);
    return vm.run(
      routeInstruction({ taker, source: accounts.source, destination, amountIn: 1_000n, minOut: 500n, hops: [hop] }),
    );
  };
  const sync = tokenSyncNative({ account: destination });
  routerRefused(run(sync), 'NothingReceived');
  const pay = (amount: bigint) => solPayment(till, destination, PUPPET.address, amount);
  routerRefused(run(sync, pay(499n)), 'SlippageToleranceExceeded');
  succeeded(run(sync, pay(500n)));
  assert.equal(vm.amount(destination), 5_000n + 800n + 500n);
});

test('wrapped SOL: lamports may be paid and counted instead of tokens', withPuppet, () => {
  const { vm, taker, accounts, fair } = openPuppetWorld();
  const destination = wrappedSol(vm, taker, 5_000n);
  vm.put(PUPPET.address, new Uint8Array(0), SYSTEM_PROGRAM, WALLET);
  const steps = [
    fair[0]!,
    systemTransfer({ from: PUPPET.address, to: destination, lamports: 500n }),
    tokenSyncNative({ account: destination }),
  ];
  const hop = puppetHop(taker, accounts.source, destination, steps);
  succeeded(
    vm.run(
      routeInstruction({ taker, source: accounts.source, destination, amountIn: 1_000n, minOut: 500n, hops: [hop] }),
    ),
  );
  assert.equal(vm.amount(destination), 5_500n);
});

test('wrapped SOL: another account of the taker loses none', withPuppet, () => {
  const { vm, taker, fair, run } = openPuppetWorld();
  const spare = wrappedSol(vm, taker, 5_000n);
  const till = wrappedSol(vm, PUPPET.address, 0n);
  routerRefused(run([...fair, solPayment(spare, till, taker, 1n)]), 'TokensTaken');
});
