import { test } from 'node:test';
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
import { extension, ownUnits, TestVm } from './test-vm.js';

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
    vm.deploy(ORDER_ENGINE_PROGRAM, orderEngineUnderTest());
    prepared(vm);
    for (const [name, input, output] of CASES) {
      const outcome = settles(fillWorld(vm, { input, output }));
      t.diagnostic(
        `${name}: ${outcome.computeUnits} CU, of them ${ownUnits(outcome, ORDER_ENGINE_PROGRAM)} the program's own`,
      );
    }
  });
}
