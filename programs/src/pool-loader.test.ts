import { test } from 'node:test';
import {
  type Address,
  addressToBytes,
  BPF_LOADER_UPGRADEABLE,
  CLOCK_SYSVAR,
  findProgramAddress,
  RENT_SYSVAR,
  rentExemptLamports,
  SYSTEM_PROGRAM,
  systemCreateAccount,
} from '@slipway/wire';
import { poolDeposit, poolSwap, poolWithdraw, TOKEN_SWAP_PROGRAM } from './pool.js';
import { poolWorld, succeeded } from './pool-testing.js';
import { type Outcome, programUnderTest, TestVm, u64 } from './test-vm.js';

const BUFFER_HEADER = 37;
const U64_MAX = 2n ** 64n - 1n;

/** Deploys a program with the upgradeable loader's own instruction, from a buffer that is already written. */
function deploy(vm: TestVm, program: Address, elf: Uint8Array): void {
  const header = Buffer.alloc(BUFFER_HEADER);
  header.writeUInt32LE(1, 0); // a buffer …
  header[4] = 1; // … with an authority
  header.set(addressToBytes(vm.payer), 5);
  const buffer = findProgramAddress([Buffer.from('buffer')], program).address;
  const size = BUFFER_HEADER + elf.length;
  vm.put(buffer, Buffer.concat([header, elf]), BPF_LOADER_UPGRADEABLE, rentExemptLamports(size + 8));
  const programData = findProgramAddress([addressToBytes(program)], BPF_LOADER_UPGRADEABLE).address;
  const create = { payer: vm.payer, newAccount: program, lamports: rentExemptLamports(36), space: 36 };
  const writable = [programData, program, buffer].map((address) => ({ address, signer: false, writable: true }));
  const readonly = [RENT_SYSVAR, CLOCK_SYSVAR, SYSTEM_PROGRAM].map((address) => ({
    address,
    signer: false,
    writable: false,
  }));
  succeeded(
    vm.run(systemCreateAccount({ ...create, owner: BPF_LOADER_UPGRADEABLE }), {
      program: BPF_LOADER_UPGRADEABLE,
      accounts: [
        { address: vm.payer, signer: true, writable: true },
        ...writable,
        ...readonly,
        { address: vm.payer, signer: true, writable: false },
      ],
      data: Buffer.concat([Buffer.from([2, 0, 0, 0]), u64(BigInt(elf.length))]),
    }),
  );
  vm.svm.warpToSlot(vm.svm.getClock().slot + 1n);
}

for (const features of ['default', 'all'] as const) {
  test(`the program runs as deployed by the upgradeable loader, with ${features} features`, (t) => {
    const vm = new TestVm(features);
    deploy(vm, TOKEN_SWAP_PROGRAM, programUnderTest('pool'));
    const world = poolWorld({ vm });
    const { accounts, trader, creator } = world;
    vm.setAmount(trader.a, 1_000_000_000n);
    const swap = {
      accounts,
      aToB: true,
      authority: trader.key,
      source: trader.a,
      destination: trader.b,
      minimumAmountOut: 1n,
    };
    const liquidity = { accounts, accountA: trader.a, accountB: trader.b, authority: trader.key };
    const steps: [string, Outcome][] = [
      ['initialize', vm.run(world.initialize)],
      ['swap', vm.run(poolSwap({ ...swap, amountIn: 300_000_000n }))],
      ['swap with host', vm.run(poolSwap({ ...swap, amountIn: 1_000_000n, hostFeeAccount: trader.poolTokens }))],
      [
        'deposit',
        vm.run(
          poolDeposit({
            ...liquidity,
            poolTokens: trader.poolTokens,
            poolTokenAmount: 1_234_567n,
            limitA: U64_MAX,
            limitB: U64_MAX,
          }),
        ),
      ],
      [
        'withdraw',
        vm.run(
          poolWithdraw({
            ...liquidity,
            authority: creator.key,
            poolTokens: creator.poolTokens,
            poolTokenAmount: 1_234_567n,
            limitA: 1n,
            limitB: 1n,
          }),
        ),
      ],
    ];
    for (const [name, outcome] of steps) {
      succeeded(outcome);
      t.diagnostic(`${name}: ${outcome.computeUnits} CU, of them ${ownUnits(outcome)} the program's own`);
    }
  });
}

/** Compute units without those of the programs that were called. */
function ownUnits({ logs }: Outcome): number {
  const consumed = logs.map((line) => /^Program (\w+) consumed (\d+) of/.exec(line)).filter((match) => match !== null);
  const sum = (own: boolean) =>
    consumed
      .filter(([, program]) => (program === TOKEN_SWAP_PROGRAM) === own)
      .reduce((all, [, , units]) => all + Number(units), 0);
  return sum(true) - sum(false);
}
