// Which paths have no room in a transaction, whatever the amount. Paths share the pools of their pairs, and anybody makes
// thousands of pools for one: each is looked at once for all paths.
import type { Address } from '@slipway/wire';
import { partOf } from './deal.js';
import type { Estimate, Names, Room, SearchOptions } from './found.js';
import type { LiveLeg } from './legs.js';
import type { Path } from './market.js';
import { ALL_BPS, type Outcome, type Part, type Plan } from './plan.js';

/** Kinds of pools of a step that are told apart: anybody makes more. */
const MAX_KINDS = 20;
const MIXED = 'mixed';

/** Pools of a step that name the same of what they may share with other steps. */
interface Kind {
  lightest: LiveLeg;
  /** Without all that they may share. */
  least: number;
}

interface StepPools {
  kinds: ReadonlyMap<string, Kind>;
  /** What any of them names that other steps may name, too. */
  shared: ReadonlySet<Address>;
}

/** Whether no plan over one of these paths fits into a transaction: even its lightest pools are too many bytes. */
export function lengthsOf(paths: readonly Estimate[], options: SearchOptions): (path: Estimate) => boolean {
  const { room } = options;
  const mayShare = namedByPairs(paths, room);
  const known = new Map<readonly LiveLeg[], StepPools>();
  const poolsOf = (legs: readonly LiveLeg[]): StepPools => {
    const pools = known.get(legs) ?? poolsOfStep(legs, mayShare, room);
    known.set(legs, pools);
    return pools;
  };
  return ({ path, steps }) => {
    const between = betweenOf(steps);
    const all = steps.map(poolsOf);
    const lightest = all.map((pools) => {
      const others = all.filter((each) => each !== pools);
      const has = (address: Address) => between.has(address) || others.some(({ shared }) => shared.has(address));
      return lightestOf(pools, (leg) => room.weigh([leg], { has }));
    });
    const plan = () => {
      const alone = lightest.map(({ leg }) => [partOf(leg, ALL_BPS)]);
      return planOf(path, alone);
    };
    const base = room.base(path.mints, () => baseOf(plan(), between, options));
    // The lightest may name too many accounts where others do not: that tells nothing of the path.
    return Number.isFinite(base) && base + lightest.reduce((sum, { bytes }) => sum + bytes, 0) > 0;
  };
}

/** What pools name that other steps of a path may name, too: no path goes over a pair twice. */
function namedByPairs(paths: readonly Estimate[], room: Room): Set<Address> {
  const looked = new Set<readonly LiveLeg[]>();
  const pairOf = new Map<Address, string>();
  const named = new Set<Address>();
  for (const { path, steps } of paths) {
    for (const address of betweenOf(steps)) named.add(address);
    for (const [i, legs] of steps.entries()) {
      if (looked.has(legs)) continue;
      looked.add(legs);
      const [input, output] = [path.mints[i]!, path.mints[i + 1]!];
      const pair = input < output ? `${input} ${output}` : `${output} ${input}`;
      for (const leg of legs)
        for (const address of room.named(leg)) {
          const last = pairOf.get(address);
          if (last === undefined) pairOf.set(address, pair);
          else if (last !== pair) named.add(address);
        }
    }
  }
  return named;
}

function poolsOfStep(legs: readonly LiveLeg[], mayShare: ReadonlySet<Address>, room: Room): StepPools {
  const kinds = new Map<string, Kind>();
  const shared = new Set<Address>();
  for (const leg of legs) {
    const names = room.named(leg).filter((address) => mayShare.has(address));
    for (const address of names) shared.add(address);
    const own = names.join(' ');
    const kind = kinds.has(own) || kinds.size < MAX_KINDS ? own : MIXED;
    const least = room.weigh([leg], mayShare);
    if (least < (kinds.get(kind)?.least ?? Number.POSITIVE_INFINITY)) kinds.set(kind, { lightest: leg, least });
  }
  return { kinds, shared };
}

/** Of these pools the lightest, and its bytes at least. */
function lightestOf({ kinds }: StepPools, weigh: (leg: LiveLeg) => number): { leg: LiveLeg; bytes: number } {
  const [first, ...others] = [...kinds].map(([kind, { lightest, least }]) => ({
    leg: lightest,
    bytes: kind === MIXED ? least : weigh(lightest),
  }));
  return others.reduce((light, each) => (each.bytes < light.bytes ? each : light), first!);
}

export const planOf = ({ mints }: Path, ofSteps: readonly (readonly Part[])[]): Plan => ({
  steps: ofSteps.map((parts, i) => ({ input: mints[i]!, output: mints[i + 1]!, parts })),
  pools: ofSteps.flat().length,
});

/** The bytes that any plan of a path has too many, without what its pools weigh; told by one of them. */
export function baseOf(plan: Plan, between: Names, { room, request }: SearchOptions): number {
  const trades = plan.steps.flatMap(({ parts }, step) =>
    parts.map((part) => ({ part, step, offered: 1n, paid: 1n, received: 1n, fee: 0n, rest: 0n })),
  );
  const outcome: Outcome = { inAmount: 1n, outAmount: 1n, feeAmount: request.fee ? 1n : 0n, trades };
  const weight = room.weigh(
    plan.steps.flatMap(({ parts }) => parts),
    between,
  );
  return room.excess({ plan, outcome }) - weight - room.slack;
}

/** What the accounts between the steps name, whatever the pools. */
export function betweenOf(steps: readonly LiveLeg[][]): Set<Address> {
  const tokens = steps.slice(1).map(([first]) => first!.state.tokens[first!.from]);
  return new Set(tokens.flatMap(({ mint, tokenProgram }) => [mint, tokenProgram]));
}
