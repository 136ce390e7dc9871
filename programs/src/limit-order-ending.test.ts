import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SYSTEM_PROGRAM, tokenTransferChecked, WRAPPED_SOL_MINT } from '@slipway/wire';
import { Rent } from 'litesvm/dist/internal.js';
import { initializeOrder } from './limit-order.js';
import { LIMIT_ORDER_PROGRAM } from './limit-order-addresses.js';
import {
  cancelOf,
  fillOf,
  holding,
  limitOrderVm,
  NOW,
  newOrder,
  ORDER_RENT,
  type OrderWorld,
  openOrder,
  refuses,
  reserveRent,
  stateOf,
  TOKEN_ACCOUNT_RENT,
  type TokenKind,
  wallet,
  watch,
  withoutZeros,
} from './limit-order-testing.js';
import { succeeded } from './test-vm.js';

const vm = limitOrderVm();
const KINDS: TokenKind[] = ['spl', 'token-2022', 'sol'];

/** Somebody sends tokens to the order's reserve. */
function gift(world: OrderWorld, amount: bigint): void {
  const { inputMint: mint, inputTokenProgram: tokenProgram } = world.terms;
  const authority = wallet(vm);
  const source = holding(vm, mint, authority, amount);
  const decimals = mint === WRAPPED_SOL_MINT ? 9 : 6;
  const transfer = { source, mint, destination: world.reserve, authority, amount, decimals, tokenProgram };
  succeeded(vm.run(tokenTransferChecked(transfer)));
}

for (const input of KINDS) {
  test(`what is left of an order of ${input} goes back to the maker, with the rent and what strangers sent there`, () => {
    const world = openOrder(vm, { input });
    succeeded(vm.run(...fillOf(world, 300_000n)));
    gift(world, 7n);
    const moved = watch(world);
    succeeded(vm.run(cancelOf(world)));
    const inSol = input === 'sol' ? 700_007n : 0n;
    assert.deepEqual(
      moved(),
      withoutZeros({
        maker: ORDER_RENT + reserveRent(input),
        order: -ORDER_RENT,
        'reserve lamports': -reserveRent(input) - inSol,
        'makerInput lamports': inSol,
        reserve: -700_007n,
        makerInput: 700_007n,
      }),
    );
  });

  test(`the last taker of an order of ${input} gets what strangers sent to its reserve: it cannot keep it open`, () => {
    const world = openOrder(vm, { input });
    gift(world, 5n);
    succeeded(vm.run(...fillOf(world, 999_999n)));
    assert.equal(vm.amount(world.takerInput), 999_999n);
    succeeded(vm.run(...fillOf(world, 1n)));
    assert.equal(vm.amount(world.takerInput), 1_000_005n);
    assert.equal(vm.lamports(world.reserve), 0n);
    assert.equal(stateOf(world), undefined);
  });
}

test('wrapped SOL goes back to the maker’s wallet where no account is given', () => {
  const world = openOrder(vm, { input: 'sol' });
  const moved = watch(world);
  succeeded(vm.run(cancelOf(world, { makerInputMintAccount: undefined })));
  assert.deepEqual(moved(), {
    maker: ORDER_RENT + TOKEN_ACCOUNT_RENT + 1_000_000n,
    order: -ORDER_RENT,
    'reserve lamports': -TOKEN_ACCOUNT_RENT - 1_000_000n,
    reserve: -1_000_000n,
  });
});

test('lamports that strangers send to an order’s addresses before it is made, or after, are the maker’s in the end', () => {
  for (const sent of [1n, ORDER_RENT - 1n, ORDER_RENT, ORDER_RENT + 5n]) {
    const world = newOrder(vm);
    vm.put(world.order, new Uint8Array(0), SYSTEM_PROGRAM, sent);
    vm.put(world.reserve, new Uint8Array(0), SYSTEM_PROGRAM, sent);
    const held = vm.lamports(world.maker) + vm.lamports(world.payer);
    succeeded(vm.run(initializeOrder(world.terms)));
    vm.put(world.order, vm.data(world.order), LIMIT_ORDER_PROGRAM, vm.lamports(world.order) + 11n);
    assert.equal(stateOf(world)!.makingAmount, 1_000_000n);
    succeeded(vm.run(cancelOf(world)));
    assert.equal(vm.lamports(world.maker) + vm.lamports(world.payer), held + 2n * sent + 11n);
  }
});

test('the rent is what the chain asks for', () => {
  const prices = [new Rent(3480n, 2, 50), new Rent(6960n, 1, 50), new Rent(900n, 1, 50), new Rent(700n, 2, 50)];
  for (const rent of prices) {
    vm.svm.setRent(rent);
    const world = openOrder(vm);
    const BYTES = 128n + 372n;
    assert.equal(vm.lamports(world.order), BYTES * rent.lamportsPerByteYear * BigInt(rent.exemptionThreshold));
    succeeded(vm.run(cancelOf(world)));
  }
  vm.svm.setRent(Rent.default());
});

test('a reserve that somebody has made before is used', () => {
  const world = newOrder(vm);
  holding(vm, world.terms.inputMint, world.order, 3n, { address: world.reserve });
  succeeded(vm.run(initializeOrder(world.terms)));
  assert.equal(vm.amount(world.reserve), 1_000_003n);
  succeeded(vm.run(cancelOf(world)));
  assert.equal(vm.amount(world.makerInput), 1_000_780n);
});

test('an id can be used again when its order is closed, and not before', () => {
  const world = openOrder(vm);
  const again = { ...world.terms, makingAmount: 5n };
  const moved = watch(world);
  assert.ok(vm.run(initializeOrder(again)).failure);
  assert.deepEqual(moved(), {});
  succeeded(vm.run(cancelOf(world)));
  succeeded(vm.run(initializeOrder(again)));
  assert.equal(stateOf(world)!.makingAmount, 5n);
});

test('an order can be filled up to its expiry and not from that second on; then anybody sends it back to the maker', () => {
  const stranger = wallet(vm);
  const world = openOrder(vm, { terms: { expiredAt: NOW + 100n } });
  vm.setTime(NOW + 99n);
  refuses(world, 'OrderNotExpired', cancelOf(world, { signer: stranger }));
  succeeded(vm.run(...fillOf(world, 1n)));
  assert.equal(stateOf(world)!.updatedAt, NOW + 99n);
  vm.setTime(NOW + 100n);
  refuses(world, 'OrderExpired', ...fillOf(world, 1n));
  const moved = watch(world);
  succeeded(vm.run(cancelOf(world, { signer: stranger })));
  assert.equal(moved().makerInput, 999_999n);
  assert.equal(moved().maker, ORDER_RENT + TOKEN_ACCOUNT_RENT);

  const forever = openOrder(vm);
  vm.setTime(2n ** 62n);
  refuses(forever, 'OrderNotExpired', cancelOf(forever, { signer: stranger }));
  succeeded(vm.run(...fillOf(forever, 1_000_000n)));
  const late = openOrder(vm, { terms: { expiredAt: 2n ** 62n + 1n } });
  vm.setTime(NOW);
  succeeded(vm.run(cancelOf(late)));
});
