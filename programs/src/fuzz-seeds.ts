import type { Address, Instruction } from '@slipway/wire';
import { isRuntimes, isSame, look, restore } from './fuzz-accounts.js';
import type { TestVm } from './test-vm.js';

const STEPS = 400;
const WANTED = 120;

/**
 * Lets honest callers make a world, and collects transactions that succeed in it. `follow` is told of each that
 * succeeded and stays.
 */
export function honestSeeds<Sent extends { instructions: Instruction[] }>(
  vm: TestVm,
  next: () => Sent,
  follow: (sent: Sent) => void,
): Instruction[][] {
  for (let step = 0; step < STEPS; step++) {
    const sent = next();
    if (!vm.run(...sent.instructions).failure) follow(sent);
  }
  const seeds: Instruction[][] = [];
  for (let step = 0; step < STEPS && seeds.length < WANTED; step++) {
    const { instructions } = next();
    const named = new Set<Address>(instructions.flatMap((one) => one.accounts.map((meta) => meta.address)));
    const before = new Map([...named].map((address) => [address, look(vm, address)] as const));
    if (vm.run(...instructions).failure) continue;
    seeds.push(instructions);
    for (const [address, seen] of before) {
      if (!isRuntimes(seen) && !isSame(seen, look(vm, address))) restore(vm, address, seen);
    }
  }
  return seeds;
}
