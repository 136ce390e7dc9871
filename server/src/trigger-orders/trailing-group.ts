/** Slots with one mark. Where it was merged into another, that one speaks for it. */
interface Cluster {
  mark: number;
  slots: Set<number>;
  mergedInto: Cluster | undefined;
}

/**
 * Trailing triggers of one market, side and distance. Each has a mark: the best price since it was added (the highest
 * for those that fire below, the lowest for those that fire above). A price that beats several marks makes them one and
 * the same for good, so that they are kept in clusters, sorted by mark, and merged instead of being visited one by one.
 */
export class TrailingGroup {
  /** From the worst mark (the one that the next price beats first) to the best. */
  private readonly clusters: Cluster[] = [];
  private readonly clusterOf = new Map<number, Cluster>();
  /** What a mark is multiplied with to give its threshold. */
  private readonly factor: number;

  /** `sign` is 1 where high marks count and orders fire below, -1 the other way round. */
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

  /** Moves the marks that the price beats, and answers the slots that it fires. They stay until they are removed. */
  tick(usd: number): number[] {
    this.raise(usd);
    const fired: number[] = [];
    for (let at = this.clusters.length - 1; at >= 0; at -= 1) {
      const { mark, slots } = this.clusters[at]!;
      if (this.beats(usd, this.thresholdOf(mark))) break;
      fired.push(...slots);
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

/** The larger takes the smaller's slots, so that a slot moves at most as often as its cluster's size doubles. */
function merge(a: Cluster, b: Cluster): Cluster {
  const [from, into] = a.slots.size < b.slots.size ? [a, b] : [b, a];
  for (const slot of from.slots) into.slots.add(slot);
  from.slots = into.slots;
  from.mergedInto = into;
  return into;
}
