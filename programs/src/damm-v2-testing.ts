import { type Address, associatedTokenAddress, type Instruction, setComputeUnitLimit } from '@slipway/wire';
import { INDIE, type Launched, launch } from './bonding-curve-testing.js';
import {
  type BondingCurveConfig,
  createLocker,
  curveSwap,
  type DammV2Pool,
  type DammV2Position,
  dammV2Pool,
  dammV2Position,
  type LaunchChoices,
  launchConfig,
  lockerAccount,
  MIGRATED_POOL_CONFIGS,
  migrateToDammV2,
} from './index.js';
import { newAddress, succeeded, type TestVm } from './test-vm.js';

const RICH = 2n ** 60n;

/** A launch whose curve is sold out, and where it goes from there. */
export interface Moving extends Launched {
  damm: DammV2Pool;
  dammConfig: Address;
  position: DammV2Position;
  second: DammV2Position;
  /** Holds base and quote. */
  trader: Address;
  base: Address;
  quote: Address;
}

/** What the launch is of, and what of its terms is then changed to what Studio does not send. */
export interface Selling extends Partial<LaunchChoices> {
  change?: (terms: BondingCurveConfig) => void;
}

/** What happens to a launch before it is sold out; `buy` makes a purchase of the trader's. */
type Before = (launched: Launched, buy: (amountIn: bigint) => Instruction) => void;

/** Sells out a launch, by default without vested tokens, of the machine's payer, to somebody with these token accounts. */
export function sellOut(
  vm: TestVm,
  { change, ...choices }: Selling = {},
  trader: Address = vm.payer,
  before?: Before,
): Moving {
  const chosen = { ...INDIE, vesting: undefined, ...choices };
  const { terms } = launchConfig(chosen);
  change?.(terms);
  const launched = launch(vm, vm.mint({ decimals: 6, supply: RICH }), chosen, terms);
  succeeded(launched.outcome);
  const { pool } = launched;
  const quote = associatedTokenAddress(trader, pool.quoteMint);
  vm.tokenAccount({ address: quote, mint: pool.quoteMint, owner: trader, amount: RICH });
  const base = associatedTokenAddress(trader, pool.baseMint);
  vm.tokenAccount({ address: base, mint: pool.baseMint, owner: trader });
  const swap = { pool, trader, inputAccount: quote, outputAccount: base, leastOut: 0n, partial: true };
  before?.(launched, (amountIn) => curveSwap({ ...swap, amountIn }));
  succeeded(vm.run(curveSwap({ ...swap, amountIn: RICH / 2n })));
  const dammConfig = MIGRATED_POOL_CONFIGS[chosen.feeBps === 100 ? 2 : 3]!;
  const damm = dammV2Pool(dammConfig, pool.baseMint, pool.quoteMint);
  const [position, second] = [dammV2Position(newAddress()), dammV2Position(newAddress())];
  return { ...launched, damm, dammConfig, position, second, trader, base, quote };
}

/** The migration of a launch that is sold out. */
export function migrationOf(vm: TestVm, { pool, dammConfig, position, second }: Moving) {
  return migrateToDammV2({ pool, dammConfig, positions: [position.mint, second.mint], payer: vm.payer });
}

/** A launch that has migrated; before that, the lock program gets what its creator gets later. */
export function migrated(vm: TestVm, choices: Selling = {}, trader: Address = vm.payer, before?: Before): Moving {
  const moving = sellOut(vm, choices, trader, before);
  if (choices.vesting) {
    const { owner, account } = lockerAccount(moving.pool);
    vm.tokenAccount({ address: account, mint: moving.pool.baseMint, owner });
    succeeded(vm.run(createLocker(moving.pool, vm.payer, vm.payer)));
  }
  succeeded(vm.run(setComputeUnitLimit(300_000), migrationOf(vm, moving)));
  return moving;
}
