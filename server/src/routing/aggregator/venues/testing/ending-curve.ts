import { DBC_PROGRAM } from '@slipway/checks';
import type { Address } from '@slipway/wire';
import type { Token } from '../../../router.js';
import type { World } from '../../testing.js';
import { Lab } from './lab.js';
import { writeU128 } from './meteora-damm-v2.js';
import { writeDbcPool } from './meteora-dbc.js';

const ONE = 1n << 64n;
/** The curve ends this share (1/n) above the price of one to one. */
const RISE = 1_000n;
const [QUOTE_RESERVE_AT, PRICE_AT] = [240, 280];

export interface EndingCurve {
  address: Address;
  /** Its accounts. */
  written: readonly Address[];
  /** The vault of what is paid. */
  vault: Address;
  /** What the program counts as paid. */
  counted(): Promise<bigint>;
  /** Has others buy until the curve takes only so much more. */
  leave(left: bigint): Promise<void>;
}

/** A bonding curve for one token at one to one, with a fee of 1 %, that is complete when `left` more of the other has been paid. */
export async function writeEndingCurve(world: World, bought: Token, paid: Token, left: bigint): Promise<EndingCurve> {
  const lab = new Lab();
  const end = ONE + ONE / RISE;
  const start = ONE - ONE / 10n;
  const { address, written } = writeDbcPool(lab, {
    tokenPrograms: [bought.tokenProgram, paid.tokenProgram],
    mints: [bought.mint, paid.mint],
    start,
    points: [{ price: end, liquidity: (left * RISE) << 64n }],
    end,
    price: ONE,
    baseFee: { start: 10_000_000n, first: 0, second: 0n, third: 0n, mode: 0 },
    dynamicFee: Buffer.alloc(96),
    collectFeeMode: 0,
    activation: { type: 0, point: 0n },
  });
  for (const each of written) {
    const account = lab.account(each);
    if (account) await world.put(each, account.owner, account.data, account.lamports);
  }
  const read = async () => {
    const answer = await world.rpc.call('getAccountInfo', [address, { encoding: 'base64' }]);
    return Buffer.from((answer as { value: { data: [string, string] } }).value.data[0], 'base64');
  };
  return {
    address,
    written,
    vault: written[3]!,
    counted: async () => (await read()).readBigUInt64LE(QUOTE_RESERVE_AT),
    async leave(less) {
      const pool = await read();
      writeU128(pool, end - (ONE * less) / (left * RISE), PRICE_AT);
      await world.put(address, DBC_PROGRAM, pool);
    },
  };
}
