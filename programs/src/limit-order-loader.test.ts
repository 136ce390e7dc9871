import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Address,
  ASSOCIATED_TOKEN_PROGRAM,
  addressFromBytes,
  addressToBytes,
  findProgramAddress,
  type Instruction,
  readonlySigner,
} from '@slipway/wire';
import { initializeOrder, withdrawLimitOrderFee } from './limit-order.js';
import {
  LIMIT_ORDER_ADDRESSES,
  LIMIT_ORDER_PROGRAM,
  limitOrderAddress,
  limitOrderAddresses,
  limitOrderFeeAccount,
} from './limit-order-addresses.js';
import { LIMIT_ORDER_ERRORS } from './limit-order-errors.js';
import {
  cancelOf,
  eventsOf,
  fillOf,
  limitOrderVm,
  NOW,
  newOrder,
  type OrderOptions,
  type OrderWorld,
  openOrder,
  type PaymentChanges,
  watch,
} from './limit-order-testing.js';
import { extension, newAddress, ownUnitsOfEach, refusedWith, succeeded } from './test-vm.js';

const U64_MAX = 2n ** 64n - 1n;

const EXTENDED: OrderOptions = {
  input: 'token-2022',
  output: 'token-2022',
  inputExtensions: Buffer.concat([extension(18, new Uint8Array(64)), extension(19, new Uint8Array(200))]),
  outputExtensions: Buffer.concat([extension(18, new Uint8Array(64)), extension(19, new Uint8Array(200))]),
};
const LARGE: OrderOptions = {
  terms: {
    makingAmount: U64_MAX,
    takingAmount: U64_MAX / 3n,
    feeBps: 255,
    slippageBps: 500,
    expiredAt: NOW + 9n,
  },
};
const LARGE_SOL: OrderOptions = { output: 'sol', terms: { ...LARGE.terms, takingAmount: 10n ** 10n + 7n } };
const FROM_WALLET: PaymentChanges = { takerOutputMintAccount: undefined };
const TO_WALLET: PaymentChanges = { makerOutputMintAccount: undefined };
const BY_WALLETS: PaymentChanges = { ...FROM_WALLET, ...TO_WALLET };
const LESS_SOL: PaymentChanges = { ...BY_WALLETS, maxTakingAmount: 5n * 10n ** 9n };
const FILL = 6_000;
/** The last says how much a fill may cost: two token accounts that are paid from a wallet each take one call more. */
const CASES: [string, OrderOptions, PaymentChanges, number][] = [
  ['SPL Token for SPL Token', {}, {}, FILL],
  ['Token-2022 with extensions for the same', EXTENDED, {}, FILL],
  ['wrapped SOL for SPL Token', { input: 'sol' }, {}, FILL],
  ['SPL Token for SOL, by the wallets', { output: 'sol' }, BY_WALLETS, FILL],
  ['SPL Token for SOL, from an account to the wallet', { output: 'sol' }, TO_WALLET, FILL],
  ['SPL Token for SOL, from the wallet to an account', { output: 'sol' }, FROM_WALLET, 7_000],
  ['largest amounts, every term, the taker offers less', LARGE, { maxTakingAmount: U64_MAX / 6n }, FILL],
  ['the same for SOL, by the wallets', LARGE_SOL, LESS_SOL, FILL],
];

const CANCEL = 4_000;
/** Where no address needs a search: 8,000 with up to three tries of the fee account's address, which the mint decides. */
const INITIALIZE = 7_000;
const TRY = 335;

/** What opening may cost: the order's own address is found at once, that of the fee account after so many tries. */
function initializeLimit({ terms, addresses }: OrderWorld): number {
  const seeds = [addresses.fee, terms.outputTokenProgram, terms.outputMint].map(addressToBytes);
  return INITIALIZE + TRY * (255 - findProgramAddress(seeds, ASSOCIATED_TOKEN_PROGRAM).bump);
}

for (const features of ['default', 'all'] as const) {
  test(`compute units as deployed by the upgradeable loader, with ${features} features`, (t) => {
    const vm = limitOrderVm(features);
    const note = (name: string, instructions: Instruction[], kinds: string[], limit: number) => {
      const outcome = succeeded(vm.run(...instructions));
      for (const [i, own] of ownUnitsOfEach(outcome, LIMIT_ORDER_PROGRAM).entries()) {
        t.diagnostic(`${kinds[i]}, ${name}: ${own} of the program's own; the transaction ${outcome.computeUnits}`);
        assert.ok(own < limit, `${kinds[i]}, ${name}`);
      }
    };
    for (const [name, options, payment, limit] of CASES) {
      const world = newOrder(vm, options);
      const { makingAmount } = world.terms;
      const half = makingAmount / 2n;
      const fill = ['preFlashFillOrder', 'flashFillOrder'];
      note(name, [initializeOrder(world.terms)], ['initializeOrder'], initializeLimit(world));
      note(`${name}, a part`, fillOf(world, half, payment), fill, limit);
      note(`${name}, the rest`, fillOf(world, makingAmount - half, payment), fill, limit);
      note(name, [cancelOf(openOrder(vm, options))], ['cancelOrder'], CANCEL);
    }
    for (const bump of [254, 250, 246]) {
      const world = newOrder(vm);
      let uniqueId = 0n;
      while (limitOrderAddress(world.maker, uniqueId).bump !== bump) uniqueId++;
      const limit = initializeLimit(world) + TRY * (255 - bump);
      note(`an address with bump ${bump}`, [initializeOrder({ ...world.terms, uniqueId })], ['initializeOrder'], limit);
    }
  });
}

test('a program at another address has its own orders, fees and events', () => {
  const addresses = limitOrderAddresses(newAddress());
  const { program, fee, eventAuthority } = addresses;
  const vm = limitOrderVm('all', addresses);
  const world = openOrder(vm, { addresses });
  const { order: orderKey, feeAccount, terms } = world;
  assert.equal(vm.owner(orderKey), program);
  assert.equal(feeAccount, limitOrderFeeAccount(terms.outputMint, terms.outputTokenProgram, addresses));
  const moved = watch(world);
  const [trade] = eventsOf(succeeded(vm.run(...fillOf(world, 1_000_000n))), program);
  assert.equal(trade?.name, 'tradeEvent');
  assert.equal(moved().makerOutput, 2_500_000n);
  assert.equal(moved().feeAccount, 2_500n);
  const cancelled = openOrder(vm, { addresses });
  const outcome = succeeded(vm.run(cancelOf(cancelled)));
  assert.deepEqual(eventsOf(outcome, program), [{ name: 'cancelOrderEvent', data: { orderKey: cancelled.order } }]);

  const destination = vm.tokenAccount({ mint: terms.outputMint, owner: newAddress() });
  const { outputMint: mint, outputTokenProgram: tokenProgram } = terms;
  const withdraw = { admin: vm.payer, programFeeAccount: feeAccount, destinationTokenAccount: destination };
  succeeded(vm.run(withdrawLimitOrderFee({ ...withdraw, mint, tokenProgram }, addresses)));
  assert.equal(vm.amount(destination), 2_500n);

  // Behind the data stands the program's address, whose first byte could be that of a term that is left out.
  assert.equal(addressToBytes(program)[0], 0);
  const made = initializeOrder(newOrder(vm, { addresses }).terms, addresses);
  const short = vm.run({ ...made, data: made.data.subarray(0, -1) });
  refusedWith(short, 'InstructionDidNotDeserialize', LIMIT_ORDER_ERRORS, program);

  const data = Buffer.concat([Buffer.from('e445a52e51cb9a1dae428d1104e0a24d', 'hex'), Buffer.alloc(32, 7)]);
  const write = (address: Address) => vm.run({ program, accounts: [readonlySigner(address)], data });
  for (const wrong of [LIMIT_ORDER_ADDRESSES.eventAuthority, fee, vm.payer]) {
    refusedWith(write(wrong), 'ConstraintSeeds', LIMIT_ORDER_ERRORS, program);
  }
  succeeded(write(eventAuthority));
});

test('a discriminator is not completed by the program’s address, which stands behind the data', () => {
  const LAST_OF_CANCEL = 0x84;
  const addresses = limitOrderAddresses(addressFromBytes(Buffer.alloc(32, LAST_OF_CANCEL)));
  const vm = limitOrderVm('all', addresses);
  const cancel = cancelOf(openOrder(vm, { addresses }));
  const short = vm.run({ ...cancel, data: cancel.data.subarray(0, 7) });
  refusedWith(short, 'InstructionFallbackNotFound', LIMIT_ORDER_ERRORS, addresses.program);
  succeeded(vm.run(cancel));
});

test('the public addresses are those of the public program', () => {
  assert.deepEqual(limitOrderAddresses(LIMIT_ORDER_PROGRAM), LIMIT_ORDER_ADDRESSES);
});
