import { test } from 'node:test';
import {
  type Address,
  addressToBytes,
  BPF_LOADER_UPGRADEABLE,
  CLOCK_SYSVAR,
  findProgramAddress,
  RENT_SYSVAR,
  readonlyAccount,
  readonlySigner,
  rentExemptLamports,
  SYSTEM_PROGRAM,
  systemCreateAccount,
  writableAccount,
  writableSigner,
} from '@slipway/wire';
import { ORDER_ENGINE_PROGRAM } from './order-engine.js';
import {
  fillWorld,
  orderEngineUnderTest,
  prepared,
  type Side,
  SPL,
  settles,
  sol,
  TOKEN_2022,
} from './order-engine-testing.js';
import { succeeded } from './pool-testing.js';
import { extension, type Outcome, TestVm, u64 } from './test-vm.js';

const BUFFER_HEADER = 37;

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
  succeeded(
    vm.run(systemCreateAccount({ ...create, owner: BPF_LOADER_UPGRADEABLE }), {
      program: BPF_LOADER_UPGRADEABLE,
      accounts: [
        writableSigner(vm.payer),
        ...[programData, program, buffer].map(writableAccount),
        ...[RENT_SYSVAR, CLOCK_SYSVAR, SYSTEM_PROGRAM].map(readonlyAccount),
        readonlySigner(vm.payer),
      ],
      data: Buffer.concat([Buffer.from([2, 0, 0, 0]), u64(BigInt(elf.length))]),
    }),
  );
  vm.svm.warpToSlot(vm.svm.getClock().slot + 1n);
}

const METADATA_POINTER = extension(18, new Uint8Array(64));
const IMMUTABLE_OWNER = extension(7);
const EXTENDED: Side = { ...TOKEN_2022, mintExtensions: METADATA_POINTER, accountExtensions: IMMUTABLE_OWNER };
const CASES: [string, Side, Side][] = [
  ['SPL Token for SPL Token', SPL, SPL],
  ['SPL Token for Token-2022', SPL, TOKEN_2022],
  ['Token-2022 for Token-2022', TOKEN_2022, TOKEN_2022],
  ['Token-2022 with extensions for SPL Token', EXTENDED, SPL],
  ['SOL for SPL Token', sol('wallet', 'wallet'), SPL],
  ['SOL, wrapped on the way, for SPL Token', sol('wallet', 'account'), SPL],
  ['wrapped SOL, unwrapped on the way, for SPL Token', sol('account', 'wallet'), SPL],
  ['SPL Token for wrapped SOL, unwrapped on the way', SPL, sol('account', 'wallet')],
];

for (const features of ['default', 'all'] as const) {
  test(`the program runs as deployed by the upgradeable loader, with ${features} features`, (t) => {
    const vm = new TestVm(features);
    deploy(vm, ORDER_ENGINE_PROGRAM, orderEngineUnderTest());
    prepared(vm);
    for (const [name, input, output] of CASES) {
      const outcome = settles(fillWorld(vm, { input, output }));
      t.diagnostic(`${name}: ${outcome.computeUnits} CU, of them ${ownUnits(outcome)} the program's own`);
    }
  });
}

/** Compute units without those of the programs that were called and say so; the System program takes 150 a call. */
function ownUnits({ logs }: Outcome): number {
  const consumed = logs.map((line) => /^Program (\w+) consumed (\d+) of/.exec(line)).filter((match) => match !== null);
  const units = (own: boolean) =>
    consumed
      .filter(([, program]) => (program === ORDER_ENGINE_PROGRAM) === own)
      .reduce((all, [, , number]) => all + Number(number), 0);
  return units(true) - units(false);
}
