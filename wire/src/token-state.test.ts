import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Address as KitAddress, address as kitAddress, none, type Option, some, unwrapOption } from '@solana/kit';
import { AccountState, getMintDecoder, getMintEncoder, getTokenDecoder, getTokenEncoder } from '@solana-program/token';
import fc from 'fast-check';
import type { Address } from './address.js';
import { anyAddress, anyU8, anyU64, RUNS } from './arbitraries.js';
import {
  decodeMint,
  decodeTokenAccount,
  encodeMint,
  encodeTokenAccount,
  type Mint,
  type TokenAccount,
  token2022Extensions,
} from './token-state.js';

const anyMint: fc.Arbitrary<Mint> = fc.record(
  {
    decimals: anyU8,
    supply: anyU64,
    initialized: fc.boolean(),
    mintAuthority: anyAddress,
    freezeAuthority: anyAddress,
  },
  { requiredKeys: ['decimals', 'supply', 'initialized'], noNullPrototype: true },
);

const anyTokenAccount: fc.Arbitrary<TokenAccount> = fc
  .record(
    {
      mint: anyAddress,
      owner: anyAddress,
      amount: anyU64,
      state: fc.constantFrom('uninitialized', 'initialized', 'frozen'),
      delegatedAmount: anyU64,
      delegate: anyAddress,
      rentExemptReserve: anyU64,
      closeAuthority: anyAddress,
    },
    { requiredKeys: ['mint', 'owner', 'amount', 'state', 'delegatedAmount'] },
  )
  .map((account) => ({ ...account, isNative: account.rentExemptReserve !== undefined }));

const KIT_STATES = {
  uninitialized: AccountState.Uninitialized,
  initialized: AccountState.Initialized,
  frozen: AccountState.Frozen,
};

const toOption = (value: Address | undefined): Option<KitAddress> =>
  value === undefined ? none() : some(kitAddress(value));

test('a mint is encoded and decoded as the token client does it', () => {
  fc.assert(
    fc.property(anyMint, (mint) => {
      const data = encodeMint(mint);
      const { initialized, decimals, supply, mintAuthority, freezeAuthority } = mint;
      const theirs = {
        decimals,
        supply,
        isInitialized: initialized,
        mintAuthority: toOption(mintAuthority),
        freezeAuthority: toOption(freezeAuthority),
      };
      assert.deepEqual(data, Uint8Array.from(getMintEncoder().encode(theirs)));
      assert.deepEqual(getMintDecoder().decode(data), theirs);
      assert.deepEqual(decodeMint(data), mint);
    }),
    RUNS,
  );
});

test('a token account is encoded and decoded as the token client does it', () => {
  fc.assert(
    fc.property(anyTokenAccount, (account) => {
      const data = encodeTokenAccount(account);
      const { mint, owner, amount, state, delegate, delegatedAmount, rentExemptReserve, closeAuthority } = account;
      const theirs = {
        mint: kitAddress(mint),
        owner: kitAddress(owner),
        amount,
        delegate: toOption(delegate),
        state: KIT_STATES[state],
        isNative: rentExemptReserve === undefined ? none<bigint>() : some(rentExemptReserve),
        delegatedAmount,
        closeAuthority: toOption(closeAuthority),
      };
      assert.deepEqual(data, Uint8Array.from(getTokenEncoder().encode(theirs)));
      assert.deepEqual(getTokenDecoder().decode(data), theirs);
      assert.deepEqual(decodeTokenAccount(data), account);
    }),
    RUNS,
  );
});

test('whatever stands in the bytes, we see what the token client sees, or nothing', () => {
  const anyTags = fc.array(fc.tuple(fc.constantFrom(0, 45, 46, 72, 108, 109, 129), fc.nat(3)), { maxLength: 4 });
  const anyData = fc.uint8Array({ minLength: 165, maxLength: 165 });
  fc.assert(
    fc.property(anyData, anyTags, (data, tags) => {
      for (const at of [0, 46, 72, 109, 129]) data.set([1, 0, 0, 0], at);
      for (const [at, value] of tags) data[at] = value;
      const account = decodeTokenAccount(data);
      if (account !== undefined) {
        const theirs = getTokenDecoder().decode(data);
        assert.equal(account.amount, theirs.amount);
        assert.equal(account.delegate, unwrapOption(theirs.delegate) ?? undefined);
        assert.equal(account.rentExemptReserve, unwrapOption(theirs.isNative) ?? undefined);
        assert.equal(KIT_STATES[account.state], theirs.state);
      }
      const mintData = data.subarray(0, 82);
      const mint = decodeMint(mintData);
      if (mint !== undefined) {
        const theirs = getMintDecoder().decode(mintData);
        assert.equal(mint.supply, theirs.supply);
        assert.equal(mint.mintAuthority, unwrapOption(theirs.mintAuthority) ?? undefined);
        assert.equal(mint.initialized, theirs.isInitialized);
      }
    }),
    RUNS,
  );
});

test('impossible tags and states make it no mint and no token account', () => {
  for (const at of [0, 45, 46]) {
    const data = new Uint8Array(82);
    data[at] = 2;
    assert.equal(decodeMint(data), undefined, `byte ${at}`);
  }
  for (const [at, value] of [
    [72, 2],
    [75, 1],
    [108, 3],
    [109, 2],
    [129, 2],
  ] as const) {
    const data = new Uint8Array(165);
    data[at] = value;
    assert.equal(decodeTokenAccount(data), undefined, `byte ${at}`);
  }
});

test('data of another length is neither', () => {
  for (const length of [0, 1, 81, 83, 164, 166, 200, 355]) {
    const data = new Uint8Array(length);
    assert.equal(decodeMint(data), undefined, `${length}`);
    assert.equal(decodeTokenAccount(data), undefined, `${length}`);
  }
  assert.equal(decodeMint(new Uint8Array(165)), undefined);
  assert.equal(decodeTokenAccount(new Uint8Array(82)), undefined);
});

/** An account of Token-2022: base, padding up to 165 bytes, account type, extensions. */
function token2022(base: Uint8Array, type: number, ...tail: number[]): Uint8Array {
  const data = new Uint8Array(166 + tail.length);
  data.set(base);
  data[165] = type;
  data.set(tail, 166);
  return data;
}

test('Token-2022 accounts with extensions are read, each as what its type says', () => {
  fc.assert(
    fc.property(anyMint, anyTokenAccount, fc.array(anyU8, { maxLength: 40 }), (mint, account, tail) => {
      assert.deepEqual(decodeMint(token2022(encodeMint(mint), 1, ...tail)), mint);
      assert.equal(decodeTokenAccount(token2022(encodeMint(mint), 1, ...tail)), undefined);
      assert.deepEqual(decodeTokenAccount(token2022(encodeTokenAccount(account), 2, ...tail)), account);
      assert.equal(decodeMint(token2022(encodeTokenAccount(account), 2, ...tail)), undefined);
    }),
    RUNS,
  );
  const multisig = new Uint8Array(355);
  multisig[165] = 2;
  assert.equal(decodeTokenAccount(multisig), undefined);
  multisig[165] = 1;
  assert.equal(decodeMint(multisig), undefined);
});

test('extensions are listed in order up to the first unused place', () => {
  const base = new Uint8Array(82);
  const closeAuthority = [3, 0, 2, 0, 8, 9];
  const nonTransferable = [9, 0, 0, 0];
  const list = token2022Extensions(token2022(base, 1, ...closeAuthority, ...nonTransferable, 0, 0, 5, 0, 1));
  assert.deepEqual(list, [
    { type: 3, data: Uint8Array.of(8, 9) },
    { type: 9, data: new Uint8Array() },
  ]);
  assert.deepEqual(token2022Extensions(token2022(base, 1, ...nonTransferable, 7)), [
    { type: 9, data: new Uint8Array() },
  ]);
});

test('accounts without extensions have none', () => {
  for (const data of [new Uint8Array(), new Uint8Array(82), new Uint8Array(165), token2022(new Uint8Array(165), 2)]) {
    assert.deepEqual(token2022Extensions(data), []);
  }
  assert.deepEqual(token2022Extensions(token2022(new Uint8Array(165), 0, 3, 0, 0, 0)), []);
  assert.deepEqual(token2022Extensions(new Uint8Array(355).fill(1)), []);
});

test('attack: another user of the machine gives an account of a sandbox ever so many empty extensions: not read', () => {
  const many = (count: number) =>
    token2022(new Uint8Array(82), 1, ...Array.from({ length: count }, () => [9, 0, 0, 0]).flat());
  assert.equal(token2022Extensions(many(100)).length, 100);
  for (const count of [101, 10_000]) {
    assert.throws(() => token2022Extensions(many(count)), { name: 'WireError', message: /more than 100/ });
  }
});

test('an extension that is cut off is an error', () => {
  for (const tail of [
    [3, 0],
    [3, 0, 1],
    [3, 0, 1, 0],
    [3, 0, 255, 255, 1, 2, 3],
  ]) {
    assert.throws(() => token2022Extensions(token2022(new Uint8Array(82), 1, ...tail)), { name: 'WireError' });
  }
});

test('amounts out of range are refused', () => {
  const mint = { decimals: 6, supply: 2n ** 64n, initialized: true };
  assert.throws(() => encodeMint(mint), RangeError);
  assert.throws(() => encodeMint({ ...mint, supply: 0n, decimals: 256 }), RangeError);
});
