import type { Line } from './line.js';

/** Slots with the same mark. A merged cluster refers to the one that it was merged into. */
interface Cluster {
  mark: number;
  slots: Set<number>;
  mergedInto: Cluster | undefined;
}

/**
 * Trailing triggers of one market, side and distance. Each has a mark: the best price since it was added (the highest
 * for those that fire below, the lowest for those that fire above). A price that beats several marks makes them equal
 * for good. So triggers are kept in clusters, sorted by mark, which are merged instead of visiting each trigger.
 */
export class TrailingGroup {
  /** Sorted from the worst mark (beaten first) to the best. */
  private readonly clusters: Cluster[] = [];
  private readonly clusterOf = new Map<number, Cluster>();
  /** Threshold divided by mark. */
  private readonly factor: number;

  /** `sign`: 1 if marks are highs and orders fire below them, -1 if marks are lows and orders fire above. */
  constructor(
    private readonly sign: 1 | -1,
    trailingBps: number,
  ) {
    this.factor = 1 - (sign * trailingBps) / 10_000;
  }

  get size(): number {
    return this.clusterOf.size;
  }

  add(slot: number, mark: number): void {
    const at = this.clusters.findLastIndex((cluster) => this.beats(mark, cluster.mark)) + 1;
    const here = this.clusters[at];
    const cluster = here?.mark === mark ? here : { mark, slots: new Set<number>(), mergedInto: undefined };
    if (cluster !== here) this.clusters.splice(at, 0, cluster);
    cluster.slots.add(slot);
    this.clusterOf.set(slot, cluster);
  }

  remove(slot: number): void {
    const cluster = this.find(slot);
    this.clusterOf.delete(slot);
    cluster?.slots.delete(slot);
    if (cluster?.slots.size === 0) this.clusters.splice(this.clusters.lastIndexOf(cluster), 1);
  }

  markOf(slot: number): number | undefined {
    return this.find(slot)?.mark;
  }

  /** The price at which a mark fires. */
  thresholdOf(mark: number): number {
    return mark * this.factor;
  }

  /** What fires a slot by its mark of now. */
  lineOf(slot: number): Line {
    return { condition: this.sign === 1 ? 'below' : 'above', usd: this.thresholdOf(this.find(slot)!.mark) };
  }

  /**
   * Moves the marks that the price beats, and returns the slots that it fires, at most so many. They stay until they are removed.
   */
  tick(usd: number, most = Number.POSITIVE_INFINITY): number[] {
    this.raise(usd);
    const fired: number[] = [];
    for (let at = this.clusters.length - 1; at >= 0; at -= 1) {
      const { mark, slots } = this.clusters[at]!;
      if (this.beats(usd, this.thresholdOf(mark))) break;
      for (const slot of slots) {
        if (fired.length >= most) return fired;
        fired.push(slot);
      }
    }
    return fired;
  }

  private raise(usd: number): void {
    const beaten = this.clusters.findLastIndex((cluster) => this.beats(usd, cluster.mark)) + 1;
    if (beaten === 0) return;
    const merged = this.clusters.splice(0, beaten).reduce(merge);
    const [here] = this.clusters;
    if (here?.mark === usd) {
      this.clusters[0] = merge(merged, here);
    } else {
      this.clusters.unshift(merged);
    }
    this.clusters[0]!.mark = usd;
  }

  private beats(price: number, other: number): boolean {
    return this.sign * (price - other) > 0;
  }

  private find(slot: number): Cluster | undefined {
    let cluster = this.clusterOf.get(slot);
    if (!cluster?.mergedInto) return cluster;
    while (cluster.mergedInto) cluster = cluster.mergedInto;
    this.clusterOf.set(slot, cluster);
    return cluster;
  }
}

/** Merges the smaller cluster into the larger, so that a slot moves at most once per doubling of its cluster's size. */
function merge(a: Cluster, b: Cluster): Cluster {
  const [from, into] = a.slots.size < b.slots.size ? [a, b] : [b, a];
  for (const slot of from.slots) into.slots.add(slot);
  from.slots = into.slots;
  from.mergedInto = into;
  return into;
}
