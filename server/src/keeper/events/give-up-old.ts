import type { Wants } from '../../events/filter.js';
import { deliveryOf } from '../../events/messages.js';
import { type EventRow, eventsAfter } from '../../store/events.js';
import type { Store } from '../../store/sql.js';
import { recordGivenUp } from '../../store/webhook-deliveries.js';
import type { Webhook } from '../../store/webhooks.js';

/** Written at once, so that others do not wait long for the database. */
export const PIECE = 200;
const LONGEST_TURN_MS = 10_000;

interface Turn {
  webhook: Webhook;
  holder: string;
  wants: Wants;
  isOld: (event: EventRow) => boolean;
  isClosing: () => boolean;
}

export type GiveUpOld = (turn: Turn, after: bigint) => Promise<bigint>;

/**
 * Gives up what was told too long ago, up to the first that was not, and returns the number of the last that was given up. As
 * much as an account makes waits for each of its webhooks, and is written for each: so one webhook does at a time, for as long
 * as a turn lasts, and where it has got to is written with each piece. The rest is given up after another failure.
 */
export function createGiveUpOld({ store, steadyNow }: { store: Store; steadyNow: () => number }): GiveUpOld {
  let isBusy = false;
  return async (turn, after) => {
    if (isBusy) return after;
    isBusy = true;
    try {
      return await giveUp(turn, after);
    } finally {
      isBusy = false;
    }
  };

  async function giveUp({ webhook, holder, wants, isOld, isClosing }: Turn, after: bigint): Promise<bigint> {
    const { id, account } = webhook;
    const until = steadyNow() + LONGEST_TURN_MS;
    let last = after;
    do {
      const page = await eventsAfter(store, [{ account, after: last }], PIECE);
      // The next turn begins before what was deleted in the meantime, and notes that.
      if (page[0] && page[0].number > last + 1n) return last;
      const young = page.findIndex((event) => !isOld(event));
      const old = young < 0 ? page : page.slice(0, young);
      const piece = { deliveries: old.filter(wants).map(deliveryOf), last: old.at(-1)?.number ?? last };
      if (!(await store.transaction((tx) => recordGivenUp(tx, id, holder, piece)))) return last;
      last = piece.last;
      if (old.length < PIECE) return last;
    } while (!isClosing() && steadyNow() < until);
    return last;
  }
}
