import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SYSTEM_PROGRAM } from '@slipway/wire';
import { initializeOrder } from './limit-order.js';
import {
  cancelOf,
  fillOf,
  limitOrderVm,
  NOW,
  newOrder,
  ORDER_RENT,
  openOrder,
  stateOf,
  TOKEN_2022_ACCOUNT_RENT,
  TOKEN_ACCOUNT_RENT,
  type TokenKind,
  watch,
} from './limit-order-testing.js';
import { ownUnits, succeeded } from './test-vm.js';
import { LIMIT_ORDER_PROGRAM } from './limit-order-addresses.js';

const vm = limitOrderVm();
test('x', (t) => {
  const world = newOrder(vm);
  const moved = watch(world);
  const note = (name: string, o: any) => t.diagnostic(`${name} ${o.computeUnits} ${ownUnits(succeeded(o), LIMIT_ORDER_PROGRAM)}`);
  note('init', vm.run(initializeOrder(world.terms)));
  console.log(moved(), stateOf(world));
  note('fill', vm.run(...fillOf(world, 400_000n)));
  console.log(moved(), stateOf(world));
  const {logs}=vm.run(...fillOf(world, 600_000n));
  console.log(logs.join('\n'));
  console.log(moved());
});
