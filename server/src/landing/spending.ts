import type { Clock } from '../lib/clock.js';
import { barLosses, countLosses, type LossBar, type LossBounds, type LossKind, lossBarOf } from '../store/losses.js';
import type { Sql, Tx } from '../store/sql.js';
import { LOSS_WINDOW_MS, type Purse } from './purses.js';

const MINUTE_MS = 60_000;

/** How much of a purse is lost. */
export interface PurseReading {
  name: string;
  /** Failed transactions within the last hour; of what is handed over, also those that were not landed. */
  lost: number;
  most: number;
}

/** Keeps what our wallets lose within their purses' bounds, across all instances, by what the ledger says. */
export class Spending {
  readonly #clock: Clock;
  readonly #purses = new Map<string, { purse: Purse; areas: string[] }>();
  readonly #ofArea = new Map<string, string>();

  constructor(clock: Clock, settlements: Readonly<Record<string, { purse?: Purse }>>) {
    this.#clock = clock;
    for (const [area, { purse }] of Object.entries(settlements).sort()) {
      if (!purse) continue;
      const known = this.#purses.get(purse.name) ?? { purse, areas: [] };
      known.areas.push(area);
      this.#purses.set(purse.name, known);
      this.#ofArea.set(area, purse.name);
    }
  }

  /** Of requests that this transaction has just claimed, those that must not be sent, and why. */
  async bar(
    tx: Tx,
    claimed: readonly { id: string; area: string; signature: string | null }[],
  ): Promise<Map<string, LossBar>> {
    const barred = new Map<string, LossBar>();
    // In one order, so that two groups cannot wait for each other.
    for (const name of [...this.#purses.keys()].sort()) {
      const own = claimed.filter(({ area }) => this.#ofArea.get(area) === name);
      for (const kind of ['paid', 'handed-over'] as const) {
        const ids = own
          .filter(({ signature }) => (signature === null) === (kind === 'handed-over'))
          .map(({ id }) => id);
        if (ids.length === 0) continue;
        for (const [id, why] of await barLosses(tx, ids, this.#bounds(name), kind)) barred.set(id, why);
      }
    }
    return barred;
  }

  /** Why a transaction of this area and wallet would not be paid for by us now; undefined if it would. */
  async barOf(sql: Sql, area: string, wallet: string, kind?: LossKind): Promise<LossBar | undefined> {
    const name = this.#ofArea.get(area);
    return name === undefined ? undefined : lossBarOf(sql, wallet, this.#bounds(name), kind);
  }

  readings(sql: Sql): Promise<PurseReading[]> {
    const since = new Date(this.#clock.now() - LOSS_WINDOW_MS);
    const counted = [...this.#purses.values()].flatMap(({ purse: { name, most, handsOver }, areas }) => [
      { name, areas, most, kind: 'paid' as const },
      ...(handsOver ? [{ name: `${name}-handed-over`, areas, most, kind: 'handed-over' as const }] : []),
    ]);
    return Promise.all(
      counted.map(async ({ name, areas, most, kind }) => ({
        name,
        lost: await countLosses(sql, areas, since, kind),
        most,
      })),
    );
  }

  #bounds(name: string): LossBounds {
    const { purse, areas } = this.#purses.get(name)!;
    const now = this.#clock.now();
    return {
      areas,
      walletSince: new Date(now - purse.wallet.ms),
      walletMost: purse.wallet.most,
      allSince: new Date(now - LOSS_WINDOW_MS),
      allMost: purse.most,
      stillMost: purse.wallet.still ?? 1,
      paceSince: new Date(now - MINUTE_MS),
      paceMost: Math.floor((purse.most * MINUTE_MS) / LOSS_WINDOW_MS),
      ...(purse.reserve !== undefined && { reserve: purse.reserve }),
      ...(purse.rents && { rents: purse.rents }),
    };
  }
}
