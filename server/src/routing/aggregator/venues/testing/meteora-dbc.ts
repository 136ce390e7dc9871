import { DBC_PROGRAM } from '@slipway/checks';
import { newAddress, type Random } from '@slipway/programs/testing';
import { type Address, addressToBytes, findProgramAddress, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@slipway/wire';
import { accountTag } from '../anchor.js';
import { firstBetween, secondBetween } from '../meteora.js';
import type { Lab, LabPool } from './lab.js';
import { randomDynamicFee, writeU128 } from './meteora-damm-v2.js';

const AUTHORITY = findProgramAddress([Buffer.from('pool_authority')], DBC_PROGRAM).address;
const ONE = 1n << 64n;

interface DbcTerms {
  tokenPrograms: [Address, Address];
  /** New ones if left out. */
  mints?: readonly [Address, Address];
  start: bigint;
  points: { price: bigint; liquidity: bigint }[];
  /** Where the curve is complete; within the last segment, or at its end. */
  end: bigint;
  price: bigint;
  baseFee: { start: bigint; first: number; second: bigint; third: bigint; mode: number };
  /** As in a DAMM v2 pool. */
  dynamicFee: Buffer;
  collectFeeMode: number;
  activation: { type: number; point: bigint };
}

/** What of either token the curve holds at a price: that was paid, and that is left to sell. */
function holdings({ start, points, end }: Pick<DbcTerms, 'start' | 'points' | 'end'>, price: bigint) {
  let [base, quote, threshold, low] = [0n, 0n, 0n, start];
  for (const { price: high, liquidity } of points) {
    const stop = high < end ? high : end;
    if (stop > low) {
      const middle = price < low ? low : price > stop ? stop : price;
      base += firstBetween(middle, stop, liquidity, true);
      quote += secondBetween(low, middle, liquidity, true);
      threshold += secondBetween(low, stop, liquidity, true);
    }
    low = high;
  }
  return { base, quote, threshold };
}

/** Writes a pool with its configuration and its vaults, as the program would have them. */
export function writeDbcPool({ vm }: Lab, terms: DbcTerms): LabPool {
  const { base, quote, threshold } = holdings(terms, terms.price);
  const [baseProgram, quoteProgram] = terms.tokenPrograms;
  const mints =
    terms.mints ?? ([vm.mint({ tokenProgram: baseProgram }), vm.mint({ tokenProgram: quoteProgram })] as const);
  const spare = base / 4n + 1000n;
  const amounts = [base + spare, quote];
  const vaults = amounts.map((amount, i) =>
    vm.tokenAccount({ mint: mints[i]!, owner: AUTHORITY, amount, tokenProgram: terms.tokenPrograms[i]! }),
  );
  const config = vm.put(newAddress(), configData(terms, mints[1], threshold), DBC_PROGRAM);
  const pool = Buffer.alloc(424);
  pool.writeBigUInt64LE(accountTag('VirtualPool'), 0);
  pool.set(terms.dynamicFee.subarray(24, 32), 8);
  pool.set(terms.dynamicFee.subarray(48, 96), 24);
  for (const [i, key] of [config, newAddress(), mints[0], ...vaults].entries())
    pool.set(addressToBytes(key), 72 + 32 * i);
  for (const [i, amount] of amounts.entries()) pool.writeBigUInt64LE(amount, 232 + 8 * i);
  writeU128(pool, terms.price, 280);
  pool.writeBigUInt64LE(terms.activation.point, 296);
  pool[304] = baseProgram === TOKEN_2022_PROGRAM ? 1 : 0;
  const address = vm.put(newAddress(), pool, DBC_PROGRAM);
  return { address, mints, written: [address, config, ...vaults, ...mints] };
}

function configData(terms: DbcTerms, quoteMint: Address, threshold: bigint): Buffer {
  const { baseFee, dynamicFee } = terms;
  const data = Buffer.alloc(1048);
  data.writeBigUInt64LE(accountTag('PoolConfig'), 0);
  data.set(addressToBytes(quoteMint), 8);
  for (const [i, value] of [baseFee.start, baseFee.second, baseFee.third].entries())
    data.writeBigUInt64LE(value, 104 + 8 * i);
  data.writeUInt16LE(baseFee.first, 128);
  data[130] = baseFee.mode;
  // Its settings stand before its state, which the pool has.
  data.set(dynamicFee.subarray(0, 24), 136);
  data.set(dynamicFee.subarray(32, 48), 168);
  data[232] = terms.collectFeeMode;
  data[234] = terms.activation.type;
  data[238] = terms.tokenPrograms[1] === TOKEN_2022_PROGRAM ? 1 : 0;
  data.writeBigUInt64LE(threshold, 264);
  writeU128(data, terms.end, 280);
  writeU128(data, terms.start, 392);
  for (const [i, { price, liquidity }] of terms.points.entries()) {
    writeU128(data, price, 408 + 32 * i);
    writeU128(data, liquidity, 424 + 32 * i);
  }
  return data;
}

/** A curve of one to twenty segments, somewhere between its beginning and its end. */
export function randomDbcPool(lab: Lab, random: Random): LabPool {
  const start = (ONE * BigInt(1 + random(1_000_000))) / 10n ** BigInt(random(9));
  const points: DbcTerms['points'] = [];
  const most = 1n << BigInt(85 + random(33));
  let price = start;
  for (let i = 0; i < 1 + random(20); i++) {
    price += price / BigInt(1 + random(40)) + 1n;
    points.push({ price, liquidity: most / BigInt(1 + random(1000)) + 1n });
  }
  const last = points.at(-2)?.price ?? start;
  const end = random(2) === 0 ? price : last + ((price - last) * BigInt(1 + random(99))) / 100n;
  const { slot, unixTimestamp } = lab.time;
  const type = random(2);
  const program = () => (random(4) === 0 ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM);
  const at = random(4) === 0 ? start : start + ((end - start) * BigInt(random(1000))) / 1000n;
  while (isTooMuch(holdings({ start, points, end }, start)) || isTooMuch(holdings({ start, points, end }, end))) {
    for (const point of points) point.liquidity = (point.liquidity >> 4n) + 1n;
  }
  const passed = random(100_000);
  return writeDbcPool(lab, {
    tokenPrograms: [program(), program()],
    start,
    points,
    end,
    price: at,
    baseFee: randomBaseFee(random, passed),
    dynamicFee: randomDynamicFee(random, at, unixTimestamp),
    collectFeeMode: random(2),
    activation: { type, point: (type === 0 ? slot : unixTimestamp) - BigInt(passed) },
  });
}

const isTooMuch = ({ base, quote }: { base: bigint; quote: bigint }) => base > 1n << 61n || quote > 1n << 61n;

function randomBaseFee(random: Random, passed: number): DbcTerms['baseFee'] {
  const [mode, start, first] = [random(3), 2_500_000 + random(900_000_000), 1 + random(200)];
  if (mode === 2) {
    const isNone = random(2) === 0;
    const limits = isNone
      ? { first: 0, second: 0n, third: 0n }
      : { first, second: BigInt([random(90_000), passed, passed + 1][random(3)]!), third: 10n ** 9n };
    return { start: BigInt(start), mode, ...limits };
  }
  const third = BigInt(mode === 0 ? random(Math.floor(start / first)) : random(300));
  return { start: BigInt(start), first, second: BigInt(random(1000)), third, mode };
}
