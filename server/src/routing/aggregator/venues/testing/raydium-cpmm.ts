import { RAYDIUM_CPMM_PROGRAM } from '@slipway/checks';
import { newAddress, type Random } from '@slipway/programs/testing';
import { type Address, addressToBytes, findProgramAddress, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@slipway/wire';
import { accountTag } from '../anchor.js';
import { type Lab, type LabPool, sized } from './lab.js';

const AUTHORITY = findProgramAddress([Buffer.from('vault_and_lp_mint_auth_seed')], RAYDIUM_CPMM_PROGRAM);
const OBSERVATION_SIZE = 4075;

interface CpmmTerms {
  /** In the vaults. */
  balances: [bigint, bigint];
  /** Of a million. */
  tradeFee: bigint;
  owed: [protocol: bigint, fund: bigint][];
  status: number;
  openTime: bigint;
  creatorFee?: { rate: bigint; on: number };
  tokenPrograms: [Address, Address];
  /** New ones if left out. */
  mints?: readonly [Address, Address];
}

/** A pool that is open since ever, and owes nobody fees. */
export const OPEN = {
  owed: [
    [0n, 0n],
    [0n, 0n],
  ],
  status: 0,
  openTime: 0n,
} satisfies Partial<CpmmTerms>;

/** Writes a pool with its configuration, its vaults and its observations, as the program would have them. */
export function writeCpmmPool({ vm }: Lab, terms: CpmmTerms): LabPool {
  const [program0, program1] = terms.tokenPrograms;
  const mints = terms.mints ?? ([vm.mint({ tokenProgram: program0 }), vm.mint({ tokenProgram: program1 })] as const);
  const [address, observation, config] = [newAddress(), newAddress(), newAddress()];
  const vaults = ([0, 1] as const).map((side) =>
    vm.tokenAccount({
      mint: mints[side],
      owner: AUTHORITY.address,
      amount: terms.balances[side],
      tokenProgram: terms.tokenPrograms[side],
    }),
  );
  const pool = Buffer.alloc(637);
  pool.writeBigUInt64LE(accountTag('PoolState'), 0);
  const keys = [config, newAddress(), ...vaults, newAddress(), ...mints, program0, program1, observation];
  for (const [i, key] of keys.entries()) pool.set(addressToBytes(key), 8 + 32 * i);
  pool.set([AUTHORITY.bump, terms.status, 9, 6, 6], 328);
  pool.writeBigUInt64LE(1_000_000n, 333);
  for (const [side, [protocol, fund]] of terms.owed.entries()) {
    pool.writeBigUInt64LE(protocol, 341 + 8 * side);
    pool.writeBigUInt64LE(fund, 357 + 8 * side);
  }
  pool.writeBigUInt64LE(terms.openTime, 373);
  if (terms.creatorFee) pool.set([terms.creatorFee.on, 1], 389);
  vm.put(address, pool, RAYDIUM_CPMM_PROGRAM);

  const settings = Buffer.alloc(236);
  settings.writeBigUInt64LE(accountTag('AmmConfig'), 0);
  for (const [i, rate] of [terms.tradeFee, 120_000n, 40_000n].entries()) settings.writeBigUInt64LE(rate, 12 + 8 * i);
  settings.writeBigUInt64LE(terms.creatorFee?.rate ?? 0n, 108);
  vm.put(config, settings, RAYDIUM_CPMM_PROGRAM);

  const observations = Buffer.alloc(OBSERVATION_SIZE);
  observations.writeBigUInt64LE(accountTag('ObservationState'), 0);
  observations[8] = 1;
  observations.set(addressToBytes(address), 11);
  vm.put(observation, observations, RAYDIUM_CPMM_PROGRAM);
  return { address, mints, written: [address, config, observation, ...vaults, ...mints] };
}

/** A pool of any size, with what it owes, as it may stand on a chain. */
export function randomCpmmPool(lab: Lab, random: Random): LabPool {
  const owed = ([0, 1] as const).map((): [bigint, bigint] => [sized(random, 30), sized(random, 30)]);
  const balance = (side: 0 | 1) => sized(random, 58) + owed[side]![0] + owed[side]![1] + BigInt(random(3));
  const program = () => (random(4) === 0 ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM);
  return writeCpmmPool(lab, {
    balances: [balance(0), balance(1)],
    tradeFee: [100n, 2_500n, 10_000n, 40_000n, 1n, 999_999n][random(6)]!,
    owed,
    status: random(4),
    openTime: 0n,
    tokenPrograms: [program(), program()],
  });
}
