import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address as kitAddress, createAddressWithSeed as kitCreateAddressWithSeed } from '@solana/kit';
import { PublicKey } from '@solana/web3.js';
import { findAssociatedTokenPda } from '@solana-program/token';
import fc from 'fast-check';
import { addressFromBytes, addressToBytes } from './address.js';
import { anyAddress, anyBytes, RUNS } from './arbitraries.js';
import { euler, isOnCurve, jacobi } from './curve.js';
import { generateKeypair } from './ed25519.js';
import { associatedTokenAddress, createAddressWithSeed, findProgramAddress } from './pda.js';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.js';

const P = 2n ** 255n - 19n;

function littleEndian(value: bigint): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, index) => Number((value >> BigInt(8 * index)) & 255n));
}

test('random bytes are on the curve exactly when web3.js says so', () => {
  fc.assert(
    fc.property(anyBytes(32), fc.nat(3), (bytes, offset) => {
      // Values of y from p on are reduced by validators and refused by web3.js.
      if (bytes[31]! % 128 === 127) bytes[31]!--;
      const padded = new Uint8Array(offset + 32);
      padded.set(bytes, offset);
      assert.equal(isOnCurve(padded, offset), PublicKey.isOnCurve(bytes));
    }),
    { numRuns: 3000 },
  );
});

test('every public key is on the curve', () => {
  for (let i = 0; i < 200; i++) assert.equal(isOnCurve(addressToBytes(generateKeypair().address)), true);
});

test('the smallest and largest values of y are judged as validators judge them', () => {
  // 0 and p-1 have x = sqrt(-1) and 0, 1 has 0, 2 has no x; from p on they repeat.
  const onCurve: [bigint, boolean][] = [
    [0n, true],
    [1n, true],
    [2n, false],
    [P - 2n, false],
    [P - 1n, true],
    [P, true],
    [P + 1n, true],
    [P + 2n, false],
  ];
  for (const [y, expected] of onCurve) {
    assert.equal(isOnCurve(littleEndian(y)), expected, `y = ${y}`);
    assert.equal(isOnCurve(littleEndian(y + 2n ** 255n)), expected, `y = ${y} with the sign bit`);
  }
  for (let y = 2n; y < 300n; y++) {
    assert.equal(isOnCurve(littleEndian(y)), PublicKey.isOnCurve(littleEndian(y)), `y = ${y}`);
    assert.equal(isOnCurve(littleEndian(P - y)), PublicKey.isOnCurve(littleEndian(P - y)), `y = p - ${y}`);
  }
});

test('the Jacobi symbol and Euler’s criterion agree', () => {
  const anyResidue = fc.oneof(
    fc.bigInt({ min: 1n, max: P - 1n }),
    fc.nat(254).map((power) => 2n ** BigInt(power)),
  );
  fc.assert(
    fc.property(anyResidue, (a) => {
      assert.equal(jacobi(a), euler(a));
    }),
    RUNS,
  );
});

test('too few bytes are refused', () => {
  assert.throws(() => isOnCurve(new Uint8Array(31)), RangeError);
  assert.throws(() => isOnCurve(new Uint8Array(new ArrayBuffer(64), 0, 32), 1), RangeError);
});

test('program addresses and bumps are those of web3.js', () => {
  const anySeeds = fc.array(fc.uint8Array({ maxLength: 32, size: 'max' }), { maxLength: 15, size: 'max' });
  fc.assert(
    fc.property(anySeeds, anyAddress, (seeds, program) => {
      const [expected, bump] = PublicKey.findProgramAddressSync(seeds, new PublicKey(program));
      assert.deepEqual(findProgramAddress(seeds, program), { address: expected.toBase58(), bump });
    }),
    RUNS,
  );
});

test('more or longer seeds than the runtime allows are refused', () => {
  assert.throws(() => findProgramAddress([new Uint8Array(33)], TOKEN_PROGRAM), RangeError);
  assert.throws(() => findProgramAddress(new Array(16).fill(new Uint8Array(1)), TOKEN_PROGRAM), RangeError);
  const base = generateKeypair().address;
  assert.throws(() => createAddressWithSeed(base, 'é'.repeat(17), TOKEN_PROGRAM), RangeError);
});

test('associated token addresses are those of the token client, at first and from the cache', async () => {
  await fc.assert(
    fc.asyncProperty(anyAddress, anyAddress, async (owner, mint) => {
      for (const tokenProgram of [TOKEN_PROGRAM, TOKEN_2022_PROGRAM]) {
        const [expected] = await findAssociatedTokenPda({
          owner: kitAddress(owner),
          mint: kitAddress(mint),
          tokenProgram: kitAddress(tokenProgram),
        });
        assert.equal(associatedTokenAddress(owner, mint, tokenProgram), expected);
        assert.equal(associatedTokenAddress(owner, mint, tokenProgram), expected);
        if (tokenProgram === TOKEN_PROGRAM) assert.equal(associatedTokenAddress(owner, mint), expected);
      }
    }),
    { numRuns: 200 },
  );
});

test('addresses with a seed are those of kit', async () => {
  const anySeed = fc.string({ unit: 'grapheme', maxLength: 8 }).filter((seed) => Buffer.byteLength(seed) <= 32);
  await fc.assert(
    fc.asyncProperty(anyAddress, anySeed, anyAddress, async (base, seed, owner) => {
      const expected = await kitCreateAddressWithSeed({
        baseAddress: kitAddress(base),
        seed,
        programAddress: kitAddress(owner),
      });
      assert.equal(createAddressWithSeed(base, seed, owner), expected);
    }),
    RUNS,
  );
});

test('the address of a wallet is not taken for a program address', () => {
  const { address } = findProgramAddress([], TOKEN_PROGRAM);
  assert.equal(isOnCurve(addressToBytes(address)), false);
  assert.equal(addressFromBytes(addressToBytes(address)), address);
});
