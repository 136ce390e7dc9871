import {
  type Address,
  type Instruction,
  parseTransferChecked,
  address as toAddress,
  tokenTransferChecked,
} from '@slipway/wire/formats';
import { concatBytes, equalBytes, u64 } from './borsh.js';
import { AccountList, ALL_BPS, type CodedHop, decodeHops, encodeHop, type RouteHop } from './router-codec.js';

export type { RouteHop, RouteRest } from './router-codec.js';

/**
 * Where the router stands in the sandbox: the public key of the seed sha256("slipway program router"). Anybody can have
 * its secret key, so a public cluster needs another address.
 */
export const ROUTER_PROGRAM: Address = toAddress('22eVBT7LjAcL9RvjvLeHr4xWBbY9VnCceAE1BmCMKdEV');

/** Accounts that one route can name, venues included. */
export const MAX_ROUTE_ACCOUNTS = 64;

const ROUTE_TAG = 1;
const HEADER_SIZE = 17;

export interface RouteFee {
  /** Of what there is to spend in `from`, rounded down; 1 to 9999. */
  bps: number;
  /** The source (a fee on the input), the destination (on the output, where it is the taker's) or one between. */
  from: Address;
  /** Token account that is paid, of the mint of `from`. */
  account: Address;
  mint: Address;
  decimals: number;
  tokenProgram: Address;
}

export interface Route {
  /** Signs; owner of the source and of all accounts between. */
  taker: Address;
  source: Address;
  destination: Address;
  /** The most that leaves the source, fee included, in its smallest unit. */
  amountIn: bigint;
  /** The least that must arrive in the destination, after the fee; else the program fails with 6001. */
  minOut: bigint;
  fee?: RouteFee;
  /** In the order in which they run: what pays into an account comes before what takes from it. */
  hops: RouteHop[];
}

/**
 * One instruction that runs a route. Throws RangeError for one that the program would refuse or that would leave tokens
 * on the way: shares that do not add up, an account that is taken from before anything came in, or never.
 */
export function routeInstruction(route: Route, program: Address = ROUTER_PROGRAM): Instruction {
  checkFlow(route, program);
  const accounts = new AccountList();
  for (const address of [route.taker, route.source, route.destination]) accounts.number(address);
  accounts.metas[0]!.signer = true;
  const header = concatBytes(
    Uint8Array.of(ROUTE_TAG),
    u64.encode(route.amountIn, 'amountIn'),
    u64.encode(route.minOut, 'minOut'),
  );
  const hops = codedHops(route).map((hop) => encodeHop(hop, accounts));
  if (accounts.metas.length > MAX_ROUTE_ACCOUNTS) throw new RangeError(`a route of ${accounts.metas.length} accounts`);
  return { program, accounts: accounts.metas, data: concatBytes(header, ...hops) };
}

/**
 * The route of an instruction that `routeInstruction` made, with zeros for the amounts in the hops' data; undefined for
 * any other instruction, also for one that the program would run. Accounts may have more rights than the route needs, as
 * they do in a transaction that needs them elsewhere.
 */
export function parseRoute(instruction: Instruction, program: Address = ROUTER_PROGRAM): Route | undefined {
  const { accounts, data } = instruction;
  const [taker, source, destination] = accounts.map(({ address }) => address);
  if (instruction.program !== program || !destination || data.length < HEADER_SIZE) return undefined;
  const decoded = decodeHops(data.subarray(HEADER_SIZE), accounts);
  const coded = decoded && withRests(decoded);
  if (!coded) return undefined;
  const isFee = ({ shareBps }: CodedHop, i: number) => shareBps !== ALL_BPS && (coded[i + 1]?.startsSplit ?? true);
  const feeAt = coded.findIndex(isFee);
  const fee = feeAt < 0 ? undefined : transferOf(coded[feeAt]!);
  const view = new DataView(data.buffer, data.byteOffset);
  const route: Route = {
    taker: taker!,
    source: source!,
    destination,
    amountIn: view.getBigUint64(1, true),
    minOut: view.getBigUint64(9, true),
    ...(fee ? { fee } : {}),
    hops: plainHops(coded.filter((_, i) => i !== feeAt)),
  };
  try {
    return covers(instruction, routeInstruction(route, program)) ? route : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Errors of the router program by number. */
export const ROUTER_ERRORS = {
  6000: 'InvalidInstruction',
  6001: 'SlippageToleranceExceeded',
  6002: 'TakerMustSign',
  6003: 'InvalidTokenAccount',
  6004: 'SameAccount',
  6005: 'InsufficientFunds',
  6006: 'SelfCall',
  6007: 'ForeignSigner',
  6008: 'NothingReceived',
  6009: 'TokensTaken',
  6010: 'LamportsTaken',
  6011: 'AccountChanged',
} as const;

// ---- checks -------------------------------------------------------------------------------------------------------

function checkFlow({ taker, source, destination, fee, hops }: Route, program: Address): void {
  if (source === destination) throw new RangeError('source and destination are the same account');
  if (hops.length === 0) throw new RangeError('a route without hops');
  let sum = 0;
  for (const [i, hop] of hops.entries()) {
    const what = `hop ${i}`;
    if (hop.program === program) throw new RangeError(`${what} calls the router itself`);
    if (hop.accounts.some((meta) => meta.signer && meta.address !== taker))
      throw new RangeError(`${what}: foreign signer`);
    const isFed = hop.from === source || hops.slice(0, i).some(({ to }) => to === hop.from);
    if (!isFed) throw new RangeError(`${what} takes from ${hop.from}, into which nothing came before`);
    const isUsed = hop.to === destination || hops.slice(i + 1).some(({ from }) => from === hop.to);
    if (!isUsed) throw new RangeError(`${what} pays into ${hop.to}, from which nothing is taken after it`);
    if (!isShare(hop.shareBps, ALL_BPS)) throw new RangeError(`${what}: shareBps is ${hop.shareBps}`);
    sum += hop.shareBps;
    const isLast = hops[i + 1]?.from !== hop.from;
    if (hop.rest && !isLast) throw new RangeError(`${what} can have no rest`);
    if (!isLast) continue;
    if (sum !== ALL_BPS) throw new RangeError(`${what}: the shares add up to ${sum} basis points`);
    sum = 0;
  }
  if (!fee) return;
  if (!isShare(fee.bps, ALL_BPS - 1)) throw new RangeError(`fee.bps is ${fee.bps}`);
  if (fee.from !== destination && !hops.some(({ from }) => from === fee.from)) {
    throw new RangeError(`nothing of the route is ever in ${fee.from}, where the fee is taken from`);
  }
}

const isShare = (bps: number, most: number) => Number.isInteger(bps) && bps >= 1 && bps <= most;

// ---- fee and shares, as the program has them ------------------------------------------------------------------------

function codedHops({ taker, fee, hops }: Route): CodedHop[] {
  const coded = hops.flatMap((hop, i): CodedHop[] => {
    const isLast = hops[i + 1]?.from !== hop.from;
    const own = { ...hop, startsSplit: hops[i - 1]?.from !== hop.from, shareBps: isLast ? ALL_BPS : hop.shareBps };
    return hop.rest ? [own, transferHop({ ...hop.rest, bps: ALL_BPS, from: hop.from }, taker)] : [own];
  });
  if (!fee) return coded;
  const first = coded.findIndex(({ from }) => from === fee.from);
  return coded.toSpliced(first < 0 ? coded.length : first, 0, transferHop(fee, taker));
}

/** A split of all that is left, right after one that took all from the same account, is its rest. */
function withRests(coded: CodedHop[]): CodedHop[] | undefined {
  const hops: CodedHop[] = [];
  for (const hop of coded) {
    const before = hops.at(-1);
    const isAll = hop.startsSplit && hop.shareBps === ALL_BPS && before?.shareBps === ALL_BPS;
    if (!isAll || before.from !== hop.from) hops.push(hop);
    else {
      const transfer = transferOf(hop);
      if (!transfer || before.rest) return undefined;
      const { account, mint, decimals, tokenProgram } = transfer;
      hops[hops.length - 1] = { ...before, rest: { account, mint, decimals, tokenProgram } };
    }
  }
  return hops;
}

function plainHops(coded: CodedHop[]): RouteHop[] {
  let left = ALL_BPS;
  return coded.map(({ startsSplit, shareBps, ...hop }) => {
    if (startsSplit) left = ALL_BPS;
    const share = shareBps === ALL_BPS ? left : shareBps;
    left -= share;
    return { ...hop, shareBps: share };
  });
}

function transferHop({ bps, from, account, mint, decimals, tokenProgram }: RouteFee, taker: Address): CodedHop {
  const parts = { source: from, mint, destination: account, authority: taker, amount: 0n, decimals, tokenProgram };
  return { ...tokenTransferChecked(parts), amountOffset: 1, from, to: account, shareBps: bps, startsSplit: true };
}

function transferOf(hop: CodedHop): RouteFee | undefined {
  const transfer = parseTransferChecked(hop);
  if (!transfer) return undefined;
  const { source: from, destination: account, mint, decimals, tokenProgram } = transfer;
  return { bps: hop.shareBps, from, account, mint, decimals, tokenProgram };
}

/** Whether it is the same instruction, but for rights beyond those that are needed. */
function covers(actual: Instruction, needed: Instruction): boolean {
  return (
    equalBytes(actual.data, needed.data) &&
    actual.accounts.length === needed.accounts.length &&
    needed.accounts.every(({ address, signer, writable }, i) => {
      const meta = actual.accounts[i]!;
      return meta.address === address && meta.signer >= signer && meta.writable >= writable;
    })
  );
}
