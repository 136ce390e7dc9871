import assert from 'node:assert/strict';
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
import { TOKEN_SWAP_PROGRAM } from './pool.js';
import { succeeded } from './pool-testing.js';
import { readProgram } from './program-files.js';
import { ROUTER_PROGRAM, type Route, routeInstruction } from './router.js';
import { holding, newToken, openPoolOf, poolHop, routerUnits } from './router-testing.js';
import { newAddress, programUnderTest, TestVm, u64 } from './test-vm.js';

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
  const meta = (address: Address, signer: boolean, writable: boolean) => ({ address, signer, writable });
  succeeded(
    vm.run(systemCreateAccount({ ...create, owner: BPF_LOADER_UPGRADEABLE }), {
      program: BPF_LOADER_UPGRADEABLE,
      accounts: [
        meta(vm.payer, true, true),
        ...[programData, program, buffer].map((address) => meta(address, false, true)),
        ...[RENT_SYSVAR, CLOCK_SYSVAR, SYSTEM_PROGRAM].map((address) => meta(address, false, false)),
        meta(vm.payer, true, false),
      ],
      data: Buffer.concat([Buffer.from([2, 0, 0, 0]), u64(BigInt(elf.length))]),
    }),
  );
  vm.svm.warpToSlot(vm.svm.getClock().slot + 1n);
}

for (const features of ['default', 'all'] as const) {
  test(`the program runs as deployed by the upgradeable loader, with ${features} features`, (t) => {
    const vm = new TestVm(features);
    deploy(vm, TOKEN_SWAP_PROGRAM, readProgram('pool'));
    deploy(vm, ROUTER_PROGRAM, programUnderTest('router'));
    const taker = newAddress();
    const tokens = Array.from({ length: 4 }, () => newToken(vm));
    const places = tokens.map((token) => holding(vm, token, taker));
    vm.setAmount(places[0]!, 10n ** 9n);
    const hops = [0, 1, 2, 0].map((from, i) => {
      const pool = openPoolOf(vm, tokens[from]!, tokens[from + 1]!, [10n ** 10n + BigInt(i), 10n ** 10n]);
      return poolHop(pool, true, taker, places[from]!, places[from + 1]!);
    });
    const fee = {
      bps: 50,
      from: places[0]!,
      account: holding(vm, tokens[0]!, newAddress()),
      mint: tokens[0]!.mint,
      decimals: 6,
    };
    const split = [
      { ...hops[0]!, shareBps: 5_000 },
      { ...hops[3]!, shareBps: 5_000 },
    ];
    const routes: [string, number, Partial<Route>][] = [
      ['1 hop', 1, { hops: hops.slice(0, 1) }],
      ['1 hop and a fee', 1, { hops: hops.slice(0, 1), fee: { ...fee, tokenProgram: vm.owner(places[0]!) } }],
      ['1 hop, split over two pools', 1, { hops: split }],
      ['2 hops', 2, { hops: hops.slice(0, 2) }],
      ['3 hops', 3, { hops: hops.slice(0, 3) }],
    ];
    for (const [name, last, parts] of routes) {
      const route = {
        taker,
        source: places[0]!,
        destination: places[last]!,
        amountIn: 1_000_000n,
        minOut: 900_000n,
        hops: [],
      };
      const outcome = succeeded(vm.run(routeInstruction({ ...route, ...parts })));
      const own = routerUnits(outcome);
      t.diagnostic(`${name}: ${outcome.computeUnits} CU, of them ${own} the router's own`);
      assert.ok(outcome.computeUnits < 200_000, 'more than a transaction has without asking');
      assert.ok(own > 0 && own < 20_000);
    }
  });
}
