import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Address, type Instruction, SYSTEM_PROGRAM, TOKEN_2022_PROGRAM } from '@slipway/wire';
import { INDIE, launch } from './bonding-curve-testing.js';
import { assertNeedsWritable, assertRefuses, openTrading, refusedBy } from './bonding-curve-trades-testing.js';
import { claimCreatorFee, claimPartnerFee } from './index.js';
import { newAddress, succeeded, type TestVm, u64 } from './test-vm.js';

const EVERYTHING = 2n ** 63n;
/** Of a configuration: the mint, whom fees and leftover go to. Of a pool: fees in the base of the operator, the creator. */
const [QUOTE_MINT_AT, PEOPLE_END] = [8, 104];
const [PARTNER_BASE_FEE_AT, CREATOR_BASE_FEE_AT] = [264, 352];

/** A launch of which somebody has bought, and the claims of its creator and its operator. */
function openClaims() {
  const { vm, launched, swap, state } = openTrading();
  const { pool, operator } = launched;
  succeeded(swap(true, 1_000_000_000n));
  const claim = (who: 'creator' | 'operator', amounts = { maxBase: EVERYTHING, maxQuote: EVERYTHING }) => {
    const owner = who === 'creator' ? vm.payer : operator;
    const baseAccount = vm.tokenAccount({ mint: pool.baseMint, owner });
    const quoteAccount = vm.tokenAccount({ mint: pool.quoteMint, owner });
    const common = { pool, baseAccount, quoteAccount, ...amounts };
    const instruction =
      who === 'creator'
        ? claimCreatorFee({ ...common, creator: vm.payer })
        : claimPartnerFee({ ...common, feeClaimer: operator });
    return { instruction, baseAccount, quoteAccount };
  };
  return { vm, pool, state, claim };
}

/** The places of a claim's accounts, as they are for the creator; the operator's have the configuration before them. */
function placesOf(who: 'creator' | 'operator', instruction: Instruction) {
  const shift = who === 'creator' ? 0 : 1;
  const refuses = (vm: TestVm, cases: (readonly [number, Address, number])[]) =>
    assertRefuses(
      vm,
      instruction,
      cases.map(([place, address, error]) => [place + (place === 0 ? 0 : shift), address, error]),
    );
  return { shift, refuses };
}

const BOTH = ['creator', 'operator'] as const;

for (const who of BOTH) {
  test(`the ${who} claims fees in both tokens, up to what the claim says`, () => {
    const { vm, pool, state, claim } = openClaims();
    const at = who === 'creator' ? CREATOR_BASE_FEE_AT : PARTNER_BASE_FEE_AT;
    vm.patch(pool.pool, at, u64(77n));
    const fee = who === 'creator' ? state().creatorQuoteFee : vm.data(pool.pool).readBigUInt64LE(at + 8);
    // 1 % of 1,000 USDC, less the protocol's fifth, in halves.
    assert.equal(fee, 4_000_000n);
    const vaults = [vm.amount(pool.baseVault), vm.amount(pool.quoteVault)] as const;
    const first = claim(who, { maxBase: 70n, maxQuote: 3_999_999n });
    succeeded(vm.run(first.instruction));
    assert.deepEqual([vm.amount(first.baseAccount), vm.amount(first.quoteAccount)], [70n, 3_999_999n]);
    const rest = claim(who);
    succeeded(vm.run(rest.instruction));
    assert.deepEqual([vm.amount(rest.baseAccount), vm.amount(rest.quoteAccount)], [7n, 1n]);
    assert.deepEqual([vm.amount(pool.baseVault), vm.amount(pool.quoteVault)], [vaults[0] - 77n, vaults[1] - fee]);
    assert.deepEqual(vm.data(pool.pool).subarray(at, at + 16), Buffer.alloc(16));
  });
}

test('attack: a stranger on the chain claims the creator’s or the operator’s fees, or out of another pool: refused', () => {
  for (const who of BOTH) {
    const { vm, pool, claim } = openClaims();
    const other = openOther(vm);
    const stranger = newAddress();
    const { instruction } = claim(who);
    const { shift, refuses } = placesOf(who, instruction);
    refuses(vm, [
      [0, stranger, 2012],
      [1, other.pool, 2001],
      [1, pool.config, 3002],
      [4, other.baseVault, 2001],
      [4, pool.quoteVault, 2001],
      [5, other.quoteVault, 2001],
      [5, pool.baseVault, 2001],
      [6, other.baseMint, 2001],
      [6, pool.quoteMint, 2001],
      [7, other.quoteMint, who === 'creator' ? 2014 : 2001],
      [8, stranger, 6053],
      [9, TOKEN_2022_PROGRAM, 2021],
      [9, SYSTEM_PROGRAM, 3008],
      [10, TOKEN_2022_PROGRAM, 2021],
      [10, SYSTEM_PROGRAM, 3008],
      [11, stranger, 2006],
    ]);
    if (who === 'operator') {
      assertRefuses(vm, instruction, [
        [1, other.config, 2001],
        [1, pool.pool, 3002],
      ]);
      // Of another launch with the same operator.
      vm.patch(other.config, QUOTE_MINT_AT, vm.data(pool.config).subarray(QUOTE_MINT_AT, PEOPLE_END));
      assertRefuses(vm, instruction, [[1, other.config, 2001]]);
    }
    assertNeedsWritable(
      vm,
      instruction,
      [1, 2, 3, 4, 5].map((place) => place + shift),
    );
    const unsigned = instruction.accounts.map((meta, i) =>
      i === 8 + shift ? { ...meta, address: stranger, signer: false } : meta,
    );
    refusedBy(vm.run({ ...instruction, accounts: unsigned }), 3010);
    refusedBy(vm.run({ ...instruction, accounts: instruction.accounts.slice(0, 12 + shift) }), 3005);
    refusedBy(vm.run({ ...instruction, data: instruction.data.subarray(0, 23) }), 102);
    succeeded(vm.run(instruction));
  }
});

/** Another launch on the same machine. */
function openOther(vm: TestVm) {
  const { pool, outcome } = launch(vm, vm.mint({ decimals: 6, supply: EVERYTHING }), INDIE);
  succeeded(outcome);
  return pool;
}
