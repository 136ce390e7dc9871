// Random migrations, with locked tokens and without, and what people do after them, the same for a seed whatever the programs.
import { createHash } from 'node:crypto';
import {
  type Address,
  addressFromBytes,
  associatedTokenAddress,
  type Instruction,
  METADATA_PROGRAM,
  SYSTEM_PROGRAM,
  setComputeUnitLimit,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '@slipway/wire';
import { randomChoices } from './bonding-curve-terms.js';
import { addSurplus, type Entitled, randomWithdrawal } from './bonding-curve-withdrawals-testing.js';
import {
  BONDING_CURVE_PROGRAM,
  type BondingCurvePool,
  bondingCurvePool,
  claimDammV2Fee,
  claimLocked,
  createCurveConfig,
  createLocker,
  curveSwap,
  DAMM_V2_PROGRAM,
  type DammV2Pool,
  type DammV2Position,
  type DammV2PositionState,
  dammV2Pool,
  dammV2Position,
  dammV2Swap,
  decodeDammV2Position,
  initializeCurvePool,
  LOCKER_PROGRAM,
  launchConfig,
  lockerAccount,
  MIGRATED_POOL_CONFIGS,
  migrateToDammV2,
  refreshDammV2Vesting,
  removeDammV2Liquidity,
} from './index.js';
import { claimLocked2 } from './locker-testing.js';
import { amountOf, limitOf, type Step, spoil, stepOf } from './sequences.js';
import { type Random, randomNumbers, type TestVm, u64 } from './test-vm.js';

const RICH = 2n ** 60n;
const START = { time: 1_800_000_000n, slot: 440_000_000n };
const MOST_STEPS = 16;
/** Seconds that liquidity waits in a configuration's account; the published DAMM v2 that can be had allows 438,000. */
const CREATOR_WAIT_AT = 212;
const LONGEST_WAIT = 400_000;
const UNITS = setComputeUnitLimit(1_000_000);

interface World {
  vm: TestVm;
  random: Random;
  curve: BondingCurvePool;
  config: Address;
  pool: DammV2Pool;
  position: DammV2Position;
  second: DammV2Position;
  creator: Address;
  trader: Address;
  entitled: Entitled;
  /** Token accounts by owner: of the base, of the quote. */
  accounts: Record<'creator' | 'trader', readonly [Address, Address]>;
  referrer: Address;
  places: Address[];
  hasVesting: boolean;
}

/** Runs the sequence of a seed. Equal programs give equal steps. */
export function runMigration(vm: TestVm, seed: number): Step[] {
  const random = randomNumbers(Math.imul(seed + 1, 0x85ebca6b) || 1);
  vm.setTime(START.time, START.slot);
  const world = sellOut(vm, seed, random);
  if (!world) return [];
  const steps: Step[] = [];
  const migration = () => {
    const { curve: pool, config: dammConfig, creator: payer, position, second } = world;
    return migrateToDammV2({ pool, dammConfig, positions: [position.mint, second.mint], payer });
  };
  const run = (instruction: Instruction) =>
    steps.push(stepOf(vm, vm.run(UNITS, instruction), world.places, DAMM_V2_PROGRAM));
  const lock = () => createLocker(world.curve, creatorOf(world), random(4) === 0 ? world.trader : world.creator);
  if (world.hasVesting) {
    const { owner, account } = lockerAccount(world.curve);
    vm.tokenAccount({ address: account, mint: world.curve.baseMint, owner });
    while (random(3) === 0) run(spoilAccounts(world, lock()));
    if (random(20) > 0) run(lock());
  }
  while (random(3) === 0)
    run(spoilAccounts(world, random(2) === 0 ? migration() : randomWithdrawal(random, world.entitled)));
  run(migration());
  for (let count = 3 + random(MOST_STEPS - 2); count > 0; count--) {
    passTime(world);
    const kind = random(15);
    const instruction = kind === 0 ? migration() : kind === 1 ? lock() : randomInstruction(world, kind < 5);
    run(random(6) === 0 ? spoilAccounts(world, instruction) : instruction);
  }
  return steps;
}

/** A launch of random terms whose curve is, mostly, sold out. */
function sellOut(vm: TestVm, seed: number, random: Random): World | undefined {
  const address = (name: string) => addressFromBytes(createHash('sha256').update(`${seed} move ${name}`).digest());
  const quoteMint = vm.mint({ address: address('quote'), decimals: 6, supply: RICH });
  const curve = bondingCurvePool(address('config'), address('mint'), quoteMint);
  const creator = vm.put(address('creator'), new Uint8Array(0), SYSTEM_PROGRAM, 10n ** 12n);
  const choices = randomChoices(random);
  const hasVesting = choices.vesting !== undefined;
  const { terms } = launchConfig({ ...choices, sniperFee: undefined });
  const people = { feeClaimer: address('operator'), leftoverReceiver: address('operator'), payer: creator };
  if (random(12) === 0) terms.migrationFeeOption = random(6);
  const made = vm.run(
    createCurveConfig({ config: curve.config, quoteMint, terms, ...people }),
    initializeCurvePool({ pool: curve, creator, name: 'n', symbol: 's', uri: 'u' }),
  );
  if (made.failure) return undefined;
  const wait = Buffer.alloc(4);
  if (choices.isLpLocked) wait.writeUInt32LE(1 + random(LONGEST_WAIT));
  if (choices.isLpLocked) vm.patch(curve.config, CREATOR_WAIT_AT, wait);
  const config = MIGRATED_POOL_CONFIGS[random(20) === 0 ? random(6) : terms.migrationFeeOption]!;
  const pool = dammV2Pool(config, curve.baseMint, quoteMint);
  const [position, second] = [dammV2Position(address('position')), dammV2Position(address('second'))];
  const pair = (name: string) => [address(`${name} base`), address(`${name} quote`)] as const;
  const accounts = { creator: pair('creator'), trader: pair('trader') };
  const [trader, referrer, operator] = [address('trader'), address('referrer'), address('operator')];
  const leftover = { receiver: operator, account: associatedTokenAddress(operator, curve.baseMint) };
  const quoteAccounts = {
    creator: accounts.creator[1],
    trader: accounts.trader[1],
    operator: address('operator quote'),
  };
  const entitled = { pool: curve, people: { creator, trader, operator }, quoteAccounts, leftover };
  const lists = [curve, pool, position, second, lockerAccount(curve), Object.values(accounts).flat()];
  const places = lists.flatMap((each) => Object.values(each));
  const others = { position, second, creator, trader, entitled, accounts, referrer, hasVesting };
  const world = { vm, random, curve, config, pool, ...others };
  fund(world);
  const outputAccount = accounts.trader[0];
  const amountIn = random(20) === 0 ? terms.migrationQuoteThreshold / 2n + 1n : RICH / 2n;
  const purchase = { pool: curve, trader, inputAccount: accounts.trader[1], outputAccount, amountIn, leastOut: 0n };
  vm.run(curveSwap({ ...purchase, partial: true }));
  if (random(3) === 0) addSurplus(vm, random, curve);
  const more = [creator, referrer, leftover.account, quoteAccounts.operator];
  return { ...world, places: [...new Set([...places, ...more])] as Address[] };
}

function fund({
  vm,
  curve: { baseMint, quoteMint },
  creator,
  trader,
  entitled: { quoteAccounts, leftover },
  accounts,
  referrer,
}: Omit<World, 'places'>): void {
  for (const [owner, [base, quote]] of [
    [creator, accounts.creator],
    [trader, accounts.trader],
  ] as const) {
    vm.tokenAccount({ address: base, mint: baseMint, owner });
    vm.tokenAccount({ address: quote, mint: quoteMint, owner, amount: owner === trader ? RICH : 0n });
  }
  vm.tokenAccount({ address: referrer, mint: quoteMint, owner: creator });
  vm.tokenAccount({ address: quoteAccounts.operator, mint: quoteMint, owner: leftover.receiver });
  vm.tokenAccount({ address: leftover.account, mint: baseMint, owner: leftover.receiver });
}

function passTime({ vm, random }: World): void {
  if (random(2) === 0) return;
  const { slot, unixTimestamp } = vm.svm.getClock();
  const seconds = BigInt(random(8) === 0 ? random(40_000_000) : random(4) === 0 ? random(300_000) : random(60));
  vm.setTime(unixTimestamp + seconds, slot + 2n * seconds);
}

// ---- what people do ---------------------------------------------------------------------------------------------------

const SWAP_1 = Buffer.from('f8c69e91e17587c8', 'hex');
const REMOVE_ALL = Buffer.from('0a333d2370691855', 'hex');
const PERMANENT_LOCK = Buffer.from('a5b07d06e7abbad5', 'hex');
const LOCK_INNER = Buffer.from('481331cc127a175a', 'hex');
const MODE_AT = 24;
const REFERRAL = 11;

function randomInstruction(world: World, isWithdrawal: boolean): Instruction {
  const { vm, random, pool, position, creator, trader, accounts } = world;
  if (isWithdrawal) return randomWithdrawal(random, world.entitled);
  const [baseAccount, quoteAccount] = accounts.creator;
  const owner = random(12) === 0 ? trader : creator;
  const change = { pool, position, owner, baseAccount, quoteAccount };
  const state = decodeDammV2Position(vm.data(position.position));
  if (world.hasVesting && random(3) === 0) return claimOf(world, owner);
  switch (random(12)) {
    case 0:
    case 1:
      return claimDammV2Fee(change);
    case 2:
      return refreshDammV2Vesting(pool.pool, position, owner);
    case 3:
      return removal(random, change, state);
    case 4:
      return lock(world, owner, state);
    case 5: {
      const [inputAccount, outputAccount] = random(2) === 0 ? accounts.trader : [...accounts.trader].reverse();
      const swap = { pool: world.curve, trader, inputAccount: inputAccount!, outputAccount: outputAccount! };
      return curveSwap({ ...swap, amountIn: amountOf(random, 10n ** 9n), leastOut: 0n, partial: random(2) === 0 });
    }
    default:
      return trade(world, random(2) === 0);
  }
}

/** The creator, or seldom somebody else. */
const creatorOf = ({ random, creator, trader }: World) => (random(20) === 0 ? trader : creator);

/** What has come free of the locked tokens, by the older instruction or the one that names the mint. */
function claimOf({ random, curve, accounts }: World, recipient: Address): Instruction {
  const { owner: lock, account: tokens } = lockerAccount(curve);
  const most = random(2) === 0 ? RICH : amountOf(random, 10n ** 14n);
  const claim = claimLocked({ lock, tokens, recipient, account: accounts.creator[0], most });
  return random(2) === 0 ? claim : claimLocked2(claim, curve.baseMint);
}

function trade({ vm, random, pool, trader, accounts, referrer }: World, isBuy: boolean): Instruction {
  const [base, quote] = accounts.trader;
  const mode = random(4); // exact in, partial fill, exact out, the older instruction
  const there = (ofBase: boolean) => vm.amount(ofBase ? pool.baseVault : pool.quoteVault);
  const whole = random(30) === 0 ? RICH : mode === 2 ? there(isBuy) : there(!isBuy);
  const instruction = dammV2Swap({
    pool,
    trader,
    inputAccount: isBuy ? quote : base,
    outputAccount: isBuy ? base : quote,
    mode: mode === 1 ? 'partialFill' : mode === 2 ? 'exactOut' : 'exactIn',
    amount: amountOf(random, whole),
    limit: mode === 2 ? (random(5) === 0 ? amountOf(random, RICH) : RICH) : limitOf(random),
  });
  if (random(3) === 0) {
    instruction.accounts = instruction.accounts.map((meta, i) =>
      i === REFERRAL ? { ...meta, address: referrer, writable: true } : meta,
    );
  }
  const data = Buffer.from(instruction.data);
  if (random(40) === 0) data[MODE_AT] = random(5);
  if (mode === 3) return { ...instruction, data: Buffer.concat([SWAP_1, data.subarray(8, MODE_AT)]) };
  return { ...instruction, data };
}

function liquidityOf(random: Random, whole: bigint): bigint {
  const kind = random(8);
  if (kind === 0) return BigInt(random(2));
  if (kind === 1) return whole + BigInt(random(2));
  return (whole * BigInt(random(1_000_000))) / 10n ** BigInt(6 + random(4));
}

function removal(
  random: Random,
  change: Parameters<typeof claimDammV2Fee>[0],
  state: DammV2PositionState | undefined,
): Instruction {
  const liquidity = liquidityOf(random, state?.unlockedLiquidity ?? 0n);
  const [leastBase, leastQuote] = [limitOf(random), limitOf(random)];
  const instruction = removeDammV2Liquidity({ ...change, liquidity, leastBase, leastQuote });
  if (random(4) > 0) return instruction;
  return { ...instruction, data: Buffer.concat([REMOVE_ALL, instruction.data.slice(24)]) };
}

function lock(
  { vm, random, pool, position }: World,
  owner: Address,
  state: DammV2PositionState | undefined,
): Instruction {
  const liquidity = liquidityOf(random, state?.unlockedLiquidity ?? 0n);
  const amount = Buffer.concat([u64(liquidity & (2n ** 64n - 1n)), u64(liquidity >> 64n)]);
  const until = vm.svm.getClock().unixTimestamp + BigInt(random(10) === 0 ? random(3) - 1 : random(LONGEST_WAIT));
  const forGood = random(2) === 0;
  // Accounts of a refreshment, with the events.
  const { accounts } = refreshDammV2Vesting(pool.pool, position, owner);
  const events = claimDammV2Fee({ pool, position, owner, baseAccount: owner, quoteAccount: owner }).accounts.slice(-2);
  const signed = accounts.map((meta, i) => ({ ...meta, writable: i < 2, signer: i === 3 }));
  return {
    program: DAMM_V2_PROGRAM,
    accounts: [...signed, ...events],
    data: forGood
      ? Buffer.concat([PERMANENT_LOCK, amount])
      : Buffer.concat([LOCK_INNER, Buffer.from([1]), u64(until), Buffer.alloc(8), amount, Buffer.alloc(18)]),
  };
}

function spoilAccounts(world: World, instruction: Instruction): Instruction {
  const { random, places, config, trader } = world;
  const others = [...places, config, trader, MIGRATED_POOL_CONFIGS[random(6)]!, SYSTEM_PROGRAM, TOKEN_PROGRAM];
  others.push(TOKEN_2022_PROGRAM, METADATA_PROGRAM, BONDING_CURVE_PROGRAM, DAMM_V2_PROGRAM, LOCKER_PROGRAM);
  return spoil(random, instruction, () => others[random(others.length)]!);
}
