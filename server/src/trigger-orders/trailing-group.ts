import type { Line } from './line.js';
import { SlotHeap } from './slot-heap.js';

/** Slots with the same mark. */
interface Cluster {
  mark: number;
  readonly slots: Set<number>;
  /** Its place in `clusters`, and its slot in both heaps. */
  row: number;
}

/**
 * Trailing triggers of one market, side and distance. Each has a mark: the best price since it was added (the highest
 * for those that fire below, the lowest for those that fire above). A price that beats several marks makes them equal
 * for good. So triggers are kept in clusters by mark, which are merged instead of visiting each trigger. There may be as
 * many clusters as triggers: heaps find those that a price beats, and those that it fires.
 */
export class TrailingGroup {
  private readonly clusterOf = new Map<number, Cluster>();
  private readonly byMark = new Map<number, Cluster>();
  /** By row. One that is gone leaves its row to others. */
  private readonly clusters: (Cluster | undefined)[] = [];
  private readonly freeRows: number[] = [];
  private readonly worst = { key: [] as number[], position: [] as number[] };
  private readonly best = { key: [] as number[], position: [] as number[] };
  private readonly worstFirst = new SlotHeap(this.worst);
  private readonly bestFirst = new SlotHeap(this.best);
  /** Threshold divided by mark. */
  private readonly factor: number;

  /**
   * `sign`: 1 if marks are highs and orders fire below them, -1 if marks are lows and orders fire above. `emptied` is called as the
   * last trigger is removed.
   */
  constructor(
    private readonly sign: 1 | -1,
    trailingBps: number,
    private readonly emptied: () => void = () => {},
  ) {
    this.factor = 1 - (sign * trailingBps) / 10_000;
  }

  add(slot: number, mark: number): void {
    const cluster = this.byMark.get(mark) ?? { mark, slots: new Set(), row: -1 };
    if (cluster.slots.size === 0) this.put(cluster);
    cluster.slots.add(slot);
    this.clusterOf.set(slot, cluster);
  }

  remove(slot: number): void {
    const cluster = this.clusterOf.get(slot);
    if (!cluster) return;
    this.clusterOf.delete(slot);
    cluster.slots.delete(slot);
    if (cluster.slots.size === 0) this.take(cluster);
    if (this.clusterOf.size === 0) this.emptied();
  }

  markOf(slot: number): number | undefined {
    return this.clusterOf.get(slot)?.mark;
  }

  /** The price at which a mark fires. */
  thresholdOf(mark: number): number {
    return mark * this.factor;
  }

  /** What fires a slot by its mark of now. */
  lineOf(slot: number): Line {
    return { condition: this.sign === 1 ? 'below' : 'above', usd: this.thresholdOf(this.clusterOf.get(slot)!.mark) };
  }

  /**
   * Moves the marks that the price beats, and returns the slots that it fires, at most so many. They stay until they are removed.
   */
  tick(usd: number, most = Number.POSITIVE_INFINITY): number[] {
    this.raise(usd);
    const isFired = (row: number) => !this.beats(usd, this.thresholdOf(this.clusters[row]!.mark));
    const fired: number[] = [];
    // Nearly always: a token may have thousands of groups.
    if (this.bestFirst.first === undefined || !isFired(this.bestFirst.first)) return fired;
    for (const row of this.bestFirst.upTo(isFired)) {
      for (const slot of this.clusters[row]!.slots) {
        if (fired.length >= most) return fired;
        fired.push(slot);
      }
    }
    return fired;
  }

  private raise(usd: number): void {
    let raised: Cluster | undefined;
    for (let worst = this.first(); worst && this.beats(usd, worst.mark); worst = this.first()) {
      raised = this.merge(raised, this.take(worst));
    }
    if (!raised) return;
    const here = this.byMark.get(usd);
    if (here) raised = this.merge(raised, this.take(here));
    raised.mark = usd;
    this.put(raised);
  }

  private first(): Cluster | undefined {
    const row = this.worstFirst.first;
    return row === undefined ? undefined : this.clusters[row];
  }

  private put(cluster: Cluster): void {
    const row = this.freeRows.pop() ?? this.clusters.length;
    cluster.row = row;
    this.clusters[row] = cluster;
    this.byMark.set(cluster.mark, cluster);
    this.worst.key[row] = this.sign * cluster.mark;
    this.best.key[row] = -this.sign * cluster.mark;
    this.worstFirst.add(row);
    this.bestFirst.add(row);
  }

  private take(cluster: Cluster): Cluster {
    this.worstFirst.remove(cluster.row);
    this.bestFirst.remove(cluster.row);
    this.byMark.delete(cluster.mark);
    this.clusters[cluster.row] = undefined;
    this.freeRows.push(cluster.row);
    return cluster;
  }

  /** Merges the smaller cluster into the larger, so that a slot moves at most once per doubling of its cluster's size. */
  private merge(a: Cluster | undefined, b: Cluster): Cluster {
    if (!a) return b;
    const [from, into] = a.slots.size < b.slots.size ? [a, b] : [b, a];
    for (const slot of from.slots) {
      into.slots.add(slot);
      this.clusterOf.set(slot, into);
    }
    return into;
  }

  private beats(price: number, other: number): boolean {
    return this.sign * (price - other) > 0;
  }
}
